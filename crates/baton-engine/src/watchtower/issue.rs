//! An issue from near: read from the tracker as decisions read it.

use std::sync::Arc;
use std::time::Duration;

use baton_core::board::Known;
use baton_core::pipeline::approval;
use baton_core::pipeline::checks::Health;
use baton_core::pipeline::item::{self, ApprovalState, Item, LinkedPull, Moment};
use baton_core::pipeline::names::{Flag, Said};
use baton_core::pipeline::trail::{Answer as RuleAnswer, Entry};
use baton_core::pipeline::{Explanation, StageKind};
use baton_core::slot::ItemKey;
use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::time::ServerTime;
use baton_core::tracker::{IssueKey, PullState};
use baton_ports::store::{RunFilter, WakeupFilter};
use baton_ports::{Clock as _, Store as _, Tracker as _, TrackerErrorKind};
use baton_view::{
    BlockerLine, Card, CheckLine, CheckState, CommentLine, IssueView, LookoutError, Offer, OrderKind,
    PullView, ReviewLine, SpendingLine, ThreadLine, TrailLine, WhyView,
};

use super::board::Seen;
use super::fleet::effect_line;
use super::timeline::timeline;
use super::{Answer, Links, Watchtower, of_look, of_store, of_tracker};
use crate::marshal::{Glance, Parts, Rules};
use crate::spending;

/// How many runs and wakeups of an issue are shown.
const HISTORY_MAX: u32 = 200;
const THREAD_CHARS_MAX: usize = 200;

/// An issue as it was read for people.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    glance: Arc<Glance>,
    /// What time it is now; it may have been read a while ago.
    now: Moment,
    /// When something about it had changed last, as the board said before it was read.
    changed_at: Option<ServerTime>,
}

