//! Every field of every type is asked for, over a forge that has something of everything.
//!
//! The schema promises fields by name; nothing but an answer shows that a field is kept. The walk goes from the root
//! through whatever the schema offers, a few levels deep, and each type's fields are asked for in full.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::world::{REPO, World};

/// How deep the walk goes. Every type is met within it.
const LEVELS: usize = 5;

const INTROSPECTION: &str = "{ __schema { types { kind name
    fields { name args { name type { kind name ofType { kind name ofType { kind name ofType { name } } } } }
             type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
    possibleTypes { name } } } }";

struct Schema {
    types: BTreeMap<String, Value>,
}

/// The named type inside of lists and non-nulls.
fn inner(mut of: &Value) -> (&str, &str) {
    while of["name"].is_null() {
        of = &of["ofType"];
    }
    (of["kind"].as_str().unwrap(), of["name"].as_str().unwrap())
}

impl Schema {
    async fn read(world: &World) -> Self {
        let data = world.data(&world.admin, INTROSPECTION, json!({})).await;
        let types = data["__schema"]["types"].as_array().unwrap().iter();
        Self { types: types.map(|t| (t["name"].as_str().unwrap().to_owned(), t.clone())).collect() }
    }

    fn fields(&self, name: &str) -> &[Value] {
        self.types[name]["fields"].as_array().map_or(&[], Vec::as_slice)
    }

    /// All fields of a type as a selection. Objects are entered until the levels run out.
    fn selection(&self, name: &str, level: usize, above: &mut Vec<String>, ids: &Value) -> String {
        let mut text = "__typename ".to_owned();
        for field in self.fields(name) {
            let (field_name, (kind, type_name)) = (field["name"].as_str().unwrap(), inner(&field["type"]));
            let Some(arguments) = arguments(field, ids) else { continue };
            // A field may be of another type elsewhere, so each has a name of its own.
            let asked = format!("{name}_{field_name}: {field_name}{arguments}");
            if matches!(kind, "SCALAR" | "ENUM") {
                text.push_str(&asked);
                text.push(' ');
            } else if level > 0 && !above.iter().any(|known| known == type_name) {
                above.push(type_name.to_owned());
                let inside = self.entered(type_name, level - 1, above, ids);
                above.pop();
                text.push_str(&format!("{asked} {{ {inside} }} "));
            }
        }
        text
    }

    /// The fields of an object, or those of each type that an interface or a union may stand for.
    fn entered(&self, name: &str, level: usize, above: &mut Vec<String>, ids: &Value) -> String {
        match self.types[name]["possibleTypes"].as_array() {
            None => self.selection(name, level, above, ids),
            Some(possible) => {
                let mut text = "__typename ".to_owned();
                for concrete in possible.iter().map(|concrete| concrete["name"].as_str().unwrap()) {
                    let inside = self.selection(concrete, level.min(1), above, ids);
                    text.push_str(&format!("... on {concrete} {{ {inside} }} "));
                }
                text
            }
        }
    }
}

/// The arguments with which a field is asked for; nothing where none are known that fit.
fn arguments(field: &Value, ids: &Value) -> Option<String> {
    let mut given = Vec::new();
    for argument in field["args"].as_array().unwrap() {
        let name = argument["name"].as_str().unwrap();
        let value = match name {
            "first" => "1".to_owned(),
            "expression" => "\"main:README.md\"".to_owned(),
            "number" => "1".to_owned(),
            "qualifiedName" => "\"refs/heads/main\"".to_owned(),
            "refPrefix" => "\"refs/heads/\"".to_owned(),
            "capabilities" => "[CAN_BE_ASSIGNED]".to_owned(),
            "path" => "\"README.md\"".to_owned(),
            "owner" => "\"acme\"".to_owned(),
            "name" if field["name"] == "label" => "\"bug\"".to_owned(),
            "name" => "\"web\"".to_owned(),
            "login" if field["name"] == "organization" => "\"acme\"".to_owned(),
            "login" => "\"ada\"".to_owned(),
            "url" => format!("{}", ids["url"]),
            "id" => format!("{}", ids["issue"]),
            "ids" => format!("{}", ids["all"]),
            "query" if field["name"] == "search" => "\"repo:acme/web\"".to_owned(),
            "type" => "ISSUE".to_owned(),
            _ if argument["type"]["kind"] == "NON_NULL" => return None,
            _ => continue,
        };
        given.push(format!("{name}: {value}"));
    }
    Some(if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) })
}

