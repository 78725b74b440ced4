//! The arguments. Their doc comments are the manual: `--help`, the man pages and
//! the completions are all made from them.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

mod player;
mod referee;

pub use player::*;
pub use referee::*;

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
    /// matters to `new`, `games` and `demo`; a game that exists carries its rules.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// Print for people or for programs
    ///
    /// Reports, checks, answers, lists and verifications have a JSON form; what has
    /// none is printed as text.
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
    ///   despatch demo omdurman-historical --dir battle
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
    ///   despatch new khartoum sudan-2 --player british=Anna --player dervish=Ben \
    ///       --player dervish/guns=Cleo --ruling losses=random --cadence strict
    ///   despatch new khartoum sudan-3 --continues sudan-1
    ///
    /// A game whose referee.secret is lost goes on in a new one: --continues names the
    /// old folder, or a bundle of it. The ledger there must verify; its last state, its
    /// rules and settings are taken over, and from its folder the players and their
    /// addresses too. What you name yourself (--player, --ruling, --games ...) counts
    /// instead. The offer says which game and which head it goes on from.
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
    /// Take order files and mails, and answer each with a receipt or a bounce
    ///
    /// Orders are found wherever a mail program put them: attached, typed, between the
    /// quoted lines of the form. A mail counts from the time at which your own mail
    /// server had it; the same mail is taken once, however often a mailbox is read.
    ///
    /// The player is found by the file's header. A file is valid if it parses and
    /// its header and ticket match; a refused order does not make it invalid, and an
    /// invalid file never displaces a valid one.
    ///
    /// From the standard input it succeeds once the mail is kept, whatever is in
    /// it, and exits with 75 where the delivery agent should try again.
    ///
    ///   despatch receive inbox/*.toml
    ///   despatch receive ~/Maildir
    ///   despatch receive - < mail.eml
    #[command(verbatim_doc_comment)]
    Receive(ReceiveArgs),
    /// Make one pass over all games below a folder: mail in and out, and all that is due
    ///
    /// Takes the mail of the club's mailboxes to the games it names, reminds, locks,
    /// resolves and calls by each game's game.toml, delivers, and writes DIR/summary.txt.
    /// Safe to run every few minutes, also when two passes overlap.
    ///
    ///   despatch club games/ --mailbox ~/Maildir --sendmail "msmtp -t"
    ///   despatch club games/ --mailbox ~/Maildir --beacons rounds/
    #[command(verbatim_doc_comment)]
    Club(ClubArgs),
    /// Send one player a new form of the phase that is called; the old one is void
    ///
    /// With --to, the seat passes to another person, who gets the form: the next record
    /// says so. What was sent for the seat counts until the new player sends a file.
    ///
    ///   despatch reissue british
    ///   despatch reissue british --to Dora:dora@example.org
    #[command(verbatim_doc_comment)]
    Reissue(ReissueArgs),
    /// Remind those who are asked and have sent nothing final; once a phase.
    Remind,
    /// Hand the messages in outbox/ to the mail system and move them to sent/
    ///
    /// Any program that takes a message on its standard input and finds the receivers
    /// in it will do (`sendmail -t`, `msmtp -t`), or a Maildir that a mail program sends
    /// from. A message that was not taken stays; run it again. Whenever it is stopped,
    /// each message goes out at least once, always with the same Message-ID.
    ///
    ///   despatch deliver --sendmail "msmtp -t"
    ///   despatch deliver --maildir ~/Mail/to-send
    #[command(verbatim_doc_comment)]
    Deliver(DeliverArgs),
    /// Show who has sent what, what is late, and what may be run now.
    ///
    ///   despatch status
    ///   despatch status --format json
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
    ///   despatch amend ruling --set losses=random --note "agreed by mail"
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
    ///   despatch verify sudan-3 --continues sudan-1
    ///   despatch verify sudan-1 --roll t02-dervish/offence/0913
    #[command(verbatim_doc_comment)]
    Verify(VerifyArgs),
    /// Find every fault of an order file before it is sent
    ///
    /// The same code as the adjudication reads it, on your own view of the state.
    ///
    ///   despatch check orders.toml --view bundle/phase-004/views/dervish.toml
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
    /// Tell the odds of an attack, or of all orders of the next window
    ///
    /// One attack is exact: factors, modifiers and results with their rules, as the
    /// report would have them.
    ///
    ///   despatch odds chart --factors 16 --drm +1 --scenario khartoum
    ///   despatch odds fire 0913 --with dervish-art-1 dervish-art-2
    ///   despatch odds melee 1013 --with mulazmin-13,mulazmin-14
    ///
    /// A whole window is resolved 10,000 times by the code that adjudicates, with dice
    /// that have nothing to do with the game's, and counted. The same command gives the
    /// same figures on every machine; --seed takes other dice.
    ///
    ///   despatch odds --orders mine.toml
    ///   despatch odds --orders mine.toml theirs.toml --view view.toml --runs 50000
    ///
    /// Players without a file take the defaults. Nobody's orders are looked up in the
    /// game's folder.
    #[command(verbatim_doc_comment)]
    Odds(OddsArgs),
    /// Draw the position as text
    ///
    ///   despatch map
    ///   despatch map --view phase-003/views/dervish.toml
    #[command(verbatim_doc_comment)]
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
