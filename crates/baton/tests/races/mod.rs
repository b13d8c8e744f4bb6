//! Races for issues: the ways of others to claim, shown where they fail, and the harness that runs all of them.
//!
//! What a rival gets wrong is shown step by step, in an interleaving that the test chooses. Runs with processes and
//! chance print what they measured and assert only what must hold whatever happens.

mod against_alfred;
mod against_label_lock;
mod against_label_verify;
mod harness;
mod measured;
mod ours;
mod ours_survive;
mod setup;
mod statistics;

/// The entry of a worker process. Started in any other way it has nothing to do.
#[test]
fn race_worker() {
    harness::serve_if_worker();
}
