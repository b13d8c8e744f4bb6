//! Hooks of repositories and organisations, and what was delivered to them.
//!
//! The two kinds differ in who owns them and who may see them; the functions here serve both. A path with a repository
//! was admitted by the table; for an organisation's, its owners are asked for here.

use reqwest::Url;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::db::Tx;
use crate::db::accounts::{self, AccountKind, TokenRole};
use crate::db::hooks::{self, DeliveryQuery, Hook, HookOwner};
use crate::hooks::events::{ALL, is_known};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};
use crate::wire::hook::{self as views, HookView};
use crate::wire::segment;

/// GitHub's limit of hooks for one event; here for all of an owner's.
const HOOKS_MAX: usize = 250;
/// What is shown instead of a secret. Sent back, it means the secret that is there.
const HIDDEN: &str = "********";

/// Whose hooks a path is about.
struct Owner {
    which: HookOwner,
    path: String,
    scope: Scope,
}

fn owner(call: &Call, conn: &Connection) -> Result<Owner, ApiError> {
    if let Some(visit) = &call.visit {
        let id = visit.repo.id;
        let path = format!("repos/{}", visit.repo.full_name());
        return Ok(Owner { which: HookOwner::Repo(id), path, scope: Scope::Repo(id) });
    }
    let org = accounts::by_login(conn, call.param("org"))?;
    let org =
        org.filter(|account| account.kind == AccountKind::Organization).ok_or_else(ApiError::not_found)?;
    let viewer = call.viewer()?;
    let is_owner = viewer.account.site_admin
        || accounts::org_role(conn, org.id, viewer.account.id)?.as_deref() == Some("admin");
    // An organisation's hooks hear of all its repositories, so a token that is good for less does not do.
    if !is_owner || viewer.token.restricted || viewer.token.role != TokenRole::Admin {
        return Err(ApiError::not_found());
    }
    let path = format!("orgs/{}", org.login);
    Ok(Owner { which: HookOwner::Org(org.id), path, scope: Scope::Owner(org.id) })
}

fn named(call: &Call, conn: &Connection) -> Result<(Owner, Hook), ApiError> {
    let owner = owner(call, conn)?;
    let hook = hooks::find(conn, owner.which, call.id_param("hook_id")?)?.ok_or_else(ApiError::not_found)?;
    Ok((owner, hook))
}

fn refuse(why: impl Into<String>) -> ApiError {
    let error = json!({ "resource": "Hook", "code": "custom", "message": why.into() });
    ApiError { errors: vec![error], ..ApiError::unprocessable("Validation Failed") }
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let owner = owner(call, conn)?;
    let found = hooks::of_owner(conn, owner.which)?;
    let view = |hook| HookView { links: &call.links, owner: &owner.path, hook };
    page::reply_cut(call, found.iter().map(view).collect())
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let (owner, hook) = named(call, conn)?;
    Reply::ok(&HookView { links: &call.links, owner: &owner.path, hook: &hook })
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let owner = owner(call, tx)?;
    let fields = call.fields()?;
    if fields.opt_str("name")?.is_some_and(|name| name != "web") {
        return Err(refuse("Only \"web\" hooks are there"));
    }
    let mut hook = Hook {
        id: 0,
        owner: owner.which,
        url: String::new(),
        content_type: "form".to_owned(),
        secret: None,
        insecure_ssl: false,
        active: fields.opt_bool("active")?.unwrap_or(true),
        events: fields.opt_strings("events")?.unwrap_or_else(|| vec!["push".to_owned()]),
        last_code: None,
        last_status: "unused".to_owned(),
        last_message: None,
        created_at: call.now,
        updated_at: call.now,
    };
    let config =
        fields.opt_object("config")?.ok_or_else(|| refuse("Config must contain URL for webhooks"))?;
    configure(&mut hook, &config)?;
    check(tx, &hook)?;
    hook.id = hooks::insert(tx, &hook)?;
    tell(call, tx, &owner, What::Ping { hook_id: hook.id })?;
    let location = format!("{}/{}/hooks/{}", call.links.api, owner.path, hook.id);
    Reply::created(&HookView { links: &call.links, owner: &owner.path, hook: &hook }, location)
}

