//! Commands that cannot be meant, and machines and trackers that are not as they should be.

use serde_json::json;

use crate::chain::setup::{Setup, branch, execute, known};

fn begin<'a>(feature: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["chain", "execute", feature], more].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_commands_are_refused_before_anything_is_done() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    let part = ["--title", "T", "--part"];
    let with = |text: &'static str| [&part[..], &[text]].concat();
    let long = "x".repeat(65);
    for (arguments, code, words) in [
        (begin("../login", &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin("a/b", &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin("..", &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin("x.lock", &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin("", &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin(&long, &with("admin/api")), 2, "cannot be the id of a feature"),
        (begin("login", &[]), 2, "a chain needs at least one part"),
        (begin("login", &["--part", "admin/api"]), 2, "is not a title"),
        (begin("login", &["--title", " ", "--part", "admin/api"]), 2, "is not a title"),
        (begin("login", &with("api")), 2, "is not a part"),
        (begin("login", &with("admin/../x")), 2, "is not a part"),
        (begin("login", &with("admin/api:-x")), 2, "is not the name of a branch"),
        (begin("login", &with("admin/api:x=>y z")), 2, "is not the name of a branch"),
        (begin("login", &with("admin/api:same=>same")), 2, "to itself"),
        (begin("login", &[&with("admin/api")[..], &["--part", "Admin/API"]].concat()), 2, "named twice"),
        (begin("login", &["--file", "none.yaml"]), 2, "cannot read none.yaml"),
        (begin("login", &["--file", "x", "--title", "T"]), 2, "cannot be used with"),
        (
            begin("login", &[&with("admin/api")[..], &["--body-file", "none.md"]].concat()),
            2,
            "cannot read none.md",
        ),
        (vec!["chain", "status", "login"], 1, "nothing is known of `login`"),
        (vec!["chain", "wait", "login"], 1, "nothing is known of `login`"),
        (vec!["chain", "wait", "login", "--timeout", "soon"], 2, "is not a duration"),
        (vec!["chain", "wait", "login", "--until", "closed"], 2, "merged"),
        (vec!["chain", "status"], 2, "FEATURE"),
        (vec!["chain", "undo", "login"], 2, "unrecognized"),
    ] {
        let ran = env.run_async(&arguments).await;
        assert!(
            ran.code == code && (ran.err.contains(words) || ran.out.contains(words)),
            "{arguments:?}: {ran:?}"
        );
    }
    assert_eq!(setup.writes().await, 0);
    assert!(!env.path("pr-chains/login.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_chains_are_refused_with_what_is_wrong() {
    let setup = Setup::new().await;
    let env = setup.env();
    for (text, words) in [
        ("title: T\n", "parts"),
        ("title: T\nparts: [{repo: admin/api, brunch: x}]\n", "brunch"),
        ("title: T\nparts: []\n", "at least one part"),
        ("title: T\nparts: [{repo: admin/api, depends_on: [admin/web]}]\n", "not a part of the chain"),
        (
            "title: T\nparts: [{repo: a/b, depends_on: [a/c]}, {repo: a/c, depends_on: [a/b]}]\n",
            "depend on each other",
        ),
        ("title: T\nparts: [{repo: admin/api, branch: ../x}]\n", "not the name of a branch"),
    ] {
        env.write("chain.yaml", text);
        env.run_async(&begin("login", &["--file", "chain.yaml"])).await.exits(2).says(words);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_cannot_be_are_told_each_for_itself() {
    let setup = Setup::new().await;
    setup.push("api", &[&branch("login")]);
    let env = setup.env();
    let parts = [
        "--part",
        "admin/none",
        "--part",
        "admin/docs:main",
        "--part",
        "admin/web:main=>none",
        "--part",
        "admin/api",
    ];
    let ran = env.run_async(&begin("login", &[&["--title", "T"], &parts[..]].concat())).await.exits(1);
    for words in [
        "admin/none  failed",
        "404",
        "`main` is where admin/docs merges to",
        "admin/web  failed",
        "422",
        "admin/api#1  open",
    ] {
        assert!(ran.out.contains(words), "{words}: {ran:?}");
    }
    let web = setup.forge.at("web");
    let main = web.tip("refs/heads/main").await;
    web.post("/git/refs", json!({ "ref": format!("refs/heads/{}", branch("empty")), "sha": main })).await;
    let empty = ["chain", "execute", "empty", "--title", "T", "--part", "admin/web"];
    env.run_async(&empty).await.exits(1).says("No commits between main and baton/feature-empty");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_understood_is_left_alone() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    let path = env.path("pr-chains/login.json");
    let good = std::fs::read_to_string(&path).unwrap();
    for (text, words) in [
        ("{".to_owned(), "cannot be understood"),
        (good.replace("\"version\": 1", "\"version\": 2"), "not of version 1"),
        (good.replace("\"open\"", "\"ajar\""), "cannot be understood"),
        (good.replace("\"login\"", "\"other\""), "it is about `other`"),
        (
            good.replace(&setup.forge.url, "https://api.github.com"),
            "its numbers are of https://api.github.com",
        ),
    ] {
        assert_ne!(text, good);
        std::fs::write(&path, &text).unwrap();
        for command in ["execute", "plan", "status", "wait"] {
            env.run_async(&["chain", command, "login"]).await.exits(3).says(words);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    std::fs::write(&path, good).unwrap();
    env.run_async(&["chain", "status", "login"]).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_tracker_or_a_token_nothing_is_lost() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    let nobody = env.clone().with("BATON_TOKEN", "bft_wrong");
    nobody.run_async(&["chain", "execute", "login"]).await.exits(1).says("401");
    nobody.run_async(&["chain", "status", "login"]).await.exits(3).says("401");
    nobody.run_async(&["chain", "wait", "login"]).await.exits(3).says("401");
    let gone = setup.env_at("http://127.0.0.1:9");
    gone.run_async(&execute("login")).await.exits(3).says("check the network");
    gone.run_async(&["chain", "plan", "login"]).await.exits(3).says("check the network");
    let statuses = known(&env, "login");
    assert!(statuses.to_string().matches("\"open\"").count() == 3, "{statuses}");
}
