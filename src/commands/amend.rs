//! `amend`: a numbered, published change between two phases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::adjudicate::submissions;
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, amend_dir, phase_dir};
use super::join::find_player;
use super::ledger::{Entry, Ledger, Record, rules_at, state_at};
use super::new::{game_fault, normal_text, salted_state};
use super::outbox::{Note, Post, enclosed};
use super::outcome::{Known, Outcome, next_of, resolve, write_reports};
use super::roster::person;
use super::store::Batch;
use crate::cli::{AmendArgs, AmendWhat, AmendWhy, Consent as Asked};
use crate::core::diag::did_you_mean;
use crate::core::dice::Roller;
use crate::core::hash;
use crate::core::orderfile::{Form, read_header};
use crate::core::record::{
    Amend, AmendKind, Consent, Lock, Next, RulesEntry, RulesList, Turn, Value as _,
};
use crate::core::salt::split_state;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::{FormHeader, Game, GameError, PhaseInput, RulesFiles, Seat, Submission};

/// An amendment in the making.
struct Draft {
    kind: AmendKind,
    /// What changed, a line each, for everybody.
    changes: Vec<String>,
    /// New rules files by name, if any.
    files: Option<RulesFiles>,
    /// The new state, without salt.
    state: Option<String>,
    /// The phase run again.
    outcome: Option<Outcome>,
    next: Next,
    batch: Batch,
}

/// Applies an amendment.
pub fn run(desk: &mut Desk<'_>, args: &AmendArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    ledger.head()?;
    ledger.must_be_between("amendment")?;
    let (AmendWhat::Ruling { why, .. }
    | AmendWhat::State { why, .. }
    | AmendWhat::Seat { why, .. }
    | AmendWhat::Correct { why, .. }) = &args.what;
    let draft = match &args.what {
        AmendWhat::Ruling { set, files, .. } => ruling(desk, &folder, &ledger, set, files)?,
        AmendWhat::State { file, anyway, .. } => state(desk, &folder, &ledger, file, *anyway)?,
        AmendWhat::Seat { who, .. } => seat(&folder, &ledger, who)?,
        AmendWhat::Correct { files, .. } => correct(desk, &folder, &ledger, files)?,
    };
    write(desk, &folder, &ledger, why, draft)
}

fn draft(kind: AmendKind, next: Next) -> Draft {
    Draft {
        kind,
        changes: Vec::new(),
        files: None,
        state: None,
        outcome: None,
        next,
        batch: Batch::new(),
    }
}

fn ruling(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    set: &[String],
    files: &[String],
) -> Result<Draft, Fault> {
    let old = rules_at(folder, &ledger.rules_path, ledger.rules)?;
    let (new, mut changes) = changed_rules(desk, &old, set, files)?;
    if ledger.engine != desk.engine {
        changes.push(format!("program: {} -> {}", ledger.engine, desk.engine));
    }
    if changes.is_empty() {
        return Err(Fault::refused(
            "this amendment changes nothing",
            "name a ruling with --set NAME=CHOICE or a file with --file NAME=FILE",
        ));
    }
    let game = (desk.systems.load)(&new).map_err(|f| desk.rules_faults(&f))?;
    let state = ledger.state(folder)?;
    let outlook = game.outlook(&state).map_err(game_fault)?;
    goes_on(&*game, &state, ledger)?;
    let mut draft = draft(AmendKind::Ruling, next_of(&outlook)?);
    draft.changes = changes;
    draft.files = (new != old).then_some(new);
    Ok(draft)
}

