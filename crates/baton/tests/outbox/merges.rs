//! Merges: of the head that was meant, and once.

use baton_core::slot::effect::Deed;
use baton_core::tracker::PullState;
use baton_engine::outbox::Performed;
use baton_fixtures::TOKEN;
use baton_ports::Tracker as _;
use serde_json::json;

use crate::outbox::effects::MemoryEffects;
use crate::outbox::setup::Setup;

async fn pull_request(setup: &Setup, branch: &str) -> (u64, String) {
    let main = setup.repo.get("/git/ref/heads/main").await["object"]["sha"].clone();
    setup.repo.post("/git/refs", json!({ "ref": format!("refs/heads/{branch}"), "sha": main })).await;
    push(setup, branch, "one").await;
    let pull = setup.repo.post("/pulls", json!({ "title": branch, "head": branch, "base": "main" })).await;
    (pull["number"].as_u64().unwrap(), pull["head"]["sha"].as_str().unwrap().to_owned())
}

async fn push(setup: &Setup, branch: &str, name: &str) {
    let file = json!({ "message": "more", "content": "bW9yZQ==", "branch": branch });
    setup.repo.send("PUT", &format!("/contents/{branch}-{name}.txt"), file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_whose_answers_are_lost_is_found_by_its_flag() {
    let setup = Setup::new().await;
    let issue = setup.issue().await;
    for (branch, when) in [("a", "before"), ("b", "after")] {
        let memory = MemoryEffects::new().await;
        let (number, head_sha) = pull_request(&setup, branch).await;
        memory.effects.decide(&issue, vec![Deed::MergePull { number, head_sha }]).await;
        let github = setup.github(TOKEN);
        // So often that the client's own repetitions end without an answer too.
        setup.forge.fault(json!({ "method": "PUT" }), when, json!("drop"), 0, Some(4)).await;
        let performed = memory.perform_all(&memory.free(github.clone())).await;
        assert!(
            matches!(&performed[..], [Performed::Later(..), Performed::Done(_)]),
            "{when}: {performed:?}"
        );
        setup.forge.calm().await;
        assert_eq!(github.pull(&issue.repo, number).await.unwrap().state, PullState::Merged);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_whose_head_moved_is_not_merged_and_the_effect_is_dead() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    let (number, head_sha) = pull_request(&setup, "moving").await;
    push(&setup, "moving", "two").await;
    memory.effects.decide(&issue, vec![Deed::MergePull { number, head_sha: head_sha.clone() }]).await;
    let github = setup.github(TOKEN);
    let performed = memory.perform_due(&memory.free(github.clone())).await;
    assert!(matches!(&performed[..], [Performed::Dead(_, why)] if why.contains(&head_sha)), "{performed:?}");
    assert_eq!(github.pull(&issue.repo, number).await.unwrap().state, PullState::Open);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_somebody_else_merged_as_it_was_is_done() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    let (number, head_sha) = pull_request(&setup, "quick").await;
    let github = setup.github(TOKEN);
    github.merge_pull(&issue.repo, number, &head_sha).await.unwrap();
    memory.effects.decide(&issue, vec![Deed::MergePull { number, head_sha }]).await;
    let performed = memory.perform_due(&memory.free(github)).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
}
