//! Engines that die while an agent works: the next one ends what is left, and goes on with the session.

use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::legs::desk::Desk;

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

fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_engine_ends_what_a_killed_one_left_and_goes_on_with_its_session() {
    let desk = Desk::with_script(INTERRUPTED).await;
    desk.wake(&json!({ "stage": "Implement" }));
    let mut engine = desk.command(&["engine", "--idle"]).stderr(Stdio::null()).spawn().unwrap();
    let log = desk.path("agents.log");
    let first = desk.wait_for("a first agent that has begun", |desk| {
        let began = entries(&desk.path("agents.log")).first().cloned();
        began.filter(|_| desk.log(1).contains("begun"))
    });
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    assert!(is_alive(pid));
    kill(engine.id());
    engine.wait().unwrap();
    let mut next = desk.command(&["engine", "--idle"]).stderr(Stdio::null()).spawn().unwrap();
    desk.wait_for("a second agent", |_| {
        let entries = entries(&log);
        if entries.len() > 1 {
            assert!(!is_alive(pid), "two agents of one issue were alive at once");
        }
        entries.get(1).cloned()
    });
    let ended =
        desk.wait_for("an end", |desk| desk.runs().into_iter().find(|run| run["status"] == "succeeded"));
    kill(next.id());
    next.wait().unwrap();
    assert_eq!(ended["issue"], "admin/web#1");
    let starts: Vec<_> = entries(&log).into_iter().filter(|entry| entry["event"] == "start").collect();
    assert_eq!(starts.len(), 2, "{starts:?}");
    let (first, second) = (session(&desk.log(1)), session(&desk.log(2)));
    assert!(
        first.is_some() && first == second,
        "the second went on where the first was: {first:?}, {second:?}"
    );
    assert_eq!(desk.on_forge("baton/issue-1", "begun.txt").await.as_deref(), Some("begun"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_engine_and_supervisors_were_all_killed_is_ended_before_the_next_one_starts() {
    let desk = Desk::with_script(INTERRUPTED).await;
    desk.wake(&json!({ "stage": "Implement" }));
    let mut engine = desk.command(&["engine", "--idle"]).stderr(Stdio::null()).spawn().unwrap();
    let first = desk.wait_for("a first agent that has begun", |desk| {
        entries(&desk.path("agents.log")).first().cloned().filter(|_| desk.log(1).contains("begun"))
    });
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    let watchers = watchers_of(engine.id());
    assert!(watchers.len() >= 2, "a supervisor and a second watch: {watchers:?}");
    // All of them stand still before the first is killed, so that none can do its duty.
    for watcher in &watchers {
        kill_process(Pid::from_raw(*watcher).unwrap(), Signal::STOP).unwrap();
    }
    kill(engine.id());
    engine.wait().unwrap();
    watchers.iter().for_each(|watcher| kill(u32::try_from(*watcher).unwrap()));
    assert!(is_alive(pid), "nobody was left to end it");
    let mut next = desk.command(&["engine", "--idle"]).stderr(Stdio::null()).spawn().unwrap();
    let log = desk.path("agents.log");
    desk.wait_for("a second agent", |_| {
        let begun = entries(&log).len() > 1;
        assert!(!begun || !is_alive(pid), "two agents of one issue were alive at once");
        begun.then_some(())
    });
    kill(next.id());
    next.wait().unwrap();
}

/// A line every hundredth of a second for as long as it lives, and it does not care to be asked to stop.
const STUBBORN: &str = "agents:
  coder:
    adapter: command
    command: [bash, -c, 'cat > /dev/null; trap \"\" TERM INT; for i in $(seq 2000); do echo \"$BATON_RUN_ID\" >> ../../../../lines; sleep 0.01; [ -e ../../../../enough ] && exit 0; done']
";

#[tokio::test(flavor = "multi_thread")]
async fn by_their_own_log_no_two_agents_of_one_issue_ever_overlapped() {
    let desk = Desk::new(STUBBORN).await;
    desk.wake(&json!({ "stage": "Implement" }));
    let lines = |desk: &Desk| -> Vec<String> {
        let text = std::fs::read_to_string(desk.path("lines")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    for round in 1..=3_u64 {
        let mut engine = desk.command(&["engine", "--idle"]).stderr(Stdio::null()).spawn().unwrap();
        desk.wait_for("an agent at work", |desk| {
            let own = lines(desk).into_iter().filter(|line| *line == round.to_string()).count();
            (own > 20).then_some(())
        });
        kill(engine.id());
        engine.wait().unwrap();
    }
    std::fs::write(desk.path("enough"), "").unwrap();
    let written = lines(&desk);
    assert!(written.is_sorted(), "a run wrote after the next one had begun: {written:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_process_in_a_work_tree_is_left_alone() {
    let desk = Desk::with_script("scenes: [{do: [{say: hello}]}]\n").await;
    desk.work(&json!({ "stage": "Implement" })).exits(0);
    let mut shell =
        std::process::Command::new("sleep").arg("60").current_dir(desk.worktree()).spawn().unwrap();
    desk.work(&json!({ "stage": "Implement" })).exits(0);
    assert!(shell.try_wait().unwrap().is_none(), "it was ended");
    shell.kill().unwrap();
    shell.wait().unwrap();
}

/// The supervisors and watches below an engine.
fn watchers_of(engine: u32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut parents = vec![i32::try_from(engine).unwrap()];
    while let Some(parent) = parents.pop() {
        for (pid, command) in children(parent) {
            if command.contains("__guard") && !command.contains("__guarded") || command.contains("__watch") {
                found.push(pid);
                parents.push(pid);
            }
        }
    }
    found
}

fn children(parent: i32) -> Vec<(i32, String)> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let of_parent = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        of == Some(parent)
    };
    let command = |pid| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    pids.filter(of_parent).map(|pid| (pid, command(pid))).collect()
}
