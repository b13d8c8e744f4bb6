//! Ends of pipes that a process inherits under a number.
//!
//! A number is opened anew through `/dev/fd`, which needs no unsafe code. The number itself stays open and is inherited
//! further; where that would matter, standard input and output are used, which every child gets new.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};

/// What a wide pipe holds: a quarter of what a user may ask for, as there may be many.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 256 * 1024;

/// Returns a pipe that children do not inherit: the end to read and the end to write.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// Lets children inherit an end of a pipe, and returns its number as an argument for them.
pub(crate) fn bequeath(end: &OwnedFd) -> io::Result<String> {
    fcntl_setfd(end, FdFlags::empty())?;
    Ok(end.as_raw_fd().to_string())
}

/// Makes a pipe hold more, so that less time goes into waking its two ends. It works as it is, too.
#[cfg(target_os = "linux")]
pub(super) fn widen(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_: impl std::os::fd::AsFd) {}

pub(super) fn inherited_to_read(number: i32) -> io::Result<File> {
    inherited(number, OpenOptions::new().read(true))
}

pub(super) fn inherited_to_write(number: i32) -> io::Result<File> {
    inherited(number, OpenOptions::new().write(true))
}

fn inherited(number: i32, how: &OpenOptions) -> io::Result<File> {
    let path = format!("/dev/fd/{number}");
    how.open(&path).map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))
}
