//! The faults: each is really there. What no test can make real, a full disk, is a limit that no disk meets.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::names::{Flag, Names};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::adopt::place::{Place, real_git};

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

pub(crate) async fn a_setting_that_is_misspelt(place: &mut Place) -> Planted {
    place.configure("claims: {tll: 4h}");
    exits(1)
}

pub(crate) async fn a_missing_configuration(place: &mut Place) -> Planted {
    std::fs::remove_file(place.path("baton.yaml")).unwrap();
    let url = place.forge.url.clone();
    place.set("BATON_GITHUB_API_URL", Some(&url));
    planted()
}

pub(crate) async fn a_stage_whose_agent_nobody_knows(place: &mut Place) -> Planted {
    place.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\nagent: nobody\n");
    exits(1)
}

pub(crate) async fn a_git_that_is_too_old(place: &mut Place) -> Planted {
    let git = real_git();
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'git version 2.20.1' && exit\nexec GIT \"$@\"\n";
    place.program("git", &script.replace("GIT", git.to_str().unwrap()));
    exits(1)
}

pub(crate) async fn a_machine_without_git(place: &mut Place) -> Planted {
    place.program("git", "#!/bin/sh\necho 'no git here' >&2\nexit 127\n");
    planted()
}

pub(crate) async fn a_git_without_an_identity(place: &mut Place) -> Planted {
    place.git(&["config", "--global", "--unset", "user.email"]);
    exits(1)
}

pub(crate) async fn an_identity_that_is_no_address(place: &mut Place) -> Planted {
    place.git(&["config", "--global", "user.email", "ann"]);
    exits(0)
}

pub(crate) async fn an_agent_whose_program_is_missing(place: &mut Place) -> Planted {
    place.edit("baton.yaml", "adapter: claude", "adapter: claude\n    command: [no-such-program]");
    exits(1)
}

pub(crate) async fn an_agent_that_fails_to_start(place: &mut Place) -> Planted {
    place.program("claude", "#!/bin/sh\necho broken >&2\nexit 3\n");
    exits(1)
}

pub(crate) async fn an_agent_that_hangs(place: &mut Place) -> Planted {
    place.program("claude", "#!/bin/sh\nsleep 600\n");
    exits(1)
}

pub(crate) async fn no_agent_at_all(place: &mut Place) -> Planted {
    place.edit("baton.yaml", "agents:\n  claude:\n    adapter: claude\n", "");
    exits(1)
}

pub(crate) async fn an_agent_with_a_bad_script(place: &mut Place) -> Planted {
    place.edit("baton.yaml", "adapter: claude", "adapter: script\n    script: none.yaml");
    exits(1)
}

pub(crate) async fn little_room(_place: &mut Place) -> Planted {
    Planted { arguments: vec!["--disk-min".to_owned(), "9000000TB".to_owned()], ..exits(1) }
}

/// An address where nobody listens.
fn silent_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

pub(crate) async fn a_tracker_out_of_reach(place: &mut Place) -> Planted {
    place.set("BATON_GITHUB_API_URL", Some(&format!("http://{}", silent_address())));
    exits(3)
}

/// Answers every request with the same text, in a thread that ends with the test.
fn server(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://{address}")
}

pub(crate) async fn a_tracker_that_is_none(place: &mut Place) -> Planted {
    place.set("BATON_GITHUB_API_URL", Some(&server("<html>a page of somebody else</html>")));
    exits(3)
}

pub(crate) async fn a_missing_token(place: &mut Place) -> Planted {
    place.set("BATON_TOKEN", None);
    exits(1)
}

pub(crate) async fn a_token_that_is_refused(place: &mut Place) -> Planted {
    place.set("BATON_TOKEN", Some("bft_nobody_knows_it"));
    exits(1)
}

pub(crate) async fn a_command_that_prints_no_token(place: &mut Place) -> Planted {
    place.set("BATON_TOKEN", None);
    place.configure("token_command: 'echo locked >&2; exit 4'");
    exits(1)
}

