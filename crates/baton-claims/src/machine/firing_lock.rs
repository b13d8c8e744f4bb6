//! One firing per codename on this machine.
//!
//! A firing holds the kernel's lock on `agent-lock-<codename>` for as long as its process lives. The kernel gives the
//! lock to one and takes it back when the process dies, however it dies, so a lock cannot be stale and nobody has to
//! judge whether it is. What the file says (who, since when) is for people and decides nothing. The file stays when the
//! lock is released: removing it would let two firings lock two files of the same name. Files are opened so that
//! programs started by the holder do not inherit the lock.
//!
//! Deliberately absent: locks across machines, which are what claims are for.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_core::time::ServerTime;
use baton_ports::Clock as _;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

use super::clock::SystemClock;

/// How often a holder that has not written its name yet is looked at again, and how long between two looks.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Why it is not known whether a firing may go on.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The codename would not do as the name of a file.
    #[error(
        "`{0}` is not a codename: use `a` to `z`, digits, `.`, `_` and `-`, starting with a letter or digit"
    )]
    Codename(String),
    /// The lock could not be opened or taken.
    #[error(
        "cannot lock {}; check that this user may write there and that no other tool has put something else in its place",
        path.display()
    )]
    File {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It could not be told whether a person has paused the codename.
    #[error("cannot tell whether {} is there, so nothing is started", path.display())]
    Marker {
        /// The marker that would pause it.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Whether a firing may go on.
#[derive(Debug)]
pub enum LockOutcome<T = FiringLock> {
    /// The lock was free; here it is, or what was done under it.
    Taken(T),
    /// Another firing has it.
    Busy {
        /// Who, if the holder has come to say so and runs where this process can see it.
        holder: Option<Holder>,
    },
    /// A person has paused the codename.
    Paused,
}

/// Who has a lock, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// When it took the lock, such as `2026-05-01T19:42:33Z`.
    pub started: String,
    /// How it was started.
    pub cmdline: Vec<String>,
}

impl Holder {
    /// Returns when the lock was taken.
    pub fn since(&self) -> Option<ServerTime> {
        self.started.parse().ok()
    }

    fn this_process() -> Self {
        let cmdline = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        Self { pid: std::process::id(), started: SystemClock.wall_now().to_string(), cmdline }
    }

    /// Returns whether the process is there, so that the name of a dead holder is not taken for that of its successor.
    fn is_alive(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)))
    }
}

/// The right to fire under a codename on this machine; given back when dropped.
#[derive(Debug)]
pub struct FiringLock {
    file: File,
    path: PathBuf,
}

impl FiringLock {
    /// Takes the lock in `dir`, unless another has it or `<state_dir>/_paused/<codename>` is there.
    pub fn acquire(codename: &str, dir: &Path, state_dir: &Path) -> Result<LockOutcome, LockError> {
        check_codename(codename)?;
        if is_paused(codename, state_dir)? {
            return Ok(LockOutcome::Paused);
        }
        let path = dir.join(format!("agent-lock-{codename}"));
        take(&path, dir).map_err(|source| LockError::File { path, source })
    }