/// Takes over the parts of a config that are there.
fn configure(hook: &mut Hook, config: &Fields) -> Result<(), ApiError> {
    if let Some(url) = config.opt_str("url")? {
        url.clone_into(&mut hook.url);
    }
    if let Some(content_type) = config.opt_str("content_type")? {
        content_type.clone_into(&mut hook.content_type);
    }
    if config.has("secret") && config.opt_str("secret")? != Some(HIDDEN) {
        hook.secret = config.opt_str("secret")?.filter(|secret| !secret.is_empty()).map(str::to_owned);
    }
    match config.raw("insecure_ssl") {
        None | Some(Value::Null) => {}
        Some(value) if value == "1" || value == 1 => hook.insecure_ssl = true,
        Some(value) if value == "0" || value == 0 => hook.insecure_ssl = false,
        Some(_) => return Err(refuse("insecure_ssl is \"0\" or \"1\"")),
    }
    Ok(())
}

/// Checks a hook as a whole before it is written.
fn check(conn: &Connection, hook: &Hook) -> Result<(), ApiError> {
    if hook.url.is_empty() {
        return Err(refuse("Config must contain URL for webhooks"));
    }
    let is_url = Url::parse(&hook.url)
        .is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.host_str().is_some());
    if !is_url {
        return Err(ApiError::invalid_because("Hook", "url", "url is not a valid address of http or https"));
    }
    if !["json", "form"].contains(&hook.content_type.as_str()) {
        return Err(ApiError::invalid_because(
            "Hook",
            "content_type",
            "content_type is \"json\" or \"form\"",
        ));
    }
    if hook.events.is_empty() {
        return Err(refuse("Events must not be empty"));
    }
    if let Some(unknown) = hook.events.iter().find(|name| !is_known(name)) {
        let name: String = unknown.chars().take(80).collect();
        return Err(refuse(format!("\"{name}\" is not an event of webhooks")));
    }
    check_neighbours(conn, hook)
}

/// Hooks of one config must not be told the same twice.
fn check_neighbours(conn: &Connection, hook: &Hook) -> Result<(), ApiError> {
    let others = hooks::of_owner(conn, hook.owner)?;
    if hook.id == 0 && others.len() >= HOOKS_MAX {
        return Err(refuse(format!("There are at most {HOOKS_MAX} hooks")));
    }
    let overlaps = |other: &Hook| {
        let is_shared =
            |name: &String| name == ALL || hook.events.iter().any(|own| own == name || own == ALL);
        other.events.iter().any(is_shared)
    };
    let is_twin = |other: &Hook| {
        other.id != hook.id
            && other.url == hook.url
            && other.content_type == hook.content_type
            && other.insecure_ssl == hook.insecure_ssl
            && overlaps(other)
    };
    let place = match hook.owner {
        HookOwner::Repo(_) => "repository",
        HookOwner::Org(_) => "organization",
    };
    match others.iter().any(is_twin) {
        true => Err(refuse(format!("Hook already exists on this {place}"))),
        false => Ok(()),
    }
}

