//! A project whose columns are the stages, instead of labels.

use serde_json::{Value, json};

use crate::relay::setup::{Relay, Setup};

const COLUMNS: [&str; 5] = ["Backlog", "Plan", "Build", "Validate", "Done"];

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_travels_over_the_columns_of_a_project() {
    let yaml = "yolo: true\nboard: {project: admin/1}\n";
    let mut relay = Relay::new(Setup { yaml, ..Setup::default() }).await;
    let (project, field) = make_project(&relay).await;
    let issue = relay.repo.issue("On a board", &[]).await;
    let kept = relay.repo.issue("Kept", &[]).await;
    put(&relay, &project, &field, issue, "Plan").await;
    put(&relay, &project, &field, kept, "Backlog").await;
    let told = relay.env.run(&["explain", &format!("admin/web#{issue}"), "--json"]).exits(0).json();
    assert_eq!(told["step"]["kind"], "invoke_stage", "the column is known to a mere look");
    relay.start_engine();
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    assert_eq!(column(&relay, issue).await, "Done");
    let labels = relay.facts(issue).await.labels;
    assert!(
        !labels.iter().any(|label| COLUMNS.iter().any(|name| *label == format!("stage:{name}"))),
        "{labels:?}"
    );
    assert_eq!(column(&relay, kept).await, "Backlog");
    assert!(relay.diary().of(kept).is_empty() && relay.facts(kept).await.labels.is_empty());
    relay.end().await;
}

async fn graph(relay: &Relay, query: &str, variables: Value) -> Value {
    let body = json!({ "query": query, "variables": variables });
    let answer = relay.forge.admin.must("POST", "/graphql", &body, 200).await;
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].clone()
}

/// Makes a project with our columns in its field `Status`; returns both.
async fn make_project(relay: &Relay) -> (Value, Value) {
    let viewer = graph(relay, "{ viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { id \
                  field(name: \"Status\") { ... on ProjectV2SingleSelectField { id } } } } }";
    let made = graph(relay, create, json!({ "o": viewer["viewer"]["id"] })).await;
    let project = made["createProjectV2"]["projectV2"].clone();
    let options = COLUMNS.map(|name| json!({ "name": name, "color": "GRAY", "description": "" }));
    let change = "mutation($f: ID!, $o: [ProjectV2SingleSelectFieldOptionInput!]) { updateProjectV2Field(input: \
                  {fieldId: $f, singleSelectOptions: $o}) { projectV2Field { ... on ProjectV2SingleSelectField \
                  { id options { id name } } } } }";
    let changed = graph(relay, change, json!({ "f": project["field"]["id"], "o": options })).await;
    (project["id"].clone(), changed["updateProjectV2Field"]["projectV2Field"].clone())
}

async fn put(relay: &Relay, project: &Value, field: &Value, issue: u64, column: &str) {
    let id = relay.repo.get(&format!("/issues/{issue}")).await["node_id"].clone();
    let add = "mutation($p: ID!, $c: ID!) { addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } }";
    let item =
        graph(relay, add, json!({ "p": project, "c": id })).await["addProjectV2ItemById"]["item"]["id"]
            .clone();
    let is_it = |option: &&Value| option["name"] == column;
    let option = field["options"].as_array().unwrap().iter().find(is_it).unwrap()["id"].clone();
    let set = "mutation($p: ID!, $i: ID!, $f: ID!, $o: String!) { updateProjectV2ItemFieldValue(input: {projectId: $p, \
               itemId: $i, fieldId: $f, value: {singleSelectOptionId: $o}}) { clientMutationId } }";
    graph(relay, set, json!({ "p": project, "i": item, "f": field["id"], "o": option })).await;
}

async fn column(relay: &Relay, issue: u64) -> String {
    let query = format!(
        "{{ repository(owner: \"admin\", name: \"web\") {{ issue(number: {issue}) {{ projectItems(first: 5) {{ nodes \
         {{ fieldValueByName(name: \"Status\") {{ ... on ProjectV2ItemFieldSingleSelectValue {{ name }} }} }} }} }} }} }}"
    );
    let answer = graph(relay, &query, json!({})).await;
    let nodes = &answer["repository"]["issue"]["projectItems"]["nodes"];
    nodes[0]["fieldValueByName"]["name"].as_str().unwrap_or_default().to_owned()
}
