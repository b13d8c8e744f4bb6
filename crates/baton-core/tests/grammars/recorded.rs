//! Whole recorded runs of each program, with ids and long lists cut down, and what the programs themselves reported of them.
//!
//! The table beside them was made from the fields of their results by other means than the reader. Then every run is cut
//! off at every byte: what is known by then must be told, and a run without its result is never a success.

use std::fs;
use std::path::{Path, PathBuf};

use baton_core::agent_lines::{AgentError, Program, Reader, Report};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grammars/fixtures/recorded")
}

/// The runs: their names, their programs and what they printed.
fn runs() -> Vec<(String, Program, Vec<u8>)> {
    let programs = [("claude", Program::Claude), ("codex", Program::Codex), ("gemini", Program::Gemini)];
    let mut runs = Vec::new();
    for (name, program) in programs {
        for entry in fs::read_dir(directory().join(name)).expect("the directory is there") {
            let path = entry.expect("it can be listed").path();
            let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            runs.push((format!("{name}/{stem}"), program, fs::read(&path).expect("it can be read")));
        }
    }
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    runs
}

fn read(program: Program, output: &[u8]) -> Report {
    let mut reader = Reader::new(program);
    output.split_inclusive(|byte| *byte == b'\n').for_each(|line| drop(reader.bytes(line)));
    reader.finish()
}

/// A report as a row of the table.
fn row(name: &str, report: &Report) -> String {
    let text = |text: &str| text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n");
    let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let error = match &report.error {
        None => "-".to_owned(),
        Some(AgentError::MaxTurns) => "max_turns".to_owned(),
        Some(AgentError::MaxBudget) => "max_budget".to_owned(),
        Some(AgentError::UsageLimit { .. }) => "limit".to_owned(),
        Some(AgentError::ApiError { status }) => {
            format!("api:{}", status.map_or_else(|| "none".to_owned(), |status| status.to_string()))
        }
        Some(AgentError::SessionUnknown) => "session".to_owned(),
        Some(AgentError::Other(_)) => "other".to_owned(),
    };
    let said: Vec<&str> = report.assistant_text.lines().collect();
    [
        name.to_owned(),
        report.session.clone().unwrap_or_else(|| "-".to_owned()),
        report.turns.to_string(),
        report.cost_micros.map_or_else(|| "-".to_owned(), |micros| micros.to_string()),
        report.usage.input.to_string(),
        report.usage.output.to_string(),
        report.usage.cached.to_string(),
        error,
        if report.saw_result { "yes" } else { "no" }.to_owned(),
        text(report.text.as_deref().unwrap_or("-")),
        text(&or_none(said.join("|"))),
        or_none(report.denied_tools.join(",")),
    ]
    .join("\t")
}

#[test]
fn every_recorded_run_is_reported_as_its_program_reported_it() {
    let table = fs::read_to_string(directory().join("expected.tsv")).expect("the table is there");
    let expected: Vec<&str> = table.lines().skip(1).collect();
    let found: Vec<String> =
        runs().iter().map(|(name, program, out)| row(name, &read(*program, out))).collect();
    assert_eq!(expected.len(), found.len());
    assert!(found.len() > 60, "{} runs", found.len());
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(found, expected);
    }
}

/// What is known of a run only grows.
#[track_caller]
fn check_growth(name: &str, at: usize, before: &Report, now: &Report) {
    let place = || format!("{name}, cut off at byte {at}");
    assert!(now.session.is_some() || before.session.is_none() || now.saw_result, "{}", place());
    assert!(now.turns >= before.turns, "{}", place());
    let so_far = before.assistant_text.trim_end();
    assert!(now.assistant_text.starts_with(so_far), "{}: {:?} after {so_far:?}", place(), now.assistant_text);
    assert!(now.saw_result || !before.saw_result, "{}", place());
    assert!(now.saw_result || !now.is_success(), "{}", place());
}

#[test]
fn a_run_that_is_cut_off_at_any_byte_tells_all_that_was_told_by_then() {
    for (name, program, output) in runs() {
        let whole = read(program, &output);
        let (mut reader, mut before, mut at) = (Reader::new(program), Report::default(), 0);
        for line in output.split_inclusive(|byte| *byte == b'\n') {
            let content = line.trim_ascii_end().len();
            for cut in 1..line.len() {
                let mut cut_off = reader.clone();
                cut_off.bytes(&line[..cut]);
                let report = cut_off.finish();
                check_growth(&name, at + cut, &before, &report);
                // Half a line tells nothing, and is no result.
                assert!(cut >= content || report.saw_result == before.saw_result, "{name} at {}", at + cut);
            }
            reader.bytes(line);
            at += line.len();
            let report = reader.clone().finish();
            check_growth(&name, at, &before, &report);
            before = report;
        }
        assert_eq!(before.is_success(), whole.is_success(), "{name}");
        assert_eq!(before.text, whole.text, "{name}");
    }
}

#[test]
fn progress_is_told_before_the_result() {
    let output = fs::read(directory().join("claude/tool_allowed.ndjson")).expect("it is there");
    let lines: Vec<&[u8]> = output.split_inclusive(|byte| *byte == b'\n').collect();
    let mut reader = Reader::new(Program::Claude);
    lines[..lines.len() - 1].iter().for_each(|line| drop(reader.bytes(line)));
    let numbers = reader.numbers();
    assert_eq!((numbers.turns, numbers.input_tokens, numbers.cost_micros), (2, 300, 0));
    assert_eq!(numbers.last_line, "Hello from the model.");
    reader.bytes(lines[lines.len() - 1]);
    let numbers = reader.numbers();
    assert_eq!((numbers.turns, numbers.output_tokens, numbers.cost_micros), (2, 24, 1492));
}
