//! Timelines of issues, cut to some kinds of entries.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::events::TimelineId;

/// Which entries are asked for.
#[derive(Debug, Clone)]
pub(crate) struct TimelineQuery<'a> {
    pub(crate) issue_id: i64,
    pub(crate) kinds: Vec<&'a str>,
    pub(crate) with_comments: bool,
    pub(crate) since: Option<i64>,
}

impl TimelineQuery<'_> {
    fn sql(&self) -> (String, Vec<Value>) {
        let marks = vec!["?"; self.kinds.len()].join(", ");
        let since = self.since.unwrap_or(i64::MIN);
        let mut sql = format!(
            "SELECT created_at AS at, 0 AS said, id FROM events WHERE issue_id = ? AND created_at >= ? AND kind IN ({marks})"
        );
        let mut values = vec![Value::from(self.issue_id), Value::from(since)];
        values.extend(self.kinds.iter().map(|kind| Value::from((*kind).to_owned())));
        if self.with_comments {
            sql.push_str(
                " UNION ALL SELECT created_at, 1, id FROM comments WHERE issue_id = ? AND created_at >= ?",
            );
            values.extend([Value::from(self.issue_id), Value::from(since)]);
        }
        (sql, values)
    }

    pub(crate) fn count(&self, conn: &Connection) -> rusqlite::Result<i64> {
        let (sql, values) = self.sql();
        let sql = format!("SELECT count(*) FROM ({sql})");
        conn.prepare_cached(&sql)?.query_row(params_from_iter(values), |row| row.get(0))
    }

    /// Lists a part, oldest first; events before comments of the same second.
    pub(crate) fn page(
        &self,
        conn: &Connection,
        limit: i64,
        offset: i64,
    ) -> rusqlite::Result<Vec<TimelineId>> {
        let (sql, mut values) = self.sql();
        let sql = format!("{sql} ORDER BY at, said, id LIMIT ? OFFSET ?");
        values.extend([Value::from(limit), Value::from(offset)]);
        let entry = |row: &Row<'_>| {
            let id = row.get(2)?;
            Ok(if row.get(1)? { TimelineId::Comment(id) } else { TimelineId::Event(id) })
        };
        conn.prepare_cached(&sql)?.query_map(params_from_iter(values), entry)?.collect()
    }
}
