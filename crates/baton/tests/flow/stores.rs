//! Stores that are empty, not there, or not to be used; and what an engine tells the store about limits.

use baton_ports::Store as _;

use crate::flow::setup::Setup;

#[test]
fn a_look_at_a_store_that_is_not_there_makes_none() {
    let setup = Setup::on_sqlite(&[("dev", "true")]);
    for what in ["runs", "wakeups"] {
        let ran = setup.env.run(&[what]).exits(0);
        assert_eq!((ran.out.as_str(), ran.err), ("", format!("there are no such {what}")));
        assert_eq!(setup.env.run(&[what, "--json"]).exits(0).out, format!(r#"{{"{what}":[]}}"#));
    }
    setup.env.run(&["cancel", "1"]).exits(1).says("there is no run 1");
    setup.env.run(&["logs", "1"]).exits(1).says("there is no run 1");
    assert!(!setup.env.path("baton.db").exists());
}

#[test]
fn a_store_that_cannot_be_used_is_out_of_reach() {
    let mut setup = Setup::on_sqlite(&[("dev", "true")]);
    setup.env.write("not-a-database", &"user: ann\n".repeat(1000));
    std::fs::create_dir(setup.env.path("directory")).unwrap();
    let at = |name: &str| format!("sqlite:{}", setup.env.path(name).display());
    let table = [
        (at("not-a-database"), 3, "file is not a database"),
        (at("directory"), 3, "unable to open"),
        (at("not-a-database/baton.db"), 3, "sqlite:"),
        ("postgres://ada:s3cret@127.0.0.1:9/baton".to_owned(), 3, "postgres://ada@127.0.0.1:9/baton"),
        ("mysql://ada:s3cret@db/baton".to_owned(), 2, "sqlite:PATH"),
    ];
    for (store, code, words) in table {
        setup.env.set("BATON_STORE", Some(&store));
        for arguments in [&["runs"][..], &["wake", "--agent", "dev"], &["engine", "--idle", "--once"]] {
            // What is below a file is not there, so there is nothing to be looked at.
            if arguments == ["runs"] && store.ends_with("not-a-database/baton.db") {
                continue;
            }
            let ran = setup.env.run(arguments).exits(code).says(words);
            assert!(!ran.err.contains("s3cret"), "{ran:?}");
        }
    }
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let setup = Setup::on_postgres(&[("dev", "true")]);
    setup.wake(&["dev"]).exits(0);
    let database = setup.database.as_ref().unwrap();
    database.sql("INSERT INTO baton_schema (version) VALUES (999)").unwrap();
    for arguments in [&["runs"][..], &["wake", "--agent", "dev"], &["cancel", "1"], &["engine", "--idle"]] {
        setup
            .env
            .run(arguments)
            .exits(3)
            .says("its schema has version 999")
            .says("use the newer version of baton");
    }
    assert_eq!(database.sql("SELECT count(*) FROM wakeups").unwrap(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_sets_the_limits_of_the_configuration() {
    for setup in Setup::on_both(&[("dev", "true")]) {
        let setup = setup.with_settings("max_concurrent: 4\nmax_per_repo: 2\n");
        let limits = ", max_concurrent: 3, runs_per_day: 1, cost_per_day: 2.50";
        setup.edit("[bash, dev.sh]", &format!("[bash, dev.sh]{limits}"));
        setup.execute();
        let counters = setup.relay().await.store.counters().await.unwrap();
        let max =
            |name: &str| counters.iter().find(|counter| counter.name == name).and_then(|counter| counter.max);
        assert_eq!((max("all"), max("repo:"), max("agent:dev")), (Some(4), Some(2), Some(3)));
        assert_eq!((max("runs:dev:"), max("cost:dev:")), (Some(1), Some(2_500_000)));
        setup.wake(&["dev"]).exits(0);
        setup.env.run(&["wake", "--agent", "dev"]).exits(0);
        setup.execute();
        let statuses: Vec<_> = setup.env.runs().iter().map(|run| run["status"].clone()).collect();
        assert_eq!(statuses, ["succeeded", "queued"], "one run a day");
        setup.edit(limits, "");
        setup.execute();
        assert_eq!(setup.env.runs()[1]["status"], "succeeded", "the limit was taken away");
    }
}

#[test]
fn a_wakeup_that_waits_for_too_long_is_marked() {
    let setup = Setup::on_sqlite(&[("dev", "true"), ("ops", "true")]).with_settings("deferred_alarm: 1ms\n");
    setup.wake(&["dev"]).exits(0);
    setup.wake(&["ops"]).exits(0);
    setup.env.run(&["wakeups", "--status", "deferred"]).exits(0).says("waits for too long");
    assert_eq!(setup.env.wakeups()[1]["overdue"], true);
    assert_eq!(setup.env.wakeups()[0]["overdue"], false);
    let ran = setup.env.clone().with("BATON_DEFERRED_ALARM", "1h").run(&["wakeups"]).exits(0);
    assert!(!ran.out.contains("too long") && !ran.out.contains('\u{1b}'), "{ran:?}");
}
