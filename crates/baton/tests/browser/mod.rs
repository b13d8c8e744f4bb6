//! A real browser in front of a running demo: what a person sees, orders, reviews and merges; `walk/main.mjs` has the steps.
//!
//! Pictures of every page are left in `target/tmp/browser-shots`.

use std::path::Path;

use baton_fixtures::{Browser, Client, TestDemo, TestEnv, TestRepo};
use serde_json::json;

const REPO: &str = "acme/hello";
/// Somebody on the demo's forge who may push, and is not whoever sits before the dashboard.
const AUTHOR: &str = "otto";

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_steers_reviews_and_merges_in_a_browser() {
    let demo = TestDemo::start();
    let author = author(&demo);
    let pull = open_pull(&author).await;
    let issue = json!({
        "title": "Greet in Dutch",
        "body": "Add a greeting in Dutch.",
        "labels": ["stage:Plan", "baton:yolo"],
    });
    let plan = json!({ "repo": REPO, "issue": format!("{REPO}#1"), "run": 1, "pull": pull, "seenPull": pull, "newIssue": issue });
    let browser = Browser { shots: Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-shots") };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/walk/main.mjs");
    println!("{}", browser.walk(&script, &demo.dashboard, &plan));
}

/// The repository as somebody on the forge sees it, with a token that was made as an administrator would.
fn author(demo: &TestDemo) -> TestRepo {
    let data = demo.directory().join("forge");
    let create = ["forge", "token", "create", "--user", AUTHOR, "--data", data.to_str().unwrap()];
    let token = TestEnv::new().run(&create).exits(0).out;
    TestRepo { client: Client::new(&demo.forge, Some(&token)), name: REPO.to_owned() }
}

/// Opens a pull request that only a person will merge.
async fn open_pull(author: &TestRepo) -> u64 {
    let main = author.tip("heads/main").await.unwrap();
    author.post("/git/refs", json!({ "ref": "refs/heads/by-hand", "sha": main })).await;
    author.commit("by-hand", "greetings/swedish.txt", "Hej, världen!\n").await;
    let pull = json!({ "title": "Greet in Swedish", "head": "by-hand", "base": "main", "body": "By hand, and **unasked**." });
    author.post("/pulls", pull).await["number"].as_u64().unwrap()
}
