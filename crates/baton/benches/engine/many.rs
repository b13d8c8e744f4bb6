//! Many runs at once: agents that wait for each other, so that all of them run at one time.

use std::time::{Duration, Instant};

use crate::Row;
use crate::desk::{Desk, Setup};
use crate::journal::Journal;
use crate::site::{issues, resident_bytes};
use crate::world::World;

const LONG: Duration = Duration::from_secs(300);

pub(crate) async fn measure(count: usize) -> Vec<Row> {
    let world = World::new();
    let repo = world.repo("web").await;
    repo.set_protocol("ref");
    let token = world.account("ann", &repo).await;
    issues(&world, &repo.name, count, &["stage:Specify"]).await;
    let setup = Setup {
        name: "ann",
        token: &token,
        api_url: &world.forge.url,
        repo: &repo.name,
        store: "sqlite:.baton/baton.db",
        more: &format!("max_concurrent: {count}\n"),
    };
    let journal = Journal::new(world.path(), "agents");
    let desk = Desk::new(&world.path().join("ann"), &setup, &journal).with("BATON_YOLO", "false");
    let gate = world.path().join("gate");
    desk.replace_script(&journal.waiting_script("ann", &gate));
    let began = Instant::now();
    let engine = desk.engine();
    while journal.entries().len() < count {
        assert!(began.elapsed() < LONG, "{} agents run{}", journal.entries().len(), desk.told());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (all_run, resident) = (began.elapsed(), resident_bytes(engine.pid()) >> 20);
    std::fs::write(&gate, "").unwrap();
    let wanted = "stage:Specify:complete";
    while repo.count_labelled(wanted).await < count {
        assert!(began.elapsed() < LONG, "not all were settled{}", desk.told());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let figures = format!(
        "all run after {:.1} s, all settled after {:.1} s; the engine has {resident} MiB",
        all_run.as_secs_f64(),
        began.elapsed().as_secs_f64()
    );
    engine.stop().await;
    assert_eq!(journal.entries().len(), count, "somebody ran twice");
    vec![Row::new(
        format!("{count} scripted runs at once"),
        figures,
        "all run and are settled once",
        Some(true),
    )]
}
