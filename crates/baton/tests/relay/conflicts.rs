//! A base branch that moves under an issue.

use crate::relay::scripts::{BUILD, DONE, PLAN, StageFile, VALIDATE, script};
use crate::relay::setup::{Relay, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_with_the_base_sends_the_agent_back_to_rebase() {
    let builds = (
        "stage: Build, job: stage",
        &["write: {path: shared.md, text: ours}", "commit: 'docs: ours'", "marker: complete"][..],
    );
    let rebases = (
        "job: rebase",
        &["run: [git, merge, -X, ours, --no-edit, origin/main]", "say: Merged.", "marker: complete"][..],
    );
    let more = format!("{}\nauto_advance: false", BUILD.2);
    let still: StageFile<'_> = (BUILD.0, BUILD.1, &more);
    let setup = Setup {
        script: script(&[builds, rebases]),
        stages: &[PLAN, still, VALIDATE, DONE],
        ..Setup::default()
    };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("In the way", &["stage:Plan"]).await;
    relay.until_issue(issue, "Build is complete", |facts| facts.has("stage:Build:complete")).await;
    relay.repo.commit("main", "shared.md", "theirs").await;
    relay.move_by_hand(issue, "Build", "Validate").await;
    let facts = relay.until_done(issue).await;
    assert!(!facts.has("baton:rebase-needed"));
    let deeds = relay.diary().deeds(issue);
    assert_eq!(deeds, ["Plan stage", "Build stage", "Validate stage", "Validate rebase"]);
    assert_eq!(relay.repo.file("main", "shared.md").await.as_deref(), Some("ours"));
    relay.end().await;
}
