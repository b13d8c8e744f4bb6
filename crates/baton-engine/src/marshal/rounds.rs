//! The marshal's rounds: surveys, the inbox, timers and the bell say which issues deserve a look; a bounded number of looks
//! goes on at one time, and never two at one issue.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::time::Duration;

use baton_core::board::Known;
use baton_core::pacing::{Cycle, HookHealth, Pacer};
use baton_core::pipeline::StageKind;
use baton_core::pipeline::names::{Said, StageMark};
use baton_core::time::BootTime;
use baton_core::tracker::{BoardRow, IssueKey, Scope, Survey};
use baton_ports::{Board as _, Clock as _, Nudges as _, Store, StoreError, TrackerError, TrackerErrorKind};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Fuse, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use super::attend::Again;
use super::{Happened, LookError, Marshal, Parts, Rules, folded};

/// How often everything on the board is listed, so that what left it is noticed.
const FULL_SURVEY_EVERY: Duration = Duration::from_secs(60 * 60);
/// How long a failed look waits before the next, doubled with each failure.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const LOOK_AGAIN_MAX: Duration = Duration::from_secs(5 * 60);
/// How long is waited before the store is listened to again.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);

/// A piece of work that is over.
enum Over<N> {
    Look(IssueKey, bool, Result<Again, LookError>),
    Survey(Scope, Result<Survey, TrackerError>),
    Inbox(Result<usize, StoreError>),
    Nudged(Option<N>),
    Swept,
}

/// What the rounds wait for.
enum Event<N> {
    End,
    Over(Over<N>),
    Heard(BTreeSet<IssueKey>),
    Due,
}

type Nudged<P> = <<P as Parts>::Store as Store>::Nudges;
type Work<'a, P> = FuturesUnordered<BoxFuture<'a, Over<Nudged<P>>>>;

/// What the rounds keep in mind.
struct Round {
    queue: VecDeque<IssueKey>,
    queued: BTreeSet<IssueKey>,
    /// Those that are being looked at, and since when.
    looking: BTreeMap<IssueKey, BootTime>,
    /// Those that were rung for while they were looked at.
    rung: BTreeSet<IssueKey>,
    /// Those that were looked at since the start.
    seen: BTreeSet<IssueKey>,
    /// Until when those wait whose last look went wrong. A bell does not shorten that: what rings may be a sign of the same
    /// trouble, and a tracker that asked for a pause would only be asked again.
    waiting: BTreeMap<IssueKey, BootTime>,
    /// Until when a reading may still be older than what it was rung for: trackers show what was written with a lag, and
    /// an issue that is left to rest by such a reading would never be looked at again.
    unsettled: BTreeMap<IssueKey, BootTime>,
    pacer: Pacer,
    survey_at: BootTime,
    /// Until when the tracker asked not to be surveyed.
    survey_not_before: BootTime,
    is_surveying: bool,
    full_at: BootTime,
    sweep_at: BootTime,
    is_sweeping: bool,
    was_active: bool,
    reads_inbox: bool,
}

impl Round {
    fn new(now: BootTime, poll: Duration, sweep_every: Duration) -> Self {
        Self {
            queue: VecDeque::new(),
            queued: BTreeSet::new(),
            looking: BTreeMap::new(),
            rung: BTreeSet::new(),
            seen: BTreeSet::new(),
            waiting: BTreeMap::new(),
            unsettled: BTreeMap::new(),
            pacer: Pacer::new(poll),
            survey_at: now,
            survey_not_before: now,
            is_surveying: false,
            full_at: now,
            sweep_at: now.plus(sweep_every),
            is_sweeping: false,
            was_active: false,
            reads_inbox: false,
        }
    }

    /// Wants looks at issues of which there is news: one now, and one when everything can be seen if the first finds them
    /// at rest.
    fn hear(&mut self, issues: impl IntoIterator<Item = IssueKey>, now: BootTime, visible_within: Duration) {
        for issue in issues {
            self.unsettled.insert(issue.clone(), now.plus(visible_within));
            self.want(issue, now);
        }
    }

    /// Returns when an issue that was found at rest is looked at once more, if news of it came a moment before the look
    /// `began`.
    fn settles_at(&mut self, issue: &IssueKey, began: BootTime) -> Option<BootTime> {
        self.unsettled.remove(issue).filter(|until| *until > began)
    }

    fn want(&mut self, issue: IssueKey, now: BootTime) {
        if self.looking.contains_key(&issue) {
            self.rung.insert(issue);
        } else if self.waiting.get(&issue).is_some_and(|until| *until > now) {
            // Its next look is due when the wait is over.
        } else if self.queued.insert(issue.clone()) {
            self.queue.push_back(issue);
        }
    }
}

