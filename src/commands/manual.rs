//! `completions` and `man`: made from the argument definitions.

use std::path::Path;

use clap::CommandFactory as _;

use super::desk::Desk;
use super::fault::Fault;
use super::store::Batch;
use crate::cli::Cli;

/// Prints the completions for a shell.
pub fn completions(desk: &mut Desk<'_>, shell: clap_complete::Shell) -> Result<u8, Fault> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "despatch", &mut text);
    desk.out.write_all(&text)?;
    Ok(0)
}

/// Prints the man page, or writes all of them into a folder.
pub fn man(desk: &mut Desk<'_>, out: Option<&Path>) -> Result<u8, Fault> {
    let mut program = Cli::command();
    program.build();
    let page = |command: clap::Command| -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        Ok(text)
    };
    let Some(out) = out else {
        let text = page(program)?;
        desk.out.write_all(&text)?;
        return Ok(0);
    };
    let mut pages = Batch::new();
    for sub in program.get_subcommands().filter(|s| !s.is_hide_set() && s.get_name() != "help") {
        let name = format!("despatch-{}", sub.get_name());
        // A page's name must live as long as the program: clap wants it so.
        let title: &'static str = Box::leak(name.clone().into_boxed_str());
        pages.replace(format!("{name}.1"), page(sub.clone().name(title))?);
    }
    pages.replace("despatch.1", page(program)?);
    let dir = desk.path(out);
    std::fs::create_dir_all(&dir).map_err(Fault::file("make", &dir))?;
    desk.store.commit(&dir, &pages)?;
    writeln!(desk.out, "man pages are in {}", dir.display())?;
    Ok(0)
}
