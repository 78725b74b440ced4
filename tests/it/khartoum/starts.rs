//! Start positions of random games, from which rare things are near: a mined river, a
//! chain, Friendlies to be shipped, the Tomb, the Zariba, a last stand.

use despatch::game::Seat;
use despatch::geometry::hex::{Hex, Side};
use despatch::omdurman::data::{Army, Data};
use despatch::omdurman::state::{Note, Place, Score, State, Window};

use super::game_id;

/// A position, and what random games from it are held to see.
pub struct Start {
    pub name: &'static str,
    pub scenario: &'static str,
    options: &'static [&'static str],
    /// How many games the ordinary test run plays from here.
    pub games: u64,
    /// After how many phases they are broken off; 0 for never.
    pub phases: u32,
    /// What happens in some of them.
    pub sees: &'static [&'static str],
    turn: u32,
    moving: Army,
    window: Window,
    /// Hexes with who stands there.
    units: &'static [(&'static str, &'static str)],
    /// Who waits to enter.
    waiting: &'static str,
    notes: &'static [&'static str],
    eliminated: &'static str,
    breaches: &'static str,
    /// Anglo-Egyptian victory points so far.
    points: u32,
}

const NOTHING: Start = Start {
    name: "",
    scenario: "omdurman-campaign",
    options: &[],
    games: 3,
    phases: 0,
    sees: &[],
    turn: 5,
    moving: Army::AngloEgyptian,
    window: Window::Move,
    units: &[],
    waiting: "",
    notes: &[],
    eliminated: "",
    breaches: "",
    points: 0,
};

impl Start {
    /// The options of the scenario.
    pub fn options(&self) -> Vec<String> {
        self.options.iter().map(|o| (*o).to_owned()).collect()
    }

    /// The cadence of a game from here.
    pub fn cadence(seed: u64) -> &'static str {
        if seed % 3 == 2 { "strict" } else { "brisk" }
    }

    /// The position.
    pub fn state(&self, data: &Data, seats: &[Seat]) -> State {
        let mut state = State::initial(data, &game_id(), seats);
        for unit in &mut state.units {
            unit.place = Place::Out;
        }
        let mut put = |words: &str, place: &Place| {
            for word in words.split_whitespace() {
                let found = data.answering(word);
                assert!(!found.is_empty(), "{}: no unit {word}", self.name);
                for id in found {
                    state.units[usize::from(id.0)].place = place.clone();
                }
            }
        };
        put(self.waiting, &Place::Waiting);
        for (hex, words) in self.units {
            let hex = Hex::parse(hex).filter(|h| data.board.has(*h)).expect("a hex");
            put(words, &Place::At(hex));
        }
        put(self.eliminated, &Place::Eliminated("before".to_owned()));
        for side in self.breaches.split_whitespace() {
            state.breaches.insert(Side::parse(side).expect("a hexside"));
        }
        let owner = seats.iter().find(|s| s.side == "dervish").expect("a Dervish").player.clone();
        for (n, text) in self.notes.iter().enumerate() {
            state.river.notes.push(Note {
                owner: owner.clone(),
                phase: 1,
                text: (*text).to_owned(),
                salt: format!("{:064x}", 0xfeed + n),
                opened: false,
            });
        }
        if self.points > 0 {
            let (army, moving) = (Army::AngloEgyptian, Army::AngloEgyptian);
            let unit = data.find("fort-1").expect("a fort");
            state.score.push(Score { army, points: self.points, turn: 1, moving, unit });
        }
        (state.turn, state.moving, state.window) = (self.turn, self.moving, self.window);
        state
    }
}

