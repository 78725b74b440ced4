//! Arguments of the commands that read, amend, end and check a game.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The phase; the last one resolved if left out.
    #[arg(long, value_name = "N")]
    pub phase: Option<u32>,
    /// The viewer: `referee`, `public` or a player. Default: referee if there, else public.
    #[arg(long = "for", value_name = "VIEWER")]
    pub viewer: Option<String>,
    /// Only the dice.
    #[arg(long)]
    pub dice: bool,
}

/// Whether the players agreed to an amendment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Consent {
    /// All players agreed.
    #[default]
    All,
    /// The referee alone decided.
    Referee,
}

/// Arguments of `amend`.
#[derive(Clone, Debug, Args)]
pub struct AmendArgs {
    /// What is amended.
    #[command(subcommand)]
    pub what: AmendWhat,
}

/// Why, and by whose leave.
#[derive(Clone, Debug, Args)]
pub struct AmendWhy {
    /// What changes and why, in words that all will read.
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "note_file",
        conflicts_with = "note_file"
    )]
    pub note: Option<String>,
    /// The same from a file.
    #[arg(long, value_name = "FILE")]
    pub note_file: Option<PathBuf>,
    /// Whether all players agreed.
    #[arg(long, value_enum, default_value_t = Consent::Referee)]
    pub consent: Consent,
    /// Show what would change and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// The kinds of an amendment.
#[derive(Clone, Debug, Subcommand)]
pub enum AmendWhat {
    /// Change a ruling, or rules files.
    Ruling {
        /// Choose a ruling's other reading.
        #[arg(long = "set", value_name = "NAME=CHOICE")]
        set: Vec<String>,
        /// Replace a rules file: `charts.toml=corrected.toml`.
        #[arg(long = "file", value_name = "PATH=FILE")]
        files: Vec<String>,
        /// Why.
        #[command(flatten)]
        why: AmendWhy,
    },
    /// Set the state; an earlier phase's state annuls what came after it.
    State {
        /// The new state.
        file: PathBuf,
        /// Take it although the rules could not have brought it about.
        #[arg(long)]
        anyway: bool,
        /// Why.
        #[command(flatten)]
        why: AmendWhy,
    },
    /// Give a seat to another person; forms to come go there.
    Seat {
        /// `dervish=Dora:dora@example.org`
        #[arg(value_name = "PLAYER=NAME[:ADDRESS]")]
        who: String,
        /// Why.
        #[command(flatten)]
        why: AmendWhy,
    },
    /// Resolve the last phase again, same orders and dice, after an error of ours.
    Correct {
        /// Replace a rules file: `charts.toml=corrected.toml`.
        #[arg(long = "file", value_name = "PATH=FILE")]
        files: Vec<String>,
        /// Why.
        #[command(flatten)]
        why: AmendWhy,
    },
}

/// Arguments of `bundle`.
#[derive(Clone, Debug, Args)]
pub struct BundleArgs {
    /// The viewer: `public` or a player.
    #[arg(long = "for", value_name = "VIEWER")]
    pub viewer: String,
    /// The folder to make; must not hold anything.
    pub out: PathBuf,
}

/// Arguments of `close`.
#[derive(Clone, Debug, Args)]
pub struct CloseArgs {
    /// The result in words, when the rules have not found one: a concession, an
    /// agreed draw.
    #[arg(long, value_name = "TEXT")]
    pub result: Option<String>,
    /// Open a player's sealed note: its salt and its file, as the player sent them.
    #[arg(long = "open", value_name = "SALT:FILE")]
    pub open: Vec<String>,
}

/// Arguments of `verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The game's folder or a bundle; the working directory if left out.
    pub dir: Option<PathBuf>,
    /// The head from your last mail, all 64 digits.
    #[arg(long, value_name = "HEX")]
    pub head: Option<String>,
    /// Resolve every phase again and compare every byte.
    #[arg(long)]
    pub replay: bool,
    /// The game before, or its bundle: check that this game goes on from its last state.
    #[arg(long, value_name = "DIR", conflicts_with = "roll")]
    pub continues: Option<PathBuf>,
    /// Show how one roll is made, with the commands to redo it by hand.
    #[arg(long, value_name = "LABEL")]
    pub roll: Option<String>,
    /// The phase of that roll; the last that has the label if left out.
    #[arg(long, value_name = "N", requires = "roll")]
    pub phase: Option<u32>,
}

