//! `baton status` and `baton explain`: what they show, and that they leave nothing behind.

use crate::commands::setup::{AGENT, ISSUE, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_look_without_an_engine_tells_what_comes_next_and_leaves_nothing_behind() {
    let setup = Setup::new(AGENT, &["stage:Plan"]).await;
    let ran = setup.env.run(&["status"]).exits(0);
    assert!(
        ran.out.contains("Plan") && ran.out.contains(ISSUE) && ran.out.contains("waits for its turn"),
        "{ran:?}"
    );
    assert!(ran.out.contains("no engine has been here"), "{ran:?}");
    let ran = setup.env.run(&["explain", ISSUE]).exits(0);
    assert!(ran.out.contains(ISSUE) && ran.out.contains("invoke"), "{ran:?}");
    let shape = setup.env.run(&["explain", ISSUE, "--json"]).exits(0).json();
    assert_eq!(
        (shape["step"]["kind"].as_str(), shape["beside"]["holds_lease"].as_bool()),
        (Some("invoke_stage"), Some(false))
    );
    let shape = setup.env.run(&["status", "--json"]).exits(0).json();
    assert_eq!(
        (shape["issues"][0]["stage"].as_str(), shape["workers"].as_array().map(Vec::len)),
        (Some("Plan"), Some(0))
    );
    assert!(!setup.env.path(".baton/baton.db").exists(), "a look has made a store");
    assert_eq!(setup.repo.labels(1).await, ["stage:Plan"]);
    assert!(setup.repo.bodies(1).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_explained_is_told_with_the_exit_code_for_it() {
    let setup = Setup::new(AGENT, &["stage:Plan"]).await;
    for (arguments, code, words) in [
        (&["explain"][..], 2, "which issue?"),
        (&["explain", "nonsense"], 2, "nonsense"),
        (&["explain", ISSUE, "--from", "x.json"], 2, "leave one out"),
        (&["explain", "admin/web#99"], 1, "there is no issue admin/web#99"),
        (&["status", "--config", "none.yaml"], 2, "there is no such file"),
    ] {
        let ran = setup.env.run(arguments).exits(code);
        assert!(ran.err.contains(words), "{arguments:?}: {ran:?}");
    }
    let out_of_reach = "repos: [admin/web]\ntracker: {api_url: 'http://127.0.0.1:9'}\nrequest_timeout: 1s\n";
    setup.env.write("baton.yaml", out_of_reach);
    for arguments in [&["explain", ISSUE][..], &["status"], &["pause", ISSUE]] {
        setup.env.run(arguments).exits(3);
    }
}
