//! The one seam through which commands write: all of a command's files appear, or
//! none, whatever moment the machine stops at.
//!
//! A [`Batch`] is first written into the folder [`STAGED`] of the game, then a journal
//! that lists the renames is put in place (that rename is the commit), then the renames
//! are done in order. Whoever opens the folder next either finishes the renames that a
//! journal lists or, without a journal, sweeps the staged files away. One folder for
//! all of them, so that nobody has to look through the phases of a long game for them.
//!
//! What has to last before the next step is made to last in one go where the system
//! can do that: flushed one by one, two dozen files cost more than resolving a phase.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

pub use super::batch::Batch;
use super::batch::Rule;
use super::fault::Fault;
use super::inside::Inside;

/// The folder of files that are not yet where they belong.
const STAGED: &str = ".despatch-staged";
/// The list of renames still to be done.
const JOURNAL: &str = ".journal";
/// The file whose lock is the folder's lock.
const LOCK: &str = ".lock";

/// So many places are flushed one by one; the disk is flushed whole for more.
const FEW: usize = 2;

/// Writes batches; counts the steps of writing so that a test can stop the machine
/// at each of them in turn.
#[derive(Debug, Default)]
pub struct Store {
    steps: Cell<u64>,
    die_at: Option<u64>,
    hasty: bool,
}

/// Holds a game's folder against other processes until it is dropped.
#[derive(Debug)]
pub struct Held {
    file: File,
}

impl Drop for Held {
    /// Closing the file would not do where another thread has just started a
    /// process: until that one runs its program, it shares the lock.
    fn drop(&mut self) {
        // A lock that cannot be given back ends with the process.
        let _ = self.file.unlock();
    }
}

impl Store {
    /// The ordinary store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A store that does not wait for the disk: for trials of many games, whose files
    /// need not outlive the machine.
    pub fn hasty() -> Self {
        Self { hasty: true, ..Self::default() }
    }

    /// A store on a machine that stops at its n-th step of writing, from 1.
    pub fn dying_at(step: u64) -> Self {
        Self { die_at: Some(step), ..Self::default() }
    }

    /// Steps of writing so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Before every write, sync, rename, removal and new folder.
    fn step(&self) -> Result<(), Fault> {
        let now = self.steps.get() + 1;
        self.steps.set(now);
        match self.die_at {
            Some(at) if now >= at => Err(Fault::Died),
            _ => Ok(()),
        }
    }

    /// Takes the folder for this process and brings it into order after a kill.
    ///
    /// # Errors
    /// Another process has it, or it cannot be written.
    pub fn hold(&self, root: &Path) -> Result<Held, Fault> {
        let path = root.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Fault::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Fault::Busy { root: root.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(Fault::file("lock", &path)(source)),
        }
        let held = Held { file };
        self.recover(root)?;
        Ok(held)
    }

    /// True if a command was stopped after its commit; then [`Store::hold`] mends it.
    pub fn is_unfinished(root: &Path) -> bool {
        root.join(JOURNAL).exists()
    }

    fn recover(&self, root: &Path) -> Result<(), Fault> {
        let journal = root.join(JOURNAL);
        if journal.exists() {
            let text = fs::read_to_string(&journal).map_err(Fault::file("read", &journal))?;
            let mut renames = Vec::new();
            let mut removals = Vec::new();
            for line in text.lines() {
                match line.split('\t').collect::<Vec<_>>()[..] {
                    ["rename", from, to] => renames.push((from.to_owned(), to.to_owned())),
                    ["remove", path] => removals.push(path.to_owned()),
                    _ => {
                        return Err(Fault::input(
                            format!("`{}` holds a line that is none of ours", journal.display()),
                            "look at it by hand: it lists the files that a command was renaming",
                        ));
                    }
                }
            }
            self.finish(root, &renames, &removals)?;
        }
        sweep(root)
    }

