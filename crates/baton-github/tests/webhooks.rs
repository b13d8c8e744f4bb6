//! What each event of GitHub's webhooks is news of, and what is made of payloads that nobody should send.

#![expect(clippy::unwrap_used, reason = "a test program: it fails where it stands")]

use baton_core::board::{Happening, News, Subject};
use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::names::issue_of_branch;
use baton_github::webhooks::{DecodeError, decode};
use serde_json::{Value, json};

fn read(event: &str, payload: &[u8]) -> Result<Vec<News>, DecodeError> {
    decode(event, payload, &|branch| issue_of_branch(PipelineDialect::Baton, branch))
}

/// Reads a payload in the repository acme/web.
fn news(event: &str, mut payload: Value) -> Vec<(Subject, Happening)> {
    if payload.get("repository").is_none() {
        payload["repository"] = json!({ "id": 1, "full_name": "acme/web" });
    }
    let news =
        read(event, payload.to_string().as_bytes()).unwrap_or_else(|error| panic!("{payload}: {error}"));
    news.into_iter().map(|News { about, what }| (about, what)).collect()
}

fn issue(number: u64) -> Subject {
    Subject::Issue(IssueKey { repo: "acme/web".parse().unwrap(), number })
}

fn pull(number: u64) -> Subject {
    Subject::Pull { repo: "acme/web".parse().unwrap(), number }
}

fn all() -> Subject {
    Subject::Repository("acme/web".parse().unwrap())
}

#[test]
fn the_actions_of_issues_are_news_of_that_issue() {
    let label = || "stage:Plan:complete".to_owned();
    for (action, expected) in [
        ("opened", Some(Happening::Appeared)),
        ("closed", Some(Happening::Closed)),
        ("reopened", Some(Happening::Reopened)),
        ("transferred", Some(Happening::Removed)),
        ("deleted", Some(Happening::Removed)),
        ("edited", Some(Happening::Edited)),
        ("assigned", Some(Happening::Assigned)),
        ("unassigned", Some(Happening::Assigned)),
        ("labeled", Some(Happening::Labelled(label()))),
        ("unlabeled", Some(Happening::Unlabelled(label()))),
        ("milestoned", None),
        ("demilestoned", None),
        ("locked", None),
        ("unlocked", None),
        ("pinned", None),
        ("unpinned", None),
        ("invented", None),
    ] {
        let payload = json!({ "action": action, "issue": { "number": 7 }, "label": { "name": label() } });
        let expected: Vec<_> = expected.into_iter().map(|what| (issue(7), what)).collect();
        assert_eq!(news("issues", payload), expected, "{action}");
    }
}

#[test]
fn a_new_comment_is_news_and_one_that_is_edited_or_deleted_is_not() {
    let comment = |action, issue: Value| news("issue_comment", json!({ "action": action, "issue": issue }));
    assert_eq!(comment("created", json!({ "number": 7 })), [(issue(7), Happening::Commented)]);
    assert_eq!(
        comment("created", json!({ "number": 7, "pull_request": null })),
        [(issue(7), Happening::Commented)]
    );
    let on_pull = json!({ "number": 12, "pull_request": { "url": "" } });
    assert_eq!(comment("created", on_pull), [(pull(12), Happening::Commented)]);
    for action in ["edited", "deleted"] {
        assert_eq!(comment(action, json!({ "number": 7 })), []);
    }
}

fn pull_from(branch: &str, repo: Value) -> Value {
    json!({ "number": 12, "head": { "ref": branch, "repo": repo }, "base": { "ref": "main", "repo": { "id": 1 } } })
}

#[test]
fn a_pull_request_is_the_issues_whose_branch_of_the_same_repository_it_comes_from() {
    for (branch, repo, expected) in [
        ("baton/issue-7", json!({ "id": 1, "full_name": "acme/web" }), issue(7)),
        ("baton/issue-7", json!({ "id": 1, "full_name": "acme/renamed" }), issue(7)),
        ("baton/issue-7", json!({ "full_name": "Acme/Web" }), issue(7)),
        ("baton/issue-7", json!({ "id": 2, "full_name": "acme/web" }), pull(12)),
        ("baton/issue-7", json!({ "id": 2, "full_name": "mallory/web" }), pull(12)),
        ("baton/issue-7", json!({}), pull(12)),
        ("baton/issue-7", Value::Null, pull(12)),
        ("fix-#7", json!({ "id": 1 }), pull(12)),
        ("baton/issue-07", json!({ "id": 1 }), pull(12)),
    ] {
        let payload = json!({ "action": "synchronize", "pull_request": pull_from(branch, repo.clone()) });
        assert_eq!(news("pull_request", payload), [(expected, Happening::PullChanged)], "{branch} {repo}");
    }
}

