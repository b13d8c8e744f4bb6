//! What the engine costs: requests and points of an idle cycle, memory for each issue, the time to the first agent, from a
//! webhook to an agent's process, webhooks in a flood, and many runs at once.
//!
//! Everything is measured on the binary in a process of its own against the embedded forge. Run by `cargo xtask bench engine`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark: it starts processes, reads the clock and prints"
)]
#![expect(dead_code, reason = "it shares modules with the tests, which use more of them")]

mod flood;
mod idle;
mod latency;
mod many;
mod meter;
mod site;

#[path = "../../tests/storm"]
mod storm {
    pub(crate) mod journal;
    pub(crate) mod setup;
}

use std::fmt::Write as _;
use std::time::Duration;

/// One row of the table.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) figures: String,
    pub(crate) aim: &'static str,
    /// Nothing where there is no aim.
    pub(crate) is_met: Option<bool>,
}

impl Row {
    pub(crate) fn new(
        what: impl Into<String>,
        figures: String,
        aim: &'static str,
        is_met: Option<bool>,
    ) -> Self {
        Self { what: what.into(), figures, aim, is_met }
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let text = runtime.block_on(run());
    println!("{text}");
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, text).unwrap();
    }
}

async fn run() -> String {
    let is_full = std::env::var_os("BATON_BENCH_FULL").is_some();
    let mut text = String::from("| what | figures | aim | |\n|---|---|---|---|\n");
    let mut add = |rows: Vec<Row>| {
        for Row { what, figures, aim, is_met } in rows {
            let met = is_met.map_or("", |is_met| if is_met { "met" } else { "missed" });
            println!("{what}: {figures}");
            let _ = writeln!(text, "| {what} | {figures} | {aim} | {met} |");
        }
    };
    let only = std::env::var("BATON_BENCH_ONLY").unwrap_or_default();
    let is_wanted = |part: &str| only.is_empty() || only.split(',').any(|it| it == part);
    if is_wanted("latency") {
        add(latency::measure(if is_full { 200 } else { 40 }).await);
    }
    if is_wanted("flood") {
        add(flood::measure(Duration::from_secs(if is_full { 60 } else { 10 })).await);
    }
    if is_wanted("many") {
        add(many::measure(200).await);
    }
    if is_wanted("idle") {
        let largest =
            std::env::var("BATON_BENCH_ISSUES").ok().and_then(|it| it.parse().ok()).unwrap_or(10_000);
        let sizes: Vec<_> = [100, 1_000, 10_000].into_iter().filter(|size| *size <= largest).collect();
        add(idle::measure(&sizes).await);
    }
    text
}

/// The value below which so many of a thousand are.
pub(crate) fn quantile(values: &mut [Duration], permille: usize) -> Duration {
    values.sort();
    values[(values.len() * permille / 1000).min(values.len() - 1)]
}

pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}
