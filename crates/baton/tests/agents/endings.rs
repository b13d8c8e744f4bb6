//! How agents end by themselves, and what they see while they run.

use std::time::Duration;

use baton_agent::{Graces, LaunchError, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent::AgentExit;
use baton_fixtures::TestAgent;
use baton_fixtures::processes::is_alive;

#[tokio::test]
async fn an_agent_that_ends_by_itself_is_told_by_its_code() {
    for (script, exit) in [
        ("exit 0", AgentExit::Exited(0)),
        ("exit 3", AgentExit::Exited(3)),
        ("exit 127", AgentExit::Exited(127)),
        ("exit 255", AgentExit::Exited(255)),
        ("kill -9 $$", AgentExit::Signalled(9)),
        ("kill -TERM $$", AgentExit::Signalled(15)),
    ] {
        assert_eq!(TestAgent::run(TestAgent::new().script(script)).await.exit, exit, "{script}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_not_run_and_the_reason_is_told() {
    for program in ["no-such-agent", "/no/such/agent", "/"] {
        let test = TestAgent::new();
        let end = TestAgent::run(test.program(&[program])).await;
        let AgentExit::NotRun(why) = &end.exit else { panic!("{program}: {end:?}") };
        assert!(why.contains(&format!("`{program}` cannot be run: ")), "{why}");
        assert!(end.last_error.contains("cannot be run") && test.log().contains(&end.last_error));
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_with_the_reason() {
    let test = TestAgent::new();
    let mut nowhere = test.script("exit 0");
    nowhere.cwd = test.root.join("gone");
    let mut unlogged = test.script("exit 0");
    unlogged.log = "/dev/null/agent.log".into();
    let mut late = test.script("exit 0");
    let grace = Duration::from_secs(600);
    (late.deadline, late.kill_grace) = (TestAgent::from_now(grace / 2), Graces::both(grace));
    let rows = [(nowhere, "its directory"), (unlogged, "its log /dev/null"), (late, "the lease was over")];
    for (order, expected) in rows {
        let refused = launch(order, SystemClock).await;
        let Err(LaunchError::Refused(why)) = refused else { panic!("{refused:?}") };
        assert!(why.contains(expected), "{why}");
    }
    let mut unsupervised = test.script("exit 0");
    unsupervised.supervisor = "/no/such/baton".into();
    let refused = launch(unsupervised, SystemClock).await;
    assert!(matches!(refused, Err(LaunchError::Spawn { .. })), "{refused:?}");
    let mut strange = test.script("exit 0");
    strange.supervisor = "true".into();
    let refused = launch(strange, SystemClock).await;
    assert!(matches!(refused, Err(LaunchError::Silent)), "{refused:?}");
}

#[tokio::test]
async fn a_prompt_reaches_the_agent_whole() {
    // More than a pipe holds, with every byte that a line protocol could stumble over.
    let prompt: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
    let test = TestAgent::new();
    let mut order = test.script("cat > prompt; cmp prompt expected && echo same");
    std::fs::write(test.root.join("work/expected"), &prompt).unwrap();
    order.stdin = prompt;
    let end = TestAgent::run(order).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Exited(0), "same"));
}

#[tokio::test]
async fn an_agent_that_does_not_read_its_prompt_ends_all_the_same() {
    let test = TestAgent::new();
    let mut order = test.script("exit 0");
    order.stdin = vec![b'x'; 1_000_000];
    assert_eq!(TestAgent::run(order).await.exit, AgentExit::Exited(0));
}

#[tokio::test]
async fn an_agent_sees_the_environment_it_was_given_and_nothing_else() {
    let test = TestAgent::new();
    let mut order = test.program(&["env", "-0"]);
    order.env = order.env.with("BATON_RUN", "7\n8");
    // This is what a test run always has, and an agent must not.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let given: Vec<_> = order.env.iter().map(|(name, _)| name.to_owned()).collect();
    TestAgent::run(order).await;
    let log = test.log();
    let seen: Vec<_> =
        log.trim_end().split_terminator('\0').map(|row| row.split_once('=').unwrap()).collect();
    let mut names: Vec<_> = seen.iter().map(|(name, _)| (*name).into()).collect::<Vec<std::ffi::OsString>>();
    names.sort();
    assert_eq!(names, given);
    assert!(seen.contains(&("BATON_RUN", "7\n8")), "{seen:?}");
}

#[tokio::test]
async fn an_agent_works_in_its_directory_and_leads_a_session_of_its_own() {
    let test = TestAgent::new();
    let agent = TestAgent::start(test.script("pwd -P; cut -d' ' -f1,5,6 /proc/$$/stat")).await;
    let end = TestAgent::ended(&agent).await;
    let group = agent.group();
    assert_eq!(end.last_line, format!("{group} {group} {group}"));
    let work = test.root.join("work").canonicalize().unwrap();
    assert_eq!(test.log().lines().next(), work.to_str());
}

#[tokio::test]
async fn nothing_that_an_agent_started_is_left_when_it_ends() {
    let test = TestAgent::new();
    let script = "
        sleep 1000 & a=$!
        bash -c 'trap \"\" HUP INT TERM; sleep 1000 & echo $! > inner; wait' & b=$!
        setsid bash -c 'echo $$ > escaped; setsid sleep 1000 & echo $! >> escaped; wait' &
        until [ -s inner ] && [ \"$(wc -l < escaped)\" = 2 ]; do sleep 0.01; done
        echo $a $b > outer
        exit 4";
    assert_eq!(TestAgent::run(test.script(script)).await.exit, AgentExit::Exited(4));
    for name in ["inner", "outer", "escaped"] {
        let pids = test.numbers(name).unwrap();
        assert!(!pids.is_empty() && pids.iter().all(|pid| !is_alive(*pid)), "{name}: {pids:?}");
    }
}
