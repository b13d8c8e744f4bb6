//! What a doctor asks: whom the tracker takes us for, what the token may do, how much is left, and who delivers.
//!
//! Each is one question with its answer; nothing is judged here, and nothing is changed.

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use http::Method;
use serde::Deserialize;

use crate::client::{Answer, GitHub};
use crate::layers::budget::RateBudget;
use crate::wire::{AppWire, ViewerWire};

/// The header in which classic tokens tell their scopes.
const SCOPES: &str = "x-oauth-scopes";

/// Whom the tracker takes us for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The account.
    pub login: String,
    /// The scopes of the token; nothing when it tells none.
    pub scopes: Option<Vec<String>>,
}

/// A repository, as the token sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositorySight {
    /// The branch that it merges to.
    pub default_branch: String,
    /// Whether the token may write; nothing when the tracker does not say.
    pub may_write: Option<bool>,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether it has issues.
    pub has_issues: bool,
}

/// A webhook of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Where it delivers to.
    pub url: String,
    /// Whether it does.
    pub is_active: bool,
    /// The status of the last delivery, and what was said about it; nothing before the first.
    pub last: Option<(u16, String)>,
}

#[derive(Deserialize)]
struct RateLimitWire {
    resources: std::collections::BTreeMap<String, ResourceWire>,
}

#[derive(Deserialize)]
struct ResourceWire {
    limit: u64,
    remaining: u64,
    reset: i64,
}

#[derive(Deserialize)]
struct RepositoryWire {
    default_branch: String,
    #[serde(default)]
    archived: bool,
    #[serde(default = "yes")]
    has_issues: bool,
    permissions: Option<PermissionsWire>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct PermissionsWire {
    #[serde(default)]
    push: bool,
}

#[derive(Deserialize)]
struct HookWire {
    #[serde(default)]
    active: bool,
    config: HookConfigWire,
    last_response: Option<LastResponseWire>,
}

#[derive(Deserialize)]
struct HookConfigWire {
    url: Option<String>,
}

#[derive(Deserialize)]
struct LastResponseWire {
    code: Option<u16>,
    message: Option<String>,
}

impl GitHub {
    /// Returns what is left of each kind of requests. Asking costs none of them.
    pub async fn rate_limits(&self) -> Answer<Vec<RateBudget>> {
        let wire: RateLimitWire = self.ask(self.call_itself("/rate_limit")).await?.parse()?;
        let budget = |(resource, wire): (String, ResourceWire)| RateBudget {
            resource,
            limit: wire.limit,
            remaining: wire.remaining,
            reset: ServerTime(wire.reset),
        };
        Ok(wire.resources.into_iter().map(budget).collect())
    }

    /// Returns whom the tracker takes us for.
    pub async fn viewer_with_scopes(&self) -> Answer<Viewer> {
        // An App has no user of its own; what it does is shown under its name with this ending.
        if self.is_app() {
            let app: AppWire = self.ask(self.call_itself("/app")).await?.parse()?;
            return Ok(Viewer { login: format!("{}[bot]", app.slug), scopes: None });
        }
        let sent = self.ask(self.call_itself("/user")).await?;
        let told = sent.reply.header(SCOPES).map(scopes_in);
        Ok(Viewer { login: sent.parse::<ViewerWire>()?.login, scopes: told })
    }

    /// Returns a repository as the token sees it; nothing when it does not see it.
    pub async fn repository_sight(&self, repo: &RepoSlug) -> Answer<Option<RepositorySight>> {
        let sent = self.send(self.call(Method::GET, repo, "/repos/{owner}/{repo}", &[])?).await?;
        if sent.status() == 404 {
            return Ok(None);
        }
        let wire: RepositoryWire = sent.succeeded()?.parse()?;
        // An App is told the rights of its installation elsewhere.
        let may_write = wire.permissions.map(|it| it.push).filter(|_| !self.is_app());
        Ok(Some(RepositorySight {
            default_branch: wire.default_branch,
            may_write,
            is_archived: wire.archived,
            has_issues: wire.has_issues,
        }))
    }

    /// Returns the webhooks of a repository, which takes an administrator.
    pub async fn hooks(&self, repo: &RepoSlug) -> Answer<Vec<Hook>> {
        let list =
            self.list::<HookWire>(self.call(Method::GET, repo, "/repos/{owner}/{repo}/hooks", &[])?).await?;
        let hook = |wire: HookWire| {
            let last = wire.last_response.and_then(|it| Some((it.code?, it.message.unwrap_or_default())));
            Hook { url: wire.config.url.unwrap_or_default(), is_active: wire.active, last }
        };
        Ok(list.value.into_iter().map(hook).collect())
    }
}

fn scopes_in(header: &str) -> Vec<String> {
    header.split(',').map(str::trim).filter(|scope| !scope.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_from_a_list_with_commas() {
        assert_eq!(scopes_in("gist, project,repo"), ["gist", "project", "repo"]);
        assert!(scopes_in("").is_empty() && scopes_in(" , ").is_empty());
    }
}