    /// Returns the file that is locked.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for FiringLock {
    /// Takes the name out while the lock is still held, so that nobody reads it as that of the next holder, and gives
    /// the lock back. Closing the file would do that too, but only once no child that is just being started has a copy.
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Runs `f` as the only firing under a codename on this machine, or tells why not.
pub fn with_lock<T>(
    codename: &str,
    dir: &Path,
    state_dir: &Path,
    f: impl FnOnce() -> T,
) -> Result<LockOutcome<T>, LockError> {
    Ok(match FiringLock::acquire(codename, dir, state_dir)? {
        LockOutcome::Taken(_lock) => LockOutcome::Taken(f()),
        LockOutcome::Busy { holder } => LockOutcome::Busy { holder },
        LockOutcome::Paused => LockOutcome::Paused,
    })
}

/// A codename becomes part of two file names, so it must be one harmless component.
fn check_codename(codename: &str) -> Result<(), LockError> {
    let in_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    let starts = codename.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    match starts && codename.len() <= 100 && codename.bytes().all(in_name) {
        true => Ok(()),
        false => Err(LockError::Codename(codename.to_owned())),
    }
}

fn is_paused(codename: &str, state_dir: &Path) -> Result<bool, LockError> {
    let path = state_dir.join("_paused").join(codename);
    path.try_exists().map_err(|source| LockError::Marker { path, source })
}

fn take(path: &Path, dir: &Path) -> io::Result<LockOutcome> {
    std::fs::create_dir_all(dir)?;
    for _ in 0..LOOKS {
        let mut file = open(path)?;
        if try_lock(&file)? {
            // Someone may have removed the file after it was opened; then the lock is on a file nobody else will find.
            if is_at(&file, path)? {
                write_holder(&mut file)?;
                return Ok(LockOutcome::Taken(FiringLock { file, path: path.to_owned() }));
            }
            continue;
        }
        let holder = read_holder(&mut file)?.filter(Holder::is_alive);
        if holder.is_some() {
            return Ok(LockOutcome::Busy { holder });
        }
        // The holder has the lock and has not written its name yet; a moment later it has.
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(LockOutcome::Busy { holder: None })
}

/// Opens the file without following links, since lock directories may be open to other users.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(0o644))?))
}

fn try_lock(file: &File) -> io::Result<bool> {
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let opened = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok((opened.dev(), opened.ino()) == (found.dev(), found.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn write_holder(file: &mut File) -> io::Result<()> {
    let text = serde_json::to_vec(&Holder::this_process())?;
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&text)
}

fn read_holder(file: &mut File) -> io::Result<Option<Holder>> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok())
}

#[cfg(test)]
mod tests {
    use super::super::test_child::TestChild;
    use super::*;

    const CHILD: &str = "machine::firing_lock::tests::a_child_fires_when_asked";

    fn acquire(directory: &Path) -> LockOutcome {
        FiringLock::acquire("lucius", &directory.join("locks"), &directory.join("state")).unwrap()
    }

    /// The other side: waits for the word, fires, reports, and holds what it got until it is told or killed.
    #[test]
    fn a_child_fires_when_asked() {
        let Some(directory) = TestChild::directory() else { return };
        TestChild::report("ready");
        TestChild::wait();
        let outcome = acquire(&directory);
        match &outcome {
            LockOutcome::Taken(_) => TestChild::report("taken"),
            LockOutcome::Busy { holder } => {
                TestChild::report(&format!("busy {}", holder.as_ref().map_or(0, |holder| holder.pid)));
            }
            LockOutcome::Paused => TestChild::report("paused"),
        }
        TestChild::wait();
    }

    fn ready_child(directory: &Path) -> TestChild {
        let mut child = TestChild::start(CHILD, directory);
        assert_eq!(child.line(), "ready");
        child
    }

    fn firing_child(directory: &Path) -> TestChild {
        let mut child = ready_child(directory);
        child.go();
        child
    }

    #[test]
    fn a_second_firing_is_told_who_has_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let mut child = firing_child(directory.path());
        assert_eq!(child.line(), "taken");
        let LockOutcome::Busy { holder: Some(holder) } = acquire(directory.path()) else {
            panic!("the lock of a living process was given away")
        };
        assert_eq!(holder.pid, child.id());
        assert!(holder.since().unwrap() <= SystemClock.wall_now());
        assert!(holder.cmdline.iter().any(|word| word == CHILD), "{:?}", holder.cmdline);
    }

    #[test]
    fn the_lock_of_a_killed_holder_can_be_taken_at_once() {
        let directory = tempfile::tempdir().unwrap();
        for _ in 0..5 {
            let mut child = firing_child(directory.path());
            assert_eq!(child.line(), "taken");
            child.kill();
            assert!(matches!(acquire(directory.path()), LockOutcome::Taken(_)));
        }
    }

