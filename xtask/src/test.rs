//! `cargo xtask test`: the whole of continuous integration, or only the tests a filter selects.
//!
//! The plan is plain data, so that what runs under which option can be tested without running it. This module knows
//! nothing about single tests; nextest selects and runs them.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow};
use baton_testbed::{Cluster, shared};
use clap::builder::FalseyValueParser;

use crate::setup::Provided;
use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{command, junit, setup};

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

/// One call of cargo.
#[derive(Debug, PartialEq)]
struct Planned {
    name: &'static str,
    arguments: Vec<String>,
    /// What a person can do when it fails.
    remedy: String,
    /// Whether it runs beside a PostgreSQL of its own.
    with_postgres: bool,
}

/// Where property tests read the seed of their random inputs.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Where nextest reads how often to try a failed test again; `--retries` in a filter overrides it.
const RETRIES: &str = "NEXTEST_RETRIES";

/// How many of the slowest tests are shown.
const SLOWEST_MAX: usize = 10;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let mut steps = Steps::default();
    let Some(provided) = steps.run("setup", "cargo xtask setup", || setup::run(workspace)) else {
        // Without the tools every later step would fail for the same reason and hide it.
        return steps.finish();
    };
    let seed = seed();
    forget(&workspace.test_report())?;
    for planned in plan(args, &seed) {
        // It ends with this turn of the loop, whatever becomes of the step.
        let postgres = if planned.with_postgres { start_postgres(&mut steps) } else { None };
        let socket_dir = postgres.as_ref().map(Cluster::socket_dir);
        let mut cargo = prepared(workspace, &provided, args, &seed, &planned, socket_dir);
        let shown = command::shown(&cargo);
        steps.run(planned.name, &shown, || attempt(&mut cargo, &planned.remedy));
    }
    report(workspace)?;
    if !args.advisories && args.filter.is_empty() {
        eprintln!(
            "\nnote: known vulnerabilities were not looked up, which needs a network: add --advisories"
        );
    }
    steps.finish()
}

/// Starts one server for all tests; each would otherwise start its own, and take most of its time for that.
fn start_postgres(steps: &mut Steps) -> Option<Cluster> {
    let shown = "one private server for all tests, until they have ended";
    steps.run("postgres", shown, || Cluster::start().map_err(Into::into))
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

/// Takes the seed from the environment, or a new one from the clock, so that every run tries other inputs.
fn seed() -> String {
    let from_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.subsec_nanos());
    env::var(SEED).unwrap_or_else(|_| from_clock().to_string())
}

fn plan(args: &Args, seed: &str) -> Vec<Planned> {
    // A whole run reports every failure; someone who works on one test wants to see the first at once.
    let rest = if args.filter.is_empty() {
        vec!["--no-fail-fast"]
    } else {
        args.filter.iter().map(String::as_str).collect()
    };
    let nextest = ["nextest", "run", "--workspace"].into_iter().chain(rest);
    let full = if args.full { "--full " } else { "" };
    let remedy = format!("repeat one test with `{SEED}={seed} cargo xtask test {full}NAME`");
    let tests = Planned { remedy, with_postgres: true, ..planned("nextest", nextest, "") };
    if !args.filter.is_empty() {
        return vec![tests];
    }
    let advisories = args.advisories.then(advisories);
    let doc_tests = planned("doc tests", ["test", "--doc", "--workspace"], "repair the example it names");
    lints().into_iter().chain(advisories).chain([tests, doc_tests]).collect()
}

fn lints() -> [Planned; 3] {
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let deny = ["deny", "--offline", "check", "bans", "licenses", "sources"];
    [
        planned("fmt", ["fmt", "--all", "--check"], "run `cargo fmt --all`"),
        planned("clippy", clippy, "an exception needs #[expect] with a reason"),
        planned("deny", deny, "deny.toml has the rules and their reasons"),
    ]
}

fn advisories() -> Planned {
    planned("advisories", ["deny", "check", "advisories"], "update the crate it names")
}

fn planned<'a>(name: &'static str, arguments: impl IntoIterator<Item = &'a str>, remedy: &str) -> Planned {
    let arguments = arguments.into_iter().map(str::to_owned).collect();
    Planned { name, arguments, remedy: remedy.to_owned(), with_postgres: false }
}

