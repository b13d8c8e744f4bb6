//! The one writer of what is known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::label_texts::LabelTexts;
use super::spots::{Spot, Spots};
use super::waiting::Waiting;
use super::{Changes, Happening, Known, News, Subject, Touched};
use crate::tracker::{BoardRow, IssueKey, Survey};

/// The issues on the board.
#[derive(Debug, Default)]
pub struct Watch {
    known: BTreeMap<IssueKey, Known>,
    nodes: BTreeMap<Box<str>, Spot>,
    /// The issues of pull requests, which are in the same repository.
    pulls: BTreeMap<Spot, u64>,
    waiting: Waiting,
    texts: LabelTexts,
    spots: Spots,
    has_surveyed: bool,
}

impl Watch {
    /// Takes in a survey. A complete one removes what it does not show. Returns what changed, and what of it no news had told;
    /// the first survey has nothing to be compared with.
    pub fn survey(&mut self, survey: &Survey) -> Touched {
        let mut touched = Touched::default();
        let mut freed = Vec::new();
        for row in &survey.rows {
            let issue = self.name(row);
            let was_told = self.known.get(&issue).is_some_and(|known| known.is_told);
            let changes = self.take(&issue, row);
            if changes.is_empty() {
                continue;
            }
            if self.has_surveyed && !was_told {
                touched.untold.push((issue.clone(), changes));
            }
            if changes.has(Changes::CLOSED | Changes::APPEARED) && row.is_closed {
                freed.push(issue.clone());
            }
            touched.issues.push((issue, changes));
        }
        if survey.is_complete {
            self.remove_all_but(&survey.rows, &mut touched, &mut freed);
        }
        self.has_surveyed = true;
        freed.iter().for_each(|blocker| self.free(blocker, &mut touched));
        touched
    }

    fn remove_all_but(&mut self, rows: &[BoardRow], touched: &mut Touched, freed: &mut Vec<IssueKey>) {
        let shown: BTreeSet<Spot> = rows.iter().filter_map(|row| self.spots.find(&row.issue)).collect();
        let is_gone = |issue: &&IssueKey| self.spots.find(issue).is_none_or(|spot| !shown.contains(&spot));
        let gone: Vec<IssueKey> = self.known.keys().filter(is_gone).cloned().collect();
        let nodes: BTreeSet<&str> = rows.iter().map(|row| row.node_id.as_str()).collect();
        self.nodes.retain(|node, _| nodes.contains(&**node));
        for issue in gone {
            self.known.remove(&issue);
            self.waiting.forget(&issue);
            // News of its removal would have removed it.
            if self.has_surveyed {
                touched.untold.push((issue.clone(), Changes::REMOVED));
            }
            touched.issues.push((issue.clone(), Changes::REMOVED));
            freed.push(issue);
        }
        let (known, spots) = (&self.known, &self.spots);
        self.pulls.retain(|pull, number| known.contains_key(&spots.key(Spot { number: *number, ..*pull })));
    }

    /// Takes in an issue as a look has shown it, so that news of what the look saw already are no news. What a look does not
    /// tell, the tracker's name or the time of the last change, may be empty or long ago. Returns those that waited for it, if
    /// it turned out to be closed; the issue itself is not worth another look.
    pub fn saw(&mut self, row: &BoardRow) -> Touched {
        let issue = self.name(row);
        let was_told = self.known.get(&issue).is_some_and(|known| known.is_told);
        let changes = self.take(&issue, row);
        if let Some(known) = self.known.get_mut(&issue) {
            // The next survey shows a later time, and that is then no surprise.
            known.is_told = was_told;
        }
        let mut touched = Touched::default();
        if changes.has(Changes::CLOSED | Changes::APPEARED) && row.is_closed {
            self.free(&issue, &mut touched);
        }
        touched
    }

    /// Takes in that a look has not found an issue on the board. Returns those that waited for it.
    pub fn missed(&mut self, issue: &IssueKey) -> Touched {
        let mut touched = Touched::default();
        self.remove(&self.spots.spelled(issue), &mut touched);
        touched
    }

