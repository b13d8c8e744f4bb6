//! `baton demo --exit`, and what is on its forge afterwards.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Client, ForgeProcess, TOKEN};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Everything below a directory, with what is in it.
fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Somebody whose own configuration would spoil everything that reads it.
fn home(directory: &Path) {
    std::fs::create_dir(directory).unwrap();
    std::fs::write(
        directory.join(".gitconfig"),
        "[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n",
    )
    .unwrap();
}

fn demo(home: &Path, keep: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_baton"))
        .args(["demo", "--exit", "--keep"])
        .arg(keep)
        .env("HOME", home)
        .env("BATON_TOKEN", "not-for-the-demo")
        .env("BATON_POLL", "1h")
        .output()
        .unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().unwrap_or(-1), text)
}

async fn get(client: &Client, path: &str) -> Value {
    client.must("GET", &format!("/repos/acme/hello{path}"), &Value::Null, 200).await
}

/// The number of the pull request of an issue.
async fn pull_of(client: &Client, issue: u64) -> u64 {
    let pulls = get(client, "/pulls?state=all").await;
    let branch = format!("baton/issue-{issue}");
    let found = pulls.as_array().unwrap().iter().find(|pull| pull["head"]["ref"] == branch.as_str());
    found.unwrap_or_else(|| panic!("no pull request of #{issue}: {pulls}"))["number"].as_u64().unwrap()
}

/// What the check said about each commit of a pull request, oldest first.
async fn conclusions(client: &Client, pull: u64) -> Vec<String> {
    let mut conclusions = Vec::new();
    for commit in get(client, &format!("/pulls/{pull}/commits")).await.as_array().unwrap() {
        let sha = commit["sha"].as_str().unwrap();
        let runs = get(client, &format!("/commits/{sha}/check-runs")).await;
        conclusions.extend(
            runs["check_runs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|run| run["conclusion"].as_str().unwrap_or("none").to_owned()),
        );
    }
    conclusions
}

#[tokio::test(flavor = "multi_thread")]
async fn five_issues_go_from_specify_to_merged_pull_requests_and_nothing_else_is_touched() {
    let directory = tempfile::tempdir().unwrap();
    let (own, kept) = (directory.path().join("home"), directory.path().join("kept"));
    home(&own);
    let before = contents(&own);
    let (code, text) = demo(&own, &kept);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("5 of 5 issues went from Specify to Done"), "{text}");
    assert_eq!(contents(&own), before, "the home of whoever ran it has changed");

    let forge = ForgeProcess::start(&kept.join("forge"), &[]);
    let client = Client::new(&forge.url, Some(TOKEN));
    all_are_merged_and_tidy(&client).await;
    a_check_was_red_and_green_on_a_later_commit(&client).await;
    a_thread_was_resolved_and_its_author_approved(&client).await;
    a_claim_was_lost(&client).await;
}

async fn all_are_merged_and_tidy(client: &Client) {
    let passing = ["stage:Done", "baton:yolo", "agent:done"];
    for number in 1..=5 {
        let issue = get(client, &format!("/issues/{number}")).await;
        assert_eq!(issue["state"], "closed", "{issue}");
        let labels: Vec<_> =
            issue["labels"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert!(labels.contains(&"stage:Done"), "{labels:?}");
        let odd: Vec<_> =
            labels.iter().filter(|it| !passing.contains(*it) && !it.ends_with(":complete")).collect();
        assert!(odd.is_empty(), "#{number} still carries {odd:?}");
        let pull = pull_of(client, number).await;
        assert_eq!(get(client, &format!("/pulls/{pull}")).await["merged"], true);
    }
    let greetings = get(client, "/contents/greetings?ref=main").await;
    let names: Vec<_> = greetings.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["english.txt", "french.txt", "german.txt", "italian.txt", "japanese.txt", "spanish.txt"]
    );
}

async fn a_check_was_red_and_green_on_a_later_commit(client: &Client) {
    let conclusions = conclusions(client, pull_of(client, 2).await).await;
    let red = conclusions
        .iter()
        .position(|it| it == "failure")
        .unwrap_or_else(|| panic!("never red: {conclusions:?}"));
    assert!(conclusions[red + 1..].iter().any(|it| it == "success"), "never green after it: {conclusions:?}");
}

async fn a_thread_was_resolved_and_its_author_approved(client: &Client) {
    let pull = pull_of(client, 3).await;
    let query = format!(
        "{{ repository(owner: \"acme\", name: \"hello\") {{ pullRequest(number: {pull}) {{ reviewThreads(first: 9) {{ nodes {{ isResolved }} }} }} }} }}"
    );
    let answer = client.must("POST", "/graphql", &json!({ "query": query }), 200).await;
    let threads = &answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    assert_eq!(*threads, json!([{ "isResolved": true }]));
    let reviews = get(client, &format!("/pulls/{pull}/reviews")).await;
    let by_mira: Vec<_> = reviews
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["user"]["login"] == "mira")
        .map(|it| it["state"].as_str().unwrap())
        .collect();
    assert_eq!(by_mira, ["CHANGES_REQUESTED", "APPROVED"], "{reviews}");
    let text = client
        .must("GET", "/repos/acme/hello/contents/greetings/spanish.txt?ref=main", &Value::Null, 200)
        .await;
    assert!(text["size"].as_u64().unwrap() > 20, "the change that she asked for is missing: {text}");
}

async fn a_claim_was_lost(client: &Client) {
    let comments = get(client, "/issues/4/comments?per_page=100").await;
    let lost: Vec<_> = comments
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["body"].as_str().unwrap().contains("outcome=race-yielded-to=ann"))
        .collect();
    assert_eq!(lost.len(), 1, "{comments}");
    assert_eq!(lost[0]["user"]["login"], "otto");
}

#[test]
fn whoever_leaves_before_all_is_done_is_told_so() {
    let directory = tempfile::tempdir().unwrap();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_baton"));
    demo.args(["demo", "--exit", "--keep"]).arg(directory.path().join("kept"));
    let mut demo = demo.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("dashboard:")), "it never began");
    let id = Pid::from_raw(i32::try_from(demo.id()).unwrap()).unwrap();
    kill_process(id, Signal::INT).unwrap();
    // A pipe that nobody reads would hold it up.
    lines.for_each(drop);
    let output = demo.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted before all issues were done"), "{said}");
}

#[test]
fn a_directory_that_is_in_use_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("mine"), "precious").unwrap();
    let keep = directory.path().display().to_string();
    let (code, out, err) = crate::support::baton(&["demo", "--exit", "--keep", &keep]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("it is not empty"), "{err}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}
