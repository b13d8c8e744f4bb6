//! One entry of the cache: a directory that is made once and then used by every clone.
//!
//! Its name says what it was made from, so clones that need different versions do not disturb each other. A file
//! `.complete` is written last: an entry without it was interrupted, and is removed and made again. So is one that no
//! longer works. Nothing here removes entries that nobody needs any more.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::progress;

const COMPLETE: &str = ".complete";

/// A directory in the cache, and how to tell that it works.
pub(crate) struct Entry<'a> {
    /// What it is, for people.
    pub(crate) title: &'a str,
    pub(crate) path: PathBuf,
    /// Fails if what is there is not usable.
    pub(crate) probe: &'a dyn Fn(&Path) -> Result<()>,
}

impl Entry<'_> {
    /// Makes the entry unless it is there and works.
    pub(crate) fn ensure(&self, make: impl FnOnce(&Making<'_>) -> Result<()>) -> Result<()> {
        if self.problem().is_none() {
            return Ok(());
        }
        let lock = lock(&self.path, self.title)?;
        // Whoever held the lock may have made it.
        let Some(problem) = self.problem() else { return Ok(()) };
        eprintln!("  {}: {problem}; installing into {}", self.title, self.path.display());
        self.clear()?;
        fs::create_dir(&self.path).with_context(|| format!("creating `{}`", self.path.display()))?;
        make(&Making { title: self.title, path: &self.path, lock: &lock })?;
        (self.probe)(&self.path).with_context(|| format!("{}: installed, but not usable", self.title))?;
        let complete = self.path.join(COMPLETE);
        fs::write(&complete, "").with_context(|| format!("writing `{}`", complete.display()))
    }

    /// Says why the entry cannot be used as it is.
    fn problem(&self) -> Option<String> {
        if !self.path.exists() {
            return Some("not there yet".to_owned());
        }
        if !self.path.join(COMPLETE).is_file() {
            return Some("interrupted before".to_owned());
        }
        (self.probe)(&self.path).err().map(|problem| format!("damaged, because {problem:#}"))
    }

    fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing `{}`; remove it by hand", self.path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// The proof that nobody else makes the same entry.
pub(crate) struct Making<'a> {
    title: &'a str,
    pub(crate) path: &'a Path,
    lock: &'a File,
}

impl Making<'_> {
    /// Runs a command that fills the entry.
    ///
    /// The lock is its standard input. If this process is killed and the command lives on, it keeps the lock, and
    /// nobody removes the directory under it.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        let lock = self.lock.try_clone().context("sharing the lock of an entry")?;
        progress::watch(self.title, command.stdin(lock))
    }
}

/// Waits until nobody else works on what is, or will be, at this path.
pub(crate) fn lock(path: &Path, title: &str) -> Result<File> {
    // Not `with_extension`, which would take a part of a version for one.
    let path = path.with_added_extension("lock");
    let failed = || format!("locking `{}`; the cache must be writable", path.display());
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let file = file.with_context(failed)?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("  {title}: waiting for another setup"),
        Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
    }
    file.lock().with_context(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::mpsc;
    use std::thread;

    use anyhow::{bail, ensure};

    use super::*;

    fn has_content(path: &Path) -> Result<()> {
        ensure!(path.join("content").is_file(), "it has no content");
        Ok(())
    }

    fn fill(making: &Making<'_>) -> Result<()> {
        making.run(Command::new("touch").arg(making.path.join("content")))
    }

    fn entry(place: &Path) -> Entry<'static> {
        Entry { title: "something", path: place.join("something-1.2.3"), probe: &has_content }
    }

    /// Ensures an entry, and tells whether that made it.
    fn is_made(entry: &Entry<'_>) -> bool {
        let made = Cell::new(false);
        entry
            .ensure(|making| {
                made.set(true);
                fill(making)
            })
            .unwrap();
        made.get()
    }

    #[test]
    fn an_entry_is_made_once() {
        let place = tempfile::tempdir().unwrap();
        assert!(is_made(&entry(place.path())));
        assert!(!is_made(&entry(place.path())));
        assert!(place.path().join("something-1.2.3.lock").is_file());
    }

    #[test]
    fn an_entry_that_was_interrupted_is_made_again_from_nothing() {
        let place = tempfile::tempdir().unwrap();
        let entry = entry(place.path());
        entry
            .ensure(|making| {
                fill(making)?;
                fs::write(making.path.join("half"), "")?;
                bail!("interrupted")
            })
            .unwrap_err();
        assert!(is_made(&entry));
        assert!(!entry.path.join("half").exists());
    }

    #[test]
    fn an_entry_that_no_longer_works_is_made_again() {
        let place = tempfile::tempdir().unwrap();
        let entry = entry(place.path());
        is_made(&entry);
        fs::remove_file(entry.path.join("content")).unwrap();
        assert!(is_made(&entry));
        assert!(!is_made(&entry));
    }

    #[test]
    fn an_entry_that_does_not_work_when_it_is_made_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let error = format!("{:#}", entry(place.path()).ensure(|_| Ok(())).unwrap_err());
        assert_eq!(error, "something: installed, but not usable: it has no content");
    }

    #[test]
    fn two_setups_at_once_make_an_entry_once() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let (started, starts) = mpsc::channel();
        thread::scope(|scope| {
            let second = scope.spawn(move || {
                starts.recv().unwrap();
                is_made(&entry(place))
            });
            entry(place)
                .ensure(|making| {
                    started.send(()).unwrap();
                    fill(making)
                })
                .unwrap();
            assert!(!second.join().unwrap());
        });
    }

    #[test]
    fn a_command_that_outlives_its_setup_keeps_the_lock() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("something");
        let held = lock(&path, "something").unwrap();
        let mut orphan = Command::new("sleep").arg("600").stdin(held.try_clone().unwrap()).spawn().unwrap();
        drop(held);
        let other = File::open(path.with_added_extension("lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        orphan.kill().unwrap();
        orphan.wait().unwrap();
        other.try_lock().unwrap();
    }
}
