//! GraphQL's own rules: budgets, refusals, bounds, and what strangers may see.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

async fn refusal(world: &World, query: &str, variables: Value) -> Value {
    world.graph(&world.ada, query, variables).await["errors"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_takes_its_cost_and_is_refused_when_the_budget_is_spent() {
    let world = World::new().await;
    let cheap = "{ rateLimit { cost remaining used limit nodeCount } }";
    let before = world.data(&world.ada, cheap, json!({})).await["rateLimit"].clone();
    let costly =
        "{ repository(owner: \"acme\", name: \"web\") { issues(first: 100) { nodes { comments(first: 100)
        { nodes { id } } labels(first: 100) { nodes { id } } } } } rateLimit { cost used nodeCount } }";
    let spent = world.data(&world.ada, costly, json!({})).await["rateLimit"].clone();
    // One request for the issues, and for each of a hundred two more: 201 requests.
    assert_eq!((&spent["cost"], &spent["nodeCount"]), (&json!(2), &json!(20_100)));
    assert_eq!(spent["used"].as_i64(), before["used"].as_i64().map(|used| used + 2));
    let knobs = json!({ "rate_limit": spent["used"].as_i64().unwrap() + 1 });
    let (status, told) = world.ask(&world.admin, "PATCH", "/_forge/knobs", knobs).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(refusal(&world, costly, json!({})).await["type"], "RATE_LIMITED");
    assert_eq!(world.data(&world.ada, cheap, json!({})).await["rateLimit"]["remaining"], 0);
    assert_eq!(refusal(&world, cheap, json!({})).await["type"], "RATE_LIMITED");
    // Another token has a budget of its own.
    world.data(&world.bob, cheap, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_the_cost_and_does_nothing() {
    let world = World::new().await;
    let used = "{ rateLimit { used } }";
    let before = world.data(&world.ada, used, json!({})).await["rateLimit"]["used"].as_i64().unwrap();
    let dry = "query($d: Boolean) { viewer { login } rateLimit(dryRun: $d) { cost } }";
    let told = world.data(&world.ada, dry, json!({ "d": true })).await;
    assert_eq!(told, json!({ "rateLimit": { "cost": 1 } }));
    let after = world.data(&world.ada, used, json!({})).await["rateLimit"]["used"].as_i64().unwrap();
    assert_eq!(after, before + 1);
    assert_eq!(world.data(&world.ada, dry, json!({ "d": false })).await["viewer"]["login"], "ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_refused_as_github_does() {
    let world = World::new().await;
    let ask = async |method: &str, body: Value| world.ask(&world.ada, method, "/graphql", body).await;
    assert_eq!(ask("GET", Value::Null).await.0, 404);
    for body in [json!([{ "query": "{ viewer { login } }" }]), json!({}), json!({ "query": 7 }), json!("x")] {
        let (status, told) = ask("POST", body).await;
        assert_eq!(
            (status, &told["message"]),
            (400, &json!("A query attribute must be specified and must be a string."))
        );
    }
    let (status, _) = ask("POST", json!({ "query": "{ viewer { login } }", "variables": [1] })).await;
    assert_eq!(status, 400);
    let (status, _) =
        world.ask("no-such-token", "POST", "/graphql", json!({ "query": "{ viewer { login } }" })).await;
    assert_eq!(status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_and_variables_that_do_not_fit_are_told() {
    let world = World::new().await;
    let two = "query A { viewer { login } } query B { viewer { login } }";
    assert_eq!(refusal(&world, two, json!({})).await["message"], "An operation name is required");
    let named = json!({ "query": two, "operationName": "C" });
    let told = world.ok(&world.ada, "POST", "/graphql", named).await;
    assert_eq!(told["errors"][0]["message"], "No operation named \"C\"");
    let number =
        "query($n: Int!) { repository(owner: \"acme\", name: \"web\") { issue(number: $n) { id } } }";
    for variables in [json!({ "n": "one" }), json!({})] {
        let told = refusal(&world, number, variables).await;
        assert_eq!(told["message"], "Variable $n of type Int! was provided invalid value");
    }
    let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    assert_eq!(refusal(&world, nodes, json!({ "ids": vec!["I_x"; 101] })).await["type"], "ARGUMENT_LIMIT");
    let page = "{ repository(owner: \"acme\", name: \"web\") { issues { nodes { id } } } }";
    assert_eq!(refusal(&world, page, json!({})).await["type"], "MISSING_PAGINATION_BOUNDARIES");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_made_to_exhaust_the_server_is_refused_and_the_server_goes_on() {
    let world = World::new().await;
    let doubling: String = (0..60)
        .map(|at| format!("fragment F{at} on User {{ ...F{next} ...F{next} id }} ", next = at + 1))
        .collect();
    let bomb = format!("{{ viewer {{ ...F0 }} }} {doubling} fragment F60 on User {{ id }}");
    let nested = (0..80).fold("id".to_owned(), |inside, _| {
        format!("repositories(first: 1) {{ nodes {{ owner {{ ... on User {{ {inside} }} }} }} }}")
    });
    let deep = format!("{{ viewer {{ {nested} }} }}");
    let loops = "{ viewer { ...A } } fragment A on User { ...B } fragment B on User { ...A }".to_owned();
    let long = format!("{{ viewer {{ {} }} }}", "id ".repeat(40_000));
    for document in [bomb, deep, loops, long] {
        let told = refusal(&world, &document, json!({})).await;
        assert!(told["message"].is_string(), "{}", &document[..80]);
    }
    assert_eq!(world.data(&world.ada, "{ viewer { login } }", json!({})).await["viewer"]["login"], "ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn ghs_probes_of_the_schema_are_answered() {
    let world = World::new().await;
    let probe = "{ Issue: __type(name: \"Issue\") { fields(includeDeprecated: true) { name } }
        SearchType: __type(name: \"SearchType\") { enumValues(includeDeprecated: true) { name } } }";
    let data = world.data(&world.ada, probe, json!({})).await;
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&data["Issue"]["fields"]).contains(&"stateReason".to_owned()));
    assert_eq!(names(&data["SearchType"]["enumValues"]), ["ISSUE", "ISSUE_ADVANCED"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_repository_is_invisible_to_strangers() {
    let world = World::new().await;
    let issue = world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "secret" })).await;
    world.ok(&world.admin, "PATCH", REPO, json!({ "private": true })).await;
    let (node, url) = (&issue["node_id"], &issue["html_url"]);
    let by_node = "query($id: ID!) { node(id: $id) { id } }";
    assert_eq!(world.data(&world.ada, by_node, json!({ "id": node })).await["node"]["id"], *node);
    let told = world.graph(&world.eve, by_node, json!({ "id": node })).await;
    assert_eq!((&told["data"]["node"], &told["errors"][0]["type"]), (&Value::Null, &json!("NOT_FOUND")));
    let elsewhere =
        "query($url: URI!) { resource(url: $url) { url } search(type: ISSUE, query: \"secret\", first: 5)
        { issueCount } repositoryOwner(login: \"acme\") { repositories(first: 5) { totalCount } } }";
    let seen = world.data(&world.eve, elsewhere, json!({ "url": url })).await;
    let nothing = json!({ "resource": null, "search": { "issueCount": 0 }, "repositoryOwner": { "repositories": { "totalCount": 0 } } });
    assert_eq!(seen, nothing);
    let delete = "mutation($id: ID!) { deleteIssue(input: { issueId: $id }) { repository { id } } }";
    assert_eq!(
        world.graph(&world.eve, delete, json!({ "id": node })).await["errors"][0]["type"],
        "NOT_FOUND"
    );
}