fn tell(call: &Call, tx: &Tx<'_>, owner: &Owner, what: What) -> Result<(), ApiError> {
    tx.tell(News { scope: owner.scope, actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

/// A new config takes the place of the old one, secret included, as on GitHub.
pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (owner, mut hook) = named(call, tx)?;
    let fields = call.fields()?;
    if let Some(config) = fields.opt_object("config")? {
        if !config.has("secret") {
            hook.secret = None;
        }
        configure(&mut hook, &config)?;
    }
    if let Some(active) = fields.opt_bool("active")? {
        hook.active = active;
    }
    change_events(&mut hook.events, &fields)?;
    hook.updated_at = call.now;
    check(tx, &hook)?;
    hooks::update(tx, &hook)?;
    Reply::ok(&HookView { links: &call.links, owner: &owner.path, hook: &hook })
}

fn change_events(events: &mut Vec<String>, fields: &Fields) -> Result<(), ApiError> {
    if let Some(all) = fields.opt_strings("events")? {
        *events = all;
    }
    for name in fields.opt_strings("add_events")?.unwrap_or_default() {
        if !events.contains(&name) {
            events.push(name);
        }
    }
    let gone = fields.opt_strings("remove_events")?.unwrap_or_default();
    events.retain(|name| !gone.contains(name));
    Ok(())
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    hooks::delete(tx, named(call, tx)?.1.id)?;
    Reply::no_content()
}

pub(super) fn config(call: &Call, conn: &Connection) -> ApiResult {
    Reply::ok(&views::config(&named(call, conn)?.1))
}

/// What is not said of a config stays.
pub(super) fn update_config(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (_, mut hook) = named(call, tx)?;
    configure(&mut hook, &call.fields()?)?;
    hook.updated_at = call.now;
    check(tx, &hook)?;
    hooks::update(tx, &hook)?;
    Reply::ok(&views::config(&hook))
}

pub(super) fn ping(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (owner, hook) = named(call, tx)?;
    tell(call, tx, &owner, What::Ping { hook_id: hook.id })?;
    Reply::no_content()
}

/// Sends the last push again, to a hook that asked for pushes.
pub(super) fn test(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (owner, hook) = named(call, tx)?;
    tell(call, tx, &owner, What::TestPush { hook_id: hook.id })?;
    Reply::no_content()
}

pub(super) fn deliveries(call: &Call, conn: &Connection) -> ApiResult {
    let (_, hook) = named(call, conn)?;
    let size = Page::of(call).size;
    let from = match call.query.get("cursor") {
        None => i64::MAX,
        Some(cursor) => cursor_id(&cursor)?,
    };
    let success = match call.query.get("status").as_deref() {
        None => None,
        Some("success") => Some(true),
        Some("failure") => Some(false),
        Some(_) => return Err(ApiError::invalid("Hook", "status", "invalid")),
    };
    // One more than is shown tells whether there is another page, and where it begins.
    let query = DeliveryQuery { from, success, limit: size + 1 };
    let mut found = hooks::deliveries(conn, hook.id, query)?;
    let shown = usize::try_from(size).unwrap_or(usize::MAX);
    let link = found.get(shown).map(|next| next_link(call, next.id));
    found.truncate(shown);
    let items: Vec<Value> = found.iter().map(views::delivery_item).collect();
    Ok(Reply { link, ..Reply::ok(&items)? })
}

fn cursor_id(cursor: &str) -> Result<i64, ApiError> {
    let id = cursor.strip_prefix("v1_").and_then(|id| id.parse().ok());
    id.ok_or_else(|| ApiError::bad_request("The cursor is not one that a list of deliveries gave"))
}

fn next_link(call: &Call, id: i64) -> String {
    let others: String = call
        .query
        .pairs()
        .filter(|(key, _)| key != "cursor")
        .map(|(key, value)| format!("{}={}&", segment(&key), segment(&value)))
        .collect();
    format!("<{}{}?{others}cursor=v1_{id}>; rel=\"next\"", call.links.api, call.stable_path())
}

pub(super) fn delivery(call: &Call, conn: &Connection) -> ApiResult {
    let (_, hook) = named(call, conn)?;
    let id = call.id_param("delivery_id")?;
    let delivery = hooks::delivery(conn, hook.id, id)?.ok_or_else(ApiError::not_found)?;
    let payload = hooks::payload_body(conn, delivery.payload_id)?;
    Reply::ok(&views::full_delivery(&hook, &delivery, &payload))
}

/// Delivers once more, under the same id and with the same payload.
pub(super) fn redeliver(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (_, hook) = named(call, tx)?;
    let id = call.id_param("delivery_id")?;
    let delivery = hooks::delivery(tx, hook.id, id)?.ok_or_else(ApiError::not_found)?;
    hooks::insert_delivery(tx, hook.id, delivery.payload_id, &delivery.guid, true)?;
    tx.leave_mail();
    Reply::json(202, &json!({}))
}
