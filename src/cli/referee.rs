//! Arguments of the commands that make and run a game.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// The sample, by its name or scenario; the Fall of Khartoum if left out.
    pub scenario: Option<String>,
    /// Where to make the game; must not hold anything. Default: a fresh folder
    /// `despatch-demo-SAMPLE` in the working directory.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Arguments of `games`.
#[derive(Clone, Debug, Args)]
pub struct GamesArgs {
    /// What to show.
    #[command(subcommand)]
    pub what: Option<GamesWhat>,
}

/// `games show ID`.
#[derive(Clone, Debug, Subcommand)]
pub enum GamesWhat {
    /// Show a scenario: sides, commands, rulings, charts and where figures come from.
    Show {
        /// The scenario.
        id: String,
        /// Print the rules companion of its system instead, as Markdown.
        #[arg(long)]
        page: bool,
    },
}

/// Where the randomness comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Dice {
    /// A sealed chain of the referee, mixed with the players' nonces.
    #[default]
    Chain,
    /// The chain, mixed in every phase with a public beacon (drand quicknet).
    Beacon,
}

/// Who brings the entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Entropy {
    /// A nonce of every player.
    Nonces,
    /// A round of the public beacon.
    Beacon,
}

/// How often orders are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Cadence {
    /// As few mails as the rules allow.
    #[default]
    Brisk,
    /// At every decision point.
    Strict,
    /// One mail a turn, where the rules allow it.
    Single,
}

/// Arguments of `new`.
#[derive(Clone, Debug, Args)]
pub struct NewArgs {
    /// The scenario (`despatch games` lists them).
    pub scenario: String,
    /// The folder of the game; made if need be, must not hold anything.
    pub dir: PathBuf,
    /// A player: `british=Anna:anna@example.org`, `dervish/guns=Cleo`.
    #[arg(
        long = "player",
        value_name = "SIDE[/COMMAND]=NAME[:ADDRESS]",
        required_unless_present = "continues"
    )]
    pub players: Vec<String>,
    /// The game's id in the ledger; the folder's name if left out.
    #[arg(long)]
    pub id: Option<String>,
    /// Where the randomness comes from [default: chain].
    #[arg(long, value_enum)]
    pub dice: Option<Dice>,
    /// How often orders are asked for [default: brisk].
    #[arg(long, value_enum)]
    pub cadence: Option<Cadence>,
    /// Choose a ruling's other reading.
    #[arg(long = "ruling", value_name = "NAME=CHOICE")]
    pub rulings: Vec<String>,
    /// Switch on an optional rule.
    #[arg(long = "option", value_name = "NAME")]
    pub options: Vec<String>,
    /// The referee's name and address, for the mails [default: The referee].
    #[arg(long, value_name = "NAME[:ADDRESS]")]
    pub referee: Option<String>,
    /// The player whom the referee plays (open games with beacon dice only), or `none`.
    #[arg(long, value_name = "PLAYER")]
    pub referee_plays: Option<String>,
    /// Days from a call to its deadline [default: 7].
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub days: Option<u32>,
    /// Go on from the last state of the game, or of the bundle of it, in this folder.
    #[arg(long, value_name = "DIR")]
    pub continues: Option<PathBuf>,
    /// Go on from this record of the old game instead of its last: its head, 64 digits.
    #[arg(long, value_name = "HEX", requires = "continues")]
    pub head: Option<String>,
    /// Where the entropy of the genesis comes from; chain dice: the players' nonces,
    /// beacon dice: the beacon.
    #[arg(long, value_enum)]
    pub entropy: Option<Entropy>,
    /// Seconds from closing the orders to the earliest beacon [default: 21600].
    #[arg(long, value_name = "SECONDS")]
    pub wait: Option<u64>,
    /// Seconds between the beacons that count; divides a day [default: 43200].
    #[arg(long, value_name = "SECONDS")]
    pub grid: Option<u64>,
    /// Use this secret file instead of a fresh secret.
    #[arg(long, value_name = "FILE", hide = true)]
    pub secret: Option<PathBuf>,
}

