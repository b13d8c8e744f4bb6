//! What cannot be: it is said why, and nothing is lost.

use serde_json::json;

use crate::legs::desk::{Desk, ISSUE};

const IDLE: &str = "scenes: [{do: [{say: hello}]}]\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_there_is_not_fails_the_run_by_name() {
    let desk = Desk::with_script(IDLE).await;
    desk.wake(&json!({ "stage": "Implemnt" }));
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("there is no stage `Implemnt`"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_not_there_is_told() {
    let desk = Desk::with_script(IDLE).await;
    desk.run(&["wake", "admin/missing#1", "--agent", "coder"]).exits(0);
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("'admin/missing'"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_charges_nothing() {
    let desk = Desk::with_script(IDLE).await;
    desk.wake(&json!({ "stage": "Implement" }));
    let engine = desk
        .command(&["engine", "--idle", "--once"])
        .env("BATON_GITHUB_API_URL", "http://127.0.0.1:9")
        .output();
    assert!(engine.unwrap().status.success());
    let runs = desk.runs();
    assert_eq!(runs[0]["cause"], "not_ready", "{runs:?}");
    assert_eq!(runs.last().unwrap()["attempt"], 1, "{runs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_fails_the_run_and_leaves_the_place() {
    let desk = Desk::new("agents:\n  coder: {adapter: command, command: [no-such-program]}\n").await;
    desk.wake(&json!({ "stage": "Implement" }));
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("no-such-program"), "{run}");
    assert!(desk.worktree().is_dir());
}

#[tokio::test(flavor = "multi_thread")]
async fn work_on_a_branch_that_somebody_else_moved_is_kept_on_the_remote() {
    let script = "scenes: [{do: [{append: {path: mine.txt, text: x}}, {commit: mine}, {run: [bash, ../../../../move.sh]}, {marker: complete}]}]\n";
    let desk = Desk::with_script(script).await;
    let address = desk.forge.url.replace("http://", &format!("http://x:{}@", crate::support::TOKEN));
    let theirs = format!(
        "set -e\nunset GIT_ASKPASS\nrm -rf theirs && git clone -q {address}/admin/web.git theirs\ncd theirs\n\
         git checkout -q -B baton/issue-1\necho theirs > theirs.txt\ngit add .\n\
         git -c user.name=t -c user.email=t@t commit -qm theirs\ngit push -q -f origin baton/issue-1\n"
    );
    std::fs::write(desk.path("move.sh"), format!("cd {}\n{theirs}", desk.root().display())).unwrap();
    desk.wake(&json!({ "stage": "Implement" }));
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert!(run["error"].as_str().unwrap_or_default().contains("refs/baton/rescue/1/"), "{run}");
    assert_eq!(desk.messages("baton/issue-1").await[0], "theirs", "theirs stays");
    let refs = desk
        .client
        .must("GET", "/repos/admin/web/git/matching-refs/baton/rescue/1/", &json!(null), 200)
        .await;
    assert_eq!(refs.as_array().unwrap().len(), 1, "{ISSUE}: {refs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_of_the_repository_is_not_taken_for_that_of_our_context() {
    let desk = Desk::with_script(IDLE).await;
    let theirs = json!({ "message": "theirs", "content": "eA==" });
    desk.client.must("PUT", "/repos/admin/web/contents/.baton-context/mine.md", &theirs, 201).await;
    desk.wake(&json!({ "stage": "Implement" }));
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("`.baton-context` of its own"), "{run}");
    assert!(desk.worktree().join(".baton-context/mine.md").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nobodys_fault_waits_and_tells_its_reason() {
    let desk = Desk::with_script(IDLE).await;
    std::fs::create_dir_all(desk.path(".baton/state")).unwrap();
    std::fs::write(desk.path(".baton/state/homes"), "in the way").unwrap();
    desk.wake(&json!({ "stage": "Implement" }));
    desk.run(&["engine", "--idle", "--once"]);
    let run = desk.runs().remove(0);
    assert_eq!(run["cause"], "not_ready", "{run}");
    assert!(run["error"].as_str().unwrap().contains("homes"), "{run}");
}
