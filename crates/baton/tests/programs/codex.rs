//! Codex.

use baton_agent::StopHow;
use baton_core::agent::{AgentExit, AgentOrder, SessionFate};
use baton_core::agent_lines::{AgentError, Scope, Usage};
use baton_core::pipeline::outcome::End;
use baton_core::pipeline::stage::Effort;
use baton_core::slot::RunEnd;
use baton_fixtures::git::git;
use serde_json::json;

use crate::programs::model_server::Answer::{self, Hangs, Refuses, Runs, Says};
use crate::programs::model_server::{CACHED, READ, WRITTEN};
use crate::programs::program_home::{GRACE, KEY, PROMPT, ProgramHome};

/// A provider of our own, nothing that would ask another host, and nothing of its sandbox in a directory that all share: it
/// would leave an empty `.git` there.
const SETTINGS: &str = r#"    adapter: codex
    model: gpt-5
    args:
      - -c
      - model_provider="script"
      - -c
      - model_providers.script={name="script",base_url="{address}/v1",wire_api="responses",env_key="SCRIPT_KEY",request_max_retries=1,stream_max_retries=0}
      - -c
      - analytics.enabled=false
      - -c
      - features.plugins=false
      - -c
      - sandbox_workspace_write.exclude_slash_tmp=true
"#;

async fn program(script: impl IntoIterator<Item = Answer>) -> ProgramHome {
    ProgramHome::new(SETTINGS, script, |_| vec![("SCRIPT_KEY", KEY.to_owned())]).await
}

fn runs(command: &str) -> Answer {
    Runs("I run a command.", command.to_owned())
}

