//! Lists of issues by conditions, for the list endpoints and for search.
//!
//! Conditions become SQL with bound values only; no text of a client ever becomes part of a statement.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::issues::{self, Issue, issue_from};
use super::keyset::{Key, Range};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SortBy {
    #[default]
    Created,
    Updated,
    Comments,
}

impl SortBy {
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Created => "i.created_at",
            Self::Updated => "i.updated_at",
            Self::Comments => "i.comments",
        }
    }

    /// Where an issue stands in this order.
    pub(crate) fn key(self, issue: &Issue) -> Key {
        let at = match self {
            Self::Created => issue.created_at,
            Self::Updated => issue.updated_at,
            Self::Comments => issue.comments,
        };
        Key { at, id: issue.id }
    }
}

/// Something that may be asked for by name, as present, or as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presence<T> {
    Is(T),
    Any,
    None,
}

/// Where search looks for words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SearchIn {
    pub(crate) title: bool,
    pub(crate) body: bool,
    pub(crate) comments: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IssueQuery {
    pub(crate) repo_ids: Vec<i64>,
    pub(crate) state: Option<&'static str>,
    pub(crate) is_pull: Option<bool>,
    pub(crate) merged: Option<bool>,
    pub(crate) labels: Vec<String>,
    /// At least one of these, if there are any.
    pub(crate) labels_any: Vec<String>,
    pub(crate) without_labels: Vec<String>,
    pub(crate) has_labels: Option<bool>,
    pub(crate) author: Option<String>,
    pub(crate) assignee: Option<Presence<String>>,
    pub(crate) milestone: Option<Presence<i64>>,
    pub(crate) milestone_title: Option<String>,
    pub(crate) mentions: Option<String>,
    /// Author, assigned, mentioned or commenting.
    pub(crate) involves: Option<String>,
    pub(crate) commenter: Option<String>,
    pub(crate) review_requested: Option<String>,
    pub(crate) draft: Option<bool>,
    pub(crate) head: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) since: Option<i64>,
    pub(crate) words: Vec<String>,
    pub(crate) words_in: Option<SearchIn>,
    pub(crate) sort: SortBy,
    pub(crate) ascending: bool,
}

/// Conditions under construction: SQL fragments and the values they bind, in step.
#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, fragment: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(if self.sql.is_empty() { " WHERE " } else { " AND " });
        self.sql.push_str(fragment);
        self.values.extend(values);
    }
}

const LABELLED: &str =
    "i.id IN (SELECT il.issue_id FROM labels l JOIN issue_labels il ON il.label_id = l.id WHERE l.name = ?)";
const ASSIGNED: &str = "i.id IN (SELECT x.issue_id FROM issue_assignees x JOIN accounts a ON a.id = x.account_id WHERE a.login = ?)";

const COMMENTED: &str =
    "i.id IN (SELECT c.issue_id FROM comments c JOIN accounts a ON a.id = c.author_id WHERE a.login = ?)";
const MENTIONED: &str = "instr(lower(coalesce(i.body, '')), ?) > 0";
const REVIEW_REQUESTED: &str = "i.id IN (SELECT p.issue_id FROM pulls p JOIN review_requests r ON r.pull_id = p.id JOIN accounts a ON a.id = r.account_id WHERE a.login = ?)";

impl IssueQuery {
    fn conditions(&self) -> Conditions {
        let mut all = Conditions::default();
        self.place(&mut all);
        self.kind(&mut all);
        self.label(&mut all);
        self.people(&mut all);
        self.roles(&mut all);
        self.branches(&mut all);
        self.milestone(&mut all);
        self.text(&mut all);
        all
    }

    fn place(&self, all: &mut Conditions) {
        match self.repo_ids.as_slice() {
            [one] => all.add("i.repo_id = ?", [Value::from(*one)]),
            many => {
                let marks = vec!["?"; many.len()].join(", ");
                all.add(&format!("i.repo_id IN ({marks})"), many.iter().map(|id| Value::from(*id)));
            }
        }
        if let Some(state) = self.state {
            all.add("i.state = ?", [Value::from(state.to_owned())]);
        }
        if let Some(since) = self.since {
            all.add("i.updated_at >= ?", [Value::from(since)]);
        }
    }

