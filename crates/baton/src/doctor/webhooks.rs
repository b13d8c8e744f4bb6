//! Facts of how news arrive: the endpoint, the program that forwards, and the hooks of repositories.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::doctor::Finding;
use baton_core::doctor::webhooks::{HookFacts, ListenFacts, WebhookFacts, webhooks};
use baton_github::{GitHub, Hook};

use super::local::said;
use super::tracker::shown;
use super::within;
use crate::flow::context::Desk;
use crate::flow::station::{SECRET_VARIABLE, given};

/// Where an engine takes deliveries.
const DELIVERIES: &str = "/webhooks/github";
/// How long `gh`, and an engine on this machine, may take to answer.
const NEIGHBOUR_TIME_MAX: Duration = Duration::from_secs(10);

pub(super) async fn examine(desk: &Desk, github: &GitHub, repos: &[RepoSlug]) -> Vec<Finding> {
    let sources = &desk.config().sources;
    let mut facts =
        WebhookFacts { has_secret: given(desk, SECRET_VARIABLE).is_some(), ..WebhookFacts::default() };
    if let Some(address) = &sources.webhooks_listen {
        facts.listen = Some((address.clone(), endpoint(address).await));
    }
    if sources.webhooks_forward {
        facts.forward = Some(forward());
    } else if sources.webhooks_listen.is_some() {
        for repo in repos {
            facts.hooks.push((repo.to_string(), hooks(github, repo).await));
        }
    }
    webhooks(&facts)
}

async fn endpoint(address: &str) -> ListenFacts {
    let Ok(address) = address.parse::<SocketAddr>() else { return ListenFacts::NoAddress };
    match TcpListener::bind(address) {
        Ok(_) => ListenFacts::Free,
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_engine(address).await => {
            ListenFacts::OurEngine
        }
        Err(error) => ListenFacts::Taken(error.to_string()),
    }
}

/// Returns whether an engine answers there: it knows the address of webhooks, and takes only signed deliveries or posts.
async fn is_engine(address: SocketAddr) -> bool {
    baton_github::install_tls_provider();
    let Ok(client) = reqwest::Client::builder().timeout(NEIGHBOUR_TIME_MAX).no_proxy().build() else {
        return false;
    };
    let asked = |path: &str| client.get(format!("http://{address}{path}")).send();
    let is_healthy = asked("/healthz").await.is_ok_and(|answer| answer.status().is_success());
    is_healthy && asked(DELIVERIES).await.is_ok_and(|answer| answer.status().as_u16() == 405)
}

fn forward() -> Result<(), String> {
    let mut command = Command::new("gh");
    command.args(["webhook", "forward", "--help"]);
    said(command, NEIGHBOUR_TIME_MAX).map(drop)
}

async fn hooks(github: &GitHub, repo: &RepoSlug) -> HookFacts {
    match within(async { github.hooks(repo).await.map_err(|error| shown(&error)) }).await {
        Ok(hooks) => best(hooks),
        Err(why) => HookFacts::Unlisted(why),
    }
}

/// Judges by the hook that works best of those that go to an engine: others are for somebody else.
fn best(hooks: Vec<Hook>) -> HookFacts {
    let (ours, others): (Vec<_>, Vec<_>) =
        hooks.into_iter().filter(|hook| hook.is_active).partition(|hook| is_to_engine(&hook.url));
    let mut otherwise = match others.len() {
        0 => HookFacts::None,
        count => HookFacts::Others(count),
    };
    for hook in ours {
        match hook.last {
            Some((code, message)) if !(200..300).contains(&code) && code != 0 => {
                otherwise = HookFacts::Failing { url: hook.url, said: format!("{code} {message}") };
            }
            _ => return HookFacts::Good { url: hook.url },
        }
    }
    otherwise
}

/// Returns whether engines take deliveries at such an address.
fn is_to_engine(url: &str) -> bool {
    url.split(['?', '#']).next().is_some_and(|url| url.trim_end_matches('/').ends_with(DELIVERIES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hook_to_an_engine_that_works_is_enough_and_others_do_not_count() {
        let hook = |url: &str, is_active, code: Option<u16>| Hook {
            url: url.to_owned(),
            is_active,
            last: code.map(|code| (code, "said".to_owned())),
        };
        let (ours, ours_too) = ("https://a.example/webhooks/github", "http://b/relay/webhooks/github/?x=1");
        assert_eq!(best(Vec::new()), HookFacts::None);
        assert_eq!(best(vec![hook(ours, false, Some(200))]), HookFacts::None);
        assert_eq!(
            best(vec![hook(ours, true, Some(502)), hook(ours_too, true, None)]),
            HookFacts::Good { url: ours_too.to_owned() }
        );
        let others = || vec![hook("https://ci.example/hook", true, Some(200)), hook("b", false, None)];
        let failing = best([others(), vec![hook(ours, true, Some(502))]].concat());
        assert_eq!(failing, HookFacts::Failing { url: ours.to_owned(), said: "502 said".to_owned() });
        assert_eq!(best(others()), HookFacts::Others(1));
    }
}
