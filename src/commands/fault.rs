//! Why a command stopped, always with the way out.

use std::io;
use std::path::{Path, PathBuf};

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A guard said no: exit code 1.
    #[error("{message}")]
    Refused {
        /// What was refused and why.
        message: String,
        /// The way out.
        help: String,
    },
    /// Usage, or input that means nothing: exit code 2.
    #[error("{message}")]
    Input {
        /// What is wrong with it.
        message: String,
        /// The way out.
        help: String,
    },
    /// A file or folder that cannot be read or written: exit code 2.
    #[error("cannot {verb} `{}`: {source}", path.display())]
    File {
        /// `read`, `write`, ...
        verb: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Faults of files that are on the error output already: exit code 2.
    #[error("faults were told")]
    Told,
    /// Another process holds the folder: exit code 1.
    #[error("another process is at work in `{}`", root.display())]
    Busy {
        /// The folder.
        root: PathBuf,
    },
    /// The reader of our output went away, which is its right: exit code 0.
    #[error("the output was closed")]
    Pipe,
    /// The machine stopped here: tests only, see [`super::store::Store::dying_at`].
    #[error("the machine stopped")]
    Died,
}

impl Fault {
    /// A guard's refusal with the way out.
    pub fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), help: help.into() }
    }

    /// A fault of usage or input with the way out.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input { message: message.into(), help: help.into() }
    }

    /// A file that cannot be used.
    pub fn file(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { verb, path, source }
    }

    /// The way out, if the message does not hold it already.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Refused { help, .. } | Self::Input { help, .. } => Some(help),
            Self::File { source, .. } => Some(match source.kind() {
                io::ErrorKind::NotFound => "check the path, or name the game's folder with -C DIR",
                io::ErrorKind::PermissionDenied => "check who may read and write there",
                _ => "see what the system says, then run the command again",
            }),
            Self::Busy { .. } => Some("wait until it is done, then run this again"),
            Self::Told | Self::Pipe | Self::Died => None,
        }
    }

    /// The exit code of the program.
    pub fn code(&self) -> u8 {
        match self {
            Self::Pipe => 0,
            Self::Refused { .. } | Self::Busy { .. } | Self::Died => 1,
            Self::Input { .. } | Self::File { .. } | Self::Told => 2,
        }
    }
}

impl From<io::Error> for Fault {
    /// Only writing to the output is converted without a path.
    fn from(source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::BrokenPipe {
            Self::Pipe
        } else {
            Self::File { verb: "write to", path: PathBuf::from("the output"), source }
        }
    }
}
