//! Carrying out a plan: setup first, each call of cargo as a step with the environment of the tests, and at the end
//! what there is to say about single tests.
//!
//! What is in the plan is decided elsewhere.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow};
use baton_testbed::{Cluster, shared};

use crate::plan::{Kind, Planned, TEST_BUILD};
use crate::setup::Provided;
use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{command, junit, progress, setup};

/// Where property tests read the seed of their random inputs.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Where nextest reads how often to try a failed test again; `--retries` in a filter overrides it.
const RETRIES: &str = "NEXTEST_RETRIES";

/// How many of the slowest tests are shown.
const SLOWEST_MAX: usize = 10;

/// How the tests are to run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mode {
    /// With their long variants.
    pub(crate) full: bool,
    /// Once more if they fail.
    pub(crate) retry: bool,
}

/// A run whose setup has succeeded.
pub(crate) struct Runner<'a> {
    workspace: &'a Workspace,
    provided: Provided,
    mode: Mode,
    seed: String,
    pub(crate) steps: Steps,
}

impl<'a> Runner<'a> {
    /// Sets up. Without the tools every later step would fail for the same reason and hide it.
    pub(crate) fn start(workspace: &'a Workspace, mode: Mode) -> Result<Self> {
        let mut steps = Steps::default();
        let Some(provided) = steps.run("setup", "cargo xtask setup", || setup::run(workspace)) else {
            return Err(steps.finish().err().unwrap_or_else(|| anyhow!("setup failed")));
        };
        forget(&workspace.test_report())?;
        Ok(Self { workspace, provided, mode, seed: seed(), steps })
    }

    /// Returns what a person can type to run one test again with the same random inputs.
    pub(crate) fn remedy(&self) -> String {
        remedy(self.mode, &self.seed)
    }

    pub(crate) fn run(&mut self, planned: &Planned) {
        if planned.kind == Kind::Tests && self.steps.failed(TEST_BUILD) {
            // The compiler would only say the same again.
            return;
        }
        // It ends with this function, whatever becomes of the step.
        let postgres = if planned.kind == Kind::Tests { start_postgres(&mut self.steps) } else { None };
        let mut cargo = command::cargo();
        cargo.args(&planned.arguments).current_dir(&self.workspace.root);
        cargo.env("PATH", &self.provided.search_path).env("BATON_CONTRACT_DIR", self.workspace.contract());
        cargo.envs(variables(planned.kind, self.mode, &self.seed));
        cargo.envs(postgres.as_ref().map(|cluster| (shared::VARIABLE, cluster.socket_dir())));
        let shown = command::shown(&cargo);
        self.steps.run(planned.name, &shown, || attempt(&mut cargo, planned));
    }

    /// Says what there is to say about single tests, then how every step went.
    pub(crate) fn finish(self) -> Result<()> {
        let reported = report(self.workspace);
        // The table comes last, whatever can be said about single tests.
        self.steps.finish().and(reported)
    }
}

fn attempt(cargo: &mut Command, planned: &Planned) -> Result<()> {
    let outcome = match planned.kind {
        Kind::Compiling => progress::run(planned.name, cargo),
        Kind::Plain | Kind::Tests => command::run(cargo),
    };
    outcome.map_err(|error| anyhow!("{error:#}; {}", planned.remedy))
}

/// Starts one server for all tests; each would otherwise start its own, and take most of its time for that.
fn start_postgres(steps: &mut Steps) -> Option<Cluster> {
    let shown = "one private server for all tests, until they have ended";
    steps.run("postgres", shown, || Cluster::start().map_err(Into::into))
}

/// Takes the seed from the environment, or a new one from the clock, so that every run tries other inputs.
fn seed() -> String {
    let from_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.subsec_nanos());
    env::var(SEED).unwrap_or_else(|_| from_clock().to_string())
}

fn remedy(mode: Mode, seed: &str) -> String {
    let full = if mode.full { "--full " } else { "" };
    format!("repeat one test with `{SEED}={seed} cargo xtask test {full}NAME`")
}

fn variables(kind: Kind, mode: Mode, seed: &str) -> Vec<(&'static str, &str)> {
    let full = mode.full.then_some(("BATON_TEST_FULL", "1"));
    // A person wants to see a failure at once. A machine tells a flaky test from a broken one first.
    let retry = (mode.retry && kind == Kind::Tests).then_some((RETRIES, "1"));
    [(SEED, seed)].into_iter().chain(full).chain(retry).collect()
}

/// Removes what an earlier run reported, so that it is not taken for this one.
fn forget(report: &Path) -> Result<()> {
    match fs::remove_file(report) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing `{}`", report.display()))
        }
        _ => Ok(()),
    }
}

/// Says which tests took longest and which were flaky, and keeps the list of the latter.
fn report(workspace: &Workspace) -> Result<()> {
    // There is none if the tests did not compile, or ran under another profile.
    let xml = fs::read_to_string(workspace.test_report()).ok();
    let tests = xml.map_or(Ok(Vec::new()), |xml| junit::parse(&xml))?;
    let (list, flaky) = (workspace.flaky_tests(), junit::flaky(&tests));
    fs::create_dir_all(&workspace.target)
        .and_then(|()| fs::write(&list, &flaky))
        .with_context(|| format!("writing `{}`", list.display()))?;
    if tests.len() > SLOWEST_MAX {
        println!("\nslowest tests:\n{}", junit::slowest(&tests, SLOWEST_MAX).trim_end());
    }
    if !flaky.is_empty() {
        println!("\nFLAKY, passed only when tried again; mend these (also in {}):", list.display());
        flaky.lines().for_each(|name| println!("  {name}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_are_told_what_kind_of_run_it_is() {
        let table = [
            (Kind::Tests, false, false, "PROPTEST_RNG_SEED=7"),
            (Kind::Tests, true, false, "PROPTEST_RNG_SEED=7 BATON_TEST_FULL=1"),
            (Kind::Tests, false, true, "PROPTEST_RNG_SEED=7 NEXTEST_RETRIES=1"),
            (Kind::Compiling, true, true, "PROPTEST_RNG_SEED=7 BATON_TEST_FULL=1"),
        ];
        for (kind, full, retry, wanted) in table {
            let variables = variables(kind, Mode { full, retry }, "7");
            let told: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(told.join(" "), wanted);
        }
    }

    #[test]
    fn failing_tests_come_with_the_command_that_repeats_them() {
        let remedy = |full| remedy(Mode { full, retry: false }, "7");
        assert_eq!(remedy(false), "repeat one test with `PROPTEST_RNG_SEED=7 cargo xtask test NAME`");
        assert_eq!(remedy(true), "repeat one test with `PROPTEST_RNG_SEED=7 cargo xtask test --full NAME`");
    }

    #[test]
    fn an_earlier_report_is_forgotten_and_its_absence_is_fine() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("junit.xml");
        fs::write(&path, "").unwrap();
        for _ in 0..2 {
            forget(&path).unwrap();
            assert!(!path.exists());
        }
    }
}
