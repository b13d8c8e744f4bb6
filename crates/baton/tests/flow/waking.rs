//! From a wakeup to the end of its run, and what becomes of wakeups that meet others.

use serde_json::json;

use crate::flow::desk::{Desk, ISSUE, ended, eventually, send};
use rustix::process::Signal;

/// Prints what it is told and where it is.
const TELL: &str = "cat; env | grep ^BATON_ | sort; echo done";
/// Prints what it is told, and goes on when it may.
const WAIT: &str = "cat; echo $$ > pid; until [ -e go ]; do sleep 0.02; done";

#[tokio::test(flavor = "multi_thread")]
async fn a_wakeup_is_executed_and_can_be_read_in_all_lists() {
    for desk in Desk::on_both(&[("dev", TELL)]) {
        let woken =
            desk.wake(&["dev", "--context", r#"{"comment_ids":[3]}"#, "--json"]).await.exits(0).json();
        let expected = json!({
            "outcome": "queued", "issue": ISSUE, "task": null, "agent": "dev", "wakeup": 1, "run": 1,
            "merged_into": null, "holder": null, "why": null,
        });
        assert_eq!(woken, expected);
        desk.execute().await.says("run 1 started: acme/web#7 dev").says("run 1 succeeded in");
        desk.run(&["runs"]).await.exits(0).says("succeeded");
        let [run] = desk.runs().await.try_into().unwrap();
        assert_eq!(
            (&run["status"], &run["attempt"], &run["error"]),
            (&json!("succeeded"), &json!(1), &json!(null))
        );
        let [wakeup] = desk.wakeups().await.try_into().unwrap();
        assert_eq!(
            (&wakeup["status"], &wakeup["run"], &wakeup["source"]),
            (&json!("completed"), &json!(1), &json!("cli"))
        );
        assert_eq!(wakeup["asked_by"], json!({ "who": "ann", "is_person": true, "run": null }));
        assert_eq!(wakeup["context"], json!({ "comment_ids": [3] }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_told_its_run_on_standard_input_and_in_its_environment() {
    let desk = Desk::on_sqlite(&[("dev", TELL)]);
    desk.wake(&["DEV", "--reason", "ci_failed", "--context", r#"{"topic":"plan"}"#]).await.exits(0);
    let mut engine = desk.command(&["engine", "--idle", "--once"]);
    engine.env("BATON_TOKEN", "ghp_never_to_be_seen").env("SECRET_TOKEN", "tell-nobody");
    crate::flow::desk::finish(engine).await.exits(0);
    let log = desk.run(&["logs", "1"]).await.exits(0).out;
    let (document, rest) = log.split_once('\n').unwrap();
    let expected = json!({
        "run": 1, "issue": { "ref": ISSUE, "repo": "acme/web", "number": 7 }, "task": null, "agent": "dev",
        "reason": "ci_failed", "context": { "topic": "plan" }, "attempt": 1, "retry_of": null,
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(document).unwrap(), expected);
    let state = format!("BATON_STATE_DIR={}", desk.path(".baton/state").display());
    let store = format!("BATON_STORE={}", desk.store);
    let expected = [
        "BATON_AGENT=dev",
        "BATON_ATTEMPT=1",
        "BATON_FENCE=1",
        "BATON_ISSUE=acme/web#7",
        "BATON_ISSUE_NUMBER=7",
        "BATON_REPO=acme/web",
        "BATON_RUN_ID=1",
        &state,
        &store,
        "BATON_WAKE_REASON=ci_failed",
        "done",
    ];
    // The mark of a run is another one every time.
    let told: Vec<_> = rest.lines().filter(|line| !line.starts_with("BATON_RUN_MARK=")).collect();
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn wakeups_of_the_same_agent_are_one_run_until_it_starts() {
    for desk in Desk::on_both(&[("dev", TELL), ("ops", "true")]) {
        desk.wake(&["dev", "--context", r#"{"comment_ids":[3,1],"a":1}"#])
            .await
            .exits(0)
            .says("queued as run 1 of dev");
        desk.wake(&["dev", "--context", r#"{"comment_ids":[1,9],"a":2}"#])
            .await
            .exits(0)
            .says("merged into run 1 of dev");
        desk.wake(&["ops"]).await.exits(0).says("waits behind run 1 of dev (queued for");
        desk.execute().await;
        let runs = desk.runs().await;
        assert_eq!(runs.iter().map(|run| &run["agent"]).collect::<Vec<_>>(), ["dev", "ops"]);
        assert_eq!(runs[0]["context"], json!({ "comment_ids": [3, 1, 9], "a": 2 }));
        let wakeups = desk.wakeups().await;
        let of = |key: &str| wakeups.iter().map(|wakeup| wakeup[key].clone()).collect::<Vec<_>>();
        assert_eq!(of("status"), ["completed", "coalesced", "completed"]);
        let dispositions =
            [json!(null), json!("issue_execution_same_name"), json!("issue_execution_promoted")];
        assert_eq!(of("disposition"), dispositions);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_while_a_run_is_at_work_becomes_one_follow_up() {
    for desk in Desk::on_both(&[("dev", WAIT)]) {
        let engine = desk.engine();
        desk.wake(&["dev"]).await.exits(0);
        eventually("the agent", || desk.note("pid")).await;
        let held = desk.wake(&["dev", "--context", r#"{"comment_ids":[1]}"#, "--json"]).await.exits(0).json();
        assert_eq!((&held["outcome"], &held["holder"]["run"]), (&json!("deferred"), &json!(1)));
        assert_eq!((&held["holder"]["status"], &held["holder"]["agent"]), (&json!("running"), &json!("dev")));
        assert!(held["holder"]["host"].is_string() && held["holder"]["age_s"].is_number(), "{held}");
        let merged = desk.wake(&["dev", "--context", r#"{"comment_ids":[2]}"#]).await.exits(0);
        merged.says(&format!(
            "merged into wakeup {}, which waits behind run 1 of dev (running for",
            held["wakeup"]
        ));
        assert_eq!(desk.runs().await.len(), 1, "a second run was started beside the first");
        desk.write("go");
        let follow_up = desk.reaches(2, "succeeded").await;
        assert_eq!(follow_up["context"], json!({ "comment_ids": [1, 2] }));
        send(&engine, Signal::TERM);
        ended(engine).await.exits(0);
        assert_eq!(desk.runs().await.len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_does_itself_does_not_wake_it_and_may_wake_others() {
    let script = format!(
        "'{baton}' wake $BATON_ISSUE --agent dev; '{baton}' wake $BATON_ISSUE --agent ops",
        baton = env!("CARGO_BIN_EXE_baton")
    );
    for desk in Desk::on_both(&[("dev", &script), ("ops", "true")]) {
        desk.wake(&["dev"]).await.exits(0);
        desk.execute().await;
        let log = desk.run(&["logs", "1"]).await.exits(0);
        log.says("this is the doing of run 1 itself").says("waits behind run 1 of dev (running for");
        let runs = desk.runs().await;
        assert_eq!(runs.iter().map(|run| &run["agent"]).collect::<Vec<_>>(), ["dev", "ops"]);
        let own = &desk.wakeups().await[1];
        assert_eq!(own["asked_by"], json!({ "who": "run 1", "is_person": false, "run": 1 }));
        assert_eq!((&own["status"], &own["run"]), (&json!("coalesced"), &json!(1)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_counts_once() {
    for desk in Desk::on_both(&[("dev", "true")]) {
        desk.wake(&["dev", "--key", "comment-5"]).await.exits(0);
        let before = desk.dump().await;
        let again = desk.wake(&["dev", "--key", "comment-5", "--json"]).await.exits(0).json();
        assert_eq!(
            (&again["outcome"], &again["wakeup"], &again["why"]),
            (&json!("duplicate"), &json!(1), &json!("queued"))
        );
        desk.wake(&["dev", "--key", "comment-5"]).await.exits(0).says("has the same key");
        assert_eq!(desk.dump().await, before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_needs_no_issue_and_takes_no_slot() {
    for desk in Desk::on_both(&[("dev", TELL)]) {
        desk.run(&["wake", "--agent", "dev"]).await.exits(0).says("queued as run 1");
        desk.run(&["wake", "--agent", "dev", "--task", "nightly"]).await.exits(0).says("queued as run");
        desk.run(&["wake", "--agent", "dev", "--task", "nightly"]).await.exits(0).says("merged into run");
        desk.wake(&["dev"]).await.exits(0).says("queued as run");
        desk.execute().await;
        let nightly = desk.runs().await[1].clone();
        assert_eq!((&nightly["issue"], &nightly["task"]), (&json!(null), &json!("nightly")));
        desk.run(&["logs", &nightly["run"].to_string()]).await.exits(0).says("BATON_TASK=nightly");
        desk.run(&["runs", "--issue", ISSUE, "--status", "succeeded"]).await.exits(0).says(ISSUE);
        let found = desk.run(&["runs", "--issue", ISSUE, "--json"]).await.json();
        assert_eq!(found["runs"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_brings_a_retry_forward() {
    let desk = Desk::on_sqlite(&[("dev", "[ -e good ] || { echo broken >&2; exit 3; }")]);
    desk.wake(&["dev"]).await.exits(0);
    desk.execute().await.says("run 1 failed");
    let [failed, retry] = desk.runs().await.try_into().unwrap();
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("exit code 3: broken")));
    assert_eq!((&retry["status"], &retry["retry_of"]), (&json!("scheduled_retry"), &json!(1)));
    desk.run(&["runs"]).await.says("again in").says("exit code 3: broken");
    desk.execute().await;
    assert_eq!(desk.runs().await.len(), 2, "it was tried again before its time");
    desk.write("good");
    desk.wake(&["dev"]).await.exits(0).says("merged into run 2");
    desk.execute().await;
    assert_eq!(desk.runs().await[1]["status"], "succeeded");
}
