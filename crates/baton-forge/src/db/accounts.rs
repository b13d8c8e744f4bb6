//! Accounts, organisation membership and tokens.

use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountKind {
    User,
    Organization,
    Bot,
}

impl AccountKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Organization => "Organization",
            Self::Bot => "Bot",
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "Organization" => Self::Organization,
            "Bot" => Self::Bot,
            _ => Self::User,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) id: i64,
    pub(crate) login: String,
    pub(crate) kind: AccountKind,
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) site_admin: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// What a token may do at most, whatever its owner may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TokenRole {
    Read,
    Write,
    Admin,
}

impl TokenRole {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    fn parse(text: &str) -> Self {
        match text {
            "admin" => Self::Admin,
            "write" => Self::Write,
            _ => Self::Read,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) id: i64,
    pub(crate) role: TokenRole,
    /// Whether the token works on listed repositories only.
    pub(crate) restricted: bool,
}

const COLUMNS: &str = "id, login, kind, name, email, site_admin, created_at, updated_at";

fn account_from(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        id: row.get(0)?,
        login: row.get(1)?,
        kind: AccountKind::parse(row.get_ref(2)?.as_str()?),
        name: row.get(3)?,
        email: row.get(4)?,
        site_admin: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Account> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM accounts WHERE id = ?1"))?
        .query_row([id], account_from)
}

/// When the first account was made.
pub(crate) fn first_created_at(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT coalesce(min(created_at), 0) FROM accounts")?.query_row([], |row| row.get(0))
}

pub(crate) fn by_login(conn: &Connection, login: &str) -> rusqlite::Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts WHERE login = ?1");
    conn.prepare_cached(&sql)?.query_row([login], account_from).optional()
}

/// What a new account is made of.
pub(crate) struct NewAccount<'a> {
    pub(crate) login: &'a str,
    pub(crate) kind: AccountKind,
    pub(crate) site_admin: bool,
    pub(crate) now: i64,
}

pub(crate) fn insert(conn: &Connection, new: &NewAccount<'_>) -> rusqlite::Result<Account> {
    let sql = format!(
        "INSERT INTO accounts (login, kind, site_admin, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4) RETURNING {COLUMNS}"
    );
    conn.query_row(&sql, params![new.login, new.kind.as_str(), new.site_admin, new.now], account_from)
}

pub(crate) fn set_profile(
    conn: &Connection,
    id: i64,
    name: Option<&str>,
    email: Option<&str>,
    now: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE accounts SET name = coalesce(?2, name), email = coalesce(?3, email), updated_at = ?4 WHERE id = ?1";
    conn.execute(sql, params![id, name, email, now]).map(drop)
}

pub(crate) fn add_org_member(
    conn: &Connection,
    org_id: i64,
    user_id: i64,
    role: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO org_members (org_id, user_id, role) VALUES (?1, ?2, ?3)
               ON CONFLICT (org_id, user_id) DO UPDATE SET role = excluded.role";
    conn.execute(sql, params![org_id, user_id, role]).map(drop)
}

/// Returns `member` or `admin`, or nothing for an outsider.
pub(crate) fn org_role(conn: &Connection, org_id: i64, user_id: i64) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT role FROM org_members WHERE org_id = ?1 AND user_id = ?2";
    conn.prepare_cached(sql)?.query_row([org_id, user_id], |row| row.get(0)).optional()
}

pub(crate) fn digest_of(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

pub(crate) fn insert_token(
    conn: &Connection,
    account_id: i64,
    secret: &str,
    role: TokenRole,
    repos: &[i64],
    now: i64,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO tokens (account_id, digest, role, restricted, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (digest) DO UPDATE SET account_id = excluded.account_id, role = excluded.role RETURNING id";
    let digest = digest_of(secret);
    let id =
        conn.query_row(sql, params![account_id, digest, role.as_str(), !repos.is_empty(), now], |row| {
            row.get(0)
        })?;
    for repo in repos {
        conn.execute("INSERT OR IGNORE INTO token_repos (token_id, repo_id) VALUES (?1, ?2)", [id, *repo])?;
    }
    Ok(id)
}

/// Returns the account and the token behind a secret.
pub(crate) fn by_token(conn: &Connection, secret: &str) -> rusqlite::Result<Option<(Account, Token)>> {
    let sql = "SELECT a.id, a.login, a.kind, a.name, a.email, a.site_admin, a.created_at, a.updated_at, t.id, t.role,
                      t.restricted
               FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.digest = ?1";
    let digest = digest_of(secret);
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(params![digest], |row| {
        let role = TokenRole::parse(row.get_ref(9)?.as_str()?);
        Ok((account_from(row)?, Token { id: row.get(8)?, role, restricted: row.get(10)? }))
    });
    found.optional()
}

pub(crate) fn token_covers(conn: &Connection, token_id: i64, repo_id: i64) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM token_repos WHERE token_id = ?1 AND repo_id = ?2")?
        .exists([token_id, repo_id])
}

pub(crate) fn by_email(conn: &Connection, email: &str) -> rusqlite::Result<Option<Account>> {
    let sql = format!("SELECT {COLUMNS} FROM accounts WHERE email = ?1 ORDER BY id LIMIT 1");
    conn.prepare_cached(&sql)?.query_row([email], account_from).optional()
}

/// Lists the organisations of an account, by name.
pub(crate) fn organizations_of(conn: &Connection, user_id: i64) -> rusqlite::Result<Vec<Account>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM accounts WHERE id IN (SELECT org_id FROM org_members WHERE user_id = ?1) ORDER BY login"
    );
    conn.prepare_cached(&sql)?.query_map([user_id], account_from)?.collect()
}

/// Lists the members of an organisation with their roles, by id.
pub(crate) fn members_of(conn: &Connection, org_id: i64) -> rusqlite::Result<Vec<(i64, String)>> {
    let sql = "SELECT user_id, role FROM org_members WHERE org_id = ?1 ORDER BY user_id";
    conn.prepare_cached(sql)?.query_map([org_id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
