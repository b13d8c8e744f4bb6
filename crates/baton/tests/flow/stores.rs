//! Stores that are empty, not there, or not to be used; and what an engine tells the store about limits.

use baton_ports::Store as _;

use crate::flow::desk::{Desk, finish};

#[tokio::test(flavor = "multi_thread")]
async fn a_look_at_a_store_that_is_not_there_makes_none() {
    let desk = Desk::on_sqlite(&[("dev", "true")]);
    for what in ["runs", "wakeups"] {
        let ran = desk.run(&[what]).await.exits(0);
        assert_eq!((ran.out.as_str(), ran.err), ("", format!("there are no such {what}")));
        assert_eq!(desk.run(&[what, "--json"]).await.exits(0).out, format!(r#"{{"{what}":[]}}"#));
    }
    desk.run(&["cancel", "1"]).await.exits(1).says("there is no run 1");
    desk.run(&["logs", "1"]).await.exits(1).says("there is no run 1");
    assert!(!desk.path("baton.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_be_used_is_out_of_reach() {
    let mut desk = Desk::on_sqlite(&[("dev", "true")]);
    std::fs::write(desk.path("not-a-database"), "user: ann\n".repeat(1000)).unwrap();
    std::fs::create_dir(desk.path("directory")).unwrap();
    let at = |name: &str| format!("sqlite:{}", desk.path(name).display());
    let table = [
        (at("not-a-database"), 3, "file is not a database"),
        (at("directory"), 3, "unable to open"),
        (at("not-a-database/baton.db"), 3, "sqlite:"),
        ("postgres://ada:s3cret@127.0.0.1:9/baton".to_owned(), 3, "postgres://ada@127.0.0.1:9/baton"),
        ("mysql://ada:s3cret@db/baton".to_owned(), 2, "sqlite:PATH"),
    ];
    for (store, code, words) in table {
        desk.store = store;
        for arguments in [&["runs"][..], &["wake", "--agent", "dev"], &["engine", "--idle", "--once"]] {
            // What is below a file is not there, so there is nothing to be looked at.
            if arguments == ["runs"] && desk.store.ends_with("not-a-database/baton.db") {
                continue;
            }
            let ran = desk.run(arguments).await.exits(code).says(words);
            assert!(!ran.err.contains("s3cret"), "{ran:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_a_newer_version_is_left_alone() {
    let desk = Desk::on_postgres(&[("dev", "true")]);
    desk.wake(&["dev"]).await.exits(0);
    let database = desk.database.as_ref().unwrap();
    database.sql("INSERT INTO baton_schema (version) VALUES (999)").unwrap();
    for arguments in [&["runs"][..], &["wake", "--agent", "dev"], &["cancel", "1"], &["engine", "--idle"]] {
        desk.run(arguments)
            .await
            .exits(3)
            .says("its schema has version 999")
            .says("use the newer version of baton");
    }
    assert_eq!(database.sql("SELECT count(*) FROM wakeups").unwrap(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_sets_the_limits_of_the_configuration() {
    for desk in Desk::on_both(&[("dev", "true")]) {
        let desk = desk.with_settings("max_concurrent: 4\nmax_per_repo: 2\n");
        let yaml = std::fs::read_to_string(desk.path("baton.yaml")).unwrap();
        let limited = yaml.replace(
            "[bash, dev.sh]",
            "[bash, dev.sh], max_concurrent: 3, runs_per_day: 1, cost_per_day: 2.50",
        );
        std::fs::write(desk.path("baton.yaml"), limited).unwrap();
        desk.execute().await;
        let counters = desk.relay().await.store.counters().await.unwrap();
        let max =
            |name: &str| counters.iter().find(|counter| counter.name == name).and_then(|counter| counter.max);
        assert_eq!((max("all"), max("repo:"), max("agent:dev")), (Some(4), Some(2), Some(3)));
        assert_eq!((max("runs:dev:"), max("cost:dev:")), (Some(1), Some(2_500_000)));
        desk.wake(&["dev"]).await.exits(0);
        desk.run(&["wake", "--agent", "dev"]).await.exits(0);
        desk.execute().await;
        let statuses: Vec<_> = desk.runs().await.iter().map(|run| run["status"].clone()).collect();
        assert_eq!(statuses, ["succeeded", "queued"], "one run a day");
        std::fs::write(desk.path("baton.yaml"), yaml).unwrap();
        desk.execute().await;
        assert_eq!(desk.runs().await[1]["status"], "succeeded", "the limit was taken away");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wakeup_that_waits_for_too_long_is_marked() {
    let desk = Desk::on_sqlite(&[("dev", "true"), ("ops", "true")]).with_settings("deferred_alarm: 1ms\n");
    desk.wake(&["dev"]).await.exits(0);
    desk.wake(&["ops"]).await.exits(0);
    desk.run(&["wakeups", "--status", "deferred"]).await.exits(0).says("waits for too long");
    assert_eq!(desk.wakeups().await[1]["overdue"], true);
    assert_eq!(desk.wakeups().await[0]["overdue"], false);
    let mut patient = desk.command(&["wakeups"]);
    patient.env("BATON_DEFERRED_ALARM", "1h");
    let ran = finish(patient).await.exits(0);
    assert!(!ran.out.contains("too long") && !ran.out.contains('\u{1b}'), "{ran:?}");
}
