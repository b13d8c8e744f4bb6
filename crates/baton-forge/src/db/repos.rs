//! Repositories, and who may do what in them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::accounts::{self, Account, AccountKind};

#[derive(Debug, Clone)]
pub(crate) struct Repo {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) owner: Account,
    pub(crate) description: Option<String>,
    pub(crate) homepage: Option<String>,
    pub(crate) private: bool,
    pub(crate) archived: bool,
    pub(crate) has_issues: bool,
    pub(crate) default_branch: String,
    pub(crate) open_count: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) pushed_at: i64,
    pub(crate) merging: MergeSettings,
}

/// How pull requests may be merged, and what follows a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MergeSettings {
    pub(crate) merge_commit: bool,
    pub(crate) squash: bool,
    pub(crate) rebase: bool,
    pub(crate) auto_merge: bool,
    pub(crate) delete_branch: bool,
}

impl Repo {
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.owner.login, self.name)
    }
}

/// What an account may do in a repository, each level including those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "read" | "pull" => Self::Read,
            "triage" => Self::Triage,
            "write" | "push" => Self::Write,
            "maintain" => Self::Maintain,
            "admin" => Self::Admin,
            _ => return None,
        })
    }

    pub(crate) fn role_name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }

    /// The older field of GitHub's answer, which folds the five roles into four words.
    pub(crate) fn legacy_name(self) -> &'static str {
        match self {
            Self::Triage => "read",
            Self::Maintain => "write",
            other => other.role_name(),
        }
    }
}

const SELECT: &str =
    "SELECT r.id, r.name, r.description, r.homepage, r.private, r.archived, r.has_issues, r.default_branch,
    r.open_count, r.created_at, r.updated_at, r.pushed_at,
    a.id, a.login, a.kind, a.name, a.email, a.site_admin, a.created_at, a.updated_at,
    r.allow_merge_commit, r.allow_squash_merge, r.allow_rebase_merge, r.allow_auto_merge, r.delete_branch_on_merge
    FROM repos r JOIN accounts a ON a.id = r.owner_id";

fn repo_from(row: &Row<'_>) -> rusqlite::Result<Repo> {
    let owner = Account {
        id: row.get(12)?,
        login: row.get(13)?,
        kind: AccountKind::parse(row.get_ref(14)?.as_str()?),
        name: row.get(15)?,
        email: row.get(16)?,
        site_admin: row.get(17)?,
        created_at: row.get(18)?,
        updated_at: row.get(19)?,
    };
    Ok(Repo {
        id: row.get(0)?,
        name: row.get(1)?,
        owner,
        description: row.get(2)?,
        homepage: row.get(3)?,
        private: row.get(4)?,
        archived: row.get(5)?,
        has_issues: row.get(6)?,
        default_branch: row.get(7)?,
        open_count: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        pushed_at: row.get(11)?,
        merging: MergeSettings {
            merge_commit: row.get(20)?,
            squash: row.get(21)?,
            rebase: row.get(22)?,
            auto_merge: row.get(23)?,
            delete_branch: row.get(24)?,
        },
    })
}

pub(crate) fn find(conn: &Connection, owner: &str, name: &str) -> rusqlite::Result<Option<Repo>> {
    let sql = format!("{SELECT} WHERE a.login = ?1 AND r.name = ?2");
    conn.prepare_cached(&sql)?.query_row([owner, name], repo_from).optional()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Repo>> {
    conn.prepare_cached(&format!("{SELECT} WHERE r.id = ?1"))?.query_row([id], repo_from).optional()
}

/// Lists repositories, all or one owner's, oldest first; who may see which is for the caller to filter.
pub(crate) fn list(conn: &Connection, owner_id: Option<i64>) -> rusqlite::Result<Vec<Repo>> {
    let sql = format!("{SELECT} WHERE ?1 IS NULL OR r.owner_id = ?1 ORDER BY r.id");
    conn.prepare_cached(&sql)?.query_map([owner_id], repo_from)?.collect()
}

/// What a new repository is made of.
pub(crate) struct NewRepo<'a> {
    pub(crate) owner_id: i64,
    pub(crate) name: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) homepage: Option<&'a str>,
    pub(crate) private: bool,
    pub(crate) default_branch: &'a str,
    pub(crate) now: i64,
}

