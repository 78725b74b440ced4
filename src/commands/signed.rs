//! Signatures of order files: `ssh-keygen -Y`, for players who registered a key.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::fault::Fault;
use crate::core::id::Id;

/// What a player signs with: the name space keeps a signature to one game.
pub fn name_space(game: &Id) -> String {
    format!("pbem-orders@{game}")
}

/// True if `signature` is the key's of one of these bytes. The key is a line as in
/// `authorized_keys`.
///
/// # Errors
/// `ssh-keygen` cannot be run: nothing can be taken for signed then.
pub fn verifies(
    game: &Id,
    player: &Id,
    key: &str,
    signature: &str,
    candidates: &[Vec<u8>],
) -> Result<bool, Fault> {
    let dir = tempfile::tempdir().map_err(Fault::file("make", &std::env::temp_dir()))?;
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).map_err(Fault::file("write", &path)).map(|()| path)
    };
    let key = key.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let signers = write("signers", &format!("{player} {key}\n"))?;
    let signature = write("orders.sig", &(signature.trim().replace("\r\n", "\n") + "\n"))?;
    for bytes in candidates {
        let mut child = Command::new("ssh-keygen")
            .args(["-Y", "verify", "-n", &name_space(game), "-I", player.as_str()])
            .arg("-f")
            .arg(&signers)
            .arg("-s")
            .arg(&signature)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| {
                Fault::input(
                    format!("cannot run `ssh-keygen`, which checks the signature of {player}: {e}"),
                    "install OpenSSH's client, or take the key out of game.toml",
                )
            })?;
        if let Some(mut end) = child.stdin.take() {
            // A program that refuses the signature need not read what it is of.
            let _ = end.write_all(bytes);
        }
        if child.wait().is_ok_and(|status| status.success()) {
            return Ok(true);
        }
    }
    Ok(false)
}
