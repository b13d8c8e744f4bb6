//! The same relay in Fabrik's words.

use crate::relay::scripts::script_in;
use crate::relay::world::{Setup, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_speaks_fabrik_has_its_labels_markers_and_directories() {
    let setup = Setup {
        yaml: "yolo: true\ndialect: fabrik\n",
        stages_dir: ".fabrik/stages",
        script: script_in(
            "fabrik",
            &[(
                "stage: Build, job: stage",
                &["sleep: 1s", "write: {path: a, text: a}", "commit: a", "marker: complete"],
            )],
        ),
        ..Setup::default()
    };
    let world = World::running(setup).await;
    let issue = world.issue("In other words", &["stage:Plan", "fabrik:yolo"]).await;
    let is_held = |facts: &crate::relay::world::Facts| {
        facts.has("fabrik:locked:ann") && facts.has("stage:Build:in_progress")
    };
    world.until_issue(issue, "it is locked", is_held).await;
    let tree = world.path(&format!(".fabrik/worktrees/admin-web/issue-{issue}"));
    assert!(tree.exists(), "{}", tree.display());
    let is_over = |facts: &crate::relay::world::Facts| {
        !facts.is_open && facts.has("stage:Done:complete") && facts.is_clean()
    };
    let facts = world.until_issue(issue, "it is done", is_over).await;
    let pull = world.pull_from("web", &format!("fabrik/issue-{issue}")).await.unwrap();
    assert!(!pull["merged_at"].is_null(), "{pull}");
    assert!(
        facts.labels.iter().all(|label| !label.starts_with("baton:") && !label.starts_with("agent:")),
        "{facts:?}"
    );
    assert!(facts.comments.iter().all(|comment| comment.starts_with("🏭 **Fabrik")), "{facts:#?}");
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    world.until("the work tree is gone", async |_| (!tree.exists()).then_some(())).await;
    world.end().await;
}
