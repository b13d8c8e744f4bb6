//! The faults: each is really there. What no test can make real, a full disk, is a limit that no disk meets.

use std::net::TcpListener;

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::names::{Flag, Names};
use baton_fixtures::TestServer;
use baton_fixtures::ports::free_port;
use baton_fixtures::server::dateless;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::adopt::checkout::{Checkout, real_git};

/// What is planted, and what the doctor is to be asked.
#[derive(Default)]
pub(crate) struct Planted {
    pub(crate) arguments: Vec<String>,
    /// The exit code, where it matters which.
    pub(crate) code: Option<i32>,
    /// What must be there while the doctor looks.
    _kept: Option<TcpListener>,
}

fn planted() -> Planted {
    Planted::default()
}

fn exits(code: i32) -> Planted {
    Planted { code: Some(code), ..Planted::default() }
}

pub(crate) async fn a_setting_that_is_misspelt(checkout: &mut Checkout) -> Planted {
    checkout.configure("claims: {tll: 4h}");
    exits(1)
}

pub(crate) async fn a_missing_configuration(checkout: &mut Checkout) -> Planted {
    std::fs::remove_file(checkout.env.path("baton.yaml")).unwrap();
    let url = checkout.forge.url.clone();
    checkout.env.set("BATON_GITHUB_API_URL", Some(&url));
    planted()
}

pub(crate) async fn a_stage_whose_agent_nobody_knows(checkout: &mut Checkout) -> Planted {
    checkout.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\nagent: nobody\n");
    exits(1)
}

pub(crate) async fn a_git_that_is_too_old(checkout: &mut Checkout) -> Planted {
    let git = real_git();
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'git version 2.20.1' && exit\nexec GIT \"$@\"\n";
    checkout.env.program("git", &script.replace("GIT", git.to_str().unwrap()));
    exits(1)
}

pub(crate) async fn a_machine_without_git(checkout: &mut Checkout) -> Planted {
    checkout.env.program("git", "#!/bin/sh\necho 'no git here' >&2\nexit 127\n");
    planted()
}

pub(crate) async fn a_git_without_an_identity(checkout: &mut Checkout) -> Planted {
    checkout.git(&["config", "--global", "--unset", "user.email"]);
    exits(1)
}

pub(crate) async fn an_identity_that_is_no_address(checkout: &mut Checkout) -> Planted {
    checkout.git(&["config", "--global", "user.email", "ann"]);
    exits(0)
}

pub(crate) async fn an_agent_whose_program_is_missing(checkout: &mut Checkout) -> Planted {
    checkout.edit("baton.yaml", "adapter: claude", "adapter: claude\n    command: [no-such-program]");
    exits(1)
}

pub(crate) async fn an_agent_that_fails_to_start(checkout: &mut Checkout) -> Planted {
    checkout.env.program("claude", "#!/bin/sh\necho broken >&2\nexit 3\n");
    exits(1)
}

pub(crate) async fn an_agent_that_hangs(checkout: &mut Checkout) -> Planted {
    checkout.env.program("claude", "#!/bin/sh\nsleep 600\n");
    exits(1)
}

pub(crate) async fn no_agent_at_all(checkout: &mut Checkout) -> Planted {
    checkout.edit("baton.yaml", "agents:\n  claude:\n    adapter: claude\n", "");
    exits(1)
}

pub(crate) async fn an_agent_with_a_bad_script(checkout: &mut Checkout) -> Planted {
    checkout.edit("baton.yaml", "adapter: claude", "adapter: script\n    script: none.yaml");
    exits(1)
}

pub(crate) async fn little_room(_checkout: &mut Checkout) -> Planted {
    Planted { arguments: vec!["--disk-min".to_owned(), "9000000TB".to_owned()], ..exits(1) }
}

/// An address where nobody listens.
fn silent_address() -> String {
    format!("127.0.0.1:{}", free_port())
}

pub(crate) async fn a_tracker_out_of_reach(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_GITHUB_API_URL", Some(&format!("http://{}", silent_address())));
    exits(3)
}

/// Answers every request with the same text, until the test ends.
async fn server(body: &'static str) -> String {
    TestServer::start(move |_| dateless(200, &["Content-Type: application/json"], body)).await.url
}

