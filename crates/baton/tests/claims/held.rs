//! Holding an issue around a command: what becomes of the command when its holder or its guard dies or is told to stop,
//! and what becomes of the issue when the command ends.

use std::time::Duration;

use baton_testbed::processes::is_group_alive;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::claims::seat::{Ran, Seat};
use crate::claims::standing::value;
use crate::claims::victim::Victim;
use crate::claims::waiting::{SOON, eventually};
use crate::claims::world::{Protocol, REPO, World, assert_same, reference};

/// A command that cannot be asked to stop gets a fifth of the lease before it is killed. That is 1.8 s here; the rest
/// is for a busy machine.
const DEAD_WITHIN: Duration = Duration::from_secs(8);

fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

async fn dies(group: i32) {
    eventually("the death of the command", DEAD_WITHIN, || (!is_group_alive(group)).then_some(())).await;
}

async fn working(world: &World, seat: &Seat) -> (Victim, i32) {
    let issue = world.issue().await;
    let victim = Victim::start(world, seat, &format!("holder-{issue}"), issue, None).await;
    let group = eventually("the command", SOON, || victim.group()).await;
    (victim, group)
}

fn parent(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}

/// The last release on an issue.
pub(crate) async fn last_release(world: &World, issue: u64) -> String {
    let bodies = world.bodies(issue).await;
    bodies.into_iter().rfind(|body| body.starts_with("<!-- agent-release:")).expect("a release")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_dies_with_its_holder() {
    let world = World::new(Protocol::Ref).await;
    let (mut victim, group) = working(&world, &world.worker("victim").await).await;
    send(i32::try_from(victim.pid()).unwrap(), Signal::KILL);
    victim.ended().await.exits(-1);
    dies(group).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_will_not_hear_dies_with_its_holder_all_the_same() {
    let world = World::new(Protocol::Ref).await;
    let seat = world.worker("victim").await.with_short_holds();
    let (issue, path) = (world.issue().await, seat.state.join("group"));
    let script = format!("trap '' TERM INT; echo $$ > {}; while :; do sleep 0.1; done", path.display());
    let child = seat.command(&["claim", &reference(issue), "--", "bash", "-c", &script]).spawn().unwrap();
    let read = || std::fs::read_to_string(&path).ok()?.trim().parse().ok();
    let group = eventually("the command", SOON, read).await;
    send(i32::try_from(child.id().unwrap()).unwrap(), Signal::KILL);
    Seat::end(child).await.exits(-1);
    dies(group).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_dies_with_its_guard_and_the_issue_is_handed_back() {
    let world = World::new(Protocol::Ref).await;
    let (mut victim, group) = working(&world, &world.worker("victim").await).await;
    send(parent(group), Signal::KILL);
    let ran = victim.ended().await;
    assert!(ran.code > 0, "{ran:?}");
    dies(group).await;
    assert_eq!(value(&last_release(&world, victim.issue).await, "outcome"), Some("failure-signal"));
    assert_eq!(world.labels(victim.issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_told_to_stop_ends_its_command_and_hands_the_issue_back_as_cancelled() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let seat = world.worker("victim").await;
        for signal in [Signal::INT, Signal::TERM] {
            let (mut victim, group) = working(&world, &seat).await;
            send(i32::try_from(victim.pid()).unwrap(), signal);
            victim.ended().await.exits(130).says("handed back as cancelled");
            assert!(!is_group_alive(group), "{protocol} {signal:?}");
            let release = last_release(&world, victim.issue).await;
            assert_eq!(value(&release, "outcome"), Some("cancelled"), "{protocol} {signal:?}");
            assert_eq!(world.labels(victim.issue).await, ["agent:implement"], "{protocol} {signal:?}");
        }
    }
}

/// Opens a pull request that would close an issue, and returns it.
pub(crate) async fn pull_for(world: &World, issue: u64) -> Value {
    let main = world.get("/git/ref/heads/main").await["object"]["sha"].as_str().unwrap().to_owned();
    let tree = world.get(&format!("/git/commits/{main}")).await["tree"]["sha"].clone();
    // Two pull requests of one commit would be merged together.
    let commit = json!({ "message": format!("work on {issue}"), "tree": tree, "parents": [main] });
    let sha = world.post("/git/commits", commit).await["sha"].clone();
    let branch = format!("work-{issue}");
    world.post("/git/refs", json!({ "ref": format!("refs/heads/{branch}"), "sha": sha })).await;
    let body = format!("Closes #{issue}");
    world.post("/pulls", json!({ "title": "work", "head": branch, "base": "main", "body": body })).await
}

async fn around(seat: &Seat, issue: u64, script: &str) -> Ran {
    seat.run(&["claim", &reference(issue), "--", "sh", "-c", script]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_of_a_command_is_passed_on_and_tells_how_the_work_went() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let seat = world.worker("worker").await;
        let rows = [
            ("exit 0", 0, "no-commit"),
            ("exit 75", 75, "rate-limit"),
            ("exit 3", 3, "failure-exit-3"),
            ("exit 255", 255, "failure-exit-255"),
            ("kill -9 $$", 137, "failure-exit-137"),
        ];
        for (script, code, outcome) in rows {
            let issue = world.issue().await;
            around(&seat, issue, script).await.exits(code).says(outcome);
            let release = last_release(&world, issue).await;
            assert_eq!(value(&release, "outcome"), Some(outcome), "{protocol}: {script}");
            assert_eq!(value(&release, "to"), Some("agent:implement"), "{protocol}: {script}");
            assert_eq!(world.labels(issue).await, ["agent:implement"], "{protocol}: {script}");
        }
        let issue = world.issue().await;
        let pull = pull_for(&world, issue).await;
        around(&seat, issue, "exit 0").await.exits(0).says("handed back as success");
        let release = last_release(&world, issue).await;
        assert_eq!(value(&release, "outcome"), Some("success"), "{protocol}");
        assert_eq!(value(&release, "pr"), pull["html_url"].as_str(), "{protocol}");
        assert_eq!(world.labels(issue).await, ["agent:pr-open"], "{protocol}");
        let missing = world.issue().await;
        let ran = seat.run(&["claim", &reference(missing), "--", "/no/such/command"]).await;
        ran.exits(127).says("cannot be run");
        assert_eq!(world.labels(missing).await, ["agent:implement"], "{protocol}: it is handed back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_knows_its_issue_and_whoever_it_is_held_for() {
    let world = World::new(Protocol::Ref).await;
    let (seat, issue) = (world.worker("worker").await.with("BATON_FIRING_ID", "f-1"), world.issue().await);
    let script =
        "echo $BATON_ISSUE $BATON_ISSUE_NUMBER $BATON_REPO $BATON_CODENAME $BATON_FIRING_ID $BATON_EPOCH";
    let ran = around(&seat, issue, script).await.exits(0);
    assert_eq!(ran.out, format!("{REPO}#{issue} {issue} {REPO} worker f-1 1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_stopped_and_nothing_is_written_when_someone_else_ends_the_claim() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (mut victim, group) = working(&world, &world.worker("victim").await).await;
        let issue = victim.issue;
        match protocol {
            Protocol::Comment => {
                let comments = world.get(&format!("/issues/{issue}/comments")).await;
                let path = format!("/repos/{REPO}/issues/comments/{}", comments[0]["id"]);
                world.admin.must("DELETE", &path, &Value::Null, 204).await;
            }
            Protocol::Ref => {
                let path = format!("/repos/{REPO}/git/refs/baton/claims/{issue}");
                world.admin.must("DELETE", &path, &Value::Null, 204).await;
            }
        }
        let before = world.dump(issue).await;
        victim.ended().await.exits(1).says("was lost, so the command was stopped");
        assert!(!is_group_alive(group), "{protocol}");
        assert_same(&before, &world.dump(issue).await, &protocol.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_issue_of_a_stage_is_the_oldest_and_moves_to_the_next_stage() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let seat = world.worker("worker").await;
        let (first, second) =
            (world.issue_with(&["stage:ready"]).await, world.issue_with(&["stage:ready"]).await);
        let next = async |label: &str| {
            seat.run(&[
                "claim",
                "--next",
                "--repo",
                REPO,
                "--label",
                label,
                "--",
                "sh",
                "-c",
                "echo $BATON_ISSUE_NUMBER",
            ])
            .await
        };
        assert_eq!(next("stage:ready").await.exits(0).out, first.to_string(), "{protocol}");
        assert_eq!(world.labels(first).await, ["stage:review"], "{protocol}");
        assert_eq!(next("stage:ready").await.exits(0).out, second.to_string(), "{protocol}");
        next("stage:ready").await.exits(1).says("no eligible issue");
        assert_eq!(next("stage:review").await.exits(0).out, first.to_string(), "{protocol}");
        let issue = world.get(&format!("/issues/{first}")).await;
        assert_eq!((&issue["state"], world.labels(first).await.len()), (&json!("closed"), 0), "{protocol}");
        assert_eq!(world.labels(second).await, ["stage:review"], "{protocol}");
        seat.run(&["claim", "--next", "--repo", REPO, "--label", "stage:review", "--", "false"])
            .await
            .exits(1);
        assert_eq!(
            world.labels(second).await,
            ["stage:review"],
            "{protocol}: it goes back where it came from"
        );
    }
}
