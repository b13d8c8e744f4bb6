//! The forge about itself: its addresses, its budget, a word.

use serde_json::{Value, json};

use crate::http::call::Call;
use crate::http::rate::{Resource, Standing};
use crate::http::reply::{ApiResult, Reply};

pub(super) fn root(call: &Call) -> ApiResult {
    let api = &call.links.api;
    let at = |path: &str| Value::from(format!("{api}/{path}"));
    Reply::ok(&json!({
        "current_user_url": at("user"),
        "current_user_authorizations_html_url": format!("{}/settings/connections/applications{{/client_id}}", call.links.web),
        "authorizations_url": at("authorizations"),
        "code_search_url": at("search/code?q={query}{&page,per_page,sort,order}"),
        "commit_search_url": at("search/commits?q={query}{&page,per_page,sort,order}"),
        "emails_url": at("user/emails"),
        "emojis_url": at("emojis"),
        "events_url": at("events"),
        "feeds_url": at("feeds"),
        "followers_url": at("user/followers"),
        "following_url": at("user/following{/target}"),
        "gists_url": at("gists{/gist_id}"),
        "hub_url": at("hub"),
        "issue_search_url": at("search/issues?q={query}{&page,per_page,sort,order}"),
        "issues_url": at("issues"),
        "keys_url": at("user/keys"),
        "label_search_url": at("search/labels?q={query}&repository_id={repository_id}{&page,per_page}"),
        "notifications_url": at("notifications"),
        "organization_url": at("orgs/{org}"),
        "organization_repositories_url": at("orgs/{org}/repos{?type,page,per_page,sort}"),
        "organization_teams_url": at("orgs/{org}/teams"),
        "public_gists_url": at("gists/public"),
        "rate_limit_url": at("rate_limit"),
        "repository_url": at("repos/{owner}/{repo}"),
        "repository_search_url": at("search/repositories?q={query}{&page,per_page,sort,order}"),
        "current_user_repositories_url": at("user/repos{?type,page,per_page,sort}"),
        "starred_url": at("user/starred{/owner}{/repo}"),
        "starred_gists_url": at("gists/starred"),
        "user_url": at("users/{user}"),
        "user_organizations_url": at("user/orgs"),
        "user_repositories_url": at("users/{user}/repos{?type,page,per_page,sort}"),
        "user_search_url": at("search/users?q={query}{&page,per_page,sort,order}"),
    }))
}

pub(super) fn meta(_: &Call) -> ApiResult {
    Reply::ok(&json!({
        "verifiable_password_authentication": false,
        "hooks": ["127.0.0.0/8"],
        "web": ["127.0.0.0/8"],
        "api": ["127.0.0.0/8"],
        "git": ["127.0.0.0/8"],
        "installed_version": env!("CARGO_PKG_VERSION"),
    }))
}

pub(super) fn zen(_: &Call) -> ApiResult {
    Ok(Reply::of(200, "text/plain;charset=utf-8", b"One runner at a time.".to_vec()))
}

pub(super) fn rate_limit(call: &Call) -> ApiResult {
    let token = call.viewer.as_ref().map_or(0, |viewer| viewer.token.id);
    let standing = |resource| {
        let limit = call.forge.limit(resource, call.viewer.is_some());
        view(&call.forge.rates.standing(token, resource, limit, call.now))
    };
    let core = standing(Resource::Core);
    Reply::ok(&json!({
        "resources": { "core": core, "search": standing(Resource::Search), "graphql": standing(Resource::Graphql) },
        "rate": core,
    }))
}

fn view(standing: &Standing) -> Value {
    json!({
        "limit": standing.limit,
        "used": standing.used,
        "remaining": standing.remaining(),
        "reset": standing.reset,
        "resource": standing.resource.as_str(),
    })
}
