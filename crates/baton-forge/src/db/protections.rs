//! Protected branches: which, and what is asked there.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::glob::{self, Slashes};

/// What a rule asks. This is the form in which it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProtectionSettings {
    pub(crate) required_checks: Option<RequiredChecks>,
    pub(crate) required_reviews: Option<RequiredReviews>,
    pub(crate) enforce_admins: bool,
    pub(crate) allow_force_pushes: bool,
    pub(crate) allow_deletions: bool,
    pub(crate) required_linear_history: bool,
    pub(crate) required_conversation_resolution: bool,
    pub(crate) lock_branch: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RequiredChecks {
    /// Whether the head must contain the base's tip.
    pub(crate) strict: bool,
    pub(crate) contexts: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RequiredReviews {
    pub(crate) count: i64,
    pub(crate) dismiss_stale: bool,
    pub(crate) require_code_owners: bool,
    pub(crate) require_last_push: bool,
}

/// A rule of a repository.
#[derive(Debug, Clone)]
pub(crate) struct Protection {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) pattern: String,
    pub(crate) settings: ProtectionSettings,
    pub(crate) creator_id: i64,
}

const SELECT: &str = "SELECT id, repo_id, pattern, settings, creator_id FROM protections";

fn protection_from(row: &Row<'_>) -> rusqlite::Result<Protection> {
    let settings = row.get_ref(3)?.as_str()?;
    // A rule that cannot be read must not turn into no rule.
    let settings = serde_json::from_str(settings).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Protection {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        pattern: row.get(2)?,
        settings,
        creator_id: row.get(4)?,
    })
}

/// Lists a repository's rules, oldest first.
pub(crate) fn of_repo(conn: &Connection, repo_id: i64) -> rusqlite::Result<Vec<Protection>> {
    let sql = format!("{SELECT} WHERE repo_id = ?1 ORDER BY id");
    conn.prepare_cached(&sql)?.query_map([repo_id], protection_from)?.collect()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Protection>> {
    conn.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?.query_row([id], protection_from).optional()
}

/// The rule that applies to a branch: one with its very name, else the oldest whose pattern matches.
pub(crate) fn of_branch(
    conn: &Connection,
    repo_id: i64,
    branch: &str,
) -> rusqlite::Result<Option<Protection>> {
    Ok(applying(of_repo(conn, repo_id)?, branch))
}

/// The same among rules that are known already.
pub(crate) fn applying(rules: Vec<Protection>, branch: &str) -> Option<Protection> {
    let (mut exact, mut matching) = (None, None);
    for rule in rules {
        if rule.pattern == branch {
            exact = Some(rule);
        } else if matching.is_none() && glob::matches(&rule.pattern, branch, Slashes::Apart) {
            matching = Some(rule);
        }
    }
    exact.or(matching)
}

/// Writes a rule, in the place of one with the same pattern.
pub(crate) fn put(
    conn: &Connection,
    repo_id: i64,
    pattern: &str,
    settings: &ProtectionSettings,
    creator_id: i64,
    now: i64,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO protections (repo_id, pattern, settings, creator_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (repo_id, pattern) DO UPDATE SET settings = excluded.settings";
    let settings = serde_json::to_string(settings)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    conn.execute(sql, params![repo_id, pattern, settings, creator_id, now]).map(drop)
}

pub(crate) fn remove(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM protections WHERE id = ?1", [id]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: i64, pattern: &str) -> Protection {
        let settings = ProtectionSettings::default();
        Protection { id, repo_id: 1, pattern: pattern.to_owned(), settings, creator_id: 1 }
    }

    #[test]
    fn a_rule_for_the_very_name_wins_over_patterns() {
        let rules = || vec![rule(1, "*"), rule(2, "m*"), rule(3, "main")];
        let of = |branch: &str| applying(rules(), branch).map(|rule| rule.id);
        assert_eq!((of("main"), of("mine"), of("other"), of("a/b")), (Some(3), Some(1), Some(1), None));
    }
}
