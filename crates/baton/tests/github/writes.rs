//! What is written: comments, issues, labels and merges, right and wrong.

use baton_core::tracker::{LabelDefinition, Merge, PullState};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::reads::pull_request;
use crate::github::{World, issue, refused, repo};

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_posted_and_edited() {
    let world = World::new().await;
    let posted = world.github.post_comment(&issue(1), "<!-- claim -->\nhello").await.unwrap();
    assert_eq!(posted.value.author.login, "admin");
    assert!(posted.date >= posted.value.created_at);
    let edited = world.github.edit_comment(&repo(), posted.value.id, "later").await.unwrap().value;
    assert_eq!((edited.id, edited.body.as_str()), (posted.value.id, "later"));
    assert_eq!(world.github.comments(&issue(1), None).await.unwrap().value, [edited]);
    refused(world.github.post_comment(&issue(99), "x").await, TrackerErrorKind::NotFound);
    refused(world.github.post_comment(&issue(1), "").await, TrackerErrorKind::Invalid);
    refused(world.github.edit_comment(&repo(), 999_999, "x").await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_deleted_and_one_that_is_gone_is_fine() {
    let world = World::new().await;
    let first = world.github.post_comment(&issue(1), "first").await.unwrap().value;
    let second = world.github.post_comment(&issue(1), "second").await.unwrap().value;
    for _ in 0..2 {
        world.github.delete_comment(&repo(), second.id).await.unwrap();
        assert_eq!(world.github.comments(&issue(1), None).await.unwrap().value, std::slice::from_ref(&first));
    }
    let reader = world.second("reader", "read");
    refused(reader.delete_comment(&repo(), first.id).await, TrackerErrorKind::Forbidden);
    assert_eq!(world.comments().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_is_told_so() {
    let world = World::new().await;
    let reader = world.second("reader", "read");
    let error = refused(reader.post_comment(&issue(1), "x").await, TrackerErrorKind::Forbidden);
    assert!(error.answer.contains("not accessible"), "{error}");
    assert_eq!(world.comments().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_opened_with_labels_and_closed() {
    let world = World::new().await;
    let number = world.github.open_issue(&repo(), "new", "text", &["a"]).await.unwrap();
    let opened = world.github.issue(&issue(number)).await.unwrap().value;
    assert_eq!((opened.title.as_str(), opened.labels, opened.is_open), ("new", vec!["a".to_owned()], true));
    for _ in 0..2 {
        world.github.close_issue(&issue(number)).await.unwrap();
        assert!(!world.github.issue(&issue(number)).await.unwrap().value.is_open);
    }
    refused(world.github.open_issue(&repo(), "", "", &[]).await, TrackerErrorKind::Invalid);
    refused(world.github.close_issue(&issue(99)).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_added_and_removed_whatever_their_names() {
    let world = World::new().await;
    let names = ["agent:in-flight", "needs/human scope?", "é#100%"];
    let mut all = world.github.add_labels(&issue(1), &names).await.unwrap();
    all.sort();
    assert_eq!(all, names);
    for name in names {
        world.github.remove_label(&issue(1), name).await.unwrap();
        world.github.remove_label(&issue(1), name).await.expect("one that is not there is fine");
    }
    assert!(world.github.issue(&issue(1)).await.unwrap().value.labels.is_empty());
    world.github.remove_label(&issue(1), "never heard of").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_would_remove_all_labels_is_refused_here() {
    let world = World::new().await;
    world.github.add_labels(&issue(1), &["a", "b"]).await.unwrap();
    let before = world.github.requests_sent();
    for name in ["", ".", ".."] {
        refused(world.github.remove_label(&issue(1), name).await, TrackerErrorKind::Invalid);
    }
    assert_eq!(world.github.requests_sent(), before, "nothing was sent");
    assert_eq!(world.github.issue(&issue(1)).await.unwrap().value.labels.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_defined_and_changed_whoever_came_first() {
    let world = World::new().await;
    let label = |color: &str| LabelDefinition {
        name: "agent:done".into(),
        color: color.into(),
        description: "finished".into(),
    };
    // Whether it exists is what the caller saw a moment ago, and may be wrong by now.
    for (color, exists) in [("0e8a16", false), ("aaaaaa", true), ("bbbbbb", false)] {
        world.github.define_label(&repo(), &label(color), exists).await.unwrap();
        let defined = world.github.label_definitions(&repo()).await.unwrap();
        assert!(defined.contains(&label(color)), "{defined:?}");
    }
    refused(world.github.define_label(&repo(), &label("red"), false).await, TrackerErrorKind::Invalid);
    let other = LabelDefinition { name: "none".into(), ..label("0e8a16") };
    refused(world.github.define_label(&repo(), &other, true).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_merged_only_at_the_head_that_was_meant() {
    let world = World::new().await;
    let number = pull_request(&world, "topic").await;
    let main = world.get("/git/ref/heads/main").await["object"]["sha"].as_str().unwrap().to_owned();
    assert_eq!(world.github.merge_pull(&repo(), number, &main).await.unwrap(), Merge::HeadMoved);
    let head = world.github.pull(&repo(), number).await.unwrap().head_sha;
    let Merge::Merged(commit) = world.github.merge_pull(&repo(), number, &head).await.unwrap() else {
        panic!("not merged");
    };
    assert_eq!(world.get("/git/ref/heads/main").await["object"]["sha"], json!(commit));
    assert_eq!(world.github.pull(&repo(), number).await.unwrap().state, PullState::Merged);
    let again = world.github.merge_pull(&repo(), number, &head).await.unwrap();
    assert_eq!(again, Merge::NotMergeable("Pull Request is not mergeable".into()));
    refused(world.github.merge_pull(&repo(), 99, &head).await, TrackerErrorKind::NotFound);
}
