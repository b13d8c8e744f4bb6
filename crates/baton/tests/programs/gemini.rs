//! Gemini.

use baton_agent::StopHow;
use baton_core::agent::{AgentExit, AgentOrder, SessionFate};
use baton_core::agent_lines::{AgentError, Scope, Usage};
use baton_core::pipeline::outcome::End;
use baton_core::slot::RunEnd;
use serde_json::json;

use crate::programs::model_server::Answer::{self, Hangs, Refuses, Runs, Says, Uses};
use crate::programs::model_server::{CACHED, READ, WRITTEN};
use crate::programs::program_home::{GRACE, KEY, PROMPT, ProgramHome};

const SETTINGS: &str = "    adapter: gemini\n    model: gemini-2.5-pro\n";

/// The program has its limits of turns and of tries in a file alone, and asks a server of its own about both.
async fn program_of(settings: &str, turns_max: i32, script: impl IntoIterator<Item = Answer>) -> ProgramHome {
    let variables = |address: &str| {
        vec![("GOOGLE_GEMINI_BASE_URL", address.to_owned()), ("GEMINI_API_KEY", KEY.to_owned())]
    };
    let program = ProgramHome::new(settings, script, variables).await;
    let own = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1 },
        "model": { "maxSessionTurns": turns_max },
    });
    std::fs::create_dir(program.home().join(".gemini")).unwrap();
    std::fs::write(program.home().join(".gemini/settings.json"), own.to_string()).unwrap();
    program
}

async fn program(script: impl IntoIterator<Item = Answer>) -> ProgramHome {
    program_of(SETTINGS, -1, script).await
}

fn runs(command: &str) -> Answer {
    Runs("I run a command.", command.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_answers_the_prompt_on_its_standard_input_and_reports_what_it_took() {
    let program = program([Says("All is done.")]).await;
    let ended = program.run(&program.order()).await;
    let report = &ended.end.report;
    assert_eq!((&ended.end.exit, &report.error), (&AgentExit::Exited(0), &None), "{:?}", ended.end);
    assert_eq!((report.turns, report.text.as_deref()), (1, Some("All is done.")));
    assert_eq!(
        (report.usage, report.usage_scope),
        (Usage { input: READ, output: WRITTEN, cached: CACHED }, Scope::Run)
    );
    assert_eq!((ended.judgement.end, ended.judgement.run_end), (End::Finished, RunEnd::Succeeded));
    assert_eq!((ended.judgement.session, report.session.is_some()), (SessionFate::Keep, true));
    let [asked] = &program.model.asked()[..] else { panic!("{:?}", program.model.asked()) };
    let prompt = json!(PROMPT.trim_end()).to_string();
    assert!(
        asked.body["contents"].to_string().contains(prompt.trim_matches('"')),
        "{}",
        asked.body["contents"]
    );
    assert_eq!(asked.model, "gemini-2.5-pro");
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_runs_commands_when_it_is_unrestricted_and_not_otherwise() {
    for is_unrestricted in [true, false] {
        let program = program([runs("touch made"), Says("All is done.")]).await;
        let ended = program.run(&AgentOrder { is_unrestricted, ..program.order() }).await;
        assert_eq!(program.work().join("made").exists(), is_unrestricted, "{:?}", ended.end);
        assert_eq!(ended.end.report.denied_tools.is_empty(), is_unrestricted, "{:?}", ended.end);
        assert_eq!((ended.end.report.turns, ended.judgement.end), (2, End::Finished));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_runs_the_commands_that_its_agent_is_allowed() {
    let settings = format!("{SETTINGS}    allowed_tools: [run_shell_command(touch)]\n");
    let program = program_of(&settings, -1, [runs("touch made"), Says("All is done.")]).await;
    let ended = program.run(&program.order()).await;
    assert!(program.work().join("made").exists(), "{:?}", ended.end);
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_writes_files_unless_its_stage_only_reads() {
    for is_read_only in [false, true] {
        let program = program([Says("")]).await;
        let path = program.work().join("made");
        let input = json!({ "file_path": path.to_str().unwrap(), "content": "text\n" });
        program.model.play([Uses("I write.", "write_file", input), Says("All is done.")]);
        let ended = program.run(&AgentOrder { is_read_only, ..program.order() }).await;
        assert_eq!(path.exists(), !is_read_only, "{:?}", ended.end);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_stops_at_its_limit_of_turns() {
    let program = program_of(SETTINGS, 2, [runs("ls")]).await;
    let ended = program.run(&AgentOrder { is_unrestricted: true, ..program.order() }).await;
    assert_eq!(ended.end.exit, AgentExit::Exited(53), "{:?}", ended.end);
    assert_eq!((ended.judgement.end, ended.judgement.run_end), (End::TurnLimit, RunEnd::Succeeded));
    assert_eq!(program.model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_goes_on_with_a_session() {
    let program = program([Says("All is done.")]).await;
    let first = program.run(&program.order()).await.end.report;
    let mut order = AgentOrder { session: first.session.clone(), ..program.order() };
    order.told.prompt = "Something else.".to_owned();
    let second = program.run(&order).await;
    assert_eq!(second.end.report.session, first.session, "{:?}", second.end);
    let told = program.model.asked()[1].body["contents"].to_string();
    assert!(told.contains("several lines") && told.contains("Something else."), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_asks_nobody_when_it_does_not_know_the_session() {
    let program = program([Says("All is done.")]).await;
    let session = Some("00000000-0000-4000-8000-000000000000".to_owned());
    let ended = program.run(&AgentOrder { session, ..program.order() }).await;
    assert_eq!(program.model.asked().len(), 0);
    assert_eq!(ended.judgement.end, End::Failed, "{:?}", ended.end);
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_tells_by_which_status_its_model_refused() {
    let program = program([Says("")]).await;
    for (status, is_charged) in [(401, true), (429, false), (500, false)] {
        program.model.play([Refuses(status)]);
        let ended = program.run(&program.order()).await;
        assert!(matches!(ended.end.report.error, Some(AgentError::Other(_))), "{status}: {:?}", ended.end);
        assert_eq!(ended.judgement.end, End::Failed, "{status}: {:?}", ended.end);
        assert_eq!(matches!(ended.judgement.run_end, RunEnd::Failed(_)), is_charged, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_ends_at_once_when_it_is_terminated() {
    let program = program([Hangs]).await;
    let working = program.start(&program.order()).await;
    working.asked(1).await;
    let (ended, took) = working.stopped(StopHow::Terminate).await;
    assert!(took < GRACE, "{took:?}");
    assert_eq!((ended.end.exit, ended.judgement.end), (AgentExit::Stopped, End::Stopped));
    assert_eq!(ended.judgement.session, SessionFate::Keep);
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_takes_the_commands_that_it_runs_with_it() {
    for how in [StopHow::Terminate, StopHow::Kill] {
        let program = program([runs("touch begun; setsid tail -f /dev/null & tail -f /dev/null")]).await;
        let working = program.start(&AgentOrder { is_unrestricted: true, ..program.order() }).await;
        working.wrote("begun").await;
        let (ended, _) = working.stopped(how).await;
        assert_eq!(ended.end.exit, AgentExit::Stopped, "{how:?}");
    }
}
