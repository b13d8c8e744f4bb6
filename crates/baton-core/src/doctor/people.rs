//! Judging how people are asked and told: whether enough of them may approve, and what Slack needs for questions, for telling
//! of reactions, and for notices.

use super::setup::one_line;
use super::{CheckId, Finding};
use crate::pipeline::approval::Approvers;
use crate::pipeline::stage::ApprovalWay;

/// Judges whether plans can be approved at all, given the stages that ask and where.
pub fn approvals(stages: &[(String, ApprovalWay)], approvers: &Approvers) -> Vec<Finding> {
    let check = CheckId::Approvals;
    let mut findings: Vec<_> =
        stages.iter().filter_map(|(stage, way)| short(stage, *way, approvers)).collect();
    if findings.is_empty() {
        let names: Vec<_> = stages.iter().map(|(stage, _)| stage.as_str()).collect();
        findings.push(match names.as_slice() {
            [] => Finding::ok(check, "not used: no stage asks for approval"),
            names => Finding::ok(check, format!("enough people may approve in {}", names.join(", "))),
        });
    }
    findings
}

/// Says of a stage that fewer may approve than must.
fn short(stage: &str, way: ApprovalWay, approvers: &Approvers) -> Option<Finding> {
    let check = CheckId::Approvals;
    let required = approvers.required.max(1) as usize;
    // Without a list, everybody who may write to the repository decides: on the tracker, or through Baton.
    let is_open = approvers.tracker.is_empty();
    if is_open && way != ApprovalWay::Slack {
        return None;
    }
    let count = people(way, approvers);
    // Nobody at all in Slack is told by the check of Slack.
    if count >= required || (is_open && count == 0) {
        return None;
    }
    let begins = format!("{stage} needs {required} approvals (`approvals_required`), and {count} may decide");
    Some(match is_open {
        true => Finding::warn(
            check,
            format!("{begins} in Slack; the rest has to come by `baton approve` or on the dashboard"),
            "name more users under `slack.approvers`, or lower `approvals_required`",
        ),
        false => Finding::fail(
            check,
            format!("{begins}, so that no plan is ever approved"),
            "name more people under `approvers` (and `slack.approvers`), or lower `approvals_required`",
        ),
    })
}

/// Returns how many different people are named; who is named on the tracker may decide through Baton in any case.
fn people(way: ApprovalWay, approvers: &Approvers) -> usize {
    let in_slack = match way {
        ApprovalWay::Tracker => &[][..],
        ApprovalWay::Slack | ApprovalWay::Either => &approvers.slack,
    };
    let names = approvers.tracker.iter().cloned().chain(in_slack.iter().map(|who| who.name()));
    let mut names: Vec<_> = names.map(|name| name.to_ascii_lowercase()).collect();
    names.sort();
    names.dedup();
    names.len()
}

/// What is set for Slack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlackFacts {
    /// The stages whose plans are approved there.
    pub stages: Vec<String>,
    /// Whether there is a token.
    pub has_token: bool,
    /// Whether a channel is named.
    pub has_channel: bool,
    /// Whether anybody may approve.
    pub has_approvers: bool,
    /// Whom Slack takes the token for, or why it does not; nothing when it was not asked.
    pub account: Option<Result<String, String>>,
    /// Whether there is the app's own token; nothing when Socket Mode is off.
    pub app_token: Option<bool>,
    /// Whether there is the address of the incoming webhook; nothing when notices do not go there.
    pub webhook: Option<bool>,
}

/// Judges what is set for Slack.
pub fn slack(facts: &SlackFacts) -> Vec<Finding> {
    let check = CheckId::Slack;
    let mut findings: Vec<_> =
        [questions(facts), facts.app_token.map(socket_mode), facts.webhook.map(notices)]
            .into_iter()
            .flatten()
            .collect();
    if findings.is_empty() {
        findings
            .push(Finding::ok(check, "not used: no stage asks for approval there, and no notice goes there"));
    }
    findings
}

fn socket_mode(has_token: bool) -> Finding {
    let check = CheckId::Slack;
    match has_token {
        true => Finding::ok(check, "Socket Mode has its token"),
        false => Finding::fail(
            check,
            "`slack.socket_mode` is on, and BATON_SLACK_APP_TOKEN is not set, so that no engine starts",
            "add `BATON_SLACK_APP_TOKEN=xapp-…` to .env, or set `slack.socket_mode: false`",
        ),
    }
}

fn notices(has_address: bool) -> Finding {
    let check = CheckId::Slack;
    match has_address {
        true => Finding::ok(check, "notices go to the incoming webhook"),
        false => Finding::fail(
            check,
            "`notify.slack` is on, and BATON_SLACK_WEBHOOK_URL is not set, so that nobody is told there",
            "add `BATON_SLACK_WEBHOOK_URL=https://hooks.slack.com/…` to .env, or set `notify.slack: false`",
        ),
    }
}

