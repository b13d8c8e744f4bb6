//! Claude Code.

use std::time::Duration;

use baton_agent::StopHow;
use baton_core::agent::{AgentExit, AgentOrder, Limit, SessionFate};
use baton_core::agent_lines::{AgentError, Scope, Usage};
use baton_core::pipeline::outcome::End;
use baton_core::pipeline::stage::Effort;
use baton_core::slot::RunEnd;
use serde_json::json;

use crate::programs::model_server::Answer::{self, Hangs, Refuses, Runs, Says, Uses};
use crate::programs::model_server::{CACHED, READ, WRITTEN};
use crate::programs::program_home::{GRACE, KEY, PROMPT, ProgramHome};

async fn program(script: impl IntoIterator<Item = Answer>) -> ProgramHome {
    program_of("    adapter: claude\n    model: sonnet\n", script).await
}

async fn program_of(settings: &str, script: impl IntoIterator<Item = Answer>) -> ProgramHome {
    let variables = |address: &str| {
        vec![
            ("ANTHROPIC_BASE_URL", address.to_owned()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
        ]
    };
    ProgramHome::new(settings, script, variables).await
}

fn runs(command: &str) -> Answer {
    Runs("I run a command.", command.to_owned())
}

fn tools(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_answers_the_prompt_on_its_standard_input_and_reports_what_it_took() {
    let program = program([Says("All is done.")]).await;
    let ended = program.run(&program.order()).await;
    let report = &ended.end.report;
    assert_eq!((&ended.end.exit, &report.error), (&AgentExit::Exited(0), &None), "{:?}", ended.end);
    assert_eq!((report.turns, report.text.as_deref()), (1, Some("All is done.")));
    assert_eq!(
        (report.usage, report.usage_scope),
        (Usage { input: READ, output: WRITTEN, cached: CACHED }, Scope::Run)
    );
    assert!(report.cost_micros.is_some_and(|cost| cost > 0), "{report:?}");
    assert_eq!((ended.judgement.end, ended.judgement.run_end), (End::Finished, RunEnd::Succeeded));
    assert_eq!((ended.judgement.session, report.session.is_some()), (SessionFate::Keep, true));
    let [asked] = &program.model.asked()[..] else { panic!("{:?}", program.model.asked()) };
    assert!(asked.model.contains("sonnet"), "{}", asked.model);
    assert!(asked.body["messages"].to_string().contains(&escaped(PROMPT)), "{}", asked.body["messages"]);
    for (tool, is_there) in [("Bash", true), ("Edit", true), ("ScheduleWakeup", false), ("Workflow", false)] {
        assert_eq!(asked.tools.iter().any(|name| name == tool), is_there, "{tool} in {:?}", asked.tools);
    }
}

/// A text as it is written in JSON, without its quotes and its last line end.
fn escaped(text: &str) -> String {
    json!(text.trim_end()).to_string().trim_matches('"').to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_runs_a_command_that_is_allowed() {
    let program = program([runs("touch made"), Says("All is done.")]).await;
    let ended =
        program.run(&AgentOrder { allowed_tools: tools(&["Bash(touch:*)"]), ..program.order() }).await;
    assert!(program.work().join("made").exists(), "{:?}", ended.end);
    assert_eq!((ended.end.report.turns, ended.judgement.end), (2, End::Finished));
    assert_eq!(ended.end.report.denied_tools, Vec::<String>::new());
    assert_eq!(ended.end.report.assistant_text, "I run a command.\nAll is done.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_does_not_run_a_command_that_is_not_allowed_and_goes_on() {
    let program = program([runs("touch made"), Says("I could not.")]).await;
    let ended = program.run(&program.order()).await;
    assert!(!program.work().join("made").exists());
    assert_eq!(ended.end.report.denied_tools, ["Bash"]);
    assert_eq!((ended.end.report.turns, ended.judgement.end), (2, End::Finished));
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_writes_files_within_its_work_tree_alone() {
    let program = program([Says("")]).await;
    let (inside, outside) = (program.work().join("inside"), program.home().join("outside"));
    let write = |path: &std::path::Path| {
        Uses("I write.", "Write", json!({ "file_path": path.to_str().unwrap(), "content": "text\n" }))
    };
    program.model.play([write(&inside), write(&outside), Says("All is done.")]);
    let ended = program.run(&program.order()).await;
    assert_eq!((inside.exists(), outside.exists()), (true, false), "{:?}", ended.end);
    assert_eq!(ended.end.report.denied_tools, ["Write"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_writes_nothing_in_a_stage_that_only_reads() {
    let program = program([Says("")]).await;
    let path = program.work().join("made");
    let write =
        Uses("I write.", "Write", json!({ "file_path": path.to_str().unwrap(), "content": "text\n" }));
    program.model.play([write, runs("touch made"), Says("I could not.")]);
    let ended = program.run(&AgentOrder { is_read_only: true, ..program.order() }).await;
    assert!(!path.exists() && ended.judgement.end == End::Finished, "{:?}", ended.end);
    let offered = program.model.asked()[0].tools.clone();
    assert!(!offered.iter().any(|tool| tool == "Write" || tool == "Edit"), "{offered:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_does_anything_when_it_is_unrestricted_in_a_sandbox() {
    let settings = "    adapter: claude\n    sandbox: bubblewrap\n";
    let program = program_of(settings, [runs("touch made"), Says("All is done.")]).await;
    let ended = program.run(&AgentOrder { is_unrestricted: true, ..program.order() }).await;
    assert!(program.work().join("made").exists(), "{:?}", ended.end);
    assert_eq!(ended.judgement.end, End::Finished);
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_gives_its_commands_a_sealed_environment() {
    let program = program([runs("env; git config user.name"), Says("All is done.")]).await;
    program.run(&AgentOrder { allowed_tools: tools(&["Bash"]), ..program.order() }).await;
    let told = program.model.asked()[1].body["messages"].to_string();
    for expected in ["GIT_TERMINAL_PROMPT=0", "BATON_RUN_ID=7", "\\nAgent"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_thinks_as_hard_as_it_is_told() {
    let program = program([Says("All is done.")]).await;
    for effort in [Effort::Low, Effort::High] {
        program.run(&AgentOrder { effort: Some(effort), ..program.order() }).await;
        let asked = program.model.asked().pop().unwrap();
        assert_eq!(asked.body["output_config"]["effort"], effort.as_str(), "{}", asked.body["output_config"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_stops_at_its_limit_of_turns() {
    let program = program([runs("ls")]).await;
    let ended = program.run(&AgentOrder { max_turns: Some(2), ..program.order() }).await;
    assert_eq!((ended.end.report.turns, &ended.end.report.error), (2, &Some(AgentError::MaxTurns)));
    assert_eq!((ended.judgement.end, ended.judgement.session), (End::TurnLimit, SessionFate::Keep));
    assert_eq!(program.model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_goes_on_with_a_session_and_tells_what_all_of_it_cost() {
    let program = program([Says("All is done.")]).await;
    let first = program.run(&program.order()).await.end.report;
    let mut order = AgentOrder { session: first.session.clone(), ..program.order() };
    order.told.prompt = "Something else.".to_owned();
    let second = program.run(&order).await.end.report;
    assert_eq!((&second.session, second.turns), (&first.session, 1));
    assert_eq!((second.usage, second.usage_scope), (first.usage, Scope::Run));
    assert_eq!(second.cost_micros, first.cost_micros.map(|cost| 2 * cost));
    let told = program.model.asked()[1].body["messages"].to_string();
    assert!(told.contains(&escaped(PROMPT)) && told.contains("Something else."), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_asks_nobody_when_it_does_not_know_the_session() {
    let program = program([Says("All is done.")]).await;
    let session = Some("00000000-0000-4000-8000-000000000000".to_owned());
    let ended = program.run(&AgentOrder { session, ..program.order() }).await;
    assert_eq!(ended.end.report.error, Some(AgentError::SessionUnknown), "{:?}", ended.end);
    assert_eq!((ended.judgement.end, ended.judgement.session), (End::NotStarted, SessionFate::Forget));
    assert_eq!(program.model.asked().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_tells_by_which_status_its_model_refused() {
    let program = program([Says("")]).await;
    for (status, is_charged) in [(401, true), (429, false), (500, false), (529, false)] {
        program.model.play([Refuses(status)]);
        let ended = program.run(&program.order()).await;
        let expected = AgentError::ApiError { status: Some(status) };
        assert_eq!(ended.end.report.error, Some(expected), "{status}: {:?}", ended.end);
        assert_eq!(ended.judgement.end, End::Failed, "{status}");
        assert_eq!(matches!(ended.judgement.run_end, RunEnd::Failed(_)), is_charged, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_ends_at_once_when_it_is_interrupted_and_never_reports_success() {
    let program = program([Hangs]).await;
    let working = program.start(&program.order()).await;
    working.asked(1).await;
    let (ended, took) = working.stopped(StopHow::Interrupt).await;
    assert!(took < GRACE, "{took:?}");
    // It prints a result with an error, or ends before it has printed one.
    assert!(!ended.end.report.is_success(), "{:?}", ended.end);
    assert_eq!((ended.end.exit, ended.judgement.end), (AgentExit::Stopped, End::Stopped));
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_ends_at_once_when_it_is_terminated_and_its_session_can_be_gone_on_with() {
    let program = program([runs("ls"), Hangs]).await;
    let working = program.start(&program.order()).await;
    working.asked(2).await;
    let (ended, took) = working.stopped(StopHow::Terminate).await;
    assert!(took < GRACE, "{took:?}");
    assert_eq!((&ended.end.exit, ended.end.report.saw_result), (&AgentExit::Stopped, false));
    assert_eq!((ended.judgement.end, ended.judgement.session), (End::Stopped, SessionFate::Keep));
    program.model.play([Says("All is done.")]);
    let again =
        program.run(&AgentOrder { session: ended.end.report.session.clone(), ..program.order() }).await;
    assert_eq!((again.judgement.end, again.end.report.session), (End::Finished, ended.end.report.session));
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_takes_the_commands_that_it_runs_with_it() {
    for how in [StopHow::Interrupt, StopHow::Terminate, StopHow::Kill] {
        let program = program([runs("touch begun; setsid tail -f /dev/null & tail -f /dev/null")]).await;
        let working = program.start(&AgentOrder { allowed_tools: tools(&["Bash"]), ..program.order() }).await;
        working.wrote("begun").await;
        let (ended, _) = working.stopped(how).await;
        assert_eq!(ended.end.exit, AgentExit::Stopped, "{how:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_claude_said_before_its_time_was_up_counts() {
    let program = program([Runs("FABRIK_STAGE_COMPLETE", "tail -f /dev/null".to_owned())]).await;
    let order = AgentOrder {
        allowed_tools: tools(&["Bash"]),
        max_wall_time: Some(Duration::from_secs(12)),
        ..program.order()
    };
    let ended = program.run(&order).await;
    assert_eq!(
        (&ended.end.exit, ended.judgement.end),
        (&AgentExit::TimedOut(Limit::WallTime), End::TimedOut)
    );
    assert_eq!(
        (ended.judgement.text.as_str(), ended.judgement.session),
        ("FABRIK_STAGE_COMPLETE\n", SessionFate::Keep)
    );
}
