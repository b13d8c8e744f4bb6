//! Servers that fail: what is repeated, what is not, and what a caller is told.

use baton_core::tracker::{Merge, RefAdvance};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::reads::pull_request;
use crate::github::{COMMENTS, World, issue, refused, repo};

const CLAIM: &str = "refs/baton/claims/1";

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_without_a_clear_answer_is_unclear_and_never_sent_twice() {
    for (when, kind, made) in [
        ("before", json!({ "status": 500 }), 0),
        ("before", json!({ "status": 502 }), 0),
        ("before", json!("drop"), 0),
        ("after", json!({ "status": 500 }), 1),
        ("after", json!({ "status": 503 }), 1),
        ("after", json!("drop"), 1),
    ] {
        let world = World::new().await;
        world.fault("POST", "/comments", when, kind.clone(), 1).await;
        let before = world.github.requests_sent();
        let error = refused(world.github.post_comment(&issue(1), "x").await, TrackerErrorKind::Unclear);
        assert_eq!(error.tried, format!("POST {COMMENTS}"));
        assert_eq!(world.github.requests_sent() - before, 1, "{when} {kind}");
        assert_eq!(world.comments().await, made, "{when} {kind}");
        world.github.post_comment(&issue(1), "y").await.expect("the fault struck once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_without_an_answer_is_repeated_and_finds_the_comment_gone() {
    for (when, kind) in [
        ("before", json!({ "status": 502 })),
        ("before", json!("drop")),
        ("after", json!({ "status": 502 })),
        ("after", json!("drop")),
    ] {
        let world = World::new().await;
        let comment = world.github.post_comment(&issue(1), "x").await.unwrap().value;
        world.fault("DELETE", "/comments", when, kind, 1).await;
        world.github.delete_comment(&repo(), comment.id).await.unwrap();
        assert_eq!(world.comments().await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_and_refs_are_not_made_twice_either() {
    let world = World::new().await;
    world.fault("POST", "/issues", "after", json!({ "status": 502 }), 1).await;
    refused(world.github.open_issue(&repo(), "second", "", &[]).await, TrackerErrorKind::Unclear);
    assert_eq!(world.get("/issues").await.as_array().unwrap().len(), 2);
    let oid = world.github.write_commit(&repo(), "x", None).await.unwrap().value.oid;
    world.fault("POST", "/git/refs", "after", json!("drop"), 1).await;
    refused(world.github.create_ref(&repo(), CLAIM, &oid).await, TrackerErrorKind::Unclear);
    assert_eq!(world.github.ref_tip(&repo(), CLAIM).await.unwrap().value.unwrap().oid, oid);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_are_repeated_until_they_succeed_or_the_attempts_end() {
    let world = World::new().await;
    for kind in [json!({ "status": 500 }), json!({ "status": 502 }), json!("drop")] {
        world.fault("GET", "/issues/1", "before", kind, 2).await;
        let before = world.github.requests_sent();
        world.github.issue(&issue(1)).await.unwrap();
        assert_eq!(world.github.requests_sent() - before, 3);
    }
    world.fault("GET", "/issues/1", "before", json!({ "status": 500 }), 9).await;
    let before = world.github.requests_sent();
    refused(world.github.issue(&issue(1)).await, TrackerErrorKind::Unavailable);
    assert_eq!(world.github.requests_sent() - before, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_may_be_repeated_are_and_the_result_is_the_same() {
    let world = World::new().await;
    let comment = world.github.post_comment(&issue(1), "x").await.unwrap().value;
    for when in ["before", "after"] {
        for kind in [json!({ "status": 502 }), json!("drop")] {
            world.fault("PATCH", "/comments", when, kind.clone(), 1).await;
            assert_eq!(world.github.edit_comment(&repo(), comment.id, "y").await.unwrap().value.body, "y");
            world.fault("POST", "/labels", when, kind.clone(), 1).await;
            assert_eq!(world.github.add_labels(&issue(1), &["a"]).await.unwrap(), ["a"]);
            world.fault("DELETE", "/labels", when, kind.clone(), 1).await;
            world.github.remove_label(&issue(1), "a").await.unwrap();
            world.fault("POST", "/git/commits", when, kind, 1).await;
            world.github.write_commit(&repo(), "x", None).await.unwrap();
        }
    }
    assert_eq!(world.comments().await, 1);
    world.fault("PATCH", "/comments", "after", json!("drop"), 9).await;
    let edited = world.github.edit_comment(&repo(), comment.id, "z").await;
    refused(edited, TrackerErrorKind::Unclear);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_moved_without_an_answer_is_found_moved() {
    let world = World::new().await;
    let first = world.github.write_commit(&repo(), "1", None).await.unwrap().value.oid;
    let second = world.github.write_commit(&repo(), "2", Some(&first)).await.unwrap().value.oid;
    world.github.create_ref(&repo(), CLAIM, &first).await.unwrap();
    world.fault("PATCH", "/git/refs", "after", json!("drop"), 1).await;
    let advanced = world.github.advance_ref(&repo(), CLAIM, &second).await.unwrap();
    assert_eq!(advanced, RefAdvance::Advanced);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_was_overtaken_after_a_lost_answer_is_unclear() {
    let world = World::new().await;
    let first = world.github.write_commit(&repo(), "1", None).await.unwrap().value.oid;
    let rival = world.github.write_commit(&repo(), "2", Some(&first)).await.unwrap().value.oid;
    let mine = world.github.write_commit(&repo(), "3", Some(&first)).await.unwrap().value.oid;
    world.github.create_ref(&repo(), CLAIM, &first).await.unwrap();
    world.github.advance_ref(&repo(), CLAIM, &rival).await.unwrap();
    // Nobody can tell from the second answer alone that the first attempt did nothing.
    world.fault("PATCH", "/git/refs", "before", json!({ "status": 500 }), 1).await;
    refused(world.github.advance_ref(&repo(), CLAIM, &mine).await, TrackerErrorKind::Unclear);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_whose_answer_was_lost_is_told_as_merged() {
    let world = World::new().await;
    let number = pull_request(&world, "topic").await;
    let head = world.github.pull(&repo(), number).await.unwrap().head_sha;
    world.fault("PUT", "/merge", "after", json!("drop"), 1).await;
    let Merge::Merged(commit) = world.github.merge_pull(&repo(), number, &head).await.unwrap() else {
        panic!("not merged");
    };
    assert_eq!(world.get("/git/ref/heads/main").await["object"]["sha"], json!(commit));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_defined_without_an_answer_is_as_defined() {
    let world = World::new().await;
    let label = baton_core::tracker::LabelDefinition {
        name: "agent:done".into(),
        color: "0e8a16".into(),
        description: "finished".into(),
    };
    world.fault("POST", "/labels", "after", json!({ "status": 500 }), 1).await;
    world.github.define_label(&repo(), &label, false).await.unwrap();
    assert!(world.github.label_definitions(&repo()).await.unwrap().contains(&label));
}
