//! Pull requests are opened, found and told of each other.

use serde_json::{Value, json};

use crate::chain::waiting::in_parallel;
use crate::chain::world::{REPOS, World, branch, execute, known};

#[tokio::test(flavor = "multi_thread")]
async fn three_repositories_get_one_pull_request_each_and_every_body_names_the_others() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    let mut plan = execute("login");
    plan[1] = "plan";
    for arguments in [plan.clone(), [execute("login"), vec!["--dry-run"]].concat()] {
        seat.run(&arguments)
            .await
            .exits(0)
            .says("admin/web  would be opened from `baton/feature-login` to `main`");
    }
    assert_eq!(world.writes().await, 0, "a plan changes nothing");
    assert!(!seat.state.join("pr-chains/login.json").exists());
    let words = seat.state.join("words.md");
    std::fs::write(&words, "Why we do it.\n").unwrap();
    let words = words.to_str().unwrap();
    let ran = seat.run(&[execute("login"), vec!["--json", "--body-file", words]].concat()).await.exits(0);
    assert_eq!(
        ran.json()["done"][1],
        json!({ "repo": "admin/web", "did": "opened", "refreshed": true, "trouble": null })
    );
    let url = &world.url;
    assert_eq!(
        world.body("web", "login").await,
        format!(
            "Why we do it.\n\n\
             <!-- baton:chain:begin login -->\n\
             **Pull requests of `login`**, to be merged in this order:\n\n\
             1. ☐ [admin/api#1]({url}/admin/api/pull/1)\n\
             2. ☐ admin/web (this one)\n\
             3. ☐ [admin/docs#1]({url}/admin/docs/pull/1)\n\
             <!-- baton:chain:end -->"
        )
    );
    for repo in REPOS {
        let pull = world.pull(repo, "login").await;
        assert_eq!(
            (&pull["title"], &pull["base"]["ref"], &pull["draft"]),
            (&json!("Log in"), &json!("main"), &json!(false))
        );
    }
    let statuses = known(&seat, "login")["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["status"]["is"].clone())
        .collect::<Vec<_>>();
    assert_eq!(statuses, ["open", "open", "open"]);
    world.clear_meter().await;
    seat.run(&["chain", "execute", "login"]).await.exits(0).says("admin/docs#1  open");
    assert_eq!(world.writes().await, 0, "what is as it should be is left alone");
    let ran = seat.run(&["chain", "status", "login", "--json"]).await.exits(0).json();
    assert_eq!((&ran["parts"][0]["status"], &ran["parts"][0]["number"]), (&json!("open"), &json!(1)));
    assert_eq!((&ran["title"], &ran["troubles"]), (&json!("Log in"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_without_a_branch_fails_alone_and_when_it_succeeds_every_body_tells_it() {
    let world = World::new().await;
    ["api", "docs"].iter().for_each(|repo| world.push(repo, &[&branch("login")]));
    let seat = world.seat();
    let push = "git push origin HEAD:refs/heads/baton/feature-login";
    seat.run(&execute("login")).await.exits(1).says(push);
    for repo in ["api", "docs"] {
        let body = world.body(repo, "login").await;
        assert!(body.contains("2. ❌ admin/web, could not be opened yet"), "{body}");
    }
    seat.run(&["chain", "status", "login"]).await.exits(1).says(push);
    world.push("web", &[&branch("login")]);
    seat.run(&["chain", "execute", "login"]).await.exits(0).says("admin/web: opened");
    for repo in ["api", "docs"] {
        let body = world.body(repo, "login").await;
        assert!(body.contains("2. ☐ [admin/web#1](") && !body.contains('❌'), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_for_one_repository_fails_only_that_part() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    world.fault("POST", "/repos/admin/web/pulls", "before", json!({ "status": 502 }), None).await;
    seat.run(&execute("login")).await.exits(3).says("admin/web  failed at");
    assert!(world.body("docs", "login").await.contains("❌ admin/web"));
    assert!(world.pulls_from("web", &branch("login")).await.is_empty());
    world.turn(json!({ "faults": [] })).await;
    seat.run(&["chain", "execute", "login"]).await.exits(0);
    for repo in REPOS {
        assert!(!world.body(repo, "login").await.contains('❌'));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_without_a_clear_answer_is_looked_for_and_not_repeated() {
    for (when, kind) in
        [("after", json!({ "status": 502 })), ("after", json!("drop")), ("before", json!("drop"))]
    {
        let world = World::with_branches("login").await;
        world.fault("POST", "/repos/admin/web/pulls", when, kind.clone(), Some(1)).await;
        world.seat().run(&execute("login")).await.exits(0).says("admin/web: opened");
        assert!(world.body("api", "login").await.contains("☐ [admin/web#1]("), "{when} {kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reads_do_not_show_yet_is_not_opened_twice() {
    let world = World::with_branches("login").await;
    let number = world.open_by_hand("web", &branch("login"), "main", "By hand.").await;
    world.turn(json!({ "read_lag": { "min_ms": 600, "max_ms": 600 } })).await;
    let second = world.open_by_hand("api", &branch("login"), "main", "By hand, just now.").await;
    world.seat().run(&execute("login")).await.exits(0);
    world.turn(json!({ "read_lag": { "min_ms": 0, "max_ms": 0 } })).await;
    assert_eq!(world.pull("web", "login").await["number"], number);
    assert_eq!(world.pull("api", "login").await["number"], second);
    assert!(
        world
            .body("api", "login")
            .await
            .starts_with("By hand, just now.\n\n<!-- baton:chain:begin login -->")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_in_a_file_has_titles_texts_bases_and_an_order_of_its_own() {
    let world = World::new().await;
    world.push("api", &["topic/api", "next"]);
    world.push("api", &["topic/api"]);
    world.push("web", &[&branch("login")]);
    let seat = world.seat();
    let file = seat.state.join("chain.yaml");
    let text = "title: Log in\nbody: Why.\ndraft: true\nparts:\n  - repo: admin/web\n    depends_on: [admin/api]\n  \
                - repo: admin/api\n    branch: topic/api\n    base: next\n    title: The API\n    body: How.\n";
    std::fs::write(&file, text).unwrap();
    seat.run(&["chain", "execute", "login", "--file", file.to_str().unwrap()]).await.exits(0);
    let api = world.pulls_from("api", "topic/api").await.remove(0);
    assert_eq!(
        (&api["title"], &api["base"]["ref"], &api["draft"]),
        (&json!("The API"), &json!("next"), &json!(true))
    );
    assert!(api["body"].as_str().unwrap().starts_with("How.\n\n"), "{api}");
    let web = world.body("web", "login").await;
    assert!(
        web.starts_with("Why.\n\n") && web.contains("2. ☐ admin/web (this one), after admin/api"),
        "{web}"
    );
    assert!(web.contains("1. ☐ [admin/api#1]("), "{web}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_open_one_pull_request_in_each_repository() {
    let world = std::sync::Arc::new(World::with_branches("login").await);
    let same = world.seat();
    let others = [world.seat(), world.seat()];
    let runs = [&same, &same, &same].into_iter().chain(&others).map(|seat| {
        let seat = seat.clone();
        async move { seat.run(&execute("login")).await }
    });
    let ran = in_parallel(5, runs.collect::<Vec<_>>()).await;
    for ran in &ran[..3] {
        let is_turned_away = ran.code == 1 && ran.err.contains("another command is at work on `login`");
        assert!(ran.code == 0 || is_turned_away, "{ran:?}");
    }
    assert!(ran[..3].iter().any(|ran| ran.code == 0), "{ran:?}");
    for seat in [&same, &others[0], &others[1]] {
        seat.run(&execute("login")).await.exits(0);
    }
    for repo in REPOS {
        let body = world.body(repo, "login").await;
        assert_eq!(body.matches("baton:chain:begin").count(), 1, "{body}");
        assert_eq!((body.matches("☐ [").count(), body.contains('⏳')), (2, false), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_comes_later_is_added_and_told() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    let two =
        ["chain", "execute", "login", "--title", "Log in", "--part", "admin/api", "--part", "admin/web"];
    seat.run(&two).await.exits(0);
    seat.run(&two[..7]).await.exits(2).says("admin/web#1 has an open pull request of this chain");
    seat.run(&execute("login")).await.exits(0);
    assert!(world.body("api", "login").await.contains("3. ☐ [admin/docs#1]("));
    let title = known(&seat, "login")["title"].clone();
    assert_eq!(title, Value::from("Log in"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_while_another_has_the_turn_changes_nothing() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    world.merge("api", "login").await;
    let path = seat.state.join("pr-chains/.login.turn");
    let turn = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    turn.lock().unwrap();
    world.clear_meter().await;
    seat.run(&["chain", "execute", "login"]).await.exits(1).says("another command is at work on `login`");
    seat.run(&["chain", "status", "login"]).await.exits(0).says("admin/api#1  merged");
    assert_eq!(
        (world.writes().await, &known(&seat, "login")["parts"][0]["status"]["is"]),
        (0, &json!("open"))
    );
    drop(turn);
    seat.run(&["chain", "execute", "login"]).await.exits(0);
}
