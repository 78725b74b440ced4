//! The order form of a player, filled in: sent back unchanged it means the defaults.

use std::fmt::Write as _;

use serde::Serialize;

use crate::core::id::Id;
use crate::core::template::{Template, TemplateError, normal, wrap};
use crate::game::FormHeader;

use super::check::most_false;
use super::data::{Army, Data};
use super::manoeuvre::March;
use super::state::{Behind, Formation, Order, Presence, State, Unit, Window};
use super::table::{Table, mounted};
use super::understood::fire_words;

#[derive(Debug, Serialize)]
struct Model<'a> {
    title: &'a str,
    heading: String,
    default: Vec<String>,
    game: String,
    phase: u32,
    player: String,
    head: &'a str,
    ticket: &'a str,
    window: &'static str,
    army: &'static str,
    deploys: bool,
    orders: bool,
    moves: bool,
    zone: String,
    falses: u32,
    generals: Vec<String>,
    units: Vec<UnitModel>,
    markers: Vec<String>,
    plan: Vec<String>,
}

#[derive(Debug, Serialize)]
struct UnitModel {
    head: String,
    facts: Vec<String>,
    example: Vec<String>,
}

/// What happens to those who write nothing.
pub fn default_words(data: &Data, state: &State) -> String {
    match state.window {
        Window::Muster => "the dice are rolled; nobody writes anything".to_owned(),
        Window::Deploy => "they stand where the scenario has them".to_owned(),
        Window::End => "the game is over".to_owned(),
        Window::Orders if !state.window.has_mahdist(data.cadence) => {
            "generals stay and orders stand".to_owned()
        }
        _ => "generals stay and orders stand; HOLD and MOVE stay where they are, ATTACK closes \
              with the nearest enemy; everybody fires by his fire plan"
            .to_owned(),
    }
}

/// How broad and how deep a unit stands.
fn frontage(data: &Data, unit: &Unit) -> String {
    let size = super::table::size_of(data, unit);
    let broad = (2 * super::lay::half_front(data, unit)).max(size.front);
    let deep = super::lay::depth(data, unit);
    format!("stands {} broad and {} deep", data.inches(broad), data.inches(deep))
}

/// Facts about one unit, for forms and answers.
pub fn unit_facts(table: &Table<'_>, index: usize) -> Vec<String> {
    let data = table.data;
    let unit = &table.state.units[index];
    let mut out = Vec::new();
    let gap = match unit.presence {
        Presence::Table => table.unit_gap(index),
        _ => table.nearest_of(unit.army().enemy(), unit.anchor).map(|(d, _)| d),
    };
    out.push(frontage(data, unit));
    let march = March::new(table, index);
    let mut moves = vec![format!("moves {}", data.inches(march.rate))];
    if unit.formation == Formation::Battle && march.rate > 0 {
        let half = super::lay::half_front(data, unit);
        moves.push(format!("retires {}", data.inches(march.rate / 2)));
        if half > 0 {
            moves.push(format!(
                "45 degrees of wheel cost {}",
                data.inches(super::lay::arc(half, 45))
            ));
        }
    }
    if march.rate > 0 {
        out.push(moves.join(", "));
    }
    let near = gap.map_or("no visible enemy".to_owned(), |g| {
        format!("nearest visible enemy {} inches", data.inches(g))
    });
    out.push(near);
    if let Some(general) = table.state.general(&unit.general) {
        let distance = general.at.distance(unit.anchor);
        let reach = match unit.army() {
            Army::Mahdist => data.distances.command_mahdist,
            Army::AngloEgyptian => data.distances.command_regular,
        };
        let how = if distance <= reach {
            "obeys at once".to_owned()
        } else {
            format!("obeys on {}+", data.obey.needs(unit.troop.nation()))
        };
        out.push(format!("{} is {} away: {how}", general.id, data.inches(distance)));
    }
    if table.state.units[index].on_table() && table.engaged(index) {
        out.push("in contact: it fights, and does not move".to_owned());
    }
    out.push(fire_words(&unit.fire));
    out
}

fn head(data: &Data, unit: &Unit) -> String {
    let place = match &unit.presence {
        Presence::Marker(m) => format!(" under marker {m}"),
        Presence::Table | Presence::Waiting => String::new(),
    };
    let rifles = unit.standing().filter(|(_, b)| b.rifles).count();
    let rifles = if rifles > 0 { format!(" ({rifles} rifles)") } else { String::new() };
    let horse = if unit.troop.arm() == super::data::Arm::Cavalry && !mounted(unit) {
        " on foot"
    } else {
        ""
    };
    format!(
        "{} {}{horse}: {} of {} bases{rifles}, {}, {}, front at {} facing {}{place}",
        unit.id,
        data.troop(unit.troop).name,
        unit.strength(),
        unit.bases.len(),
        unit.order.word(),
        unit.formation.word(),
        data.spot(unit.anchor),
        unit.facing.degrees()
    )
}

