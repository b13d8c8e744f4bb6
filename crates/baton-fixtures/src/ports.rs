//! Ports for programs that must be told theirs before they listen.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Linux gives no port below 32768 to a connection, so nobody is given one of these between the look and its use.
const FIRST: u32 = 20_000;
const COUNT: u32 = 12_000;
/// How far apart the first looks of two processes are that were started one after another.
const APART: u32 = 97;

static LOOKS: AtomicU32 = AtomicU32::new(0);

/// Returns a port that nobody has, and that no other test looks at next.
pub fn free_port() -> u16 {
    let first = std::process::id().wrapping_mul(APART);
    let mut tried = (0..COUNT).map(|_| first.wrapping_add(LOOKS.fetch_add(1, Ordering::Relaxed)) % COUNT);
    let port = tried.find_map(|nth| {
        let port = u16::try_from(FIRST + nth).ok()?;
        TcpListener::bind(("127.0.0.1", port)).ok().map(|_| port)
    });
    port.expect("a port that nobody has")
}
