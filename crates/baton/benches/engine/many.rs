//! Many runs at once: agents that wait for each other, so that all of them run at one time.

use std::time::{Duration, Instant};

use crate::Row;
use crate::site::{Site, issues, resident_bytes};
use crate::storm::setup::told;

const LONG: Duration = Duration::from_secs(300);

pub(crate) async fn measure(count: usize) -> Vec<Row> {
    let site = Site::new().await;
    let (repo, journal) = (&site.repo, &site.journal);
    issues(repo, count, &["stage:Specify"]).await;
    let env =
        site.engine_env(&site.forge.url, &format!("max_concurrent: {count}\n")).with("BATON_YOLO", "false");
    let gate = site.forge.dir().join("gate");
    env.write("coder.yaml", &journal.waiting_script("ann", &gate));
    let began = Instant::now();
    let engine = env.engine(&["engine", "--name", "ann"]);
    while journal.entries().len() < count {
        assert!(began.elapsed() < LONG, "{} agents run{}", journal.entries().len(), told(&env));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (all_run, resident) = (began.elapsed(), resident_bytes(engine.pid()) >> 20);
    std::fs::write(&gate, "").unwrap();
    while repo.pages("/issues?labels=stage:Specify:complete").await.len() < count {
        assert!(began.elapsed() < LONG, "not all were settled{}", told(&env));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let figures = format!(
        "all run after {:.1} s, all settled after {:.1} s; the engine has {resident} MiB",
        all_run.as_secs_f64(),
        began.elapsed().as_secs_f64()
    );
    engine.stop_async().await;
    assert_eq!(journal.entries().len(), count, "somebody ran twice");
    vec![Row::new(
        format!("{count} scripted runs at once"),
        figures,
        "all run and are settled once",
        Some(true),
    )]
}
