//! Runs of each program, reduced to the fields that count.

use baton_core::agent_lines::LineEvent::{
    self, ApiRetry, Ended, Session, Text, ToolCall, ToolDenied, Turn, Warning,
};
use baton_core::agent_lines::{AgentError, Program, Reader, Report, Scope, Usage, spent_since};

const CLAUDE: &str = "5e550000-0000-4000-8000-000000000001";
const CODEX: &str = "7ead0000-0000-4000-8000-000000000001";
const GEMINI: &str = "9e310000-0000-4000-8000-000000000001";

fn run(program: Program, text: &str) -> (Vec<LineEvent>, Report) {
    let mut reader = Reader::new(program);
    let events = text.lines().flat_map(|line| reader.line(line)).collect();
    (events, reader.finish())
}

macro_rules! claude {
    ($name:literal) => {
        run(Program::Claude, include_str!(concat!("fixtures/claude/", $name, ".ndjson")))
    };
}

macro_rules! codex {
    ($name:literal) => {
        run(Program::Codex, include_str!(concat!("fixtures/codex/", $name, ".ndjson")))
    };
}

macro_rules! gemini {
    ($name:literal) => {
        run(Program::Gemini, include_str!(concat!("fixtures/gemini/", $name, ".ndjson")))
    };
}

fn text(text: &str) -> LineEvent {
    Text(text.to_owned())
}

fn tool(name: &str) -> LineEvent {
    ToolCall { name: name.to_owned() }
}

#[test]
fn a_run_of_claude_ends_with_its_result() {
    let (events, report) = claude!("success");
    let said = "The tests pass.\n\nBATON_STAGE_COMPLETE\n";
    assert_eq!(events, [Session(CLAUDE.to_owned()), Turn(1), text(said), Ended]);
    let expected = Report {
        session: Some(CLAUDE.to_owned()),
        turns: 1,
        text: Some(said.to_owned()),
        assistant_text: format!("{said}\n"),
        usage: Usage { input: 150, output: 12, cached: 30 },
        usage_scope: Scope::Run,
        cost_micros: Some(1234),
        saw_result: true,
        ..Report::default()
    };
    assert_eq!(report, expected);
    assert!(report.is_success());
}

#[test]
fn costs_of_claude_cover_the_session() {
    let (first, second) = (claude!("success").1, claude!("resumed").1);
    assert_eq!(first.session, second.session);
    assert_eq!(first.usage, second.usage, "tokens are of the run alone");
    let spent = spent_since(first.cost_micros.unwrap(), second.cost_micros.unwrap());
    assert_eq!(spent, 1234);
    assert_eq!(spent_since(1234, 1000), 1000, "the sum began anew");
}

#[test]
fn tools_and_turns_of_claude_are_told_as_they_come() {
    let (events, report) = claude!("tools");
    let expected = [Turn(1), text("First I look."), tool("Bash"), Turn(2), text("Done."), Ended];
    assert_eq!(events[1..], expected);
    assert_eq!((report.turns, report.assistant_text.as_str()), (2, "First I look.\nDone.\n"));
}

#[test]
fn a_tool_that_was_denied_is_no_error() {
    let (events, report) = claude!("denied");
    assert!(events.contains(&ToolDenied { name: "Bash".to_owned() }));
    assert_eq!(report.denied_tools, ["Bash", "Edit"]);
    assert!(report.is_success());
    let (events, report) = gemini!("denied");
    assert!(events.contains(&ToolDenied { name: "run_shell_command".to_owned() }));
    assert_eq!((report.denied_tools.len(), report.is_success()), (1, true));
}

#[test]
fn failures_are_classified_by_fields() {
    let api = |status| AgentError::ApiError { status };
    let table = [
        ("max_turns", claude!("max_turns").1, AgentError::MaxTurns, 2),
        ("max_budget", claude!("max_budget").1, AgentError::MaxBudget, 1),
        ("api_error", claude!("api_error").1, api(Some(529)), 1),
        ("api_error_older", claude!("api_error_older").1, api(Some(500)), 1),
        ("cut_off", claude!("cut_off").1, api(None), 1),
        (
            "usage_limit",
            claude!("usage_limit").1,
            AgentError::UsageLimit { resets_at: Some(1_777_664_553) },
            1,
        ),
        ("no_session", claude!("no_session").1, AgentError::SessionUnknown, 0),
        (
            "interrupted",
            claude!("interrupted").1,
            AgentError::Other("aborted_streaming: stopped".to_owned()),
            2,
        ),
        ("codex failed", codex!("failed").1, AgentError::Other("no answer".to_owned()), 1),
        ("gemini max_turns", gemini!("max_turns").1, AgentError::MaxTurns, 2),
        (
            "gemini failed",
            gemini!("failed").1,
            AgentError::Other("FatalAuthenticationError: no key".to_owned()),
            0,
        ),
    ];
    for (name, report, error, turns) in table {
        assert_eq!((report.error.as_ref(), report.turns), (Some(&error), turns), "{name}");
        assert!(report.saw_result && !report.is_success(), "{name}");
    }
}

#[test]
fn words_of_the_program_are_not_those_of_the_agent() {
    let (events, report) = claude!("api_error");
    let retry = |attempt, delay_ms| ApiRetry { attempt, attempts_max: 2, delay_ms, status: Some(529) };
    assert_eq!(events, [Session(CLAUDE.to_owned()), retry(1, 606), retry(2, 1002), Ended]);
    assert_eq!(report.assistant_text, "");
    assert_eq!(claude!("cut_off").1.assistant_text, "I begin\n");
}

