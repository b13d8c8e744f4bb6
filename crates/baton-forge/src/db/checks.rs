//! Check suites, check runs and their annotations.
//!
//! A suite holds the runs of one program on one commit. What a suite is as a whole follows from its runs, so it is not
//! stored.

use rusqlite::{Connection, OptionalExtension, Row, params};

/// A program that reports checks. On GitHub these are apps; the forge has two of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct App {
    pub(crate) id: i64,
    pub(crate) slug: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// Whoever reports checks with a token reports them in this one's name.
pub(crate) const REPORTER: App = App {
    id: 1,
    slug: "forge-checks",
    name: "Forge checks",
    description: "Checks that were reported with a token",
};

/// The forge's own CI.
pub(crate) const CI: App =
    App { id: 2, slug: "forge-ci", name: "Forge CI", description: "Checks that the forge runs itself" };

pub(crate) fn app(id: i64) -> App {
    if id == CI.id { CI } else { REPORTER }
}

#[derive(Debug, Clone)]
pub(crate) struct CheckSuite {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) app_id: i64,
    pub(crate) head_oid: String,
    pub(crate) head_branch: Option<String>,
    pub(crate) before_oid: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct CheckRun {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) suite_id: i64,
    pub(crate) app_id: i64,
    pub(crate) name: String,
    pub(crate) head_oid: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) details_url: Option<String>,
    pub(crate) external_id: String,
    pub(crate) output_title: Option<String>,
    pub(crate) output_summary: Option<String>,
    pub(crate) output_text: Option<String>,
    pub(crate) started_at: i64,
    pub(crate) completed_at: Option<i64>,
}

