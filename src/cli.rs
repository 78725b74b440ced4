//! The arguments. Their doc comments are the manual: `--help`, the man pages and
//! the completions are all made from this file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::core::beacon::{DEFAULT_GRID, DEFAULT_WAIT};

/// Run and check play-by-mail wargames with dice that nobody can bend.
///
/// A referee keeps a game in one folder: `new` makes it, `call` asks for orders,
/// `receive` takes them, `lock` closes the set, `adjudicate` resolves it. A player
/// checks orders with `check` before sending them, and anybody can `verify` the
/// whole game from its bundle.
///
/// Commands act on the game in the working directory, or in the one that -C names.
///
///   despatch demo                  a whole sample game, played in a fresh folder
///   despatch games                 what can be played
///   despatch check my-orders.toml  faults in an order file, with rule numbers
///   despatch verify DIR            were the dice honest?
///
/// Exit codes: 0 fine; 1 orders refused, a guard said no, or verification failed;
/// 2 usage, or a file that could not be read.
#[derive(Clone, Debug, Parser)]
#[command(name = "despatch", version, max_term_width = 80, verbatim_doc_comment)]
pub struct Cli {
    /// Act on the game in this folder instead of the working directory.
    #[arg(
        short = 'C',
        long = "game",
        global = true,
        help_heading = "Everywhere",
        value_name = "DIR"
    )]
    pub game: Option<PathBuf>,
    /// Take game data from this folder instead of the built-in data
    ///
    /// The folder holds `omdurman/` and so on, laid out as in the sources. It
    /// matters to `new`, `games` and `amend`; a game that exists carries its rules.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// Print for people or for programs.
    #[arg(long, global = true, help_heading = "Everywhere", value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Colour the output.
    #[arg(long, global = true, help_heading = "Everywhere", value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Take this as the present time (2027-01-18T19:00:00Z), for tests.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "TIME")]
    pub now: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// One subcommand each.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play a shipped sample game from set-up to result and verify it
    ///
    /// Makes a fresh folder, plays every phase of the sample through the same
    /// commands that a referee uses, prints the decisive reports, checks the dice
    /// and says what to look at next. The dice come from a published secret, so
    /// everybody who runs it reads the same reports.
    ///
    ///   despatch demo
    ///   despatch demo khartoum --dir /tmp/khartoum
    #[command(verbatim_doc_comment)]
    Demo(DemoArgs),
    /// List what can be played, or show one game
    ///
    ///   despatch games
    ///   despatch games show khartoum
    #[command(verbatim_doc_comment)]
    Games(GamesArgs),
    /// Make the folder of a new game, its sealed dice and the offer mail
    ///
    /// Every command of every side must end with exactly one player. A player for
    /// a side takes all its commands that no other player was given.
    ///
    ///   despatch new khartoum sudan-1 --player british=Anna:anna@example.org \
    ///       --player dervish=Ben:ben@example.org
    ///   despatch new campaign sudan-2 --player british=Anna --player dervish=Ben \
    ///       --player dervish/guns=Cleo --ruling fort-stacking=free --cadence strict
    ///
    /// With `--dice chain` (the default) nothing is needed from any network. Rated
    /// games should take `--dice beacon`: a public lottery then enters every phase.
    #[command(verbatim_doc_comment)]
    New(NewArgs),
    /// Take a player's commitment, then the player's nonce
    ///
    /// First every player mails the commitment to everybody; when all have, every
    /// player mails the nonce.
    ///
    ///   despatch join british --commitment 28c3a4f6...
    ///   despatch join british --nonce a1a1a1a1...
    #[command(verbatim_doc_comment)]
    Join(JoinArgs),
    /// Close the genesis of a game: from here the ledger runs
    ///
    ///   despatch genesis
    ///   despatch genesis --beacon round.json
    #[command(verbatim_doc_comment)]
    Genesis(GenesisArgs),
    /// Open the next phase: forms, views and call mails; or extend its deadline
    ///
    /// Run again before the deadline with a later one, it extends the deadline.
    ///
    ///   despatch call
    ///   despatch call --deadline 2027-01-18T19:00:00Z
    #[command(verbatim_doc_comment)]
    Call(CallArgs),
    /// Take order files and answer each with a receipt or a bounce
    ///
    /// The player is found by the file's header. A file is valid if it parses and
    /// its header and ticket match; a refused order does not make it invalid, and an
    /// invalid file never displaces a valid one.
    ///
    ///   despatch receive inbox/*.toml
    #[command(verbatim_doc_comment)]
    Receive(ReceiveArgs),
    /// Show who has sent what, what is late, and what may be run now.
    Status,
    /// Close the set of orders; from here nobody can change them
    ///
    /// Before the deadline only with --early, and only when everybody whose orders
    /// are awaited has sent a file marked final.
    #[command(verbatim_doc_comment)]
    Lock(LockArgs),
    /// Resolve the locked orders: dice, report, next state, mails
    ///
    ///   despatch adjudicate
    ///   despatch adjudicate --beacon round.json
    ///   despatch adjudicate --rehearse       throw-away dice, nothing is written
    #[command(verbatim_doc_comment)]
    Adjudicate(AdjudicateArgs),
    /// Read back a report as a given viewer
    ///
    ///   despatch report
    ///   despatch report --phase 3 --for dervish
    ///   despatch report --phase 3 --dice
    #[command(verbatim_doc_comment)]
    Report(ReportArgs),
    /// Apply a numbered, published ruling between two phases
    ///
    /// Prints exactly what changes; `verify` prints it for everybody, with its kind
    /// and whether all players consented.
    ///
    ///   despatch amend ruling --set fort-stacking=free --note "agreed by mail"
    ///   despatch amend state corrected.toml --consent referee --note-file why.txt
    ///   despatch amend seat dervish=Dora:dora@example.org --note "Ben is ill"
    ///   despatch amend correct --note "a misprint in the fire chart"
    #[command(verbatim_doc_comment)]
    Amend(AmendArgs),
    /// Copy what one viewer may have into a new folder, ready to be sent
    ///
    ///   despatch bundle --for public out/
    ///   despatch bundle --for dervish out/
    #[command(verbatim_doc_comment)]
    Bundle(BundleArgs),
    /// End the game and open every seal
    ///
    ///   despatch close                       the result that the rules found
    ///   despatch close --result "Dervish concede"
    #[command(verbatim_doc_comment)]
    Close(CloseArgs),
    /// Check the ledger and the dice of a game or bundle
    ///
    /// Give the head from your last mail: without one the last record proves nothing.
    ///
    ///   despatch verify sudan-1 --head 79d34f1b...
    ///   despatch verify sudan-1 --replay     every phase is resolved again
    ///   despatch verify sudan-1 --roll fire/offence/0712
    #[command(verbatim_doc_comment)]
    Verify(VerifyArgs),
    /// Find every fault of an order file before it is sent
    ///
    /// The same code as the adjudication reads it, on your own view of the state.
    ///
    ///   despatch check orders.toml --view view.toml --rules bundle/
    ///   despatch -C sudan-1 check orders.toml
    #[command(verbatim_doc_comment)]
    Check(CheckArgs),
    /// Print a fresh order form for a player
    ///
    ///   despatch form dervish > orders.toml
    #[command(verbatim_doc_comment)]
    Form(FormArgs),
    /// Answer a question about the position, with reasons and rule numbers
    ///
    ///   despatch ask reach x-sud
    ///   despatch ask los 0912 1014
    ///   despatch ask targets gunboat-1 --view view.toml --rules bundle/
    #[command(verbatim_doc_comment)]
    Ask(AskArgs),
    /// Draw the position as text.
    Map(MapArgs),
    /// Print the hash of files as the ledger counts it
    ///
    /// Line ends, a byte order mark and blanks at line ends do not matter.
    #[command(verbatim_doc_comment)]
    Hash(HashArgs),
    /// Make a nonce and its commitment, to join a game
    ///
    ///   despatch nonce --id sudan-1 --player british
    #[command(verbatim_doc_comment)]
    Nonce(NonceArgs),
    /// Seal a secret note: print the commitment to send and the salt to keep
    ///
    ///   despatch hide mines.toml --id sudan-1 --phase 1 --player dervish
    #[command(verbatim_doc_comment)]
    Hide(HideArgs),
    /// List every record of the game with its head.
    History,
    /// Compare each player's dice with what fair dice show.
    Luck,
    /// Print the completions for a shell
    ///
    ///   despatch completions bash > ~/.local/share/bash-completion/completions/despatch
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write one a command into a folder.
    Man {
        /// Write `despatch.1`, `despatch-call.1` and so on here.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Arguments of `demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// The sample, by its scenario; the first shipped one if left out.
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
}

