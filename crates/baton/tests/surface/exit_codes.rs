//! What each exit code means, tried for real: `exit_codes.txt` is the table.
//!
//! A line that begins with a number is a command line with its exit code; one that begins with `$` prepares something and
//! must succeed; `##` begins a situation, in a checkout of its own. Every code that a help names must be in the table, and
//! every code of the table in the help. That flags nobody knows are refused with 2 is tried for every command.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use baton_fixtures::TestEnv;

use crate::surface::checkout::Checkout;
use crate::surface::tree::{self, KnownCommand};

/// Exit codes that are shown elsewhere: the suite, and the test that shows it.
const ELSEWHERE: [(&str, i64, &str, &str); 10] = [
    (
        "baton demo",
        0,
        "demo",
        "five_issues_go_from_specify_to_merged_pull_requests_and_nothing_else_is_touched",
    ),
    ("baton demo", 1, "demo", "whoever_leaves_before_all_is_done_is_told_so"),
    ("baton approve", 0, "relay", APPROVALS),
    ("baton reject", 0, "relay", APPROVALS),
    ("baton doctor", 0, "adopt", "a_fresh_repository_is_set_up_with_one_command_and_is_well"),
    ("baton doctor", 1, "adopt", "people_read_a_line_for_each_check_and_what_helps"),
    ("baton init", 0, "adopt", "a_fresh_repository_is_set_up_with_one_command_and_is_well"),
    ("baton init", 1, "adopt", "a_no_at_the_end_leaves_nothing_behind"),
    ("baton init", 3, "adopt", "without_a_tracker_the_files_are_written_and_the_doctor_tells"),
    ("baton mcp", 0, "mcp", "a_client_that_says_nothing_costs_nothing"),
];

const APPROVALS: &str = "the_command_line_rejects_with_a_reason_that_the_agent_reads_and_then_approves";

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/surface/exit_codes.txt")
}

#[test]
fn every_exit_code_is_what_the_table_says() {
    let text = fs::read_to_string(table()).unwrap();
    let (mut checkout, mut found, mut wrong) = (None, Vec::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("##") {
            checkout = None;
        }
        found.push(match line.split_once("  ") {
            Some((wanted, command)) if wanted.parse::<i32>().is_ok() => {
                let ran = checkout.get_or_insert_with(Checkout::new).run(command);
                if wanted != ran.code.to_string() {
                    wrong.push(format!(
                        "{command}\n  exits with {} and not {wanted}: {} {}",
                        ran.code, ran.out, ran.err
                    ));
                }
                format!("{}  {command}", ran.code)
            }
            _ => {
                if let Some(preparation) = line.strip_prefix("$ ") {
                    let ran = checkout.get_or_insert_with(Checkout::new).run(preparation);
                    wrong.extend((ran.code != 0).then(|| format!("{line}\n  was to succeed: {ran:?}")));
                }
                line.to_owned()
            }
        });
    }
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(table(), format!("{}\n", found.join("\n"))).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn every_exit_code_of_a_help_is_in_the_table_and_the_other_way_round() {
    let text = fs::read_to_string(table()).unwrap();
    let commands = tree::commands();
    let tried: BTreeSet<(&str, i64)> = text.lines().filter_map(|line| tried(line, &commands)).collect();
    let elsewhere = ELSEWHERE.iter().map(|(path, code, ..)| (*path, *code));
    let shown: BTreeSet<_> = tried.iter().copied().chain(elsewhere).collect();
    let told = commands.iter().flat_map(|it| it.exit_codes.iter().map(|code| (it.path.as_str(), *code)));
    let told: BTreeSet<_> = told.collect();
    let untried: Vec<_> = told.difference(&shown).collect();
    assert!(untried.is_empty(), "exit_codes.txt has no line for {untried:?}");
    let untold: Vec<_> =
        tried.iter().filter(|(_, code)| [0, 1, 3].contains(code)).filter(|it| !told.contains(it)).collect();
    assert!(untold.is_empty(), "the help says nothing of {untold:?}");
}

#[test]
fn every_test_that_shows_an_exit_code_elsewhere_is_there() {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    let texts = |suite: &str| -> String {
        let files = fs::read_dir(tests.join(suite)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).filter_map(|path| fs::read_to_string(path).ok()).collect()
    };
    for (path, code, suite, test) in ELSEWHERE {
        let text = texts(suite);
        let is_test = |mark: &str| {
            text.contains(&format!("{mark}\nfn {test}("))
                || text.contains(&format!("{mark}\nasync fn {test}("))
        };
        let is_there = is_test("#[test]") || is_test("#[tokio::test(flavor = \"multi_thread\")]");
        assert!(
            is_there,
            "`{path}` is to be seen ending with {code} in tests/{suite}, where there is no test `{test}`"
        );
    }
}

/// Takes the command and the code from a line of the table. The last `baton` of a line is the one that is tried.
fn tried<'a>(line: &str, commands: &'a [KnownCommand]) -> Option<(&'a str, i64)> {
    let (code, command) = line.split_once("  ")?;
    let code = code.parse().ok()?;
    let command = &command[command.rfind("baton ")?..];
    let is_meant = |it: &&KnownCommand| format!("{command} ").starts_with(&format!("{} ", it.path));
    let meant = commands.iter().filter(is_meant).max_by_key(|it| it.path.len())?;
    Some((meant.path.as_str(), code))
}

#[test]
fn a_flag_that_nobody_knows_is_a_usage_error_of_every_command() {
    let env = TestEnv::new();
    for command in tree::commands() {
        let ran = env.run(&[&command.words()[..], &["--no-such-flag"]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}: {}", command.path, ran.err);
        assert!(ran.err.contains("--no-such-flag"), "{}: {}", command.path, ran.err);
    }
}
