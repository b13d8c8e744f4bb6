//! `baton status` and `baton explain`: what they show, and that they leave nothing behind.

use crate::commands::desk::{Desk, ISSUE};

const AGENT: &str = "agents:\n  coder: {adapter: script, script: coder.yaml}\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_look_without_an_engine_tells_what_comes_next_and_leaves_nothing_behind() {
    let desk = Desk::new(AGENT, &["stage:Plan"]).await;
    let ran = desk.run(&["status"]).exits(0);
    assert!(
        ran.out.contains("Plan") && ran.out.contains(ISSUE) && ran.out.contains("waits for its turn"),
        "{ran:?}"
    );
    assert!(ran.out.contains("no engine has been here"), "{ran:?}");
    let ran = desk.run(&["explain", ISSUE]).exits(0);
    assert!(ran.out.contains(ISSUE) && ran.out.contains("invoke"), "{ran:?}");
    let shape = desk.run(&["explain", ISSUE, "--json"]).exits(0).json();
    assert_eq!(
        (shape["step"]["kind"].as_str(), shape["beside"]["holds_lease"].as_bool()),
        (Some("invoke_stage"), Some(false))
    );
    let shape = desk.run(&["status", "--json"]).exits(0).json();
    assert_eq!(
        (shape["issues"][0]["stage"].as_str(), shape["workers"].as_array().map(Vec::len)),
        (Some("Plan"), Some(0))
    );
    assert!(!desk.path(".baton/baton.db").exists(), "a look has made a store");
    assert_eq!(desk.labels().await, ["stage:Plan"]);
    assert!(desk.comments().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_explained_is_told_with_the_exit_code_for_it() {
    let desk = Desk::new(AGENT, &["stage:Plan"]).await;
    for (arguments, code, words) in [
        (&["explain"][..], 2, "which issue?"),
        (&["explain", "nonsense"], 2, "nonsense"),
        (&["explain", ISSUE, "--from", "x.json"], 2, "leave one out"),
        (&["explain", "admin/web#99"], 1, "there is no issue admin/web#99"),
        (&["status", "--config", "none.yaml"], 2, "there is no such file"),
    ] {
        let ran = desk.run(arguments).exits(code);
        assert!(ran.err.contains(words), "{arguments:?}: {ran:?}");
    }
    std::fs::write(
        desk.path("baton.yaml"),
        "repos: [admin/web]\ntracker: {api_url: 'http://127.0.0.1:9'}\nrequest_timeout: 1s\n",
    )
    .unwrap();
    for arguments in [&["explain", ISSUE][..], &["status"], &["pause", ISSUE]] {
        desk.run(arguments).exits(3);
    }
}
