//! The names of events: those that GitHub knows, and which of them a piece of news is.

use crate::news::What;

/// Every event that a hook may be subscribed to on GitHub. The forge tells some of them; the others can be asked for and
/// never come.
const KNOWN: &[&str] = &[
    "branch_protection_configuration",
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "code_scanning_alert",
    "commit_comment",
    "create",
    "custom_property",
    "custom_property_values",
    "delete",
    "dependabot_alert",
    "deploy_key",
    "deployment",
    "deployment_protection_rule",
    "deployment_review",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "issue_comment",
    "issue_dependencies",
    "issues",
    "label",
    "member",
    "membership",
    "merge_group",
    "meta",
    "milestone",
    "org_block",
    "organization",
    "package",
    "page_build",
    "personal_access_token_request",
    "ping",
    "project",
    "project_card",
    "project_column",
    "projects_v2",
    "projects_v2_item",
    "projects_v2_status_update",
    "public",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "registry_package",
    "release",
    "repository",
    "repository_advisory",
    "repository_dispatch",
    "repository_import",
    "repository_ruleset",
    "repository_vulnerability_alert",
    "secret_scanning_alert",
    "secret_scanning_alert_location",
    "secret_scanning_scan",
    "security_advisory",
    "security_and_analysis",
    "star",
    "status",
    "sub_issues",
    "team",
    "team_add",
    "watch",
    "workflow_dispatch",
    "workflow_job",
    "workflow_run",
];

/// Asks for everything.
pub(crate) const ALL: &str = "*";

pub(crate) fn is_known(name: &str) -> bool {
    name == ALL || KNOWN.contains(&name)
}

/// One event that is told to those who asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) action: Option<&'static str>,
}

const fn of(name: &'static str, action: &'static str) -> Event {
    Event { name, action: Some(action) }
}

const fn plain(name: &'static str) -> Event {
    Event { name, action: None }
}

/// What an issue's news are called. `is_pull` is asked only where it makes a difference.
fn of_issue(action: &'static str, is_pull: impl FnOnce() -> bool) -> Event {
    match action {
        "sub_issue_added" | "sub_issue_removed" | "parent_issue_added" | "parent_issue_removed" => {
            of("sub_issues", action)
        }
        "blocked_by_added" | "blocked_by_removed" | "blocking_added" | "blocking_removed" => {
            of("issue_dependencies", action)
        }
        _ if is_pull() => of("pull_request", action),
        _ => of("issues", action),
    }
}

/// Lists the events that a piece of news is, in the order in which they are told.
pub(crate) fn events_of(what: &What, is_pull: impl FnOnce(i64) -> bool) -> Vec<Event> {
    match what {
        What::Issue { issue_id, action, .. } => vec![of_issue(action, || is_pull(*issue_id))],
        What::Comment { action, .. } => vec![of("issue_comment", action)],
        What::Review { action, .. } => vec![of("pull_request_review", action)],
        What::ReviewComment { action, .. } => vec![of("pull_request_review_comment", action)],
        What::ReviewThread { action, .. } => vec![of("pull_request_review_thread", action)],
        What::CheckSuite { action, .. } => vec![of("check_suite", action)],
        What::CheckRun { action, .. } => vec![of("check_run", action)],
        What::Status { .. } => vec![plain("status")],
        What::Push { name, before, after, .. } => of_push(name, before.is_some(), after.is_some()),
        What::Label { action, .. } => vec![of("label", action)],
        What::Milestone { action, .. } => vec![of("milestone", action)],
        What::Project { action, .. } => vec![of("projects_v2", action)],
        What::ProjectItem { action, .. } => vec![of("projects_v2_item", action)],
        What::Ping { .. } => vec![plain("ping")],
        What::TestPush { .. } => vec![plain("push")],
        What::Protection => Vec::new(),
    }
}

/// Refs other than branches and tags are nobody's business.
fn of_push(name: &str, was_there: bool, is_there: bool) -> Vec<Event> {
    if !name.starts_with("refs/heads/") && !name.starts_with("refs/tags/") {
        return Vec::new();
    }
    match (was_there, is_there) {
        (false, true) => vec![plain("create"), plain("push")],
        (true, false) => vec![plain("delete"), plain("push")],
        _ => vec![plain("push")],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn names(what: &What, is_pull: bool) -> Vec<String> {
        let shown = |event: &Event| match event.action {
            Some(action) => format!("{}.{action}", event.name),
            None => event.name.to_owned(),
        };
        events_of(what, |_| is_pull).iter().map(shown).collect()
    }

    #[test]
    fn an_issues_news_are_named_after_what_it_is_and_what_happened() {
        let check = |action, is_pull, expected: &str| {
            let what = What::Issue { issue_id: 1, action, detail: Value::Null };
            assert_eq!(names(&what, is_pull), [expected]);
        };
        check("labeled", false, "issues.labeled");
        check("labeled", true, "pull_request.labeled");
        check("sub_issue_added", false, "sub_issues.sub_issue_added");
        check("blocking_removed", false, "issue_dependencies.blocking_removed");
    }

    #[test]
    fn a_branch_that_comes_or_goes_is_told_as_such_and_as_a_push() {
        let push = |name: &str, before: bool, after: bool| {
            let oid = |is_there: bool| is_there.then(|| "0".repeat(40));
            let what =
                What::Push { name: name.to_owned(), before: oid(before), after: oid(after), forced: false };
            names(&what, false)
        };
        assert_eq!(push("refs/heads/main", false, true), ["create", "push"]);
        assert_eq!(push("refs/tags/v1", true, false), ["delete", "push"]);
        assert_eq!(push("refs/heads/main", true, true), ["push"]);
        assert!(push("refs/pull/1/head", true, true).is_empty());
    }

    #[test]
    fn every_event_that_the_forge_tells_can_be_asked_for() {
        for name in ["issues", "pull_request_review_thread", "projects_v2_item", "sub_issues", "push", ALL] {
            assert!(is_known(name), "{name}");
        }
        assert!(!is_known("issue") && !is_known(""));
    }
}
