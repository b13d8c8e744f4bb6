//! Merges: of the head that was meant, and once.

use baton_core::slot::effect::Deed;
use baton_core::tracker::PullState;
use baton_engine::outbox::Performed;
use baton_ports::Tracker as _;
use serde_json::json;

use crate::outbox::desk::MemoryDesk;
use crate::outbox::world::{REPO, World};
use crate::support::TOKEN;

async fn pull_request(world: &World, branch: &str) -> (u64, String) {
    let main = world.get("/git/ref/heads/main").await["object"]["sha"].clone();
    world.post("/git/refs", json!({ "ref": format!("refs/heads/{branch}"), "sha": main })).await;
    push(world, branch, "one", 201).await;
    let pull = world.post("/pulls", json!({ "title": branch, "head": branch, "base": "main" })).await;
    (pull["number"].as_u64().unwrap(), pull["head"]["sha"].as_str().unwrap().to_owned())
}

async fn push(world: &World, branch: &str, name: &str, status: u16) {
    let file = json!({ "message": "more", "content": "bW9yZQ==", "branch": branch });
    let path = format!("/repos/{REPO}/contents/{branch}-{name}.txt");
    world.admin.must("PUT", &path, &file, status).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_whose_answers_are_lost_is_found_by_its_flag() {
    let world = World::new().await;
    let issue = world.issue().await;
    for (branch, when) in [("a", "before"), ("b", "after")] {
        let memory = MemoryDesk::new().await;
        let (number, head_sha) = pull_request(&world, branch).await;
        memory.desk.decide(&issue, vec![Deed::MergePull { number, head_sha }]).await;
        let github = world.github(TOKEN);
        // So often that the client's own repetitions end without an answer too.
        world.fault(json!({ "method": "PUT" }), when, json!("drop"), 0, 4).await;
        let performed = memory.perform_all(&memory.free(github.clone())).await;
        assert!(
            matches!(&performed[..], [Performed::Later(..), Performed::Done(_)]),
            "{when}: {performed:?}"
        );
        world.calm().await;
        assert_eq!(github.pull(&issue.repo, number).await.unwrap().state, PullState::Merged);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_whose_head_moved_is_not_merged_and_the_effect_is_dead() {
    let world = World::new().await;
    let (memory, issue) = (MemoryDesk::new().await, world.issue().await);
    let (number, head_sha) = pull_request(&world, "moving").await;
    push(&world, "moving", "two", 201).await;
    memory.desk.decide(&issue, vec![Deed::MergePull { number, head_sha: head_sha.clone() }]).await;
    let github = world.github(TOKEN);
    let performed = memory.perform_due(&memory.free(github.clone())).await;
    assert!(matches!(&performed[..], [Performed::Dead(_, why)] if why.contains(&head_sha)), "{performed:?}");
    assert_eq!(github.pull(&issue.repo, number).await.unwrap().state, PullState::Open);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_somebody_else_merged_as_it_was_is_done() {
    let world = World::new().await;
    let (memory, issue) = (MemoryDesk::new().await, world.issue().await);
    let (number, head_sha) = pull_request(&world, "quick").await;
    let github = world.github(TOKEN);
    github.merge_pull(&issue.repo, number, &head_sha).await.unwrap();
    memory.desk.decide(&issue, vec![Deed::MergePull { number, head_sha }]).await;
    let performed = memory.perform_due(&memory.free(github)).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
}
