//! From a wake's commit to the start on an idle worker that listens, beside one transaction.

use std::time::{Duration, Instant};

use baton_ports::{Nudges as _, Store as _};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::ours::Ours;
use crate::pgbench::Pgbench;
use crate::plan::Plan;
use crate::table::{Aim, Table};

/// After this the worker has slept again for a while.
const IDLE: Duration = Duration::from_millis(5);
/// How many transactions may pass between the commit and the start.
const TRANSACTIONS_MAX: f64 = 3.0;

pub(crate) fn measure(
    plan: &Plan,
    runtime: &Runtime,
    ours: &Ours,
    bare: &mut Pgbench<'_>,
    table: &mut Table,
) {
    let (wakes, starts) = runtime.block_on(samples(ours, plan.nudges));
    let bare = bare.latencies_us(plan);
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let start = at(&starts, share);
        let aim = Aim::Under(TRANSACTIONS_MAX);
        let what = format!("PostgreSQL, commit of a wake → started over NOTIFY, {name}");
        table.row(&format!("{what}: beside that wake"), (start, at(&wakes, share)), "µs", &aim);
        table.row(&format!("{what}: beside a bare enqueue"), (start, at(&bare, share)), "µs", &aim);
    }
}

/// Returns how long wakes took, and how long it then took until their runs were started, in microseconds.
async fn samples(ours: &Ours, count: usize) -> (Vec<f64>, Vec<f64>) {
    let (started_to, mut started) = mpsc::unbounded_channel();
    let worker = ours.clone();
    let mut nudges = ours.relay.store.listen().await.expect("the worker listens");
    let listening = tokio::spawn(async move {
        loop {
            nudges.nudged().await.expect("a nudge");
            if let Some(run) = worker.start().await {
                let _ = started_to.send((Instant::now(), run));
            }
        }
    });
    let (mut wakes, mut starts) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let before = Instant::now();
        ours.wake().await;
        let committed = Instant::now();
        let (at, run) = started.recv().await.expect("the worker started it");
        wakes.push(us(committed - before));
        starts.push(us(at.saturating_duration_since(committed)));
        ours.finish(&run).await;
        tokio::time::sleep(IDLE).await;
    }
    listening.abort();
    (wakes, starts)
}

fn us(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Returns the value below which this share of all lies.
fn at(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = share * values.len() as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank within a list")]
    let rank = rank as usize;
    sorted.get(rank.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}
