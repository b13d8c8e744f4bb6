//! Hooks, the payloads that are sent to them, and each delivery.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::hooks::events::ALL;

/// Whose hook it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookOwner {
    Repo(i64),
    Org(i64),
}

#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) id: i64,
    pub(crate) owner: HookOwner,
    pub(crate) url: String,
    pub(crate) content_type: String,
    pub(crate) secret: Option<String>,
    pub(crate) insecure_ssl: bool,
    pub(crate) active: bool,
    pub(crate) events: Vec<String>,
    pub(crate) last_code: Option<i64>,
    pub(crate) last_status: String,
    pub(crate) last_message: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

const HOOK: &str =
    "SELECT id, repo_id, org_id, url, content_type, secret, insecure_ssl, active, events, last_code,
    last_status, last_message, created_at, updated_at FROM hooks";

fn hook_from(row: &Row<'_>) -> rusqlite::Result<Hook> {
    let owner = match row.get::<_, Option<i64>>(1)? {
        Some(repo) => HookOwner::Repo(repo),
        None => HookOwner::Org(row.get(2)?),
    };
    Ok(Hook {
        id: row.get(0)?,
        owner,
        url: row.get(3)?,
        content_type: row.get(4)?,
        secret: row.get(5)?,
        insecure_ssl: row.get(6)?,
        active: row.get(7)?,
        events: names_from(row.get_ref(8)?.as_str()?),
        last_code: row.get(9)?,
        last_status: row.get(10)?,
        last_message: row.get(11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
    })
}

fn names_from(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// The column and the id that select an owner's hooks.
fn owned(owner: HookOwner) -> (&'static str, i64) {
    match owner {
        HookOwner::Repo(id) => ("repo_id", id),
        HookOwner::Org(id) => ("org_id", id),
    }
}

pub(crate) fn of_owner(conn: &Connection, owner: HookOwner) -> rusqlite::Result<Vec<Hook>> {
    let (column, id) = owned(owner);
    let sql = format!("{HOOK} WHERE {column} = ?1 ORDER BY id");
    conn.prepare_cached(&sql)?.query_map([id], hook_from)?.collect()
}

pub(crate) fn find(conn: &Connection, owner: HookOwner, id: i64) -> rusqlite::Result<Option<Hook>> {
    let (column, owner_id) = owned(owner);
    let sql = format!("{HOOK} WHERE id = ?1 AND {column} = ?2");
    conn.prepare_cached(&sql)?.query_row([id, owner_id], hook_from).optional()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Hook>> {
    conn.prepare_cached(&format!("{HOOK} WHERE id = ?1"))?.query_row([id], hook_from).optional()
}

/// Writes a new hook; its own id is ignored.
pub(crate) fn insert(conn: &Connection, hook: &Hook) -> rusqlite::Result<i64> {
    let (column, owner_id) = owned(hook.owner);
    let sql = format!(
        "INSERT INTO hooks ({column}, url, content_type, secret, insecure_ssl, active, events, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id"
    );
    let values = params![
        owner_id,
        hook.url,
        hook.content_type,
        hook.secret,
        hook.insecure_ssl,
        hook.active,
        serde_json::json!(hook.events).to_string(),
        hook.created_at,
        hook.updated_at
    ];
    conn.query_row(&sql, values, |row| row.get(0))
}

pub(crate) fn update(conn: &Connection, hook: &Hook) -> rusqlite::Result<()> {
    let sql = "UPDATE hooks SET url = ?2, content_type = ?3, secret = ?4, insecure_ssl = ?5, active = ?6, events = ?7,
               updated_at = ?8 WHERE id = ?1";
    let values = params![
        hook.id,
        hook.url,
        hook.content_type,
        hook.secret,
        hook.insecure_ssl,
        hook.active,
        serde_json::json!(hook.events).to_string(),
        hook.updated_at
    ];
    conn.execute(sql, values).map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM hooks WHERE id = ?1", [id]).map(drop)
}

/// A hook that is to be told, with what it asked for.
pub(crate) struct Subscriber {
    pub(crate) id: i64,
    events: Vec<String>,
}

impl Subscriber {
    pub(crate) fn to_everything(id: i64) -> Self {
        Self { id, events: vec![ALL.to_owned()] }
    }

    pub(crate) fn wants(&self, event: &str) -> bool {
        self.events.iter().any(|name| name == event || name == ALL)
    }
}

fn subscriber_from(row: &Row<'_>) -> rusqlite::Result<Subscriber> {
    Ok(Subscriber { id: row.get(0)?, events: names_from(row.get_ref(1)?.as_str()?) })
}

/// Lists the active hooks of a repository and of the organisation that owns it.
pub(crate) fn subscribers_of_repo(conn: &Connection, repo_id: i64) -> rusqlite::Result<Vec<Subscriber>> {
    let sql = "SELECT id, events FROM hooks WHERE repo_id = ?1 AND active
               UNION ALL
               SELECT h.id, h.events FROM hooks h JOIN repos r ON r.owner_id = h.org_id WHERE r.id = ?1 AND h.active
               ORDER BY id";
    conn.prepare_cached(sql)?.query_map([repo_id], subscriber_from)?.collect()
}

pub(crate) fn subscribers_of_org(conn: &Connection, org_id: i64) -> rusqlite::Result<Vec<Subscriber>> {
    let sql = "SELECT id, events FROM hooks WHERE org_id = ?1 AND active ORDER BY id";
    conn.prepare_cached(sql)?.query_map([org_id], subscriber_from)?.collect()
}

pub(crate) struct NewPayload<'a> {
    pub(crate) event: &'a str,
    pub(crate) action: Option<&'a str>,
    pub(crate) body: &'a str,
    pub(crate) repo_id: Option<i64>,
    pub(crate) now: i64,
}

pub(crate) fn insert_payload(conn: &Connection, new: &NewPayload<'_>) -> rusqlite::Result<i64> {
    let sql =
        "INSERT INTO hook_payloads (event, action, body, repo_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    conn.prepare_cached(sql)?.execute(params![new.event, new.action, new.body, new.repo_id, new.now])?;
    Ok(conn.last_insert_rowid())
}

pub(crate) fn insert_delivery(
    conn: &Connection,
    hook_id: i64,
    payload_id: i64,
    guid: &str,
    redelivery: bool,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO hook_deliveries (guid, hook_id, payload_id, redelivery) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare_cached(sql)?.execute(params![guid, hook_id, payload_id, redelivery])?;
    Ok(conn.last_insert_rowid())
}

/// Lists what is pending after a delivery, oldest first, as pairs of delivery and hook.
pub(crate) fn pending_after(
    conn: &Connection,
    delivery_id: i64,
    limit: i64,
) -> rusqlite::Result<Vec<(i64, i64)>> {
    let sql =
        "SELECT id, hook_id FROM hook_deliveries WHERE state = 'pending' AND id > ?1 ORDER BY id LIMIT ?2";
    conn.prepare_cached(sql)?.query_map([delivery_id, limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// What the courier sends.
pub(crate) struct Outgoing {
    pub(crate) delivery_id: i64,
    pub(crate) guid: String,
    pub(crate) event: String,
    pub(crate) body: String,
    pub(crate) hook: Hook,
}

/// A delivery that is still to be made; nothing when its hook has gone.
pub(crate) fn outgoing(conn: &Connection, delivery_id: i64) -> rusqlite::Result<Option<Outgoing>> {
    let sql = "SELECT d.guid, p.event, p.body, d.hook_id FROM hook_deliveries d
               JOIN hook_payloads p ON p.id = d.payload_id WHERE d.id = ?1 AND d.state = 'pending'";
    let parts = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?));
    let found = conn.prepare_cached(sql)?.query_row([delivery_id], parts).optional()?;
    let Some((guid, event, body, hook_id)) = found else { return Ok(None) };
    Ok(by_id(conn, hook_id)?.map(|hook| Outgoing { delivery_id, guid, event, body, hook }))
}

/// How a delivery ended.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) attempts: u32,
    pub(crate) delivered_at_ms: i64,
    pub(crate) duration_ms: i64,
    pub(crate) status: String,
    pub(crate) status_code: u16,
    pub(crate) request_headers: String,
    pub(crate) response_headers: Option<String>,
    pub(crate) response_body: Option<String>,
}

pub(crate) fn set_outcome(
    conn: &Connection,
    delivery_id: i64,
    hook_id: i64,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let sql = "UPDATE hook_deliveries SET state = 'done', attempts = ?2, delivered_at_ms = ?3, duration_ms = ?4, status = ?5,
               status_code = ?6, request_headers = ?7, response_headers = ?8, response_body = ?9 WHERE id = ?1";
    let values = params![
        delivery_id,
        outcome.attempts,
        outcome.delivered_at_ms,
        outcome.duration_ms,
        outcome.status,
        outcome.status_code,
        outcome.request_headers,
        outcome.response_headers,
        outcome.response_body
    ];
    conn.prepare_cached(sql)?.execute(values)?;
    let sql = "UPDATE hooks SET last_code = ?2, last_status = ?3, last_message = ?4 WHERE id = ?1";
    let state = if outcome.is_success() { "active" } else { "failed" };
    conn.prepare_cached(sql)?.execute(params![hook_id, outcome.status_code, state, outcome.status]).map(drop)
}

impl Outcome {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status_code)
    }
}

