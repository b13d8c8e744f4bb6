//! Which checks the rulesets of a branch require, remembered for a while.
//!
//! GraphQL tells what the protection of a branch requires; rulesets, which do the same, are told over REST alone. They change
//! rarely and matter to every look at a pull request, so they are asked for once in five minutes. A server that does not
//! know of rulesets, or a token that may not read them, is asked once in an hour; the tracker enforces them all the same.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_ports::TrackerErrorKind;
use http::Method;
use serde::Deserialize;

use crate::client::{Answer, GitHub};
use crate::graphql::page::list;
use crate::layers::lock;

const RULES: &str = "/repos/{owner}/{repo}/rules/branches/{branch}";

/// The kind of rule that names checks.
const REQUIRES_CHECKS: &str = "required_status_checks";

const TOLD_FOR: Duration = Duration::from_mins(5);
const UNTOLD_FOR: Duration = Duration::from_hours(1);

/// Bounds how many branches are remembered.
const KNOWN_MAX: usize = 1_000;

/// A rule of a branch. Most kinds have other parameters, or none.
#[derive(Debug, Deserialize)]
struct RuleWire {
    #[serde(rename = "type", default)]
    kind: String,
    parameters: Option<ParametersWire>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ParametersWire {
    #[serde(deserialize_with = "list")]
    required_status_checks: Vec<RequiredWire>,
}

#[derive(Debug, Deserialize)]
struct RequiredWire {
    context: String,
}

/// A branch of a repository.
type Branch = (RepoSlug, String);

/// What rulesets require of a branch, and until when that counts.
#[derive(Debug)]
struct Kept {
    checks: Vec<String>,
    until: Duration,
}

/// What rulesets require, as far as it is remembered.
#[derive(Debug, Default)]
pub(crate) struct Rulesets {
    known: Mutex<BTreeMap<Branch, Kept>>,
}

impl Rulesets {
    fn find(&self, key: &Branch, now: Duration) -> Option<Vec<String>> {
        let known = lock(&self.known);
        known.get(key).filter(|kept| now < kept.until).map(|kept| kept.checks.clone())
    }

    /// Keeps what was told, or that nothing could be told.
    fn keep(&self, key: Branch, told: Option<Vec<String>>, now: Duration) -> Vec<String> {
        let until = now + if told.is_some() { TOLD_FOR } else { UNTOLD_FOR };
        let checks = told.unwrap_or_default();
        let mut known = lock(&self.known);
        if known.len() >= KNOWN_MAX {
            known.retain(|_, kept| now < kept.until);
        }
        if known.len() < KNOWN_MAX {
            known.insert(key, Kept { checks: checks.clone(), until });
        }
        checks
    }
}

impl GitHub {
    /// Returns the checks that rulesets require of a branch, as far as they can be known.
    pub(crate) async fn required_by_rulesets(&self, repo: &RepoSlug, branch: &str) -> Answer<Vec<String>> {
        let key = (repo.clone(), branch.to_owned());
        let (rulesets, now) = self.rulesets();
        if let Some(known) = rulesets.find(&key, now) {
            return Ok(known);
        }
        let draft = self.call(Method::GET, repo, RULES, &[branch])?;
        let told = match self.list::<RuleWire>(draft).await {
            Ok(rules) => Some(required(rules.value)),
            Err(error) if is_untold(error.kind) => None,
            Err(error) => return Err(error),
        };
        Ok(rulesets.keep(key, told, now))
    }
}

fn is_untold(kind: TrackerErrorKind) -> bool {
    matches!(kind, TrackerErrorKind::Forbidden | TrackerErrorKind::NotFound)
}

fn required(rules: Vec<RuleWire>) -> Vec<String> {
    let naming = rules.into_iter().filter(|rule| rule.kind == REQUIRES_CHECKS);
    let parameters = naming.filter_map(|rule| rule.parameters);
    parameters.flat_map(|found| found.required_status_checks).map(|check| check.context).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_checks_of_all_rulesets_are_required_and_other_rules_name_none() {
        let checks = |names: &[&str]| {
            let named: Vec<_> =
                names.iter().map(|name| json!({ "context": name, "integration_id": 5 })).collect();
            json!({ "type": REQUIRES_CHECKS, "ruleset_id": 1, "parameters": {
                "strict_required_status_checks_policy": true, "required_status_checks": named } })
        };
        let rules = json!([
            { "type": "deletion" },
            checks(&["build", "lint"]),
            { "type": "pull_request", "parameters": { "required_approving_review_count": 1 } },
            { "type": "new_kind", "parameters": { "required_status_checks": null } },
            checks(&["deploy"]),
        ]);
        assert_eq!(required(serde_json::from_value(rules).unwrap()), ["build", "lint", "deploy"]);
    }

    #[test]
    fn what_cannot_be_told_is_asked_for_less_often() {
        let rulesets = Rulesets::default();
        let key = |branch: &str| ("acme/web".parse().unwrap(), branch.to_owned());
        let kept = rulesets.keep(key("main"), Some(vec!["build".to_owned()]), Duration::ZERO);
        assert_eq!(kept, ["build"]);
        assert!(rulesets.keep(key("next"), None, Duration::ZERO).is_empty());
        let find = |branch: &str, seconds| rulesets.find(&key(branch), Duration::from_secs(seconds));
        assert_eq!((find("main", 299), find("main", 300)), (Some(kept), None));
        assert_eq!((find("next", 3_599), find("next", 3_600)), (Some(Vec::new()), None));
    }
}
