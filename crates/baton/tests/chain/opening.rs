//! Pull requests are opened, found and told of each other.

use baton_fixtures::wait::in_parallel;
use serde_json::{Value, json};

use crate::chain::setup::{REPOS, Setup, branch, execute, known};

#[tokio::test(flavor = "multi_thread")]
async fn three_repositories_get_one_pull_request_each_and_every_body_names_the_others() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    let mut plan = execute("login");
    plan[1] = "plan";
    for arguments in [plan.clone(), [execute("login"), vec!["--dry-run"]].concat()] {
        env.run_async(&arguments)
            .await
            .exits(0)
            .says("admin/web  would be opened from `baton/feature-login` to `main`");
    }
    assert_eq!(setup.writes().await, 0, "a plan changes nothing");
    assert!(!env.path("pr-chains/login.json").exists());
    env.write("words.md", "Why we do it.\n");
    let ran =
        env.run_async(&[execute("login"), vec!["--json", "--body-file", "words.md"]].concat()).await.exits(0);
    assert_eq!(
        ran.json()["done"][1],
        json!({ "repo": "admin/web", "did": "opened", "refreshed": true, "trouble": null })
    );
    let url = &setup.forge.url;
    assert_eq!(
        setup.body("web", "login").await,
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
        let pull = setup.pull(repo, "login").await;
        assert_eq!(
            (&pull["title"], &pull["base"]["ref"], &pull["draft"]),
            (&json!("Log in"), &json!("main"), &json!(false))
        );
    }
    let statuses = known(&env, "login")["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["status"]["is"].clone())
        .collect::<Vec<_>>();
    assert_eq!(statuses, ["open", "open", "open"]);
    setup.forge.clear_meter().await;
    env.run_async(&["chain", "execute", "login"]).await.exits(0).says("admin/docs#1  open");
    assert_eq!(setup.writes().await, 0, "what is as it should be is left alone");
    let ran = env.run_async(&["chain", "status", "login", "--json"]).await.exits(0).json();
    assert_eq!((&ran["parts"][0]["status"], &ran["parts"][0]["number"]), (&json!("open"), &json!(1)));
    assert_eq!((&ran["title"], &ran["troubles"]), (&json!("Log in"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_without_a_branch_fails_alone_and_when_it_succeeds_every_body_tells_it() {
    let setup = Setup::new().await;
    ["api", "docs"].iter().for_each(|repo| setup.push(repo, &[&branch("login")]));
    let env = setup.env();
    let push = "git push origin HEAD:refs/heads/baton/feature-login";
    env.run_async(&execute("login")).await.exits(1).says(push);
    for repo in ["api", "docs"] {
        let body = setup.body(repo, "login").await;
        assert!(body.contains("2. ❌ admin/web, could not be opened yet"), "{body}");
    }
    env.run_async(&["chain", "status", "login"]).await.exits(1).says(push);
    setup.push("web", &[&branch("login")]);
    env.run_async(&["chain", "execute", "login"]).await.exits(0).says("admin/web: opened");
    for repo in ["api", "docs"] {
        let body = setup.body(repo, "login").await;
        assert!(body.contains("2. ☐ [admin/web#1](") && !body.contains('❌'), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_for_one_repository_fails_only_that_part() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    setup
        .forge
        .fault(
            json!({ "method": "POST", "path_contains": "/repos/admin/web/pulls" }),
            "before",
            json!({ "status": 502 }),
            0,
            None,
        )
        .await;
    env.run_async(&execute("login")).await.exits(3).says("admin/web  failed at");
    assert!(setup.body("docs", "login").await.contains("❌ admin/web"));
    assert!(setup.pulls_from("web", &branch("login")).await.is_empty());
    setup.forge.turn(json!({ "faults": [] })).await;
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
    for repo in REPOS {
        assert!(!setup.body(repo, "login").await.contains('❌'));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_without_a_clear_answer_is_looked_for_and_not_repeated() {
    for (when, kind) in
        [("after", json!({ "status": 502 })), ("after", json!("drop")), ("before", json!("drop"))]
    {
        let setup = Setup::with_branches("login").await;
        setup
            .forge
            .fault(
                json!({ "method": "POST", "path_contains": "/repos/admin/web/pulls" }),
                when,
                kind.clone(),
                0,
                Some(1),
            )
            .await;
        setup.env().run_async(&execute("login")).await.exits(0).says("admin/web: opened");
        assert!(setup.body("api", "login").await.contains("☐ [admin/web#1]("), "{when} {kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reads_do_not_show_yet_is_not_opened_twice() {
    let setup = Setup::with_branches("login").await;
    let number = setup.open_by_hand("web", &branch("login"), "main", "By hand.").await;
    setup.forge.turn(json!({ "read_lag": { "min_ms": 600, "max_ms": 600 } })).await;
    let second = setup.open_by_hand("api", &branch("login"), "main", "By hand, just now.").await;
    setup.env().run_async(&execute("login")).await.exits(0);
    setup.forge.turn(json!({ "read_lag": { "min_ms": 0, "max_ms": 0 } })).await;
    assert_eq!(setup.pull("web", "login").await["number"], number);
    assert_eq!(setup.pull("api", "login").await["number"], second);
    assert!(
        setup
            .body("api", "login")
            .await
            .starts_with("By hand, just now.\n\n<!-- baton:chain:begin login -->")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_in_a_file_has_titles_texts_bases_and_an_order_of_its_own() {
    let setup = Setup::new().await;
    setup.push("api", &["topic/api", "next"]);
    setup.push("api", &["topic/api"]);
    setup.push("web", &[&branch("login")]);
    let env = setup.env();
    let text = "title: Log in\nbody: Why.\ndraft: true\nparts:\n  - repo: admin/web\n    depends_on: [admin/api]\n  \
                - repo: admin/api\n    branch: topic/api\n    base: next\n    title: The API\n    body: How.\n";
    env.write("chain.yaml", text);
    env.run_async(&["chain", "execute", "login", "--file", "chain.yaml"]).await.exits(0);
    let api = setup.pulls_from("api", "topic/api").await.remove(0);
    assert_eq!(
        (&api["title"], &api["base"]["ref"], &api["draft"]),
        (&json!("The API"), &json!("next"), &json!(true))
    );
    assert!(api["body"].as_str().unwrap().starts_with("How.\n\n"), "{api}");
    let web = setup.body("web", "login").await;
    assert!(
        web.starts_with("Why.\n\n") && web.contains("2. ☐ admin/web (this one), after admin/api"),
        "{web}"
    );
    assert!(web.contains("1. ☐ [admin/api#1]("), "{web}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_open_one_pull_request_in_each_repository() {
    let setup = std::sync::Arc::new(Setup::with_branches("login").await);
    let same = setup.env();
    let others = [setup.env(), setup.env()];
    let runs = [&same, &same, &same].into_iter().chain(&others).map(|env| {
        let env = env.clone();
        async move { env.run_async(&execute("login")).await }
    });
    let ran = in_parallel(5, runs.collect::<Vec<_>>()).await;
    for ran in &ran[..3] {
        let is_turned_away = ran.code == 1 && ran.err.contains("another command is at work on `login`");
        assert!(ran.code == 0 || is_turned_away, "{ran:?}");
    }
    assert!(ran[..3].iter().any(|ran| ran.code == 0), "{ran:?}");
    for env in [&same, &others[0], &others[1]] {
        env.run_async(&execute("login")).await.exits(0);
    }
    for repo in REPOS {
        let body = setup.body(repo, "login").await;
        assert_eq!(body.matches("baton:chain:begin").count(), 1, "{body}");
        assert_eq!((body.matches("☐ [").count(), body.contains('⏳')), (2, false), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_comes_later_is_added_and_told() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    let two =
        ["chain", "execute", "login", "--title", "Log in", "--part", "admin/api", "--part", "admin/web"];
    env.run_async(&two).await.exits(0);
    env.run_async(&two[..7]).await.exits(2).says("admin/web#1 has an open pull request of this chain");
    env.run_async(&execute("login")).await.exits(0);
    assert!(setup.body("api", "login").await.contains("3. ☐ [admin/docs#1]("));
    let title = known(&env, "login")["title"].clone();
    assert_eq!(title, Value::from("Log in"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_while_another_has_the_turn_changes_nothing() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    setup.merge("api", "login").await;
    let path = env.path("pr-chains/.login.turn");
    let turn = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    turn.lock().unwrap();
    setup.forge.clear_meter().await;
    env.run_async(&["chain", "execute", "login"])
        .await
        .exits(1)
        .says("another command is at work on `login`");
    env.run_async(&["chain", "status", "login"]).await.exits(0).says("admin/api#1  merged");
    assert_eq!(
        (setup.writes().await, &known(&env, "login")["parts"][0]["status"]["is"]),
        (0, &json!("open"))
    );
    drop(turn);
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
}
