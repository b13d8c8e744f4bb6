//! The outbox against the real forge: committed effects are performed in order and once in effect, whatever fails and
//! whoever dies in between.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, and fails where it stands"
)]

mod crashes;
mod desk;
mod faults;
mod lag;
mod leases;
mod marks;
mod merges;
mod order;
#[expect(dead_code, reason = "it strikes in more ways than are needed here")]
#[path = "../claims/proxy.rs"]
mod proxy;
#[path = "../support/mod.rs"]
mod support;
#[expect(dead_code, reason = "others wait for more")]
#[path = "../claims/waiting.rs"]
mod waiting;
mod worker;
mod world;

/// The entry of a worker process. Started in any other way it has nothing to do.
#[test]
fn outbox_worker() {
    worker::serve_if_worker();
}