/// Arguments of `join`.
#[derive(Clone, Debug, Args)]
pub struct JoinArgs {
    /// The player.
    pub player: String,
    /// The commitment: 64 hex digits, from `despatch nonce`.
    #[arg(long, value_name = "HEX", required_unless_present = "nonce", conflicts_with = "nonce")]
    pub commitment: Option<String>,
    /// The nonce: 64 hex digits.
    #[arg(long, value_name = "HEX")]
    pub nonce: Option<String>,
}

/// Arguments of `genesis`.
#[derive(Clone, Debug, Args)]
pub struct GenesisArgs {
    /// The beacon round that the offer names, as fetched from its public page.
    #[arg(long, value_name = "FILE")]
    pub beacon: Option<PathBuf>,
}

/// Arguments of `call`.
#[derive(Clone, Debug, Args)]
pub struct CallArgs {
    /// The deadline, in UTC: 2027-01-18T19:00:00Z. Default: game.toml's days.
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,
}

/// Arguments of `receive`.
#[derive(Clone, Debug, Args)]
pub struct ReceiveArgs {
    /// Order files in the order in which they arrived, mails (.eml), mbox files, Maildir
    /// folders, folders of such files; `-` is the standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Arguments of `club`.
#[derive(Clone, Debug, Args)]
pub struct ClubArgs {
    /// The folder that holds the games' folders.
    pub dir: PathBuf,
    /// A Maildir, mbox file or folder that the club's mail comes into.
    #[arg(long = "mailbox", value_name = "PATH")]
    pub mailboxes: Vec<PathBuf>,
    /// Our own mail server, as its Received lines name it.
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// The drop folder of fetched beacon values, `ROUND.json` each, for all games.
    #[arg(long, value_name = "DIR")]
    pub beacons: Option<PathBuf>,
    /// The program that takes a message, with its arguments; default: each game.toml's.
    #[arg(long, value_name = "COMMAND", conflicts_with = "maildir")]
    pub sendmail: Option<String>,
    /// Put the messages into this Maildir instead.
    #[arg(long, value_name = "DIR")]
    pub maildir: Option<PathBuf>,
}

/// Arguments of `reissue`.
#[derive(Clone, Debug, Args)]
pub struct ReissueArgs {
    /// The player.
    pub player: String,
    /// The person who takes the seat over.
    #[arg(long, value_name = "NAME[:ADDRESS]")]
    pub to: Option<String>,
}

/// Arguments of `deliver`.
#[derive(Clone, Debug, Args)]
pub struct DeliverArgs {
    /// The program that takes a message, with its arguments; default: game.toml's.
    #[arg(long, value_name = "COMMAND", conflicts_with = "maildir")]
    pub sendmail: Option<String>,
    /// Put the messages into this Maildir instead.
    #[arg(long, value_name = "DIR")]
    pub maildir: Option<PathBuf>,
}

/// Arguments of `lock`.
#[derive(Clone, Debug, Args)]
pub struct LockArgs {
    /// Lock before the deadline: everybody awaited has sent a final file.
    #[arg(long)]
    pub early: bool,
    /// Lock although this many players have sent nothing valid.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub allow_missing: u32,
}

/// Arguments of `adjudicate`.
#[derive(Clone, Debug, Args)]
pub struct AdjudicateArgs {
    /// The phase you mean to resolve; refused if it is another's turn.
    #[arg(long, value_name = "N")]
    pub phase: Option<u32>,
    /// Resolve although this many players have sent nothing valid
    ///
    /// A lock that was allowed to be short of them need not be allowed again.
    #[arg(long, value_name = "N")]
    pub allow_missing: Option<u32>,
    /// The beacon round that the lock names, as fetched from its public page.
    #[arg(long, value_name = "FILE")]
    pub beacon: Option<PathBuf>,
    /// Use throw-away dice, print REHEARSAL, write nothing; needs no lock.
    #[arg(long)]
    pub rehearse: bool,
}