pub(crate) async fn a_tracker_that_is_none(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_GITHUB_API_URL", Some(&server("<html>a page of somebody else</html>").await));
    exits(3)
}

pub(crate) async fn a_missing_token(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_TOKEN", None);
    exits(1)
}

pub(crate) async fn a_token_that_is_refused(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_TOKEN", Some("bft_nobody_knows_it"));
    exits(1)
}

pub(crate) async fn a_command_that_prints_no_token(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_TOKEN", None);
    checkout.configure("token_command: 'echo locked >&2; exit 4'");
    exits(1)
}

pub(crate) async fn a_token_that_may_only_read(checkout: &mut Checkout) -> Planted {
    let token = checkout.forge.token(&["--user", "admin", "--role", "read"]);
    checkout.env.set("BATON_TOKEN", Some(&token));
    exits(1)
}

pub(crate) async fn a_repository_that_is_not_there(checkout: &mut Checkout) -> Planted {
    checkout.edit("baton.yaml", "[admin/web]", "[admin/web, admin/none]");
    exits(1)
}

pub(crate) async fn a_spent_budget(checkout: &mut Checkout) -> Planted {
    checkout.forge.turn(json!({ "rate_limit": 1 })).await;
    exits(1)
}

pub(crate) async fn a_clock_that_is_wrong(checkout: &mut Checkout) -> Planted {
    checkout.forge.shift_clock(3600).await;
    exits(1)
}

pub(crate) async fn a_missing_label(checkout: &mut Checkout) -> Planted {
    checkout.repo.send("DELETE", "/labels/agent:implement", Value::Null).await;
    exits(0)
}

pub(crate) async fn a_label_of_another_colour(checkout: &mut Checkout) -> Planted {
    checkout.repo.send("PATCH", "/labels/agent:implement", json!({ "color": "000000" })).await;
    exits(0)
}

pub(crate) async fn a_missing_first_column(checkout: &mut Checkout) -> Planted {
    checkout.repo.send("DELETE", "/labels/stage:Specify", Value::Null).await;
    exits(1)
}

pub(crate) async fn a_missing_later_column(checkout: &mut Checkout) -> Planted {
    checkout.repo.send("DELETE", "/labels/stage:Plan", Value::Null).await;
    exits(0)
}