    #[test]
    fn of_firings_at_the_same_moment_exactly_one_goes_on_and_the_others_name_it() {
        let directory = tempfile::tempdir().unwrap();
        // A dead holder's name is in the file, as after a crash; nobody may take it for the winner's.
        let mut dead = firing_child(directory.path());
        assert_eq!(dead.line(), "taken");
        dead.kill();
        for _ in 0..3 {
            let mut children: Vec<_> = (0..6).map(|_| ready_child(directory.path())).collect();
            children.iter_mut().for_each(TestChild::go);
            let outcomes: Vec<_> = children.iter_mut().map(|child| (child.id(), child.line())).collect();
            let winners: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome == "taken").collect();
            let [(winner, _)] = winners[..] else { panic!("{outcomes:?}") };
            let named = outcomes.iter().filter(|(_, outcome)| *outcome == format!("busy {winner}")).count();
            assert_eq!(named, 5, "{outcomes:?}");
        }
    }

    #[test]
    fn a_dead_holder_is_not_named_as_the_one_who_has_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let mut child = firing_child(directory.path());
        assert_eq!(child.line(), "taken");
        child.kill();
        // A successor that has the lock and has not come to write its name.
        let file = open(&directory.path().join("locks/agent-lock-lucius")).unwrap();
        assert!(try_lock(&file).unwrap());
        let outcome = acquire(directory.path());
        assert!(matches!(outcome, LockOutcome::Busy { holder: None }), "{outcome:?}");
    }

    #[test]
    fn a_lock_given_back_can_be_taken_again() {
        let directory = tempfile::tempdir().unwrap();
        let LockOutcome::Taken(lock) = acquire(directory.path()) else { panic!("a free lock was not given") };
        assert!(matches!(acquire(directory.path()), LockOutcome::Busy { .. }));
        let path = lock.path().to_owned();
        drop(lock);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "");
        assert!(matches!(acquire(directory.path()), LockOutcome::Taken(_)));
    }

    #[test]
    fn a_program_that_the_holder_started_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let LockOutcome::Taken(lock) = acquire(directory.path()) else { panic!("a free lock was not given") };
        let _child = ready_child(directory.path());
        drop(lock);
        assert!(matches!(acquire(directory.path()), LockOutcome::Taken(_)));
    }

    #[test]
    fn codenames_have_locks_of_their_own() {
        let directory = tempfile::tempdir().unwrap();
        let take = |codename| FiringLock::acquire(codename, directory.path(), directory.path()).unwrap();
        let (one, two) = (take("lucius"), take("bane"));
        assert!(matches!((one, two), (LockOutcome::Taken(_), LockOutcome::Taken(_))));
    }

    #[test]
    fn a_paused_codename_does_not_fire() {
        let directory = tempfile::tempdir().unwrap();
        let marker = directory.path().join("state/_paused/lucius");
        std::fs::create_dir_all(marker.parent().unwrap()).unwrap();
        std::fs::write(&marker, "").unwrap();
        assert!(matches!(acquire(directory.path()), LockOutcome::Paused));
        std::fs::remove_file(&marker).unwrap();
        assert!(matches!(acquire(directory.path()), LockOutcome::Taken(_)));
    }

    #[test]
    fn work_is_done_under_the_lock_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let run = |f: &dyn Fn() -> bool| with_lock("lucius", directory.path(), directory.path(), f).unwrap();
        let inner_was_busy = || matches!(run(&|| panic!("ran twice")), LockOutcome::Busy { .. });
        assert!(matches!(run(&inner_was_busy), LockOutcome::Taken(true)));
    }

    #[test]
    fn what_would_not_do_as_a_file_name_is_no_codename() {
        let long = "a".repeat(101);
        for codename in ["", ".", "..", "a/b", "Lucius", "-x", "_paused", "a b", "ü", &long] {
            let error = FiringLock::acquire(codename, Path::new("none"), Path::new("none")).unwrap_err();
            assert!(matches!(error, LockError::Codename(_)), "{codename:?}: {error}");
        }
    }

    #[test]
    fn something_else_in_the_place_of_the_lock_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent-lock-lucius");
        std::fs::create_dir(&path).unwrap();
        let error = FiringLock::acquire("lucius", directory.path(), directory.path()).unwrap_err();
        assert!(error.to_string().contains("agent-lock-lucius"), "{error}");
        std::fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink(directory.path().join("elsewhere"), &path).unwrap();
        assert!(FiringLock::acquire("lucius", directory.path(), directory.path()).is_err());
        assert!(!directory.path().join("elsewhere").exists());
    }
}
