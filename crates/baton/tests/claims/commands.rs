//! The commands as scripts see them: dry runs that change nothing, exit codes, shapes of JSON, and words that help.

use baton_fixtures::Proxy;
use serde_json::{Value, json};

use crate::claims::setup::{Protocol, REPO, Setup, assert_same, check, claim, elsewhere, reference};

/// What is only remembered from reading.
const CACHES: [&str; 2] = ["standing.json", "watch.json"];

/// All files under a directory, with their contents, but for locks and what is only remembered.
fn files(directory: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => left.push(path),
                false => found.push((path.display().to_string(), std::fs::read(&path).unwrap())),
            }
        }
    }
    let is_kept = |path: &str| !path.ends_with(".lock") && !CACHES.iter().any(|cache| path.ends_with(cache));
    found.retain(|(path, _)| is_kept(path));
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_of_anything_that_writes_changes_nothing() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let worker = setup.worker("worker").await;
        let (free, held) = (reference(setup.issue().await), setup.issue().await);
        let kept = setup.repo.issue("something to do", &["agent:implement", "do-not-pickup"]).await;
        claim(&worker, held).await.exits(0);
        let (held, kept) = (reference(held), reference(kept));
        let other = if protocol == Protocol::Ref { "comment" } else { "ref" };
        let rows: [(&[&str], i32, &str); 11] = [
            (&["claim", &free, "--dry-run"], 0, "would claim"),
            (&["claim", &held, "--dry-run"], 1, "held by worker"),
            (&["claim", "--next", "--repo", REPO, "--dry-run"], 0, "would claim"),
            (&["claim", &free, "--dry-run", "--", "touch", "made"], 0, "would claim"),
            (&["renew", &held, "--dry-run"], 0, "would renew"),
            (&["release", &held, "--dry-run", "--outcome", "success"], 0, "would hand"),
            (&["hold", &free, "--dry-run"], 0, "would keep"),
            (&["unhold", &kept, "--dry-run"], 0, "would let"),
            (&["repo", "pause", REPO, "--dry-run"], 0, "would be paused"),
            (&["labels", "sync", "--repo", REPO, "--dry-run"], 0, "agent:implement"),
            (&["protocol", "set", other, "--repo", REPO, "--dry-run"], 1, "is held"),
        ];
        let (before, kept) = (setup.dump_all().await, files(worker.root()));
        for (command, code, words) in rows {
            worker.run_async(command).await.exits(code).says(words);
            assert_same(&before, &setup.dump_all().await, &format!("{protocol}: {command:?}"));
            assert!(kept == files(worker.root()), "{protocol}: {command:?} changed this machine's state");
        }
        worker.run_async(&["sweep", "--repo", REPO, "--dry-run"]).await.exits(0);
        assert_same(&before, &setup.dump_all().await, "sweep");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_in_json_have_the_keys_that_scripts_rely_on() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, rival) = (setup.worker("worker").await, setup.worker("rival").await);
        let issue = setup.issue().await;
        let name = reference(issue);
        let won = claim(&worker, issue).await.exits(0).json();
        assert_eq!(won["outcome"], "won");
        keys(&won, &["calls", "calls_in_all", "decided_in_ms", "issue", "lease", "outcome", "protocol"]);
        let lease = ["codename", "comment", "deadline_in_s", "epoch", "firing_id", "nonce", "tip", "ttl_s"];
        keys(&won["lease"], &lease);
        let lost = claim(&rival, issue).await.exits(1).json();
        keys(&lost, &["calls", "calls_in_all", "decided_in_ms", "issue", "outcome", "protocol", "to"]);
        assert_eq!(lost["to"], format!("worker:{}", won["lease"]["firing_id"].as_str().unwrap()));
        let checked = check(&rival, issue).await.exits(1).json();
        let standing = [
            "claimable",
            "holder",
            "ignored_claims",
            "ignored_releases",
            "is_open",
            "issue",
            "labels",
            "protocol",
            "reasons",
            "title",
        ];
        keys(&checked, &standing);
        keys(&checked["holder"], &["age_s", "codename", "epoch", "firing_id"]);
        let renewed = worker.run_async(&["renew", &name, "--json"]).await.exits(0).json();
        keys(&renewed, &["deadline_in_s", "epoch", "holder", "outcome"]);
        let released = worker.run_async(&["release", &name, "--json"]).await.exits(0).json();
        keys(&released, &["as", "issue", "outcome", "to"]);
        let swept = worker.run_async(&["sweep", "--repo", REPO, "--json"]).await.exits(0).json();
        keys(&swept, &["failures", "issues", "repo"]);
        let none = rival.run_async(&["claim", "--next", "--repo", REPO, "--label", "nobody", "--json"]).await;
        keys(&none.exits(1).json(), &["label", "outcome", "tried"]);
        let closed = setup.issue().await;
        setup.repo.send("PATCH", &format!("/issues/{closed}"), json!({ "state": "closed" })).await;
        let refused = claim(&rival, closed).await.exits(1).json();
        keys(&refused, &["calls", "calls_in_all", "decided_in_ms", "issue", "outcome", "protocol", "why"]);
        assert_eq!(refused["why"], "the issue is closed");
    }
}