impl Sight {
    fn later(&self, age: Duration) -> Self {
        let Moment { server, store } = self.glance.now;
        let server = ServerTime(server.0.saturating_add_unsigned(age.as_secs()));
        Self { now: Moment { server, store: store.plus(age) }, ..self.clone() }
    }
}

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn look_at_issue(&self, issue: &IssueKey) -> Answer<IssueView> {
        let issue = &self.checked(issue)?;
        let Sight { glance, now, .. } = &self.sight(issue).await?;
        let rules = self.marshal.rules();
        let key = ItemKey::issue(issue);
        let store = &self.marshal.relay.store;
        let history = RunFilter { item: Some(key.clone()), limit: HISTORY_MAX, ..RunFilter::default() };
        let rows = store.runs(&history).await.map_err(of_store)?;
        let asked = WakeupFilter { item: Some(key.clone()), limit: HISTORY_MAX, ..WakeupFilter::default() };
        let wakeups = store.wakeups(&asked).await.map_err(of_store)?;
        let effects = store.effects(&key).await.map_err(of_store)?;
        let transfers = store.transfers(Some(&key)).await.map_err(of_store)?;
        let runs: Vec<_> = rows.iter().map(|row| self.line(row)).collect();
        let run = runs.iter().find(|run| run.state.is_active());
        let card = self.card(&glance.item, run, &rules);
        let explanation = Explanation::of(&glance.item, &rules.pipeline, &rules.policy, *now);
        let mut spending: Vec<_> = explanation.budgets.iter().map(SpendingLine::from).collect();
        let of_agents = spending::of_agents(store, now.store).await.map_err(of_store)?;
        let agent = spending::agent_of(&glance.item, &rules);
        spending.extend(spending::of_one(of_agents, agent.as_ref()).iter().map(SpendingLine::from));
        let is_open = |effect: &&Effect| effect.status != EffectStatus::Done;
        Ok(IssueView {
            now: now.store.into(),
            why: why(&explanation),
            spending,
            pull: glance.item.pull.as_ref().map(|pull| pull_view(pull, issue, self.links.as_ref())),
            blockers: glance.item.blockers.iter().map(blocker).collect(),
            comments: glance.item.comments.iter().map(comment).collect(),
            timeline: timeline(&rows, &wakeups, &transfers, &effects, rules.policy.names),
            effects: effects.iter().filter(is_open).map(|effect| effect_line(effect, &key)).collect(),
            offers: offers(&glance.item, &card, &rules),
            columns: rules.pipeline.stages().iter().map(|stage| stage.name.clone()).collect(),
            plan: approval::asked_last(&glance.item.comments, rules.policy.names).map(|asked| asked.plan),
            labels: glance.item.labels.clone(),
            is_closed: glance.item.is_closed,
            runs,
            card,
        })
    }

    /// Returns an issue as it was read lately, or reads it. Pages ask whenever anything at all changes, and the tracker's budget is for
    /// those who decide; so only what may have changed about this issue is read again at once.
    async fn sight(&self, issue: &IssueKey) -> Answer<Sight> {
        let changed_at = self.marshal.last_change(issue);
        let boot_now = self.marshal.clock.boot_now();
        let lately = self.live.sights().read(issue, boot_now);
        if let Some((sight, age)) = lately.filter(|(sight, _)| sight.changed_at == changed_at) {
            return Ok(sight.later(age));
        }
        let ticket = self.live.sights().begin(issue, boot_now);
        self.check_that_it_exists(issue).await?;
        let glance = Arc::new(self.marshal.peek(issue).await.map_err(of_look)?);
        let sight = Sight { now: glance.now, glance, changed_at };
        self.live.sights().keep(issue, ticket, &Arc::new(sight.clone()));
        Ok(sight)
    }

    /// Looking closer makes a row in the store, which what does not exist shall not have.
    async fn check_that_it_exists(&self, issue: &IssueKey) -> Answer<()> {
        let is_known =
            self.marshal.picture().is_some_and(|it| it.issues.iter().any(|(known, _)| known == issue));
        if is_known {
            return Ok(());
        }
        match self.marshal.tracker.issue(issue).await {
            Ok(found) if !found.value.is_pull => Ok(()),
            Ok(_) => Err(LookoutError::NoSuch(format!("{issue} is a pull request, and no issue"))),
            Err(error) if error.kind == TrackerErrorKind::NotFound => Err(LookoutError::NoSuch(format!(
                "there is no issue {issue} that this account may see; check its name and the token"
            ))),
            Err(error) => Err(of_tracker(error)),
        }
    }

    /// Returns the card of an issue that was just read; what the board knows of it may be older.
    fn card(&self, item: &Item, run: Option<&baton_view::RunLine>, rules: &Rules) -> Card {
        let known = Known::seen(item, self.marshal.last_change(&item.issue));
        let pull = item.pull.as_ref().map(|pull| pull.number);
        Seen { issue: &item.issue, known: &known, pull, run }.card(rules, self.links.as_ref())
    }
}

fn why(explanation: &Explanation<'_>) -> WhyView {
    let entries = explanation.assessment.trail.entries.iter();
    WhyView {
        step: explanation.assessment.step.word().to_owned(),
        sentence: format!("It {}.", explanation.sentence().trim_end_matches('.')),
        effects: explanation.effect_lines(),
        trail: entries.filter(|entry| entry.answer != RuleAnswer::NotAsked).map(trail_line).collect(),
    }
}

fn trail_line(entry: &Entry) -> TrailLine {
    let facts: Vec<_> = entry.facts.iter().map(|fact| format!("{}: {}", fact.name, fact.value)).collect();
    let verdict = match entry.answer {
        RuleAnswer::Decided => "yes",
        RuleAnswer::ToGates => "to the gates",
        RuleAnswer::Passed | RuleAnswer::NotAsked => "no",
    };
    let found = match facts.is_empty() {
        true => verdict.to_owned(),
        false => format!("{verdict} — {}", facts.join(", ")),
    };
    TrailLine {
        rule: entry.rule.replace('_', " "),
        about: entry.asks.to_owned(),
        found,
        is_decisive: entry.answer == RuleAnswer::Decided,
    }
}