/// A delivery that was made.
pub(crate) struct Delivery {
    pub(crate) id: i64,
    pub(crate) guid: String,
    pub(crate) payload_id: i64,
    pub(crate) redelivery: bool,
    pub(crate) delivered_at_ms: i64,
    pub(crate) duration_ms: i64,
    pub(crate) status: String,
    pub(crate) status_code: i64,
    pub(crate) event: String,
    pub(crate) action: Option<String>,
    pub(crate) repo_id: Option<i64>,
    pub(crate) request_headers: Option<String>,
    pub(crate) response_headers: Option<String>,
    pub(crate) response_body: Option<String>,
}

const DELIVERY: &str = "SELECT d.id, d.guid, d.payload_id, d.redelivery, d.delivered_at_ms, d.duration_ms, d.status,
    d.status_code, p.event, p.action, p.repo_id, d.request_headers, d.response_headers, d.response_body
    FROM hook_deliveries d JOIN hook_payloads p ON p.id = d.payload_id WHERE d.state = 'done' AND d.hook_id = ?1";

fn delivery_from(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        guid: row.get(1)?,
        payload_id: row.get(2)?,
        redelivery: row.get(3)?,
        delivered_at_ms: row.get(4)?,
        duration_ms: row.get(5)?,
        status: row.get(6)?,
        status_code: row.get(7)?,
        event: row.get(8)?,
        action: row.get(9)?,
        repo_id: row.get(10)?,
        request_headers: row.get(11)?,
        response_headers: row.get(12)?,
        response_body: row.get(13)?,
    })
}

