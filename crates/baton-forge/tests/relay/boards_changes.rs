//! Boards over GraphQL: changes of a board as a whole, and drafts that become issues.

use serde_json::json;

use crate::relay::boards::Board;
use crate::relay::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_becomes_an_issue_and_keeps_its_place_and_values() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let selection = "projectItem { id content { ... on DraftIssue { id title body creator { login } } } }";
    let input = json!({ "projectId": board.id, "title": "think", "body": "first" });
    let draft = board.does("addProjectV2DraftIssue", input, selection).await["projectItem"].clone();
    assert_eq!(draft["content"]["creator"]["login"], "admin");
    let input = json!({ "draftIssueId": draft["content"]["id"], "body": "second" });
    let changed = board.does("updateProjectV2DraftIssue", input, "draftIssue { title body }").await;
    assert_eq!(changed["draftIssue"], json!({ "title": "think", "body": "second" }));

    let repo = world.get(REPO).await["node_id"].clone();
    let input = json!({ "itemId": draft["id"], "repositoryId": repo });
    let selection = "item { id type content { ... on Issue { number title body } } }";
    let item = board.does("convertProjectV2DraftIssueItemToIssue", input.clone(), selection).await;
    let content = json!({ "number": 1, "title": "think", "body": "second" });
    assert_eq!(item["item"], json!({ "id": draft["id"], "type": "ISSUE", "content": content }));
    let answer =
        board.tries(&world.admin, "convertProjectV2DraftIssueItemToIssue", input, "clientMutationId").await;
    assert_eq!(answer["errors"][0]["type"], "UNPROCESSABLE");
    let issues = world.get(&format!("{REPO}/issues")).await;
    assert_eq!(issues.as_array().unwrap().len(), 1, "what is refused opens nothing");
    let gone = json!({ "draftIssueId": draft["content"]["id"], "title": "again" });
    let answer = board.tries(&world.admin, "updateProjectV2DraftIssue", gone, "clientMutationId").await;
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_is_renamed_closed_linked_and_copied() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let edit = json!({ "projectId": board.id, "title": "more work", "shortDescription": "s", "readme": "r", "closed": true });
    let selection = "projectV2 { title shortDescription readme closed closedAt template }";
    let edited = board.does("updateProjectV2", edit, selection).await["projectV2"].clone();
    assert_eq!((&edited["title"], &edited["closed"]), (&json!("more work"), &json!(true)));
    assert!(edited["closedAt"].is_string());
    let blank = json!({ "projectId": board.id, "title": " " });
    let answer = board.tries(&world.admin, "updateProjectV2", blank, "clientMutationId").await;
    assert_eq!(answer["errors"][0]["type"], "UNPROCESSABLE");
    let marked = json!({ "projectId": board.id });
    let marked = board.does("markProjectV2AsTemplate", marked, "projectV2 { template }").await;
    assert_eq!(marked["projectV2"]["template"], true);

    let repo = world.get(REPO).await["node_id"].clone();
    let named = json!({ "projectId": board.id, "repositoryId": repo });
    let selection = "repository { projectsV2(first: 5) { nodes { title } } projectV2(number: 1) { title } }";
    let linked =
        board.does("linkProjectV2ToRepository", named.clone(), selection).await["repository"].clone();
    assert_eq!(linked["projectsV2"]["nodes"], json!([{ "title": "more work" }]));
    let unlinked = board.does("unlinkProjectV2FromRepository", named, selection).await["repository"].clone();
    assert_eq!((&unlinked["projectsV2"]["nodes"], &unlinked["projectV2"]), (&json!([]), &json!(null)));

    board.issue("stays here").await;
    let draft = json!({ "projectId": board.id, "title": "comes along" });
    board.does("addProjectV2DraftIssue", draft, "clientMutationId").await;
    let owner = world.data(&world.admin, "{ viewer { id } }", json!({})).await["viewer"]["id"].clone();
    let copy =
        json!({ "projectId": board.id, "ownerId": owner, "title": "copy", "includeDraftIssues": true });
    let selection =
        "projectV2 { number shortDescription owner { ... on User { login } } fields(first: 1) { totalCount }
        items(first: 5) { nodes { content { ... on DraftIssue { title } } } } }";
    let copied = board.does("copyProjectV2", copy, selection).await["projectV2"].clone();
    assert_eq!((&copied["number"], &copied["owner"]["login"]), (&json!(1), &json!("admin")));
    assert_eq!(copied["fields"]["totalCount"], 10);
    assert_eq!(copied["items"]["nodes"], json!([{ "content": { "title": "comes along" } }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_fields_stay_as_they_are() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let query = "query($id: ID!) { node(id: $id) { ... on ProjectV2 { field(name: \"Labels\") {
        ... on ProjectV2Field { id } } } } }";
    let field =
        world.data(&world.admin, query, json!({ "id": board.id })).await["node"]["field"]["id"].clone();
    for (name, input) in [
        ("deleteProjectV2Field", json!({ "fieldId": field })),
        ("updateProjectV2Field", json!({ "fieldId": field, "name": "Tags" })),
    ] {
        let answer = board.tries(&world.admin, name, input, "clientMutationId").await;
        assert_eq!(answer["errors"][0]["type"], "UNPROCESSABLE", "{answer}");
    }
}
