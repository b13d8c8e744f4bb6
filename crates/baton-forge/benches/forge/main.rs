//! How fast the forge answers, beside a bare axum handler that returns the same bytes.
//!
//! Both servers are processes of their own, and both are asked by the same client over the same number of connections, in
//! turns, so a ratio holds on any machine. Run by `cargo xtask bench forge`, which builds the binary first and passes
//! its path in BATON_BIN.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it starts processes, reads the clock and prints"
)]

mod boards;
mod hooks;
mod load;
mod servers;
mod table;
mod trials;

use std::time::Duration;

use load::{Load, measure};
use servers::{ForgeServer, Yardstick};
use table::Table;

const TOKEN: &str = "bft_bench";
const SMALL: u64 = 1_000;
const LARGE: u64 = 10_000;
const COMMENTS: u64 = 50_000;
const ROUNDS: usize = 5;

fn main() {
    if let Some(directory) = std::env::args().skip_while(|argument| argument != "yardstick").nth(1) {
        servers::run_yardstick(&directory);
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run());
}

async fn run() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let forge = ForgeServer::start(directory.path());
    let seeded = seed(&forge).await;
    let mut table = Table::new();
    table.note(&format!(
        "seeded {LARGE} + {SMALL} issues and {COMMENTS} comments through the API at {seeded:.0} writes/s"
    ));

    let issue = Load::get(&forge, |draw| format!("/repos/admin/large/issues/{}", 1 + draw % LARGE));
    let cold = forge.rss_mb();
    compare(&mut table, "GET issue, random of 10,000", &forge, &issue, directory.path(), 16).await;
    let comment =
        Load::post(&forge, "{\"body\": \"one more comment, of the length that people write\"}", |draw| {
            format!("/repos/admin/large/issues/{}/comments", 1 + draw % LARGE)
        });
    compare(&mut table, "POST comment", &forge, &comment, directory.path(), 16).await;
    let large = Load::get(&forge, |draw| {
        format!("/repos/admin/large/issues?per_page=100&page={}", 1 + draw % (LARGE / 100))
    });
    let large_rate =
        compare(&mut table, "list page of 100, of 10,000", &forge, &large, directory.path(), 16).await;
    let small = Load::get(&forge, |draw| {
        format!("/repos/admin/small/issues?per_page=100&page={}", 1 + draw % (SMALL / 100))
    });
    let small_rate =
        compare(&mut table, "list page of 100, of 1,000", &forge, &small, directory.path(), 16).await;

    boards::run(&mut table, &forge, directory.path()).await;
    hooks::run(&forge, &mut table).await;

    table.aim("GET issue against the yardstick", table.ratio("GET issue, random of 10,000"), 0.50, true);
    table.aim("list page at 10,000 against 1,000", large_rate / small_rate, 1.0 / 1.2, true);
    table.aim("RSS in MB after seeding", cold, 150.0, false);
    let trials = trials::measure(&forge, directory.path()).await;
    table.beside("trial merges, pushed to asked and told", trials.forge, "git merge-tree", trials.git);
    table.aim("RSS in MB after all of it", forge.rss_mb(), 150.0, false);
    table.finish();
}

/// Fills two repositories through the API; returns writes per second.
async fn seed(forge: &ForgeServer) -> f64 {
    let body =
        "A paragraph that says what is wrong, how it was seen and what would be right instead. ".repeat(4);
    for name in ["small", "large"] {
        load::once(forge, "POST", "/user/repos", &format!("{{\"name\": \"{name}\", \"auto_init\": true}}"))
            .await;
    }
    let issue = format!(
        "{{\"title\": \"An issue as people write them\", \"body\": \"{body}\", \"labels\": [\"bug\", \"stage:ready\"]}}"
    );
    let mut writes = 0.0;
    let mut seconds = 0.0;
    for (path, count, text) in [
        ("/repos/admin/small/issues", SMALL, issue.as_str()),
        ("/repos/admin/large/issues", LARGE, issue.as_str()),
    ] {
        seconds +=
            load::count(&Load::post(forge, text, move |_| path.to_owned()), 32, count).await.as_secs_f64();
        writes += count as f64;
    }
    let text = format!("{{\"body\": \"{}\"}}", &body[..200]);
    let comments =
        Load::post(forge, &text, |draw| format!("/repos/admin/large/issues/{}/comments", 1 + draw % LARGE));
    seconds += load::count(&comments, 32, COMMENTS).await.as_secs_f64();
    (writes + COMMENTS as f64) / seconds
}

/// Measures the forge and the yardstick in turns; returns the forge's median rate.
async fn compare(
    table: &mut Table,
    what: &str,
    forge: &ForgeServer,
    load: &Load,
    directory: &std::path::Path,
    connections: usize,
) -> f64 {
    let sample = load::sample(load).await;
    let yardstick = Yardstick::start(directory, forge.is_write(load), &sample);
    let bare = load.at(yardstick.address);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(measure(load, connections, Duration::from_secs(2)).await);
        theirs.push(measure(&bare, connections, Duration::from_secs(2)).await);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    table.row(what, sample.len(), ours, theirs);
    ours
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
