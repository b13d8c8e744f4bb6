//! The board: what the marshal knows of issues, and the runs that have their slots.

use std::collections::BTreeMap;

use baton_core::board::Known;
use baton_core::pipeline::names::{Flag, Names, Said, StageMark};
use baton_core::pipeline::{Pipeline, StageKind};
use baton_core::slot::{ItemKey, RunStatus};
use baton_core::tracker::IssueKey;
use baton_ports::store::{RunFilter, RunRow};
use baton_ports::{Store as _, Workspaces as _};
use baton_view::{
    Badge, BadgeKind, Board, Card, CardState, Column, ColumnKind, Holder, LookoutError, RunLine, Stamp,
    Warning,
};

use super::{Answer, Links, Watchtower, of_store};
use crate::marshal::{Parts, Rules};

/// How many runs are looked at.
const RUNS_MAX: u32 = 1_000;
/// How many issues that are done are shown.
const DONE_MAX: usize = 20;
/// Where issues are shown that are in no column.
pub(super) const NOWHERE: &str = "Not on the board";
/// How labels begin that are the relay's own business.
const OWN_PREFIXES: [&str; 4] = ["stage:", "baton:", "fabrik:", "agent:"];

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn look_at_board(&self) -> Answer<Board> {
        let picture = self.marshal.picture().ok_or_else(|| self.not_surveyed())?;
        let now = Stamp::from(self.marshal.relay.store.now().await.map_err(of_store)?);
        let runs = self.active_runs().await?;
        let rules = self.marshal.rules();
        let mut columns = empty_columns(&rules.pipeline);
        for (issue, known) in &picture.issues {
            if known.column.is_none() && known.is_closed {
                continue;
            }
            let run = runs.get(&ItemKey::issue(issue));
            let seen = Seen { issue, known, pull: picture.pulls.get(issue).copied(), run };
            let card = seen.card(&rules, self.links.as_ref());
            place(&mut columns, card);
        }
        columns.iter_mut().for_each(tidy);
        columns.retain(|column| column.name != NOWHERE || !column.cards.is_empty());
        Ok(Board { now, columns, warnings: self.warnings().await })
    }

    /// Returns the troubles. That a work tree was removed after all is told by nobody, so it is looked for.
    pub(super) async fn warnings(&self) -> Vec<Warning> {
        for issue in self.live.kept_trees() {
            if !self.marshal.workspaces.has_place(&issue).await {
                self.live.tree_is_gone(&issue);
            }
        }
        self.live.warnings()
    }

    fn not_surveyed(&self) -> LookoutError {
        let trouble = self.live.warnings().into_iter().next().map(|warning| warning.words);
        LookoutError::OutOfReach(
            trouble.unwrap_or_else(|| "the board has not been read yet: it is about to be".to_owned()),
        )
    }

    /// Returns the runs that have slots, by what they work on.
    pub(super) async fn active_runs(&self) -> Answer<BTreeMap<ItemKey, RunLine>> {
        let statuses = vec![RunStatus::Queued, RunStatus::ScheduledRetry, RunStatus::Running];
        let filter = RunFilter { statuses, limit: RUNS_MAX, ..RunFilter::default() };
        let rows: Vec<RunRow> = self.marshal.relay.store.runs(&filter).await.map_err(of_store)?;
        Ok(rows.into_iter().map(|row| (row.item.clone(), self.line(&row))).collect())
    }
}

/// An issue, as far as it is known without looking closer.
pub(super) struct Seen<'a> {
    pub(super) issue: &'a IssueKey,
    pub(super) known: &'a Known,
    pub(super) pull: Option<u64>,
    pub(super) run: Option<&'a RunLine>,
}

