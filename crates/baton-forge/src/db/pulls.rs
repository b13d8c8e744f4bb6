//! What only pull requests have; the rest is in [`super::issues`].

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::issues::{self, Issue};

#[derive(Debug, Clone)]
pub(crate) struct Pull {
    pub(crate) id: i64,
    pub(crate) issue_id: i64,
    pub(crate) head_repo_id: i64,
    pub(crate) head_ref: String,
    pub(crate) head_oid: String,
    pub(crate) base_ref: String,
    pub(crate) base_oid: String,
    pub(crate) draft: bool,
    pub(crate) merged_at: Option<i64>,
    pub(crate) merged_by: Option<i64>,
    pub(crate) merge_oid: Option<String>,
    pub(crate) trial: Option<Trial>,
    pub(crate) auto_merge: Option<AutoMerge>,
}

/// The last trial merge: of which commits, and whether it was clean. Once one of them is no longer a tip, it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) base: String,
    pub(crate) head: String,
    pub(crate) clean: bool,
}

/// How, by whom and since when a pull request is to be merged as soon as it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AutoMerge {
    pub(crate) method: String,
    pub(crate) by: i64,
    pub(crate) at: i64,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
}

pub(super) const COLUMNS: &str =
    "p.id, p.issue_id, p.head_repo_id, p.head_ref, p.head_oid, p.base_ref, p.base_oid, p.draft, p.merged_at,
    p.merged_by, p.merge_oid, p.trial_base, p.trial_head, p.trial_clean, p.auto_merge_method, p.auto_merge_by,
    p.auto_merge_at, p.auto_merge_title, p.auto_merge_message";

pub(super) fn pull_from(row: &Row<'_>) -> rusqlite::Result<Pull> {
    Ok(Pull {
        id: row.get(0)?,
        issue_id: row.get(1)?,
        head_repo_id: row.get(2)?,
        head_ref: row.get(3)?,
        head_oid: row.get(4)?,
        base_ref: row.get(5)?,
        base_oid: row.get(6)?,
        draft: row.get(7)?,
        merged_at: row.get(8)?,
        merged_by: row.get(9)?,
        merge_oid: row.get(10)?,
        trial: trial_from(row)?,
        auto_merge: auto_merge_from(row)?,
    })
}

fn trial_from(row: &Row<'_>) -> rusqlite::Result<Option<Trial>> {
    let (base, head, clean): (Option<String>, Option<String>, Option<bool>) =
        (row.get(11)?, row.get(12)?, row.get(13)?);
    Ok(match (base, head, clean) {
        (Some(base), Some(head), Some(clean)) => Some(Trial { base, head, clean }),
        _ => None,
    })
}

fn auto_merge_from(row: &Row<'_>) -> rusqlite::Result<Option<AutoMerge>> {
    let (method, by, at): (Option<String>, Option<i64>, Option<i64>) =
        (row.get(14)?, row.get(15)?, row.get(16)?);
    let (title, message) = (row.get(17)?, row.get(18)?);
    Ok(match (method, by, at) {
        (Some(method), Some(by), Some(at)) => Some(AutoMerge { method, by, at, title, message }),
        _ => None,
    })
}

pub(crate) fn of_issue(conn: &Connection, issue_id: i64) -> rusqlite::Result<Option<Pull>> {
    let sql = format!("SELECT {COLUMNS} FROM pulls p WHERE p.issue_id = ?1");
    conn.prepare_cached(&sql)?.query_row([issue_id], pull_from).optional()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<(Issue, Pull)>> {
    let sql = format!("SELECT {COLUMNS} FROM pulls p WHERE p.id = ?1");
    let Some(pull) = conn.prepare_cached(&sql)?.query_row([id], pull_from).optional()? else {
        return Ok(None);
    };
    Ok(issues::by_id(conn, pull.issue_id)?.map(|issue| (issue, pull)))
}

pub(crate) fn by_number(
    conn: &Connection,
    repo_id: i64,
    number: i64,
) -> rusqlite::Result<Option<(Issue, Pull)>> {
    let Some(issue) = issues::by_number(conn, repo_id, number)?.filter(|issue| issue.is_pull) else {
        return Ok(None);
    };
    Ok(of_issue(conn, issue.id)?.map(|pull| (issue, pull)))
}

/// What a new pull request adds to its issue.
pub(crate) struct NewPull<'a> {
    pub(crate) issue_id: i64,
    pub(crate) repo_id: i64,
    pub(crate) head_repo_id: i64,
    pub(crate) head_ref: &'a str,
    pub(crate) head_oid: &'a str,
    pub(crate) base_ref: &'a str,
    pub(crate) base_oid: &'a str,
    pub(crate) draft: bool,
}