impl<P: Parts> Marshal<P> {
    /// Goes on rounds until `end` is ready. What was begun is left: nothing is lost, since a decision is one transaction.
    pub async fn run(&self, end: impl Future<Output = ()> + Send) {
        let mut end = pin!(end.fuse());
        let now = self.clock.boot_now();
        let mut round = Round::new(now, self.rules().poll, self.settings.sweep_every);
        let mut work: Work<'_, P> = FuturesUnordered::new();
        work.push(self.listen(Duration::ZERO).boxed());
        loop {
            self.begin_what_is_due(&mut round, &work);
            let wake_at = self.next_wake(&round);
            match self.next_event(&mut work, wake_at, end.as_mut()).await {
                Event::End => return,
                Event::Over(over) => self.after(&mut round, &work, over),
                Event::Heard(issues) => {
                    round.hear(issues, self.clock.boot_now(), self.visible_within());
                }
                Event::Due => self.take_due(&mut round),
            }
        }
    }

    async fn next_event(
        &self,
        work: &mut Work<'_, P>,
        wake_at: BootTime,
        end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> Event<Nudged<P>> {
        // An empty set is ready at once, and would keep the rounds from waiting.
        let over = pin!(async {
            match work.next().await {
                Some(over) => over,
                None => pending().await,
            }
        });
        let (heard, due) = (pin!(self.bell.heard()), pin!(self.clock.sleep_until(wake_at)));
        match select(end, select(over, select(heard, due))).await {
            Either::Left(_) => Event::End,
            Either::Right((Either::Left((over, _)), _)) => Event::Over(over),
            Either::Right((Either::Right((Either::Left((issues, _)), _)), _)) => Event::Heard(issues),
            Either::Right((Either::Right((Either::Right(_), _)), _)) => Event::Due,
        }
    }

    fn begin_what_is_due<'a>(&'a self, round: &mut Round, work: &Work<'a, P>) {
        let now = self.clock.boot_now();
        // What is asked for during a survey may be about what that has read already, so it stays asked for. While the budget
        // is low, the next survey comes soon enough.
        if !round.is_surveying && std::mem::take(&mut self.desk().asks_for_survey) && !round.pacer.is_saving()
        {
            round.survey_at = now.max(round.survey_not_before);
        }
        if round.survey_at <= now && !round.is_surveying {
            round.is_surveying = true;
            let scope = if round.full_at <= now { Scope::All } else { Scope::News };
            work.push(async move { Over::Survey(scope, self.board.survey(scope).await) }.boxed());
        }
        if round.sweep_at <= now && !round.is_sweeping {
            round.is_sweeping = true;
            work.push(self.sweep().map(|()| Over::Swept).boxed());
        }
        while round.looking.len() < self.settings.looks_at_once
            && let Some(issue) = round.queue.pop_front()
        {
            round.queued.remove(&issue);
            round.looking.insert(issue.clone(), now);
            let is_first = !round.seen.contains(&issue);
            self.desk().due.remove(&issue);
            work.push(
                async move {
                    let attended = self.attend(&issue, is_first).await;
                    Over::Look(issue, is_first, attended)
                }
                .boxed(),
            );
        }
    }

    fn next_wake(&self, round: &Round) -> BootTime {
        let due = self.desk().due.values().min().copied();
        let survey = (!round.is_surveying).then_some(round.survey_at);
        let sweep = (!round.is_sweeping).then_some(round.sweep_at);
        let far = self.clock.boot_now().plus(FULL_SURVEY_EVERY);
        [due, survey, sweep].into_iter().flatten().min().unwrap_or(far)
    }

    fn take_due(&self, round: &mut Round) {
        let now = self.clock.boot_now();
        let due: Vec<_> = {
            let desk = self.desk();
            desk.due.iter().filter(|(_, at)| **at <= now).map(|(issue, _)| issue.clone()).collect()
        };
        for issue in due {
            self.desk().due.remove(&issue);
            round.want(issue, now);
        }
    }