fn blocker(blocker: &item::Blocker) -> BlockerLine {
    BlockerLine { issue: blocker.issue.to_string(), is_open: blocker.is_open }
}

fn comment(comment: &item::Comment) -> CommentLine {
    CommentLine {
        id: comment.id,
        author: comment.author.clone(),
        is_bot: comment.is_bot,
        at: comment.created_at.into(),
        body: comment.body.clone(),
        is_on_pull: comment.is_on_pull,
        is_answered: comment.has_rocket,
    }
}

fn pull_view(pull: &LinkedPull, issue: &IssueKey, links: Option<&Links>) -> PullView {
    let requests = pull.requests.iter().map(|request| ReviewLine {
        who: request.login.clone(),
        state: "requested".to_owned(),
        at: None,
    });
    let reviews = pull.reviews.iter().map(|review| ReviewLine {
        who: review.author.clone(),
        state: review.state.to_string(),
        at: None,
    });
    PullView {
        number: pull.number,
        url: links.map(|links| links.pull(issue, pull.number)),
        state: match pull.state {
            PullState::Open => "open",
            PullState::Merged => "merged",
            PullState::Closed => "closed",
        }
        .to_owned(),
        is_draft: pull.is_draft,
        author: pull.author.clone(),
        head_sha: pull.head_sha.clone(),
        pushed_at: pull.pushed_at.into(),
        merging: merging(pull),
        checks: checks(pull),
        has_checks: pull.checks.is_some(),
        reviews: reviews.chain(requests).collect(),
        threads: pull.threads.iter().map(thread).collect(),
    }
}

fn merging(pull: &LinkedPull) -> String {
    match (pull.state, pull.mergeable) {
        (PullState::Merged, _) => "it is merged".to_owned(),
        (PullState::Closed, _) => "it was closed without a merge".to_owned(),
        (PullState::Open, Some(false)) => "it conflicts with its base".to_owned(),
        (PullState::Open, None) => "the tracker is finding out whether it merges".to_owned(),
        (PullState::Open, Some(true)) => match pull.merge_state {
            item::MergeState::Clean | item::MergeState::HasHooks => {
                "nothing is in the way of a merge".to_owned()
            }
            item::MergeState::Unstable => {
                "it merges, though a check that is not required has not passed".to_owned()
            }
            item::MergeState::Blocked => "a rule of the branch is in the way: reviews or checks".to_owned(),
            item::MergeState::Behind => "it must be brought up to date with its base first".to_owned(),
            item::MergeState::Dirty => "it conflicts with its base".to_owned(),
            item::MergeState::Draft => "it is a draft".to_owned(),
            item::MergeState::Unknown => "the tracker does not say yet whether it merges".to_owned(),
        },
    }
}

fn checks(pull: &LinkedPull) -> Vec<CheckLine> {
    let is_required = |name: &str| pull.required_checks.iter().any(|required| required == name);
    let there = pull.checks.as_ref().map(|checks| checks.as_slice()).unwrap_or_default();
    let lines = there.iter().map(|check| CheckLine {
        name: check.name.clone(),
        state: match check.health() {
            Health::Passed => CheckState::Passed,
            Health::Failed => CheckState::Failed,
            Health::Running => CheckState::Running,
            Health::Void => CheckState::Missing,
        },
        words: check
            .conclusion
            .map_or_else(|| "in progress".to_owned(), |it| it.to_string().replace('_', " ")),
        is_required: is_required(&check.name),
        at: Some(check.changed_at.into()),
    });
    let missing = pull.required_checks.iter().filter(|name| there.iter().all(|check| check.name != **name));
    let missing = missing.map(|name| CheckLine {
        name: name.clone(),
        state: CheckState::Missing,
        words: "expected".to_owned(),
        is_required: true,
        at: None,
    });
    lines.chain(missing).collect()
}