/// What the model was told of the command that it wanted.
fn told(program: &ProgramHome) -> String {
    let asked = program.model.asked().pop().unwrap();
    asked.body["input"].as_array().unwrap().last().unwrap()["output"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_answers_the_prompt_on_its_standard_input_and_reports_what_it_took() {
    let program = program([Says("All is done.")]).await;
    let ended = program.run(&program.order()).await;
    let report = &ended.end.report;
    assert_eq!((&ended.end.exit, &report.error), (&AgentExit::Exited(0), &None), "{:?}", ended.end);
    assert_eq!((report.turns, report.text.as_deref()), (1, Some("All is done.")));
    assert_eq!(
        (report.usage, report.usage_scope),
        (Usage { input: READ, output: WRITTEN, cached: CACHED }, Scope::Session)
    );
    assert_eq!((ended.judgement.end, ended.judgement.run_end), (End::Finished, RunEnd::Succeeded));
    assert_eq!((ended.judgement.session, report.session.is_some()), (SessionFate::Keep, true));
    let [asked] = &program.model.asked()[..] else { panic!("{:?}", program.model.asked()) };
    let prompt = json!(PROMPT.trim_end()).to_string();
    assert!(asked.body["input"].to_string().contains(prompt.trim_matches('"')), "{}", asked.body["input"]);
    assert_eq!(asked.model, "gpt-5");
    assert!(asked.tools.iter().any(|tool| tool == "exec_command"), "{:?}", asked.tools);
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_commits_in_its_work_tree_within_its_sandbox() {
    let script = [
        runs("echo text > made && git add made && git commit --quiet -m 'made by codex'"),
        Says("All is done."),
    ];
    let program = program(script).await;
    let ended = program.run(&program.order()).await;
    assert_eq!(
        git(&program.work(), &["log", "-1", "--format=%an %s"]),
        "Agent made by codex",
        "{}",
        told(&program)
    );
    assert_eq!(ended.judgement.end, End::Finished);
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_writes_within_its_work_tree_alone() {
    let program = program([Says("")]).await;
    let outside = program.home().join("outside");
    program.model.play([runs(&format!("touch inside; touch '{}'", outside.display())), Says("All is done.")]);
    program.run(&program.order()).await;
    assert_eq!(
        (program.work().join("inside").exists(), outside.exists()),
        (true, false),
        "{}",
        told(&program)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_writes_nothing_in_a_stage_that_only_reads() {
    let program = program([runs("touch made"), Says("I could not.")]).await;
    let ended = program.run(&AgentOrder { is_read_only: true, ..program.order() }).await;
    assert!(!program.work().join("made").exists());
    assert_eq!(ended.judgement.end, End::Finished);
    assert!(told(&program).contains("Read-only file system"), "{}", told(&program));
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_does_anything_when_it_is_unrestricted() {
    let program = program([Says("")]).await;
    let outside = program.home().join("outside");
    program.model.play([runs(&format!("touch '{}'", outside.display())), Says("All is done.")]);
    let ended = program.run(&AgentOrder { is_unrestricted: true, ..program.order() }).await;
    assert!(outside.exists() && ended.judgement.end == End::Finished, "{:?}", ended.end);
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_thinks_as_hard_as_it_is_told() {
    let program = program([Says("All is done.")]).await;
    for (effort, expected) in [(Effort::Low, "low"), (Effort::Max, "high")] {
        program.run(&AgentOrder { effort: Some(effort), ..program.order() }).await;
        let asked = program.model.asked().pop().unwrap();
        assert_eq!(asked.body["reasoning"]["effort"], expected, "{}", asked.body["reasoning"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_goes_on_with_a_session_and_tells_what_all_of_it_took() {
    let program = program([Says("All is done.")]).await;
    let first = program.run(&program.order()).await.end.report;
    let mut order = AgentOrder { session: first.session.clone(), ..program.order() };
    order.told.prompt = "Something else.".to_owned();
    let second = program.run(&order).await;
    assert_eq!(second.end.report.session, first.session, "{:?}", second.end);
    assert_eq!(second.end.report.usage, Usage { input: 2 * READ, output: 2 * WRITTEN, cached: 2 * CACHED });
    let told = program.model.asked()[1].body["input"].to_string();
    assert!(told.contains("several lines") && told.contains("Something else."), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_asks_nobody_when_it_does_not_know_the_session() {
    let program = program([Says("All is done.")]).await;
    let session = Some("00000000-0000-4000-8000-000000000000".to_owned());
    let ended = program.run(&AgentOrder { session, ..program.order() }).await;
    assert_eq!(program.model.asked().len(), 0);
    assert_eq!(ended.judgement.end, End::Failed, "{:?}", ended.end);
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_fails_when_its_model_refuses() {
    let program = program([Says("")]).await;
    for status in [401, 429, 500] {
        program.model.play([Refuses(status)]);
        let ended = program.run(&program.order()).await;
        assert!(matches!(ended.end.report.error, Some(AgentError::Other(_))), "{status}: {:?}", ended.end);
        assert_eq!((&ended.end.exit, ended.end.report.saw_result), (&AgentExit::Exited(1), true), "{status}");
        assert!(matches!(ended.judgement.run_end, RunEnd::Failed(_)), "{status}: {:?}", ended.judgement);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_ends_at_once_when_it_is_asked_to() {
    for how in [StopHow::Interrupt, StopHow::Terminate] {
        let program = program([Hangs]).await;
        let working = program.start(&program.order()).await;
        working.asked(1).await;
        let (ended, took) = working.stopped(how).await;
        assert!(took < GRACE, "{how:?}: {took:?}");
        assert_eq!((ended.end.exit, ended.judgement.end), (AgentExit::Stopped, End::Stopped), "{how:?}");
        assert_eq!(ended.judgement.session, SessionFate::Keep, "{how:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_takes_the_commands_that_it_runs_with_it() {
    for how in [StopHow::Interrupt, StopHow::Terminate, StopHow::Kill] {
        let program = program([runs("touch begun; setsid tail -f /dev/null & tail -f /dev/null")]).await;
        let working = program.start(&program.order()).await;
        working.wrote("begun").await;
        let (ended, _) = working.stopped(how).await;
        assert_eq!(ended.end.exit, AgentExit::Stopped, "{how:?}");
    }
}
