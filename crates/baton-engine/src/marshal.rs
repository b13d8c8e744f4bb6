//! The marshal: it knows the board, looks at what may have changed, and decides what happens next.
//!
//! Nudges of every kind only say which issue deserves a look: surveys, news from the inbox, a finished effect, a timer. A
//! look reads the issue afresh from the tracker and the store, lets the core decide, and commits what it decides. So a lost
//! nudge costs time and never work, and two engines that look at the same issue cannot decide twice.
//!
//! Deliberately absent: performing what was decided ([`crate::outbox`]), and running agents ([`crate::worker`]).

mod arbiter;
mod attend;
mod deaths;
mod freshness;
mod glance;
mod inbox;
mod room;
mod rounds;
mod rules;
mod slack;
mod sweeps;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::board::{Known, News, Watch};
use baton_core::config::PipelineDialect;
use baton_core::pacing::HookHealth;
use baton_core::pipeline::step::Step;
use baton_core::slot::ItemKey;
use baton_core::slot::effect::Deed;
use baton_core::time::{BootTime, ServerTime};
use baton_core::tracker::{IssueKey, Scope};
use baton_core::workspace::names::issue_branch;
use baton_ports::store::Delivery;
use baton_ports::{
    AgentPrograms, Board, Clock, Entropy, Memory, Messenger, MessengerError, Store, StoreError, Tracker,
    TrackerError, Workspaces,
};

use crate::bell::Bell;
use crate::claims::ClaimError;
use crate::leases::LeaseBook;
use crate::relay::Relay;

use deaths::Deaths;

pub use glance::Glance;
pub use rules::Rules;
pub use slack::FAILURES_MAX as SLACK_FAILURES_MAX;

/// What an engine is made of: the doors to the world, each of one kind.
pub trait Parts: Sized + Send + Sync + 'static {
    /// Where everything is kept.
    type Store: Store + Clone;
    /// Where issues are.
    type Tracker: Tracker + Clone;
    /// Which column each of them is in.
    type Board: Board;
    /// The clocks of this machine.
    type Clock: Clock + Clone;
    /// Where chance comes from.
    type Entropy: Entropy + Clone;
    /// What this machine remembers for claims.
    type Memory: Memory;
    /// Where agents work.
    type Workspaces: Workspaces;
    /// The programs of agents.
    type Programs: AgentPrograms;
    /// Where people are asked besides the tracker.
    type Messenger: Messenger;
}

/// The leases of an engine.
pub type Book<P> =
    LeaseBook<<P as Parts>::Tracker, <P as Parts>::Clock, <P as Parts>::Entropy, <P as Parts>::Memory>;

/// Reads what a delivery says.
pub type Decode = Box<dyn Fn(&Delivery) -> Vec<News> + Send + Sync>;

