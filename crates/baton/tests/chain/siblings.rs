//! What becomes of one pull request is told by the others.

use serde_json::json;

use crate::chain::world::{World, branch, execute, known};

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_sibling_shows_everywhere() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    world.merge("api", "login").await;
    world.clear_meter().await;
    seat.run(&["chain", "status", "login"]).await.exits(0).says("admin/api#1  merged");
    assert_eq!(world.writes().await, 0, "a status changes nothing on the tracker");
    assert_eq!(known(&seat, "login")["parts"][0]["status"]["is"], "merged");
    seat.run(&["chain", "execute", "login"]).await.exits(0);
    for repo in ["web", "docs"] {
        assert!(world.body(repo, "login").await.contains("1. ✅ [admin/api#1]("), "{repo}");
    }
    let own = world.body("api", "login").await;
    assert!(own.contains("1. ✅ admin/api (this one), merged"), "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sibling_that_a_person_closed_is_not_opened_again() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    world.edit("web", "login", json!({ "state": "closed" })).await;
    seat.run(&["chain", "execute", "login"]).await.exits(1).says("admin/web#1  closed without a merge");
    assert!(world.body("docs", "login").await.contains("❌ [admin/web#1]("));
    let stranger = world.seat();
    stranger.run(&execute("login")).await.exits(1).says("admin/web#1  closed without a merge");
    world.edit("web", "login", json!({ "state": "open" })).await;
    seat.run(&["chain", "execute", "login"]).await.exits(0);
    assert!(world.body("docs", "login").await.contains("☐ [admin/web#1]("));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_was_merged_long_ago_does_not_stand_in_for_a_new_one() {
    let world = World::with_branches("login").await;
    world.seat().run(&execute("login")).await.exits(0);
    for repo in crate::chain::world::REPOS {
        world.merge(repo, "login").await;
        world.push(repo, &[&branch("login")]);
    }
    world.seat().run(&execute("login")).await.exits(0);
    for repo in crate::chain::world::REPOS {
        assert_eq!(world.pulls_from(repo, &branch("login")).await.len(), 2, "{repo}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_after_a_merge_get_a_pull_request_of_their_own_where_the_merged_one_is_known() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    world.merge("api", "login").await;
    seat.run(&["chain", "execute", "login"]).await.exits(0).says("admin/api#1  merged");
    world.push("api", &[&branch("login")]);
    let plan = ["chain", "plan", "login"];
    seat.run(&plan).await.exits(0).says("admin/api  would be opened from `baton/feature-login`");
    seat.run(&["chain", "execute", "login"]).await.exits(0).says("admin/api#2  open");
    assert!(world.body("web", "login").await.contains("1. ☐ [admin/api#2]("));
    let own = world.pulls_from("api", &branch("login")).await;
    let second = own.iter().find(|pull| pull["number"] == 2).unwrap();
    let words = second["body"].as_str().unwrap();
    assert!(words.contains("1. ☐ admin/api (this one)") && !words.contains('✅'), "{words}");
    seat.run(&["chain", "status", "login"]).await.exits(0).says("admin/api#2  open");
    let wait = ["chain", "wait", "login", "--timeout", "1s"];
    seat.run(&wait).await.exits(1).says("the time is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_from_the_same_branch_to_another_base_is_not_taken_and_not_doubled() {
    let world = World::new().await;
    world.push("web", &["next"]);
    world.push("web", &[&branch("login")]);
    let number = world.open_by_hand("web", &branch("login"), "next", "By hand.").await;
    let seat = world.seat();
    let one = ["chain", "execute", "login", "--title", "Log in", "--part", "admin/web"];
    seat.run(&one).await.exits(1).says(&format!("admin/web#{number} comes from"));
    assert_eq!(world.body("web", "login").await, "By hand.");
    seat.run(&[&one[..6], &["admin/web=>next"]].concat()).await.exits(0).says("found by its branch");
    assert!(world.body("web", "login").await.starts_with("By hand.\n\n<!--"));
}
