//! The same relay in Fabrik's words.

use crate::relay::scripts::script_in;
use crate::relay::setup::{Facts, Relay, Setup, pull_from};

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_speaks_fabrik_has_its_labels_markers_and_directories() {
    let setup = Setup {
        yaml: "yolo: true\ndialect: fabrik\n",
        stages_dir: ".fabrik/stages",
        script: script_in(
            "fabrik",
            &[(
                "stage: Build, job: stage",
                &["sleep: 5s", "write: {path: a, text: a}", "commit: a", "marker: complete"],
            )],
        ),
        ..Setup::default()
    };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("In other words", &["stage:Plan", "fabrik:yolo"]).await;
    let is_held = |facts: &Facts| facts.has("fabrik:locked:ann") && facts.has("stage:Build:in_progress");
    relay.until_issue(issue, "it is locked", is_held).await;
    let tree = relay.env.path(&format!(".fabrik/worktrees/admin-web/issue-{issue}"));
    assert!(tree.exists(), "{}", tree.display());
    let is_over = |facts: &Facts| !facts.is_open && facts.has("stage:Done:complete") && facts.is_clean();
    let facts = relay.until_issue(issue, "it is done", is_over).await;
    let pull = pull_from(&relay.repo, &format!("fabrik/issue-{issue}")).await.unwrap();
    assert!(!pull["merged_at"].is_null(), "{pull}");
    assert!(
        facts.labels.iter().all(|label| !label.starts_with("baton:") && !label.starts_with("agent:")),
        "{facts:?}"
    );
    assert!(facts.comments.iter().all(|comment| comment.starts_with("🏭 **Fabrik")), "{facts:#?}");
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.until("the work tree is gone", async || (!tree.exists()).then_some(())).await;
    relay.end().await;
}
