//! What only this process knows: how far its runs are, what troubles it has, and that something may have changed.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use baton_core::agent::RunNumbers;
use baton_core::slot::{ItemKey, RunId};
use baton_core::tracker::IssueKey;
use baton_view::{Stamp, Warning};

use super::issue::Sight;
use super::lately::Lately;
use crate::marshal::{Happened, SLACK_FAILURES_MAX};
use crate::outbox::Performed;
use crate::worker::News;

/// So many troubles are kept at most.
const TROUBLES_MAX: usize = 100;

/// What only this process knows.
#[derive(Debug, Default)]
pub struct Live {
    known: Mutex<Known>,
    /// Issues as people were shown them last.
    sights: Lately<Sight>,
}

#[derive(Debug, Default)]
struct Known {
    version: u64,
    waiters: Vec<Waker>,
    numbers: BTreeMap<RunId, RunNumbers>,
    troubles: BTreeMap<Trouble, Warning>,
    deliveries: Deliveries,
}

/// What a trouble is about. It is over when the same thing goes well.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    Board,
    Store,
    Look(String),
    Tree(IssueKey),
    Effect(String),
    Slack,
    Waiting,
}

impl Trouble {
    fn is_of_one(&self) -> bool {
        matches!(self, Self::Look(_) | Self::Tree(_) | Self::Effect(_))
    }
}

/// How many webhooks were taken, and when the last one was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Deliveries {
    /// How many.
    pub(super) taken: u64,
    /// When the last one was.
    pub(super) last_at: Option<Stamp>,
}

impl Live {
    /// Notes a look, a decision, or trouble with one.
    pub fn happened(&self, happened: &Happened<'_>, at: Stamp) {
        if let Happened::Looked(issue, _) | Happened::NotLooked(issue, _) | Happened::Decided(issue, _) =
            happened
        {
            self.sights.heard_of(issue);
        }
        let mut known = self.known();
        match happened {
            Happened::Surveyed { worth: 0, .. } if known.troubles.is_empty() && known.version > 0 => return,
            Happened::Surveyed { .. } => {
                known.troubles.remove(&Trouble::Board);
                known.troubles.remove(&Trouble::Store);
            }
            Happened::Looked(issue, _) | Happened::Gone(issue) => {
                known.troubles.remove(&Trouble::Look(issue.to_string()));
            }
            Happened::NotLooked(issue, error) => {
                let issue = issue.to_string();
                let words = format!("it could not be looked at: {error}");
                known.trouble(Trouble::Look(issue.clone()), at, Some(issue), words);
            }
            Happened::NotSurveyed(error) => {
                known.trouble(Trouble::Board, at, None, format!("the board could not be surveyed: {error}"));
            }
            Happened::OutOfReach(error) => known.trouble(Trouble::Store, at, None, error.to_string()),
            Happened::TreeKept(issue, why) => {
                let (about, words) = (Trouble::Tree((*issue).clone()), format!("its work tree stays: {why}"));
                known.trouble(about, at, Some(issue.to_string()), words);
            }
            Happened::Delivered(count) => {
                known.deliveries.taken += u64::try_from(*count).unwrap_or(0);
                known.deliveries.last_at = Some(at);
            }
            Happened::SlackUnheard { failures, .. } if *failures < SLACK_FAILURES_MAX => return,
            Happened::SlackUnheard { error, .. } => {
                let words =
                    format!("Slack cannot be reached, so plans that wait for it stay pending: {error}");
                known.trouble(Trouble::Slack, at, None, words);
            }
            Happened::SlackHeard => _ = known.troubles.remove(&Trouble::Slack),
            Happened::Decided(..) | Happened::Swept(_) => {}
        }
        known.touch();
    }

    /// Notes what became of a run.
    pub fn run(&self, news: &News<'_>, at: Stamp) {
        // How far a run is changes nothing on the tracker.
        if let News::Started(started) | News::Ended(started, ..) = news {
            self.heard_of(&started.item.key);
        }
        let mut known = self.known();
        match news {
            News::Progress(started, numbers) => {
                known.numbers.insert(started.run.id, (*numbers).clone());
            }
            News::Ended(started, ..) => {
                known.numbers.remove(&started.run.id);
            }
            News::Lost(run) => {
                known.numbers.remove(run);
            }
            News::WaitingTooLong(0) => {
                known.troubles.remove(&Trouble::Waiting);
            }
            News::WaitingTooLong(count) => {
                let words = format!("{count} wakeups have waited for too long: `baton wakeups` lists them");
                known.trouble(Trouble::Waiting, at, None, words);
            }
            News::OutOfReach(error) => known.trouble(Trouble::Store, at, None, error.to_string()),
            News::Enlisted(_) | News::Started(_) | News::LeaseLost => {}
        }
        known.touch();
    }

    /// Notes what was performed.
    pub fn deed(&self, item: &ItemKey, performed: &Performed, at: Stamp) {
        self.heard_of(item);
        let mut known = self.known();
        let about = Trouble::Effect(item.to_string());
        match performed {
            Performed::Nothing => return,
            Performed::Done(_) => {
                known.troubles.remove(&about);
            }
            Performed::Dead(_, why) => {
                known.trouble(about, at, issue(item), format!("an effect never takes effect: {why}"))
            }
            Performed::Later(_, why) => {
                known.trouble(about, at, issue(item), format!("an effect is tried again: {why}"))
            }
            Performed::Overtaken(_) | Performed::Dropped(..) => {}
        }
        known.touch();
    }

    /// Notes that somebody did something to an issue.
    pub(super) fn touch_issue(&self, issue: &IssueKey) {
        self.sights.heard_of(issue);
        self.touch();
    }