#[track_caller]
fn keys(value: &Value, expected: &[&str]) {
    let found: Vec<_> =
        value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect();
    assert_eq!(found, expected, "{value}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cannot_be_meant_or_done_says_what_is_wrong_and_exits_accordingly() {
    let setup = Setup::new(Protocol::Comment).await;
    let worker = setup.worker("worker").await;
    let name = reference(setup.issue().await);
    let rows: [(&[&str], i32, &str); 16] = [
        (&["claim"], 2, "REF"),
        (&["claim", "nonsense"], 2, "nonsense"),
        (&["claim", "admin/web#0"], 2, "admin/web#0"),
        (&["claim", "#1"], 2, "needs a repository"),
        (&["claim", "web#1"], 2, "names no owner"),
        (&["claim", &name, "--next"], 2, "--next"),
        (&["claim", &name, "--ttl", "soon"], 2, "soon"),
        (&["claim", &name, "--ttl", "2s"], 2, "too short"),
        (&["claim", &name, "--ttl", "48h"], 2, "max_ttl"),
        (&["claim", &name, "--codename", "No Name"], 2, "No Name"),
        (&["release", &name, "--outcome", "two words"], 2, "two words"),
        (&["release", &name], 1, "holds no lease"),
        (&["renew", &name], 1, "holds no lease"),
        (&["claim", "admin/web#4711"], 3, "404"),
        (&["check", "admin/nowhere#1"], 3, "404"),
        (&["sweep", "--repo", "admin/nowhere"], 3, "404"),
    ];
    let before = setup.dump_all().await;
    for (command, code, words) in rows {
        let ran = worker.run_async(command).await;
        assert_eq!(ran.code, code, "{command:?}: {ran:?}");
        assert!(ran.err.contains(words), "{command:?}: `{words}` is not in {ran:?}");
        assert!(!ran.err.contains("panicked"), "{command:?}: {ran:?}");
    }
    assert_same(&before, &setup.dump_all().await, "commands that cannot be meant");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_cannot_be_reached_or_asked_is_no_answer_about_the_issue() {
    let setup = Setup::new(Protocol::Ref).await;
    let worker = setup.worker("worker").await;
    let name = reference(setup.issue().await);
    let wrong = worker.clone().with("BATON_TOKEN", "bft_wrong");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nowhere = elsewhere(&worker, "nowhere", &format!("http://{closed}"));
    for command in [["claim", &name], ["check", &name], ["sweep", "--repo=admin/web"]] {
        let ran = wrong.run_async(&command).await.exits(3);
        assert!(ran.err.contains("401"), "{command:?}: {ran:?}");
        let ran = nowhere.run_async(&command).await.exits(3);
        assert!(ran.err.contains("BATON_GITHUB_API_URL"), "{command:?}: {ran:?}");
    }
    assert!(!wrong.run_async(&["claim", &name]).await.err.contains("bft_wrong"), "a token is not shown");
    let client = setup.forge.client(worker.variable("BATON_TOKEN").unwrap());
    let issue = setup.repo.by(&client).get("/issues/1").await;
    assert_eq!(issue["comments"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_survives_a_tracker_that_is_away_for_a_while() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let issue = setup.issue().await;
        let proxy = Proxy::start(&setup.forge.url, None).await;
        let env = elsewhere(&setup.worker("worker").await, "worker", &proxy.url);
        claim(&env, issue).await.exits(0);
        proxy.go_away(true);
        for command in ["renew", "release"] {
            env.run_async(&[command, &reference(issue)]).await.exits(3).says("BATON_GITHUB_API_URL");
        }
        proxy.go_away(false);
        env.run_async(&["renew", &reference(issue)]).await.exits(0);
        env.run_async(&["release", &reference(issue)]).await.exits(0);
        assert_eq!(setup.repo.labels(issue).await, ["agent:implement"], "{protocol}");
    }
}
