//! A board of labels: an issue is in the column whose label, `stage:<Name>`, it carries.
//!
//! Of several such labels the latest stage counts, because a move adds the new one before it takes the old ones off, and may
//! be cut short in between.

use std::sync::Mutex;

use baton_core::RepoSlug;
use baton_core::labels::dialect::Dialect;
use baton_core::labels::{COLUMN_PREFIX, column_label};
use baton_core::pipeline::label_table::{Known, LABELS, Lasting};
use baton_core::pipeline::names::Names;
use baton_core::time::ServerTime;
use baton_core::tracker::{BoardRow, Dated, IssueKey, Scope, Sighting, Survey};
use baton_ports::{Board, Tracker as _, TrackerError, TrackerErrorKind};
use serde_json::{Value, json};

use super::SURVEY_PAGES_MAX;
use super::ledger::Ledger;
use super::news::NewsDesk;
use crate::client::graph::{collect, gone, with};
use crate::client::{Answer, GitHub};
use crate::graphql::board::{IssuesWire, RowWire};
use crate::graphql::page::{Connection, InRepository};
use crate::graphql::{CLOSED_ISSUES, Document, MORE_LABELS, OPEN_ISSUES};
use crate::layers::lock;

/// How long ago an issue may have changed that is closed and in the last column, to be worth listing: there, issues stay
/// for good.
const ARRIVED_S: u64 = 14 * 24 * 3600;

/// A board whose columns are labels.
#[derive(Debug)]
pub struct LabelBoard {
    github: GitHub,
    repos: Vec<RepoSlug>,
    stages: Vec<String>,
    dialect: Dialect,
    news: NewsDesk,
    ledger: Mutex<Ledger>,
}

impl LabelBoard {
    /// Makes a board of these repositories, whose columns are these stages in this order.
    pub fn new(github: GitHub, repos: Vec<RepoSlug>, stages: Vec<String>, dialect: Dialect) -> Self {
        Self { github, repos, stages, dialect, news: NewsDesk::default(), ledger: Mutex::default() }
    }

    fn column(&self, labels: &[String]) -> Option<String> {
        let carries = |stage: &&String| labels.iter().any(|label| is_column_label(label, stage));
        self.stages.iter().rev().find(carries).cloned()
    }

    async fn everything(&self) -> Answer<Survey> {
        let mut rows = Vec::new();
        for repo in &self.repos {
            rows.extend(self.all_of(repo).await?);
        }
        let mut ledger = lock(&self.ledger);
        let rows: Vec<_> = rows.into_iter().map(|row| ledger.note(row)).collect();
        ledger.keep_only(&rows);
        Ok(Survey { rows, is_complete: true })
    }

    async fn all_of(&self, repo: &RepoSlug) -> Answer<Vec<BoardRow>> {
        let open = self.first(repo, &OPEN_ISSUES, &json!({})).await?;
        let date = open.date;
        let mut wires = self.rest(repo, &OPEN_ISSUES, &json!({}), open.value, None).await?;
        for (labels, oldest) in self.closed_worth_listing(date) {
            let asked = json!({ "labels": labels });
            let first = self.first(repo, &CLOSED_ISSUES, &asked).await?;
            wires.extend(self.rest(repo, &CLOSED_ISSUES, &asked, first.value, oldest).await?);
        }
        let mut rows = Vec::with_capacity(wires.len());
        for wire in wires {
            rows.push(self.row(repo, wire).await?);
        }
        rows.sort_by(|a, b| a.issue.cmp(&b.issue).then(b.updated_at.cmp(&a.updated_at)));
        rows.dedup_by(|later, first| later.issue == first.issue);
        self.news.begin(repo, date);
        Ok(rows)
    }

    /// Returns which labels of closed issues are asked for, and how old those may be. Closed issues in the last column are
    /// where they belong, and there may be thousands; all others were closed on their way.
    fn closed_worth_listing(&self, date: ServerTime) -> Vec<(Vec<String>, Option<ServerTime>)> {
        let Some((last, earlier)) = self.stages.split_last() else { return Vec::new() };
        let on_the_way = earlier.iter().map(|stage| column_label(stage)).chain(self.transient()).collect();
        vec![(on_the_way, None), (vec![column_label(last)], Some(date.minus(ARRIVED_S)))]
    }

    /// Returns the labels of ours that an issue should lose when it is closed.
    fn transient(&self) -> Vec<String> {
        let names = Names::of(self.dialect);
        let transient = LABELS.iter().filter(|row| row.is_ours && row.lasting == Lasting::Transient);
        let names = transient.flat_map(|row| match row.label {
            Known::Flag(flag) => vec![names.flag(flag)],
            Known::Mark(mark) => self.stages.iter().map(|stage| names.stage(stage, mark)).collect(),
            _ => Vec::new(),
        });
        names.collect()
    }

    async fn first(
        &self,
        repo: &RepoSlug,
        document: &Document,
        asked: &Value,
    ) -> Answer<Dated<Connection<RowWire>>> {
        let variables = with(&with(asked, "owner", repo.owner().into()), "name", repo.name().into());
        let answer: Dated<InRepository<IssuesWire>> = self.github.query(repo, document, variables).await?;
        let page = answer.value.repository.ok_or_else(|| gone(document))?.issues;
        Ok(Dated { value: page, date: answer.date, pages: 1 })
    }