/// All of them.
pub fn all() -> Vec<Start> {
    vec![
        Start {
            name: "a mined river",
            options: &["mines"],
            games: 6,
            phases: 16,
            sees: &["mine struck", "drifted"],
            units: &[
                ("2137", "sultan"),
                ("2237", "melik"),
                ("2337", "gunboat-1"),
                ("2437", "gunboat-2"),
                ("2336", "sheik"),
                ("2436", "fateh"),
                ("2140", "dervish-gunboat-1"),
                ("1010", "kitchener warwickshire"),
                ("0940", "khalifa taiasha-01..04"),
            ],
            notes: &["mine 2139", "mine 2239"],
            ..NOTHING
        },
        Start {
            name: "a chain",
            options: &["chain"],
            games: 4,
            phases: 16,
            sees: &["chained", "chain sunk"],
            units: &[
                ("2237", "sultan"),
                ("2337", "melik"),
                ("2336", "gunboat-1"),
                ("2436", "gunboat-2"),
                ("2140", "dervish-gunboat-1"),
                ("2240", "dervish-gunboat-2"),
                ("2037", "warwickshire seaforth royal-eng"),
                ("2038", "lincolnshire cameron"),
                ("2036", "32-battery"),
                ("1936", "kitchener 21-lancers"),
                ("1138", "khalifa taiasha-01..04"),
                ("1736", "mulazmin-01..04"),
                ("2539", "fort-1 jehadia-05..06"),
            ],
            notes: &["chain 2138 2238 2338 2438", "nothing"],
            ..NOTHING
        },
        Start {
            name: "Friendlies on the east bank",
            games: 4,
            phases: 40,
            sees: &["Isa killed", "loaded", "landed"],
            units: &[
                ("3416", "isa-zachneih"),
                ("3415", "friendlies-1..2"),
                ("3316", "friendlies-3..4"),
                ("3417", "friendlies-5"),
                ("3215", "gunboat-1"),
                ("3216", "sultan"),
                ("3115", "melik"),
                ("2713", "kitchener 1e"),
                ("2208", "jaalin-01..04"),
                ("2010", "baggara-01..04"),
                ("0940", "khalifa"),
                ("0941", "taiasha-01..04"),
                ("1041", "taiasha-05..08"),
                ("1541", "fort-1"),
            ],
            ..NOTHING
        },
        Start {
            name: "the Tomb",
            games: 8,
            sees: &["demolished", "breached"],
            turn: 21,
            points: 20,
            units: &[
                ("1240", "1b kitchener"),
                ("1241", "2b"),
                ("1540", "royal-eng hunter vii-egy"),
                ("1339", "32-battery maxim-batt-1"),
                ("1238", "gatacre"),
                ("1740", "friendlies-1..2"),
                ("1743", "sultan"),
                ("0940", "khalifa taiasha-05"),
                ("1041", "taiasha-01..04"),
                ("0941", "dervish-art-1"),
                ("1541", "fort-1"),
                ("1038", "mulazmin-01..04"),
                ("0741", "jaalin-01..04"),
                ("1642", "dervish-gunboat-1"),
                ("1335", "yakub baggara-01..02"),
            ],
            ..NOTHING
        },
        Start {
            name: "a Zariba to build",
            games: 4,
            phases: 16,
            sees: &["built"],
            turn: 6,
            units: &[
                ("2615", "1e"),
                ("2713", "3e"),
                ("2716", "1b kitchener"),
                ("2717", "2b"),
                ("2818", "32-battery maxim-batt-1 maxim-batt-2"),
                ("2805", "egy-cav-1..2 camel-corps-1..2"),
                ("2916", "sultan"),
                ("2212", "mulazmin-01..04"),
                ("2318", "jaalin-01..04"),
                ("2119", "jehadia-01..04 sheik-el-din"),
                ("2015", "baggara-01..04 yakub"),
            ],
            ..NOTHING
        },
        Start {
            name: "at the hedge and the trench",
            scenario: "omdurman-historical",
            games: 4,
            sees: &["howitzer alone"],
            turn: 3,
            moving: Army::Dervish,
            units: &[
                ("2713", "1e"),
                ("2615", "2e"),
                ("2815", "4e"),
                ("2716", "1b kitchener"),
                ("2717", "2b"),
                ("2818", "32-battery maxim-batt-1 maxim-batt-2 royal-eng"),
                ("2812", "egy-batt-1 maxim-batt-3"),
                ("2711", "egy-cav-1..2 21-lancers"),
                ("2811", "gunboat-1"),
                ("2916", "sultan"),
                ("2914", "melik"),
                ("2613", "mulazmin-01..04"),
                ("2614", "jehadia-01..04 sheik-el-din"),
                ("2515", "danagla-01..04 sherif"),
                ("2616", "jaalin-01..04 yakub"),
                ("2617", "baggara-01..04"),
                ("2718", "hadendowa-01..04 osman-digna"),
                ("2610", "kehena-01..04 ali-wad-helu"),
                ("2512", "mulazmin-05..08"),
            ],
            ..NOTHING
        },
        Start {
            name: "a fort with a garrison",
            games: 4,
            phases: 6,
            sees: &["fort lost"],
            window: Window::Combat,
            units: &[
                ("1012", "fort-1 jehadia-01..03 sheik-el-din"),
                ("1212", "32-battery 37-battery egy-batt-1..2"),
                ("1113", "egy-batt-3 horse-art kitchener"),
                ("0940", "khalifa"),
            ],
            ..NOTHING
        },
        Start {
            name: "the last of the Dervish",
            phases: 12,
            turn: 12,
            window: Window::Combat,
            units: &[
                ("2010", "kehena-01"),
                ("2110", "1b kitchener"),
                ("1910", "2b"),
                ("2011", "32-battery maxim-batt-1"),
            ],
            ..NOTHING
        },
        Start {
            name: "the last of the Anglo-Egyptians",
            games: 4,
            phases: 12,
            sees: &["leader lost"],
            turn: 12,
            moving: Army::Dervish,
            window: Window::Combat,
            units: &[
                ("2010", "i-egy kitchener"),
                ("2110", "mulazmin-01..04"),
                ("1910", "mulazmin-05..08"),
                ("2009", "jaalin-01..04 yakub"),
                ("3415", "friendlies-1"),
            ],
            ..NOTHING
        },
        Start {
            name: "reinforcements on the last day that binds them",
            phases: 10,
            turn: 3,
            units: &[("2105", "4e"), ("1815", "jaalin-01..04 yakub"), ("0940", "khalifa")],
            waiting: "british egyptian friendlies flotilla mulazmin jehadia sheik-el-din",
            ..NOTHING
        },
    ]
}