fn state(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    file: &std::path::Path,
    anyway: bool,
) -> Result<Draft, Fault> {
    ledger.must_be_engine(&desk.engine)?;
    let game = ledger.game(desk, folder)?;
    let before = ledger.state(folder)?;
    let after = normal_text(split_state(&normal_text(&desk.read(file)?)?).1)?;
    // A view is a position to every rule system, but one with holes in it.
    if toml::from_str::<toml::Table>(&after).is_ok_and(|table| table.contains_key("viewer")) {
        return Err(Fault::refused(
            format!("`{}` is what one player may see, not a state", file.display()),
            "start from a phase's state-after.toml",
        ));
    }
    let outlook = game.outlook(&after).map_err(game_fault)?;
    let seats = |text: &str| game.seats(text).map_err(game_fault);
    if seats(&before)? != seats(&after)? {
        return Err(Fault::refused(
            "this state has other seats than the game",
            "start from the present state, or from an earlier one of this game",
        ));
    }
    let known = game.irregular(&before).map_err(game_fault)?;
    let mut lines = game.irregular(&after).map_err(game_fault)?;
    lines.retain(|line| !known.contains(line));
    if !lines.is_empty() && !anyway {
        return Err(Fault::refused(
            format!("the rules could not have brought this state about:\n- {}", lines.join("\n- ")),
            "mend it, or add --anyway if that is what you mean",
        ));
    }
    let mut draft = draft(AmendKind::State, next_of(&outlook)?);
    draft.changes = difference(&*game, &before, &after)?;
    if before == after {
        return Err(Fault::refused(
            "this is the present state: nothing would change",
            "edit a copy of the state, then name that file",
        ));
    }
    goes_on(&*game, &after, ledger)?;
    draft.state = Some(after);
    Ok(draft)
}

/// How many phases an amendment is tried for.
const TRIED: u32 = 4;

/// Tries the phases to come with throw-away dice, nobody sending orders: no amendment
/// comes between a call and its turn, so what cannot be resolved would be the end.
fn goes_on(game: &dyn Game, state: &str, ledger: &Ledger) -> Result<(), Fault> {
    let mut state = state.to_owned();
    for phase in ledger.phases + 1..=ledger.phases + TRIED {
        match tried(game, &state, phase, ledger) {
            Ok(Some(after)) => state = after,
            Ok(None) => break,
            Err(fault) => {
                return Err(Fault::refused(
                    format!("with this, phase {phase} could not be played: {fault}"),
                    "mend that; nothing is recorded",
                ));
            }
        }
    }
    Ok(())
}

fn tried(
    game: &dyn Game,
    state: &str,
    phase: u32,
    ledger: &Ledger,
) -> Result<Option<String>, GameError> {
    let outlook = game.outlook(state)?;
    if outlook.window.is_none() {
        return Ok(None);
    }
    let mut orders = BTreeMap::new();
    for Seat { player, .. } in game.seats(state)? {
        let asked = outlook.asks.contains(&player);
        if asked {
            let view = game.view(state, &Viewer::Player(player.clone()))?;
            let header = FormHeader {
                game: ledger.offer.game.clone(),
                phase,
                player: player.clone(),
                head: "0".repeat(64),
                ticket: "0".repeat(64),
            };
            let form = Source::new("form.toml", &game.form(&view, &header)?);
            if read_header(&form, Form::Game).is_err() {
                return Err(GameError::State("a form has no header".to_owned()));
            }
        }
        orders.insert(player, if asked { Submission::Missing } else { Submission::Idle });
    }
    let input = PhaseInput {
        game: ledger.offer.game.clone(),
        phase,
        prev: "0".repeat(64),
        state: state.to_owned(),
        orders,
        rehearsal: true,
    };
    let mut dice = Roller::rehearsal(&input.game, phase, [0; 32]);
    Ok(Some(game.adjudicate(&input, &mut dice)?.state))
}