/// Arguments of `new`.
#[derive(Clone, Debug, Args)]
pub struct NewArgs {
    /// The scenario (`despatch games` lists them).
    pub scenario: String,
    /// The folder of the game; made if need be, must not hold anything.
    pub dir: PathBuf,
    /// A player: `british=Anna:anna@example.org`, `dervish/guns=Cleo`.
    #[arg(long = "player", value_name = "SIDE[/COMMAND]=NAME[:ADDRESS]", required = true)]
    pub players: Vec<String>,
    /// The game's id in the ledger; the folder's name if left out.
    #[arg(long)]
    pub id: Option<String>,
    /// Where the randomness comes from.
    #[arg(long, value_enum, default_value_t = Dice::Chain)]
    pub dice: Dice,
    /// How often orders are asked for.
    #[arg(long, value_enum, default_value_t = Cadence::Brisk)]
    pub cadence: Cadence,
    /// Choose a ruling's other reading.
    #[arg(long = "ruling", value_name = "NAME=CHOICE")]
    pub rulings: Vec<String>,
    /// Switch on an optional rule.
    #[arg(long = "option", value_name = "NAME")]
    pub options: Vec<String>,
    /// The referee's name and address, for the mails.
    #[arg(long, value_name = "NAME[:ADDRESS]", default_value = "The referee")]
    pub referee: String,
    /// The player whom the referee plays (open games with beacon dice only).
    #[arg(long, value_name = "PLAYER")]
    pub referee_plays: Option<String>,
    /// Days from a call to its deadline.
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub days: u32,
    /// The game and head that this one continues, as `GAME:HEAD`.
    #[arg(long, value_name = "GAME:HEAD")]
    pub continues: Option<String>,
    /// Where the entropy of the genesis comes from; chain dice: the players' nonces,
    /// beacon dice: the beacon.
    #[arg(long, value_enum)]
    pub entropy: Option<Entropy>,
    /// Seconds from closing the orders to the earliest beacon.
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_WAIT)]
    pub wait: u64,
    /// Seconds between the beacons that count; divides a day.
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_GRID)]
    pub grid: u64,
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
    /// Order files, in the order in which they arrived.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
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
    #[arg(long, value_enum, default_value_t = Consent::All)]
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
        /// Why.
        #[command(flatten)]
        why: AmendWhy,
    },
    /// Give a seat to another person, with a fresh ticket.
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
    /// Your view of the position (from your call mail or bundle).
    #[arg(long, value_name = "FILE", visible_alias = "state")]
    pub view: Option<PathBuf>,
    /// The game folder or bundle whose rules hold; -C if left out.
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
    /// What about: reach, cost, los, targets, zoc, ...
    pub topic: String,
    /// Units and hexes.
    pub words: Vec<String>,
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