pub(crate) async fn a_token_that_may_only_read(place: &mut Place) -> Planted {
    let data = place.forge.data.display().to_string();
    let made = place
        .run(&["forge", "token", "create", "--user", "admin", "--role", "read", "--data", &data])
        .exits(0);
    place.set("BATON_TOKEN", Some(&made.out));
    exits(1)
}

pub(crate) async fn a_repository_that_is_not_there(place: &mut Place) -> Planted {
    place.edit("baton.yaml", "[admin/web]", "[admin/web, admin/none]");
    exits(1)
}

pub(crate) async fn a_spent_budget(place: &mut Place) -> Planted {
    place.client.must("PATCH", "/_forge/knobs", &json!({ "rate_limit": 1 }), 200).await;
    exits(1)
}

pub(crate) async fn a_clock_that_is_wrong(place: &mut Place) -> Planted {
    place.client.must("PUT", "/_forge/clock", &json!({ "offset_s": 3600 }), 200).await;
    exits(1)
}

pub(crate) async fn a_missing_label(place: &mut Place) -> Planted {
    place.client.must("DELETE", "/repos/admin/web/labels/agent:implement", &Value::Null, 204).await;
    exits(0)
}

pub(crate) async fn a_label_of_another_colour(place: &mut Place) -> Planted {
    let changed = json!({ "color": "000000" });
    place.client.must("PATCH", "/repos/admin/web/labels/agent:implement", &changed, 200).await;
    exits(0)
}

pub(crate) async fn a_missing_first_column(place: &mut Place) -> Planted {
    place.client.must("DELETE", "/repos/admin/web/labels/stage:Specify", &Value::Null, 204).await;
    exits(1)
}

pub(crate) async fn a_missing_later_column(place: &mut Place) -> Planted {
    place.client.must("DELETE", "/repos/admin/web/labels/stage:Plan", &Value::Null, 204).await;
    exits(0)
}

