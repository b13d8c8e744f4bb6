//! A fleet of real workers on one store, while they are killed, stopped and cut off: what the store wrote down must hold
//! together, and no two agents of one issue may have been alive at once by what they wrote down themselves.
//!
//! The workers are `baton engine --idle`, each in a process of its own; the agents are this test program, started again
//! by their supervisors. Chance comes from a seed, which repeats the dice but not the scheduler of the machine.

mod agent;
mod audit;
mod crew;
mod diary;
mod figures;
mod ground;
mod season;
mod trouble;
mod wakers;

use baton_fixtures::is_full;
use ground::Ground;
use season::Season;

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn sixteen_workers_on_one_postgres_never_let_two_agents_of_an_issue_live_at_once() {
    let wakeups = if is_full() { 2_000 } else { 500 };
    let season = Season { name: "sixteen_workers_on_one_postgres", workers: 16, wakeups, issues: 50 };
    season.play(Ground::postgres()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn four_workers_on_one_sqlite_file_never_let_two_agents_of_an_issue_live_at_once() {
    let wakeups = if is_full() { 2_000 } else { 240 };
    let season = Season { name: "four_workers_on_one_sqlite_file", workers: 4, wakeups, issues: 50 };
    season.play(Ground::sqlite()).await;
}
