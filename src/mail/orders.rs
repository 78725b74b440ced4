//! Order files in a mail, wherever its program put them: attached, typed, between the
//! quoted lines of the form that came back.

use super::above::{typed_above, under_header};
use super::form::{form_of, is_untouched, rejoin};
use super::letter::{Letter, Part};
use super::tidy;

/// The keys of an order file's header.
const KEYS: [&str; 6] = ["game", "phase", "player", "head", "ticket", "final"];
/// How a signature beside an attached order file is named.
const SIGNATURE: &str = ".sig";
/// The first line of an SSH signature.
const ARMOUR: &str = "-----BEGIN SSH SIGNATURE-----";
const ARMOUR_END: &str = "-----END SSH SIGNATURE-----";

/// The form that a player was sent, by game, phase and player of a header.
pub type Forms<'a> = &'a dyn Fn(&str, u32, &str) -> Option<String>;

/// An order file found in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A name for faults: the attachment's, or where it stood.
    pub name: String,
    /// The file, readable as TOML if it can be made so.
    pub text: String,
    /// The bytes that a signature could be of, likeliest first.
    pub signed: Vec<Vec<u8>>,
    /// An SSH signature that came with it.
    pub signature: Option<String>,
    /// What was changed to read it, in words for the receipt.
    pub changed: Vec<String>,
}

/// What a mail holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Order files, in the order in which they count.
    Orders(Vec<Found>),
    /// The form of a call, quoted and untouched: talk, no orders.
    Quoted(Found),
    /// The form of a call, untouched and not quoted as far as anybody can see: the
    /// defaults, or talk above a form that its program quotes without marks.
    Unchanged(Found),
    /// Nothing that looks like orders.
    Nothing,
}

/// The games that the order files of a letter name, quoted ones included.
pub fn named_games(letter: &Letter) -> Vec<String> {
    let mut games = games_in(&letter.body.text);
    for file in &letter.files {
        games.extend(games_in(&file.text));
    }
    games.sort();
    games.dedup();
    games
}

/// The games that the headers in a text name.
pub fn games_in(text: &str) -> Vec<String> {
    let (text, _) = tidy::always(text);
    let lines = text.lines().map(|line| unquote(line).1);
    let value = |line: &str| {
        let value = line.split(['=', '\u{ff1d}']).nth(1)?.split('#').next()?;
        let plain = value.chars().map(plain_letter);
        Some(plain.filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect::<String>())
    };
    lines.filter(|line| key(line) == Some("game")).filter_map(value).collect()
}

/// A candidate and how it compares with the form it was made from.
struct Candidate {
    found: Found,
    /// In so many quotes or forwarded mails; 0 is what the sender wrote.
    depth: usize,
    attached: bool,
    /// Every line of it stands in the form as it was sent.
    untouched: bool,
}

/// Finds the order files of a letter. What the sender attached or wrote counts before
/// what is quoted; a quoted form without a change is no order.
pub fn find(letter: &Letter, forms: Forms<'_>) -> Contents {
    let mut all = Vec::new();
    for file in &letter.files {
        if !file.name.as_deref().is_some_and(|name| name.ends_with(SIGNATURE)) {
            attached(letter, file, forms, &mut all);
        }
    }
    let body = &letter.body;
    for block in blocks(&body.text) {
        candidate(body, "the text of the mail", &block, forms, false, &mut all);
    }
    above(&body.text, &mut all);
    choose(all)
}

/// Orders typed above the form that came back, quoted or attached, with its header.
fn above(text: &str, all: &mut Vec<Candidate>) {
    let Some(mut typed) = typed_above(text) else { return };
    if all.iter().any(|c| c.depth == 0 && !c.attached) {
        return;
    }
    let Some(form) = all.iter().min_by_key(|c| (c.attached, c.depth)) else { return };
    let mut found = form.found.clone();
    cut_tail(&mut typed);
    let (text, more) = tidy::as_toml(&under_header(&found.text, &typed));
    found.signed = vec![text.clone().into_bytes()];
    found.text = text;
    found.changed.push("orders above the form taken under its header".to_owned());
    found.changed.extend(more);
    all.push(Candidate { found, depth: 0, attached: false, untouched: false });
}

fn choose(all: Vec<Candidate>) -> Contents {
    let lowest = |wanted: &dyn Fn(&Candidate) -> bool| {
        all.iter().filter(|c| wanted(c)).map(|c| c.depth).min()
    };
    let files = |c: &Candidate| c.attached && !c.untouched;
    let typed = |c: &Candidate| !c.attached && !c.untouched;
    let bare_file = |c: &Candidate| c.attached && c.depth == 0;
    let ways: [&dyn Fn(&Candidate) -> bool; 3] = [&files, &typed, &bare_file];
    for wanted in ways {
        let Some(depth) = lowest(wanted) else { continue };
        let take = |c: &&Candidate| wanted(c) && c.depth == depth;
        let mut taken: Vec<Found> = all.iter().filter(take).map(|c| c.found.clone()).collect();
        taken.dedup_by(|a, b| a.text == b.text);
        let left = all.iter().any(|c| {
            typed(c) && c.depth == 0 && !taken.iter().any(|found| found.text == c.found.text)
        });
        if left {
            for found in &mut taken {
                found.changed.push("orders typed in the mail left out: the file counts".to_owned());
            }
        }
        return Contents::Orders(taken);
    }
    match all.into_iter().min_by_key(|candidate| candidate.depth) {
        Some(candidate) if candidate.depth == 0 => Contents::Unchanged(candidate.found),
        Some(candidate) => Contents::Quoted(candidate.found),
        None => Contents::Nothing,
    }
}