    /// Reads on to the end, or, where the newest come first, until they are too old.
    async fn rest(
        &self,
        repo: &RepoSlug,
        document: &Document,
        asked: &Value,
        first: Connection<RowWire>,
        oldest: Option<ServerTime>,
    ) -> Answer<Vec<RowWire>> {
        let fetch = |after: String| async move {
            let page = self.first(repo, document, &with(asked, "after", after.into())).await?;
            Ok(until(page.value, oldest))
        };
        Ok(collect(document, until(first, oldest), SURVEY_PAGES_MAX, fetch).await?.items)
    }

    async fn row(&self, repo: &RepoSlug, wire: RowWire) -> Answer<BoardRow> {
        let labels = self.github.whole(repo, &MORE_LABELS, &wire.id, wire.labels).await?;
        let labels: Vec<_> = labels.into_iter().map(|label| label.name).collect();
        Ok(BoardRow {
            issue: IssueKey { repo: repo.clone(), number: wire.number },
            node_id: wire.id,
            title: wire.title,
            column: self.column(&labels),
            is_closed: wire.closed,
            labels,
            updated_at: wire.updated_at,
        })
    }

    async fn lately(&self) -> Answer<Survey> {
        if self.repos.iter().any(|repo| !self.news.has_begun(repo)) {
            return self.everything().await;
        }
        let place = |row: &BoardRow| self.column(&row.labels);
        self.news.survey(&self.github, &self.repos, &self.ledger, &place).await
    }

    fn no_such_column(&self, issue: &IssueKey, column: &str) -> TrackerError {
        let answer = format!("there is no column `{column}`; there are: {}", self.stages.join(", "));
        TrackerError::new(TrackerErrorKind::Invalid, format!("moving {issue}"), answer)
    }
}

/// Cuts what is too old from the end of a page, and the pages after it.
fn until(mut page: Connection<RowWire>, oldest: Option<ServerTime>) -> Connection<RowWire> {
    let Some(oldest) = oldest else { return page };
    let is_old = |wire: &RowWire| wire.updated_at < oldest;
    if page.nodes.iter().flatten().any(is_old) {
        page.nodes.retain(|node| !node.as_ref().is_some_and(is_old));
        page.page_info.has_next_page = false;
    }
    page
}

fn is_column_label(label: &str, stage: &str) -> bool {
    let (Some(head), Some(rest)) = (label.get(..COLUMN_PREFIX.len()), label.get(COLUMN_PREFIX.len()..))
    else {
        return false;
    };
    head.eq_ignore_ascii_case(COLUMN_PREFIX) && rest.eq_ignore_ascii_case(stage)
}

impl Board for LabelBoard {
    async fn survey(&self, scope: Scope) -> Answer<Survey> {
        match scope {
            Scope::All => self.everything().await,
            Scope::News => self.lately().await,
        }
    }

    fn column_of(&self, seen: &Sighting) -> Option<String> {
        self.column(&seen.issue.labels)
    }

    async fn move_to(&self, issue: &IssueKey, column: &str) -> Answer<()> {
        let named = self.stages.iter().find(|stage| stage.eq_ignore_ascii_case(column));
        let target = named.ok_or_else(|| self.no_such_column(issue, column))?;
        let labels = self.github.add_labels(issue, &[&column_label(target)]).await?;
        let others = self.stages.iter().filter(|stage| *stage != target);
        for stage in others {
            for label in labels.iter().filter(|label| is_column_label(label, stage)) {
                self.github.remove_label(issue, label).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn board() -> LabelBoard {
        let github = GitHub::new(Settings::default()).unwrap();
        let stages = ["Plan", "Build", "Done"].map(str::to_owned).to_vec();
        LabelBoard::new(github, vec!["acme/web".parse().unwrap()], stages, Dialect::Baton)
    }

    #[test]
    fn the_latest_of_several_columns_counts_and_marks_of_stages_are_no_columns() {
        let check = |labels: &[&str], expected: Option<&str>| {
            let labels: Vec<_> = labels.iter().map(|&label| label.to_owned()).collect();
            assert_eq!(board().column(&labels).as_deref(), expected, "{labels:?}");
        };
        check(&["stage:Plan"], Some("Plan"));
        check(&["bug", "Stage:BUILD", "stage:plan"], Some("Build"));
        check(&["stage:Plan:complete", "stage:Build:in_progress"], None);
        check(&["stage:Elsewhere", "stage", "ståge:Plan", ""], None);
    }

    #[test]
    fn closed_issues_are_listed_for_the_labels_that_they_should_have_lost() {
        let asked = board().closed_worth_listing(ServerTime(1_700_000_000));
        let (on_the_way, oldest) = &asked[0];
        for label in ["stage:Plan", "stage:Build", "baton:paused", "stage:Build:in_progress"] {
            assert!(on_the_way.iter().any(|own| own == label), "{label}: {on_the_way:?}");
        }
        assert!(!on_the_way.iter().any(|label| label == "stage:Done" || label.ends_with(":complete")));
        assert_eq!(*oldest, None);
        assert_eq!(asked[1].0, ["stage:Done"]);
    }
}
