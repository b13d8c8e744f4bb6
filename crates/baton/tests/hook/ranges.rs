//! Which commits are looked at, and which words in them count.

use baton_fixtures::TOKEN;
use serde_json::json;

use crate::hook::{PushOutput as _, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_close_nothing_cost_no_request() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("See #1, and prefixes #1");
    setup.calls().await;
    setup.push(&["origin", "topic"]).passed(&[]);
    assert_eq!(setup.calls().await, 0);
    // The measure itself measures.
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).refused(&[]);
    assert!(setup.calls().await > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_counts_in_every_form_and_anywhere_in_a_line() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    let address = format!("Resolved {}/admin/web/issues/1", setup.forge.url);
    for message in [
        "Closes: #1",
        "fix #1",
        "This change FIXED #1, I hope",
        "- closes #1",
        "Work\n\nIt resolves admin/web#1.",
        "Resolve Admin/Web#1",
        "Work (closes #1)",
        &address,
    ] {
        setup.git(&["checkout", "-q", "-B", "topic", "origin/main"]);
        setup.commit(message);
        setup.commit("on top of it");
        let refused = setup.push(&["origin", "topic"]);
        assert!(
            refused.code != 0 && refused.err.contains("#1 is held by lucius"),
            "{message:?}: {refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_commits_that_are_new_over_there_count() {
    let setup = Setup::new().await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.claimed("web", 1).await;
    // Both on the branch that is there and on a new one.
    setup.commit("more");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.git(&["checkout", "-q", "-b", "second"]);
    setup.commit("and more");
    setup.push(&["origin", "second"]).passed(&[]);
    setup.commit("Closes #1 again");
    setup.push(&["origin", "second"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_onto_what_others_have_pushed_is_not_held_against_anyone() {
    let setup = Setup::new().await;
    setup.commit("mine");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.git(&["checkout", "-q", "-b", "develop", "origin/main"]);
    setup.commit("Closes #1");
    setup.push(&["origin", "develop"]).passed(&[]);
    setup.claimed("web", 1).await;
    setup.git(&["checkout", "-q", "topic"]);
    setup.git(&["rebase", "-q", "develop"]);
    setup.push(&["--force", "origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_push_over_unknown_history_is_checked() {
    let setup = Setup::new().await;
    setup.pull("theirs", "no reference").await;
    let known = setup.git(&["ls-remote", "origin", "refs/heads/theirs"]);
    let unknown = known.split_whitespace().next().unwrap();
    assert_ne!(setup.run_in(&setup.env.work(), "git", &["cat-file", "-e", unknown]).code, 0);
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    setup.push(&["--force", "origin", "topic:theirs"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_ref_of_a_push_is_checked() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("nothing");
    setup.git(&["checkout", "-q", "-b", "second", "origin/main"]);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic", "second"]).refused(&["#1 is held by"]);
    assert!(!setup.is_there("topic").await);
    setup.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deletions_and_tags_are_not_checked() {
    let setup = Setup::new().await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.claimed("web", 1).await;
    setup.push(&["origin", ":topic"]).passed(&[]);
    assert!(!setup.is_there("topic").await);
    setup.git(&["tag", "v1"]);
    setup.git(&["tag", "-a", "v2", "-m", "Closes #1"]);
    setup.push(&["origin", "v1", "v2"]).passed(&[]);
    setup.push(&["origin", "topic"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_of_another_repository_is_looked_for_there() {
    let setup = Setup::new().await;
    setup.forge.repo("api").await;
    setup.forge.at("api").issue("x", &[]).await;
    setup.claimed("api", 1).await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.commit("Closes admin/api#1");
    setup.push(&["origin", "topic"]).refused(&["admin/api#1 is held by"]);
    // A pull request of the repository at hand can close it as well.
    let release = "<!-- agent-release:codename=lucius firing_id=20260501-194217-643a outcome=failure -->";
    setup.forge.at("api").comment(1, release).await;
    setup.pull("theirs", "Fixes admin/api#1").await;
    setup.push(&["origin", "topic"]).refused(&["admin/api#1 has a pull request open: #2 by admin"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_means_the_repository_that_is_pushed_to() {
    let setup = Setup::new().await;
    setup.forge.admin.must("POST", "/user/repos", &json!({ "name": "api" }), 201).await;
    setup.forge.at("api").issue("x", &[]).await;
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    setup.git(&["remote", "add", "api", &setup.forge.at("api").address(TOKEN)]);
    setup.push(&["api", "topic"]).passed(&[]);
    setup.claimed("api", 1).await;
    setup.push(&["api", "topic:again"]).passed(&[]);
    setup.commit("Closes #1");
    setup.push(&["api", "topic:again"]).refused(&["admin/api#1 is held by"]);
    // An address that no remote has is as good as a name.
    setup.push(&[&setup.forge.at("api").address(TOKEN), "topic:third"]).refused(&["admin/api#1 is held by"]);
    setup.push(&["origin", "topic"]).refused(&["admin/web#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_into_a_directory_warns_about_numbers_without_a_repository() {
    let setup = Setup::new().await;
    setup.git(&["init", "-q", "--bare", "../mirror.git"]);
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    setup.push(&["../mirror.git", "topic"]).passed(&["warning: #1 is not checked"]);
    setup.commit("Closes admin/web#1");
    setup.push(&["../mirror.git", "topic"]).refused(&["admin/web#1 is held by"]);
    setup.git(&["config", "grep.patternType", "perl"]);
    setup.git(&["config", "log.showSignature", "true"]);
    setup.push(&["../mirror.git", "topic:second"]).refused(&["admin/web#1 is held by"]);
}
