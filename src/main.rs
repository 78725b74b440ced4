//! The `despatch` program: parses arguments, runs one command, sets the exit code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Parser as _;
use despatch::cli::{Cli, Colour, Format};
use despatch::commands::{Desk, Systems, run};
use despatch::core::time::Stamp;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let choice = match cli.color {
        Colour::Always => ColorChoice::Always,
        Colour::Never => ColorChoice::Never,
        Colour::Auto => AutoStream::choice(&io::stderr()),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = AutoStream::new(io::stderr(), choice);
    // The one place where the clock is read: everything else is told the time.
    #[allow(clippy::disallowed_methods)]
    let seconds = chrono::Utc::now().timestamp();
    let Some(now) = Stamp::from_unix(seconds) else {
        return ExitCode::from(2);
    };
    let mut random = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(io::Error::other);
    let code = {
        let mut input = io::stdin().lock();
        let mut desk = Desk::new(now, Systems::shipped(), &mut random, &mut out, &mut err);
        desk.input = Some(&mut input);
        desk.colour = choice != ColorChoice::Never;
        desk.json = cli.format == Format::Json;
        run(&cli, &mut desk)
    };
    // Whoever closed our output has read enough: no failure.
    match out.flush() {
        Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
        _ => ExitCode::from(code),
    }
}
