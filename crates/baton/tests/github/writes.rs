//! What is written: comments, issues, labels and merges, right and wrong.

use baton_core::tracker::{LabelDefinition, Merge, PullState};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::reads::pull_request;
use crate::github::{Setup, issue, refused, repo};

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_posted_and_edited() {
    let setup = Setup::new().await;
    let posted = setup.github.post_comment(&issue(1), "<!-- claim -->\nhello").await.unwrap();
    assert_eq!(posted.value.author.login, "admin");
    assert!(posted.date >= posted.value.created_at);
    let edited = setup.github.edit_comment(&repo(), posted.value.id, "later").await.unwrap().value;
    assert_eq!((edited.id, edited.body.as_str()), (posted.value.id, "later"));
    assert_eq!(setup.github.comments(&issue(1), None).await.unwrap().value, [edited]);
    refused(setup.github.post_comment(&issue(99), "x").await, TrackerErrorKind::NotFound);
    refused(setup.github.post_comment(&issue(1), "").await, TrackerErrorKind::Invalid);
    refused(setup.github.edit_comment(&repo(), 999_999, "x").await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_deleted_and_one_that_is_gone_is_fine() {
    let setup = Setup::new().await;
    let first = setup.github.post_comment(&issue(1), "first").await.unwrap().value;
    let second = setup.github.post_comment(&issue(1), "second").await.unwrap().value;
    for _ in 0..2 {
        setup.github.delete_comment(&repo(), second.id).await.unwrap();
        assert_eq!(setup.github.comments(&issue(1), None).await.unwrap().value, std::slice::from_ref(&first));
    }
    let reader = setup.second("reader", "read");
    refused(reader.delete_comment(&repo(), first.id).await, TrackerErrorKind::Forbidden);
    assert_eq!(setup.comments().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_is_told_so() {
    let setup = Setup::new().await;
    let reader = setup.second("reader", "read");
    let error = refused(reader.post_comment(&issue(1), "x").await, TrackerErrorKind::Forbidden);
    assert!(error.answer.contains("not accessible"), "{error}");
    assert_eq!(setup.comments().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_opened_with_labels_and_closed() {
    let setup = Setup::new().await;
    let number = setup.github.open_issue(&repo(), "new", "text", &["a"]).await.unwrap();
    let opened = setup.github.issue(&issue(number)).await.unwrap().value;
    assert_eq!((opened.title.as_str(), opened.labels, opened.is_open), ("new", vec!["a".to_owned()], true));
    for _ in 0..2 {
        setup.github.close_issue(&issue(number)).await.unwrap();
        assert!(!setup.github.issue(&issue(number)).await.unwrap().value.is_open);
    }
    refused(setup.github.open_issue(&repo(), "", "", &[]).await, TrackerErrorKind::Invalid);
    refused(setup.github.close_issue(&issue(99)).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_added_and_removed_whatever_their_names() {
    let setup = Setup::new().await;
    let names = ["agent:in-flight", "needs/human scope?", "é#100%"];
    let mut all = setup.github.add_labels(&issue(1), &names).await.unwrap();
    all.sort();
    assert_eq!(all, names);
    for name in names {
        setup.github.remove_label(&issue(1), name).await.unwrap();
        setup.github.remove_label(&issue(1), name).await.expect("one that is not there is fine");
    }
    assert!(setup.github.issue(&issue(1)).await.unwrap().value.labels.is_empty());
    setup.github.remove_label(&issue(1), "never heard of").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_would_remove_all_labels_is_refused_here() {
    let setup = Setup::new().await;
    setup.github.add_labels(&issue(1), &["a", "b"]).await.unwrap();
    let before = setup.github.requests_sent();
    for name in ["", ".", ".."] {
        refused(setup.github.remove_label(&issue(1), name).await, TrackerErrorKind::Invalid);
    }
    assert_eq!(setup.github.requests_sent(), before, "nothing was sent");
    assert_eq!(setup.github.issue(&issue(1)).await.unwrap().value.labels.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_defined_and_changed_whoever_came_first() {
    let setup = Setup::new().await;
    let label = |color: &str| LabelDefinition {
        name: "agent:done".into(),
        color: color.into(),
        description: "finished".into(),
    };
    // Whether it exists is what the caller saw a moment ago, and may be wrong by now.
    for (color, exists) in [("0e8a16", false), ("aaaaaa", true), ("bbbbbb", false)] {
        setup.github.define_label(&repo(), &label(color), exists).await.unwrap();
        let defined = setup.github.label_definitions(&repo()).await.unwrap();
        assert!(defined.contains(&label(color)), "{defined:?}");
    }
    refused(setup.github.define_label(&repo(), &label("red"), false).await, TrackerErrorKind::Invalid);
    let other = LabelDefinition { name: "none".into(), ..label("0e8a16") };
    refused(setup.github.define_label(&repo(), &other, true).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_merged_only_at_the_head_that_was_meant() {
    let setup = Setup::new().await;
    let number = pull_request(&setup, "topic").await;
    let main = setup.repo.get("/git/ref/heads/main").await["object"]["sha"].as_str().unwrap().to_owned();
    assert_eq!(setup.github.merge_pull(&repo(), number, &main).await.unwrap(), Merge::HeadMoved);
    let head = setup.github.pull(&repo(), number).await.unwrap().head_sha;
    let Merge::Merged(commit) = setup.github.merge_pull(&repo(), number, &head).await.unwrap() else {
        panic!("not merged");
    };
    assert_eq!(setup.repo.get("/git/ref/heads/main").await["object"]["sha"], json!(commit));
    assert_eq!(setup.github.pull(&repo(), number).await.unwrap().state, PullState::Merged);
    let again = setup.github.merge_pull(&repo(), number, &head).await.unwrap();
    assert_eq!(again, Merge::NotMergeable("Pull Request is not mergeable".into()));
    refused(setup.github.merge_pull(&repo(), 99, &head).await, TrackerErrorKind::NotFound);
}