/// Which deliveries of a hook are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeliveryQuery {
    /// Only those at or before this one.
    pub(crate) from: i64,
    /// Only those that succeeded, or only those that did not.
    pub(crate) success: Option<bool>,
    pub(crate) limit: i64,
}

/// Lists a hook's deliveries, newest first.
pub(crate) fn deliveries(
    conn: &Connection,
    hook_id: i64,
    query: DeliveryQuery,
) -> rusqlite::Result<Vec<Delivery>> {
    let sql = format!(
        "{DELIVERY} AND d.id <= ?2 AND (?3 IS NULL OR (d.status_code BETWEEN 200 AND 299) = ?3) ORDER BY d.id DESC LIMIT ?4"
    );
    conn.prepare_cached(&sql)?
        .query_map(params![hook_id, query.from, query.success, query.limit], delivery_from)?
        .collect()
}

pub(crate) fn delivery(conn: &Connection, hook_id: i64, id: i64) -> rusqlite::Result<Option<Delivery>> {
    let sql = format!("{DELIVERY} AND d.id = ?2");
    conn.prepare_cached(&sql)?.query_row([hook_id, id], delivery_from).optional()
}

pub(crate) fn payload_body(conn: &Connection, payload_id: i64) -> rusqlite::Result<String> {
    conn.prepare_cached("SELECT body FROM hook_payloads WHERE id = ?1")?
        .query_row([payload_id], |row| row.get(0))
}

/// Removes payloads made before a time, with their deliveries, up to a number; returns how many went.
pub(crate) fn prune(conn: &Connection, before: i64, limit: i64) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM hook_payloads WHERE id IN
               (SELECT id FROM hook_payloads WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)";
    conn.prepare_cached(sql)?.execute([before, limit])
}
