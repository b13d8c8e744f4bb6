//! Whom the server runs as: PostgreSQL refuses root, so root lends it the account `nobody`.
//!
//! Clients run as whoever started the tests; root may enter the directory of `nobody`, and everyone else is the server's
//! own account.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::process::{getegid, geteuid};

use crate::error::TestbedError;

/// The permission to enter a directory, for those who neither own it nor are in its group.
const OTHERS_ENTER: u32 = 0o001;

/// The account that owns a server's directory and its processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    gid: u32,
    /// Whether it is not the account of this process.
    is_lent: bool,
}

impl Account {
    pub(crate) fn choose() -> Result<Self, TestbedError> {
        if geteuid().is_root() {
            return Ok(Self { uid: id_of_nobody("-u")?, gid: id_of_nobody("-g")?, is_lent: true });
        }
        Ok(Self { uid: geteuid().as_raw(), gid: getegid().as_raw(), is_lent: false })
    }

    /// Lets a program run as this account.
    pub(crate) fn apply(self, command: &mut Command) {
        if self.is_lent {
            command.uid(self.uid).gid(self.gid);
        }
    }

    /// Tells whether this account may enter a directory that is not its own.
    pub(crate) fn reaches(self, directory: &Path) -> bool {
        let is_open = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.mode() & OTHERS_ENTER != 0);
        !self.is_lent || directory.ancestors().all(is_open)
    }

    /// Gives a directory of this process to this account.
    pub(crate) fn take(self, directory: &Path) -> Result<(), TestbedError> {
        if !self.is_lent {
            return Ok(());
        }
        chown(directory, Some(self.uid), Some(self.gid))
            .map_err(TestbedError::io(format!("giving `{}` to nobody", directory.display())))
    }
}

fn id_of_nobody(kind: &str) -> Result<u32, TestbedError> {
    let refused = |said: String| TestbedError::NoAccount(format!("`id {kind} nobody` {said}"));
    let output = Command::new("id")
        .args([kind, "nobody"])
        .output()
        .map_err(|error| refused(format!("cannot be run: {error}")))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().map_err(|_| refused(format!("says {:?}", printed.trim())))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_lent_account_reaches_only_what_is_open_to_all() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let lent = Account { uid: 65534, gid: 65534, is_lent: true };
        for (mode, reached) in [(0o700, false), (0o750, false), (0o711, true), (0o755, true)] {
            fs::set_permissions(outer.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(lent.reaches(&inner), reached, "{mode:o}");
            assert!(Account { is_lent: false, ..lent }.reaches(&inner), "{mode:o}");
        }
    }
}