    fn kind(&self, all: &mut Conditions) {
        if let Some(is_pull) = self.is_pull {
            all.add("i.is_pull = ?", [Value::from(is_pull)]);
        }
        match self.merged {
            Some(true) => all.add("i.id IN (SELECT issue_id FROM pulls WHERE merged_at IS NOT NULL)", []),
            Some(false) => all.add("i.id IN (SELECT issue_id FROM pulls WHERE merged_at IS NULL)", []),
            None => {}
        }
    }

    fn label(&self, all: &mut Conditions) {
        for name in &self.labels {
            all.add(LABELLED, [Value::from(name.clone())]);
        }
        if !self.labels_any.is_empty() {
            let marks = vec!["?"; self.labels_any.len()].join(", ");
            let sql = LABELLED.replace("l.name = ?", &format!("l.name IN ({marks})"));
            all.add(&sql, self.labels_any.iter().map(|name| Value::from(name.clone())));
        }
        for name in &self.without_labels {
            all.add(&format!("NOT {LABELLED}"), [Value::from(name.clone())]);
        }
        match self.has_labels {
            Some(true) => all.add("EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)", []),
            Some(false) => all.add("NOT EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)", []),
            None => {}
        }
    }

    fn people(&self, all: &mut Conditions) {
        if let Some(author) = &self.author {
            all.add("i.author_id = (SELECT id FROM accounts WHERE login = ?)", [Value::from(author.clone())]);
        }
        match &self.assignee {
            Some(Presence::Is(login)) => all.add(ASSIGNED, [Value::from(login.clone())]),
            Some(Presence::Any) => {
                all.add("EXISTS (SELECT 1 FROM issue_assignees x WHERE x.issue_id = i.id)", [])
            }
            Some(Presence::None) => {
                all.add("NOT EXISTS (SELECT 1 FROM issue_assignees x WHERE x.issue_id = i.id)", [])
            }
            None => {}
        }
        if let Some(login) = &self.mentions {
            all.add(MENTIONED, [Value::from(format!("@{}", login.to_lowercase()))]);
        }
    }

    fn roles(&self, all: &mut Conditions) {
        if let Some(login) = &self.involves {
            let sql = format!(
                "(i.author_id = (SELECT id FROM accounts WHERE login = ?) OR {ASSIGNED} OR {COMMENTED} OR {MENTIONED})"
            );
            let name = Value::from(login.clone());
            let mention = Value::from(format!("@{}", login.to_lowercase()));
            all.add(&sql, [name.clone(), name.clone(), name, mention]);
        }
        if let Some(login) = &self.commenter {
            all.add(COMMENTED, [Value::from(login.clone())]);
        }
        if let Some(login) = &self.review_requested {
            all.add(REVIEW_REQUESTED, [Value::from(login.clone())]);
        }
    }

    fn branches(&self, all: &mut Conditions) {
        if let Some(draft) = self.draft {
            all.add("i.id IN (SELECT issue_id FROM pulls WHERE draft = ?)", [Value::from(draft)]);
        }
        if let Some(head) = &self.head {
            all.add("i.id IN (SELECT issue_id FROM pulls WHERE head_ref = ?)", [Value::from(head.clone())]);
        }
        if let Some(base) = &self.base {
            all.add("i.id IN (SELECT issue_id FROM pulls WHERE base_ref = ?)", [Value::from(base.clone())]);
        }
    }

    fn milestone(&self, all: &mut Conditions) {
        match &self.milestone {
            Some(Presence::Is(number)) => all.add(
                "i.milestone_id IN (SELECT m.id FROM milestones m WHERE m.repo_id = i.repo_id AND m.number = ?)",
                [Value::from(*number)],
            ),
            Some(Presence::Any) => all.add("i.milestone_id IS NOT NULL", []),
            Some(Presence::None) => all.add("i.milestone_id IS NULL", []),
            None => {}
        }
        if let Some(title) = &self.milestone_title {
            all.add(
                "i.milestone_id IN (SELECT id FROM milestones WHERE title = ? COLLATE NOCASE)",
                [Value::from(title.clone())],
            );
        }
    }

