//! A sequence of named steps: each is announced and timed, and the table at the end says how each went.
//!
//! A failing step does not stop the next one, so that one run shows everything there is to repair. What the steps
//! are is decided elsewhere.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

struct Row {
    name: &'static str,
    took: Duration,
    passed: bool,
}

/// The steps run so far.
#[derive(Default)]
pub(crate) struct Steps {
    rows: Vec<Row>,
}

impl Steps {
    /// Runs one step, and returns what it made if it passed.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        shown: &str,
        step: impl FnOnce() -> Result<T>,
    ) -> Option<T> {
        // Headings go where cargo and nextest write, so that they stay in order in a log of either stream.
        eprintln!("\n==> {name}: {shown}");
        let started = Instant::now();
        let outcome = step();
        let row = Row { name, took: started.elapsed(), passed: outcome.is_ok() };
        match &outcome {
            Ok(_) => eprintln!("<== {name}: {} s", seconds(row.took)),
            Err(error) => eprintln!("<== {name}: FAILED after {} s: {error:#}", seconds(row.took)),
        }
        self.rows.push(row);
        outcome.ok()
    }

    /// Tells whether a step has failed.
    pub(crate) fn failed(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name == name && !row.passed)
    }

    /// Prints the table and fails if any step failed.
    pub(crate) fn finish(self) -> Result<()> {
        println!("\n{}", table(&self.rows));
        let failed: Vec<_> = self.rows.iter().filter(|row| !row.passed).map(|row| row.name).collect();
        if failed.is_empty() {
            return Ok(());
        }
        bail!("{} of {} steps failed: {}", failed.len(), self.rows.len(), failed.join(", "))
    }
}

fn table(rows: &[Row]) -> String {
    let total = rows.iter().map(|row| row.took).sum();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max("total".len());
    let mut lines: Vec<_> = rows.iter().map(|row| line(row, width)).collect();
    lines.push(format!("{:width$}  {:>8} s", "total", seconds(total)));
    lines.join("\n")
}

fn line(row: &Row, width: usize) -> String {
    let verdict = if row.passed { "ok" } else { "FAILED" };
    format!("{:width$}  {:>8} s  {verdict}", row.name, seconds(row.took))
}

fn seconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_every_step_with_its_time_and_verdict() {
        let rows = [
            Row { name: "fmt", took: Duration::from_millis(1_240), passed: true },
            Row { name: "nextest", took: Duration::from_millis(61_000), passed: false },
        ];
        let wanted = "\
fmt           1.2 s  ok
nextest      61.0 s  FAILED
total        62.2 s";
        assert_eq!(table(&rows), wanted);
    }

    #[test]
    fn a_failing_step_does_not_stop_the_next_and_is_named_at_the_end() {
        let mut steps = Steps::default();
        assert_eq!(steps.run("first", "always fails", || bail!("broken")), None::<()>);
        assert_eq!(steps.run("second", "always passes", || Ok(7)), Some(7));
        assert!(steps.failed("first") && !steps.failed("second") && !steps.failed("third"));
        assert_eq!(steps.finish().unwrap_err().to_string(), "1 of 2 steps failed: first");
    }

    #[test]
    fn steps_that_all_pass_finish_well() {
        let mut steps = Steps::default();
        steps.run("only", "always passes", || Ok(()));
        steps.finish().unwrap();
    }
}