impl Seen<'_> {
    pub(super) fn card(&self, rules: &Rules, links: Option<&Links>) -> Card {
        let Self { issue, known, pull, run } = self;
        let (state, words) = self.state(rules);
        let column = known.column.as_deref().unwrap_or(NOWHERE);
        let holder = run.map(|run| holder(run, known, rules));
        Card {
            issue: issue.to_string(),
            repo: issue.repo.to_string(),
            number: issue.number,
            title: known.title.to_string(),
            url: links.map(|links| links.issue(issue)),
            column: column.to_owned(),
            state,
            words,
            since: holder.as_ref().map_or_else(|| known.updated_at.into(), |holder| holder.since),
            holder,
            badges: badges(&known.labels, rules.policy.names),
            labels: plain_labels(&known.labels, rules.policy.names),
            pull: *pull,
        }
    }

    /// Returns how it is with it, and in a few words what happens or what it waits for.
    fn state(&self, rules: &Rules) -> (CardState, String) {
        let stage = self.known.column.as_deref().and_then(|column| rules.pipeline.stage(column));
        let is_done = stage.is_some_and(|stage| stage.kind == StageKind::Cleanup);
        if self.known.is_closed {
            return (CardState::Done, if is_done { "done" } else { "closed" }.to_owned());
        }
        let said: Vec<_> =
            self.known.labels.iter().filter_map(|label| rules.policy.names.read(label)).collect();
        let has = |flag| said.contains(&Said::Flag(flag));
        let foreign = self.foreign_lock(rules);
        if let Some(run) = self.run.filter(|run| run.state == baton_view::RunState::Running) {
            return (CardState::Running, format!("{} is at work, run {}", run.agent, run.run));
        }
        let flags = [
            (has(Flag::AwaitingInput), CardState::Asking, "a person was asked"),
            (has(Flag::Paused), CardState::Paused, "paused"),
            (said.contains(&Said::Held), CardState::Held, "a person keeps agents away"),
            (has(Flag::Blocked), CardState::Blocked, "other issues come first"),
            (has(Flag::RebaseNeeded), CardState::Blocked, "its branch conflicts"),
            (has(Flag::AwaitingReview), CardState::Waiting, "waits for reviewers"),
            (has(Flag::AwaitingCi), CardState::Waiting, "waits for checks"),
            (said.contains(&Said::PlanPending), CardState::Waiting, "waits for an approval of its plan"),
        ];
        if let Some((_, state, words)) = flags.into_iter().find(|(is_so, ..)| *is_so) {
            return (state, words.to_owned());
        }
        match (self.run, foreign) {
            (Some(run), _) => {
                (CardState::Queued, format!("{}, run {} of {}", run.state.words(), run.run, run.agent))
            }
            (None, Some(who)) => (CardState::Held, format!("held by {who}")),
            (None, None) if is_done => (CardState::Done, "done".to_owned()),
            (None, None) if stage.is_none_or(|stage| !stage.is_working()) => {
                (CardState::Idle, "waits until a person moves it".to_owned())
            }
            (None, None) => (CardState::Idle, "waits for its turn".to_owned()),
        }
    }

    /// Returns who else has locked it.
    fn foreign_lock(&self, rules: &Rules) -> Option<&str> {
        let labels = self.known.labels.iter();
        let mut foreign = labels.filter(|label| !label.eq_ignore_ascii_case(&rules.policy.own_lock));
        foreign.find_map(|label| match rules.policy.names.read(label) {
            Some(Said::Locked(who)) => Some(who),
            _ => None,
        })
    }
}

fn holder(run: &RunLine, known: &Known, rules: &Rules) -> Holder {
    let is_extended = known.labels.iter().any(|label| rules.policy.names.is_flag(label, Flag::ExtendTurns));
    let numbers = run.numbers.as_ref();
    let turns_max = numbers.and_then(|it| it.turns_max).map(|max| if is_extended { max * 2 } else { max });
    Holder {
        name: run.agent.clone(),
        run: Some(run.run),
        host: run.host.clone(),
        since: run.started_at.unwrap_or(run.created_at),
        turns: numbers.map(|it| it.turns),
        turns_max,
        last_line: numbers.map(|it| it.last_line.clone()).filter(|line| !line.is_empty()),
    }
}