pub(crate) fn insert(conn: &Connection, new: &NewRepo<'_>) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO repos (owner_id, name, description, homepage, private, default_branch, created_at, updated_at, pushed_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7) RETURNING id";
    let values = params![
        new.owner_id,
        new.name,
        new.description,
        new.homepage,
        new.private,
        new.default_branch,
        new.now
    ];
    conn.query_row(sql, values, |row| row.get(0))
}

/// Writes the fields that a client may change.
pub(crate) fn update(conn: &Connection, repo: &Repo, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE repos SET name = ?2, description = ?3, homepage = ?4, private = ?5, archived = ?6, has_issues = ?7,
               default_branch = ?8, updated_at = ?9, allow_merge_commit = ?10, allow_squash_merge = ?11,
               allow_rebase_merge = ?12, allow_auto_merge = ?13, delete_branch_on_merge = ?14 WHERE id = ?1";
    let values = params![
        repo.id,
        repo.name,
        repo.description,
        repo.homepage,
        repo.private,
        repo.archived,
        repo.has_issues,
        repo.default_branch,
        now,
        repo.merging.merge_commit,
        repo.merging.squash,
        repo.merging.rebase,
        repo.merging.auto_merge,
        repo.merging.delete_branch
    ];
    conn.execute(sql, values).map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM repos WHERE id = ?1", [id]).map(drop)
}

pub(crate) fn touch_pushed(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE repos SET pushed_at = ?2, updated_at = ?2 WHERE id = ?1")?
        .execute([id, now])
        .map(drop)
}

pub(crate) fn set_default_branch(conn: &Connection, id: i64, branch: &str) -> rusqlite::Result<()> {
    conn.execute("UPDATE repos SET default_branch = ?2 WHERE id = ?1", params![id, branch]).map(drop)
}

/// Takes the next number for an issue or pull request, and counts it as open.
pub(crate) fn take_number(conn: &Connection, id: i64) -> rusqlite::Result<i64> {
    let sql = "UPDATE repos SET next_number = next_number + 1, open_count = open_count + 1 WHERE id = ?1
               RETURNING next_number - 1";
    conn.prepare_cached(sql)?.query_row([id], |row| row.get(0))
}

