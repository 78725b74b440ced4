//! Players who write lawful orders at random, of every kind.

use std::fmt::Write as _;

use despatch::bugles::data::{Army, Data};
use despatch::bugles::state::{Behind, Formation, Order, Presence, State, Unit, Window};
use despatch::core::id::Id;

/// A small generator of numbers (xorshift): the same on every machine.
#[derive(Clone, Debug)]
pub struct Luck(u64);

impl Luck {
    pub fn new(seed: u64) -> Self {
        let mut luck = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
        for _ in 0..8 {
            luck.next();
        }
        luck
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n.max(1)
    }

    pub fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let n = self.below(list.len() as u64);
        list.get(usize::try_from(n).unwrap())
    }

    pub fn hex64(&mut self) -> String {
        [(); 4].map(|()| format!("{:016x}", self.next())).concat()
    }
}

/// What a random player leans to.
#[derive(Clone, Copy, Debug)]
pub struct Leaning {
    /// Per cent of the units that he orders something.
    pub busy: u64,
    /// Per cent of the time that he plays as the tactics notes say.
    pub tactics: u64,
}

fn inches(n: i64) -> String {
    format!("{}.{:02}", n / 100, n % 100)
}

fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap()
}

/// An order file without a header.
pub fn orders(data: &Data, view: &State, player: &Id, luck: &mut Luck, leaning: Leaning) -> String {
    let army = view.army(player).unwrap();
    let whole_side = view.seats.iter().filter(|s| s.side == army.id()).count() == 1;
    if whole_side && luck.percent(leaning.tactics) {
        return despatch::bugles::tactics::orders(data, view, army);
    }
    let mut out = String::new();
    let leads = |general: &str| view.leader(general) == Some(player);
    let units: Vec<&Unit> =
        view.units.iter().filter(|u| leads(&u.general) && u.strength() > 0).collect();
    match view.window {
        Window::Deploy => deploy(data, view, army, &units, luck, &mut out),
        Window::Muster | Window::End => {}
        _ => {
            if view.window.has_orders() {
                command(data, view, player, &units, luck, leaning, &mut out);
            }
            let moves = match army {
                Army::Mahdist => view.window.has_mahdist(data.cadence),
                Army::AngloEgyptian => view.window.has_action(),
            };
            if moves {
                for unit in &units {
                    if luck.percent(leaning.busy) {
                        manoeuvre(data, view, unit, luck, &mut out);
                    }
                }
                markers(data, view, player, luck, &mut out);
            }
            for unit in &units {
                if luck.percent(leaning.busy / 5) {
                    fire(data, view, unit, luck, &mut out);
                }
            }
        }
    }
    out
}

fn deploy(
    data: &Data,
    view: &State,
    army: Army,
    units: &[&Unit],
    luck: &mut Luck,
    out: &mut String,
) {
    let Some(zone) = data.scenario.zones.iter().find(|z| z.army == army) else { return };
    // A unit or two somewhere else in the zone, where there is room beside the others.
    for unit in units.iter().take(2) {
        if !luck.percent(40) {
            continue;
        }
        let x = zone.from.x
            + 700
            + whole(luck.below(u64::try_from(zone.to.x - zone.from.x - 1400).unwrap()));
        let y = zone.from.y
            + 500
            + whole(luck.below(u64::try_from((zone.to.y - zone.from.y - 1000).max(1)).unwrap()));
        let facing = luck.below(360);
        let mut text = format!(
            "[[deploy]]\nunit = \"{}\"\nat = [{}, {}]\nfacing = {facing}\norder = \"HOLD\"\n",
            unit.id,
            inches(x),
            inches(y)
        );
        if luck.percent(30) {
            text.push_str("formation = \"column\"\n");
        }
        if sound(data, view, &unit.general, out, &text) {
            out.push_str(&text);
        }
    }
    if army == Army::Mahdist && luck.percent(60) {
        let x = zone.from.x + whole(luck.below(u64::try_from(zone.to.x - zone.from.x).unwrap()));
        let text = format!("[[false]]\nat = [{}, {}]\n", inches(x), inches(zone.to.y - 100));
        if let Some(unit) = units.first()
            && sound(data, view, &unit.general, out, &text)
        {
            out.push_str(&text);
        }
    }
}

