//! `cargo xtask test`: the whole of continuous integration, or only the tests a filter selects.
//!
//! This module decides what runs under which option, and leaves the running to others.

use anyhow::Result;
use clap::builder::FalseyValueParser;

use crate::plan::{self, Planned};
use crate::runner::{Mode, Runner};
use crate::workspace::Workspace;

/// Options of `cargo xtask test`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Run the long variants of the tests too (they see BATON_TEST_FULL=1).
    #[arg(long)]
    pub(crate) full: bool,

    /// Also check the dependencies for known vulnerabilities, which needs a network.
    #[arg(long, conflicts_with = "filter")]
    pub(crate) advisories: bool,

    /// Try a failed test once more, and list it as flaky if it then passes.
    #[arg(long, env = "CI", value_parser = FalseyValueParser::new())]
    pub(crate) retry: bool,

    /// Run only setup and the tests these nextest arguments select: names, or `-- -E 'test(name)'`.
    #[arg(trailing_var_arg = true, value_name = "FILTER")]
    pub(crate) filter: Vec<String>,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let mut runner = Runner::start(workspace, Mode { full: args.full, retry: args.retry })?;
    plan(args, &runner.remedy()).iter().for_each(|planned| runner.run(planned));
    if !args.advisories && args.filter.is_empty() {
        eprintln!(
            "\nnote: known vulnerabilities were not looked up, which needs a network: add --advisories"
        );
    }
    runner.finish()
}

fn plan(args: &Args, remedy: &str) -> Vec<Planned> {
    const ALL: &str = "--workspace";
    if !args.filter.is_empty() {
        // What a filter says may be for compiling, for running, or for both, so nextest does both at once.
        let filter = [ALL].into_iter().chain(args.filter.iter().map(String::as_str));
        return vec![plan::tests(&filter.collect::<Vec<_>>(), remedy)];
    }
    let lints = [plan::fmt(), plan::clippy(&[ALL]), plan::deny()];
    // A whole run reports every failure; someone who works on one test wants to see the first at once.
    let tests = [plan::test_build(&[ALL]), plan::tests(&[ALL, "--no-fail-fast"], remedy), plan::doc_tests()];
    lints.into_iter().chain(args.advisories.then(plan::advisories)).chain(tests).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &Args, wanted: &[&str]) {
        let names: Vec<_> = plan(args, "").iter().map(|planned| planned.name).collect();
        assert_eq!(names, wanted);
    }

    #[test]
    fn everything_runs_when_nothing_is_asked_for() {
        check(&Args::default(), &["fmt", "clippy", "deny", "test build", "nextest", "doc tests"]);
    }

    #[test]
    fn advisories_are_looked_up_only_on_request() {
        let args = Args { advisories: true, ..Args::default() };
        check(&args, &["fmt", "clippy", "deny", "advisories", "test build", "nextest", "doc tests"]);
    }

    #[test]
    fn a_filter_leaves_only_the_tests_and_reaches_nextest() {
        let args = Args { filter: vec!["claims".into(), "--no-capture".into()], ..Args::default() };
        check(&args, &["nextest"]);
        assert_eq!(plan(&args, "")[0].arguments, ["nextest", "run", "--workspace", "claims", "--no-capture"]);
    }

    #[test]
    fn the_tests_and_nothing_else_get_a_server_with_a_filter_too() {
        for filter in [vec![], vec!["claims".into()]] {
            let plan = plan(&Args { filter, ..Args::default() }, "");
            let served = plan.iter().filter(|planned| planned.kind == plan::Kind::Tests);
            assert_eq!(served.map(|planned| planned.name).collect::<Vec<_>>(), ["nextest"]);
        }
    }
}
