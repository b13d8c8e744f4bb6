//! Servers that fail: what is repeated, what is not, and what a caller is told.

use baton_core::tracker::{Merge, RefAdvance};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::reads::pull_request;
use crate::github::{COMMENTS, Setup, issue, refused, repo};

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
        let setup = Setup::new().await;
        setup.fault("POST", "/comments", when, kind.clone(), 1).await;
        let before = setup.github.requests_sent();
        let error = refused(setup.github.post_comment(&issue(1), "x").await, TrackerErrorKind::Unclear);
        assert_eq!(error.tried, format!("POST {COMMENTS}"));
        assert_eq!(setup.github.requests_sent() - before, 1, "{when} {kind}");
        assert_eq!(setup.comments().await, made, "{when} {kind}");
        setup.github.post_comment(&issue(1), "y").await.expect("the fault struck once");
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
        let setup = Setup::new().await;
        let comment = setup.github.post_comment(&issue(1), "x").await.unwrap().value;
        setup.fault("DELETE", "/comments", when, kind, 1).await;
        setup.github.delete_comment(&repo(), comment.id).await.unwrap();
        assert_eq!(setup.comments().await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_and_refs_are_not_made_twice_either() {
    let setup = Setup::new().await;
    setup.fault("POST", "/issues", "after", json!({ "status": 502 }), 1).await;
    refused(setup.github.open_issue(&repo(), "second", "", &[]).await, TrackerErrorKind::Unclear);
    assert_eq!(setup.repo.get("/issues").await.as_array().unwrap().len(), 2);
    let oid = setup.github.write_commit(&repo(), "x", None).await.unwrap().value.oid;
    setup.fault("POST", "/git/refs", "after", json!("drop"), 1).await;
    refused(setup.github.create_ref(&repo(), CLAIM, &oid).await, TrackerErrorKind::Unclear);
    assert_eq!(setup.github.ref_tip(&repo(), CLAIM).await.unwrap().value.unwrap().oid, oid);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_are_repeated_until_they_succeed_or_the_attempts_end() {
    let setup = Setup::new().await;
    for kind in [json!({ "status": 500 }), json!({ "status": 502 }), json!("drop")] {
        setup.fault("GET", "/issues/1", "before", kind, 2).await;
        let before = setup.github.requests_sent();
        setup.github.issue(&issue(1)).await.unwrap();
        assert_eq!(setup.github.requests_sent() - before, 3);
    }
    setup.fault("GET", "/issues/1", "before", json!({ "status": 500 }), 9).await;
    let before = setup.github.requests_sent();
    refused(setup.github.issue(&issue(1)).await, TrackerErrorKind::Unavailable);
    assert_eq!(setup.github.requests_sent() - before, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_may_be_repeated_are_and_the_result_is_the_same() {
    let setup = Setup::new().await;
    let comment = setup.github.post_comment(&issue(1), "x").await.unwrap().value;
    for when in ["before", "after"] {
        for kind in [json!({ "status": 502 }), json!("drop")] {
            setup.fault("PATCH", "/comments", when, kind.clone(), 1).await;
            assert_eq!(setup.github.edit_comment(&repo(), comment.id, "y").await.unwrap().value.body, "y");
            setup.fault("POST", "/labels", when, kind.clone(), 1).await;
            assert_eq!(setup.github.add_labels(&issue(1), &["a"]).await.unwrap(), ["a"]);
            setup.fault("DELETE", "/labels", when, kind.clone(), 1).await;
            setup.github.remove_label(&issue(1), "a").await.unwrap();
            setup.fault("POST", "/git/commits", when, kind, 1).await;
            setup.github.write_commit(&repo(), "x", None).await.unwrap();
        }
    }
    assert_eq!(setup.comments().await, 1);
    setup.fault("PATCH", "/comments", "after", json!("drop"), 9).await;
    let edited = setup.github.edit_comment(&repo(), comment.id, "z").await;
    refused(edited, TrackerErrorKind::Unclear);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_moved_without_an_answer_is_found_moved() {
    let setup = Setup::new().await;
    let first = setup.github.write_commit(&repo(), "1", None).await.unwrap().value.oid;
    let second = setup.github.write_commit(&repo(), "2", Some(&first)).await.unwrap().value.oid;
    setup.github.create_ref(&repo(), CLAIM, &first).await.unwrap();
    setup.fault("PATCH", "/git/refs", "after", json!("drop"), 1).await;
    let advanced = setup.github.advance_ref(&repo(), CLAIM, &second).await.unwrap();
    assert_eq!(advanced, RefAdvance::Advanced);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_was_overtaken_after_a_lost_answer_is_unclear() {
    let setup = Setup::new().await;
    let first = setup.github.write_commit(&repo(), "1", None).await.unwrap().value.oid;
    let rival = setup.github.write_commit(&repo(), "2", Some(&first)).await.unwrap().value.oid;
    let mine = setup.github.write_commit(&repo(), "3", Some(&first)).await.unwrap().value.oid;
    setup.github.create_ref(&repo(), CLAIM, &first).await.unwrap();
    setup.github.advance_ref(&repo(), CLAIM, &rival).await.unwrap();
    // Nobody can tell from the second answer alone that the first attempt did nothing.
    setup.fault("PATCH", "/git/refs", "before", json!({ "status": 500 }), 1).await;
    refused(setup.github.advance_ref(&repo(), CLAIM, &mine).await, TrackerErrorKind::Unclear);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_whose_answer_was_lost_is_told_as_merged() {
    let setup = Setup::new().await;
    let number = pull_request(&setup, "topic").await;
    let head = setup.github.pull(&repo(), number).await.unwrap().head_sha;
    setup.fault("PUT", "/merge", "after", json!("drop"), 1).await;
    let Merge::Merged(commit) = setup.github.merge_pull(&repo(), number, &head).await.unwrap() else {
        panic!("not merged");
    };
    assert_eq!(setup.repo.get("/git/ref/heads/main").await["object"]["sha"], json!(commit));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_defined_without_an_answer_is_as_defined() {
    let setup = Setup::new().await;
    let label = baton_core::tracker::LabelDefinition {
        name: "agent:done".into(),
        color: "0e8a16".into(),
        description: "finished".into(),
    };
    setup.fault("POST", "/labels", "after", json!({ "status": 500 }), 1).await;
    setup.github.define_label(&repo(), &label, false).await.unwrap();
    assert!(setup.github.label_definitions(&repo()).await.unwrap().contains(&label));
}
