//! Boards of several sizes on which nothing happens: what a cycle costs, what an issue takes of memory, and how soon the one
//! issue that waits for an agent gets it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Row;
use crate::desk::{Desk, Setup};
use crate::journal::Journal;
use crate::site::{issues, resident_bytes, used};
use crate::world::World;

/// How long an idle board is watched.
const WATCHED: Duration = Duration::from_secs(12);
const LONG: Duration = Duration::from_secs(120);

/// What was seen at one size.
struct Seen {
    first: Duration,
    resident: u64,
    cycles: u64,
    used: (u64, u64),
}

pub(crate) async fn measure(sizes: &[usize]) -> Vec<Row> {
    let mut rows = Vec::new();
    for is_project in [false, true] {
        let board = if is_project { "project" } else { "label" };
        let mut before: Option<(usize, u64)> = None;
        for size in sizes {
            let seen = board_of(*size, is_project).await;
            let (core, points) = seen.used;
            let is_met = core == 0 && points <= seen.cycles;
            let figures = format!("{core} requests and {points} points in {} cycles", seen.cycles);
            rows.push(Row::new(
                format!("idle, {board} board of {size}"),
                figures,
                "0 and at most 1 each",
                Some(is_met),
            ));
            rows.push(Row::new(
                format!("start to first agent, {board} board of {size}"),
                format!("{:.2} s", seen.first.as_secs_f64()),
                "under 5 s",
                Some(seen.first < Duration::from_secs(5)),
            ));
            let each = before.map(|(count, bytes)| {
                seen.resident.saturating_sub(bytes) / u64::try_from(size - count).unwrap()
            });
            let figures = match each {
                Some(each) => format!("{} MiB, {each} bytes for each more", seen.resident >> 20),
                None => format!("{} MiB", seen.resident >> 20),
            };
            let what = format!("memory, {board} board of {size}");
            rows.push(Row::new(what, figures, "under 4 KiB each", each.map(|each| each < 4096)));
            before = Some((*size, seen.resident));
        }
    }
    rows
}

async fn board_of(size: usize, is_project: bool) -> Seen {
    let world = World::new();
    let repo = world.repo("web").await;
    repo.set_protocol("ref");
    let token = world.account("ann", &repo).await;
    issues(&world, &repo.name, size, &["stage:Backlog"]).await;
    let wish = issues(&world, &repo.name, 1, &["stage:Specify"]).await;
    if is_project {
        project(&world, &repo.name, wish[0]).await;
    }
    let setup = Setup {
        name: "ann",
        token: &token,
        api_url: &world.forge.url,
        repo: &repo.name,
        store: "sqlite:.baton/baton.db",
        more: if is_project { "board: {project: admin/1}\n" } else { "" },
    };
    let journal = Journal::new(world.path(), "agents");
    let desk = Desk::new(&world.path().join("ann"), &setup, &journal).with("BATON_YOLO", "false");
    let started = Instant::now();
    let engine = desk.engine();
    while journal.entries().is_empty() {
        assert!(started.elapsed() < LONG, "no agent was started{}", desk.told());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let first = started.elapsed();
    quiet(&world, &token).await;
    let before = used(&world, &token).await;
    world.admin.must("DELETE", "/_forge/meter", &Value::Null, 204).await;
    tokio::time::sleep(WATCHED).await;
    let after = used(&world, &token).await;
    let cycles = cycles(&world).await;
    let resident = resident_bytes(engine.pid());
    engine.stop().await;
    Seen { first, resident, cycles, used: (after.0 - before.0, after.1 - before.1) }
}

/// Waits until the issue that had an agent is at rest.
async fn quiet(world: &World, token: &str) {
    let started = Instant::now();
    let mut last = used(world, token).await;
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_secs(4) && started.elapsed() < LONG {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = used(world, token).await;
        // A point for each cycle is what a project board costs.
        if now.0 != last.0 || now.1 > last.1 + 1 {
            since = Instant::now();
        }
        last = now;
    }
}

/// How often the engine has asked for news: the requests of the endpoint that it asked most.
async fn cycles(world: &World) -> u64 {
    let rows = world.admin.must("GET", "/_forge/meter", &Value::Null, 200).await;
    let is_engine = |row: &&Value| row.to_string().contains("ann");
    let count = |row: &Value| row["count"].as_u64().or_else(|| row["requests"].as_u64()).unwrap_or(0);
    rows.as_array().unwrap().iter().filter(is_engine).map(count).max().unwrap_or(0)
}

async fn graph(world: &World, query: &str, variables: Value) -> Value {
    let body = json!({ "query": query, "variables": variables });
    let answer = world.admin.must("POST", "/graphql", &body, 200).await;
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].clone()
}

/// Makes a project with a column for each stage, and puts every issue onto it.
async fn project(world: &World, repo: &str, wish: u64) {
    let viewer = graph(world, "{ viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { id \
                  field(name: \"Status\") { ... on ProjectV2SingleSelectField { id } } } } }";
    let made = graph(world, create, json!({ "o": viewer["viewer"]["id"] })).await;
    let project = made["createProjectV2"]["projectV2"].clone();
    let columns = ["Backlog", "Specify", "Research", "Plan", "Implement", "Review", "Validate", "Done"];
    let options: Vec<_> =
        columns.iter().map(|name| json!({ "name": name, "color": "GRAY", "description": "" })).collect();
    let change = "mutation($f: ID!, $o: [ProjectV2SingleSelectFieldOptionInput!]) \
                  { updateProjectV2Field(input: {fieldId: $f, singleSelectOptions: $o}) { projectV2Field { \
                  ... on ProjectV2SingleSelectField { id options { id name } } } } }";
    let changed = graph(world, change, json!({ "f": project["field"]["id"], "o": options })).await;
    let field = changed["updateProjectV2Field"]["projectV2Field"].clone();
    for page in 1.. {
        let path = format!("/repos/{repo}/issues?state=open&per_page=100&page={page}");
        let listed = world.admin.must("GET", &path, &Value::Null, 200).await;
        let listed = listed.as_array().unwrap();
        for issue in listed {
            let column = if issue["number"] == wish { "Specify" } else { "Backlog" };
            place(world, &project["id"], &field, &issue["node_id"], column).await;
        }
        if listed.len() < 100 {
            return;
        }
    }
}

async fn place(world: &World, project: &Value, field: &Value, issue: &Value, column: &str) {
    let add = "mutation($p: ID!, $c: ID!) { addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } }";
    let added = graph(world, add, json!({ "p": project, "c": issue })).await;
    let options = field["options"].as_array().unwrap();
    let option = options.iter().find(|option| option["name"] == column).unwrap();
    let set = "mutation($p: ID!, $i: ID!, $f: ID!, $o: String!) { updateProjectV2ItemFieldValue(input: \
               {projectId: $p, itemId: $i, fieldId: $f, value: {singleSelectOptionId: $o}}) { clientMutationId } }";
    let variables = json!({
        "p": project, "i": added["addProjectV2ItemById"]["item"]["id"], "f": field["id"], "o": option["id"],
    });
    graph(world, set, variables).await;
}