fn prepared(
    workspace: &Workspace,
    provided: &Provided,
    args: &Args,
    seed: &str,
    planned: &Planned,
    postgres: Option<&Path>,
) -> Command {
    let mut cargo = command::cargo();
    cargo
        .args(&planned.arguments)
        .current_dir(&workspace.root)
        .env("PATH", &provided.search_path)
        .env("BATON_CONTRACT_DIR", workspace.contract())
        .env(SEED, seed);
    if args.full {
        cargo.env("BATON_TEST_FULL", "1");
    }
    // A person wants to see a failure at once. A machine tells a flaky test from a broken one first.
    if args.retry {
        cargo.env(RETRIES, "1");
    }
    if let Some(socket_dir) = postgres {
        cargo.env(shared::VARIABLE, socket_dir);
    }
    cargo
}

fn attempt(cargo: &mut Command, remedy: &str) -> Result<()> {
    command::run(cargo).map_err(|error| anyhow!("{error:#}; {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &Args, wanted: &[&str]) {
        let names: Vec<_> = plan(args, "7").iter().map(|planned| planned.name).collect();
        assert_eq!(names, wanted);
    }

    fn variables(args: &Args, postgres: Option<&Path>) -> Vec<String> {
        let workspace = Workspace { root: "/w".into(), target: "/t".into() };
        let provided = Provided { search_path: "/bin".into() };
        let cargo = prepared(&workspace, &provided, args, "7", &plan(args, "7")[0], postgres);
        cargo.get_envs().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn everything_runs_when_nothing_is_asked_for() {
        check(&Args::default(), &["fmt", "clippy", "deny", "nextest", "doc tests"]);
    }

    #[test]
    fn advisories_are_looked_up_only_on_request() {
        let args = Args { advisories: true, ..Args::default() };
        check(&args, &["fmt", "clippy", "deny", "advisories", "nextest", "doc tests"]);
    }

    #[test]
    fn a_filter_leaves_only_the_tests_and_reaches_nextest() {
        let args = Args { filter: vec!["claims".into(), "--no-capture".into()], ..Args::default() };
        check(&args, &["nextest"]);
        assert_eq!(
            plan(&args, "7")[0].arguments,
            ["nextest", "run", "--workspace", "claims", "--no-capture"]
        );
    }

    #[test]
    fn a_full_run_tells_the_tests_so() {
        assert_eq!(variables(&Args::default(), None), ["BATON_CONTRACT_DIR", "PATH", SEED]);
        let full = Args { full: true, ..Args::default() };
        assert_eq!(variables(&full, None), ["BATON_CONTRACT_DIR", "BATON_TEST_FULL", "PATH", SEED]);
    }

    #[test]
    fn a_run_that_tries_again_tells_nextest_so() {
        let args = Args { retry: true, ..Args::default() };
        assert_eq!(variables(&args, None), ["BATON_CONTRACT_DIR", "NEXTEST_RETRIES", "PATH", SEED]);
    }

    #[test]
    fn the_tests_and_nothing_else_get_a_server_with_a_filter_too() {
        for filter in [vec![], vec!["claims".into()]] {
            let plan = plan(&Args { filter, ..Args::default() }, "7");
            let served = plan.iter().filter(|planned| planned.with_postgres).map(|planned| planned.name);
            assert_eq!(served.collect::<Vec<_>>(), ["nextest"]);
        }
    }

    #[test]
    fn the_tests_are_told_where_the_server_is() {
        let variables = variables(&Args::default(), Some(Path::new("/s")));
        assert_eq!(variables, ["BATON_CONTRACT_DIR", "BATON_TEST_POSTGRES", "PATH", SEED]);
    }

    #[test]
    fn failing_tests_come_with_the_command_that_repeats_them() {
        let plan = plan(&Args::default(), "7");
        let tests = plan.iter().find(|planned| planned.name == "nextest").unwrap();
        assert_eq!(tests.remedy, "repeat one test with `PROPTEST_RNG_SEED=7 cargo xtask test NAME`");
    }
}