/// Makes something of everything that issues can have; returns the ids to ask by.
async fn populate(world: &World) -> Value {
    let ada = &world.ada;
    world
        .ok(
            ada,
            "POST",
            &format!("{REPO}/milestones"),
            json!({ "title": "m", "due_on": "2030-01-01T00:00:00Z" }),
        )
        .await;
    let mut nodes = Vec::new();
    let fields = json!({ "title": "first", "labels": ["bug"], "assignees": ["ada"], "milestone": 1 });
    let first = world.ok(ada, "POST", &format!("{REPO}/issues"), fields).await;
    let child = world.ok(ada, "POST", &format!("{REPO}/issues"), json!({ "title": "child" })).await;
    let blocker = world.ok(ada, "POST", &format!("{REPO}/issues"), json!({ "title": "see #1" })).await;
    world.ok(ada, "POST", &format!("{REPO}/issues/3/comments"), json!({ "body": "also #1" })).await;
    world
        .ok(ada, "POST", &format!("{REPO}/issues/1/sub_issues"), json!({ "sub_issue_id": child["id"] }))
        .await;
    let blocked = format!("{REPO}/issues/1/dependencies/blocked_by");
    world.ok(ada, "POST", &blocked, json!({ "issue_id": blocker["id"] })).await;
    let child_id = json!({ "sub_issue_id": child["id"] });
    world.ok(ada, "DELETE", &format!("{REPO}/issues/1/sub_issue"), child_id.clone()).await;
    world.ok(ada, "POST", &format!("{REPO}/issues/1/sub_issues"), child_id).await;
    world.ok(ada, "DELETE", &format!("{blocked}/{}", blocker["id"]), Value::Null).await;
    world.ok(ada, "POST", &blocked, json!({ "issue_id": blocker["id"] })).await;
    for issue in [1, 2] {
        let path = format!("{REPO}/issues/{issue}/comments");
        let comment = world.ok(ada, "POST", &path, json!({ "body": "hello" })).await;
        let path = format!("{REPO}/issues/comments/{}/reactions", comment["id"]);
        let reaction = world.ok(&world.bob, "POST", &path, json!({ "content": "heart" })).await;
        nodes.extend([comment["node_id"].clone(), reaction["node_id"].clone()]);
        world
            .ok(ada, "POST", &format!("{REPO}/issues/{issue}/reactions"), json!({ "content": "eyes" }))
            .await;
    }
    world.ok(ada, "PUT", &format!("{REPO}/issues/1/lock"), json!({ "lock_reason": "too heated" })).await;
    world.ok(ada, "DELETE", &format!("{REPO}/issues/1/lock"), Value::Null).await;
    for change in [
        json!({ "title": "renamed" }),
        json!({ "state": "closed" }),
        json!({ "state": "open", "milestone": null, "labels": [], "assignees": [] }),
        json!({ "milestone": 1, "labels": ["bug"], "assignees": ["ada"] }),
    ] {
        world.ok(ada, "PATCH", &format!("{REPO}/issues/1"), change).await;
    }
    let pin = "mutation($i: ID!) { pinIssue(input: { issueId: $i }) { issue { isPinned } } }";
    world.data(ada, pin, json!({ "i": child["node_id"] })).await;
    let unpin = "mutation($i: ID!) { unpinIssue(input: { issueId: $i }) { issue { isPinned } } }";
    world.data(ada, unpin, json!({ "i": child["node_id"] })).await;
    let pinned = world.data(ada, pin, json!({ "i": first["node_id"] })).await;
    assert_eq!(pinned["pinIssue"]["issue"]["isPinned"], true);
    let events = world.get(&format!("{REPO}/issues/1/events?per_page=100")).await;
    nodes.extend(events.as_array().unwrap().iter().map(|event| event["node_id"].clone()));
    let label = world.get(&format!("{REPO}/labels/bug")).await;
    let branch = world.get(&format!("{REPO}/git/ref/heads/main")).await;
    let tag = json!({ "tag": "v1", "message": "one", "object": branch["object"]["sha"], "type": "commit" });
    let tag = world.ok(ada, "POST", &format!("{REPO}/git/tags"), tag).await;
    let pull = world.pull("topic", "Closes #1").await;
    let commit = world.get(&format!("{REPO}/commits/topic")).await;
    nodes.extend([&first, &label, &branch, &tag, &pull, &commit].map(|made| made["node_id"].clone()));
    json!({ "issue": first["node_id"], "all": nodes, "url": first["html_url"] })
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_every_type_has_an_answer() {
    let world = World::new().await;
    let ids = populate(&world).await;
    let schema = Schema::read(&world).await;
    let mut walk = Walk { world: &world, schema: &schema, met: BTreeSet::new(), asked: 0 };
    for field in schema.fields("Query") {
        let (name, (_, type_name)) = (field["name"].as_str().unwrap(), inner(&field["type"]));
        let Some(arguments) = arguments(field, &ids) else { panic!("Query.{name} is not asked for") };
        for level in 1..=LEVELS {
            let inside = schema.entered(type_name, level, &mut vec![type_name.to_owned()], &ids);
            walk.ask(&format!("{{ {name}{arguments} {{ {inside} }} }}")).await;
        }
    }
    for (id, type_name) in kinds(&world, &ids).await {
        for level in 1..=LEVELS {
            let inside = schema.selection(&type_name, level, &mut vec![type_name.clone()], &ids);
            walk.ask(&format!("{{ node(id: {id}) {{ ... on {type_name} {{ {inside} }} }} }}")).await;
        }
    }
    // These lie behind so much else that a walk in full does not reach them.
    let edges = "(first: 1) { edges { __typename cursor reactedAt node { __typename } } }";
    let groups = format!("reactionGroups {{ reactors{edges} users{edges} }}");
    walk.ask(&format!("{{ node(id: {}) {{ ... on IssueComment {{ {groups} }} }} }}", ids["all"][0])).await;
    let Walk { met, asked, .. } = walk;
    let unmet: Vec<&String> = schema.types.keys().filter(|name| is_to_be_met(&schema, name, &met)).collect();
    assert!(asked > 30, "only {asked} documents were asked");
    assert!(unmet.is_empty(), "never answered: {unmet:?}");
}

struct Walk<'w> {
    world: &'w World,
    schema: &'w Schema,
    met: BTreeSet<String>,
    asked: usize,
}

