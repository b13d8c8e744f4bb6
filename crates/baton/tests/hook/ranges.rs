//! Which commits are looked at, and which words in them count.

use serde_json::json;

use crate::hook::World;

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_close_nothing_cost_no_request() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("See #1, and prefixes #1");
    world.calls().await;
    world.push(&["origin", "topic"]).passed(&[]);
    assert_eq!(world.calls().await, 0);
    // The measure itself measures.
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).refused(&[]);
    assert!(world.calls().await > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_counts_in_every_form_and_anywhere_in_a_line() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    let address = format!("Resolved {}/admin/web/issues/1", world.forge.url);
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
        world.git(&["checkout", "-q", "-B", "topic", "origin/main"]);
        world.commit(message);
        world.commit("on top of it");
        let refused = world.push(&["origin", "topic"]);
        assert!(
            refused.code != 0 && refused.err.contains("#1 is held by lucius"),
            "{message:?}: {refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_commits_that_are_new_over_there_count() {
    let world = World::new().await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
    world.claimed("web", 1).await;
    // Both on the branch that is there and on a new one.
    world.commit("more");
    world.push(&["origin", "topic"]).passed(&[]);
    world.git(&["checkout", "-q", "-b", "second"]);
    world.commit("and more");
    world.push(&["origin", "second"]).passed(&[]);
    world.commit("Closes #1 again");
    world.push(&["origin", "second"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_onto_what_others_have_pushed_is_not_held_against_anyone() {
    let world = World::new().await;
    world.commit("mine");
    world.push(&["origin", "topic"]).passed(&[]);
    world.git(&["checkout", "-q", "-b", "develop", "origin/main"]);
    world.commit("Closes #1");
    world.push(&["origin", "develop"]).passed(&[]);
    world.claimed("web", 1).await;
    world.git(&["checkout", "-q", "topic"]);
    world.git(&["rebase", "-q", "develop"]);
    world.push(&["--force", "origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_push_over_unknown_history_is_checked() {
    let world = World::new().await;
    world.pull("theirs", "no reference").await;
    let known = world.git(&["ls-remote", "origin", "refs/heads/theirs"]);
    let unknown = known.split_whitespace().next().unwrap();
    assert_ne!(world.run(&world.work, "git", &["cat-file", "-e", unknown], &[]).code, 0);
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    world.push(&["--force", "origin", "topic:theirs"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_ref_of_a_push_is_checked() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("nothing");
    world.git(&["checkout", "-q", "-b", "second", "origin/main"]);
    world.commit("Closes #1");
    world.push(&["origin", "topic", "second"]).refused(&["#1 is held by"]);
    assert!(!world.is_there("topic").await);
    world.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deletions_and_tags_are_not_checked() {
    let world = World::new().await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
    world.claimed("web", 1).await;
    world.push(&["origin", ":topic"]).passed(&[]);
    assert!(!world.is_there("topic").await);
    world.git(&["tag", "v1"]);
    world.git(&["tag", "-a", "v2", "-m", "Closes #1"]);
    world.push(&["origin", "v1", "v2"]).passed(&[]);
    world.push(&["origin", "topic"]).refused(&["#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_of_another_repository_is_looked_for_there() {
    let world = World::new().await;
    world.client.must("POST", "/user/repos", &json!({ "name": "api", "auto_init": true }), 201).await;
    world.client.must("POST", "/repos/admin/api/issues", &json!({ "title": "x" }), 201).await;
    world.claimed("api", 1).await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
    world.commit("Closes admin/api#1");
    world.push(&["origin", "topic"]).refused(&["admin/api#1 is held by"]);
    // A pull request of the repository at hand can close it as well.
    let release = "<!-- agent-release:codename=lucius firing_id=20260501-194217-643a outcome=failure -->";
    world.client.must("POST", "/repos/admin/api/issues/1/comments", &json!({ "body": release }), 201).await;
    world.pull("theirs", "Fixes admin/api#1").await;
    world.push(&["origin", "topic"]).refused(&["admin/api#1 has a pull request open: #2 by admin"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_means_the_repository_that_is_pushed_to() {
    let world = World::new().await;
    world.client.must("POST", "/user/repos", &json!({ "name": "api" }), 201).await;
    world.client.must("POST", "/repos/admin/api/issues", &json!({ "title": "x" }), 201).await;
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    world.git(&["remote", "add", "api", &world.address("api")]);
    world.push(&["api", "topic"]).passed(&[]);
    world.claimed("api", 1).await;
    world.push(&["api", "topic:again"]).passed(&[]);
    world.commit("Closes #1");
    world.push(&["api", "topic:again"]).refused(&["admin/api#1 is held by"]);
    // An address that no remote has is as good as a name.
    world.push(&[&world.address("api"), "topic:third"]).refused(&["admin/api#1 is held by"]);
    world.push(&["origin", "topic"]).refused(&["admin/web#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_into_a_directory_warns_about_numbers_without_a_repository() {
    let world = World::new().await;
    world.git(&["init", "-q", "--bare", "../mirror.git"]);
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    world.push(&["../mirror.git", "topic"]).passed(&["warning: #1 is not checked"]);
    world.commit("Closes admin/web#1");
    world.push(&["../mirror.git", "topic"]).refused(&["admin/web#1 is held by"]);
    world.git(&["config", "grep.patternType", "perl"]);
    world.git(&["config", "log.showSignature", "true"]);
    world.push(&["../mirror.git", "topic:second"]).refused(&["admin/web#1 is held by"]);
}