    /// Notes that something may have changed.
    pub fn touch(&self) {
        self.known().touch();
    }

    /// Notes that something may have changed, unless that was noted since a version. Returns the version then.
    pub(super) fn touch_if(&self, seen: u64) -> u64 {
        let mut known = self.known();
        if known.version <= seen {
            known.touch();
        }
        known.version
    }

    /// Waits for a version after the one that was seen.
    pub(super) fn changed(&self, seen: u64) -> impl Future<Output = u64> + Send + '_ {
        poll_fn(move |context| {
            let mut known = self.known();
            if known.version != seen {
                return Poll::Ready(known.version);
            }
            let waker = context.waker();
            if !known.waiters.iter().any(|known| known.will_wake(waker)) {
                known.waiters.push(waker.clone());
            }
            Poll::Pending
        })
    }

    pub(super) fn numbers(&self, run: RunId) -> Option<RunNumbers> {
        self.known().numbers.get(&run).cloned()
    }

    /// Returns the troubles, newest first.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<_> = self.known().troubles.values().cloned().collect();
        warnings.sort_by_key(|warning| std::cmp::Reverse(warning.at));
        warnings
    }

    /// Returns the issues whose work trees could not be removed.
    pub(super) fn kept_trees(&self) -> Vec<IssueKey> {
        let known = self.known();
        let trees = known.troubles.keys().filter_map(|about| match about {
            Trouble::Tree(issue) => Some(issue.clone()),
            _ => None,
        });
        trees.collect()
    }

    /// Notes that the work tree of an issue is gone.
    pub(super) fn tree_is_gone(&self, issue: &IssueKey) {
        self.known().troubles.remove(&Trouble::Tree(issue.clone()));
    }

    pub(super) fn deliveries(&self) -> Deliveries {
        self.known().deliveries
    }

    /// Returns what was read of issues for people.
    pub(super) fn sights(&self) -> &Lately<Sight> {
        &self.sights
    }

    fn heard_of(&self, item: &ItemKey) {
        if let ItemKey::Issue(issue) = item {
            self.sights.heard_of(issue);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn touch(&mut self) {
        self.version += 1;
        self.waiters.drain(..).for_each(Waker::wake);
    }

    /// Keeps when a trouble began while it goes on.
    fn trouble(&mut self, about: Trouble, at: Stamp, issue: Option<String>, words: String) {
        let since = self.troubles.get(&about).map_or(at, |warning| warning.at);
        self.troubles.insert(about, Warning { at: since, issue, words });
        if self.troubles.len() > TROUBLES_MAX {
            self.drop_oldest();
        }
    }

    /// Drops what has been wrong with one issue for longest. What is wrong with everything is the last that may be left out.
    fn drop_oldest(&mut self) {
        let oldest = self.troubles.iter().min_by_key(|(about, warning)| (!about.is_of_one(), warning.at));
        if let Some(about) = oldest.map(|(about, _)| about.clone()) {
            self.troubles.remove(&about);
        }
    }
}

fn issue(item: &ItemKey) -> Option<String> {
    match item {
        ItemKey::Issue(issue) => Some(issue.to_string()),
        ItemKey::Task { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn whoever_waits_hears_of_what_came_since() {
        let live = Live::default();
        assert_eq!(live.changed(0).now_or_never(), None);
        live.touch();
        assert_eq!(live.changed(0).now_or_never(), Some(1));
        assert_eq!(live.changed(1).now_or_never(), None);
        assert_eq!((live.touch_if(1), live.touch_if(1)), (2, 2));
    }

    #[test]
    fn a_trouble_is_kept_from_its_beginning_until_the_same_thing_goes_well() {
        let live = Live::default();
        let error =
            baton_ports::TrackerError::new(baton_ports::TrackerErrorKind::Unavailable, "surveying", "502");
        for at in [5, 9] {
            live.happened(&Happened::NotSurveyed(&error), Stamp(at));
        }
        assert_eq!(live.warnings().iter().map(|it| it.at).collect::<Vec<_>>(), [Stamp(5)]);
        live.happened(&Happened::Surveyed { rows: 1, worth: 0 }, Stamp(10));
        assert_eq!(live.warnings(), []);
    }

    #[test]
    fn a_work_tree_is_no_trouble_once_it_is_gone() {
        let live = Live::default();
        let issue = "acme/web#7".parse().unwrap();
        live.happened(&Happened::TreeKept(&issue, "it has changes".to_owned()), Stamp(5));
        assert_eq!(live.kept_trees(), std::slice::from_ref(&issue));
        assert_eq!(live.warnings().len(), 1);
        live.tree_is_gone(&issue);
        assert_eq!((live.kept_trees(), live.warnings()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn many_troubles_of_issues_do_not_hide_that_of_all() {
        let live = Live::default();
        let error =
            baton_ports::TrackerError::new(baton_ports::TrackerErrorKind::Unavailable, "surveying", "502");
        live.happened(&Happened::NotSurveyed(&error), Stamp(1));
        for number in 2..=500 {
            let issue = format!("acme/web#{number}").parse().unwrap();
            live.happened(&Happened::TreeKept(&issue, "it has changes".to_owned()), Stamp(number));
        }
        let warnings = live.warnings();
        assert_eq!(warnings.len(), TROUBLES_MAX);
        assert_eq!(warnings.last().map(|it| it.at), Some(Stamp(1)), "the board is still not surveyed");
        assert_eq!(warnings.first().map(|it| it.at), Some(Stamp(500)));
    }
}