/// A new project has a field `Status` with columns of its own.
pub(crate) async fn a_project_without_the_columns(place: &mut Place) -> Planted {
    let ask = |query: &str, variables: Value| {
        let asked = json!({ "query": query, "variables": variables });
        let client = place.client.clone();
        async move { client.must("POST", "/graphql", &asked, 200).await }
    };
    let viewer = ask("query { viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { number } } }";
    let made = ask(create, json!({ "o": viewer["data"]["viewer"]["id"] })).await;
    let number = &made["data"]["createProjectV2"]["projectV2"]["number"];
    place.configure(&format!("board: {{project: admin/{number}}}"));
    exits(1)
}

pub(crate) async fn an_endpoint_that_is_taken(place: &mut Place) -> Planted {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    place.configure(&format!("webhooks: {{listen: '{}'}}", listener.local_addr().unwrap()));
    Planted { _kept: Some(listener), ..exits(1) }
}

pub(crate) async fn a_forwarder_that_is_missing(place: &mut Place) -> Planted {
    place.program("gh", "#!/bin/sh\necho 'unknown command \"webhook\" for \"gh\"' >&2\nexit 1\n");
    place.configure("webhooks: {listen: '127.0.0.1:0', forward: true}");
    exits(1)
}

pub(crate) async fn a_repository_that_delivers_to_nobody(place: &mut Place) -> Planted {
    place.configure("webhooks: {listen: '127.0.0.1:0'}");
    exits(0)
}

/// A hook that works, for another program.
pub(crate) async fn a_repository_that_delivers_to_somebody_else(place: &mut Place) -> Planted {
    place.configure("webhooks: {listen: '127.0.0.1:0'}");
    let config = json!({ "url": format!("{}/ci", server("{}")), "content_type": "json" });
    let hook = json!({ "name": "web", "active": true, "events": ["push"], "config": config });
    place.client.must("POST", "/repos/admin/web/hooks", &hook, 201).await;
    exits(0)
}

pub(crate) async fn a_store_out_of_reach(place: &mut Place) -> Planted {
    place.set("BATON_STORE", Some(&format!("postgres://ann@{}/baton", silent_address())));
    exits(3)
}

pub(crate) async fn a_store_that_is_none(place: &mut Place) -> Planted {
    place.write(".baton/baton.db", &"no database at all, and long enough for a header of one. ".repeat(20));
    exits(3)
}

/// Makes the store by waking an agent, and opens it.
async fn store(place: &Place) -> (Connection, u64) {
    let number = place.issue(&["stage:Specify"]).await;
    let reference = format!("admin/web#{number}");
    place.run(&["wake", &reference, "--agent", "claude"]).exits(0);
    (Connection::open(place.path(".baton/baton.db")).unwrap(), number)
}

fn change(store: &Connection, sql: &str) {
    assert!(store.execute(sql, []).unwrap() > 0, "{sql}: nothing was changed");
}

pub(crate) async fn a_store_of_a_newer_program(place: &mut Place) -> Planted {
    let (store, _) = store(place).await;
    change(&store, "INSERT INTO baton_schema (version) VALUES (99)");
    exits(1)
}

pub(crate) async fn a_store_of_an_older_program(place: &mut Place) -> Planted {
    let (store, _) = store(place).await;
    change(&store, "DELETE FROM baton_schema WHERE version > 1");
    planted()
}

pub(crate) async fn a_wakeup_that_nobody_follows(place: &mut Place) -> Planted {
    let (store, _) = store(place).await;
    change(&store, "UPDATE wakeups SET created_at = created_at - 7200000");
    exits(1)
}

/// A claim holds for four hours by the tracker's clock.
pub(crate) async fn a_claim_that_is_over(place: &mut Place) -> Planted {
    let number = place.issue(&["agent:implement"]).await;
    place.run(&["claim", &format!("admin/web#{number}")]).exits(0);
    place.client.must("PUT", "/_forge/clock", &json!({ "offset_s": 6 * 3600 }), 200).await;
    planted()
}

/// The label of somebody who answers comments, left behind without a lock.
pub(crate) async fn an_issue_that_nobody_moves(place: &mut Place) -> Planted {
    let editing = Names::of(Dialect::Baton).flag(Flag::Editing);
    place.issue(&["stage:Specify", &editing]).await;
    exits(1)
}

pub(crate) async fn an_issue_that_waits_for_an_engine(place: &mut Place) -> Planted {
    place.issue(&["stage:Specify"]).await;
    exits(0)
}

/// The run of an engine that died long ago.
pub(crate) async fn a_run_that_lost_its_worker(place: &mut Place) -> Planted {
    let (store, _) = store(place).await;
    change(&store, "INSERT INTO workers (name, host, since, until) VALUES ('dead', 'here', 1, 2)");
    change(
        &store,
        "UPDATE runs SET status = 'running', started_at = 1, worker_id = (SELECT max(id) FROM workers)",
    );
    exits(1)
}

pub(crate) async fn fewer_approvers_than_must_approve(place: &mut Place) -> Planted {
    place.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: tracker\n");
    place.configure("approvers: [ann]\napprovals_required: 2");
    exits(1)
}

pub(crate) async fn slack_without_its_settings(place: &mut Place) -> Planted {
    place.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: slack\n");
    exits(1)
}

pub(crate) async fn slack_that_refuses_the_token(place: &mut Place) -> Planted {
    place.edit(".baton/stages/plan.yaml", "name: Plan\n", "name: Plan\napproval: either\n");
    let url = server("{\"ok\": false, \"error\": \"invalid_auth\"}");
    place.configure(&format!("slack: {{api_url: '{url}', channel: C1, approvers: [U1]}}"));
    place.set("BATON_SLACK_TOKEN", Some("xoxb-wrong"));
    exits(1)
}

pub(crate) async fn socket_mode_without_its_token(place: &mut Place) -> Planted {
    place.configure("slack: {socket_mode: true}");
    exits(1)
}

pub(crate) async fn notices_to_slack_without_their_address(place: &mut Place) -> Planted {
    place.configure("notify: {slack: true}");
    exits(1)
}
