//! What can happen, and how often.

use baton_core::slot::RunEnd;
use proptest::prelude::*;

/// How many issues a history is about.
pub(super) const ISSUES: u64 = 3;
/// How many workers there are.
pub(super) const WORKERS: usize = 3;
/// Who is woken.
pub(super) const AGENTS: [&str; 3] = ["dev", "cto", "qa"];

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Somebody asks that an agent look at an issue.
    Wake {
        /// Which issue.
        issue: u64,
        /// Which agent.
        agent: usize,
        /// Whether a person asks.
        is_person: bool,
    },
    /// An agent does something on its issue, which would wake it.
    OwnDoing {
        /// Whose agent.
        worker: usize,
    },
    /// A worker asks for a run.
    Start {
        /// Which.
        worker: usize,
    },
    /// A worker asks for a run, and never hears the answer.
    StartUnheard {
        /// Which.
        worker: usize,
    },
    /// A worker's oldest agent ends.
    Finish {
        /// Which.
        worker: usize,
        /// How.
        end: End,
        /// Whether it wants something done on the tracker.
        with_effects: bool,
    },
    /// The end of a run that was told long ago arrives at last.
    LateFinish {
        /// Whose.
        worker: usize,
    },
    /// A worker renews its lease and hears which runs must stop.
    Heartbeat {
        /// Which.
        worker: usize,
    },
    /// A worker dies, and its agents with it.
    Crash {
        /// Which.
        worker: usize,
    },
    /// A worker is cut off from the store.
    Partition {
        /// Which.
        worker: usize,
    },
    /// It is connected again.
    Rejoin {
        /// Which.
        worker: usize,
    },
    /// An operator cancels the run of an issue.
    Cancel {
        /// Which issue.
        issue: u64,
        /// Whether what waits goes on.
        keep_queue: bool,
    },
    /// An issue is given to another agent.
    Reassign {
        /// Which issue.
        issue: u64,
        /// To whom.
        agent: usize,
    },
    /// An issue is closed or opened.
    SetOpen {
        /// Which issue.
        issue: u64,
        /// Which of the two.
        is_open: bool,
    },
    /// An issue is paused or goes on.
    SetGate {
        /// Which issue.
        issue: u64,
        /// Which of the two.
        is_shut: bool,
    },
    /// An engine decides something about an issue.
    Settle {
        /// Which issue.
        issue: u64,
    },
    /// A worker performs an effect.
    Perform {
        /// Which worker.
        worker: usize,
        /// Whether it dies over it, and then before or after the tracker has it.
        dies: Option<Dies>,
    },
    /// Somebody looks for what is left behind.
    Scan,
    /// Time passes.
    Advance {
        /// How many seconds.
        seconds: u64,
    },
}

/// When a worker dies over an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dies {
    /// The tracker has not got it.
    BeforeTheTrackerHasIt,
    /// The tracker has it, and the store does not know.
    BeforeTheStoreKnows,
}

/// How an agent ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Well.
    Succeeded,
    /// Badly.
    Failed,
    /// At a provider's limit.
    ProviderLimit,
    /// Because its worker ends.
    GivenBack,
}

impl From<End> for RunEnd {
    fn from(end: End) -> Self {
        match end {
            End::Succeeded => Self::Succeeded,
            End::Failed => Self::Failed("it failed".to_owned()),
            End::ProviderLimit => Self::ProviderLimit(None),
            End::GivenBack => Self::GivenBack,
        }
    }
}

/// A history.
pub type History = Vec<Op>;

/// Returns histories of up to `longest` events.
pub fn histories(longest: usize) -> impl Strategy<Value = History> {
    prop::collection::vec(op(), 1..=longest)
}

fn op() -> impl Strategy<Value = Op> {
    let (issue, agent, worker) = (1..=ISSUES, 0..AGENTS.len(), 0..WORKERS);
    let end = prop_oneof![
        4 => Just(End::Succeeded),
        2 => Just(End::Failed),
        1 => Just(End::ProviderLimit),
        1 => Just(End::GivenBack),
    ];
    let dies = prop_oneof![
        4 => Just(None),
        1 => Just(Some(Dies::BeforeTheTrackerHasIt)),
        1 => Just(Some(Dies::BeforeTheStoreKnows)),
    ];
    let seconds = prop_oneof![Just(1), Just(20), Just(50), Just(70), Just(600)];
    prop_oneof![
        10 => (issue.clone(), agent.clone(), prop::bool::weighted(0.2))
            .prop_map(|(issue, agent, is_person)| Op::Wake { issue, agent, is_person }),
        2 => worker.clone().prop_map(|worker| Op::OwnDoing { worker }),
        10 => worker.clone().prop_map(|worker| Op::Start { worker }),
        1 => worker.clone().prop_map(|worker| Op::StartUnheard { worker }),
        8 => (worker.clone(), end, any::<bool>())
            .prop_map(|(worker, end, with_effects)| Op::Finish { worker, end, with_effects }),
        2 => worker.clone().prop_map(|worker| Op::LateFinish { worker }),
        6 => worker.clone().prop_map(|worker| Op::Heartbeat { worker }),
        2 => worker.clone().prop_map(|worker| Op::Crash { worker }),
        1 => worker.clone().prop_map(|worker| Op::Partition { worker }),
        2 => worker.clone().prop_map(|worker| Op::Rejoin { worker }),
        1 => (issue.clone(), any::<bool>()).prop_map(|(issue, keep_queue)| Op::Cancel { issue, keep_queue }),
        1 => (issue.clone(), agent).prop_map(|(issue, agent)| Op::Reassign { issue, agent }),
        1 => (issue.clone(), prop::bool::weighted(0.7)).prop_map(|(issue, is_open)| Op::SetOpen { issue, is_open }),
        1 => (issue.clone(), any::<bool>()).prop_map(|(issue, is_shut)| Op::SetGate { issue, is_shut }),
        2 => issue.prop_map(|issue| Op::Settle { issue }),
        5 => (worker, dies).prop_map(|(worker, dies)| Op::Perform { worker, dies }),
        2 => Just(Op::Scan),
        5 => seconds.prop_map(|seconds| Op::Advance { seconds }),
    ]
}