fn questions(facts: &SlackFacts) -> Option<Finding> {
    let check = CheckId::Slack;
    if facts.stages.is_empty() {
        return None;
    }
    let stages = facts.stages.join(", ");
    let missing = [
        (facts.has_token, "BATON_SLACK_TOKEN", "`BATON_SLACK_TOKEN=xoxb-…` to .env"),
        (facts.has_channel, "slack.channel", "`slack: {channel: C0123456789}` to baton.yaml"),
        (facts.has_approvers, "slack.approvers", "`slack: {approvers: [U0123456789]}` to baton.yaml"),
    ];
    let missing: Vec<_> = missing.into_iter().filter(|(is_there, ..)| !is_there).collect();
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(|(_, name, _)| *name).collect();
        let fixes: Vec<_> = missing.iter().map(|(_, _, fix)| *fix).collect();
        let found = format!("{stages} asks for approval in Slack, and {} is not set", names.join(", "));
        return Some(Finding::fail(check, found, format!("add {}", fixes.join(" and "))));
    }
    Some(match &facts.account {
        Some(Err(why)) => {
            let found = format!("Slack does not take the token: {}", one_line(why));
            Finding::fail(
                check,
                found,
                "make a new token for the app, with chat:write and reactions:read, and set BATON_SLACK_TOKEN",
            )
        }
        Some(Ok(account)) => Finding::ok(check, format!("{stages} is approved in Slack, as {account}")),
        None => Finding::ok(check, format!("{stages} is approved in Slack; its settings are there")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;
    use crate::pipeline::approval::SlackApprover;

    fn grades(findings: &[Finding]) -> Vec<Grade> {
        findings.iter().map(|finding| finding.grade).collect()
    }

    #[test]
    fn as_many_people_may_approve_as_must() {
        use ApprovalWay::{Either, Slack, Tracker};
        use Grade::{Fail, Ok, Warn};
        for (way, required, tracker, slack, grade) in [
            (Tracker, 1, &[][..], &[][..], Ok),
            (Tracker, 9, &[], &[], Ok),
            (Tracker, 2, &["ann"], &[], Fail),
            (Tracker, 2, &["ann", "Ann"], &[], Fail),
            (Tracker, 2, &["ann", "ben"], &[], Ok),
            (Tracker, 2, &["ann"], &["U1"], Fail),
            (Either, 2, &["ann"], &["U1"], Ok),
            (Either, 2, &["ann"], &["U1=Ann"], Fail),
            (Slack, 2, &["ann"], &["U1"], Ok),
            (Slack, 2, &[], &["U1"], Warn),
            (Slack, 2, &[], &["U1", "U2"], Ok),
            (Slack, 1, &[], &[], Ok),
        ] {
            let approvers = Approvers {
                required,
                tracker: tracker.iter().map(|who: &&str| (*who).to_owned()).collect(),
                slack: slack.iter().map(|who: &&str| SlackApprover::read(who)).collect(),
            };
            let found = approvals(&[("Plan".to_owned(), way)], &approvers);
            assert_eq!(grades(&found), [grade], "{way:?} {required} {tracker:?} {slack:?}");
            assert_eq!(grades(&approvals(&[], &approvers)), [Ok]);
        }
    }

    #[test]
    fn slack_needs_three_settings_and_a_token_that_is_taken() {
        let whole = SlackFacts {
            stages: vec!["Plan".to_owned()],
            has_token: true,
            has_channel: true,
            has_approvers: true,
            ..SlackFacts::default()
        };
        assert_eq!(grades(&slack(&SlackFacts::default())), [Grade::Ok]);
        assert_eq!(grades(&slack(&whole)), [Grade::Ok]);
        for lacking in [
            SlackFacts { has_token: false, ..whole.clone() },
            SlackFacts { has_channel: false, ..whole.clone() },
            SlackFacts { has_approvers: false, ..whole.clone() },
            SlackFacts { account: Some(Err("invalid_auth".to_owned())), ..whole.clone() },
        ] {
            assert_eq!(grades(&slack(&lacking)), [Grade::Fail], "{lacking:?}");
        }
    }

    #[test]
    fn socket_mode_and_notices_need_their_own_secrets_whatever_stages_ask() {
        for (has, grade) in [(true, Grade::Ok), (false, Grade::Fail)] {
            let (app_token, webhook) = (Some(has), Some(has));
            let facts = SlackFacts { app_token, webhook, ..SlackFacts::default() };
            assert_eq!(grades(&slack(&facts)), [grade, grade]);
        }
    }
}
