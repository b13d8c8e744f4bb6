//! What a decision costs beside the bare SQL that it comes to: on the same server or file, in the same run, in rounds that
//! take turns.
//!
//! The server writes every commit through to the disk, and so does SQLite. Nothing is asserted: the table says what was met
//! and what was missed. Run by `cargo xtask bench store`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it starts processes and threads, reads the clock and prints"
)]

mod bare_sqlite;
mod history;
mod nudge;
mod ours;
mod pgbench;
mod plan;
mod postgres;
mod sqlite;
mod table;

use plan::Plan;
use table::Table;

fn main() {
    let plan = Plan::from_environment();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut table = Table::new(&plan);
    if plan.has_part("postgres") || plan.has_part("nudge") {
        postgres::measure(&plan, &runtime, &mut table);
    }
    if plan.has_part("sqlite") {
        sqlite::measure(&plan, &runtime, &mut table);
    }
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, table.text()).expect("the figures can be written");
    }
}