/// Where a position comes from, for a player's questions.
#[derive(Clone, Debug, Args)]
pub struct PositionArgs {
    /// Your view of the position (from your bundle).
    #[arg(long, value_name = "FILE", visible_alias = "state")]
    pub view: Option<PathBuf>,
    /// The game folder or bundle whose rules hold. Default: -C, the working directory,
    /// or the bundle that the view lies in.
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
    /// Look as this viewer, in a game folder.
    #[arg(long = "for", value_name = "VIEWER")]
    pub viewer: Option<String>,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The order file.
    pub orders: PathBuf,
    /// Where the position comes from.
    #[command(flatten)]
    pub position: PositionArgs,
}

/// Arguments of `form`.
#[derive(Clone, Debug, Args)]
pub struct FormArgs {
    /// The player.
    pub player: String,
}

/// Arguments of `ask`.
#[derive(Clone, Debug, Args)]
pub struct AskArgs {
    /// What about: reach, cost, los, targets, zoc, ... Left out: a list of the topics.
    pub topic: Option<String>,
    /// Units and hexes.
    pub words: Vec<String>,
    /// Where the position comes from.
    #[command(flatten)]
    pub position: PositionArgs,
}

/// Arguments of `odds`.
#[derive(Clone, Debug, Args)]
pub struct OddsArgs {
    /// One attack: chart, fire or melee. Without it: the window that comes next.
    pub topic: Option<String>,
    /// The target of `fire` or `melee`: a hex, HEX:fort, or HEX:SIDE for a wall.
    #[arg(requires = "with")]
    pub at: Option<String>,
    /// Who attacks.
    #[arg(long, value_name = "UNIT", num_args = 1.., value_delimiter = ',', requires = "at")]
    pub with: Vec<String>,
    /// `chart`: the factors of the attack.
    #[arg(long, value_name = "N", conflicts_with = "at", requires = "topic")]
    pub factors: Option<u32>,
    /// `chart`: what is added to the die.
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "factors")]
    pub drm: Option<i32>,
    /// `chart`: the scenario whose chart it is, where there is no game.
    #[arg(long, value_name = "SCENARIO", requires = "factors")]
    pub scenario: Option<String>,
    /// A player's orders; several files for several players. Whoever has none takes the
    /// defaults.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "topic")]
    pub orders: Vec<PathBuf>,
    /// How often the window is resolved.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub runs: u32,
    /// Other dice than the usual ones: any text.
    #[arg(long, value_name = "TEXT", default_value = "despatch odds")]
    pub seed: String,
    /// Where the position comes from.
    #[command(flatten)]
    pub position: PositionArgs,
}

/// Arguments of `map`.
#[derive(Clone, Debug, Args)]
pub struct MapArgs {
    /// Where the position comes from.
    #[command(flatten)]
    pub position: PositionArgs,
}

/// Arguments of `hash`.
#[derive(Clone, Debug, Args)]
pub struct HashArgs {
    /// The files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Arguments of `nonce`.
#[derive(Clone, Debug, Args)]
pub struct NonceArgs {
    /// The game's id, from the offer; the game in the folder if left out.
    #[arg(long)]
    pub id: Option<String>,
    /// Your player id, from the offer.
    #[arg(long)]
    pub player: String,
    /// Commit to this nonce instead of a fresh one.
    #[arg(long, value_name = "HEX")]
    pub nonce: Option<String>,
}

/// Arguments of `hide`.
#[derive(Clone, Debug, Args)]
pub struct HideArgs {
    /// The note.
    pub file: PathBuf,
    /// The game's id, from the offer; the game in the folder if left out.
    #[arg(long)]
    pub id: Option<String>,
    /// The phase in whose order file you will send the commitment.
    #[arg(long, value_name = "N")]
    pub phase: u32,
    /// Your player id.
    #[arg(long)]
    pub player: String,
    /// Use this salt instead of a fresh one.
    #[arg(long, value_name = "HEX")]
    pub salt: Option<String>,
}