fn seat(folder: &Folder, ledger: &Ledger, who: &str) -> Result<Draft, Fault> {
    let (player, text) = who.split_once('=').ok_or_else(|| {
        Fault::input(format!("`{who}` has no `=`"), "write PLAYER=NAME or PLAYER=NAME:ADDRESS")
    })?;
    let player = find_player(&ledger.offer, player)?;
    let new = person(text)?;
    let mut settings = folder.settings()?;
    let old = settings.player.insert(player.clone(), new.clone()).unwrap_or_default();
    if (&old.name, &old.address) == (&new.name, &new.address) {
        return Err(Fault::refused(
            format!("{} has that seat: nothing would change", old.name),
            "`despatch history` lists the amendments that are made",
        ));
    }
    let mut draft = draft(AmendKind::Seat, ledger.next.clone());
    draft.changes = vec![format!("{player}: {} -> {}", old.name, new.name)];
    draft.batch.replace("game.toml", settings.text());
    Ok(draft)
}

/// Records seats that changed hands during a phase.
///
/// # Errors
/// The record cannot be written.
pub fn seats_changed(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    changes: Vec<String>,
) -> Result<(), Fault> {
    let mut draft = draft(AmendKind::Seat, ledger.next.clone());
    draft.changes = changes;
    let note = format!("A substitute took a seat during phase {}.", ledger.phases);
    let why =
        AmendWhy { note: Some(note), note_file: None, consent: Asked::Referee, dry_run: false };
    write(desk, folder, ledger, &why, draft)?;
    Ok(())
}

/// The last phase with all that it was resolved from.
fn last_turn(ledger: &Ledger) -> Result<(&Entry, &Turn), Fault> {
    let turn = |entry: &'_ Entry| matches!(entry.record, Record::Turn(_));
    match ledger.entries.iter().rev().find(|e| turn(e)) {
        Some(entry @ Entry { record: Record::Turn(turn), .. }) => Ok((entry, turn)),
        _ => Err(Fault::refused(
            "no phase is resolved yet: there is nothing to correct",
            "other kinds of amendment are ruling, state and seat",
        )),
    }
}

fn correct(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    files: &[String],
) -> Result<Draft, Fault> {
    let old = rules_at(folder, &ledger.rules_path, ledger.rules)?;
    let (new, mut changes) = changed_rules(desk, &old, &[], files)?;
    if ledger.engine != desk.engine {
        changes.push(format!("program: {} -> {}", ledger.engine, desk.engine));
    }
    let game = (desk.systems.load)(&new).map_err(|f| desk.rules_faults(&f))?;
    let (entry, turn) = last_turn(ledger)?;
    let since = ledger.entries.iter().rev().take_while(|e| !matches!(e.record, Record::Turn(_)));
    let set = |e: &Entry| matches!(&e.record, Record::Amend(a) if a.kind == AmendKind::State);
    if since.into_iter().any(set) {
        return Err(Fault::refused(
            format!(
                "an amendment has set the state since phase {}: to resolve that phase again \
                 would undo it",
                turn.phase
            ),
            "change rules with `despatch amend ruling`, the position with `despatch amend state`",
        ));
    }
    let lock = folder.record(&format!("{}/lock.txt", phase_dir(turn.phase)), Lock::parse)?;
    let secret = folder.secret()?;
    let input = PhaseInput {
        game: turn.game.clone(),
        phase: turn.phase,
        prev: turn.prev.to_string(),
        state: state_at(folder, &entry.state_path, turn.state_before)?,
        orders: submissions(folder, turn.phase, &lock.orders)?,
        rehearsal: false,
    };
    let dir = amend_dir(ledger.amendments + 1);
    let sealed = ledger.sealed().then_some(&secret.hidden);
    let (done, mut outcome) =
        resolve(&*game, &input, &turn.seed, sealed, &format!("{dir}/"), None)?;
    outcome.leave_out(&Known::before(folder, turn.phase, ledger.amendments + 1)?);
    let before = ledger.state(folder)?;
    changes.extend(difference(&*game, &before, split_state(&outcome.state).1)?);
    if changes.is_empty() {
        return Err(Fault::refused(
            format!("phase {} comes out as it is recorded: nothing would change", turn.phase),
            "a misprint in the rules is named with --file",
        ));
    }
    let mut draft = draft(AmendKind::Correct, next_of(&done.outlook)?);
    write_reports(&mut draft.batch, &dir, &done.reports)?;
    draft.changes = changes;
    draft.files = (new != old).then_some(new);
    draft.state = Some(split_state(&outcome.state).1.to_owned());
    draft.outcome = Some(outcome);
    Ok(draft)
}

