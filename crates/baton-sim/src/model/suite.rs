//! Running many histories: all must hold, or, when something was left out on purpose, one must break.

use std::future::Future;

use baton_core::slot::Policy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use super::ops::{History, Op, histories};
use super::world::{Broken, live};
use crate::MemoryStore;
use crate::conformance::Ground;

/// How many histories, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Cases {
    /// How many.
    pub histories: u32,
    /// How many events each has at most.
    pub longest: usize,
    /// How often one that breaks is made shorter and tried again. On a database each time takes a while.
    pub shrinks: u32,
}

/// Runs histories; `live` says whether one holds.
///
/// # Panics
///
/// Panics with the shortest history that breaks a rule, and with the seed that makes it again.
pub fn expect_all_to_hold<F: Future<Output = Result<(), Broken>>>(cases: Cases, live: impl Fn(History) -> F) {
    if let Err(error) = run(cases, live) {
        panic!("{error}; PROPTEST_RNG_SEED of this run makes the same histories again");
    }
}

/// A history that breaks a rule, made as short as could be, and which rule it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What happened.
    pub history: History,
    /// What did not hold.
    pub why: String,
}

/// Runs histories until one breaks.
///
/// # Panics
///
/// Panics when none does: then the checks would not notice that something is missing.
pub fn expect_one_to_break<F: Future<Output = Result<(), Broken>>>(
    cases: Cases,
    live: impl Fn(History) -> F,
) -> Found {
    match run(cases, live) {
        Err(TestError::Fail(why, history)) => Found { history, why: why.to_string() },
        other => panic!("nothing was noticed: {other:?}"),
    }
}

/// Lives through a history on a store, and compares what can be told of it with the memory store's.
pub async fn sequentially<G: Ground, M: Ground<Store = MemoryStore>>(
    history: &[Op],
    policy: &Policy,
) -> Result<(), Broken> {
    let (here, wanted) = (live::<G>(history, policy).await?, live::<M>(history, policy).await?);
    if here == wanted {
        return Ok(());
    }
    Err(Broken(format!("the memory store tells another story:\n{wanted:#?}\nand this one:\n{here:#?}")))
}

fn run<F: Future<Output = Result<(), Broken>>>(
    cases: Cases,
    live: impl Fn(History) -> F,
) -> Result<(), TestError<History>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.unwrap();
    let config = Config {
        cases: cases.histories,
        max_shrink_iters: cases.shrinks,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(&histories(cases.longest), |history| {
        let held = runtime.block_on(live(history));
        held.map_err(|Broken(why)| TestCaseError::fail(why))
    })
}
