//! From a wakeup to the end of its run, and what becomes of wakeups that meet others.

use serde_json::json;

use crate::flow::setup::{ISSUE, Setup};

/// Prints what it is told and where it is.
const TELL: &str = "cat; env | grep ^BATON_ | sort; echo done";
/// Prints what it is told, and goes on when it may.
const WAIT: &str = "cat; echo $$ > pid; until [ -e go ]; do sleep 0.02; done";

#[test]
fn a_wakeup_is_executed_and_can_be_read_in_all_lists() {
    for setup in Setup::on_both(&[("dev", TELL)]) {
        let woken = setup.wake(&["dev", "--context", r#"{"comment_ids":[3]}"#, "--json"]).exits(0).json();
        let expected = json!({
            "outcome": "queued", "issue": ISSUE, "task": null, "agent": "dev", "wakeup": 1, "run": 1,
            "merged_into": null, "holder": null, "why": null,
        });
        assert_eq!(woken, expected);
        setup.execute().says("run 1 started: acme/web#7 dev").says("run 1 succeeded in");
        setup.env.run(&["runs"]).exits(0).says("succeeded");
        let [run] = setup.env.runs().try_into().unwrap();
        assert_eq!(
            (&run["status"], &run["attempt"], &run["error"]),
            (&json!("succeeded"), &json!(1), &json!(null))
        );
        let [wakeup] = setup.env.wakeups().try_into().unwrap();
        assert_eq!(
            (&wakeup["status"], &wakeup["run"], &wakeup["source"]),
            (&json!("completed"), &json!(1), &json!("cli"))
        );
        assert_eq!(wakeup["asked_by"], json!({ "who": "ann", "is_person": true, "run": null }));
        assert_eq!(wakeup["context"], json!({ "comment_ids": [3] }));
    }
}

#[test]
fn an_agent_is_told_its_run_on_standard_input_and_in_its_environment() {
    let setup = Setup::on_sqlite(&[("dev", TELL)]);
    setup.wake(&["DEV", "--reason", "ci_failed", "--context", r#"{"topic":"plan"}"#]).exits(0);
    let given = setup.env.clone().with("BATON_TOKEN", "ghp_never_to_be_seen");
    given.with("SECRET_TOKEN", "tell-nobody").run(&["engine", "--idle", "--once"]).exits(0);
    let log = setup.env.run(&["logs", "1"]).exits(0).out;
    let (document, rest) = log.split_once('\n').unwrap();
    let expected = json!({
        "run": 1, "issue": { "ref": ISSUE, "repo": "acme/web", "number": 7 }, "task": null, "agent": "dev",
        "reason": "ci_failed", "context": { "topic": "plan" }, "attempt": 1, "retry_of": null,
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(document).unwrap(), expected);
    let state = format!("BATON_STATE_DIR={}", setup.env.path(".baton/state").display());
    let store = format!("BATON_STORE=sqlite:{}", setup.env.path("baton.db").display());
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

#[test]
fn wakeups_of_the_same_agent_are_one_run_until_it_starts() {
    for setup in Setup::on_both(&[("dev", TELL), ("ops", "true")]) {
        setup
            .wake(&["dev", "--context", r#"{"comment_ids":[3,1],"a":1}"#])
            .exits(0)
            .says("queued as run 1 of dev");
        setup
            .wake(&["dev", "--context", r#"{"comment_ids":[1,9],"a":2}"#])
            .exits(0)
            .says("merged into run 1 of dev");
        setup.wake(&["ops"]).exits(0).says("waits behind run 1 of dev (queued for");
        setup.execute();
        let runs = setup.env.runs();
        assert_eq!(runs.iter().map(|run| &run["agent"]).collect::<Vec<_>>(), ["dev", "ops"]);
        assert_eq!(runs[0]["context"], json!({ "comment_ids": [3, 1, 9], "a": 2 }));
        let wakeups = setup.env.wakeups();
        let of = |key: &str| wakeups.iter().map(|wakeup| wakeup[key].clone()).collect::<Vec<_>>();
        assert_eq!(of("status"), ["completed", "coalesced", "completed"]);
        let dispositions =
            [json!(null), json!("issue_execution_same_name"), json!("issue_execution_promoted")];
        assert_eq!(of("disposition"), dispositions);
    }
}

#[test]
fn what_comes_while_a_run_is_at_work_becomes_one_follow_up() {
    for setup in Setup::on_both(&[("dev", WAIT)]) {
        let engine = setup.env.engine(&["engine", "--idle"]);
        setup.wake(&["dev"]).exits(0);
        setup.agent();
        let held = setup.wake(&["dev", "--context", r#"{"comment_ids":[1]}"#, "--json"]).exits(0).json();
        assert_eq!((&held["outcome"], &held["holder"]["run"]), (&json!("deferred"), &json!(1)));
        assert_eq!((&held["holder"]["status"], &held["holder"]["agent"]), (&json!("running"), &json!("dev")));
        assert!(held["holder"]["host"].is_string() && held["holder"]["age_s"].is_number(), "{held}");
        let merged = setup.wake(&["dev", "--context", r#"{"comment_ids":[2]}"#]).exits(0);
        merged.says(&format!(
            "merged into wakeup {}, which waits behind run 1 of dev (running for",
            held["wakeup"]
        ));
        assert_eq!(setup.env.runs().len(), 1, "a second run was started beside the first");
        setup.env.write("go", "");
        let follow_up = setup.reaches(2, "succeeded");
        assert_eq!(follow_up["context"], json!({ "comment_ids": [1, 2] }));
        engine.stop();
        assert_eq!(setup.env.runs().len(), 2);
    }
}

#[test]
fn what_a_run_does_itself_does_not_wake_it_and_may_wake_others() {
    let script = format!(
        "'{baton}' wake $BATON_ISSUE --agent dev; '{baton}' wake $BATON_ISSUE --agent ops",
        baton = baton_fixtures::baton().display()
    );
    for setup in Setup::on_both(&[("dev", &script), ("ops", "true")]) {
        setup.wake(&["dev"]).exits(0);
        setup.execute();
        let log = setup.env.run(&["logs", "1"]).exits(0);
        log.says("this is the doing of run 1 itself").says("waits behind run 1 of dev (running for");
        let runs = setup.env.runs();
        assert_eq!(runs.iter().map(|run| &run["agent"]).collect::<Vec<_>>(), ["dev", "ops"]);
        let own = &setup.env.wakeups()[1];
        assert_eq!(own["asked_by"], json!({ "who": "run 1", "is_person": false, "run": 1 }));
        assert_eq!((&own["status"], &own["run"]), (&json!("coalesced"), &json!(1)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_counts_once() {
    for setup in Setup::on_both(&[("dev", "true")]) {
        setup.wake(&["dev", "--key", "comment-5"]).exits(0);
        let before = setup.dump().await;
        let again = setup.wake(&["dev", "--key", "comment-5", "--json"]).exits(0).json();
        assert_eq!(
            (&again["outcome"], &again["wakeup"], &again["why"]),
            (&json!("duplicate"), &json!(1), &json!("queued"))
        );
        setup.wake(&["dev", "--key", "comment-5"]).exits(0).says("has the same key");
        assert_eq!(setup.dump().await, before);
    }
}

#[test]
fn a_task_needs_no_issue_and_takes_no_slot() {
    for setup in Setup::on_both(&[("dev", TELL)]) {
        setup.env.run(&["wake", "--agent", "dev"]).exits(0).says("queued as run 1");
        setup.env.run(&["wake", "--agent", "dev", "--task", "nightly"]).exits(0).says("queued as run");
        setup.env.run(&["wake", "--agent", "dev", "--task", "nightly"]).exits(0).says("merged into run");
        setup.wake(&["dev"]).exits(0).says("queued as run");
        setup.execute();
        let nightly = setup.env.runs()[1].clone();
        assert_eq!((&nightly["issue"], &nightly["task"]), (&json!(null), &json!("nightly")));
        setup.env.run(&["logs", &nightly["run"].to_string()]).exits(0).says("BATON_TASK=nightly");
        setup.env.run(&["runs", "--issue", ISSUE, "--status", "succeeded"]).exits(0).says(ISSUE);
        let found = setup.env.run(&["runs", "--issue", ISSUE, "--json"]).json();
        assert_eq!(found["runs"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_person_brings_a_retry_forward() {
    let setup = Setup::on_sqlite(&[("dev", "[ -e good ] || { echo broken >&2; exit 3; }")]);
    setup.wake(&["dev"]).exits(0);
    setup.execute().says("run 1 failed");
    let [failed, retry] = setup.env.runs().try_into().unwrap();
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("exit code 3: broken")));
    assert_eq!((&retry["status"], &retry["retry_of"]), (&json!("scheduled_retry"), &json!(1)));
    setup.env.run(&["runs"]).says("again in").says("exit code 3: broken");
    setup.execute();
    assert_eq!(setup.env.runs().len(), 2, "it was tried again before its time");
    setup.env.write("good", "");
    setup.wake(&["dev"]).exits(0).says("merged into run 2");
    setup.execute();
    assert_eq!(setup.env.runs()[1]["status"], "succeeded");
}