    fn after<'a>(&'a self, round: &mut Round, work: &Work<'a, P>, over: Over<Nudged<P>>) {
        match over {
            Over::Look(issue, is_first, attended) => self.after_look(round, issue, is_first, attended),
            Over::Survey(scope, survey) => self.after_survey(round, scope, survey),
            Over::Swept => {
                round.is_sweeping = false;
                round.sweep_at = self.clock.boot_now().plus(self.settings.sweep_every);
            }
            Over::Nudged(nudges) => {
                let next = match nudges {
                    Some(nudges) => self.hear(nudges).boxed(),
                    None => self.listen(LISTEN_AGAIN).boxed(),
                };
                work.push(next);
                if !round.reads_inbox {
                    round.reads_inbox = true;
                    work.push(self.read_inbox().map(Over::Inbox).boxed());
                }
            }
            Over::Inbox(Ok(0)) => round.reads_inbox = false,
            Over::Inbox(Ok(count)) => {
                (self.tell)(&Happened::Delivered(count));
                work.push(self.read_inbox().map(Over::Inbox).boxed());
            }
            Over::Inbox(Err(error)) => {
                round.reads_inbox = false;
                (self.tell)(&Happened::OutOfReach(&error));
            }
        }
    }

    fn after_look(
        &self,
        round: &mut Round,
        issue: IssueKey,
        is_first: bool,
        attended: Result<Again, LookError>,
    ) {
        let now = self.clock.boot_now();
        let began = round.looking.remove(&issue).unwrap_or(now);
        let is_rung = round.rung.remove(&issue);
        match attended {
            Ok(again) => {
                if is_first {
                    round.seen.insert(issue.clone());
                }
                round.waiting.remove(&issue);
                self.desk().failures.remove(&issue);
                match again {
                    _ if is_rung => round.want(issue, now),
                    Again::After(wait) => drop(self.desk().due.insert(issue, now.plus(wait))),
                    Again::Never => {
                        if let Some(at) = round.settles_at(&issue, began) {
                            self.desk().due.insert(issue, at);
                        }
                    }
                }
            }
            Err(error) => {
                (self.tell)(&Happened::NotLooked(&issue, &error));
                let until = now.plus(self.after_failure(&issue).max(asked_wait(error.of_tracker())));
                round.waiting.insert(issue.clone(), until);
                self.desk().due.insert(issue, until);
            }
        }
    }

    /// Returns after how long the tracker shows everything that was written.
    pub(super) fn visible_within(&self) -> Duration {
        self.leases.claims.settings.timing.visible_within
    }

    fn after_failure(&self, issue: &IssueKey) -> Duration {
        let mut desk = self.desk();
        let failures = desk.failures.entry(issue.clone()).or_default();
        *failures = failures.saturating_add(1);
        LOOK_AGAIN.saturating_mul(1 << (*failures - 1).min(16)).min(LOOK_AGAIN_MAX)
    }

    fn after_survey(&self, round: &mut Round, scope: Scope, survey: Result<Survey, TrackerError>) {
        round.is_surveying = false;
        self.look_at_held_back();
        let now = self.clock.boot_now();
        let rules = self.rules();
        match survey {
            Ok(survey) => {
                let worth = self.take_survey(&survey, &rules);
                (self.tell)(&Happened::Surveyed { rows: survey.rows.len(), worth: worth.len() });
                round.was_active |= !worth.is_empty();
                // The first survey brings everything, and what happened long ago can be seen.
                let (known, new): (Vec<_>, Vec<_>) =
                    worth.into_iter().partition(|issue| round.seen.contains(issue));
                new.into_iter().for_each(|issue| round.want(issue, now));
                round.hear(known, now, self.visible_within());
                if scope == Scope::All {
                    round.full_at = now.plus(FULL_SURVEY_EVERY);
                }
            }
            Err(error) => {
                (self.tell)(&Happened::NotSurveyed(&error));
                round.survey_not_before = now.plus(asked_wait(Some(&error)));
            }
        }
        let hooks = self.desk().hooks;
        let cycle = Cycle { was_active: round.was_active, hooks, left_permille: (self.left_permille)() };
        round.was_active = false;
        round.pacer.set_poll(rules.poll);
        let pace = round.pacer.after(cycle);
        // Whether webhooks can be relied on is found out by comparing, which costs nothing while nothing happens.
        let is_compared = hooks != HookHealth::Off && !round.pacer.is_saving();
        let wait = if is_compared { pace.min(self.settings.reconcile_every) } else { pace };
        round.survey_at = now.plus(wait).max(round.survey_not_before);
    }

    /// Takes a survey in. Returns the issues that are worth a look.
    fn take_survey(&self, survey: &Survey, rules: &Rules) -> Vec<IssueKey> {
        let rows = survey.rows.iter().map(|row| BoardRow { issue: folded(&row.issue), ..row.clone() });
        let survey = Survey { rows: rows.collect(), is_complete: survey.is_complete };
        let mut desk = self.desk();
        let touched = desk.watch.survey(&survey);
        desk.hooks = desk.hooks.compared(touched.has_drift(), desk.has_heard);
        let is_worth =
            |issue: &IssueKey| desk.watch.known(issue).is_none_or(|known| is_worth_a_look(known, rules));
        touched.worth_a_look().filter(|issue| is_worth(issue)).cloned().collect()
    }

    /// Begins to listen to the store; what was committed before is looked for at once.
    async fn listen(&self, wait: Duration) -> Over<Nudged<P>> {
        self.pause(wait).await;
        match self.relay.store.listen().await {
            Ok(nudges) => Over::Nudged(Some(nudges)),
            Err(error) => {
                (self.tell)(&Happened::OutOfReach(&error));
                Over::Nudged(None)
            }
        }
    }

    async fn hear(&self, mut nudges: Nudged<P>) -> Over<Nudged<P>> {
        let is_deaf = {
            let (nudged, poll) = (pin!(nudges.nudged()), pin!(self.pause(self.rules().poll)));
            matches!(select(nudged, poll).await, Either::Left((Err(_), _)))
        };
        Over::Nudged(Some(nudges).filter(|_| !is_deaf))
    }
}

