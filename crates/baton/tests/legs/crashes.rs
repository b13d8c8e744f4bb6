//! Engines that die while an agent works: the next one ends what is left, and goes on with the session.

use std::path::Path;

use baton_fixtures::processes::{Signal, arguments, children, is_group_alive, send};
use baton_fixtures::wait::wait_for;
use serde_json::{Value, json};

use crate::legs::setup::Setup;

/// Works until it is ended; when it goes on with its session, it finishes.
const INTERRUPTED: &str = "scenes:
  - when: {prompt_contains: You go on with your earlier session}
    do: [{log: agents.log}, {say: back again}, {commit: 'feat: all'}, {marker: complete}]
  - do: [{log: agents.log}, turn, {write: {path: begun.txt, text: begun}}, {say: begun}, hang]
";

/// A line that an agent wrote into its own log.
fn entries(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The session that the log of a run begins with.
fn session(log: &str) -> Option<String> {
    let first: Value = serde_json::from_str(log.lines().next()?).ok()?;
    first["session_id"].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_engine_ends_what_a_killed_one_left_and_goes_on_with_its_session() {
    let setup = Setup::with_script(INTERRUPTED).await;
    setup.wake(&json!({ "stage": "Implement" }));
    let engine = setup.env.engine(&["engine", "--idle"]);
    let log = setup.env.path("agents.log");
    let first = wait_for("a first agent that has begun", || {
        let began = entries(&setup.env.path("agents.log")).first().cloned();
        began.filter(|_| setup.log(1).contains("begun"))
    });
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    assert!(is_group_alive(pid));
    engine.kill();
    let next = setup.env.engine(&["engine", "--idle"]);
    wait_for("a second agent", || {
        let entries = entries(&log);
        if entries.len() > 1 {
            assert!(!is_group_alive(pid), "two agents of one issue were alive at once");
        }
        entries.get(1).cloned()
    });
    let ended = wait_for("an end", || setup.env.runs().into_iter().find(|run| run["status"] == "succeeded"));
    next.kill();
    assert_eq!(ended["issue"], "admin/web#1");
    let starts: Vec<_> = entries(&log).into_iter().filter(|entry| entry["event"] == "start").collect();
    assert_eq!(starts.len(), 2, "{starts:?}");
    let (first, second) = (session(&setup.log(1)), session(&setup.log(2)));
    assert!(
        first.is_some() && first == second,
        "the second went on where the first was: {first:?}, {second:?}"
    );
    assert_eq!(setup.file("begun.txt").await.as_deref(), Some("begun"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_engine_and_supervisors_were_all_killed_is_ended_before_the_next_one_starts() {
    let setup = Setup::with_script(INTERRUPTED).await;
    setup.wake(&json!({ "stage": "Implement" }));
    let engine = setup.env.engine(&["engine", "--idle"]);
    let first = wait_for("a first agent that has begun", || {
        entries(&setup.env.path("agents.log")).first().cloned().filter(|_| setup.log(1).contains("begun"))
    });
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    let watchers = watchers_of(engine.pid());
    assert!(watchers.len() >= 2, "a supervisor and a second watch: {watchers:?}");
    // All of them stand still before the first is killed, so that none can do its duty.
    for watcher in &watchers {
        send(*watcher, Signal::STOP);
    }
    engine.kill();
    watchers.iter().for_each(|watcher| send(*watcher, Signal::KILL));
    assert!(is_group_alive(pid), "nobody was left to end it");
    let next = setup.env.engine(&["engine", "--idle"]);
    let log = setup.env.path("agents.log");
    wait_for("a second agent", || {
        let begun = entries(&log).len() > 1;
        assert!(!begun || !is_group_alive(pid), "two agents of one issue were alive at once");
        begun.then_some(())
    });
    next.kill();
}

/// A line every hundredth of a second for as long as it lives, and it does not care to be asked to stop.
const STUBBORN: &str = "agents:
  coder:
    adapter: command
    command: [bash, -c, 'cat > /dev/null; trap \"\" TERM INT; for i in $(seq 2000); do echo \"$BATON_RUN_ID\" >> ../../../../lines; sleep 0.01; [ -e ../../../../enough ] && exit 0; done']
";

#[tokio::test(flavor = "multi_thread")]
async fn by_their_own_log_no_two_agents_of_one_issue_ever_overlapped() {
    let setup = Setup::new(STUBBORN).await;
    setup.wake(&json!({ "stage": "Implement" }));
    let lines = || -> Vec<String> {
        let text = std::fs::read_to_string(setup.env.path("lines")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    for round in 1..=3_u64 {
        let engine = setup.env.engine(&["engine", "--idle"]);
        wait_for("an agent at work", || {
            let own = lines().into_iter().filter(|line| *line == round.to_string()).count();
            (own > 20).then_some(())
        });
        engine.kill();
    }
    setup.env.write("enough", "");
    let written = lines();
    assert!(written.is_sorted(), "a run wrote after the next one had begun: {written:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_process_in_a_work_tree_is_left_alone() {
    let setup = Setup::with_script("scenes: [{do: [{say: hello}]}]\n").await;
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    let mut shell =
        std::process::Command::new("sleep").arg("60").current_dir(setup.worktree()).spawn().unwrap();
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    assert!(shell.try_wait().unwrap().is_none(), "it was ended");
    shell.kill().unwrap();
    shell.wait().unwrap();
}

/// The supervisors and watches below an engine.
fn watchers_of(engine: i32) -> Vec<i32> {
    let is_watcher = |pid: &i32| {
        let command = arguments(*pid);
        command.contains("__guard") && !command.contains("__guarded") || command.contains("__watch")
    };
    let mut found = Vec::new();
    let mut parents = vec![engine];
    while let Some(parent) = parents.pop() {
        let watchers: Vec<_> = children(parent).into_iter().filter(is_watcher).collect();
        found.extend_from_slice(&watchers);
        parents.extend(watchers);
    }
    found
}