pub(crate) fn insert(conn: &Connection, new: &NewPull<'_>) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO pulls (issue_id, repo_id, head_repo_id, head_ref, head_oid, base_ref, base_oid, draft)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let values = params![
        new.issue_id,
        new.repo_id,
        new.head_repo_id,
        new.head_ref,
        new.head_oid,
        new.base_ref,
        new.base_oid,
        new.draft
    ];
    conn.execute(sql, values).map(drop)
}

/// Returns whether a pull request between two branches is open.
pub(crate) fn open_between(
    conn: &Connection,
    repo_id: i64,
    head_repo_id: i64,
    head_ref: &str,
    base_ref: &str,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM pulls p JOIN issues i ON i.id = p.issue_id WHERE p.repo_id = ?1 AND p.head_repo_id = ?2
               AND p.head_ref = ?3 AND p.base_ref = ?4 AND i.state = 'open'";
    conn.prepare_cached(sql)?.exists(params![repo_id, head_repo_id, head_ref, base_ref])
}

/// Returns the open pull requests whose head is this branch.
pub(crate) fn open_by_head(
    conn: &Connection,
    repo_id: i64,
    head_ref: &str,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(
        conn,
        "WHERE p.head_repo_id = ?1 AND p.head_ref = ?2 AND i.state = 'open' ORDER BY p.id",
        params![repo_id, head_ref],
    )
}

/// By what pull requests are sorted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PullSort {
    Created,
    Updated,
    /// By comments.
    Popularity,
    /// By age, of those that are open for more than a month and were touched within the last.
    LongRunning {
        now: i64,
    },
}

const MONTH_S: i64 = 31 * 24 * 60 * 60;

impl PullSort {
    fn column(self) -> &'static str {
        match self {
            Self::Created | Self::LongRunning { .. } => "i.created_at",
            Self::Updated => "i.updated_at",
            Self::Popularity => "i.comments",
        }
    }

    /// The time before which a pull request was opened and after which it was touched, where that matters.
    fn month_ago(self) -> Option<i64> {
        match self {
            Self::LongRunning { now } => Some(now - MONTH_S),
            _ => None,
        }
    }
}

/// How pull requests are listed.
pub(crate) struct PullQuery<'a> {
    pub(crate) state: &'a str,
    pub(crate) head: Option<(&'a str, &'a str)>,
    pub(crate) base: Option<&'a str>,
    pub(crate) sort: PullSort,
    pub(crate) descending: bool,
}

const FROM_LISTED: &str = "FROM pulls p JOIN issues i ON i.id = p.issue_id JOIN repos h ON h.id = p.head_repo_id
    JOIN accounts a ON a.id = h.owner_id
    WHERE p.repo_id = ?1 AND (?2 = 'all' OR i.state = ?2) AND (?3 IS NULL OR (a.login = ?3 AND p.head_ref = ?4))
    AND (?5 IS NULL OR p.base_ref = ?5)
    AND (?6 IS NULL OR (i.state = 'open' AND i.created_at < ?6 AND i.updated_at >= ?6))";

pub(crate) fn list(
    conn: &Connection,
    repo_id: i64,
    query: &PullQuery<'_>,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    let order = query.sort.column();
    let direction = if query.descending { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT {COLUMNS} {FROM_LISTED} ORDER BY {order} {direction}, i.id {direction} LIMIT ?7 OFFSET ?8"
    );
    let (owner, head) = query.head.unzip();
    let values =
        params![repo_id, query.state, owner, head, query.base, query.sort.month_ago(), limit, offset];
    let found: Vec<Pull> =
        conn.prepare_cached(&sql)?.query_map(values, pull_from)?.collect::<Result<_, _>>()?;
    with_issues(conn, found)
}

pub(crate) fn count(conn: &Connection, repo_id: i64, query: &PullQuery<'_>) -> rusqlite::Result<i64> {
    let (owner, head) = query.head.unzip();
    let values = params![repo_id, query.state, owner, head, query.base, query.sort.month_ago()];
    conn.prepare_cached(&format!("SELECT count(*) {FROM_LISTED}"))?.query_row(values, |row| row.get(0))
}

/// Lists the pull requests that a condition on `pulls p` and `issues i` picks out.
fn matching(
    conn: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    let sql = format!("SELECT {COLUMNS} FROM pulls p JOIN issues i ON i.id = p.issue_id {condition}");
    let found: Vec<Pull> =
        conn.prepare_cached(&sql)?.query_map(values, pull_from)?.collect::<Result<_, _>>()?;
    with_issues(conn, found)
}

pub(super) fn with_issues(conn: &Connection, pulls: Vec<Pull>) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    let mut both = Vec::with_capacity(pulls.len());
    for pull in pulls {
        if let Some(issue) = issues::by_id(conn, pull.issue_id)? {
            both.push((issue, pull));
        }
    }
    Ok(both)
}