/// How many issues and pull requests are open, and how many are closed.
pub(crate) fn counts(conn: &Connection, id: i64) -> rusqlite::Result<(i64, i64)> {
    let sql = "SELECT open_count, closed_count FROM repos WHERE id = ?1";
    conn.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Moves one issue from the open to the closed count, or back.
pub(crate) fn count_closed(conn: &Connection, id: i64, closed: bool) -> rusqlite::Result<()> {
    let step: i64 = if closed { 1 } else { -1 };
    let sql = "UPDATE repos SET open_count = open_count - ?2, closed_count = closed_count + ?2 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, step]).map(drop)
}

/// Takes one issue out of the counts.
pub(crate) fn forget(conn: &Connection, id: i64, is_open: bool) -> rusqlite::Result<()> {
    let counter = if is_open { "open_count" } else { "closed_count" };
    conn.execute(&format!("UPDATE repos SET {counter} = {counter} - 1 WHERE id = ?1"), [id]).map(drop)
}

/// Returns what `account` may do in `repo`, before any limit of its token.
pub(crate) fn permission(conn: &Connection, repo: &Repo, account: &Account) -> rusqlite::Result<Permission> {
    if account.site_admin || repo.owner.id == account.id {
        return Ok(Permission::Admin);
    }
    let public = if repo.private { Permission::None } else { Permission::Read };
    let direct = collaborator(conn, repo.id, account.id)?.unwrap_or(Permission::None);
    let member = match repo.owner.kind {
        AccountKind::Organization => member_permission(conn, repo.owner.id, account.id)?,
        _ => Permission::None,
    };
    Ok(public.max(direct).max(member))
}

fn member_permission(conn: &Connection, org_id: i64, user_id: i64) -> rusqlite::Result<Permission> {
    Ok(match accounts::org_role(conn, org_id, user_id)?.as_deref() {
        Some("admin") => Permission::Admin,
        Some(_) => Permission::Write,
        None => Permission::None,
    })
}

pub(crate) fn collaborator(
    conn: &Connection,
    repo_id: i64,
    account_id: i64,
) -> rusqlite::Result<Option<Permission>> {
    let sql = "SELECT permission FROM collaborators WHERE repo_id = ?1 AND account_id = ?2";
    let found: Option<String> =
        conn.prepare_cached(sql)?.query_row([repo_id, account_id], |row| row.get(0)).optional()?;
    Ok(found.and_then(|text| Permission::parse(&text)))
}

pub(crate) fn set_collaborator(
    conn: &Connection,
    repo_id: i64,
    account_id: i64,
    level: Permission,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO collaborators (repo_id, account_id, permission) VALUES (?1, ?2, ?3)
               ON CONFLICT (repo_id, account_id) DO UPDATE SET permission = excluded.permission";
    conn.execute(sql, params![repo_id, account_id, level.role_name()]).map(drop)
}

pub(crate) fn remove_collaborator(conn: &Connection, repo_id: i64, account_id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM collaborators WHERE repo_id = ?1 AND account_id = ?2", [repo_id, account_id])
        .map(drop)
}

/// Lists the accounts with a standing of their own in the repository: its owner or the owner's members, and its
/// collaborators.
pub(crate) fn people(conn: &Connection, repo: &Repo) -> rusqlite::Result<Vec<Account>> {
    let sql = "SELECT id FROM accounts WHERE kind <> 'Organization' AND (id = ?2
                 OR id IN (SELECT account_id FROM collaborators WHERE repo_id = ?1)
                 OR id IN (SELECT user_id FROM org_members WHERE org_id = ?2)) ORDER BY id";
    let mut statement = conn.prepare_cached(sql)?;
    let ids: Vec<i64> =
        statement.query_map([repo.id, repo.owner.id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    ids.into_iter().map(|id| accounts::by_id(conn, id)).collect()
}

/// Returns whether `account` may be assigned to issues of `repo`.
pub(crate) fn is_assignable(conn: &Connection, repo: &Repo, account: &Account) -> rusqlite::Result<bool> {
    if account.kind == AccountKind::Organization {
        return Ok(false);
    }
    if repo.owner.id == account.id || collaborator(conn, repo.id, account.id)?.is_some() {
        return Ok(true);
    }
    Ok(accounts::org_role(conn, repo.owner.id, account.id)?.is_some())
}

/// Returns GitHub's word for how `account_id` stands to `repo`.
pub(crate) fn association(conn: &Connection, repo: &Repo, account_id: i64) -> rusqlite::Result<&'static str> {
    if repo.owner.id == account_id {
        return Ok("OWNER");
    }
    if repo.owner.kind == AccountKind::Organization
        && accounts::org_role(conn, repo.owner.id, account_id)?.is_some()
    {
        return Ok("MEMBER");
    }
    if collaborator(conn, repo.id, account_id)?.is_some() {
        return Ok("COLLABORATOR");
    }
    let merged = "SELECT 1 FROM pulls p JOIN issues i ON i.id = p.issue_id
                  WHERE i.repo_id = ?1 AND i.author_id = ?2 AND p.merged_at IS NOT NULL";
    let contributed = conn.prepare_cached(merged)?.exists([repo.id, account_id])?;
    Ok(if contributed { "CONTRIBUTOR" } else { "NONE" })
}

/// How an account may belong to the repositories that are listed for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Affiliations {
    pub(crate) owner: bool,
    pub(crate) collaborator: bool,
    pub(crate) member: bool,
}

/// Lists the repositories to which an account belongs in one of these ways, oldest first.
pub(crate) fn affiliated(
    conn: &Connection,
    account_id: i64,
    by: Affiliations,
) -> rusqlite::Result<Vec<Repo>> {
    let sql = format!(
        "{SELECT} WHERE (?2 AND r.owner_id = ?1)
         OR (?3 AND r.id IN (SELECT repo_id FROM collaborators WHERE account_id = ?1))
         OR (?4 AND r.owner_id IN (SELECT org_id FROM org_members WHERE user_id = ?1)) ORDER BY r.id"
    );
    let values = params![account_id, by.owner, by.collaborator, by.member];
    conn.prepare_cached(&sql)?.query_map(values, repo_from)?.collect()
}
