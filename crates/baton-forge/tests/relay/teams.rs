//! Teams, and reviews that are asked of them.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_team_is_made_by_an_owner_and_has_members() {
    let world = World::new().await;
    let body = json!({ "name": "Core Team", "description": "all of it" });
    assert_eq!(world.ask(&world.ada, "POST", "/orgs/acme/teams", body.clone()).await.0, 403);
    let (status, team) = world.ask(&world.admin, "POST", "/orgs/acme/teams", body.clone()).await;
    assert_eq!((status, &team["slug"]), (201, &json!("core-team")));
    assert_eq!(world.ask(&world.admin, "POST", "/orgs/acme/teams", body).await.0, 422);
    let path = "/orgs/acme/teams/core-team";
    let bob = format!("{path}/memberships/bob");
    let role = json!({ "role": "maintainer" });
    let membership = world.ok(&world.admin, "PUT", &bob, role).await;
    assert_eq!((&membership["role"], &membership["state"]), (&json!("maintainer"), &json!("active")));
    assert_eq!(world.get(&format!("{path}/members")).await[0]["login"], "bob");
    assert_eq!(world.get("/orgs/acme/memberships/bob").await["role"], "member");
    assert_eq!(world.get(path).await["members_count"], 1);
    let renamed = world.ok(&world.admin, "PATCH", path, json!({ "name": "Edge" })).await;
    assert_eq!(renamed["slug"], "edge");
    world.ok(&world.bob, "DELETE", "/orgs/acme/teams/edge/memberships/bob", Value::Null).await;
    assert_eq!(
        world.ask(&world.ada, "GET", "/orgs/acme/teams/edge/memberships/bob", Value::Null).await.0,
        404
    );
    world.ok(&world.admin, "DELETE", "/orgs/acme/teams/edge", Value::Null).await;
    assert_eq!(world.get("/orgs/acme/teams").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_is_asked_for_a_review_and_answered_by_a_member() {
    let world = World::new().await;
    world.ok(&world.admin, "POST", "/orgs/acme/teams", json!({ "name": "core" })).await;
    world.ok(&world.admin, "PUT", "/orgs/acme/teams/core/memberships/bob", json!({})).await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    let asked = format!("{path}/requested_reviewers");
    assert_eq!(world.ask(&world.ada, "POST", &asked, json!({ "team_reviewers": ["none"] })).await.0, 422);
    let shown = world.ok(&world.ada, "POST", &asked, json!({ "team_reviewers": ["core"] })).await;
    assert_eq!(shown["requested_teams"][0]["slug"], "core");
    let query = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewRequests(first: 5) { nodes {
        requestedReviewer { __typename ... on Team { id slug combinedSlug organization { login } } } } } } } }";
    let data = world.data(&world.ada, query, json!({ "id": pull["node_id"] })).await;
    let team = &data["node"]["reviewRequests"]["nodes"][0]["requestedReviewer"];
    assert_eq!((&team["__typename"], &team["combinedSlug"]), (&json!("Team"), &json!("acme/core")));
    let node = "query($id: ID!) { node(id: $id) { ... on Team { name } } }";
    assert_eq!(world.data(&world.ada, node, json!({ "id": team["id"] })).await["node"]["name"], "core");
    world.ok(&world.bob, "POST", &format!("{path}/reviews"), json!({ "event": "APPROVE" })).await;
    assert_eq!(world.get(&asked).await, json!({ "users": [], "teams": [] }));
}