/// Returns how long the tracker asked to be left alone.
fn asked_wait(error: Option<&TrackerError>) -> Duration {
    match error.map(|error| error.kind) {
        Some(TrackerErrorKind::RateLimited { retry_after }) => retry_after.unwrap_or_default(),
        _ => Duration::ZERO,
    }
}

/// Returns whether an issue deserves a look by what the board shows of it: it is in a stage that something happens in, or
/// carries a label of ours that somebody must own.
pub(super) fn is_worth_a_look(known: &Known, rules: &Rules) -> bool {
    let names = rules.policy.names;
    let stage = known.column.as_deref().and_then(|column| rules.pipeline.stage(column));
    let is_over = |name: &str| {
        known.labels.iter().any(|label| {
            matches!(names.read(label), Some(Said::Stage(of, StageMark::Complete)) if of.eq_ignore_ascii_case(name))
        })
    };
    let is_transient = |label: &str| match names.read(label) {
        Some(Said::Stage(_, StageMark::Complete)) | None => false,
        Some(_) => true,
    };
    let has_transient = known.labels.iter().any(|label| is_transient(label));
    match stage.map(|stage| (stage.kind, &stage.name)) {
        Some((StageKind::Working, _)) => true,
        Some((StageKind::Cleanup, name)) => !is_over(name) || has_transient,
        Some((StageKind::Holding | StageKind::Unmanaged, _)) | None => has_transient,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(retry_after: Option<Duration>) -> TrackerError {
        TrackerError::new(TrackerErrorKind::RateLimited { retry_after }, "GET /", "429")
    }

    #[test]
    fn a_failed_look_waits_for_as_long_as_the_tracker_asks() {
        let asks = |error: LookError| asked_wait(error.of_tracker());
        let hour = Duration::from_secs(3600);
        assert_eq!(asks(LookError::Tracker(limited(Some(hour)))), hour);
        assert_eq!(asks(LookError::Claim(limited(Some(hour)).into())), hour);
        assert_eq!(asks(LookError::Tracker(limited(None))), Duration::ZERO);
        assert_eq!(asks(LookError::Stale("baton:paused".to_owned())), Duration::ZERO);
    }

    #[test]
    fn an_issue_at_rest_is_looked_at_once_more_when_news_of_it_were_fresh() {
        let at = |ms| BootTime { ms };
        let issue = IssueKey { repo: baton_core::RepoSlug::new("acme", "web").unwrap(), number: 7 };
        let mut round = Round::new(at(0), Duration::from_secs(30), Duration::from_secs(3600));
        round.hear([issue.clone()], at(1_000), Duration::from_secs(10));
        assert_eq!(round.queue, std::slice::from_ref(&issue));
        assert_eq!(round.settles_at(&issue, at(2_000)), Some(at(11_000)));
        assert_eq!(round.settles_at(&issue, at(2_000)), None, "once");
        round.hear([issue.clone()], at(20_000), Duration::from_secs(10));
        assert_eq!(round.settles_at(&issue, at(30_000)), None, "everything could be seen");
    }

    #[test]
    fn a_bell_does_not_shorten_the_wait_of_a_failed_look() {
        let at = |ms| BootTime { ms };
        let issue = IssueKey { repo: baton_core::RepoSlug::new("acme", "web").unwrap(), number: 7 };
        let mut round = Round::new(at(0), Duration::from_secs(30), Duration::from_secs(3600));
        round.waiting.insert(issue.clone(), at(5_000));
        round.want(issue.clone(), at(4_999));
        assert!(round.queue.is_empty());
        round.want(issue.clone(), at(5_000));
        assert_eq!(round.queue, [issue]);
    }
}
