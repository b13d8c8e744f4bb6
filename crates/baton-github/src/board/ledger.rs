//! The rows that surveys have shown, so that news about a part of an issue can be told as news about the issue.
//!
//! An issue's place on a project and its pull request change at moments of their own. They count as changes of the issue, and
//! a row never goes back in time because another source knows less.

use std::collections::BTreeMap;

use baton_core::time::ServerTime;
use baton_core::tracker::{BoardRow, IssueKey};

/// What surveys have shown so far.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    rows: BTreeMap<IssueKey, BoardRow>,
    touched: BTreeMap<IssueKey, ServerTime>,
}

impl Ledger {
    /// Notes that something beside the issue itself changed. Returns its row, if it is known and this is news.
    pub(super) fn touch(&mut self, issue: &IssueKey, at: ServerTime) -> Option<BoardRow> {
        let touched = self.touched.entry(issue.clone()).or_insert(at);
        *touched = at.max(*touched);
        let row = self.rows.get_mut(issue)?;
        row.updated_at = at.max(row.updated_at);
        Some(row.clone())
    }

    /// Notes a row. Returns it as it is to be told.
    pub(super) fn note(&mut self, mut row: BoardRow) -> BoardRow {
        if let Some(touched) = self.touched.get(&row.issue) {
            row.updated_at = row.updated_at.max(*touched);
        }
        self.rows.insert(row.issue.clone(), row.clone());
        row
    }

    /// Forgets what a complete survey did not show.
    pub(super) fn keep_only(&mut self, rows: &[BoardRow]) {
        let shown: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.issue).collect();
        self.rows.retain(|issue, _| shown.contains(issue));
        self.touched.retain(|issue, _| shown.contains(issue));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(updated_at: i64) -> BoardRow {
        BoardRow {
            issue: "acme/web#7".parse().unwrap(),
            node_id: "I_7".into(),
            title: "Seven".into(),
            column: None,
            is_closed: false,
            labels: Vec::new(),
            updated_at: ServerTime(updated_at),
        }
    }

    #[test]
    fn a_row_does_not_go_back_in_time() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.touch(&row(0).issue, ServerTime(5)), None, "nothing is known of it");
        assert_eq!(ledger.note(row(3)).updated_at, ServerTime(5));
        assert_eq!(ledger.touch(&row(0).issue, ServerTime(9)).unwrap().updated_at, ServerTime(9));
        assert_eq!(ledger.note(row(4)).updated_at, ServerTime(9));
        assert_eq!(ledger.note(row(11)).updated_at, ServerTime(11));
    }

    #[test]
    fn what_is_not_on_the_board_any_more_is_forgotten() {
        let mut ledger = Ledger::default();
        ledger.note(row(3));
        ledger.keep_only(&[]);
        assert_eq!(ledger.touch(&row(0).issue, ServerTime(9)), None);
    }
}
