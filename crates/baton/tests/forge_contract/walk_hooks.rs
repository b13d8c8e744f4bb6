//! The part of the walk that goes over hooks: a repository's and an organisation's.

use baton_fixtures::Client;
use baton_fixtures::wait::eventually_async;
use serde_json::{Value, json};

use crate::forge_contract::walk::Step;

/// Nobody listens there, so every delivery fails at once.
const NOBODY: &str = "http://127.0.0.1:9/";

/// Makes the hooks that the steps look at, and waits until their greetings have been tried.
pub(crate) async fn create_hooks(client: &Client) {
    let repo = json!({ "name": "hooked", "auto_init": true });
    client.must("POST", "/user/repos", &repo, 201).await;
    let hook = json!({ "name": "web", "config": { "url": NOBODY, "secret": "s" }, "events": ["issues"] });
    for owner in ["/repos/admin/hooked", "/orgs/acme"] {
        let made = client.must("POST", &format!("{owner}/hooks"), &hook, 201).await;
        let path = format!("{owner}/hooks/{}/deliveries", made["id"]);
        eventually_async("a delivery", async || {
            (client.must("GET", &path, &Value::Null, 200).await != json!([])).then_some(())
        })
        .await;
    }
}

pub(crate) fn steps() -> Vec<Step> {
    [of_repository(), of_organization()].into_iter().flatten().collect()
}

fn of_repository() -> Vec<Step> {
    let none = || Value::Null;
    let config = || json!({ "url": format!("{NOBODY}other"), "content_type": "json" });
    let at: &[&str] = &["repo=hooked", "hook_id=$hook"];
    let delivery: &[&str] = &["repo=hooked", "hook_id=$hook", "delivery_id=$delivery"];
    vec![
        Step("repos/list-webhooks", &["repo=hooked"], none(), 200, &["hook=/0/id"]),
        Step("repos/create-webhook", &["repo=hooked"], json!({ "config": config() }), 201, &["hook2=/id"]),
        Step("repos/create-webhook", &["repo=hooked"], json!({ "config": config() }), 422, &[]),
        Step("repos/create-webhook", &["repo=hooked"], json!({ "config": {} }), 422, &[]),
        Step("repos/get-webhook", at, none(), 200, &[]),
        Step("repos/get-webhook", &["repo=hooked", "hook_id=0"], none(), 404, &[]),
        Step("repos/update-webhook", at, json!({ "add_events": ["push"] }), 200, &[]),
        Step("repos/update-webhook", at, json!({ "events": ["nothing"] }), 422, &[]),
        Step("repos/get-webhook-config-for-repo", at, none(), 200, &[]),
        Step("repos/update-webhook-config-for-repo", at, json!({ "insecure_ssl": "1" }), 200, &[]),
        Step("repos/ping-webhook", at, none(), 204, &[]),
        Step("repos/test-push-webhook", at, none(), 204, &[]),
        Step("repos/list-webhook-deliveries", at, none(), 200, &["delivery=/0/id"]),
        Step(
            "repos/list-webhook-deliveries",
            &["repo=hooked", "hook_id=$hook", "?cursor=x"],
            none(),
            400,
            &[],
        ),
        Step("repos/get-webhook-delivery", delivery, none(), 200, &[]),
        Step("repos/redeliver-webhook-delivery", delivery, none(), 202, &[]),
        Step("repos/delete-webhook", &["repo=hooked", "hook_id=$hook2"], none(), 204, &[]),
    ]
}

fn of_organization() -> Vec<Step> {
    let none = || Value::Null;
    let config = || json!({ "url": format!("{NOBODY}other"), "content_type": "json" });
    let at: &[&str] = &["hook_id=$org_hook"];
    let delivery: &[&str] = &["hook_id=$org_hook", "delivery_id=$org_delivery"];
    vec![
        Step("orgs/list-webhooks", &[], none(), 200, &["org_hook=/0/id"]),
        Step(
            "orgs/create-webhook",
            &[],
            json!({ "name": "web", "config": config() }),
            201,
            &["org_hook2=/id"],
        ),
        Step("orgs/create-webhook", &["org=nobody"], json!({ "config": config() }), 404, &[]),
        Step("orgs/get-webhook", at, none(), 200, &[]),
        Step("orgs/update-webhook", at, json!({ "active": false }), 200, &[]),
        Step("orgs/get-webhook-config-for-org", at, none(), 200, &[]),
        Step("orgs/update-webhook-config-for-org", at, json!({ "content_type": "json" }), 200, &[]),
        Step("orgs/ping-webhook", at, none(), 204, &[]),
        Step("orgs/list-webhook-deliveries", at, none(), 200, &["org_delivery=/0/id"]),
        Step("orgs/get-webhook-delivery", delivery, none(), 200, &[]),
        Step("orgs/redeliver-webhook-delivery", delivery, none(), 202, &[]),
        Step("orgs/delete-webhook", &["hook_id=$org_hook2"], none(), 204, &[]),
    ]
}
