//! Nudges between processes on one machine: each listener has a datagram socket in a directory beside the store's file, and
//! whoever commits news sends a byte to all of them.
//!
//! A socket whose listener is dead is removed by the first who finds it so. Nothing here waits, and nothing that fails is
//! told: a poll stands behind nudges.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixDatagram as StdDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::net::UnixDatagram;

use crate::fault::Fault;
use crate::sqlite::with_suffix;

/// The longest path of a socket that every Unix takes.
const PATH_BYTES_MAX: usize = 100;
/// Room for the name of a socket within its directory.
const NAME_BYTES_MAX: usize = 24;

/// The place where listeners have their sockets.
#[derive(Debug, Clone)]
pub(crate) struct Sockets {
    directory: PathBuf,
}

impl Sockets {
    /// Returns the place for this file, whose path is absolute and has no links in it.
    pub(crate) fn beside(file: &Path) -> Self {
        let beside = with_suffix(file, ".nudges");
        if beside.as_os_str().len() + NAME_BYTES_MAX <= PATH_BYTES_MAX {
            return Self { directory: beside };
        }
        let hash = xxhash_rust::xxh3::xxh3_64(file.as_os_str().as_bytes());
        let user = rustix::process::geteuid().as_raw();
        Self { directory: std::env::temp_dir().join(format!("baton-nudges-{user}-{hash:016x}")) }
    }

    /// Tells everybody who listens.
    pub(crate) fn tell(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let Ok(sender) = StdDatagram::unbound() else { return };
        if sender.set_nonblocking(true).is_err() {
            return;
        }
        for path in entries.flatten().map(|entry| entry.path()) {
            // A full queue is a nudge that is still to be read.
            if let Err(error) = sender.send_to(&[0], &path)
                && error.kind() == io::ErrorKind::ConnectionRefused
            {
                let _ = fs::remove_file(&path);
            }
        }
    }

    /// Begins to listen.
    pub(crate) fn listen(&self) -> Result<SocketNudges, Fault> {
        let listening = self.own_directory().and_then(|()| self.bind());
        listening.map_err(|error| {
            Fault::Unreachable(format!("listening in {} failed: {error}", self.directory.display()))
        })
    }

    /// Makes the directory, or makes sure that it is nobody else's: a stranger could remove sockets from it.
    fn own_directory(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let owner = fs::symlink_metadata(&self.directory)?;
        if owner.is_dir() && owner.uid() == rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        Err(io::Error::other("the directory belongs to somebody else"))
    }

    fn bind(&self) -> io::Result<SocketNudges> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = self.directory.join(format!("{}-{count}.sock", std::process::id()));
            match UnixDatagram::bind(&path) {
                Ok(socket) => return Ok(SocketNudges { socket, path }),
                // A process of the same number was here before.
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Nudges of a store in a file.
#[derive(Debug)]
pub(crate) struct SocketNudges {
    socket: UnixDatagram,
    path: PathBuf,
}

impl SocketNudges {
    pub(crate) async fn nudged(&mut self) -> Result<(), Fault> {
        let mut byte = [0];
        let received = self.socket.recv(&mut byte).await;
        received.map_err(|error| Fault::Unreachable(format!("the socket of nudges failed: {error}")))?;
        // Those that came together are one.
        while self.socket.try_recv(&mut byte).is_ok() {}
        Ok(())
    }
}

impl Drop for SocketNudges {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