impl CheckRun {
    pub(crate) fn is_completed(&self) -> bool {
        self.status == "completed"
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    pub(crate) id: i64,
    pub(crate) path: String,
    pub(crate) start_line: i64,
    pub(crate) end_line: i64,
    pub(crate) start_column: Option<i64>,
    pub(crate) end_column: Option<i64>,
    pub(crate) level: String,
    pub(crate) message: String,
    pub(crate) title: Option<String>,
    pub(crate) raw_details: Option<String>,
}

const SUITE: &str =
    "SELECT id, repo_id, app_id, head_oid, head_branch, before_oid, created_at, updated_at FROM check_suites";

const RUN: &str =
    "SELECT r.id, r.repo_id, r.suite_id, s.app_id, r.name, r.head_oid, r.status, r.conclusion, r.details_url,
    r.external_id, r.output_title, r.output_summary, r.output_text, r.started_at, r.completed_at
    FROM check_runs r JOIN check_suites s ON s.id = r.suite_id";

fn suite_from(row: &Row<'_>) -> rusqlite::Result<CheckSuite> {
    Ok(CheckSuite {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        app_id: row.get(2)?,
        head_oid: row.get(3)?,
        head_branch: row.get(4)?,
        before_oid: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

fn run_from(row: &Row<'_>) -> rusqlite::Result<CheckRun> {
    Ok(CheckRun {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        suite_id: row.get(2)?,
        app_id: row.get(3)?,
        name: row.get(4)?,
        head_oid: row.get(5)?,
        status: row.get(6)?,
        conclusion: row.get(7)?,
        details_url: row.get(8)?,
        external_id: row.get(9)?,
        output_title: row.get(10)?,
        output_summary: row.get(11)?,
        output_text: row.get(12)?,
        started_at: row.get(13)?,
        completed_at: row.get(14)?,
    })
}

pub(crate) fn suite(conn: &Connection, id: i64) -> rusqlite::Result<Option<CheckSuite>> {
    conn.prepare_cached(&format!("{SUITE} WHERE id = ?1"))?.query_row([id], suite_from).optional()
}

/// Lists the suites of a commit, oldest first.
pub(crate) fn suites_of(conn: &Connection, repo_id: i64, oid: &str) -> rusqlite::Result<Vec<CheckSuite>> {
    let sql = format!("{SUITE} WHERE repo_id = ?1 AND head_oid = ?2 ORDER BY id");
    conn.prepare_cached(&sql)?.query_map(params![repo_id, oid], suite_from)?.collect()
}

/// Where the runs of one program on one commit belong.
pub(crate) struct SuitePlace<'a> {
    pub(crate) repo_id: i64,
    pub(crate) app_id: i64,
    pub(crate) head_oid: &'a str,
    pub(crate) head_branch: Option<&'a str>,
    pub(crate) before_oid: Option<&'a str>,
}

/// Returns the suite of a place, and whether it is new.
pub(crate) fn ensure_suite(
    conn: &Connection,
    place: &SuitePlace<'_>,
    now: i64,
) -> rusqlite::Result<(CheckSuite, bool)> {
    let sql = format!("{SUITE} WHERE repo_id = ?1 AND head_oid = ?2 AND app_id = ?3");
    let mut find = conn.prepare_cached(&sql)?;
    let key = params![place.repo_id, place.head_oid, place.app_id];
    if let Some(found) = find.query_row(key, suite_from).optional()? {
        return Ok((found, false));
    }
    let insert = "INSERT INTO check_suites (repo_id, app_id, head_oid, head_branch, before_oid, created_at, updated_at)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    let values =
        params![place.repo_id, place.app_id, place.head_oid, place.head_branch, place.before_oid, now];
    conn.execute(insert, values)?;
    Ok((find.query_row(key, suite_from)?, true))
}

pub(crate) fn run(conn: &Connection, id: i64) -> rusqlite::Result<Option<CheckRun>> {
    conn.prepare_cached(&format!("{RUN} WHERE r.id = ?1"))?.query_row([id], run_from).optional()
}

/// Lists the runs of a commit, oldest first: all of them, or only the newest of each program and name.
pub(crate) fn runs_of(
    conn: &Connection,
    repo_id: i64,
    oid: &str,
    latest: bool,
) -> rusqlite::Result<Vec<CheckRun>> {
    let newest = "AND r.id IN (SELECT max(id) FROM check_runs WHERE repo_id = ?1 AND head_oid = ?2 GROUP BY suite_id, name)";
    let filter = if latest { newest } else { "" };
    let sql = format!("{RUN} WHERE r.repo_id = ?1 AND r.head_oid = ?2 {filter} ORDER BY r.id");
    conn.prepare_cached(&sql)?.query_map(params![repo_id, oid], run_from)?.collect()
}

/// The same for the runs of one suite.
pub(crate) fn runs_in(conn: &Connection, suite_id: i64, latest: bool) -> rusqlite::Result<Vec<CheckRun>> {
    let newest = "AND r.id IN (SELECT max(id) FROM check_runs WHERE suite_id = ?1 GROUP BY name)";
    let filter = if latest { newest } else { "" };
    let sql = format!("{RUN} WHERE r.suite_id = ?1 {filter} ORDER BY r.id");
    conn.prepare_cached(&sql)?.query_map([suite_id], run_from)?.collect()
}

/// Writes a run: a new one when its id is zero.
pub(crate) fn save_run(conn: &Connection, run: &CheckRun, now: i64) -> rusqlite::Result<CheckRun> {
    let sql = "INSERT INTO check_runs (id, repo_id, suite_id, name, head_oid, status, conclusion, details_url, external_id,
                 output_title, output_summary, output_text, started_at, completed_at)
               VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
               ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = excluded.status,
                 conclusion = excluded.conclusion, details_url = excluded.details_url,
                 external_id = excluded.external_id, output_title = excluded.output_title,
                 output_summary = excluded.output_summary, output_text = excluded.output_text,
                 started_at = excluded.started_at, completed_at = excluded.completed_at
               RETURNING id";
    let values = params![
        run.id,
        run.repo_id,
        run.suite_id,
        run.name,
        run.head_oid,
        run.status,
        run.conclusion,
        run.details_url,
        run.external_id,
        run.output_title,
        run.output_summary,
        run.output_text,
        run.started_at,
        run.completed_at
    ];
    let id: i64 = conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    conn.execute("UPDATE check_suites SET updated_at = ?2 WHERE id = ?1", [run.suite_id, now])?;
    Ok(CheckRun { id, ..run.clone() })
}

/// Adds an annotation; its id is given out here.
pub(crate) fn annotate(conn: &Connection, run_id: i64, note: &Annotation) -> rusqlite::Result<()> {
    let sql = "INSERT INTO check_annotations (run_id, path, start_line, end_line, start_column, end_column, level, message,
                 title, raw_details) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let values = params![
        run_id,
        note.path,
        note.start_line,
        note.end_line,
        note.start_column,
        note.end_column,
        note.level,
        note.message,
        note.title,
        note.raw_details
    ];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

pub(crate) fn annotations(conn: &Connection, run_id: i64) -> rusqlite::Result<Vec<Annotation>> {
    let sql =
        "SELECT id, path, start_line, end_line, start_column, end_column, level, message, title, raw_details
               FROM check_annotations WHERE run_id = ?1 ORDER BY id";
    let annotation = |row: &Row<'_>| {
        Ok(Annotation {
            id: row.get(0)?,
            path: row.get(1)?,
            start_line: row.get(2)?,
            end_line: row.get(3)?,
            start_column: row.get(4)?,
            end_column: row.get(5)?,
            level: row.get(6)?,
            message: row.get(7)?,
            title: row.get(8)?,
            raw_details: row.get(9)?,
        })
    };
    conn.prepare_cached(sql)?.query_map([run_id], annotation)?.collect()
}

pub(crate) fn annotation_count(conn: &Connection, run_id: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM check_annotations WHERE run_id = ?1";
    conn.prepare_cached(sql)?.query_row([run_id], |row| row.get(0))
}

/// What a suite is as a whole: its status, and its conclusion once every run has one.
pub(crate) fn summary(latest: &[CheckRun]) -> (&'static str, Option<&'static str>) {
    if latest.is_empty() {
        return ("queued", None);
    }
    if !latest.iter().all(CheckRun::is_completed) {
        let begun = latest.iter().any(|run| run.status != "queued");
        return (if begun { "in_progress" } else { "queued" }, None);
    }
    // The worst of them speaks for all.
    let order =
        ["action_required", "failure", "timed_out", "cancelled", "stale", "success", "neutral", "skipped"];
    let has = |conclusion: &&&str| latest.iter().any(|run| run.conclusion.as_deref() == Some(**conclusion));
    ("completed", order.iter().find(has).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run((status, conclusion): (&str, Option<&str>)) -> CheckRun {
        CheckRun {
            id: 1,
            repo_id: 1,
            suite_id: 1,
            app_id: CI.id,
            name: "test".to_owned(),
            head_oid: String::new(),
            status: status.to_owned(),
            conclusion: conclusion.map(str::to_owned),
            details_url: None,
            external_id: String::new(),
            output_title: None,
            output_summary: None,
            output_text: None,
            started_at: 0,
            completed_at: None,
        }
    }

    #[test]
    fn a_suite_is_as_far_as_its_slowest_run_and_as_good_as_its_worst() {
        let check = |runs: &[(&str, Option<&str>)], expected| {
            let latest: Vec<CheckRun> = runs.iter().copied().map(run).collect();
            assert_eq!(summary(&latest), expected, "{runs:?}");
        };
        let done = |conclusion| ("completed", Some(conclusion));
        check(&[], ("queued", None));
        check(&[("queued", None), ("queued", None)], ("queued", None));
        check(&[("queued", None), done("success")], ("in_progress", None));
        check(&[done("success"), done("skipped")], done("success"));
        check(&[done("failure"), done("success")], done("failure"));
    }
}
