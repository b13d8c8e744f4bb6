//! What cannot be: it is said why, and nothing is lost.

use baton_fixtures::TOKEN;
use serde_json::json;

use crate::legs::setup::{ISSUE, Setup};

const IDLE: &str = "scenes: [{do: [{say: hello}]}]\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_there_is_not_fails_the_run_by_name() {
    let setup = Setup::with_script(IDLE).await;
    setup.work(&json!({ "stage": "Implemnt" }));
    let run = setup.env.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("there is no stage `Implemnt`"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_not_there_is_told() {
    let setup = Setup::with_script(IDLE).await;
    setup.env.run(&["wake", "admin/missing#1", "--agent", "coder"]).exits(0);
    setup.env.run(&["engine", "--idle", "--once"]);
    let run = setup.env.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("'admin/missing'"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_charges_nothing() {
    let setup = Setup::with_script(IDLE).await;
    setup.wake(&json!({ "stage": "Implement" }));
    let out_of_reach = setup.env.clone().with("BATON_GITHUB_API_URL", "http://127.0.0.1:9");
    out_of_reach.run(&["engine", "--idle", "--once"]).exits(0);
    let runs = setup.env.runs();
    assert_eq!(runs[0]["cause"], "not_ready", "{runs:?}");
    assert_eq!(runs.last().unwrap()["attempt"], 1, "{runs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_fails_the_run_and_leaves_the_place() {
    let setup = Setup::new("agents:\n  coder: {adapter: command, command: [no-such-program]}\n").await;
    setup.work(&json!({ "stage": "Implement" }));
    let run = setup.env.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("no-such-program"), "{run}");
    assert!(setup.worktree().is_dir());
}

#[tokio::test(flavor = "multi_thread")]
async fn work_on_a_branch_that_somebody_else_moved_is_kept_on_the_remote() {
    let script = "scenes: [{do: [{append: {path: mine.txt, text: x}}, {commit: mine}, {run: [bash, ../../../../move.sh]}, {marker: complete}]}]\n";
    let setup = Setup::with_script(script).await;
    let address = setup.repo.address(TOKEN);
    let theirs = format!(
        "set -e\nunset GIT_ASKPASS\nrm -rf theirs && git clone -q {address} theirs\ncd theirs\n\
         git checkout -q -B baton/issue-1\necho theirs > theirs.txt\ngit add .\n\
         git -c user.name=t -c user.email=t@t commit -qm theirs\ngit push -q -f origin baton/issue-1\n"
    );
    setup.env.write("move.sh", &format!("cd {}\n{theirs}", setup.env.work().display()));
    setup.work(&json!({ "stage": "Implement" }));
    let run = setup.env.runs().remove(0);
    assert!(run["error"].as_str().unwrap_or_default().contains("refs/baton/rescue/1/"), "{run}");
    assert_eq!(setup.messages().await[0], "theirs", "theirs stays");
    let refs = setup.repo.get("/git/matching-refs/baton/rescue/1/").await;
    assert_eq!(refs.as_array().unwrap().len(), 1, "{ISSUE}: {refs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_of_the_repository_is_not_taken_for_that_of_our_context() {
    let setup = Setup::with_script(IDLE).await;
    setup.repo.commit("main", ".baton-context/mine.md", "x").await;
    setup.work(&json!({ "stage": "Implement" }));
    let run = setup.env.runs().remove(0);
    assert!(run["error"].as_str().unwrap().contains("`.baton-context` of its own"), "{run}");
    assert!(setup.worktree().join(".baton-context/mine.md").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nobodys_fault_waits_and_tells_its_reason() {
    let setup = Setup::with_script(IDLE).await;
    setup.env.write(".baton/state/homes", "in the way");
    setup.work(&json!({ "stage": "Implement" }));
    let run = setup.env.runs().remove(0);
    assert_eq!(run["cause"], "not_ready", "{run}");
    assert!(run["error"].as_str().unwrap().contains("homes"), "{run}");
}