#[test]
fn a_session_that_does_not_exist_is_not_kept() {
    let (events, report) = claude!("no_session");
    assert_eq!((events, report.session), (vec![Ended], None));
}

#[test]
fn without_a_result_the_words_so_far_are_known() {
    let (_, report) = claude!("killed_in_part");
    assert!(!report.saw_result && report.error.is_none() && report.text.is_none());
    assert_eq!((report.assistant_text.as_str(), report.turns), ("BATON_STAGE_COMPLETE\n\n", 1));
    assert_eq!(codex!("killed").1.assistant_text, "Half of it\n");
    let (events, report) = gemini!("silent");
    assert_eq!(events, [Session(GEMINI.to_owned())]);
    assert!(!report.is_success() && report.error.is_none());
}

#[test]
fn a_run_that_was_stopped_while_it_retried_failed_by_its_model() {
    let (_, report) = claude!("killed_in_retry");
    assert_eq!(report.error, Some(AgentError::ApiError { status: Some(401) }));
    assert!(!report.saw_result);
}

#[test]
fn parts_of_messages_are_not_counted_twice() {
    let (events, report) = claude!("partial");
    assert_eq!(events[1..], [Turn(1), text("Hello"), Ended]);
    assert_eq!(report.assistant_text, "Hello\n");
}

#[test]
fn what_another_agent_said_is_heard_and_not_attributed() {
    let (events, report) = claude!("subagent");
    assert!(events.contains(&text("BATON_STAGE_COMPLETE")));
    assert_eq!((report.assistant_text.as_str(), report.turns), ("Not yet.\n", 2));
    assert_eq!(report.broken_lines, 0, "an unknown kind of line is no broken one");
}

#[test]
fn a_run_of_codex_ends_with_its_last_message() {
    let (events, report) = codex!("success");
    let warning = Warning("The model is not known; I go on.".to_owned());
    let last = "All done.\nBATON_STAGE_COMPLETE";
    let expected = [Session(CODEX.to_owned()), warning, Turn(1), text("Looking."), text(last), Ended];
    assert_eq!(events, expected);
    assert_eq!((report.text.as_deref(), report.is_success()), (Some(last), true));
    assert_eq!(report.assistant_text, format!("Looking.\n{last}\n"));
    assert_eq!(report.usage, Usage { input: 100, output: 12, cached: 40 });
    assert_eq!((report.usage_scope, report.cost_micros), (Scope::Session, None));
    let resumed = codex!("resumed").1;
    assert_eq!(spent_since(report.usage.input, resumed.usage.input), 100);
}

#[test]
fn tools_of_codex_are_told_once() {
    let (events, report) = codex!("tools");
    let expected =
        [Turn(1), tool("command_execution"), tool("file_change"), tool("lookup"), text("Done."), Ended];
    assert_eq!(events[1..], expected);
    assert!(report.is_success());
    let (events, report) = codex!("failed");
    assert!(matches!(&events[3..], [Warning(_), Warning(_), Ended]));
    assert_eq!(report.text, None, "what was said before the failure is no answer");
}

#[test]
fn a_run_of_gemini_ends_with_what_it_said_after_its_tools() {
    let (events, report) = gemini!("success");
    assert_eq!(events.len(), 5);
    assert_eq!(report.text.as_deref(), Some("All done.\nBATON_STAGE_COMPLETE\n"), "parts are put together");
    assert_eq!(report.usage, Usage { input: 200, output: 24, cached: 80 });
    let (events, report) = gemini!("tools");
    let expected =
        [Turn(1), text("First I "), text("look."), tool("run_shell_command"), Turn(2), text("Done."), Ended];
    assert_eq!(events[1..], expected);
    assert_eq!(
        (report.text.as_deref(), report.assistant_text.as_str()),
        (Some("Done."), "First I look.\nDone.")
    );
}

#[test]
fn all_that_a_plain_program_prints_is_its_answer() {
    let (events, report) = run(Program::Plain, "one\r\n\n{\"type\":\"result\"}\nBATON_STAGE_COMPLETE\n");
    assert_eq!(events[0], text("one"));
    assert_eq!(report.text.as_deref(), Some("one\n\n{\"type\":\"result\"}\nBATON_STAGE_COMPLETE\n"));
    assert!(!report.saw_result, "its exit code judges");
}

#[test]
fn lines_that_are_broken_are_counted_and_passed_over() {
    let good = include_str!("fixtures/claude/success.ndjson").trim_end();
    let broken = "warning: something\n{\"type\":\n\n42\n\"text\"\nnull\n{\"type\":7}\n{}\n[1, {}]\n";
    let (_, report) = run(Program::Claude, &format!("{broken}{good}\n{{\"type\":\"res"));
    assert_eq!((report.broken_lines, report.is_success()), (6, true));
}

#[test]
fn fields_of_another_kind_are_as_good_as_missing() {
    let line = r#"{"type":"result","is_error":"no","subtype":"error_new","num_turns":-1,"total_cost_usd":"1",
        "usage":[],"errors":"x","permission_denials":{},"result":7,"session_id":null}"#;
    let (_, report) = run(Program::Claude, &line.replace('\n', ""));
    let error = Some(AgentError::Other("error_new".to_owned()));
    assert_eq!(report, Report { error, saw_result: true, ..Report::default() });
    let (_, report) = run(Program::Claude, r#"{"type":"result","is_error":false,"total_cost_usd":1e300}"#);
    assert_eq!(report.cost_micros, Some(u64::MAX));
}
