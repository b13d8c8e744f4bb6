//! What becomes of one pull request is told by the others.

use serde_json::json;

use crate::chain::setup::{REPOS, Setup, branch, execute, known};

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_sibling_shows_everywhere() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    setup.merge("api", "login").await;
    setup.forge.clear_meter().await;
    env.run_async(&["chain", "status", "login"]).await.exits(0).says("admin/api#1  merged");
    assert_eq!(setup.writes().await, 0, "a status changes nothing on the tracker");
    assert_eq!(known(&env, "login")["parts"][0]["status"]["is"], "merged");
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
    for repo in ["web", "docs"] {
        assert!(setup.body(repo, "login").await.contains("1. ✅ [admin/api#1]("), "{repo}");
    }
    let own = setup.body("api", "login").await;
    assert!(own.contains("1. ✅ admin/api (this one), merged"), "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sibling_that_a_person_closed_is_not_opened_again() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    setup.edit("web", "login", json!({ "state": "closed" })).await;
    env.run_async(&["chain", "execute", "login"]).await.exits(1).says("admin/web#1  closed without a merge");
    assert!(setup.body("docs", "login").await.contains("❌ [admin/web#1]("));
    let stranger = setup.env();
    stranger.run_async(&execute("login")).await.exits(1).says("admin/web#1  closed without a merge");
    setup.edit("web", "login", json!({ "state": "open" })).await;
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
    assert!(setup.body("docs", "login").await.contains("☐ [admin/web#1]("));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_was_merged_long_ago_does_not_stand_in_for_a_new_one() {
    let setup = Setup::with_branches("login").await;
    setup.env().run_async(&execute("login")).await.exits(0);
    for repo in REPOS {
        setup.merge(repo, "login").await;
        setup.push(repo, &[&branch("login")]);
    }
    setup.env().run_async(&execute("login")).await.exits(0);
    for repo in REPOS {
        assert_eq!(setup.pulls_from(repo, &branch("login")).await.len(), 2, "{repo}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_after_a_merge_get_a_pull_request_of_their_own_where_the_merged_one_is_known() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    setup.merge("api", "login").await;
    env.run_async(&["chain", "execute", "login"]).await.exits(0).says("admin/api#1  merged");
    setup.push("api", &[&branch("login")]);
    let plan = ["chain", "plan", "login"];
    env.run_async(&plan).await.exits(0).says("admin/api  would be opened from `baton/feature-login`");
    env.run_async(&["chain", "execute", "login"]).await.exits(0).says("admin/api#2  open");
    assert!(setup.body("web", "login").await.contains("1. ☐ [admin/api#2]("));
    let own = setup.pulls_from("api", &branch("login")).await;
    let second = own.iter().find(|pull| pull["number"] == 2).unwrap();
    let words = second["body"].as_str().unwrap();
    assert!(words.contains("1. ☐ admin/api (this one)") && !words.contains('✅'), "{words}");
    env.run_async(&["chain", "status", "login"]).await.exits(0).says("admin/api#2  open");
    let wait = ["chain", "wait", "login", "--timeout", "1s"];
    env.run_async(&wait).await.exits(1).says("the time is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_from_the_same_branch_to_another_base_is_not_taken_and_not_doubled() {
    let setup = Setup::new().await;
    setup.push("web", &["next"]);
    setup.push("web", &[&branch("login")]);
    let number = setup.open_by_hand("web", &branch("login"), "next", "By hand.").await;
    let env = setup.env();
    let one = ["chain", "execute", "login", "--title", "Log in", "--part", "admin/web"];
    env.run_async(&one).await.exits(1).says(&format!("admin/web#{number} comes from"));
    assert_eq!(setup.body("web", "login").await, "By hand.");
    env.run_async(&[&one[..6], &["admin/web=>next"]].concat()).await.exits(0).says("found by its branch");
    assert!(setup.body("web", "login").await.starts_with("By hand.\n\n<!--"));
}
