//! What each exit code means, tried for real: `exit_codes.txt` is the table.
//!
//! A line that begins with a number is a command line with its exit code; one that begins with `$` prepares something and
//! must succeed; `##` begins a situation, in a place of its own. Every code that a help names must be in the table, and
//! every code of the table in the help. That flags nobody knows are refused with 2 is tried for every command.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::place::Place;
use crate::support::baton;
use crate::tree::{self, KnownCommand};

/// Exit codes that are shown elsewhere, and where.
const ELSEWHERE: [(&str, i64, &str); 10] = [
    ("baton demo", 0, "tests/demo: five issues are carried to merged pull requests"),
    ("baton demo", 1, "tests/demo: what is not done is listed"),
    ("baton approve", 0, "tests/relay: approvals"),
    ("baton reject", 0, "tests/relay: approvals"),
    ("baton doctor", 0, "tests/adopt: a repository that was just set up"),
    ("baton doctor", 1, "tests/adopt: each fault that was planted"),
    ("baton init", 0, "tests/adopt: set up without questions"),
    ("baton init", 1, "tests/adopt: called off"),
    ("baton init", 3, "tests/adopt: a tracker that does not answer"),
    ("baton mcp", 0, "tests/mcp: the client goes away"),
];

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/surface/exit_codes.txt")
}

#[test]
fn every_exit_code_is_what_the_table_says() {
    let text = fs::read_to_string(table()).unwrap();
    let (mut place, mut found, mut wrong) = (None, Vec::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("##") {
            place = None;
        }
        found.push(match line.split_once("  ") {
            Some((wanted, command)) if wanted.parse::<i32>().is_ok() => {
                let ran = place.get_or_insert_with(Place::new).run("web", command);
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
                    let ran = place.get_or_insert_with(Place::new).run("web", preparation);
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
    let elsewhere = ELSEWHERE.iter().map(|(path, code, _)| (*path, *code));
    let shown: BTreeSet<_> = tried.iter().copied().chain(elsewhere).collect();
    let told = commands.iter().flat_map(|it| it.exit_codes.iter().map(|code| (it.path.as_str(), *code)));
    let told: BTreeSet<_> = told.collect();
    let untried: Vec<_> = told.difference(&shown).collect();
    assert!(untried.is_empty(), "exit_codes.txt has no line for {untried:?}");
    let untold: Vec<_> =
        tried.iter().filter(|(_, code)| [0, 1, 3].contains(code)).filter(|it| !told.contains(it)).collect();
    assert!(untold.is_empty(), "the help says nothing of {untold:?}");
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
    for command in tree::commands() {
        let mut words = command.words();
        words.push("--no-such-flag");
        let (code, out, err) = baton(&words);
        assert_eq!((code, out.as_str()), (2, ""), "{}: {err}", command.path);
        assert!(err.contains("--no-such-flag"), "{}: {err}", command.path);
    }
}
