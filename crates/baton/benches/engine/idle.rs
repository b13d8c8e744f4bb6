//! Boards of several sizes on which nothing happens: what a cycle costs, what an issue takes of memory, and how soon the one
//! issue that waits for an agent gets it.

use std::time::{Duration, Instant};

use baton_fixtures::{TestForge, TestRepo};
use serde_json::{Value, json};

use crate::Row;
use crate::site::{Site, issues, resident_bytes};
use crate::storm::setup::told;

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
    let site = Site::new().await;
    let (forge, repo, journal) = (&site.forge, &site.repo, &site.journal);
    issues(repo, size, &["stage:Backlog"]).await;
    let wish = issues(repo, 1, &["stage:Specify"]).await;
    if is_project {
        project(forge, repo, wish[0]).await;
    }
    let more = if is_project { "board: {project: admin/1}\n" } else { "" };
    let env = site.engine_env(&forge.url, more).with("BATON_YOLO", "false");
    let started = Instant::now();
    let engine = env.engine(&["engine", "--name", "ann"]);
    while journal.entries().is_empty() {
        assert!(started.elapsed() < LONG, "no agent was started{}", told(&env));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let first = started.elapsed();
    quiet(&site).await;
    let before = site.used().await;
    forge.clear_meter().await;
    tokio::time::sleep(WATCHED).await;
    let after = site.used().await;
    let cycles = cycles(forge).await;
    let resident = resident_bytes(engine.pid());
    engine.stop_async().await;
    Seen { first, resident, cycles, used: (after.0 - before.0, after.1 - before.1) }
}

/// Waits until the issue that had an agent is at rest.
async fn quiet(site: &Site) {
    let started = Instant::now();
    let mut last = site.used().await;
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_secs(4) && started.elapsed() < LONG {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = site.used().await;
        // A point for each cycle is what a project board costs.
        if now.0 != last.0 || now.1 > last.1 + 1 {
            since = Instant::now();
        }
        last = now;
    }
}

/// How often the engine has asked for news: the requests of the endpoint that it asked most.
async fn cycles(forge: &TestForge) -> u64 {
    let rows = forge.meter().await;
    let is_engine = |row: &&Value| row.to_string().contains("ann");
    let count = |row: &Value| row["count"].as_u64().or_else(|| row["requests"].as_u64()).unwrap_or(0);
    rows.iter().filter(is_engine).map(count).max().unwrap_or(0)
}

async fn graph(forge: &TestForge, query: &str, variables: Value) -> Value {
    let body = json!({ "query": query, "variables": variables });
    let answer = forge.admin.must("POST", "/graphql", &body, 200).await;
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].clone()
}

/// Makes a project with a column for each stage, and puts every issue onto it.
async fn project(forge: &TestForge, repo: &TestRepo, wish: u64) {
    let viewer = graph(forge, "{ viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { id \
                  field(name: \"Status\") { ... on ProjectV2SingleSelectField { id } } } } }";
    let made = graph(forge, create, json!({ "o": viewer["viewer"]["id"] })).await;
    let project = made["createProjectV2"]["projectV2"].clone();
    let columns = ["Backlog", "Specify", "Research", "Plan", "Implement", "Review", "Validate", "Done"];
    let options: Vec<_> =
        columns.iter().map(|name| json!({ "name": name, "color": "GRAY", "description": "" })).collect();
    let change = "mutation($f: ID!, $o: [ProjectV2SingleSelectFieldOptionInput!]) \
                  { updateProjectV2Field(input: {fieldId: $f, singleSelectOptions: $o}) { projectV2Field { \
                  ... on ProjectV2SingleSelectField { id options { id name } } } } }";
    let changed = graph(forge, change, json!({ "f": project["field"]["id"], "o": options })).await;
    let field = changed["updateProjectV2Field"]["projectV2Field"].clone();
    for issue in repo.pages("/issues?state=open").await {
        let column = if issue["number"] == wish { "Specify" } else { "Backlog" };
        place(forge, &project["id"], &field, &issue["node_id"], column).await;
    }
}

async fn place(forge: &TestForge, project: &Value, field: &Value, issue: &Value, column: &str) {
    let add = "mutation($p: ID!, $c: ID!) { addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } }";
    let added = graph(forge, add, json!({ "p": project, "c": issue })).await;
    let options = field["options"].as_array().unwrap();
    let option = options.iter().find(|option| option["name"] == column).unwrap();
    let set = "mutation($p: ID!, $i: ID!, $f: ID!, $o: String!) { updateProjectV2ItemFieldValue(input: \
               {projectId: $p, itemId: $i, fieldId: $f, value: {singleSelectOptionId: $o}}) { clientMutationId } }";
    let variables = json!({
        "p": project, "i": added["addProjectV2ItemById"]["item"]["id"], "f": field["id"], "o": option["id"],
    });
    graph(forge, set, variables).await;
}
