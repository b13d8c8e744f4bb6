//! GraphQL over HTTP: documents, errors, and the first nouns.

use serde_json::json;

use crate::relay::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_answered_with_what_was_asked_and_nothing_else() {
    let world = World::new().await;
    world
        .ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "first", "labels": ["bug"] }))
        .await;
    let query = "query($n: Int!) { repository(owner: \"acme\", name: \"web\") {
        issue(number: $n) { title state labels(first: 5) { nodes { name } totalCount } } } }";
    let data = world.data(&world.ada, query, json!({ "n": 1 })).await;
    let issue = json!({
        "title": "first",
        "state": "OPEN",
        "labels": { "nodes": [{ "name": "bug" }], "totalCount": 1 },
    });
    assert_eq!(data, json!({ "repository": { "issue": issue } }));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_told_with_githubs_kind_and_path() {
    let world = World::new().await;
    let query = "{ repository(owner: \"acme\", name: \"none\") { id } }";
    let answer = world.graph(&world.ada, query, json!({})).await;
    assert_eq!(answer["data"], json!({ "repository": null }));
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");
    assert_eq!(answer["errors"][0]["path"], json!(["repository"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_unknown_id_among_many_is_null_in_its_place_and_told_beside_the_others() {
    let world = World::new().await;
    let issue = world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "first" })).await;
    let query =
        "query($ids: [ID!]!) {\n  found: nodes(ids: $ids) { ... on Issue { title } } viewer { login } }";
    let ids = json!({ "ids": [issue["node_id"], "I_nothing", issue["node_id"], "I_kwDOAAAAAc8AAAABAAAB5w"] });
    let answer = world.graph(&world.ada, query, ids).await;
    let first = json!({ "title": "first" });
    assert_eq!(answer["data"]["found"], json!([first, null, first, null]), "{answer}");
    assert_eq!(answer["data"]["viewer"]["login"], "ada");
    let errors = answer["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{answer}");
    for (error, index) in errors.iter().zip([1, 3]) {
        assert_eq!((&error["type"], &error["path"]), (&json!("NOT_FOUND"), &json!(["found", index])));
        assert_eq!(error["locations"], json!([{ "line": 2, "column": 10 }]));
    }
    assert_eq!(errors[0]["message"], "Could not resolve to a node with the global id of 'I_nothing'.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_a_user_where_only_users_stand_and_in_no_list_of_them() {
    let world = World::new().await;
    let robot = world.robot().await;
    let own = json!({ "name": "own" });
    world.ok(&robot, "POST", "/user/repos", own).await;
    let query = "{ viewer { __typename login email isViewer } user(login: \"robot\") { id }
        repositoryOwner(login: \"robot\") { __typename login repository(name: \"own\") { owner { __typename login } } }
        repository(owner: \"acme\", name: \"web\") { assignableUsers(first: 9) { totalCount nodes { login } }
            collaborators(first: 9) { nodes { login } }
            suggestedActors(first: 9, capabilities: [CAN_BE_ASSIGNED]) { nodes { __typename login } } } }";
    let answer = world.graph(&robot, query, json!({})).await;
    let data = &answer["data"];
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["errors"][0]["path"], json!(["user"]));
    let viewer = json!({ "__typename": "User", "login": "robot", "email": "", "isViewer": true });
    assert_eq!(data["viewer"], viewer);
    let owner = json!({ "__typename": "User", "login": "robot" });
    assert_eq!(data["repositoryOwner"]["repository"]["owner"], owner);
    let users = json!([{ "login": "admin" }, { "login": "ada" }, { "login": "bob" }]);
    let repo = &data["repository"];
    assert_eq!(repo["assignableUsers"], json!({ "totalCount": 3, "nodes": users }));
    assert_eq!(repo["collaborators"]["nodes"], users);
    let actors = repo["suggestedActors"]["nodes"].as_array().unwrap();
    assert!(actors.contains(&json!({ "__typename": "Bot", "login": "robot" })), "{actors:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutation_does_what_the_rest_endpoint_does() {
    let world = World::new().await;
    let issue = world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "first" })).await;
    let mutation =
        "mutation($i: AddCommentInput!) { addComment(input: $i) { clientMutationId subject { id } } }";
    let input = json!({ "i": { "subjectId": issue["node_id"], "body": "hello", "clientMutationId": "c" } });
    let data = world.data(&world.bob, mutation, input).await;
    let payload = json!({ "clientMutationId": "c", "subject": { "id": issue["node_id"] } });
    assert_eq!(data["addComment"], payload);
    let comments = world.get(&format!("{REPO}/issues/1/comments")).await;
    assert_eq!((&comments[0]["body"], &comments[0]["user"]["login"]), (&json!("hello"), &json!("bob")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_an_answer_stand_in_the_order_in_which_they_were_asked_for() {
    let world = World::new().await;
    let query = json!({ "query": "{ viewer { login id } rateLimit { used cost } a: viewer { login } }" });
    let answer = world.raw(&world.ada, "/graphql", &query).await;
    let places: Vec<usize> =
        ["\"viewer\"", "\"login\"", "\"id\"", "\"rateLimit\"", "\"used\"", "\"cost\"", "\"a\""]
            .iter()
            .map(|key| answer.find(key).unwrap_or_else(|| panic!("no {key} in {answer}")))
            .collect();
    assert!(places.is_sorted(), "{answer}");
}
