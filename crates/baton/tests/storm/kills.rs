//! An engine that is killed at a write, before the forge has it or before the answer is there, and started again: in the end
//! all is as if nothing had happened, and nothing is there twice.
//!
//! Continuous integration kills at a sample of the writes; `BATON_TEST_FULL=1` kills at each, on both sides and both stores.

use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_core::slot::ItemKey;
use baton_core::slot::effect::EffectStatus;
use baton_core::tracker::IssueKey;
use baton_fixtures::wait::in_parallel;
use baton_fixtures::{
    Counts, Deed, Proxy, Side, Strike, TOKEN, TestEngine, TestEnv, TestForge, TestRepo, is_full, seed,
};
use baton_ports::Store as _;
use baton_testbed::shared::{TestDatabase, url_for_new_database};

use crate::storm::end_state::{EndState, nothing_is_there_twice};
use crate::storm::journal::Journal;
use crate::storm::setup::{
    SQLITE, Settings, described, engine_env, is_done, open_store, repo_with_protocol, told, wish,
};

/// Long enough for everything, however busy the machine is: beside a dozen busy loops, two minutes have been seen.
const LONG: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How many courses of events go on at one time.
const AT_ONCE: usize = 4;
/// How many writes of each kind are struck when not all are.
const SAMPLE: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sqlite,
    Postgres,
}

/// Whether a request changes something: pushes, and everything but reads and queries.
fn is_write(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let line = text.lines().next().unwrap_or_default();
    match line {
        _ if line.starts_with("GET ") || line.starts_with("HEAD ") => false,
        _ if line.contains("/git-upload-pack") => false,
        _ if line.contains("/graphql") => text.contains("mutation"),
        _ => true,
    }
}

/// Whether a request takes an issue out of the last column but one. It is in the last one by then.
fn ends_last_move(request: &[u8]) -> bool {
    let line = String::from_utf8_lossy(request).lines().next().unwrap_or_default().replace("%3A", ":");
    line.starts_with("DELETE ") && line.contains("/labels/stage:Validate HTTP")
}

/// What one course of events came to.
struct Course {
    end: EndState,
    writes: usize,
    /// Whether the engine was killed; it is not when the issue comes to its end with fewer writes than that.
    is_struck: bool,
}

/// An issue on its way, and everything that takes part in it.
struct Scene {
    repo: TestRepo,
    issue: u64,
    proxy: Proxy,
    /// Nothing where the engine has a store to itself.
    database: Option<TestDatabase>,
    env: TestEnv,
}

impl Scene {
    async fn set(forge: &TestForge, name: &str, kind: Kind, strike: Option<Strike>, counts: Counts) -> Self {
        let repo = repo_with_protocol(forge, name, "ref").await;
        let issue = wish(&repo, "A wish").await;
        let proxy = Proxy::start_counting(&forge.url, strike, counts).await;
        let database = (kind == Kind::Postgres).then(|| url_for_new_database("kills").unwrap());
        let settings = Settings {
            name: "ann",
            token: TOKEN,
            api_url: &proxy.url,
            repo: &repo,
            store: &database.as_ref().map_or_else(|| SQLITE.to_owned(), TestDatabase::url),
            more: "request_timeout: 5s\n",
        };
        let journal = Journal::new(forge.dir(), name);
        let env = engine_env(&forge.dir().join(name), &settings, &journal);
        Self { repo, issue, proxy, database, env }
    }

    fn engine(&self) -> TestEngine {
        self.env.engine(&["engine", "--name", "ann"])
    }

    /// Returns whether the issue has come to its end and nothing is left to perform or to find out. On the tracker alone the
    /// two cannot be told apart: an engine that was killed after its last write still has to see that it took effect.
    async fn is_over(&self) -> bool {
        if !is_done(&self.repo, self.issue).await {
            return false;
        }
        let issue = IssueKey { repo: self.repo.name.parse().unwrap(), number: self.issue };
        let effects = open_store(&self.env, self.database.as_ref())
            .await
            .effects(&ItemKey::issue(&issue))
            .await
            .unwrap();
        let is_left = |status| matches!(status, EffectStatus::Pending | EffectStatus::Sending);
        !effects.iter().any(|effect| is_left(effect.status))
    }

    /// Waits until the engine was killed. Returns false when it came to the end without.
    async fn is_killed(&self, engine: &mut TestEngine) -> bool {
        let started = Instant::now();
        while !engine.has_ended() {
            // Who is struck at the last write has not heard of it, so that it is never over.
            if self.is_over().await && !self.proxy.is_struck() {
                return false;
            }
            self.insist_on_time(started, "neither killed nor done").await;
        }
        assert!(self.proxy.is_struck(), "{}: it died by itself{}", self.repo.name, told(&self.env));
        true
    }

