//! Judging how news of the tracker arrive: by its hooks, by a program that forwards them, or by asking.

use super::setup::{one_line, plural};
use super::{CheckId, Finding};

/// How the endpoint is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenFacts {
    /// It is free to be listened on.
    Free,
    /// An engine listens there already.
    OurEngine,
    /// Something else has it, or it is none of this machine's, for this reason.
    Taken(String),
    /// It is no address.
    NoAddress,
}

/// What a repository has for hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookFacts {
    /// They could not be listed, for this reason; that takes an administrator.
    Unlisted(String),
    /// There is none that is active.
    None,
    /// So many are active, and none of them goes to an engine.
    Others(usize),
    /// The last delivery of one failed.
    Failing {
        /// Where it goes.
        url: String,
        /// What came back.
        said: String,
    },
    /// There is one, and nothing is known against it.
    Good {
        /// Where it goes.
        url: String,
    },
}

/// How news are to arrive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookFacts {
    /// Where webhooks are taken, and how that place is.
    pub listen: Option<(String, ListenFacts)>,
    /// Whether there is a secret to know them by.
    pub has_secret: bool,
    /// Whether `gh webhook forward` is wanted, and what keeps it from working.
    pub forward: Option<Result<(), String>>,
    /// The hooks of each repository, where they are looked at.
    pub hooks: Vec<(String, HookFacts)>,
}

/// Judges how news arrive.
pub fn webhooks(facts: &WebhookFacts) -> Vec<Finding> {
    let mut findings: Vec<_> = facts.listen.iter().map(|(address, facts)| endpoint(address, facts)).collect();
    if facts.listen.is_some() && facts.forward.is_none() && !facts.has_secret {
        findings.push(Finding::warn(
            CheckId::Webhooks,
            "there is no BATON_WEBHOOK_SECRET, so only deliveries from this machine are believed",
            "put `BATON_WEBHOOK_SECRET=…` into .env, the same as in the hook's settings",
        ));
    }
    findings.extend(facts.forward.iter().map(forward));
    findings.extend(facts.hooks.iter().map(|(repo, facts)| hook(repo, facts)));
    if findings.is_empty() {
        findings.push(Finding::ok(CheckId::Webhooks, "not used: the board is asked for news"));
    }
    findings
}

fn endpoint(address: &str, facts: &ListenFacts) -> Finding {
    let check = CheckId::Webhooks;
    let fix = "set `webhooks.listen` in baton.yaml to a free address of this machine, such as 127.0.0.1:8477";
    match facts {
        ListenFacts::Free => Finding::ok(check, format!("{address} can be listened on")),
        ListenFacts::OurEngine => Finding::ok(check, format!("an engine listens on {address}")),
        ListenFacts::Taken(why) => {
            Finding::fail(check, format!("{address} cannot be listened on: {}", one_line(why)), fix)
        }
        ListenFacts::NoAddress => {
            Finding::fail(check, format!("`webhooks.listen: {address}` is no address"), fix)
        }
    }
}

fn forward(works: &Result<(), String>) -> Finding {
    let check = CheckId::Webhooks;
    match works {
        Ok(()) => Finding::ok(check, "`gh webhook forward` is there"),
        Err(why) => Finding::fail(
            check,
            format!("`gh webhook forward` cannot be used: {}", one_line(why)),
            "gh extension install cli/gh-webhook; or set `webhooks.forward: false`",
        ),
    }
}

fn hook(repo: &str, facts: &HookFacts) -> Finding {
    let check = CheckId::Webhooks;
    let make = || {
        format!(
            "gh api repos/{repo}/hooks -f name=web -f 'config[url]=https://HOST/webhooks/github' \
             -f 'config[content_type]=json' -f \"config[secret]=$BATON_WEBHOOK_SECRET\" -f 'events[]=*'"
        )
    };
    match facts {
        HookFacts::Unlisted(why) => Finding::warn(
            check,
            format!("the hooks of {repo} cannot be listed: {}", one_line(why)),
            format!(
                "look at https://github.com/{repo}/settings/hooks, or use an administrator's token for this check"
            ),
        ),
        HookFacts::None => {
            Finding::warn(check, format!("{repo} has no active hook, so nobody delivers"), make())
        }
        HookFacts::Others(count) => Finding::warn(
            check,
            format!(
                "{repo} has {}, and none of them goes to …/webhooks/github, so nobody delivers",
                plural(*count, "active hook")
            ),
            make(),
        ),
        HookFacts::Failing { url, said } => Finding::warn(
            check,
            format!("{repo}: the last delivery to {url} failed: {}", one_line(said)),
            "see that the tracker can reach that address, and that the secret is the same on both sides",
        ),
        HookFacts::Good { url } => Finding::ok(check, format!("{repo} delivers to {url}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    fn grades(facts: &WebhookFacts) -> Vec<Grade> {
        webhooks(facts).iter().map(|finding| finding.grade).collect()
    }

    #[test]
    fn without_webhooks_there_is_nothing_to_complain_about() {
        assert_eq!(grades(&WebhookFacts::default()), [Grade::Ok]);
    }

    #[test]
    fn an_endpoint_must_be_free_or_ours_and_have_a_secret() {
        for (facts, grade) in [
            (ListenFacts::Free, Grade::Ok),
            (ListenFacts::OurEngine, Grade::Ok),
            (ListenFacts::Taken("in use".to_owned()), Grade::Fail),
            (ListenFacts::NoAddress, Grade::Fail),
        ] {
            let facts = WebhookFacts {
                listen: Some(("127.0.0.1:1".to_owned(), facts)),
                has_secret: true,
                ..WebhookFacts::default()
            };
            assert_eq!(grades(&facts), [grade]);
            assert_eq!(grades(&WebhookFacts { has_secret: false, ..facts }), [grade, Grade::Warn]);
        }
    }

    #[test]
    fn forwarding_needs_its_program_and_hooks_must_deliver() {
        let text = || "x".to_owned();
        let forward = |works| WebhookFacts { forward: Some(works), ..WebhookFacts::default() };
        assert_eq!(grades(&forward(Ok(()))), [Grade::Ok]);
        assert_eq!(grades(&forward(Err(text()))), [Grade::Fail]);
        let hooks = [
            (HookFacts::Good { url: text() }, Grade::Ok),
            (HookFacts::Failing { url: text(), said: text() }, Grade::Warn),
            (HookFacts::None, Grade::Warn),
            (HookFacts::Others(1), Grade::Warn),
            (HookFacts::Unlisted(text()), Grade::Warn),
        ];
        for (facts, grade) in hooks {
            let facts = WebhookFacts { hooks: vec![("a/b".to_owned(), facts)], ..WebhookFacts::default() };
            assert_eq!(grades(&facts), [grade], "{facts:?}");
        }
    }
}
