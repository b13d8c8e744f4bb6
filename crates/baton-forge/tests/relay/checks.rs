//! Check runs, check suites and commit statuses.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_check_run_goes_from_queued_to_completed_with_annotations() {
    let world = World::new().await;
    let oid = world.branch("feature", "a.txt", "a\n");
    let runs = format!("{REPO}/check-runs");
    let made = world.ok(&world.ada, "POST", &runs, json!({ "name": "test", "head_sha": oid })).await;
    assert_eq!((&made["status"], &made["conclusion"]), (&json!("queued"), &Value::Null));
    assert_eq!(made["app"]["slug"], "forge-checks");
    let one = format!("{runs}/{}", made["id"]);
    let note = json!({ "path": "a.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "hm" });
    let output = json!({ "title": "t", "summary": "s", "annotations": [note] });
    let done =
        world.ok(&world.ada, "PATCH", &one, json!({ "conclusion": "success", "output": output })).await;
    assert_eq!((&done["status"], &done["output"]["annotations_count"]), (&json!("completed"), &json!(1)));
    assert_eq!(world.get(&format!("{one}/annotations")).await[0]["message"], "hm");
    world
        .ok(&world.ada, "POST", &runs, json!({ "name": "test", "head_sha": oid, "conclusion": "failure" }))
        .await;
    let of = async |query: &str| {
        let found = world.get(&format!("{REPO}/commits/feature/check-runs{query}")).await;
        let ends: Vec<_> =
            found["check_runs"].as_array().unwrap().iter().map(|run| run["conclusion"].clone()).collect();
        (found["total_count"].clone(), ends)
    };
    assert_eq!(of("").await, (json!(1), vec![json!("failure")]));
    assert_eq!(of("?filter=all").await, (json!(2), vec![json!("success"), json!("failure")]));
    assert_eq!(of("?check_name=other").await.0, 0);
    let suites = world.get(&format!("{REPO}/commits/{oid}/check-suites")).await;
    let suite = &suites["check_suites"][0];
    assert_eq!((&suite["status"], &suite["conclusion"]), (&json!("completed"), &json!("failure")));
    assert_eq!((&suite["head_branch"], &suite["head_commit"]["id"]), (&json!("feature"), &json!(oid)));
    let listed = world.get(&format!("{REPO}/check-suites/{}/check-runs", suite["id"])).await;
    assert_eq!(listed["total_count"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_in_a_check_run_is_refused() {
    let world = World::new().await;
    let oid = world.branch("feature", "a.txt", "a\n");
    let runs = format!("{REPO}/check-runs");
    let nowhere = "1".repeat(40);
    for body in [
        json!({ "head_sha": oid }),
        json!({ "name": "x", "head_sha": nowhere }),
        json!({ "name": "x", "head_sha": oid, "status": "done" }),
        json!({ "name": "x", "head_sha": oid, "status": "completed" }),
        json!({ "name": "x", "head_sha": oid, "conclusion": "great" }),
        json!({ "name": "x", "head_sha": oid, "output": { "title": "no summary" } }),
    ] {
        assert_eq!(world.ask(&world.ada, "POST", &runs, body.clone()).await.0, 422, "{body}");
    }
    let body = json!({ "name": "x", "head_sha": oid });
    assert_eq!(world.ask(&world.eve, "POST", &runs, body).await.0, 403);
    assert_eq!(world.ask(&world.ada, "GET", &format!("{runs}/999"), Value::Null).await.0, 404);
    assert_eq!(world.get(&format!("{REPO}/commits/{oid}/check-runs")).await["total_count"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_status_of_each_context_counts() {
    let world = World::new().await;
    let oid = world.branch("feature", "a.txt", "a\n");
    let combined = async || world.get(&format!("{REPO}/commits/feature/status")).await;
    assert_eq!(combined().await["state"], "pending");
    let say = async |state: &str, context: &str| {
        let body =
            json!({ "state": state, "context": context, "description": "d", "target_url": "http://x/" });
        world.ok(&world.ada, "POST", &format!("{REPO}/statuses/{oid}"), body).await
    };
    say("pending", "ci/a").await;
    say("failure", "ci/b").await;
    assert_eq!(combined().await["state"], "failure");
    say("success", "CI/A").await;
    say("success", "ci/b").await;
    let now = combined().await;
    assert_eq!(
        (&now["state"], &now["total_count"], &now["sha"]),
        (&json!("success"), &json!(2), &json!(oid))
    );
    let all = world.get(&format!("{REPO}/commits/{oid}/statuses")).await;
    assert_eq!((all.as_array().unwrap().len(), &all[0]["creator"]["login"]), (4, &json!("ada")));
    let bad = json!({ "state": "fine" });
    assert_eq!(world.ask(&world.ada, "POST", &format!("{REPO}/statuses/{oid}"), bad).await.0, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_rolls_checks_and_statuses_into_one() {
    let world = World::new().await;
    let pull = world.pull("feature", "").await;
    let oid = pull["head"]["sha"].as_str().unwrap();
    let query = "query($id: ID!) { node(id: $id) { ... on PullRequest { statusCheckRollup { state contexts(first: 10) {
        checkRunCount statusContextCount checkRunCountsByState { state count } nodes { __typename
          ... on CheckRun { name status conclusion isRequired(pullRequestNumber: 1) checkSuite { app { slug } workflowRun { event } } }
          ... on StatusContext { context state isRequired(pullRequestNumber: 1) } } } } } } }";
    let rollup = async || {
        let data = world.data(&world.ada, query, json!({ "id": pull["node_id"] })).await;
        data["node"]["statusCheckRollup"].clone()
    };
    assert_eq!(rollup().await, Value::Null);
    let run = json!({ "name": "test", "head_sha": oid, "conclusion": "success" });
    world.ok(&world.ada, "POST", &format!("{REPO}/check-runs"), run).await;
    let status = json!({ "state": "pending", "context": "lint" });
    world.ok(&world.ada, "POST", &format!("{REPO}/statuses/{oid}"), status).await;
    let suite = json!({ "app": { "slug": "forge-checks" }, "workflowRun": null });
    let contexts = json!({
        "checkRunCount": 1,
        "statusContextCount": 1,
        "checkRunCountsByState": [{ "state": "SUCCESS", "count": 1 }],
        "nodes": [
            { "__typename": "CheckRun", "name": "test", "status": "COMPLETED", "conclusion": "SUCCESS", "isRequired": false, "checkSuite": suite },
            { "__typename": "StatusContext", "context": "lint", "state": "PENDING", "isRequired": false },
        ],
    });
    assert_eq!(rollup().await, json!({ "state": "PENDING", "contexts": contexts }));
}