    fn take(&mut self, issue: &IssueKey, row: &BoardRow) -> Changes {
        let labels = self.texts.set(&row.labels);
        let column = row.column.as_deref().map(|column| self.texts.shared(column));
        let Some(before) = self.known.get_mut(issue) else {
            let known = Known {
                title: row.title.as_str().into(),
                column,
                is_closed: row.is_closed,
                labels,
                updated_at: row.updated_at,
                is_told: false,
            };
            self.known.insert(issue.clone(), known);
            return Changes::APPEARED;
        };
        let changes = Changes::COLUMN.when(column.is_some() && column != before.column)
            | Changes::LABELS.when(labels != before.labels)
            | Changes::CLOSED.when(row.is_closed != before.is_closed)
            | Changes::TOUCHED.when(row.updated_at > before.updated_at);
        before.column = column.or(before.column.take());
        before.labels = labels;
        if *before.title != *row.title {
            before.title = row.title.as_str().into();
        }
        before.is_closed = row.is_closed;
        // Surveys and looks may know of different times; the later one has seen what the earlier one has.
        before.updated_at = before.updated_at.max(row.updated_at);
        before.is_told = false;
        changes
    }

    /// Notes the tracker's name of an issue. Returns the issue as it is spelled here.
    fn name(&mut self, row: &BoardRow) -> IssueKey {
        let spot = self.spots.make(&row.issue);
        if self.nodes.get(row.node_id.as_str()) != Some(&spot) && !row.node_id.is_empty() {
            self.nodes.insert(row.node_id.as_str().into(), spot);
        }
        self.spots.key(spot)
    }

    /// Takes in news. Returns what changed, of those that waited for it too. News that say what was known already are none.
    pub fn hear(&mut self, news: &News) -> Touched {
        let mut touched = Touched::default();
        let issue = match &news.about {
            Subject::Repository(_) => {
                touched.asks_for_survey = true;
                return touched;
            }
            Subject::Node(node) => self.nodes.get(node.as_str()).map(|spot| self.spots.key(*spot)),
            Subject::Issue(issue) => Some(self.spots.spelled(issue)),
            Subject::Pull { repo, number } => {
                self.issue_of_pull(&IssueKey { repo: repo.clone(), number: *number })
            }
        };
        match issue {
            Some(issue) => self.hear_of(&issue, &news.what, &mut touched),
            // Something came onto the board, or moved there, of which nothing is known but its name.
            None => {
                touched.asks_for_survey =
                    matches!(news.about, Subject::Node(_)) && news.what != Happening::Removed;
            }
        }
        touched
    }

    fn issue_of_pull(&self, pull: &IssueKey) -> Option<IssueKey> {
        let spot = self.spots.find(pull)?;
        let number = *self.pulls.get(&spot)?;
        Some(self.spots.key(Spot { number, ..spot }))
    }

    fn hear_of(&mut self, issue: &IssueKey, what: &Happening, touched: &mut Touched) {
        if *what == Happening::Removed {
            return self.remove(issue, touched);
        }
        let changes = self.apply(issue, what);
        touched.note(issue, changes);
        if changes.has(Changes::CLOSED) && *what == Happening::Closed {
            self.free(issue, touched);
        }
    }

    fn apply(&mut self, issue: &IssueKey, what: &Happening) -> Changes {
        let Some(known) = self.known.get_mut(issue) else { return of_stranger(what) };
        known.is_told = true;
        match what {
            Happening::Closed => Changes::CLOSED.when(!std::mem::replace(&mut known.is_closed, true)),
            Happening::Reopened => Changes::CLOSED.when(std::mem::replace(&mut known.is_closed, false)),
            Happening::Labelled(label) => {
                let label = self.texts.shared(label);
                Changes::LABELS.when(add(&mut known.labels, label))
            }
            Happening::Unlabelled(label) => Changes::LABELS.when(take_off(&mut known.labels, label)),
            Happening::Appeared => Changes::NONE,
            other => plain(other),
        }
    }