/// Lists every pull request of a repository, newest first.
pub(crate) fn all(conn: &Connection, repo_id: i64) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    let sql = format!("SELECT {COLUMNS} FROM pulls p WHERE p.repo_id = ?1 ORDER BY p.id DESC");
    let found: Vec<Pull> =
        conn.prepare_cached(&sql)?.query_map([repo_id], pull_from)?.collect::<Result<_, _>>()?;
    with_issues(conn, found)
}

/// Returns the open pull requests into this branch.
pub(crate) fn open_by_base(
    conn: &Connection,
    repo_id: i64,
    base_ref: &str,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(
        conn,
        "WHERE p.repo_id = ?1 AND p.base_ref = ?2 AND i.state = 'open' ORDER BY p.id",
        params![repo_id, base_ref],
    )
}

/// Returns the branch that another was last merged into.
pub(crate) fn merged_into(
    conn: &Connection,
    repo_id: i64,
    head_ref: &str,
) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT base_ref FROM pulls WHERE repo_id = ?1 AND head_repo_id = ?1 AND head_ref = ?2
               AND merged_at IS NOT NULL ORDER BY merged_at DESC, id DESC LIMIT 1";
    conn.prepare_cached(sql)?.query_row(params![repo_id, head_ref], |row| row.get(0)).optional()
}

pub(crate) fn set_draft(conn: &Connection, id: i64, draft: bool) -> rusqlite::Result<()> {
    conn.execute("UPDATE pulls SET draft = ?2 WHERE id = ?1", params![id, draft]).map(drop)
}

pub(crate) fn set_head(conn: &Connection, id: i64, head_oid: &str) -> rusqlite::Result<()> {
    conn.execute("UPDATE pulls SET head_oid = ?2 WHERE id = ?1", params![id, head_oid]).map(drop)
}

pub(crate) fn set_base(conn: &Connection, id: i64, base_ref: &str, base_oid: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE pulls SET base_ref = ?2, base_oid = ?3 WHERE id = ?1";
    conn.execute(sql, params![id, base_ref, base_oid]).map(drop)
}

pub(crate) fn set_merged(
    conn: &Connection,
    id: i64,
    by: i64,
    merge_oid: &str,
    now: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE pulls SET merged_at = ?2, merged_by = ?3, merge_oid = ?4 WHERE id = ?1";
    conn.execute(sql, params![id, now, by, merge_oid]).map(drop)
}

/// Writes down how a trial merge ended.
pub(crate) fn set_trial(conn: &Connection, id: i64, trial: &Trial) -> rusqlite::Result<()> {
    let sql = "UPDATE pulls SET trial_base = ?2, trial_head = ?3, trial_clean = ?4 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, trial.base, trial.head, trial.clean]).map(drop)
}

/// Turns auto-merge on, or off.
pub(crate) fn set_auto_merge(conn: &Connection, id: i64, auto: Option<&AutoMerge>) -> rusqlite::Result<()> {
    let sql = "UPDATE pulls SET auto_merge_method = ?2, auto_merge_by = ?3, auto_merge_at = ?4, auto_merge_title = ?5,
               auto_merge_message = ?6 WHERE id = ?1";
    let values = params![
        id,
        auto.map(|auto| &auto.method),
        auto.map(|auto| auto.by),
        auto.map(|auto| auto.at),
        auto.and_then(|auto| auto.title.as_ref()),
        auto.and_then(|auto| auto.message.as_ref())
    ];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

/// Lists the open pull requests that wait to be merged by themselves, in one repository or in all.
pub(crate) fn armed(conn: &Connection, repo_id: Option<i64>) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(
        conn,
        "WHERE p.auto_merge_method IS NOT NULL AND i.state = 'open' AND (?1 IS NULL OR p.repo_id = ?1) ORDER BY p.id",
        [repo_id],
    )
}

/// Lists every open pull request.
pub(crate) fn all_open(conn: &Connection) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(conn, "WHERE i.state = 'open' ORDER BY p.id", [])
}

/// Lists the open pull requests whose head is this commit.
pub(crate) fn open_at(
    conn: &Connection,
    repo_id: i64,
    head_oid: &str,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(
        conn,
        "WHERE p.repo_id = ?1 AND p.head_oid = ?2 AND i.state = 'open' ORDER BY p.id",
        params![repo_id, head_oid],
    )
}

/// Lists pull requests that were closed while they waited to be merged by themselves.
pub(crate) fn armed_but_closed(
    conn: &Connection,
    repo_id: Option<i64>,
) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    matching(
        conn,
        "WHERE p.auto_merge_method IS NOT NULL AND i.state <> 'open' AND (?1 IS NULL OR p.repo_id = ?1) ORDER BY p.id",
        [repo_id],
    )
}
