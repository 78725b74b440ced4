//! `verify`: the ledger and the dice; with `--replay` every rule again.

use std::path::Path;

use super::continues::{Compared, compare};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::replay::{Replayed, replay};
use crate::bundle_dir::DirBundle;
use crate::cli::VerifyArgs;
use crate::core::hash::Hex64;
use crate::core::verify::{Options, Verification, explain_roll, verify};

/// Verifies a folder, or explains one roll.
pub fn run(desk: &mut Desk<'_>, args: &VerifyArgs) -> Result<u8, Fault> {
    let root = args.dir.as_ref().map_or_else(|| desk.game_dir(), |dir| desk.path(dir));
    if !root.is_dir() {
        return Err(Fault::input(
            format!("`{}` is no folder", root.display()),
            "name the folder of a game or an unpacked bundle",
        ));
    }
    if super::store::Store::is_unfinished(&root) {
        drop(desk.store.hold(&root)?);
    }
    if holds_no_record(&root) {
        return Err(Fault::input(
            format!("there is no game in `{}`", root.display()),
            "name the folder of a game or an unpacked bundle: it has an offer.txt",
        ));
    }
    let bundle = DirBundle::open(&root).map_err(Fault::file("read", &root))?;
    if let Some(label) = &args.roll {
        let by_hand = explain_roll(&bundle, label, args.phase).map_err(|e| {
            Fault::input(
                e.to_string(),
                "`despatch report --dice` lists the labels of a phase; --phase N says which phase",
            )
        })?;
        writeln!(desk.out, "{}", by_hand.to_string().trim_end())?;
        return Ok(0);
    }
    let head = args
        .head
        .as_ref()
        .map(|text| {
            Hex64::new(text.trim()).map_err(|e| {
                Fault::input(e.to_string(), "copy all 64 digits of the head from your last mail")
            })
        })
        .transpose()?;
    let found = verify(&bundle, head.as_ref(), &Options::default());
    let again =
        if args.replay && found.passed() { Some(again(desk, &root, &found)?) } else { None };
    let before = match &args.continues {
        Some(old) if found.passed() => Some(compare(desk, &root, old)?),
        _ => None,
    };
    tell(desk, &found, again.as_ref(), before.as_ref())
}

/// True where nothing looks like a game: a bundle that lost its offer is another
/// matter, which the verification tells.
fn holds_no_record(root: &Path) -> bool {
    let file = |name: &str| root.join(name).is_file();
    let folder = |name: &str| root.join(name).is_dir();
    !(["offer.txt", "genesis.txt", "rules.sha256", "close.txt"].into_iter().any(file)
        || folder("phase-001"))
}

fn again(desk: &mut Desk<'_>, root: &Path, found: &Verification) -> Result<Replayed, Fault> {
    let folder = Folder::open_at(desk, root)?;
    replay(desk, &folder, found)
}

fn tell(
    desk: &mut Desk<'_>,
    found: &Verification,
    again: Option<&Replayed>,
    before: Option<&Compared>,
) -> Result<u8, Fault> {
    let differs = again.is_some_and(|r| !r.differences.is_empty());
    let other = before.is_some_and(|b| !b.differences.is_empty());
    let code = u8::from(!found.passed() || differs || other);
    if desk.json {
        let mut value = serde_json::to_value(found).unwrap_or_default();
        if let Some(again) = again {
            value["replay"] = serde_json::json!({
                "phases": again.phases,
                "rolls": again.rolls,
                "differences": again.differences,
                "notices": again.notices,
            });
        }
        if let Some(before) = before {
            value["continues"] = serde_json::json!({
                "from": before.what,
                "differences": before.differences,
                "notices": before.notices,
            });
        }
        writeln!(desk.out, "{value}")?;
        return Ok(code);
    }
    if let Some(before) = before {
        for notice in &before.notices {
            writeln!(desk.out, "notice      {notice}")?;
        }
        for difference in &before.differences {
            writeln!(desk.out, "continues   {difference}")?;
        }
        let verdict = if other { "FAILED" } else { "ok" };
        writeln!(desk.out, "{:<12}{:<53} {verdict}", "continues", before.what)?;
    }
    if let Some(again) = again {
        for notice in &again.notices {
            writeln!(desk.out, "notice      {notice}")?;
        }
        for difference in &again.differences {
            writeln!(desk.out, "replay      {difference}")?;
        }
        let facts = format!("{} phases resolved again, {} rolls", again.phases, again.rolls);
        let verdict = if differs { "FAILED" } else { "ok" };
        writeln!(desk.out, "{:<12}{facts:<53} {verdict}", "replay")?;
    }
    let sound = if differs || other { Some(false) } else { again.map(|_| true) };
    write!(desk.out, "{}", found.render_after(sound))?;
    if other {
        writeln!(
            desk.out,
            "This game does not go on from the position of the game that its offer names."
        )?;
    }
    if differs {
        writeln!(
            desk.out,
            "The dice are as fixed, but the rules give other results than the referee published."
        )?;
    }
    Ok(code)
}
