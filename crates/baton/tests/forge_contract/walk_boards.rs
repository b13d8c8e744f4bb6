//! The steps of the walk over boards. REST makes no board, so GraphQL makes the two that the steps begin with.

use baton_fixtures::Client;
use serde_json::{Value, json};

use crate::forge_contract::walk::Step;

/// Makes a board of the organisation and one of the administrator; each is its owner's first.
pub(crate) async fn create_boards(client: &Client) {
    let query = "{ viewer { id } organization(login: \"acme\") { id } }";
    let owners = graph(client, json!({ "query": query })).await["data"].clone();
    for owner in [&owners["viewer"]["id"], &owners["organization"]["id"]] {
        let mutation =
            "mutation($i: CreateProjectV2Input!) { createProjectV2(input: $i) { projectV2 { number } } }";
        let variables = json!({ "i": { "ownerId": owner, "title": "a board" } });
        let made = graph(client, json!({ "query": mutation, "variables": variables })).await;
        assert_eq!(made["data"]["createProjectV2"]["projectV2"]["number"], 1, "{made}");
    }
}

async fn graph(client: &Client, body: Value) -> Value {
    let answer = client.ask("POST", "/graphql", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// Every endpoint of boards, of an organisation and of a user. The walk's issue 1 and its pull request are there.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = organization();
    steps.extend(user());
    steps
}

fn organization() -> Vec<Step> {
    let none = || Value::Null;
    let board: &[&str] = &["project_number=1"];
    let options = json!([{ "name": "Low", "color": "GREEN", "description": "" }, { "name": "High", "color": "RED", "description": "soon" }]);
    let select =
        json!({ "name": "Priority", "data_type": "single_select", "single_select_options": options });
    let issue = json!({ "type": "Issue", "owner": "admin", "repo": "walk", "number": 1 });
    let value = |value: Value| json!({ "fields": [{ "id": "$select", "value": value }] });
    vec![
        Step("projects/list-for-org", &["?per_page=1"], none(), 200, &[]),
        Step("projects/get-for-org", board, none(), 200, &[]),
        Step("projects/get-for-org", &["project_number=99"], none(), 404, &[]),
        Step(
            "projects/add-field-for-org",
            board,
            select.clone(),
            201,
            &["select=/id", "option=/options/1/id"],
        ),
        Step("projects/add-field-for-org", board, select, 422, &[]),
        Step("projects/add-field-for-org", board, json!({ "name": "Notes", "data_type": "text" }), 201, &[]),
        Step("projects/list-fields-for-org", &["project_number=1", "?per_page=3"], none(), 200, &[]),
        Step("projects/get-field-for-org", &["project_number=1", "field_id=$select"], none(), 200, &[]),
        Step("projects/add-item-for-org", board, issue, 201, &["item=/id"]),
        Step("projects/add-item-for-org", board, json!({ "type": "Issue", "id": 987_654 }), 404, &[]),
        Step("projects/create-draft-item-for-org", board, json!({ "title": "a draft" }), 201, &[]),
        Step("projects/create-draft-item-for-org", board, json!({ "title": " " }), 422, &[]),
        Step("projects/list-items-for-org", &["project_number=1", "?per_page=1"], none(), 200, &[]),
        Step("projects/list-items-for-org", &["project_number=1", "?q=is:draft"], none(), 200, &[]),
        Step(
            "projects/update-item-for-org",
            &["project_number=1", "item_id=$item"],
            value(json!("$option")),
            200,
            &[],
        ),
        Step(
            "projects/update-item-for-org",
            &["project_number=1", "item_id=$item"],
            value(json!("none")),
            422,
            &[],
        ),
        Step("projects/get-org-item", &["project_number=1", "item_id=$item"], none(), 200, &[]),
        Step("projects/delete-item-for-org", &["project_number=1", "item_id=$item"], none(), 204, &[]),
    ]
}

fn user() -> Vec<Step> {
    let none = || Value::Null;
    let board: &[&str] = &["username=admin", "project_number=1"];
    let notes = json!({ "name": "Notes", "data_type": "text" });
    let issue = json!({ "type": "Issue", "owner": "admin", "repo": "walk", "number": 1 });
    let value = json!({ "fields": [{ "id": "$notes", "value": "words" }] });
    let item: &[&str] = &["username=admin", "project_number=1", "item_id=$mine"];
    vec![
        Step("projects/list-for-user", &["username=admin"], none(), 200, &[]),
        Step("projects/get-for-user", board, none(), 200, &[]),
        Step("projects/add-field-for-user", board, notes, 201, &["notes=/id"]),
        Step("projects/list-fields-for-user", board, none(), 200, &[]),
        Step(
            "projects/get-field-for-user",
            &["username=admin", "project_number=1", "field_id=$notes"],
            none(),
            200,
            &[],
        ),
        Step("projects/add-item-for-user", board, issue, 201, &["mine=/id"]),
        Step(
            "projects/create-draft-item-for-authenticated-user",
            &["user_id=admin", "project_number=1"],
            json!({ "title": "a draft", "body": "words" }),
            201,
            &[],
        ),
        Step("projects/list-items-for-user", board, none(), 200, &[]),
        Step("projects/update-item-for-user", item, value, 200, &[]),
        Step("projects/get-user-item", item, none(), 200, &[]),
        Step("projects/delete-item-for-user", item, none(), 204, &[]),
    ]
}
