//! Input that cannot be meant: each mistake has its exit code and its words, and the store stays as it was.

use baton_core::slot::context::CONTEXT_BYTES_MAX;

use crate::flow::setup::{ISSUE, Setup, issue};

async fn check(setup: &Setup, before: &str, arguments: &[&str], code: i32, words: &str) {
    let ran = setup.env.run(arguments).exits(code).says(words);
    assert_eq!(ran.out, "", "{arguments:?}");
    assert_eq!(setup.dump().await, before, "`baton {}` has changed the store", arguments.join(" "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_is_told_and_changes_nothing() {
    for setup in Setup::on_both(&[("dev", "true"), ("ops", "true")]) {
        setup.wake(&["dev"]).exits(0);
        let before = setup.dump().await;
        let long = "k".repeat(201);
        std::fs::write(setup.env.path("binary"), [b'{', 0xff]).unwrap();
        setup.env.write("list.json", "[1]");
        let wake = ["wake", ISSUE, "--agent", "dev"];
        let with = |more: &[&'static str]| [&wake, more].concat();
        let table: Vec<(Vec<&str>, i32, &str)> = vec![
            (vec!["wake", ISSUE], 2, "--agent"),
            (
                vec!["wake", ISSUE, "--agent", "nobody"],
                2,
                "there is no agent `nobody`: the configured ones are dev, ops",
            ),
            (vec!["wake", "seven", "--agent", "dev"], 2, "does not name an issue"),
            (vec!["wake", "#7", "--agent", "dev"], 2, "needs a repository"),
            (vec!["wake", "https://gitlab.example/a/b/issues/7", "--agent", "dev"], 2, "gitlab.example"),
            (
                with(&["--reason", "boredom"]),
                2,
                "`boredom` is not a reason to wake: write one of stage_ready",
            ),
            (with(&["--context", "{"]), 2, "the context is not JSON"),
            (with(&["--context", "[1]"]), 2, "must be a JSON object"),
            (with(&["--context", "7"]), 2, "and not a number"),
            (with(&["--context", ""]), 2, "the context is not JSON"),
            (with(&["--context", r#"{"comment_ids":["x"]}"#]), 2, "list of whole numbers"),
            (with(&["--context", "-"]), 2, "the context is not JSON"),
            (with(&["--context", "@nowhere.json"]), 2, "--context @nowhere.json: cannot be read"),
            (with(&["--context", "@list.json"]), 2, "must be a JSON object"),
            (with(&["--context", "@binary"]), 2, "this is no text in UTF-8"),
            (with(&["--context", "@."]), 2, "cannot be read"),
            (with(&["--key", ""]), 2, "--key must be 1 to 200 characters"),
            (with(&["--key", "a\nb"]), 2, "--key must be 1 to 200 characters"),
            ([&wake[..], &["--key", &long]].concat(), 2, "--key must be 1 to 200 characters"),
            (with(&["--task", "nightly"]), 2, "cannot be used with"),
            (vec!["wake", "--agent", "dev", "--task", " "], 2, "--task must be 1 to 200 characters"),
            (vec!["runs", "--status", "sleeping"], 2, "`sleeping` is not a status of runs"),
            (vec!["runs", "--limit", "0"], 2, "--limit"),
            (vec!["runs", "--limit", "-1"], 2, "unexpected argument"),
            (vec!["runs", "--issue", "x"], 2, "does not name an issue"),
            (vec!["wakeups", "--status", "running"], 2, "`running` is not a status of wakeups"),
            (vec!["cancel"], 2, "<RUN>"),
            (vec!["cancel", "0"], 2, "`0` is not the number of a run"),
            (vec!["cancel", "one"], 2, "`one` is not the number of a run"),
            (vec!["cancel", "2"], 1, "there is no run 2"),
            (vec!["logs", "99999999999999999999"], 2, "is not the number of a run"),
            (vec!["logs", "2"], 1, "there is no run 2"),
            (vec!["engine"], 2, "no repository is named"),
            (vec!["engine", "--once"], 2, "--once goes with --idle"),
            (vec!["engine", "--idle", "--name", ""], 2, "--name must be"),
        ];
        for (arguments, code, words) in table {
            check(&setup, &before, &arguments, code, words).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_is_read_from_a_file_and_from_standard_input_up_to_its_limit() {
    let setup = Setup::on_sqlite(&[("dev", "true")]);
    let of = |bytes: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes - 8));
    setup.env.write("full.json", &of(CONTEXT_BYTES_MAX));
    setup.env.write("large.json", &of(CONTEXT_BYTES_MAX + 1));
    let before = setup.dump().await;
    check(&setup, &before, &["wake", ISSUE, "--agent", "dev", "--context", "@large.json"], 2, "the limit is")
        .await;
    let large = of(CONTEXT_BYTES_MAX + 100_000);
    let ran =
        setup.env.run_with_input(&["wake", ISSUE, "--agent", "dev", "--context", "-"], large.as_bytes());
    ran.exits(2).says("the limit is");
    assert_eq!(setup.dump().await, before);
    setup.wake(&["dev", "--context", "@full.json"]).exits(0);
    // Alone it would be small enough, but not together with what is there.
    let full = setup.dump().await;
    let words = "it was to be merged with what waits for run 1 of dev (queued for";
    check(&setup, &full, &["wake", ISSUE, "--agent", "dev", "--context", r#"{"b":1}"#], 1, words).await;
    let refused = setup.wake(&["dev", "--context", r#"{"b":1}"#, "--json"]).exits(1).json();
    assert_eq!((&refused["outcome"], &refused["holder"]["run"]), (&"refused".into(), &1.into()));
    let ran = setup.env.run_with_input(&["wake", "--agent", "dev", "--context", "-"], br#"{"c":2}"#);
    ran.exits(0).says("queued as run 2");
    assert_eq!(setup.env.runs()[1]["context"]["c"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_issue_is_not_woken_and_that_is_listed() {
    for setup in Setup::on_both(&[("dev", "true")]) {
        setup.relay().await.set_open(&issue(), false).await.unwrap();
        setup.wake(&["dev"]).exits(1).says("was skipped: the issue is closed");
        let told = setup.wake(&["dev", "--json"]).exits(1).json();
        assert_eq!((&told["outcome"], &told["why"]), (&"skipped".into(), &"issue_closed".into()));
        setup.env.run(&["wakeups", "--status", "skipped"]).exits(0).says("issue_closed");
        assert!(setup.env.runs().is_empty());
    }
}

#[test]
fn a_run_id_in_the_environment_that_is_none_is_refused() {
    let setup = Setup::on_sqlite(&[("dev", "true")]);
    let ran = setup.env.clone().with("BATON_RUN_ID", "mine").run(&["wake", ISSUE, "--agent", "dev"]);
    ran.exits(2).says("BATON_RUN_ID: `mine` is not the number of a run");
    assert!(setup.env.wakeups().is_empty());
}

#[test]
fn an_engine_without_agents_has_nothing_to_do() {
    let setup = Setup::on_sqlite(&[]);
    setup.env.write("baton.yaml", "user: ann\n");
    setup.env.run(&["engine", "--idle"]).exits(2).says("no agent is configured");
    setup.wake(&["dev"]).exits(2).says("none is configured");
    assert!(!setup.env.path("baton.db").exists());
}