impl Walk<'_> {
    async fn ask(&mut self, query: &str) {
        // Larger ones are refused for their size.
        if query.len() > 60_000 {
            return;
        }
        let answer = self.world.graph(&self.world.admin, query, json!({})).await;
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let faults: Vec<_> = errors.iter().filter(|error| is_fault(error)).take(5).collect();
        assert!(faults.is_empty(), "{}…: {faults:?}", query.chars().take(200).collect::<String>());
        self.asked += 1;
        types_in(&answer["data"], &mut self.met);
        assert!(self.met.iter().all(|name| self.schema.types.contains_key(name)));
    }
}

/// An id of each type that has one, with the type's name.
async fn kinds(world: &World, ids: &Value) -> Vec<(Value, String)> {
    let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }";
    let mut found = world.data(&world.admin, nodes, json!({ "ids": ids["all"] })).await["nodes"].clone();
    let timelines =
        "{ repository(owner: \"acme\", name: \"web\") { issues(first: 9) { nodes { timelineItems(first: 99)
        { nodes { __typename ... on Node { id } } } } } } }";
    let data = world.data(&world.admin, timelines, json!({})).await;
    for issue in data["repository"]["issues"]["nodes"].as_array().unwrap() {
        let entries = issue["timelineItems"]["nodes"].as_array().unwrap().clone();
        found.as_array_mut().unwrap().extend(entries);
    }
    let mut kinds = BTreeMap::new();
    for node in found.as_array().unwrap() {
        kinds.entry(node["__typename"].as_str().unwrap().to_owned()).or_insert(node["id"].clone());
    }
    kinds.into_iter().map(|(name, id)| (id, name)).collect()
}

/// A missing thing is an answer; a field that nobody answers, or an answer of another type, is a fault.
fn is_fault(error: &Value) -> bool {
    !matches!(error["type"].as_str(), Some("NOT_FOUND"))
}

/// What this forge never has an object of, or this test does not make: types of issues, forms, bots, pull requests that
/// close an issue, and what only payloads of mutations show.
const NEVER: [&str; 7] = [
    "Bot",
    "IssueTemplate",
    "IssueType",
    "PullRequestTemplate",
    "RepositoryContactLink",
    "PullRequestEdge",
    "IssueTimelineItemEdge",
];

fn is_to_be_met(schema: &Schema, name: &str, met: &BTreeSet<String>) -> bool {
    let is_object = schema.types[name]["kind"] == "OBJECT";
    let is_root =
        name.starts_with("__") || ["Query", "Mutation"].contains(&name) || name.ends_with("Payload");
    is_object && !is_root && !NEVER.contains(&name) && !met.contains(name)
}

fn types_in(value: &Value, met: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|entry| types_in(entry, met)),
        Value::Object(fields) => {
            if let Some(name) = fields.get("__typename").and_then(Value::as_str) {
                met.insert(name.to_owned());
            }
            fields.values().for_each(|inside| types_in(inside, met));
        }
        _ => {}
    }
}