/// Hears what happens.
pub type Tell = Box<dyn Fn(&Happened<'_>) + Send + Sync>;

/// How a marshal works.
#[derive(Debug, Clone)]
pub struct MarshalSettings {
    /// Whose labels, markers and directories are used.
    pub dialect: PipelineDialect,
    /// The repositories.
    pub repos: Vec<RepoSlug>,
    /// How often everything that is known is compared with the tracker.
    pub reconcile_every: Duration,
    /// How often expired claims are swept.
    pub sweep_every: Duration,
    /// How many issues are looked at at one time.
    pub looks_at_once: usize,
    /// How long a foreign lock without a claim behind it is believed.
    pub lock_grace: Duration,
}

/// Something that a person may want to read.
#[derive(Debug)]
pub enum Happened<'a> {
    /// The board was surveyed; so many issues were worth a look.
    Surveyed {
        /// How many the survey showed.
        rows: usize,
        /// How many of them are worth a look.
        worth: usize,
    },
    /// An issue was looked at, and this is the next step.
    Looked(&'a IssueKey, &'a Step),
    /// Something was decided about an issue.
    Decided(&'a IssueKey, Vec<&'a Deed>),
    /// An issue could not be looked at.
    NotLooked(&'a IssueKey, &'a LookError),
    /// An issue was deleted or moved away, and is left alone.
    Gone(&'a IssueKey),
    /// The board could not be surveyed.
    NotSurveyed(&'a TrackerError),
    /// A work tree could not be removed.
    TreeKept(&'a IssueKey, String),
    /// The store does not answer.
    OutOfReach(&'a StoreError),
    /// Expired claims were swept; so many issues were put right.
    Swept(usize),
    /// So many webhooks were worked off.
    Delivered(usize),
    /// Slack answers again.
    SlackHeard,
    /// Slack did not answer.
    SlackUnheard {
        /// How often in a row.
        failures: u32,
        /// Why.
        error: &'a MessengerError,
    },
}

/// Why an issue could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// The tracker did not answer as it should.
    #[error(transparent)]
    Tracker(#[from] TrackerError),
    /// The store did not.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A claim could not be read.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The tracker does not show yet what was just written.
    #[error("the tracker does not show yet what was done about `{0}` a moment ago; it is looked at again")]
    Stale(String),
}

impl LookError {
    /// Returns what the tracker said, if it was the tracker.
    fn of_tracker(&self) -> Option<&TrackerError> {
        match self {
            Self::Tracker(error) | Self::Claim(ClaimError::Tracker(error)) => Some(error),
            Self::Claim(ClaimError::Machine(_)) | Self::Store(_) | Self::Stale(_) => None,
        }
    }
}

/// A marshal.
pub struct Marshal<P: Parts> {
    /// The verbs over the store.
    pub relay: Relay<P::Store, P::Entropy>,
    /// Where issues are.
    pub tracker: P::Tracker,
    /// Which column each is in.
    pub board: P::Board,
    /// The clocks.
    pub clock: P::Clock,
    /// The leases.
    pub leases: Arc<Book<P>>,
    /// Where agents work.
    pub workspaces: Arc<P::Workspaces>,
    /// How it works.
    pub settings: MarshalSettings,
    /// Reads deliveries.
    pub decode: Decode,
    /// Where people are asked besides the tracker.
    pub messenger: P::Messenger,
    /// Hears what happens.
    pub tell: Tell,
    /// Returns what is left of the tracker's budget, in thousandths.
    pub left_permille: Box<dyn Fn() -> Option<u32> + Send + Sync>,
    /// Rung for issues that deserve a look.
    pub bell: Bell<IssueKey>,
    rules: Mutex<Arc<Rules>>,
    desk: Mutex<Desk>,
}

/// What a marshal knows between two looks.
#[derive(Debug, Default)]
struct Desk {
    watch: Watch,
    /// When to look again without a nudge.
    due: BTreeMap<IssueKey, BootTime>,
    hooks: HookHealth,
    /// Whether a webhook has come since that was said last.
    has_heard: bool,
    /// Those of which an effect never came about, so that a label of ours may tell of work that nobody does.
    to_repair: BTreeSet<IssueKey>,
    /// Those of whose effects some came to nothing lately.
    deaths: BTreeMap<IssueKey, Deaths>,
    /// Whether news came that only a survey can explain.
    asks_for_survey: bool,
    /// How many looks in a row went wrong.
    failures: BTreeMap<IssueKey, u32>,
    /// Those for which room is kept until the store counts their runs.
    starting: BTreeSet<IssueKey>,
    /// Those with a run under way at the last look.
    runners: BTreeSet<IssueKey>,
    /// Those that wait for room, in order.
    held_back: VecDeque<IssueKey>,
    /// The issues that messages in Slack are about, by channel and message.
    asked_in_slack: BTreeMap<(String, String), IssueKey>,
    /// How often in a row Slack did not answer, for each issue that it was asked about.
    slack_failures: BTreeMap<IssueKey, u32>,
}

/// What is known of the board.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The issues.
    pub issues: Vec<(IssueKey, Known)>,
    /// The pull requests of issues.
    pub pulls: BTreeMap<IssueKey, u64>,
}

/// What a marshal is made of.
pub struct Outfit<P: Parts> {
    /// The verbs over the store.
    pub relay: Relay<P::Store, P::Entropy>,
    /// Where issues are.
    pub tracker: P::Tracker,
    /// Which column each is in.
    pub board: P::Board,
    /// The clocks.
    pub clock: P::Clock,
    /// The leases.
    pub leases: Arc<Book<P>>,
    /// Where agents work.
    pub workspaces: Arc<P::Workspaces>,
    /// How it works.
    pub settings: MarshalSettings,
    /// Reads deliveries.
    pub decode: Decode,
    /// Where people are asked besides the tracker.
    pub messenger: P::Messenger,
    /// Hears what happens.
    pub tell: Tell,
    /// Returns what is left of the tracker's budget, in thousandths.
    pub left_permille: Box<dyn Fn() -> Option<u32> + Send + Sync>,
    /// What decisions follow.
    pub rules: Rules,
}

impl<P: Parts> Marshal<P> {
    /// Puts a marshal together.
    pub fn new(outfit: Outfit<P>) -> Self {
        Self {
            relay: outfit.relay,
            tracker: outfit.tracker,
            board: outfit.board,
            clock: outfit.clock,
            leases: outfit.leases,
            workspaces: outfit.workspaces,
            settings: outfit.settings,
            decode: outfit.decode,
            messenger: outfit.messenger,
            tell: outfit.tell,
            left_permille: outfit.left_permille,
            bell: Bell::default(),
            rules: Mutex::new(Arc::new(outfit.rules)),
            desk: Mutex::default(),
        }
    }

    /// Returns what decisions follow now.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets decisions follow other rules from now on, and has everything looked at anew.
    pub fn set_rules(&self, rules: Rules) {
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
        let rules = self.rules();
        let desk = self.desk();
        let worth = desk.watch.issues().filter(|(_, known)| rounds::is_worth_a_look(known, &rules));
        worth.for_each(|(issue, _)| self.bell.ring(issue.clone()));
    }

    /// Returns how far webhooks can be relied on.
    pub fn hooks(&self) -> HookHealth {
        self.desk().hooks
    }

    /// Returns what is known of the board, with the pull requests of issues; nothing before the first survey.
    pub fn picture(&self) -> Option<Picture> {
        let desk = self.desk();
        let pulls = desk.watch.pulls().collect();
        let issues = desk.watch.issues().map(|(issue, known)| (issue.clone(), known.clone())).collect();
        desk.watch.has_surveyed().then_some(Picture { issues, pulls })
    }

    /// Returns when something about an issue changed last, as the board says.
    pub fn last_change(&self, issue: &IssueKey) -> Option<ServerTime> {
        self.desk().watch.known(issue).map(|known| known.updated_at)
    }

    /// Takes in a survey of the whole board, for those who only look.
    pub async fn survey(&self) -> Result<(), TrackerError> {
        let survey = self.board.survey(Scope::All).await?;
        // Nobody acts on what changed: this is for those who decide nothing.
        let _ = self.desk().watch.survey(&survey);
        Ok(())
    }

    /// Says how far webhooks can be relied on.
    pub fn set_hooks(&self, hooks: HookHealth) {
        let mut desk = self.desk();
        desk.hooks = hooks;
        // What came before says nothing about what comes from now on.
        desk.has_heard = false;
    }

    /// Notes that an effect of an issue never came about. The next look puts right what that may have left. Where one after
    /// the other comes to nothing, looks become seldom: what is refused today is decided, and refused, again at once.
    pub fn note_dead(&self, issue: &IssueKey) {
        let (issue, now) = (folded(issue), self.clock.boot_now());
        let mut desk = self.desk();
        desk.deaths.entry(issue.clone()).or_insert_with(|| Deaths::none(now)).add(now);
        desk.to_repair.insert(issue);
    }

    /// Notes that a decision about an issue did not come about. The next look puts right what it may have left.
    pub fn note_dropped(&self, issue: &IssueKey) {
        self.desk().to_repair.insert(folded(issue));
    }

    /// Returns for how long an issue is left alone because what is decided about it comes to nothing.
    fn quiet_time(&self, issue: &IssueKey) -> Option<Duration> {
        let (desk, now) = (self.desk(), self.clock.boot_now());
        let until = desk.deaths.get(issue)?.quiet_until();
        Some(until.since(now)).filter(|wait| !wait.is_zero())
    }

    /// Returns whether the installation works on a repository. Webhooks may tell of others.
    fn is_ours(&self, repo: &RepoSlug) -> bool {
        let folded = |repo: &RepoSlug| repo.to_string().to_ascii_lowercase();
        self.settings.repos.iter().any(|own| folded(own) == folded(repo))
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the branch of an issue.
    pub fn branch_of(&self, issue: &IssueKey) -> String {
        issue_branch(self.settings.dialect, issue.number)
    }

    async fn pause(&self, wait: Duration) {
        self.clock.sleep_until(self.clock.boot_now().plus(wait)).await;
    }
}

/// Returns an issue as the store spells it, so that one issue is one however its repository is written.
pub(crate) fn folded(issue: &IssueKey) -> IssueKey {
    match ItemKey::issue(issue) {
        ItemKey::Issue(issue) => issue,
        ItemKey::Task { .. } => issue.clone(),
    }
}