/// True where a further order passes the check with those before it: what no player can
/// see at a glance (room in the zone) is tried.
fn sound(data: &Data, view: &State, general: &str, before: &str, text: &str) -> bool {
    let Some(player) = view.leader(general) else { return false };
    let source = despatch::core::source::Source::new("try.toml", &format!("{before}{text}"));
    let writer = despatch::bugles::check::Writer::Player(player);
    despatch::bugles::check::plan(data, view, writer, &source).0.refusals.is_empty()
}

fn command(
    data: &Data,
    view: &State,
    player: &Id,
    units: &[&Unit],
    luck: &mut Luck,
    leaning: Leaning,
    out: &mut String,
) {
    let table = data.scenario.table;
    for general in view.generals.iter().filter(|g| g.here && view.leader(&g.id) == Some(player)) {
        if luck.percent(25) {
            let dx = whole(luck.below(1000)) - 500;
            let dy = whole(luck.below(1000)) - 500;
            let x = (general.at.x + dx).clamp(0, table.x);
            let y = (general.at.y + dy).clamp(0, table.y);
            let _ = write!(
                out,
                "[[general]]\ngeneral = \"{}\"\nto = [{}, {}]\n",
                general.id,
                inches(x),
                inches(y)
            );
        } else if general.macdonald || luck.percent(10) {
            let near =
                units.iter().filter(|u| u.on_table() && u.general == general.id).flat_map(|u| {
                    u.standing().map(|(n, b)| (general.at.distance(b.at), u.base_id(n), u.troop))
                });
            let near = near.filter(|(d, _, troop)| {
                *d <= 800
                    && (!general.macdonald
                        || *troop == despatch::bugles::data::Troop::SudaneseInfantry)
            });
            if let Some((_, base, _)) = near.min_by_key(|(d, id, _)| (*d, id.clone())) {
                let _ =
                    write!(out, "[[general]]\ngeneral = \"{}\"\nattach = \"{base}\"\n", general.id);
            }
        }
    }
    for unit in units {
        if !luck.percent(leaning.busy / 2)
            || unit.troop == despatch::bugles::data::Troop::MahdistArtillery
        {
            continue;
        }
        let to = match (luck.below(4), unit.formation) {
            (0 | 1, Formation::Battle) => "to = \"ATTACK\"\n",
            (2, _) => "to = \"HOLD\"\n",
            (3, _) if luck.percent(40) => "to = \"MOVE\"\nwithdraw = true\n",
            _ => "to = \"MOVE\"\n",
        };
        let only_if = if luck.percent(15) { "if = \"enemy within 15\"\n" } else { "" };
        let _ = write!(out, "[[change]]\nunit = \"{}\"\n{to}{only_if}", unit.id);
    }
}

