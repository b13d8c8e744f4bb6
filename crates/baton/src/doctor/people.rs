//! Facts of how people are asked and told: who may approve, what is set for Slack, and Slack's answer.

use std::time::Duration;

use baton_core::doctor::Finding;
use baton_core::doctor::people::{self, SlackFacts};
use baton_core::pipeline::stage::ApprovalWay;
use baton_core::pipeline::{Pipeline, Policy};

use super::within;
use crate::flow::context::Desk;
use crate::flow::notices::WEBHOOK_VARIABLE;
use crate::flow::slack::{APP_TOKEN_VARIABLE, TOKEN_VARIABLE};
use crate::flow::station::given;

/// How long Slack may take to answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);

pub(super) async fn examine(desk: &Desk, pipeline: &Pipeline) -> Vec<Finding> {
    let asking = pipeline.stages().iter().filter_map(|stage| Some((stage.name.clone(), stage.approval?)));
    let asking: Vec<_> = asking.collect();
    let mut findings = people::approvals(&asking, &Policy::of(desk.config()).approvers);
    findings.extend(people::slack(&slack(desk, &asking).await));
    findings
}

async fn slack(desk: &Desk, asking: &[(String, ApprovalWay)]) -> SlackFacts {
    let config = &desk.config().slack;
    let there = asking.iter().filter(|(_, way)| matches!(way, ApprovalWay::Slack | ApprovalWay::Either));
    let token = given(desk, TOKEN_VARIABLE);
    let has = |is_wanted: bool, variable| is_wanted.then(|| given(desk, variable).is_some());
    let mut facts = SlackFacts {
        stages: there.map(|(stage, _)| stage.clone()).collect(),
        has_token: token.is_some(),
        has_channel: config.channel.is_some(),
        has_approvers: !config.approvers.is_empty(),
        account: None,
        app_token: has(config.socket_mode, APP_TOKEN_VARIABLE),
        webhook: has(desk.config().notify.slack, WEBHOOK_VARIABLE),
    };
    if let (false, Some(token)) = (facts.stages.is_empty(), token) {
        facts.account = Some(within(slack_account(&config.api_url, &token)).await);
    }
    facts
}

/// Asks Slack whose token it is.
async fn slack_account(api_url: &str, token: &str) -> Result<String, String> {
    baton_github::install_tls_provider();
    // An error of the network names the address, and never the token, which is in a header.
    let told = |error: reqwest::Error| error.to_string();
    let client = reqwest::Client::builder().timeout(ANSWER_TIME_MAX).build().map_err(told)?;
    let asked = client.post(format!("{api_url}/auth.test")).bearer_auth(token).send().await.map_err(told)?;
    let answer: serde_json::Value = asked.json().await.map_err(told)?;
    match (answer["ok"].as_bool(), answer["user"].as_str(), answer["error"].as_str()) {
        (Some(true), user, _) => Ok(user.unwrap_or("an app").to_owned()),
        (_, _, error) => Err(error.unwrap_or("it answers in words that are none of Slack's").to_owned()),
    }
}