    /// Moves a file to another folder of the same disk, which is made if need be.
    ///
    /// # Errors
    /// The file or the folder cannot be used.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), Fault> {
        if let Some(dir) = to.parent().filter(|dir| !dir.is_dir()) {
            self.step()?;
            fs::create_dir_all(dir).map_err(Fault::file("make", dir))?;
        }
        self.step()?;
        fs::rename(from, to).map_err(Fault::file("write", to))?;
        let folders = [to.parent(), from.parent()].into_iter().flatten();
        self.settle(from, &folders.map(Path::to_owned).collect())
    }

    /// Writes all files of a batch, or none.
    ///
    /// # Errors
    /// A recorded file is there already with other bytes, or writing fails.
    pub fn commit(&self, root: &Path, batch: &Batch) -> Result<(), Fault> {
        let done = self.write(root, batch);
        // What a full disk did not take leaves nothing behind; a machine that stops would.
        let stopped = matches!(done, Err(Fault::Died));
        if done.is_err() && !stopped && !Self::is_unfinished(root) {
            let _ = sweep(root);
        }
        done
    }

    fn write(&self, root: &Path, batch: &Batch) -> Result<(), Fault> {
        let mut inside = Inside::new(root);
        let mut puts = Vec::new();
        for put in &batch.puts {
            let target = inside.path(&put.path)?;
            match fs::read(&target) {
                Ok(old) if old == put.bytes => {}
                Ok(_) if put.rule == Rule::Record => {
                    return Err(Fault::refused(
                        format!("`{}` is there already and differs", target.display()),
                        "nothing recorded is overwritten: move that file away if it is no record \
                         of this game, then run the command again",
                    ));
                }
                Err(fault) if fault.kind() != ErrorKind::NotFound => {
                    return Err(Fault::file("read", &target)(fault));
                }
                _ => puts.push((put, target)),
            }
        }
        let mut renames = Vec::new();
        let mut places = BTreeSet::new();
        for (put, target) in &puts {
            self.folder(root, target.parent().unwrap_or(root), &mut places)?;
            let staged = self.stage(&mut inside, target, &put.bytes, put.secret)?;
            places.insert(root.join(&staged));
            renames.push((staged, put.path.clone()));
        }
        if renames.len() + batch.removals.len() > 1 {
            use std::fmt::Write as _;
            let mut list = String::new();
            for (from, to) in &renames {
                let _ = writeln!(list, "rename\t{from}\t{to}");
            }
            for path in &batch.removals {
                let _ = writeln!(list, "remove\t{path}");
            }
            let journal = root.join(JOURNAL);
            let staged = self.stage(&mut inside, &journal, list.as_bytes(), false)?;
            let staged = root.join(staged);
            // The names of the staged files must last before the journal counts on them.
            places.extend([staged.clone(), root.join(STAGED), root.to_owned()]);
            self.settle(root, &places)?;
            self.step()?;
            fs::rename(staged, &journal).map_err(Fault::file("write", &journal))?;
            self.settle(root, &BTreeSet::from([root.to_owned()]))?;
        } else {
            self.settle(root, &places)?;
        }
        self.finish(root, &renames, &batch.removals)
    }

    /// Makes a folder of the game; the folders above, where its name must last, are
    /// added to the places.
    fn folder(&self, root: &Path, dir: &Path, places: &mut BTreeSet<PathBuf>) -> Result<(), Fault> {
        if !places.contains(dir) && !dir.is_dir() {
            self.step()?;
            fs::create_dir_all(dir).map_err(Fault::file("make", dir))?;
            let above = dir.ancestors().skip(1).take_while(|above| above.starts_with(root));
            places.extend(above.map(Path::to_owned));
        }
        Ok(())
    }

    /// Writes the bytes of a target; gives their path within the game's folder. They last
    /// once that path is settled.
    fn stage(
        &self,
        inside: &mut Inside<'_>,
        target: &Path,
        bytes: &[u8],
        secret: bool,
    ) -> Result<String, Fault> {
        // A link of that name leads elsewhere: it is refused.
        let first = inside.path(&format!("{STAGED}/x"))?;
        let dir = first.parent().unwrap_or(inside.root);
        if !dir.is_dir() {
            self.step()?;
            fs::create_dir(dir).map_err(Fault::file("make", dir))?;
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix("").disable_cleanup(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = if secret { 0o600 } else { 0o666 };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        #[cfg(not(unix))]
        let _ = secret;
        let mut file = builder.tempfile_in(dir).map_err(Fault::file("write into", dir))?;
        // A machine that stops here leaves half of the bytes.
        if let Err(died) = self.step() {
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
            return Err(died);
        }
        file.write_all(bytes).map_err(Fault::file("write", target))?;
        // Elsewhere only who wrote a file may flush it.
        if !cfg!(unix) && !self.hasty {
            file.as_file().sync_all().map_err(Fault::file("write", target))?;
        }
        let (_, path) = file.keep().map_err(|e| Fault::file("write", target)(e.error))?;
        // The library may have made the path absolute; the journal's are the folder's.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{STAGED}/{name}"))
    }

    fn finish(
        &self,
        root: &Path,
        renames: &[(String, String)],
        removals: &[String],
    ) -> Result<(), Fault> {
        let mut inside = Inside::new(root);
        let mut places = BTreeSet::new();
        for (from, to) in renames {
            let (from, to) = (inside.path(from)?, inside.path(to)?);
            let dir = to.parent().unwrap_or(root);
            self.folder(root, dir, &mut places)?;
            places.insert(dir.to_owned());
            self.step()?;
            match fs::rename(&from, &to) {
                Ok(()) => {}
                // After a kill, those already renamed are gone.
                Err(fault) if fault.kind() == ErrorKind::NotFound && to.exists() => {}
                Err(fault) if fault.kind() == ErrorKind::NotFound => {
                    return Err(Fault::input(
                        format!("`{}` was written and is gone", to.display()),
                        "restore the game from a backup: something else removed files in it",
                    ));
                }
                Err(fault) => return Err(Fault::file("write", &to)(fault)),
            }
        }
        for path in removals {
            let path = inside.path(path)?;
            if path.exists() {
                self.step()?;
                fs::remove_file(&path).map_err(Fault::file("remove", &path))?;
                places.insert(path.parent().unwrap_or(root).to_owned());
            }
        }
        self.settle(root, &places)?;
        let journal = root.join(JOURNAL);
        if journal.exists() {
            self.step()?;
            fs::remove_file(&journal).map_err(Fault::file("remove", &journal))?;
            self.settle(root, &BTreeSet::from([root.to_owned()]))?;
        }
        let staged = root.join(STAGED);
        if staged.is_dir() {
            self.step()?;
            // Whatever else lies there, or was there after a kill, is swept at the next hold.
            let _ = fs::remove_dir(&staged);
        }
        Ok(())
    }

    /// Makes what was written last: the bytes of files, the names within folders.
    fn settle(&self, root: &Path, places: &BTreeSet<PathBuf>) -> Result<(), Fault> {
        if places.is_empty() {
            return Ok(());
        }
        self.step()?;
        if self.hasty || (places.len() > FEW && flush_disk(root)) {
            return Ok(());
        }
        for place in places {
            // Only Unix lets a folder be opened for that.
            if cfg!(unix) {
                let place_opened = File::open(place).map_err(Fault::file("open", place))?;
                place_opened.sync_all().map_err(Fault::file("write", place))?;
            }
        }
        Ok(())
    }
}

/// Flushes the disk that a folder is on, whole; false where that cannot be done or was
/// not: then each place is flushed by itself.
fn flush_disk(root: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return File::open(root).is_ok_and(|folder| rustix::fs::syncfs(&folder).is_ok());
    #[cfg(not(target_os = "linux"))]
    {
        let _ = root;
        false
    }
}

/// Removes staged files that no journal speaks for.
fn sweep(root: &Path) -> Result<(), Fault> {
    let dir = root.join(STAGED);
    match dir.symlink_metadata() {
        Ok(kind) if kind.is_dir() => fs::remove_dir_all(&dir).map_err(Fault::file("remove", &dir)),
        // A link, or a file of that name: none of ours, and `inside` refuses to use it.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(root: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(root)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_batch_appears_whole_or_not_at_all() {
        let mut batch = Batch::new();
        batch.record("a.txt", "new a\n");
        batch.replace("b.txt", "new b\n");
        batch.record("turn.txt", "turn\n");
        batch.remove("old.txt");
        let mut before = 0;
        let mut after = 0;
        for step in 1.. {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("b.txt"), "old b\n").unwrap();
            fs::write(dir.path().join("old.txt"), "old\n").unwrap();
            let store = Store::dying_at(step);
            let done = store.commit(dir.path(), &batch);
            let _held = Store::new().hold(dir.path()).unwrap();
            let b = fs::read_to_string(dir.path().join("b.txt")).unwrap();
            if dir.path().join("turn.txt").exists() {
                after += 1;
                assert_eq!(tree(dir.path()), [".lock", "a.txt", "b.txt", "turn.txt"]);
                assert_eq!(b, "new b\n");
            } else {
                before += 1;
                assert_eq!(tree(dir.path()), [".lock", "b.txt", "old.txt"]);
                assert_eq!(b, "old b\n");
            }
            if done.is_ok() {
                break;
            }
        }
        assert!(before >= 6 && after >= 5, "{before} {after}");
    }

    #[test]
    fn what_is_recorded_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let mut batch = Batch::new();
        batch.record("a.txt", "one\n");
        let store = Store::new();
        store.commit(dir.path(), &batch).unwrap();
        store.commit(dir.path(), &batch).unwrap();
        batch.record("a.txt", "two\n");
        assert!(matches!(store.commit(dir.path(), &batch), Err(Fault::Refused { .. })));
        batch.record("../a.txt", "two\n");
        assert!(store.commit(dir.path(), &batch).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_is_not_followed() {
        let (dir, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(away.path(), dir.path().join("outbox")).unwrap();
        let mut batch = Batch::new();
        batch.record("a.txt", "one\n");
        batch.replace("outbox/mail.txt", "to whom?\n");
        assert!(matches!(Store::new().commit(dir.path(), &batch), Err(Fault::Refused { .. })));
        assert_eq!(fs::read_dir(away.path()).unwrap().count(), 0);
        assert!(!dir.path().join("a.txt").exists(), "all of a batch or nothing");
    }

    #[test]
    fn another_holders_files_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let game = dir.path().join("game");
        let (ours, theirs) = (dir.path().join(STAGED), game.join(STAGED));
        for folder in [&ours, &theirs] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("x"), "half").unwrap();
        }
        let store = Store::new();
        drop(store.hold(dir.path()).unwrap());
        assert!(theirs.join("x").exists() && !ours.exists());
        drop(store.hold(&game).unwrap());
        assert!(!theirs.exists());
    }

    #[cfg(unix)]
    #[test]
    fn staged_files_do_not_follow_a_link() {
        let (dir, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(away.path().join("theirs"), "x").unwrap();
        std::os::unix::fs::symlink(away.path(), dir.path().join(STAGED)).unwrap();
        let mut batch = Batch::new();
        batch.record("a.txt", "one\n");
        assert!(matches!(Store::new().commit(dir.path(), &batch), Err(Fault::Refused { .. })));
        drop(Store::new().hold(dir.path()).unwrap());
        assert_eq!(tree(away.path()), ["theirs"]);
    }

    #[test]
    fn a_second_holder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new();
        let held = store.hold(dir.path()).unwrap();
        assert!(matches!(store.hold(dir.path()), Err(Fault::Busy { .. })));
        drop(held);
        assert!(store.hold(dir.path()).is_ok());
    }
}