fn manoeuvre(data: &Data, view: &State, unit: &Unit, luck: &mut Luck, out: &mut String) {
    if unit.troop == despatch::bugles::data::Troop::MahdistArtillery {
        return;
    }
    let troop = data.troop(unit.troop);
    let rate = match unit.formation {
        Formation::Battle => troop.line,
        Formation::Column => troop.column,
    };
    let table = data.scenario.table;
    let by = luck.below(60) + 1;
    let side = if luck.percent(50) { "left" } else { "right" };
    let go = inches(10 + whole(luck.below(u64::try_from(rate - 10).unwrap())));
    let to = format!(
        "move to [{}, {}]",
        inches(whole(luck.below(u64::try_from(table.x).unwrap()))),
        inches(whole(luck.below(u64::try_from(table.y).unwrap())))
    );
    let wheel = format!("wheel {side} {by}");
    let regular_horse = troop.dismounted.is_some();
    // An order may change in the same file: what is written fits each that it may have.
    let steps: Vec<String> = match (unit.order, unit.formation) {
        (Order::Hold, Formation::Column) => vec!["form battle".to_owned()],
        (Order::Hold, Formation::Battle) => match luck.below(5) {
            0 => vec!["form column".to_owned()],
            1 if regular_horse => {
                vec![if unit.dismounted { "mount" } else { "dismount" }.to_owned()]
            }
            2 if despatch::bugles::manoeuvre::may_hold_charge(unit) => {
                vec!["charge nearest".to_owned()]
            }
            3 => vec!["about face".to_owned()],
            _ => vec![wheel],
        },
        (Order::Attack, _) => match luck.below(4) {
            0 => vec![wheel, "advance".to_owned()],
            1 => vec![format!("advance {go}")],
            _ => vec!["charge nearest".to_owned()],
        },
        (_, Formation::Column) => match luck.below(4) {
            0 => vec![wheel, format!("advance {go}")],
            1 => vec!["about face".to_owned()],
            _ => vec![to],
        },
        (_, Formation::Battle) => match luck.below(5) {
            0 => vec![format!(
                "retire {}",
                inches(10 + whole(luck.below(u64::try_from(rate / 2 - 10).unwrap())))
            )],
            1 => vec![wheel, "advance".to_owned()],
            2 => vec!["about face".to_owned()],
            _ => vec![to],
        },
    };
    let forms = steps.iter().any(|s| s.starts_with("form") || s.ends_with("mount"));
    let steps: Vec<String> = steps.into_iter().map(|s| format!("\"{s}\"")).collect();
    let mut do_line = format!("do = [{}]\n", steps.join(", "));
    let mut act_line = String::new();
    if unit.army() == Army::AngloEgyptian && luck.percent(30) {
        let british = unit.troop.nation() == despatch::bugles::data::Nation::British;
        let acts: &[&str] = if forms {
            &["move"]
        } else if british {
            &["move", "fire", "fire-then-move", "move-then-fire"]
        } else {
            &["move", "fire"]
        };
        let act = luck.pick(acts).unwrap();
        act_line = format!("act = \"{act}\"\n");
        if *act == "fire" {
            do_line.clear();
        }
    }
    let _ = write!(out, "[[move]]\nunit = \"{}\"\n{do_line}{act_line}", unit.id);
    if luck.percent(15) {
        let when = luck
            .pick(&["no enemy within 8", "in contact", "under fire", "enemy within 12.5"])
            .unwrap();
        let _ = writeln!(out, "if = \"{when}\"");
    }
    let _ = view;
}

fn markers(data: &Data, view: &State, player: &Id, luck: &mut Luck, out: &mut String) {
    for marker in &view.markers {
        if view.leader(&marker.general) != Some(player) {
            continue;
        }
        if let Behind::Unit(unit) = &marker.behind {
            let hidden = view.unit(unit).is_some_and(|u| u.presence != Presence::Table);
            if hidden && luck.percent(5) {
                let _ = write!(out, "[[reveal]]\nmarker = \"{}\"\n", marker.id);
            }
            continue;
        }
        if luck.percent(70) {
            let x = whole(luck.below(u64::try_from(data.scenario.table.x).unwrap()));
            let y = whole(luck.below(u64::try_from(data.scenario.table.y).unwrap()));
            let _ = write!(
                out,
                "[[move]]\nmarker = \"{}\"\ndo = [\"move to [{}, {}]\"]\n",
                marker.id,
                inches(x),
                inches(y)
            );
        }
    }
}

fn fire(data: &Data, view: &State, unit: &Unit, luck: &mut Luck, out: &mut String) {
    let armed = unit.standing().any(|(n, _)| {
        despatch::bugles::table::values_of(data, unit, n).fire.iter().any(|v| *v > 0)
    });
    if !armed {
        return;
    }
    let wish =
        luck.pick(&["nearest", "cavalry", "rifles", "infantry", "guns", "in-contact"]).unwrap();
    let n = luck.below(3) + 1;
    let markers = if luck.percent(60) { "markers = true\n" } else { "" };
    let hold = if luck.percent(5) { "hold = true\n" } else { "" };
    let _ = write!(
        out,
        "[[fire]]\nunit = \"{}\"\nat = [\"{wish}\", \"nearest\"]\nper_target = {n}\n{markers}{hold}",
        unit.id
    );
    let _ = view;
}
