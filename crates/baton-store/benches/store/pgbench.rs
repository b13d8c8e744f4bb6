//! The other side on PostgreSQL: `pgbench` with the same transactions in bare SQL.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use baton_testbed::Cluster;

use crate::plan::{Plan, Work};

const ENQUEUE: &str = include_str!("sql/enqueue.sql");
const START_AND_FINISH: &str = include_str!("sql/start_and_finish.sql");

/// `pgbench` on one database.
pub(crate) struct Pgbench<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) database: &'a str,
    /// Where its scripts and logs are.
    pub(crate) directory: PathBuf,
    /// The next fresh issue.
    base: u64,
}

impl<'a> Pgbench<'a> {
    pub(crate) fn new(cluster: &'a Cluster, database: &'a str, directory: PathBuf) -> Self {
        fs::create_dir_all(&directory).expect("a directory for scripts");
        fs::write(directory.join("enqueue.sql"), ENQUEUE).expect("a script");
        fs::write(directory.join("cycle.sql"), format!("{ENQUEUE}{START_AND_FINISH}")).expect("a script");
        Self { cluster, database, directory, base: 10_000_000 }
    }

    /// Returns how often a second the work is done by so many clients.
    pub(crate) fn rate(&mut self, plan: &Plan, work: Work, clients: usize) -> f64 {
        let before = self.finished();
        let said = self.run(plan, work, clients, &[]);
        let tps = figure(&said, "tps = ");
        if work == Work::Enqueue {
            return tps;
        }
        // A cycle that found nothing to start is none.
        let cycles = figure(&said, "transactions actually processed: ");
        tps * ((self.finished() - before) / cycles).min(1.0)
    }

    /// Returns how long each transaction of one client took, in microseconds.
    pub(crate) fn latencies_us(&mut self, plan: &Plan) -> Vec<f64> {
        let prefix = self.directory.join("latency");
        let logged = format!("--log-prefix={}", prefix.display());
        self.run(plan, Work::Enqueue, 1, &["--log", &logged]);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory).expect("a directory").flatten() {
            if entry.file_name().to_string_lossy().starts_with("latency") {
                let text = fs::read_to_string(entry.path()).expect("a log");
                let third = |line: &str| line.split(' ').nth(2).and_then(|field| field.parse::<f64>().ok());
                found.extend(text.lines().filter_map(third));
                fs::remove_file(entry.path()).expect("the log is removed");
            }
        }
        found
    }

    fn run(&mut self, plan: &Plan, work: Work, clients: usize, more: &[&str]) -> String {
        let script = match work {
            Work::Enqueue => "enqueue.sql",
            Work::Cycle => "cycle.sql",
        };
        let mut pgbench = Command::new(self.cluster.pgbench_path());
        let threads = clients.min(2).to_string();
        let (clients, seconds) = (clients.to_string(), plan.round.as_secs().to_string());
        pgbench.args(["--no-vacuum", "--protocol=prepared", "--client", &clients, "--jobs", &threads]);
        pgbench.args(["--time", &seconds, "--define", "n=0", "--define", &format!("base={}", self.base)]);
        pgbench.arg("--file").arg(self.directory.join(script)).args(more);
        let output = pgbench.arg(self.cluster.url(self.database)).output().expect("pgbench runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "pgbench failed: {errors}");
        self.base += 100_000_000;
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn finished(&self) -> f64 {
        let sql = "SELECT count(*) FROM transfers WHERE reason = 'freed'";
        let found = self.cluster.sql(self.database, sql).expect("a count");
        found.parse().expect("a number")
    }
}

fn figure(said: &str, label: &str) -> f64 {
    let rest = said.split(label).nth(1).unwrap_or_else(|| panic!("no `{label}` in: {said}"));
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().expect("a number")
}
