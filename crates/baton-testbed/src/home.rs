//! The private directory of a server: its data, its log, its socket, and a lock that tells whether its owner lives.
//!
//! A process that is killed cannot clean up. The kernel ends its lock, though, and so every new server first sweeps away
//! what dead owners left: the server, which would stay for ever, and its directory. Process ids would not do, because
//! they are used again, and mean something else in each container that shares a directory for temporary files.

use std::env;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::account::Account;
use crate::error::TestbedError;
use crate::programs::Programs;
use crate::server::PORT;

/// How the directories of living servers, and of those nobody cleaned up after, are called.
const PREFIX: &str = "baton-pg-";

/// A directory that is not locked yet is called otherwise, so that no sweep finds it.
const UNLOCKED_PREFIX: &str = "baton-new-pg-";

/// The file with the lock.
const OWNER: &str = "owner";

/// The kernel refuses longer paths of sockets; 104 on some systems, with the zero at the end.
const SOCKET_PATH_BYTES_MAX: usize = 103;

/// The directory of a server of this process; it is removed with this value.
#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
    /// Held open because the lock ends with it.
    _owner: File,
}

impl Home {
    /// Makes a directory that belongs to an account and is locked by this process.
    pub(crate) fn create(account: Account) -> Result<Self, TestbedError> {
        Self::create_in(&parent(account), account)
    }

    fn create_in(parent: &Path, account: Account) -> Result<Self, TestbedError> {
        let failed = || TestbedError::io(format!("making a private directory in `{}`", parent.display()));
        let made = tempfile::Builder::new().prefix(UNLOCKED_PREFIX).tempdir_in(parent).map_err(failed())?;
        let owner = locked_owner(made.path()).map_err(failed())?;
        account.take(made.path())?;
        let name = made.path().file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(name.replacen(UNLOCKED_PREFIX, PREFIX, 1));
        fs::rename(made.path(), &path).map_err(failed())?;
        // Nothing is left under the old name to remove.
        let _ = made.keep();
        Ok(Self { path, _owner: owner })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn data(&self) -> PathBuf {
        data(&self.path)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be removed now is found by the next sweep, because the lock ends in any case.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Ends the servers whose owners are dead, and removes their directories.
///
/// What cannot be swept stays for the next one: it must not keep anybody from starting a server.
pub(crate) fn sweep(programs: &Programs, account: Account) {
    sweep_in(&parent(account), programs, account);
}

fn sweep_in(parent: &Path, programs: &Programs, account: Account) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    // A directory of someone else is not ours to judge, whatever its name.
    let ours = named.filter(|entry| {
        entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == account.uid)
    });
    ours.for_each(|entry| sweep_one(&entry.path(), programs, account));
}

fn sweep_one(home: &Path, programs: &Programs, account: Account) {
    let owner = File::open(home.join(OWNER));
    let is_abandoned = match &owner {
        Ok(file) => file.try_lock().is_ok(),
        // A removal that was interrupted may have come as far as this file, with no server left to end.
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if is_abandoned && stop_abandoned(home, programs, account) {
        let _ = fs::remove_dir_all(home);
    }
}

/// Ends the server of a directory; tells whether there is none any more.
fn stop_abandoned(home: &Path, programs: &Programs, account: Account) -> bool {
    // Only where its socket answers does the id in its file belong to a server, and not to some later process.
    if UnixStream::connect(home.join(format!(".s.PGSQL.{PORT}"))).is_err() {
        return true;
    }
    // The program runs as the server's account, so a forged file cannot make root signal what it must not.
    let mut stop = programs.command("pg_ctl");
    stop.args(["stop", "--mode=immediate", "--wait", "--timeout=10", "--pgdata"])
        .arg(data(home))
        .current_dir(home);
    account.apply(&mut stop);
    stop.output().is_ok_and(|output| output.status.success())
}

fn locked_owner(home: &Path) -> std::io::Result<File> {
    let mut owner = File::create(home.join(OWNER))?;
    owner.lock()?;
    // The number is for people; only the lock counts.
    writeln!(owner, "{}", std::process::id())?;
    Ok(owner)
}

fn data(home: &Path) -> PathBuf {
    home.join("data")
}

/// Chooses the directory for temporary files, or `/tmp` where a socket's path would become too long in it, or where it
/// is closed to the server's account.
fn parent(account: Account) -> PathBuf {
    let usual = env::temp_dir();
    if fits_a_socket(&usual) && account.reaches(&usual) { usual } else { PathBuf::from("/tmp") }
}

fn fits_a_socket(parent: &Path) -> bool {
    let socket = parent.join(format!("{PREFIX}123456")).join(format!(".s.PGSQL.{PORT}"));
    socket.as_os_str().len() <= SOCKET_PATH_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swept(parent: &Path) {
        sweep_in(parent, &Programs::find().unwrap(), Account::choose().unwrap());
    }

    fn home_in(parent: &Path) -> Home {
        Home::create_in(parent, Account::choose().unwrap()).unwrap()
    }

    #[test]
    fn a_directory_is_removed_with_its_home() {
        let parent = tempfile::tempdir().unwrap();
        let home = home_in(parent.path());
        assert!(home.path().is_dir());
        drop(home);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_sweep_leaves_the_living_and_the_unlocked_alone() {
        let parent = tempfile::tempdir().unwrap();
        let home = home_in(parent.path());
        let unlocked = parent.path().join(format!("{UNLOCKED_PREFIX}123456"));
        fs::create_dir(&unlocked).unwrap();
        swept(parent.path());
        assert!(home.path().is_dir());
        assert!(unlocked.is_dir());
    }

    #[test]
    fn a_sweep_removes_what_no_living_process_owns() {
        let parent = tempfile::tempdir().unwrap();
        let account = Account::choose().unwrap();
        let abandoned = ["a", "b"].map(|name| parent.path().join(format!("{PREFIX}{name}")));
        for path in &abandoned {
            fs::create_dir(path).unwrap();
            account.take(path).unwrap();
        }
        fs::write(abandoned[0].join(OWNER), "1\n").unwrap();
        swept(parent.path());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_long_directory_for_temporary_files_is_given_up() {
        assert!(fits_a_socket(Path::new("/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T")));
        assert!(!fits_a_socket(Path::new(&format!("/{}", "a".repeat(80)))));
    }
}
