//! Pull requests by state, branches and labels, as GraphQL asks for them.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::issue_query::SortBy;
use super::issues::Issue;
use super::keyset::Range;
use super::pulls::{self, COLUMNS, Pull};

pub(crate) struct PullFilter {
    pub(crate) repo_id: i64,
    /// `OPEN`, `CLOSED`, `MERGED`; none means all.
    pub(crate) states: Vec<String>,
    pub(crate) head_ref: Option<String>,
    pub(crate) base_ref: Option<String>,
    /// Any of these.
    pub(crate) labels: Vec<String>,
    pub(crate) sort: SortBy,
}

fn state_condition(state: &str) -> &'static str {
    match state {
        "OPEN" => "i.state = 'open'",
        "MERGED" => "p.merged_at IS NOT NULL",
        _ => "(i.state = 'closed' AND p.merged_at IS NULL)",
    }
}

impl PullFilter {
    fn clause(&self) -> (String, Vec<Value>) {
        let mut values = vec![Value::Integer(self.repo_id)];
        let mut clause = "FROM pulls p JOIN issues i ON i.id = p.issue_id WHERE p.repo_id = ?".to_owned();
        if !self.states.is_empty() {
            let states: Vec<_> = self.states.iter().map(|state| state_condition(state)).collect();
            clause += &format!(" AND ({})", states.join(" OR "));
        }
        for (column, name) in [("p.head_ref", &self.head_ref), ("p.base_ref", &self.base_ref)] {
            if let Some(name) = name {
                clause += &format!(" AND {column} = ?");
                values.push(Value::Text(name.clone()));
            }
        }
        if !self.labels.is_empty() {
            let marks = vec!["?"; self.labels.len()].join(", ");
            clause += &format!(
                " AND EXISTS (SELECT 1 FROM issue_labels il JOIN labels l ON l.id = il.label_id
                 WHERE il.issue_id = i.id AND l.name IN ({marks}))"
            );
            values.extend(self.labels.iter().cloned().map(Value::Text));
        }
        (clause, values)
    }

    pub(crate) fn count(&self, conn: &Connection) -> rusqlite::Result<i64> {
        let (clause, values) = self.clause();
        conn.prepare_cached(&format!("SELECT count(*) {clause}"))?
            .query_row(params_from_iter(values), |row| row.get(0))
    }

    /// Returns what a range of keys holds, in the range's direction.
    pub(crate) fn within(&self, conn: &Connection, range: &Range) -> rusqlite::Result<Vec<(Issue, Pull)>> {
        let (clause, mut values) = self.clause();
        values.extend(range.bounds().map(Value::from));
        values.push(Value::Integer(range.limit));
        let (column, direction) = (self.sort.column(), range.direction());
        let sql = format!(
            "SELECT {COLUMNS} {clause} AND ({column}, i.id) > (?, ?) AND ({column}, i.id) < (?, ?)
             ORDER BY {column} {direction}, i.id {direction} LIMIT ?"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let found = statement
            .query_map(params_from_iter(values), pulls::pull_from)?
            .collect::<Result<Vec<_>, _>>()?;
        pulls::with_issues(conn, found)
    }
}
