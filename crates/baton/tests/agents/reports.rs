//! What is read of what agents print, and what a machine keeps of their runs.

use baton_agent::records;
use baton_core::agent::{AgentExit, KeptSession};
use baton_core::agent_lines::Program;
use baton_fixtures::TestAgent;
use baton_fixtures::processes::with_variable;
use baton_fixtures::wait::eventually;

/// The lines of Claude Code, in short: a session, a turn, a pause until somebody says go, and a result.
const CLAUDE: &str = r#"
    echo '{"type":"system","subtype":"init","session_id":"s1"}'
    echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I look around"}]}}'
    until [ -e go ]; do sleep 0.01; done
    echo '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":30,"output_tokens":4}}'"#;

#[tokio::test]
async fn numbers_are_told_while_an_agent_runs_and_a_report_at_its_end() {
    let test = TestAgent::new();
    let mut order = test.script(CLAUDE);
    order.program = Program::Claude;
    let agent = TestAgent::start(order).await;
    let numbers = eventually("a turn", || Some(agent.numbers()).filter(|numbers| numbers.turns == 1)).await;
    assert_eq!(numbers.last_line, "I look around");
    std::fs::write(test.root.join("work/go"), "").unwrap();
    let end = TestAgent::ended(&agent).await;
    assert!(end.report.is_success(), "{end:?}");
    assert_eq!((end.report.session.as_deref(), end.report.text.as_deref()), (Some("s1"), Some("done")));
    assert_eq!((end.report.cost_micros, end.report.usage.input), (Some(250_000), 30));
}

#[tokio::test]
async fn a_plain_agent_is_reported_by_what_it_said() {
    let end = TestAgent::run(TestAgent::new().script("printf 'one\\ntwo'")).await;
    assert_eq!((end.report.text.as_deref(), end.report.saw_result), (Some("one\ntwo\n"), false));
}

#[tokio::test]
async fn a_run_is_recorded_before_during_and_after() {
    let test = TestAgent::new();
    let mut order = test.recorded(&format!("echo up > up; env > env; {CLAUDE}"));
    order.program = Program::Claude;
    let path = test.record_terms().path;
    let agent = TestAgent::start(order).await;
    // It is there when the launch returns, before the agent can have done anything.
    let first = records::read(&path).unwrap();
    assert_eq!((first.leader.pid, first.end, first.run.0), (agent.group(), None, 7));
    assert_eq!(records::unfinished(&test.records(), &TestAgent::item()).len(), 1);
    eventually("the session", || records::read(&path)?.session.filter(|session| session.id == "s1")).await;
    assert!(!with_variable("BATON_RUN_MARK", &first.mark).is_empty());
    std::fs::write(test.root.join("work/go"), "").unwrap();
    let end = TestAgent::ended(&agent).await;
    assert_eq!((end.record_trouble, end.exit), (None, AgentExit::Exited(0)));
    let last = records::read(&path).unwrap();
    assert_eq!(last.end.unwrap().exit, AgentExit::Exited(0));
    let session = last.session.unwrap();
    let sums = KeptSession {
        id: "s1".to_owned(),
        cost_micros: 250_000,
        input_tokens: 30,
        output_tokens: 4,
        failed_resumes: 0,
    };
    assert_eq!(session, sums);
    assert!(records::unfinished(&test.records(), &TestAgent::item()).is_empty());
    let env = test.note("env").unwrap();
    assert!(
        env.contains("BATON_RUN_ID=7") && env.contains(&format!("BATON_RUN_MARK={}", first.mark)),
        "{env}"
    );
}

#[tokio::test]
async fn the_session_of_an_earlier_run_stays_on_record() {
    let test = TestAgent::new();
    std::fs::write(test.root.join("work/go"), "").unwrap();
    for _ in 0..2 {
        let mut order = test.recorded(CLAUDE);
        order.program = Program::Claude;
        TestAgent::run(order).await;
    }
    TestAgent::run(test.recorded("echo nothing of a session")).await;
    let session = records::read(&test.record_terms().path).unwrap().session.unwrap();
    assert_eq!((session.input_tokens, session.cost_micros), (60, 250_000));
}

#[tokio::test]
async fn an_agent_whose_record_cannot_be_kept_is_not_started() {
    let test = TestAgent::new();
    std::fs::write(test.records(), "in the way").unwrap();
    let refused =
        baton_agent::launch(test.recorded("echo up > up"), baton_claims::machine::SystemClock).await;
    let Err(baton_agent::LaunchError::Refused(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("its record") && test.note("up").is_none(), "{why}");
}

#[tokio::test]
async fn secrets_are_nowhere_in_what_is_kept_whatever_their_form() {
    let secret = "gh\"s/16C7e42F292c";
    let test = TestAgent::new();
    let script = r#"
        say() { printf '{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"%s"}]}}\n' "$1" "$2"; }
        secret='gh"s/16C7e42F292c'
        echo '{"type":"system","subtype":"init","session_id":"s-16C7e42F292c"}'
        say 1 'gh\"s/16C7e42F292c'
        say 2 "$(printf 'x-access-token:%s' "$secret" | base64 -w0)"
        say 3 "$(printf '%s' "$secret" | base64 -w0)"
        say 4 'https://u:gh%22s%2F16C7e42F292c@host'
        printf '%s' "${secret:0:5}" >&2; printf '%s\n' "${secret:5}" >&2
        printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"it is gh\\"s/16C'
        until [ -e go ]; do sleep 0.01; done
        printf '7e42F292c"}\n'"#;
    let mut order = test.recorded(script);
    (order.program, order.redact) = (Program::Claude, vec![secret.to_owned(), "s-16C7e42F292c".to_owned()]);
    let agent = TestAgent::start(order).await;
    eventually("the first half", || (agent.output_bytes() > 400).then_some(())).await;
    std::fs::write(test.root.join("work/go"), "").unwrap();
    let end = TestAgent::ended(&agent).await;
    assert_eq!(end.report.text.as_deref(), Some("it is ***"), "{end:?}");
    let record = std::fs::read_to_string(test.record_terms().path).unwrap();
    let kept = [test.log(), format!("{end:?}"), record].concat();
    for form in ["16C7e42F292c", "MTZDN2U0MkYyOTJj", "s%2F16C7", "2QzdlNDJGMj", "xNkM3ZTQyRj"] {
        assert!(!kept.contains(form), "{form} in {kept}");
    }
    assert_eq!(end.report.assistant_text.matches("***").count(), 4, "{}", end.report.assistant_text);
}
