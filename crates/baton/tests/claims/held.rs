//! Holding an issue around a command: what becomes of the command when its holder or its guard dies or is told to stop,
//! and what becomes of the issue when the command ends.

use std::time::Duration;

use baton_fixtures::processes::{Signal, is_group_alive, parent, send};
use baton_fixtures::wait::{eventually, eventually_within};
use baton_fixtures::{CommandOutput, TestEnv};
use serde_json::{Value, json};

use crate::claims::setup::{Protocol, REPO, Setup, assert_same, reference, with_short_holds};
use crate::claims::standing::value;
use crate::claims::victim::Victim;

/// A command that cannot be asked to stop gets a fifth of the lease before it is killed. That is 4.3 s here; the rest
/// is for a busy machine.
const DEAD_WITHIN: Duration = Duration::from_secs(15);

async fn dies(group: i32) {
    eventually_within("the death of the command", DEAD_WITHIN, || (!is_group_alive(group)).then_some(()))
        .await;
}

async fn working(setup: &Setup, env: &TestEnv) -> (Victim, i32) {
    let issue = setup.issue().await;
    let victim = Victim::start(setup, env, &format!("holder-{issue}"), issue, None).await;
    let group = eventually("the command", || victim.group()).await;
    (victim, group)
}

/// The last release on an issue.
pub(crate) async fn last_release(setup: &Setup, issue: u64) -> String {
    let bodies = setup.repo.bodies(issue).await;
    bodies.into_iter().rfind(|body| body.starts_with("<!-- agent-release:")).expect("a release")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_dies_with_its_holder() {
    let setup = Setup::new(Protocol::Ref).await;
    let (mut victim, group) = working(&setup, &setup.worker("victim").await).await;
    send(victim.pid(), Signal::KILL);
    victim.ended().await.exits(-1);
    dies(group).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_will_not_hear_dies_with_its_holder_all_the_same() {
    let setup = Setup::new(Protocol::Ref).await;
    let env = with_short_holds(setup.worker("victim").await);
    let issue = setup.issue().await;
    let script = "trap '' TERM INT; echo $$ > group; while :; do sleep 0.1; done";
    let child = env.spawn(&["claim", &reference(issue), "--", "bash", "-c", script]);
    let group = eventually("the command", || env.note("group")?.parse().ok()).await;
    send(i32::try_from(child.id().unwrap()).unwrap(), Signal::KILL);
    TestEnv::ended(child).await.exits(-1);
    dies(group).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_dies_with_its_guard_and_the_issue_is_handed_back() {
    let setup = Setup::new(Protocol::Ref).await;
    let (mut victim, group) = working(&setup, &setup.worker("victim").await).await;
    send(parent(group), Signal::KILL);
    let ran = victim.ended().await;
    assert!(ran.code > 0, "{ran:?}");
    dies(group).await;
    assert_eq!(value(&last_release(&setup, victim.issue).await, "outcome"), Some("failure-signal"));
    assert_eq!(setup.repo.labels(victim.issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_told_to_stop_ends_its_command_and_hands_the_issue_back_as_cancelled() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let env = setup.worker("victim").await;
        for signal in [Signal::INT, Signal::TERM] {
            let (mut victim, group) = working(&setup, &env).await;
            send(victim.pid(), signal);
            victim.ended().await.exits(130).says("handed back as cancelled");
            assert!(!is_group_alive(group), "{protocol} {signal:?}");
            let release = last_release(&setup, victim.issue).await;
            assert_eq!(value(&release, "outcome"), Some("cancelled"), "{protocol} {signal:?}");
            assert_eq!(setup.repo.labels(victim.issue).await, ["agent:implement"], "{protocol} {signal:?}");
        }
    }
}

/// Opens a pull request that would close an issue, and returns it.
pub(crate) async fn pull_for(setup: &Setup, issue: u64) -> Value {
    let main = setup.repo.get("/git/ref/heads/main").await["object"]["sha"].as_str().unwrap().to_owned();
    let tree = setup.repo.get(&format!("/git/commits/{main}")).await["tree"]["sha"].clone();
    // Two pull requests of one commit would be merged together.
    let commit = json!({ "message": format!("work on {issue}"), "tree": tree, "parents": [main] });
    let sha = setup.repo.post("/git/commits", commit).await["sha"].clone();
    let branch = format!("work-{issue}");
    setup.repo.post("/git/refs", json!({ "ref": format!("refs/heads/{branch}"), "sha": sha })).await;
    let body = format!("Closes #{issue}");
    setup.repo.post("/pulls", json!({ "title": "work", "head": branch, "base": "main", "body": body })).await
}

async fn around(env: &TestEnv, issue: u64, script: &str) -> CommandOutput {
    env.run_async(&["claim", &reference(issue), "--", "sh", "-c", script]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_of_a_command_is_passed_on_and_tells_how_the_work_went() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let env = setup.worker("worker").await;
        let rows = [
            ("exit 0", 0, "no-commit"),
            ("exit 75", 75, "rate-limit"),
            ("exit 3", 3, "failure-exit-3"),
            ("exit 255", 255, "failure-exit-255"),
            ("kill -9 $$", 137, "failure-exit-137"),
        ];
        for (script, code, outcome) in rows {
            let issue = setup.issue().await;
            around(&env, issue, script).await.exits(code).says(outcome);
            let release = last_release(&setup, issue).await;
            assert_eq!(value(&release, "outcome"), Some(outcome), "{protocol}: {script}");
            assert_eq!(value(&release, "to"), Some("agent:implement"), "{protocol}: {script}");
            assert_eq!(setup.repo.labels(issue).await, ["agent:implement"], "{protocol}: {script}");
        }
        let issue = setup.issue().await;
        let pull = pull_for(&setup, issue).await;
        around(&env, issue, "exit 0").await.exits(0).says("handed back as success");
        let release = last_release(&setup, issue).await;
        assert_eq!(value(&release, "outcome"), Some("success"), "{protocol}");
        assert_eq!(value(&release, "pr"), pull["html_url"].as_str(), "{protocol}");
        assert_eq!(setup.repo.labels(issue).await, ["agent:pr-open"], "{protocol}");
        let missing = setup.issue().await;
        let ran = env.run_async(&["claim", &reference(missing), "--", "/no/such/command"]).await;
        ran.exits(127).says("cannot be run");
        assert_eq!(setup.repo.labels(missing).await, ["agent:implement"], "{protocol}: it is handed back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_knows_its_issue_and_whoever_it_is_held_for() {
    let setup = Setup::new(Protocol::Ref).await;
    let (env, issue) = (setup.worker("worker").await.with("BATON_FIRING_ID", "f-1"), setup.issue().await);
    let script =
        "echo $BATON_ISSUE $BATON_ISSUE_NUMBER $BATON_REPO $BATON_CODENAME $BATON_FIRING_ID $BATON_EPOCH";
    let ran = around(&env, issue, script).await.exits(0);
    assert_eq!(ran.out, format!("{REPO}#{issue} {issue} {REPO} worker f-1 1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_stopped_and_nothing_is_written_when_someone_else_ends_the_claim() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (mut victim, group) = working(&setup, &setup.worker("victim").await).await;
        let issue = victim.issue;
        match protocol {
            Protocol::Comment => {
                let comments = setup.repo.get(&format!("/issues/{issue}/comments")).await;
                let path = format!("/issues/comments/{}", comments[0]["id"]);
                setup.repo.send("DELETE", &path, Value::Null).await;
            }
            Protocol::Ref => {
                let path = format!("/git/refs/baton/claims/{issue}");
                setup.repo.send("DELETE", &path, Value::Null).await;
            }
        }
        let before = setup.dump(issue).await;
        victim.ended().await.exits(1).says("was lost, so the command was stopped");
        assert!(!is_group_alive(group), "{protocol}");
        assert_same(&before, &setup.dump(issue).await, &protocol.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_issue_of_a_stage_is_the_oldest_and_moves_to_the_next_stage() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let env = setup.worker("worker").await;
        let (first, second) = (
            setup.repo.issue("something to do", &["stage:ready"]).await,
            setup.repo.issue("something to do", &["stage:ready"]).await,
        );
        let next = async |label: &str| {
            env.run_async(&[
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
        assert_eq!(setup.repo.labels(first).await, ["stage:review"], "{protocol}");
        assert_eq!(next("stage:ready").await.exits(0).out, second.to_string(), "{protocol}");
        next("stage:ready").await.exits(1).says("no eligible issue");
        assert_eq!(next("stage:review").await.exits(0).out, first.to_string(), "{protocol}");
        let issue = setup.repo.get(&format!("/issues/{first}")).await;
        assert_eq!(
            (&issue["state"], setup.repo.labels(first).await.len()),
            (&json!("closed"), 0),
            "{protocol}"
        );
        assert_eq!(setup.repo.labels(second).await, ["stage:review"], "{protocol}");
        env.run_async(&["claim", "--next", "--repo", REPO, "--label", "stage:review", "--", "false"])
            .await
            .exits(1);
        assert_eq!(
            setup.repo.labels(second).await,
            ["stage:review"],
            "{protocol}: it goes back where it came from"
        );
    }
}