/// An order that this unit could be given now, as an example.
fn example(data: &Data, state: &State, unit: &Unit) -> Vec<String> {
    let window = state.window;
    let id = &unit.id;
    if window == Window::Deploy {
        return vec![
            "[[deploy]]".to_owned(),
            format!("unit = \"{id}\""),
            format!("at = {}", data.spot(unit.anchor)),
            format!("facing = {}", unit.facing.degrees()),
            format!("formation = \"{}\"", unit.formation.word()),
            format!("order = \"{}\"", unit.order.word()),
        ];
    }
    let moves = match unit.army() {
        Army::Mahdist => window.has_mahdist(data.cadence),
        Army::AngloEgyptian => window.has_action(),
    };
    if !moves || unit.troop == super::data::Troop::MahdistArtillery {
        return Vec::new();
    }
    let steps = match (unit.order, unit.formation) {
        (Order::Hold, Formation::Column) => "\"form battle\"",
        (Order::Hold, _) if super::manoeuvre::may_hold_charge(unit) => "\"charge nearest\"",
        (Order::Hold, _) => "\"wheel left 30\"",
        (Order::Attack, _) => "\"charge nearest\"",
        _ => "\"wheel right 15\", \"advance 2.5\"",
    };
    vec!["[[move]]".to_owned(), format!("unit = \"{id}\""), format!("do = [{steps}]")]
}

/// The form of a player, from his view.
///
/// # Errors
/// A template that cannot be rendered.
pub fn form(data: &Data, state: &State, header: &FormHeader) -> Result<String, TemplateError> {
    let table = Table::new(data, state);
    let name = "templates/form.toml.j2";
    let template = Template::new(name, data.files.get(name).map_or("", |text| &**text))?;
    let player: &Id = &header.player;
    let army = state.army(player).unwrap_or(Army::Mahdist);
    let leads = |general: &str| state.leader(general) == Some(player);
    let window = state.window;
    let moves = match army {
        Army::Mahdist => window.has_mahdist(data.cadence),
        Army::AngloEgyptian => window.has_action(),
    };
    let zones = data.scenario.zones.iter().filter(|z| z.army == army);
    let zone: Vec<String> =
        zones.map(|z| format!("{} to {}", data.spot(z.from), data.spot(z.to))).collect();
    let units = state
        .units
        .iter()
        .enumerate()
        .filter(|(_, u)| leads(&u.general) && u.strength() > 0)
        .map(|(index, unit)| UnitModel {
            head: head(data, unit),
            facts: if window == Window::Deploy {
                vec![frontage(data, unit)]
            } else {
                unit_facts(&table, index)
            },
            example: example(data, state, unit),
        })
        .collect();
    let generals = state
        .generals
        .iter()
        .filter(|g| g.here && leads(&g.id))
        .map(|g| {
            let with = g.attached.as_ref().map_or(String::new(), |b| format!(", with {b}"));
            format!("{} ({}) at {}{with}", g.id, g.name, data.spot(g.at))
        })
        .collect();
    let markers = state
        .markers
        .iter()
        .filter(|m| leads(&m.general))
        .filter_map(|m| {
            let what = match &m.behind {
                Behind::Unit(_) => return None,
                Behind::Nothing => "a false marker".to_owned(),
                Behind::Random(list) if list.is_empty() => {
                    "an arrival: nothing is behind it".to_owned()
                }
                Behind::Random(list) => format!("an arrival: {} unit(s)", list.len()),
                Behind::Unseen => "an arrival: nobody knows what is behind it".to_owned(),
            };
            let slow = if m.under_fire { ", under fire: 3 inches" } else { "" };
            Some(format!("{} at {}, {what}{slow}", m.id, data.spot(m.at)))
        })
        .collect();
    let plan = super::map::draw(&table);
    let model = Model {
        title: &data.scenario.info.title,
        heading: format!("{}, {}", super::report::heading(data, state), window.title(data.cadence)),
        default: wrap(&default_words(data, state), 0, 0, 68).lines().map(str::to_owned).collect(),
        game: header.game.to_string(),
        phase: header.phase,
        player: player.to_string(),
        head: &header.head,
        ticket: &header.ticket,
        window: window.id(),
        army: army.id(),
        deploys: window == Window::Deploy,
        orders: window.has_orders(),
        moves,
        zone: zone.join(" or "),
        falses: most_false(data, state, leads).0,
        generals,
        units,
        markers,
        plan: plan.lines().map(str::to_owned).collect(),
    };
    let mut text = String::new();
    let _ = write!(text, "{}", normal(&template.render(&model)?));
    Ok(text)
}
