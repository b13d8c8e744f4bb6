//! A run that goes well: a place, a prompt, work, and a pushed branch.

use serde_json::json;

use crate::legs::setup::{BODY, Setup};

const IMPLEMENT: &str = "scenes:
  - when: {stage: Implement}
    do:
      - write: {path: button.txt, text: 'issue {{ number }}'}
      - commit: 'feat: a button for {{ issue }}'
      - write: {path: left.txt, text: forgotten}
      - say: I have made the button.
      - marker: complete
  - do: [{say: nothing to do here}]
";

#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_a_stage_is_on_its_branch_of_the_forge() {
    let setup = Setup::with_script(IMPLEMENT).await;
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    assert_eq!(setup.last_run()["status"], "succeeded", "{:?}", setup.last_run());
    assert_eq!(setup.file("button.txt").await.as_deref(), Some("issue 1"));
    let messages = setup.messages().await;
    assert_eq!(messages[0], "chore: keep what the Implement stage left uncommitted");
    assert_eq!(messages[1], "feat: a button for admin/web#1");
    assert_eq!(setup.file("left.txt").await.as_deref(), Some("forgotten"));
    assert_eq!(setup.file(".baton-context/issue.md").await, None);
    assert!(setup.worktree().join(".baton-context/issue.md").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_word_leaves_its_work_as_partial() {
    let script = "scenes: [{do: [{write: {path: half.txt, text: half}}, {say: I stop here.}]}]\n";
    let setup = Setup::with_script(script).await;
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    let messages = setup.messages().await;
    assert_eq!(messages[0], "chore: partial Implement stage progress (incomplete)");
    assert_eq!(setup.file("half.txt").await.as_deref(), Some("half"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_shows_the_issue_as_material_and_never_reads_it_as_a_template() {
    let agents = "agents:\n  coder: {adapter: command, command: [bash, -c, 'cat > ../../../../prompt.md; echo done']}\n";
    let setup = Setup::new(agents).await;
    setup.work(&json!({ "stage": "Plan" })).exits(0);
    assert_eq!(setup.last_run()["status"], "succeeded", "{:?}", setup.last_run());
    let prompt = setup.env.read("prompt.md");
    assert!(prompt.contains("The button says {{ 7*7 }}.") && !prompt.contains("says 49"), "{prompt}");
    let block = prompt.split("````data: text of issue #1 by admin\n").nth(1).unwrap();
    let text = block.split("\n````\n").next().unwrap();
    assert_eq!(text, BODY.trim_end(), "the text cannot close the fence that it is in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_only_reads_leaves_files_and_the_branch_alone() {
    let script = "scenes:
  - when: {stage: Plan}
    do: [{write: {path: stray.txt, text: x}}, {commit: stray}, {write: {path: other.txt, text: y}}, {marker: complete}]
  - do: [{write: {path: kept.txt, text: z}}]
";
    let setup = Setup::with_script(script).await;
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    let before = setup.messages().await;
    setup.work(&json!({ "stage": "Plan" })).exits(0);
    assert_eq!(setup.last_run()["status"], "succeeded", "{:?}", setup.last_run());
    assert_eq!(setup.messages().await, before);
    let tree = setup.worktree();
    assert!(
        tree.join("kept.txt").is_file()
            && !tree.join("stray.txt").exists()
            && !tree.join("other.txt").exists()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_a_label_names_is_worked_from() {
    let setup = Setup::with_script(IMPLEMENT).await;
    let tip = setup.repo.tip("refs/heads/main").await;
    setup.repo.post("/git/refs", json!({ "ref": "refs/heads/release", "sha": tip })).await;
    setup.repo.commit("release", "release.txt", "x").await;
    setup.repo.label(1, "base:release").await;
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    assert_eq!(setup.file("release.txt").await.as_deref(), Some("x"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_wake_of_a_program_is_a_document_and_a_stage_is_a_prompt() {
    let agents = "agents:\n  coder: {adapter: command, command: [bash, -c, 'cat > ../../../../told; pwd']}\n";
    let setup = Setup::new(agents).await;
    setup.work(&json!({ "note": "hello" })).exits(0);
    let told: serde_json::Value = serde_json::from_str(&setup.env.read("told")).unwrap();
    assert_eq!((&told["issue"]["ref"], &told["context"]["note"]), (&json!("admin/web#1"), &json!("hello")));
    assert!(setup.log(1).contains("issue-1"), "{}", setup.log(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_in_a_sandbox_does_the_same_work() {
    let agents = "agents:\n  coder: {adapter: script, script: coder.yaml, sandbox: bubblewrap}\n";
    let setup = Setup::new(agents).await;
    let outside = setup.env.path("outside.txt");
    let script = IMPLEMENT.replace(
        "      - say: I have made",
        &format!("      - run: [bash, -c, 'touch {} || true']\n      - say: I have made", outside.display()),
    );
    setup.env.write("coder.yaml", &script);
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    assert_eq!(setup.last_run()["status"], "succeeded", "{:?}\n{}", setup.last_run(), setup.log(1));
    assert_eq!(setup.file("button.txt").await.as_deref(), Some("issue 1"));
    assert!(!outside.exists(), "it cannot write elsewhere");
}
