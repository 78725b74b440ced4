//! Paths that stay inside a game's folder.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::fault::Fault;

/// Makes paths inside a game's folder, and looks once at each folder on the way.
#[derive(Debug)]
pub(super) struct Inside<'a> {
    /// The game's folder.
    pub(super) root: &'a Path,
    /// Those folders of it that are known to be no links.
    real: BTreeSet<PathBuf>,
}

impl<'a> Inside<'a> {
    /// Paths inside a folder.
    pub(super) fn new(root: &'a Path) -> Self {
        Self { root, real: BTreeSet::new() }
    }

    /// A path inside the folder: file names made from ids and numbers never leave it,
    /// and what a journal or a rules list says must not either.
    ///
    /// # Errors
    /// The path leads out of the folder by itself or by a link.
    pub(super) fn path(&mut self, path: &str) -> Result<PathBuf, Fault> {
        let relative = Path::new(path);
        let within = relative.components().all(|c| matches!(c, Component::Normal(_)));
        if !within || path.is_empty() {
            return Err(Fault::input(
                format!("`{path}` is no path inside the game's folder"),
                "paths have no `..` and do not begin with a slash",
            ));
        }
        for folder in relative.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            if self.real.contains(folder) {
                break;
            }
            let place = self.root.join(folder);
            if place.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
                return Err(Fault::refused(
                    format!("`{}` is a link that leads out of the game's folder", place.display()),
                    "put a real folder there; copy from it what another program wants to read",
                ));
            }
        }
        self.real.extend(relative.ancestors().skip(1).map(Path::to_owned));
        Ok(self.root.join(relative))
    }
}
