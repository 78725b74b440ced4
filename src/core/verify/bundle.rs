//! What a verification reads: files by path, nothing else.

use std::collections::BTreeMap;

/// The files of a bundle or of a game's folder.
pub trait Bundle {
    /// The paths of all files, with `/` between folders, in any order.
    fn files(&self) -> Vec<String>;

    /// The bytes of a file; `None` if there is none that can be read.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// A bundle in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryBundle {
    /// The files by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Bundle for MemoryBundle {
    fn files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }
}
