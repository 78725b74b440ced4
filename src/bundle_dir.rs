//! A bundle or a game's folder on disk, as a verification reads it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::core::verify::Bundle;

/// The files below a folder; links are not followed.
#[derive(Clone, Debug)]
pub struct DirBundle {
    root: PathBuf,
    files: Vec<String>,
}

impl DirBundle {
    /// Lists a folder.
    ///
    /// # Errors
    /// A folder in it that cannot be listed.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        let mut files = Vec::new();
        list(root, "", &mut files)?;
        files.sort();
        Ok(Self { root: root.to_owned(), files })
    }
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // No file of the protocol has a name that is not plain text.
        let Some(name) = entry.file_name().to_str().map(ToOwned::to_owned) else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if kind.is_file() {
            files.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

impl Bundle for DirBundle {
    fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        // Only what was listed: a path out of a record cannot lead elsewhere.
        self.files.binary_search_by(|file| file.as_str().cmp(path)).ok()?;
        fs::read(self.root.join(path)).ok()
    }
}