fn difference(game: &dyn Game, before: &str, after: &str) -> Result<Vec<String>, Fault> {
    let mut lines = game.difference(before, after).map_err(game_fault)?;
    if lines.is_empty() && before != after {
        lines = line_changes(before, after);
    }
    Ok(lines)
}

/// The rules with rulings set and files replaced, and what that changed.
fn changed_rules(
    desk: &Desk<'_>,
    old: &RulesFiles,
    set: &[String],
    files: &[String],
) -> Result<(RulesFiles, Vec<String>), Fault> {
    let mut new = old.clone();
    for pair in files {
        let (name, path) = pair.split_once('=').ok_or_else(|| {
            Fault::input(format!("`{pair}` has no `=`"), "write --file charts.toml=my-charts.toml")
        })?;
        if !old.contains_key(name) {
            let known = old.keys().map(String::as_str);
            let help = did_you_mean(name, known).map_or_else(
                || "`rules.sha256` lists the rules files, without `rules/`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Fault::input(format!("this game has no rules file `{name}`"), help));
        }
        let text = normal_text(&desk.read(std::path::Path::new(path))?)?;
        new.insert(name.to_owned(), text.into());
    }
    for pair in set {
        let (name, choice) = pair.split_once('=').ok_or_else(|| {
            Fault::input(format!("`{pair}` has no `=`"), "write --set NAME=CHOICE")
        })?;
        let text = new.get("settings.toml").cloned().unwrap_or_default();
        let text = set_ruling(&text, name.trim(), choice.trim());
        new.insert("settings.toml".to_owned(), text.into());
    }
    let mut changes = Vec::new();
    for (name, text) in &new {
        let before = old.get(name).map(|text| &**text).unwrap_or_default();
        if before != text {
            let lines = line_changes(before, text);
            changes.extend(lines.into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    Ok((new, changes))
}

/// Sets one line of `[rulings]` in `settings.toml`; loading the rules afterwards
/// says if there is no such ruling or choice.
fn set_ruling(text: &str, name: &str, choice: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let line = format!("{} = {}", quoted(name), quoted(choice));
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    let start = lines.iter().position(|l| l.trim() == "[rulings]").unwrap_or_else(|| {
        lines.push("[rulings]".to_owned());
        lines.len() - 1
    });
    let end = lines[start + 1..]
        .iter()
        .position(|l| l.starts_with('['))
        .map_or(lines.len(), |after| start + 1 + after);
    let key =
        |l: &String| l.split_once('=').map(|(key, _)| key.trim().trim_matches('"').to_owned());
    match lines[start + 1..end].iter().position(|l| key(l).as_deref() == Some(name)) {
        Some(at) => lines[start + 1 + at] = line,
        None => lines.insert(end, line),
    }
    lines.join("\n") + "\n"
}

/// The lines that two texts do not share, after their common head and tail.
fn line_changes(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b);
    let tail = tail.count();
    let minus = old[head..old.len() - tail].iter().map(|line| format!("- {line}"));
    let plus = new[head..new.len() - tail].iter().map(|line| format!("+ {line}"));
    minus.chain(plus).collect()
}

fn write(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    why: &AmendWhy,
    draft: Draft,
) -> Result<u8, Fault> {
    let number = ledger.amendments + 1;
    let dir = amend_dir(number);
    let words = match (&why.note, &why.note_file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => desk.read(path)?,
        (None, None) => String::new(),
    };
    if words.trim().is_empty() {
        return Err(Fault::input(
            "an amendment needs words that all will read",
            "say what changes and why with --note TEXT",
        ));
    }
    let changes = draft.changes.iter().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "  {line}");
        out
    });
    let note = normal_text(&format!("{}\n\nChanges:\n{changes}", words.trim()))?;
    let mut batch = draft.batch;
    let rules = match &draft.files {
        None => ledger.rules,
        Some(files) => {
            let list = rules_list(folder, ledger, &dir, files, &mut batch)?;
            batch.record(format!("{dir}/rules.sha256"), list.to_text());
            list.hash()
        }
    };
    let state_after = match (&draft.outcome, &draft.state) {
        (Some(outcome), _) => {
            outcome.write(&mut batch, &dir);
            hash::text_hash(&outcome.state)
        }
        (None, Some(state)) => {
            let secret = folder.secret()?;
            let sealed = ledger.sealed().then_some(&secret.hidden);
            let name = format!("{dir}/state-after.toml");
            let text = salted_state(&ledger.offer.game, ledger.phases, &name, sealed, state);
            let text = normal_text(&text)?;
            let hash = hash::text_hash(&text);
            batch.record(name, text);
            hash
        }
        (None, None) => ledger.state,
    };
    let of = |pick: fn(&Outcome) -> Option<&str>| {
        draft.outcome.as_ref().and_then(pick).map(hash::text_hash)
    };
    let amend = Amend {
        game: ledger.offer.game.clone(),
        number,
        prev: ledger.head()?,
        made: desk.now,
        kind: draft.kind,
        phase: ledger.phases,
        consent: match why.consent {
            Asked::All => Consent::All,
            Asked::Referee => Consent::Referee,
        },
        engine: desk.engine.clone(),
        rules,
        state_before: ledger.state,
        rolls: of(|o| Some(&o.rolls)),
        seals: of(|o| o.seals.as_deref()),
        events: of(|o| Some(&o.events)),
        report: of(|o| Some(&o.report)),
        state_after,
        next: draft.next,
        note: hash::text_hash(&note),
    };
    let headline =
        format!("Amendment {number} ({}), consent {}", amend.kind.write(), amend.consent.write());
    writeln!(desk.out, "{headline}\n\n{}", note.trim_end())?;
    if why.dry_run {
        writeln!(desk.out, "\ndry run: nothing is written")?;
        return Ok(0);
    }
    let settings = folder.settings()?;
    for player in &ledger.offer.players {
        let letter = Note {
            name: &format!("{dir}-{player}"),
            subject: &format!("amendment {number}"),
            body: &format!("{headline}\n\n{note}\nhead {}\n", amend.hash()),
            with: vec![enclosed("amend.txt", amend.to_text())],
            ..Note::default()
        };
        Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, player, &letter);
    }
    batch.record(format!("{dir}/note.txt"), note);
    batch.record(format!("{dir}/amend.txt"), amend.to_text());
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "\nhead {}", amend.hash())?;
    writeln!(desk.out, "next: send the mails in outbox/, then `despatch call`")?;
    Ok(0)
}

/// The full list after a change; changed files lie below the amendment.
fn rules_list(
    folder: &Folder,
    ledger: &Ledger,
    dir: &str,
    files: &RulesFiles,
    batch: &mut Batch,
) -> Result<RulesList, Fault> {
    let old = folder.record(&ledger.rules_path, RulesList::parse)?;
    let mut entries = Vec::new();
    for entry in old.entries {
        match files.get(entry.name()) {
            Some(text) if hash::text_hash(text) != entry.hash => {
                let path = format!("{dir}/rules/{}", entry.name());
                batch.record(path.clone(), &**text);
                entries.push(RulesEntry { hash: hash::text_hash(text), path });
            }
            _ => entries.push(entry),
        }
    }
    Ok(RulesList::new(entries))
}