/// A new project has a field `Status` with columns of its own.
pub(crate) async fn a_project_without_the_columns(checkout: &mut Checkout) -> Planted {
    let ask = |query: &str, variables: Value| {
        let asked = json!({ "query": query, "variables": variables });
        let client = checkout.forge.admin.clone();
        async move { client.must("POST", "/graphql", &asked, 200).await }
    };
    let viewer = ask("query { viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { number } } }";
    let made = ask(create, json!({ "o": viewer["data"]["viewer"]["id"] })).await;
    let number = &made["data"]["createProjectV2"]["projectV2"]["number"];
    checkout.configure(&format!("board: {{project: admin/{number}}}"));
    exits(1)
}

pub(crate) async fn an_endpoint_that_is_taken(checkout: &mut Checkout) -> Planted {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    checkout.configure(&format!("webhooks: {{listen: '{}'}}", listener.local_addr().unwrap()));
    Planted { _kept: Some(listener), ..exits(1) }
}

pub(crate) async fn a_forwarder_that_is_missing(checkout: &mut Checkout) -> Planted {
    checkout.env.program("gh", "#!/bin/sh\necho 'unknown command \"webhook\" for \"gh\"' >&2\nexit 1\n");
    checkout.configure("webhooks: {listen: '127.0.0.1:0', forward: true}");
    exits(1)
}

pub(crate) async fn a_repository_that_delivers_to_nobody(checkout: &mut Checkout) -> Planted {
    checkout.configure("webhooks: {listen: '127.0.0.1:0'}");
    exits(0)
}

/// A hook that works, for another program.
pub(crate) async fn a_repository_that_delivers_to_somebody_else(checkout: &mut Checkout) -> Planted {
    checkout.configure("webhooks: {listen: '127.0.0.1:0'}");
    let config = json!({ "url": format!("{}/ci", server("{}").await), "content_type": "json" });
    let hook = json!({ "name": "web", "active": true, "events": ["push"], "config": config });
    checkout.repo.post("/hooks", hook).await;
    exits(0)
}

pub(crate) async fn a_store_out_of_reach(checkout: &mut Checkout) -> Planted {
    checkout.env.set("BATON_STORE", Some(&format!("postgres://ann@{}/baton", silent_address())));
    exits(3)
}

pub(crate) async fn a_store_that_is_none(checkout: &mut Checkout) -> Planted {
    checkout
        .env
        .write(".baton/baton.db", &"no database at all, and long enough for a header of one. ".repeat(20));
    exits(3)
}

/// Makes the store by waking an agent, and opens it.
async fn store(checkout: &Checkout) -> (Connection, u64) {
    let number = checkout.repo.issue("A button", &["stage:Specify"]).await;
    let reference = format!("admin/web#{number}");
    checkout.env.run(&["wake", &reference, "--agent", "claude"]).exits(0);
    (Connection::open(checkout.env.path(".baton/baton.db")).unwrap(), number)
}

fn change(store: &Connection, sql: &str) {
    assert!(store.execute(sql, []).unwrap() > 0, "{sql}: nothing was changed");
}

pub(crate) async fn a_store_of_a_newer_program(checkout: &mut Checkout) -> Planted {
    let (store, _) = store(checkout).await;
    change(&store, "INSERT INTO baton_schema (version) VALUES (99)");
    exits(1)
}

pub(crate) async fn a_store_of_an_older_program(checkout: &mut Checkout) -> Planted {
    let (store, _) = store(checkout).await;
    change(&store, "DELETE FROM baton_schema WHERE version > 1");
    planted()
}

pub(crate) async fn a_wakeup_that_nobody_follows(checkout: &mut Checkout) -> Planted {
    let (store, _) = store(checkout).await;
    change(&store, "UPDATE wakeups SET created_at = created_at - 7200000");
    exits(1)
}

/// A claim holds for four hours by the tracker's clock.
pub(crate) async fn a_claim_that_is_over(checkout: &mut Checkout) -> Planted {
    let number = checkout.repo.issue("A button", &["agent:implement"]).await;
    checkout.env.run(&["claim", &format!("admin/web#{number}")]).exits(0);
    checkout.forge.shift_clock(6 * 3600).await;
    planted()
}

/// The label of somebody who answers comments, left behind without a lock.
pub(crate) async fn an_issue_that_nobody_moves(checkout: &mut Checkout) -> Planted {
    let editing = Names::of(Dialect::Baton).flag(Flag::Editing);
    checkout.repo.issue("A button", &["stage:Specify", &editing]).await;
    exits(1)
}

pub(crate) async fn an_issue_that_waits_for_an_engine(checkout: &mut Checkout) -> Planted {
    checkout.repo.issue("A button", &["stage:Specify"]).await;
    exits(0)
}

/// The run of an engine that died long ago.
pub(crate) async fn a_run_that_lost_its_worker(checkout: &mut Checkout) -> Planted {
    let (store, _) = store(checkout).await;
    change(&store, "INSERT INTO workers (name, host, since, until) VALUES ('dead', 'here', 1, 2)");
    change(
        &store,
        "UPDATE runs SET status = 'running', started_at = 1, worker_id = (SELECT max(id) FROM workers)",
    );
    exits(1)
}

pub(crate) async fn fewer_approvers_than_must_approve(checkout: &mut Checkout) -> Planted {
    checkout.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: tracker\n");
    checkout.configure("approvers: [ann]\napprovals_required: 2");
    exits(1)
}

pub(crate) async fn slack_without_its_settings(checkout: &mut Checkout) -> Planted {
    checkout.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: slack\n");
    exits(1)
}

pub(crate) async fn slack_that_refuses_the_token(checkout: &mut Checkout) -> Planted {
    checkout.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: either\n");
    let url = server("{\"ok\": false, \"error\": \"invalid_auth\"}").await;
    checkout.configure(&format!("slack: {{api_url: '{url}', channel: C1, approvers: [U1]}}"));
    checkout.env.set("BATON_SLACK_TOKEN", Some("xoxb-wrong"));
    exits(1)
}

pub(crate) async fn socket_mode_without_its_token(checkout: &mut Checkout) -> Planted {
    checkout.configure("slack: {socket_mode: true}");
    exits(1)
}

pub(crate) async fn notices_to_slack_without_their_address(checkout: &mut Checkout) -> Planted {
    checkout.configure("notify: {slack: true}");
    exits(1)
}