fn thread(thread: &item::Thread) -> ThreadLine {
    let words = thread.comments.first().map_or_else(String::new, |first| {
        let said: String = first.body.chars().take(THREAD_CHARS_MAX).collect();
        format!("{}: {said}", first.author)
    });
    let path = Some(thread.path.clone()).filter(|path| !path.is_empty());
    let path = path.map(|path| thread.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")));
    ThreadLine { path, words, is_resolved: thread.is_resolved }
}

/// How an issue stands, as far as orders depend on it.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    is_closed: bool,
    is_at_end: bool,
    is_paused: bool,
    is_held: bool,
    is_pending: bool,
    has_run: bool,
}

impl Standing {
    fn of(item: &Item, card: &Card, rules: &Rules) -> Self {
        let said: Vec<_> = item.labels.iter().filter_map(|label| rules.policy.names.read(label)).collect();
        let is_flagged = |flag| said.contains(&Said::Flag(flag));
        let approval = item.approval.as_ref();
        let stage = rules.pipeline.stage(&item.column);
        Self {
            is_closed: item.is_closed,
            is_at_end: stage.is_some_and(|stage| stage.kind == StageKind::Cleanup),
            is_paused: is_flagged(Flag::Paused) || is_flagged(Flag::AwaitingInput),
            is_held: said.contains(&Said::Held),
            is_pending: approval.is_some_and(|approval| approval.state == ApprovalState::Pending),
            has_run: card.holder.is_some(),
        }
    }

    /// Returns why an order makes no sense now.
    fn why_not(self, order: OrderKind) -> Option<&'static str> {
        match order {
            OrderKind::Comment => None,
            // What runs can be stopped, whatever became of its issue.
            OrderKind::Cancel => (!self.has_run).then_some("nothing runs or waits to run"),
            OrderKind::Move => (self.is_at_end && self.is_closed).then_some("it is done"),
            _ if self.is_closed => Some("the issue is closed"),
            OrderKind::Pause => self.is_paused.then_some("it is paused already"),
            OrderKind::Resume => (!self.is_paused).then_some("it is not paused"),
            // Whoever orders it can name an agent, where none is configured.
            OrderKind::Wake => None,
            OrderKind::Hold => self.is_held.then_some("agents are kept away already"),
            OrderKind::Unhold => (!self.is_held).then_some("nothing keeps agents away"),
            OrderKind::Approve | OrderKind::Reject => {
                (!self.is_pending).then_some("nobody asked for an approval")
            }
        }
    }
}

/// Returns what may be ordered now, and what not and why.
fn offers(item: &Item, card: &Card, rules: &Rules) -> Vec<Offer> {
    let standing = Standing::of(item, card, rules);
    let offer = |order| Offer { order, why_not: standing.why_not(order).map(str::to_owned) };
    OrderKind::ALL.into_iter().map(offer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_done_is_offered() {
        use OrderKind::{Approve, Cancel, Comment, Hold, Move, Pause, Resume, Unhold, Wake};
        let offered = |standing: Standing| -> Vec<_> {
            OrderKind::ALL.into_iter().filter(|order| standing.why_not(*order).is_none()).collect()
        };
        let open = Standing::default();
        let is_offered = |standing: Standing, order| offered(standing).contains(&order);
        assert_eq!(offered(open), [Pause, Wake, Hold, Move, Comment]);
        assert!(is_offered(Standing { has_run: true, ..open }, Cancel));
        assert!(is_offered(Standing { is_paused: true, ..open }, Resume));
        assert!(is_offered(Standing { is_held: true, ..open }, Unhold));
        assert!(is_offered(Standing { is_pending: true, ..open }, Approve));
        let closed = Standing { is_closed: true, ..open };
        assert_eq!(offered(closed), [Move, Comment]);
        assert_eq!(offered(Standing { has_run: true, ..closed }), [Cancel, Move, Comment]);
        assert_eq!(offered(Standing { is_at_end: true, ..closed }), [Comment]);
    }
}