fn badges(labels: &[std::sync::Arc<str>], names: Names) -> Vec<Badge> {
    let badge = |label: &std::sync::Arc<str>| {
        let (kind, words) = match names.read(label)? {
            Said::Flag(Flag::Paused) => (BadgeKind::Paused, "paused"),
            Said::Flag(Flag::AwaitingInput) => (BadgeKind::Question, "question"),
            Said::Flag(Flag::AwaitingReview) => (BadgeKind::Review, "review"),
            Said::Flag(Flag::AwaitingCi) => (BadgeKind::Checks, "checks"),
            Said::Flag(Flag::RebaseNeeded) => (BadgeKind::Conflict, "conflict"),
            Said::Flag(Flag::Blocked) => (BadgeKind::Blocked, "blocked"),
            Said::Flag(Flag::Yolo) => (BadgeKind::Mode, "yolo"),
            Said::Flag(Flag::Cruise) => (BadgeKind::Mode, "cruise"),
            Said::Flag(Flag::Unrestricted) => (BadgeKind::Mode, "unrestricted"),
            Said::Flag(Flag::ExtendTurns) => (BadgeKind::Mode, "more turns"),
            Said::Flag(Flag::SubIssue) => (BadgeKind::Mode, "part"),
            Said::Stage(_, StageMark::Failed) => (BadgeKind::Failed, "failed"),
            Said::PlanPending => (BadgeKind::Approval, "approval"),
            Said::Held => (BadgeKind::Paused, "kept away"),
            Said::Flag(Flag::Editing | Flag::BotReprompted) | Said::Locked(_) | Said::Stage(..) => {
                return None;
            }
        };
        Some(Badge { kind, words: words.to_owned() })
    };
    labels.iter().filter_map(badge).collect()
}

fn plain_labels(labels: &[std::sync::Arc<str>], names: Names) -> Vec<String> {
    let is_own = |label: &str| {
        let folded = label.to_ascii_lowercase();
        names.read(label).is_some() || OWN_PREFIXES.iter().any(|prefix| folded.starts_with(prefix))
    };
    labels.iter().filter(|label| !is_own(label)).map(|label| label.to_string()).collect()
}

fn empty_columns(pipeline: &Pipeline) -> Vec<Column> {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind, cards: Vec::new(), hidden: 0 };
    let kind = |kind| match kind {
        StageKind::Working => ColumnKind::Work,
        StageKind::Cleanup => ColumnKind::Done,
        StageKind::Holding | StageKind::Unmanaged => ColumnKind::Waiting,
    };
    let stages = pipeline.stages().iter().map(|stage| column(&stage.name, kind(stage.kind)));
    std::iter::once(column(NOWHERE, ColumnKind::Unknown)).chain(stages).collect()
}

fn place(columns: &mut Vec<Column>, card: Card) {
    let at = columns.iter().position(|column| column.name.eq_ignore_ascii_case(&card.column));
    match at {
        Some(at) => columns[at].cards.push(card),
        None => {
            let name = card.column.clone();
            columns.push(Column { name, kind: ColumnKind::Unknown, cards: vec![card], hidden: 0 });
        }
    }
}

/// Puts the cards in order; of those that are done, only the newest are shown.
fn tidy(column: &mut Column) {
    if column.kind == ColumnKind::Done {
        column.cards.sort_by_key(|card| (card.state, std::cmp::Reverse(card.since)));
        let open = column.cards.iter().filter(|card| card.state != CardState::Done).count();
        let shown = open + DONE_MAX;
        column.hidden = u64::try_from(column.cards.len().saturating_sub(shown)).unwrap_or(0);
        column.cards.truncate(shown);
    } else {
        column.cards.sort_by(|a, b| (a.state, &a.repo, a.number).cmp(&(b.state, &b.repo, b.number)));
    }
}