#[test]
fn the_actions_of_pull_requests_that_can_open_or_close_a_gate_are_news() {
    for (event, told, untold) in [
        (
            "pull_request",
            &[
                "opened",
                "closed",
                "reopened",
                "synchronize",
                "ready_for_review",
                "converted_to_draft",
                "review_requested",
                "review_request_removed",
                "auto_merge_enabled",
                "auto_merge_disabled",
            ][..],
            &["labeled", "unlabeled", "assigned", "unassigned", "edited", "locked", "invented"][..],
        ),
        ("pull_request_review", &["submitted", "edited", "dismissed"], &["invented"]),
        ("pull_request_review_comment", &["created"], &["edited", "deleted"]),
        ("pull_request_review_thread", &["resolved", "unresolved"], &["invented"]),
    ] {
        let of = |action: &str| {
            let pull = pull_from("baton/issue-7", json!({ "id": 1 }));
            news(event, json!({ "action": action, "pull_request": pull }))
        };
        for action in told {
            assert_eq!(of(action), [(issue(7), Happening::PullChanged)], "{event} {action}");
        }
        for action in untold {
            assert_eq!(of(action), [], "{event} {action}");
        }
    }
    let pull = pull_from("baton/issue-7", json!({ "id": 1 }));
    let retargeted =
        json!({ "action": "edited", "pull_request": pull, "changes": { "base": { "ref": {} } } });
    assert_eq!(news("pull_request", retargeted), [(issue(7), Happening::PullChanged)]);
}

#[test]
fn the_end_of_a_check_is_news_of_the_branches_and_pulls_that_it_names() {
    let own = pull_from("baton/issue-7", json!({ "id": 1 }));
    let mut foreign = pull_from("baton/issue-8", json!({ "id": 2 }));
    foreign["number"] = json!(13);
    let mut elsewhere = pull_from("baton/issue-9", json!({ "id": 1 }));
    elsewhere["base"]["repo"]["id"] = json!(3);
    let pulls = json!([own, foreign, elsewhere, own]);
    let expected = [(issue(7), Happening::Checked), (pull(13), Happening::Checked)];
    let run = |action| json!({ "action": action, "check_run": { "pull_requests": pulls, "name": "baton/issue-5" } });
    assert_eq!(news("check_run", run("completed")), expected);
    for action in ["created", "rerequested", "requested_action"] {
        assert_eq!(news("check_run", run(action)), []);
    }
    let suite = json!({ "head_branch": "baton/issue-6", "pull_requests": pulls });
    let of_suite = news("check_suite", json!({ "action": "completed", "check_suite": suite }));
    assert_eq!(of_suite[0], (issue(6), Happening::Checked));
    assert_eq!(of_suite[1..], expected);
    let bare = json!({ "head_branch": null, "pull_requests": null });
    assert_eq!(news("check_suite", json!({ "action": "completed", "check_suite": bare })), []);
}

#[test]
fn a_status_is_news_of_the_branches_that_end_in_its_commit() {
    let status = |state| {
        let branches =
            ["main", "baton/issue-7", "baton/issue-8", "baton/issue-7"].map(|name| json!({ "name": name }));
        news("status", json!({ "state": state, "branches": branches }))
    };
    assert_eq!(status("success"), [(issue(7), Happening::Checked), (issue(8), Happening::Checked)]);
    assert_eq!(status("failure").len(), 2);
    assert_eq!(status("pending"), []);
}

#[test]
fn a_push_is_news_of_the_issue_whose_branch_moved() {
    let push = |name: &str| news("push", json!({ "ref": name }));
    assert_eq!(push("refs/heads/baton/issue-7"), [(issue(7), Happening::PullChanged)]);
    for other in ["refs/heads/main", "refs/tags/baton/issue-7", "baton/issue-7"] {
        assert_eq!(push(other), [], "{other}");
    }
}

#[test]
fn an_item_of_a_board_is_news_of_its_issue() {
    let item = |action: &str, kind: &str, changes: Value| {
        let item = json!({ "node_id": "PVTI_1", "content_node_id": "I_7", "content_type": kind });
        news("projects_v2_item", json!({ "action": action, "projects_v2_item": item, "changes": changes }))
    };
    let node = || Subject::Node("I_7".to_owned());
    for (action, expected) in [
        ("created", Some(Happening::Appeared)),
        ("restored", Some(Happening::Appeared)),
        ("converted", Some(Happening::Appeared)),
        ("edited", Some(Happening::Moved)),
        ("archived", Some(Happening::Moved)),
        ("deleted", Some(Happening::Moved)),
        ("reordered", None),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|what| (node(), what)).collect();
        assert_eq!(item(action, "Issue", Value::Null), expected, "{action}");
        assert_eq!(item(action, "PullRequest", Value::Null), []);
        assert_eq!(item(action, "DraftIssue", Value::Null), []);
    }
    let edited = |kind| item("edited", "Issue", json!({ "field_value": { "field_type": kind } }));
    assert_eq!(edited("single_select"), [(node(), Happening::Moved)]);
    assert_eq!(edited("date"), [], "a date is no column");
}