fn attached(letter: &Letter, file: &Part, forms: Forms<'_>, all: &mut Vec<Candidate>) {
    let name = file.name.as_deref().unwrap_or("the attached text");
    let (text, changed) = tidy::always(&file.text);
    let quoted = text.lines().any(|line| line.starts_with('>'));
    if quoted || file.depth > 0 {
        for block in blocks(&text) {
            candidate(file, name, &block, forms, true, all);
        }
        return;
    }
    let keys: Vec<&str> = text.lines().filter_map(key).collect();
    if !(keys.contains(&"ticket") || keys.contains(&"game") && keys.contains(&"player")) {
        return;
    }
    let mut said = file.changed.clone();
    said.extend(changed);
    let (text, more) = tidy::as_toml(&text);
    said.extend(more);
    let form = form_of(&text, forms);
    let untouched = form.as_deref().is_some_and(|form| is_untouched(text.lines(), form));
    let beside = format!("{name}{SIGNATURE}");
    let signature = letter
        .files
        .iter()
        .find(|f| f.name.as_deref() == Some(&beside))
        .or_else(|| letter.files.iter().find(|f| f.text.trim_start().starts_with(ARMOUR)))
        .map(|f| f.text.clone());
    let found = Found {
        name: name.to_owned(),
        signed: vec![file.raw.clone(), file.text.clone().into_bytes()],
        text,
        signature,
        changed: said,
    };
    all.push(Candidate { found, depth: file.depth, attached: true, untouched });
}

fn candidate(
    part: &Part,
    name: &str,
    block: &Block,
    forms: Forms<'_>,
    attached: bool,
    all: &mut Vec<Candidate>,
) {
    let mut said = part.changed.clone();
    said.extend(block.changed.iter().cloned());
    let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
    let form = form_of(&lines.join("\n"), forms);
    let (lines, joined) = match &form {
        Some(form) => rejoin(&lines, form),
        None => (block.lines.clone(), false),
    };
    if joined {
        said.push("broken lines of the form joined".to_owned());
    }
    let untouched =
        form.as_deref().is_some_and(|form| is_untouched(lines.iter().map(String::as_str), form));
    let mut lines = lines;
    if cut_tail(&mut lines) {
        said.push("text below the orders left out".to_owned());
    }
    let text = lines.join("\n") + "\n";
    let (text, more) = tidy::as_toml(&text);
    said.extend(more);
    let depth = part.depth + block.depth;
    if block.quoted {
        said.push("`>` quoting removed".to_owned());
    }
    let mut once: Vec<String> = Vec::new();
    for change in said {
        if !once.contains(&change) {
            once.push(change);
        }
    }
    let found = Found {
        name: name.to_owned(),
        signed: vec![text.clone().into_bytes()],
        text,
        signature: block.signature.clone(),
        changed: once,
    };
    all.push(Candidate { found, depth, attached, untouched });
}

/// A run of lines that begins with a header.
#[derive(Debug)]
struct Block {
    lines: Vec<String>,
    depth: usize,
    /// True if marks were taken off.
    quoted: bool,
    changed: Vec<String>,
    signature: Option<String>,
}

/// The header key of a line.
pub(super) fn key(line: &str) -> Option<&'static str> {
    let word = line.split(['=', '\u{ff1d}']).next().filter(|word| word.len() < line.len())?;
    let word: String = word.trim().chars().map(plain_letter).collect();
    // A telephone writes `Game`: found here, so that its player hears what is wrong.
    let word = word.to_ascii_lowercase();
    KEYS.iter().find(|key| **key == word).copied()
}