    fn text(&self, all: &mut Conditions) {
        let places = self.words_in.unwrap_or(SearchIn { title: true, body: true, comments: false });
        for word in &self.words {
            let mut anywhere = Vec::new();
            if places.title {
                anywhere.push("instr(lower(i.title), ?) > 0");
            }
            if places.body {
                anywhere.push("instr(lower(coalesce(i.body, '')), ?) > 0");
            }
            if places.comments {
                anywhere.push("EXISTS (SELECT 1 FROM comments c WHERE c.issue_id = i.id AND instr(lower(c.body), ?) > 0)");
            }
            let value = Value::from(word.to_lowercase());
            all.add(&format!("({})", anywhere.join(" OR ")), vec![value; anywhere.len()]);
        }
    }

    fn order(&self) -> String {
        let (by, direction) = (self.sort.column(), if self.ascending { "ASC" } else { "DESC" });
        format!(" ORDER BY {by} {direction}, i.id {direction}")
    }

    /// Returns what a range of keys holds, in the range's direction.
    pub(crate) fn within(&self, conn: &Connection, range: &Range) -> rusqlite::Result<Vec<Issue>> {
        let directed = Self { ascending: !range.descending, ..self.clone() };
        let mut all = directed.conditions();
        let column = self.sort.column();
        let bounds = range.bounds().map(Value::from);
        all.add(&format!("({column}, i.id) > (?, ?) AND ({column}, i.id) < (?, ?)"), bounds);
        directed.fetch(conn, all, range.limit, 0)
    }

    /// Returns one page. With the list's length known, the far half is reached from its other end, which halves the way.
    pub(crate) fn page(
        &self,
        conn: &Connection,
        limit: i64,
        offset: i64,
        total: Option<i64>,
    ) -> rusqlite::Result<Vec<Issue>> {
        match total {
            Some(total) if offset > total / 2 => {
                let backwards = Self { ascending: !self.ascending, ..self.clone() };
                let wanted = limit.min(total - offset).max(0);
                let mut found = backwards.ask(conn, wanted, (total - offset - wanted).max(0))?;
                found.reverse();
                Ok(found)
            }
            _ => self.ask(conn, limit, offset),
        }
    }

    fn ask(&self, conn: &Connection, limit: i64, offset: i64) -> rusqlite::Result<Vec<Issue>> {
        self.fetch(conn, self.conditions(), limit, offset)
    }

    fn fetch(
        &self,
        conn: &Connection,
        mut all: Conditions,
        limit: i64,
        offset: i64,
    ) -> rusqlite::Result<Vec<Issue>> {
        if self.repo_ids.is_empty() {
            return Ok(Vec::new());
        }
        // The inner query walks an index only; the rows themselves are read for one page.
        let order = self.order();
        let ids = format!("SELECT i.id FROM issues i{}{order} LIMIT ? OFFSET ?", all.sql);
        let sql = format!("{} WHERE i.id IN ({ids}){order}", issues::SELECT);
        all.values.extend([Value::from(limit), Value::from(offset)]);
        conn.prepare_cached(&sql)?.query_map(params_from_iter(all.values), issue_from)?.collect()
    }

    pub(crate) fn count(&self, conn: &Connection) -> rusqlite::Result<i64> {
        if self.repo_ids.is_empty() {
            return Ok(0);
        }
        let all = self.conditions();
        let sql = format!("SELECT count(*) FROM issues i{}", all.sql);
        conn.prepare_cached(&sql)?.query_row(params_from_iter(all.values), |row| row.get(0))
    }

    /// Returns whether only the state limits the list, so that the repository's counters give its length.
    pub(crate) fn is_plain(&self) -> bool {
        let Self { repo_ids, state, sort, ascending, .. } = self.clone();
        *self == Self { repo_ids, state, sort, ascending, ..Self::default() }
    }
}