    fn remove(&mut self, issue: &IssueKey, touched: &mut Touched) {
        if self.known.remove(issue).is_some() {
            let spot = self.spots.make(issue);
            self.nodes.retain(|_, named| *named != spot);
            self.pulls.retain(|pull, number| Spot { number: *number, ..*pull } != spot);
            touched.note(issue, Changes::REMOVED);
        }
        self.waiting.forget(issue);
        self.free(issue, touched);
    }

    /// Those that wait for a closed issue are looked at, whatever column they are in.
    fn free(&self, blocker: &IssueKey, touched: &mut Touched) {
        for dependent in self.waiting.dependents(blocker) {
            touched.note(dependent, Changes::UNBLOCKED);
        }
    }

    /// Notes for whom an issue waits, as a look has shown, instead of what was noted before.
    pub fn waits_for(&mut self, issue: &IssueKey, blockers: &[IssueKey]) {
        let blockers: Vec<IssueKey> = blockers.iter().map(|blocker| self.spots.spelled(blocker)).collect();
        self.waiting.replace(&self.spots.spelled(issue), &blockers);
    }

    /// Notes the pull request of an issue, as a look has shown, so that news of its number find the issue.
    pub fn has_pull(&mut self, issue: &IssueKey, number: u64) {
        let spot = self.spots.make(issue);
        self.pulls.insert(Spot { number, ..spot }, spot.number);
    }

    /// Returns what is known of an issue.
    pub fn known(&self, issue: &IssueKey) -> Option<&Known> {
        self.known.get(issue).or_else(|| self.known.get(&self.spots.spelled(issue)))
    }

    /// Returns whether there was a survey yet.
    pub fn has_surveyed(&self) -> bool {
        self.has_surveyed
    }

    /// Returns the pull requests that are known, with their issues.
    pub fn pulls(&self) -> impl Iterator<Item = (IssueKey, u64)> {
        self.pulls.iter().map(|(pull, issue)| (self.spots.key(Spot { number: *issue, ..*pull }), pull.number))
    }

    /// Returns the issues that are known.
    pub fn issues(&self) -> impl Iterator<Item = (&IssueKey, &Known)> {
        self.known.iter()
    }
}

/// Returns what news of an issue mean that is not known to be on the board. It may have come there unheard; that somebody said
/// something does not bring it there.
fn of_stranger(what: &Happening) -> Changes {
    match what {
        Happening::Commented => Changes::NONE,
        Happening::Closed | Happening::Reopened => Changes::CLOSED,
        Happening::Labelled(_) | Happening::Unlabelled(_) => Changes::LABELS,
        other => plain(other),
    }
}

/// Returns what news mean that say nothing which is kept.
fn plain(what: &Happening) -> Changes {
    match what {
        Happening::Appeared => Changes::APPEARED,
        Happening::Moved => Changes::COLUMN,
        Happening::Commented => Changes::COMMENTS,
        Happening::Edited => Changes::TEXT,
        Happening::Assigned => Changes::ASSIGNEES,
        Happening::Relinked => Changes::LINKS,
        Happening::PullChanged => Changes::PULL,
        Happening::Checked => Changes::CHECKS,
        Happening::Closed
        | Happening::Reopened
        | Happening::Removed
        | Happening::Labelled(_)
        | Happening::Unlabelled(_) => Changes::NONE,
    }
}

/// Returns whether the label was not there.
fn add(labels: &mut Box<[Arc<str>]>, label: Arc<str>) -> bool {
    if labels.iter().any(|own| own.eq_ignore_ascii_case(&label)) {
        return false;
    }
    let mut all = std::mem::take(labels).into_vec();
    let place = all.partition_point(|own| *own < label);
    all.insert(place, label);
    *labels = all.into_boxed_slice();
    true
}

/// Returns whether the label was there.
fn take_off(labels: &mut Box<[Arc<str>]>, label: &str) -> bool {
    let before = labels.len();
    let mut all = std::mem::take(labels).into_vec();
    all.retain(|own| !own.eq_ignore_ascii_case(label));
    *labels = all.into_boxed_slice();
    labels.len() != before
}
