//! The outbox against the real forge: committed effects are performed in order and once in effect, whatever fails and
//! whoever dies in between.

mod crashes;
mod effects;
mod faults;
mod lag;
mod leases;
mod marks;
mod merges;
mod order;
mod setup;
mod worker;

/// The entry of a worker process. Started in any other way it has nothing to do.
#[test]
fn outbox_worker() {
    worker::serve_if_worker();
}
