//! The hidden mark: copies of it are removed, and nobody else's is taken for one's own.

use baton_engine::outbox::Performed;
use baton_fixtures::TOKEN;
use baton_ports::Tracker as _;
use serde_json::json;

use crate::outbox::effects::{MemoryEffects, comment};
use crate::outbox::setup::Setup;

fn posts() -> serde_json::Value {
    json!({ "method": "POST", "path_contains": "/comments" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_copy_of_a_mark_is_removed_and_the_first_stays() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("once")]).await;
    let github = setup.github(TOKEN);
    let outbox = memory.free(github.clone());
    setup.forge.fault(posts(), "after", json!("drop"), 0, Some(1)).await;
    memory.perform_due(&outbox).await;
    let first = github.comments(&issue, None).await.unwrap().value.remove(0);
    // Somebody who was taken for dead says the same after all, behind a page of other comments.
    for _ in 0..101 {
        github.post_comment(&issue, "me too").await.unwrap();
    }
    github.post_comment(&issue, &first.body).await.unwrap();
    let performed = memory.perform_all(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_)]), "{performed:?}");
    let all = github.comments(&issue, None).await.unwrap().value;
    let marked: Vec<_> = all.iter().filter(|comment| comment.body == first.body).map(|it| it.id).collect();
    assert_eq!(marked, [first.id]);
    assert_eq!(all.len(), 102);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_that_others_wrote_is_not_taken_for_ones_own() {
    let setup = Setup::new().await;
    let (memory, issue) = (MemoryEffects::new().await, setup.issue().await);
    memory.effects.decide(&issue, vec![comment("said")]).await;
    let outbox = memory.free(setup.github(TOKEN));
    setup.forge.fault(posts(), "before", json!("drop"), 0, Some(1)).await;
    memory.perform_due(&outbox).await;
    let id = memory.effects.of(&issue).await[0].id;
    let stranger = setup.github(&setup.account("stranger", "write").await);
    let mark = baton_core::slot::effect::marker(id);
    stranger.post_comment(&issue, &format!("said\n\n{mark}")).await.unwrap();
    memory.perform_all(&outbox).await;
    let authors: Vec<_> = setup.said(&issue).await.into_iter().map(|(author, _)| author).collect();
    assert_eq!(authors, ["stranger", "admin"]);
}
