//! A real browser in front of a running demo: what a person sees, orders, reviews and merges; `walk/main.mjs` has the steps.
//!
//! Pictures of every page are left in `target/tmp/browser-shots`.

mod demo;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Client, baton};
use demo::Demo;
use serde_json::{Value, json};

const REPO: &str = "acme/hello";
/// Somebody on the demo's forge who may push, and is not whoever sits before the dashboard.
const AUTHOR: &str = "otto";

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_steers_reviews_and_merges_in_a_browser() {
    let demo = Demo::start();
    let author = author(&demo);
    let pull = open_pull(&author).await;
    let issue = json!({
        "title": "Greet in Dutch",
        "body": "Add a greeting in Dutch.",
        "labels": ["stage:Plan", "baton:yolo"],
    });
    let plan = json!({ "repo": REPO, "issue": format!("{REPO}#1"), "run": 1, "pull": pull, "seenPull": pull, "newIssue": issue });
    let report = walk(&demo.dashboard, &plan);
    println!("{report}");
}

/// A token of somebody on the forge, made as an administrator would.
fn author(demo: &Demo) -> Client {
    let data = demo.directory().join("forge");
    let data = data.to_str().unwrap();
    let (code, token, complaint) = baton(&["forge", "token", "create", "--user", AUTHOR, "--data", data]);
    assert_eq!(code, 0, "{complaint}");
    Client::new(&demo.forge, Some(&token))
}

/// Opens a pull request that only a person will merge.
async fn open_pull(author: &Client) -> u64 {
    let api = format!("/repos/{REPO}");
    let main = author.must("GET", &format!("{api}/git/ref/heads/main"), &Value::Null, 200).await;
    let branch = json!({ "ref": "refs/heads/by-hand", "sha": main["object"]["sha"] });
    author.must("POST", &format!("{api}/git/refs"), &branch, 201).await;
    // "Hej, världen!" and a line break.
    let file =
        json!({ "message": "greet in Swedish", "content": "SGVqLCB2w6RybGRlbiEK", "branch": "by-hand" });
    author.must("PUT", &format!("{api}/contents/greetings/swedish.txt"), &file, 201).await;
    let pull = json!({ "title": "Greet in Swedish", "head": "by-hand", "base": "main", "body": "By hand, and **unasked**." });
    author.must("POST", &format!("{api}/pulls"), &pull, 201).await["number"].as_u64().unwrap()
}

/// Runs the steps, and returns what they report.
fn walk(dashboard: &str, plan: &Value) -> String {
    let contract = std::env::var_os("BATON_CONTRACT_DIR")
        .expect("BATON_CONTRACT_DIR is not set: run `cargo xtask test`, which installs what this needs");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/walk/main.mjs");
    let shots = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser-shots");
    let output = Command::new("node")
        .arg(script)
        .arg(dashboard)
        .arg(&shots)
        .arg(plan.to_string())
        .current_dir(Path::new(&contract).join("browser"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let report = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "the walk failed; pictures are in {}\n{report}", shots.display());
    report
}