#[test]
fn links_between_issues_are_news_of_those_that_they_make_wait_or_part_of_another() {
    let other = || json!({ "full_name": "acme/api" });
    let elsewhere = Subject::Issue("acme/api#3".parse().unwrap());
    let sub = json!({
        "action": "sub_issue_added", "sub_issue": { "number": 3 }, "sub_issue_repo": other(), "parent_issue": { "number": 7 },
    });
    let expected = [(elsewhere.clone(), Happening::Relinked), (issue(7), Happening::Relinked)];
    assert_eq!(news("sub_issues", sub), expected);
    let blocked = json!({
        "action": "blocked_by_added", "blocked_issue": { "number": 7 }, "blocking_issue": { "number": 3 },
        "blocking_issue_repo": other(),
    });
    assert_eq!(news("issue_dependencies", blocked), [(issue(7), Happening::Relinked)]);
    let blocking = json!({
        "action": "blocking_removed", "blocked_issue": { "number": 3 }, "blocked_issue_repo": other(),
        "blocking_issue": { "number": 7 },
    });
    assert_eq!(news("issue_dependencies", blocking), [(elsewhere, Happening::Relinked)]);
}

#[test]
fn what_concerns_all_issues_of_a_repository_says_so() {
    let label = |action, changes: Value| {
        news("label", json!({ "action": action, "label": { "name": "x" }, "changes": changes }))
    };
    assert_eq!(label("deleted", Value::Null), [(all(), Happening::Edited)]);
    assert_eq!(label("edited", json!({ "name": { "from": "y" } })), [(all(), Happening::Edited)]);
    assert_eq!(label("edited", json!({ "color": { "from": "y" } })), []);
    assert_eq!(label("created", Value::Null), []);
    for (action, is_news) in [("renamed", true), ("archived", true), ("publicized", false), ("edited", false)]
    {
        assert_eq!(news("repository", json!({ "action": action })).len(), usize::from(is_news), "{action}");
    }
}

#[test]
fn events_that_are_of_no_interest_are_not_even_read() {
    for event in ["star", "workflow_job", "ping", "invented", "", "ISSUES"] {
        assert_eq!(read(event, b"\xff not even text").unwrap(), []);
    }
}

#[test]
fn what_is_not_a_payload_is_refused() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let with = |field: &str, value: &str| {
        format!(r#"{{"action":"opened","repository":{{"full_name":"acme/web"}},"{field}":{value}}}"#)
    };
    for payload in [
        "".to_owned(),
        "null".to_owned(),
        "7".to_owned(),
        "[]".to_owned(),
        r#"{"action":"opened""#.to_owned(),
        r#"{"action":"opened"}"#.to_owned(),
        deep(1_000_000),
        with("issue", "7"),
        with("issue", "{}"),
        with("issue", "[7]"),
        with("issue", r#"{"number":"7"}"#),
        with("issue", r#"{"number":-7}"#),
        with("issue", r#"{"number":7.5}"#),
        with("issue", r#"{"number":18446744073709551616}"#),
        with("issue", &deep(1_000_000)),
        r#"{"action":"opened","issue":{"number":7}}"#.to_owned(),
        r#"{"action":"opened","issue":{"number":7},"repository":{"full_name":"../../etc"}}"#.to_owned(),
        r#"{"action":["opened"],"issue":{"number":7},"repository":{"full_name":"acme/web"}}"#.to_owned(),
        format!(
            r#"{{"action":"labeled","issue":{{"number":7}},"repository":{{"full_name":"acme/web"}},"label":{{"name":"{}"}}}}"#,
            "x".repeat(1_000_000)
        ),
    ] {
        let start: String = payload.chars().take(80).collect();
        assert!(read("issues", payload.as_bytes()).is_err(), "{start}");
    }
    assert!(matches!(read("issues", b"{\"action\":\"\xff\"}"), Err(DecodeError::NotUtf8(_))));
}

#[test]
fn what_a_payload_has_besides_does_not_matter() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let payload = format!(
        r#"{{"action":"closed","issue":{{"number":7,"body":"Closes #9","labels":3}},"label":3,"sender":{deep},
        "repository":{{"full_name":"acme/web","owner":null}},"pull_request":"baton/issue-9"}}"#
    );
    let read = read("issues", payload.as_bytes()).unwrap();
    assert_eq!(read, [News { about: issue(7), what: Happening::Closed }]);
}
