//! Whom a payload names by its facts, read from the whole of it and in another way than the decoder does.

use std::collections::BTreeSet;

use baton_core::board::Subject;
use serde_json::Value;

/// Gives every branch an issue of its own, far from all numbers of the examples.
pub(crate) fn branch_issue(branch: &str) -> Option<u64> {
    let hash = branch.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Some(1_000_000_000 + hash % 1_000_000_000)
}

/// Returns a subject as a word.
pub(crate) fn whom(subject: &Subject) -> String {
    match subject {
        Subject::Issue(key) => format!("issue {}#{}", key.repo, key.number),
        Subject::Pull { repo, number } => format!("pull {repo}#{number}"),
        Subject::Node(node) => format!("node {node}"),
        Subject::Repository(repo) => format!("all {repo}"),
    }
}

/// Returns whom a payload may wake.
pub(crate) fn named(event: &str, payload: &Value) -> BTreeSet<String> {
    let repo = payload["repository"]["full_name"].as_str().unwrap_or_default();
    let of_branch = |branch: &Value| {
        let issue = branch.as_str().and_then(branch_issue);
        issue.map(|issue| format!("issue {repo}#{issue}"))
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match event {
        "issues" | "issue_comment" => of_issue(&payload["issue"], repo).into_iter().collect(),
        "pull_request"
        | "pull_request_review"
        | "pull_request_review_comment"
        | "pull_request_review_thread" => of_pull(&payload["pull_request"], payload),
        "check_run" => list(&payload["check_run"]["pull_requests"])
            .iter()
            .flat_map(|pull| of_pull(pull, payload))
            .collect(),
        "check_suite" => {
            let suite = &payload["check_suite"];
            let pulls = list(&suite["pull_requests"]);
            let of_pulls = pulls.iter().flat_map(|pull| of_pull(pull, payload));
            of_pulls.chain(of_branch(&suite["head_branch"])).collect()
        }
        "status" => {
            list(&payload["branches"]).iter().filter_map(|branch| of_branch(&branch["name"])).collect()
        }
        "push" => {
            let branch = payload["ref"].as_str().and_then(|name| name.strip_prefix("refs/heads/"));
            branch.map(Value::from).iter().filter_map(of_branch).collect()
        }
        "projects_v2_item" => {
            let node = payload["projects_v2_item"]["content_node_id"].as_str();
            node.map(|node| format!("node {node}")).into_iter().collect()
        }
        "label" | "repository" => [format!("all {repo}")].into(),
        _ => BTreeSet::new(),
    }
}

fn of_issue(issue: &Value, repo: &str) -> Option<String> {
    let number = issue["number"].as_u64()?;
    let kind = if issue["pull_request"].is_null() { "issue" } else { "pull" };
    Some(format!("{kind} {repo}#{number}"))
}

fn of_pull(pull: &Value, payload: &Value) -> BTreeSet<String> {
    let repository = &payload["repository"];
    let repo = repository["full_name"].as_str().unwrap_or_default();
    let head = &pull["head"];
    let is_same = match (head["repo"]["id"].as_u64(), repository["id"].as_u64()) {
        (Some(id), Some(own)) => id == own,
        _ => head["repo"]["full_name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(repo)),
    };
    let branch = head["ref"].as_str().filter(|_| is_same).and_then(branch_issue);
    match (branch, pull["number"].as_u64()) {
        (Some(issue), _) => [format!("issue {repo}#{issue}")].into(),
        (None, Some(number)) => [format!("pull {repo}#{number}")].into(),
        (None, None) => BTreeSet::new(),
    }
}