    async fn until_over(&self) {
        let started = Instant::now();
        while !self.is_over().await {
            self.insist_on_time(started, "not over").await;
        }
    }

    async fn insist_on_time(&self, started: Instant, what: &str) {
        if started.elapsed() >= LONG {
            let described = described(&self.repo, &[self.issue]).await;
            panic!("{what} within {LONG:?}: {described}{}", told(&self.env));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Takes an issue of a repository of its own through the whole pipeline, and kills the engine at most once.
async fn course(forge: &TestForge, name: &str, kind: Kind, strike: Option<Strike>) -> Course {
    let scene = Scene::set(forge, name, kind, strike, is_write).await;
    let mut engine = scene.engine();
    let mut is_struck = false;
    if strike.is_some() {
        scene.proxy.aim(u32::try_from(engine.pid()).unwrap());
        is_struck = scene.is_killed(&mut engine).await;
    }
    if is_struck {
        engine = scene.engine();
    }
    scene.until_over().await;
    engine.stop_async().await;
    nothing_is_there_twice(&scene.repo, scene.issue).await;
    let end = EndState::of(&scene.repo, scene.issue).await;
    Course { end, writes: scene.proxy.counted(), is_struck }
}

/// The writes to strike: all, or a sample that another seed changes.
fn points(writes: usize) -> Vec<(usize, Side)> {
    let all: Vec<_> = (1..=writes).flat_map(|at| [(at, Side::Before), (at, Side::After)]).collect();
    if is_full() {
        return all;
    }
    let seed = seed();
    let step = all.len().div_ceil(SAMPLE) | 1;
    println!("PROPTEST_RNG_SEED={seed} chooses every {step}th of {} places", all.len());
    let first = usize::try_from(seed % u64::try_from(step).unwrap()).unwrap();
    all.into_iter().skip(first).step_by(step).collect()
}

/// Kills an engine at one place. Returns whether that place was reached.
async fn killed_at(forge: Arc<TestForge>, undisturbed: Arc<Course>, kind: Kind, strike: Strike) -> bool {
    let name = format!("{:?}-{}", strike.side, strike.at).to_lowercase();
    let course = course(&forge, &name, kind, Some(strike)).await;
    assert_eq!(course.end, undisturbed.end, "{name} on {kind:?}");
    course.is_struck
}

async fn killed_everywhere(kind: Kind) {
    let forge = Arc::new(TestForge::start());
    let undisturbed = Arc::new(course(&forge, "undisturbed", kind, None).await);
    let places = points(undisturbed.writes);
    let courses = places.iter().map(|&(at, side)| {
        let strike = Strike { at, side, deed: Deed::Kill };
        let killed = killed_at(Arc::clone(&forge), Arc::clone(&undisturbed), kind, strike);
        // Each is a task of its own, so that a place that fails does not hide others.
        async move { tokio::spawn(killed).await.ok() }
    });
    let outcomes = in_parallel(AT_ONCE, courses.collect::<Vec<_>>()).await;
    let of =
        |outcome| places.iter().zip(&outcomes).filter(move |it| *it.1 == outcome).map(|(place, _)| place);
    let (failed, missed): (Vec<_>, Vec<_>) = (of(None).collect(), of(Some(false)).collect());
    assert!(failed.is_empty(), "failed at {failed:?} on {kind:?}; what went wrong is printed above");
    // A busy machine repeats requests, so that an undisturbed course may need a few writes more than another does.
    assert!(missed.len() <= places.len().div_ceil(5), "these places were not reached: {missed:?}");
    println!("killed at {} places on {kind:?}, not reached: {missed:?}", places.len() - missed.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_on_sqlite_that_is_killed_at_a_write_comes_to_the_same_end() {
    killed_everywhere(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_on_postgresql_that_is_killed_at_a_write_comes_to_the_same_end() {
    killed_everywhere(Kind::Postgres).await;
}

/// The sample seldom meets this place, and no later move would put it right.
#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_killed_halfway_through_the_last_move_finishes_it() {
    let forge = TestForge::start();
    let strike = Strike { at: 1, side: Side::Before, deed: Deed::Kill };
    let scene = Scene::set(&forge, "halfway", Kind::Sqlite, Some(strike), ends_last_move).await;
    let mut engine = scene.engine();
    scene.proxy.aim(u32::try_from(engine.pid()).unwrap());
    assert!(scene.is_killed(&mut engine).await, "the issue never left its column");
    let columns = ["stage:Validate", "stage:Done"].map(str::to_owned);
    let labels = scene.repo.labels(scene.issue).await;
    assert!(columns.iter().all(|column| labels.contains(column)), "it is in both: {labels:?}");
    let engine = scene.engine();
    scene.until_over().await;
    engine.stop_async().await;
    let labels = scene.repo.labels(scene.issue).await;
    assert!(!labels.contains(&columns[0]) && labels.contains(&columns[1]), "{labels:?}");
}
