//! The game data and templates inside the binary, or a referee's own.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rust_embed::RustEmbed;

use crate::game::{Library, Text};

#[derive(RustEmbed)]
#[folder = "games/"]
#[prefix = "games/"]
struct Games;

#[derive(RustEmbed)]
#[folder = "templates/"]
#[prefix = "templates/"]
struct Templates;

/// A file that is no text, or could not be read.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// The folder or file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("`{0}` is not UTF-8 text")]
    Text(String),
}

/// Everything that ships.
///
/// # Errors
/// A shipped file that is not UTF-8.
pub fn embedded() -> Result<Library, AssetError> {
    shipped(true)
}

/// What ships without the sample games, which are most of it.
///
/// # Errors
/// A shipped file that is not UTF-8.
pub fn without_samples() -> Result<Library, AssetError> {
    shipped(false)
}

fn shipped(with_samples: bool) -> Result<Library, AssetError> {
    let mut library = Library::new();
    for path in Games::iter().chain(Templates::iter()) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let sample = folder.contains("/samples/");
        // What only keeps an empty folder in the repository.
        if name.starts_with('.') || (sample && !with_samples) {
            continue;
        }
        let Some(file) = Games::get(&path).or_else(|| Templates::get(&path)) else { continue };
        let fail = || AssetError::Text(path.to_string());
        let text: Text = match file.data {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map_err(|_| fail())?.into(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map_err(|_| fail())?.into(),
        };
        library.insert(path.to_string(), text);
    }
    Ok(library)
}

/// What ships, with all game data taken from a referee's folder instead. A
/// `templates/` beside or inside that folder replaces the shipped templates.
///
/// # Errors
/// A folder or file that cannot be read, or is not UTF-8.
pub fn from_folder(dir: &Path) -> Result<Library, AssetError> {
    let mut library = without_samples()?;
    library.retain(|path, _| !path.starts_with("games/"));
    gather(dir, "games/", &mut library)?;
    let own = dir.join("templates");
    if own.is_dir() {
        library.retain(|path, _| !path.starts_with("games/templates/"));
        gather(&own, "templates/", &mut library)?;
    }
    Ok(library)
}

fn gather(dir: &Path, prefix: &str, library: &mut Library) -> Result<(), AssetError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |source| AssetError::Read { path, source }
    };
    for entry in std::fs::read_dir(dir).map_err(fail(dir))? {
        let entry = entry.map_err(fail(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // What a Mac or an editor leaves behind is no game data.
        if name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            gather(&path, &format!("{prefix}{name}/"), library)?;
        } else {
            let bytes = std::fs::read(&path).map_err(fail(&path))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| AssetError::Text(path.display().to_string()))?;
            library.insert(format!("{prefix}{name}"), text.into());
        }
    }
    Ok(())
}
