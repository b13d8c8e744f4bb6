//! `baton demo --exit`, and what is on its forge afterwards.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use baton_fixtures::processes::{Signal, send};
use baton_fixtures::{CommandOutput, TestEnv, TestForge, TestRepo, texts};
use serde_json::json;

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

/// The number of the pull request of an issue.
async fn pull_of(repo: &TestRepo, issue: u64) -> u64 {
    let pulls = repo.pulls().await;
    let branch = format!("baton/issue-{issue}");
    let found = pulls.iter().find(|pull| pull["head"]["ref"] == branch.as_str());
    found.unwrap_or_else(|| panic!("no pull request of #{issue}: {pulls:?}"))["number"].as_u64().unwrap()
}

/// What the check said about each commit of a pull request, oldest first.
async fn conclusions(repo: &TestRepo, pull: u64) -> Vec<String> {
    let mut conclusions = Vec::new();
    for commit in repo.get(&format!("/pulls/{pull}/commits")).await.as_array().unwrap() {
        let sha = commit["sha"].as_str().unwrap();
        let runs = repo.get(&format!("/commits/{sha}/check-runs")).await;
        conclusions.extend(texts(&runs["check_runs"], "conclusion"));
    }
    conclusions
}

#[tokio::test(flavor = "multi_thread")]
async fn five_issues_go_from_specify_to_merged_pull_requests_and_nothing_else_is_touched() {
    let env = TestEnv::new().with("BATON_TOKEN", "not-for-the-demo").with("BATON_POLL", "1h");
    // Somebody whose own configuration would spoil everything that reads it.
    let spoils = "[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n";
    std::fs::write(env.home().join(".gitconfig"), spoils).unwrap();
    let before = contents(&env.home());
    env.run(&["demo", "--exit", "--keep", "kept"]).exits(0).says("5 of 5 issues went from Specify to Done");
    assert_eq!(contents(&env.home()), before, "the home of whoever ran it has changed");

    // A forge on what the demo's forge has kept.
    let mut forge = TestForge::start();
    forge.data = env.path("kept/forge");
    forge.restart(&[]);
    let repo = TestRepo { client: forge.admin.clone(), name: "acme/hello".to_owned() };
    all_are_merged_and_tidy(&repo).await;
    a_check_was_red_and_green_on_a_later_commit(&repo).await;
    a_thread_was_resolved_and_its_author_approved(&repo).await;
    a_claim_was_lost(&repo).await;
}

async fn all_are_merged_and_tidy(repo: &TestRepo) {
    let passing = ["stage:Done", "baton:yolo", "agent:done"];
    for number in 1..=5 {
        let issue = repo.get(&format!("/issues/{number}")).await;
        assert_eq!(issue["state"], "closed", "{issue}");
        let labels = texts(&issue["labels"], "name");
        assert!(labels.iter().any(|it| it == "stage:Done"), "{labels:?}");
        let is_odd = |it: &&String| !passing.contains(&it.as_str()) && !it.ends_with(":complete");
        let odd: Vec<_> = labels.iter().filter(is_odd).collect();
        assert!(odd.is_empty(), "#{number} still carries {odd:?}");
        let pull = pull_of(repo, number).await;
        assert_eq!(repo.get(&format!("/pulls/{pull}")).await["merged"], true);
    }
    let greetings = repo.get("/contents/greetings?ref=main").await;
    assert_eq!(
        texts(&greetings, "name"),
        ["english.txt", "french.txt", "german.txt", "italian.txt", "japanese.txt", "spanish.txt"]
    );
}

async fn a_check_was_red_and_green_on_a_later_commit(repo: &TestRepo) {
    let conclusions = conclusions(repo, pull_of(repo, 2).await).await;
    let red = conclusions
        .iter()
        .position(|it| it == "failure")
        .unwrap_or_else(|| panic!("never red: {conclusions:?}"));
    assert!(conclusions[red + 1..].iter().any(|it| it == "success"), "never green after it: {conclusions:?}");
}

async fn a_thread_was_resolved_and_its_author_approved(repo: &TestRepo) {
    let pull = pull_of(repo, 3).await;
    let query = format!(
        "{{ repository(owner: \"acme\", name: \"hello\") {{ pullRequest(number: {pull}) {{ reviewThreads(first: 9) {{ nodes {{ isResolved }} }} }} }} }}"
    );
    let answer = repo.client.must("POST", "/graphql", &json!({ "query": query }), 200).await;
    let threads = &answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    assert_eq!(*threads, json!([{ "isResolved": true }]));
    let reviews = repo.get(&format!("/pulls/{pull}/reviews")).await;
    let by_mira: Vec<_> = reviews
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["user"]["login"] == "mira")
        .map(|it| it["state"].as_str().unwrap())
        .collect();
    assert_eq!(by_mira, ["CHANGES_REQUESTED", "APPROVED"], "{reviews}");
    let text = repo.get("/contents/greetings/spanish.txt?ref=main").await;
    assert!(text["size"].as_u64().unwrap() > 20, "the change that she asked for is missing: {text}");
}

async fn a_claim_was_lost(repo: &TestRepo) {
    let mut lost = repo.comments(4).await;
    lost.retain(|it| it["body"].as_str().unwrap().contains("outcome=race-yielded-to=ann"));
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert_eq!(lost[0]["user"]["login"], "otto");
}

#[test]
fn whoever_leaves_before_all_is_done_is_told_so() {
    let env = TestEnv::new();
    let mut demo = env.command(&["demo", "--exit", "--keep", "kept"]);
    let mut demo = demo.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("dashboard:")), "it never began");
    send(i32::try_from(demo.id()).unwrap(), Signal::INT);
    // A pipe that nobody reads would hold it up.
    lines.for_each(drop);
    let ran = CommandOutput::from(demo.wait_with_output().unwrap());
    ran.exits(1).says("interrupted before all issues were done");
}

#[test]
fn a_directory_that_is_in_use_is_left_alone() {
    let env = TestEnv::new();
    env.write("kept/mine", "precious");
    let ran = env.run(&["demo", "--exit", "--keep", "kept"]).exits(2);
    assert!(ran.out.is_empty() && ran.err.contains("it is not empty"), "{ran:?}");
    assert_eq!(std::fs::read_dir(env.path("kept")).unwrap().count(), 1);
}