pub(super) fn plain_letter(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

/// A line without its `>` marks, and how many there were.
pub(super) fn unquote(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    loop {
        let bare = if depth == 0 { rest } else { rest.strip_prefix(' ').unwrap_or(rest) };
        match bare.strip_prefix('>') {
            Some(inner) => {
                depth += 1;
                rest = inner;
            }
            None => return (depth, if depth == 0 { line } else { bare }),
        }
    }
}

/// True for a line after which a program puts the mail that is answered or forwarded,
/// without marks: `-----Original Message-----` in any language, or a run of `_`.
fn starts_original(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim();
    if line.starts_with(ARMOUR) || line.starts_with("-----BEGIN") || line.starts_with("-----END") {
        return false;
    }
    let dashed = line.len() > 10
        && line.starts_with("-----")
        && line.ends_with("-----")
        && line.chars().any(char::is_alphabetic);
    if dashed || line == "Begin forwarded message:" {
        return true;
    }
    // From:, Sent:, To:, Subject: in whatever language: four short `word: ...` lines.
    let field = |line: &&str| {
        let line = line.trim().trim_start_matches('*');
        line.split_once(':').is_some_and(|(word, rest)| {
            !word.is_empty()
                && word.chars().count() < 12
                && !word.contains(['=', '#', '[', '"'])
                && (rest.is_empty() || rest.starts_with([' ', '*', '\u{a0}']))
        })
    };
    let rule = line.len() >= 10 && line.chars().all(|c| c == '_');
    let head = if rule { at + 1 } else { at };
    let next: Vec<&&str> =
        lines[head..].iter().skip_while(|l| rule && l.trim().is_empty()).take(4).collect();
    let starts = next.first().is_some_and(|line| line.contains('@'))
        || next.iter().take(2).any(|line| line.contains('@'));
    next.len() == 4 && starts && next.iter().all(|line| field(line))
}

/// Splits a text into the blocks that begin with a header of an order file.
fn blocks(text: &str) -> Vec<Block> {
    let (text, said) = tidy::always(text);
    let raw: Vec<&str> = text.lines().collect();
    let plain: Vec<(usize, &str)> = raw.iter().map(|line| unquote(line)).collect();
    let bare: Vec<&str> = plain.iter().map(|(_, line)| *line).collect();
    let mut out: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut keys: Vec<&str> = Vec::new();
    let mut under = 0;
    let mut tables = false;
    for (at, (marks, line)) in plain.iter().enumerate() {
        if starts_original(&bare, at) {
            under += 1;
            out.extend(open.take());
        }
        let depth = marks + under;
        // A mail's own signature ends what stands above it.
        if line.trim_end() == "--" || line.starts_with("-----BEGIN PGP SIGNATURE") {
            if depth <= open.as_ref().map_or(0, |block| block.depth) {
                out.extend(open.take());
            }
            continue;
        }
        let found = key(line).filter(|_| line.trim_start().len() == line.len() || !tables);
        let again = found == Some("game") && keys.contains(&"game");
        if let Some(word) = found
            && (open.is_none() || again)
        {
            out.extend(open.take());
            (keys, tables) = (vec![word], false);
            open = Some(Block {
                lines: vec![(*line).to_owned()],
                depth,
                quoted: *marks > 0,
                changed: said.clone(),
                signature: None,
            });
            continue;
        }
        let Some(block) = &mut open else { continue };
        if depth > block.depth {
            continue;
        }
        keys.extend(found);
        tables |= line.trim_start().starts_with('[');
        block.quoted |= *marks > 0;
        block.lines.push((*line).to_owned());
    }
    out.extend(open);
    for block in &mut out {
        take_signature(block);
    }
    out.retain(|block| {
        let keys: Vec<&str> = block.lines.iter().filter_map(|line| key(line)).collect();
        keys.contains(&"ticket") || keys.contains(&"game") && keys.contains(&"player")
    });
    out
}

/// Moves an SSH signature below the orders out of them.
fn take_signature(block: &mut Block) {
    let Some(start) = block.lines.iter().position(|line| line.trim() == ARMOUR) else { return };
    let end = block.lines[start..].iter().position(|line| line.trim() == ARMOUR_END);
    let Some(end) = end.map(|end| start + end) else { return };
    let armour: Vec<String> = block.lines.drain(start..=end).collect();
    let trimmed: Vec<&str> = armour.iter().map(|line| line.trim()).collect();
    block.signature = Some(trimmed.join("\n") + "\n");
}

/// True for a line that can stand in an order file outside brackets.
pub(super) fn is_toml(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return true;
    }
    let name = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .map(plain_letter)
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    if let Some(inner) = line.strip_prefix('[') {
        let inner = inner.split('#').next().unwrap_or_default().trim_end();
        let inner = inner.strip_prefix('[').unwrap_or(inner);
        return name(inner.trim_end_matches(']').trim()) && inner.ends_with(']');
    }
    line.split_once(['=', '\u{ff1d}']).is_some_and(|(word, _)| name(word.trim()))
}

/// Drops what stands below the last line of orders: attributions, greetings,
/// disclaimers. What stands between orders stays, for a fault that shows it.
fn cut_tail(lines: &mut Vec<String>) -> bool {
    let last = lines.iter().rposition(|line| is_toml(line) && !line.trim().is_empty());
    let Some(mut last) = last else { return false };
    // A value over several lines ends with its bracket.
    let deep = |lines: &[String]| {
        lines.iter().filter(|l| !l.trim_start().starts_with('#')).fold(0_i64, |depth, line| {
            depth + line.chars().fold(0, |d, c| d + i64::from(c == '[') - i64::from(c == ']'))
        })
    };
    while deep(&lines[..=last]) > 0 && last + 1 < lines.len() {
        last += 1;
    }
    let quotes = lines[..=last].iter().map(|line| line.matches("\"\"\"").count()).sum::<usize>();
    if quotes % 2 == 1
        && let Some(end) = lines[last + 1..].iter().position(|line| line.contains("\"\"\""))
    {
        last += 1 + end;
    }
    let words = lines[last + 1..].iter().any(|line| !line.trim().is_empty());
    lines.truncate(last + 1);
    words
}
