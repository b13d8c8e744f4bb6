//! Plans that wait for people: on the tracker, on the command line, and in Slack.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::relay::scripts::{BUILD, DONE, Scene, StageFile, VALIDATE, script};
use crate::relay::setup::{Facts, Relay, Setup};
use crate::relay::slack::{APP_TOKEN, CHANNEL, SlackServer, TOKEN, Trouble};

const PENDING: &str = "agent:plan-pending-approval";
const DEEDS: [&str; 3] = ["Plan stage", "Build stage", "Validate stage"];

const fn plan(more: &str) -> StageFile<'_> {
    ("Plan", 1, more)
}

const ON_TRACKER: [StageFile<'_>; 4] = [plan("read_only: true\napproval: tracker"), BUILD, VALIDATE, DONE];
const IN_SLACK: [StageFile<'_>; 4] = [plan("read_only: true\napproval: slack"), BUILD, VALIDATE, DONE];
const EITHER: [StageFile<'_>; 4] = [plan("read_only: true\napproval: either"), BUILD, VALIDATE, DONE];

fn is_asked(facts: &Facts) -> bool {
    facts.has(PENDING) && facts.says("waits for")
}

/// A relay whose plans are asked about in Slack, where U0ANA00001 and U0BEN00001 may decide.
async fn slack_relay(
    stages: &[StageFile<'_>],
    more: &str,
    scenes: &[Scene<'_>],
) -> (Relay, SlackServer, u64) {
    let slack = SlackServer::start().await;
    let own = format!(
        "slack: {{api_url: '{}', channel: {CHANNEL}, approvers: [U0ANA00001, U0BEN00001]{}}}\n",
        slack.url,
        if more.contains("socket") { ", socket_mode: true" } else { "" }
    );
    let more = more.replace("socket\n", "");
    let yaml = format!("yolo: true\n{own}{more}");
    let mut relay =
        Relay::new(Setup { yaml: &yaml, stages, script: script(scenes), ..Setup::default() }).await;
    let tokens = format!("BATON_SLACK_TOKEN={TOKEN}\nBATON_SLACK_APP_TOKEN={APP_TOKEN}\n");
    relay.env.write(".env", &tokens);
    relay.start_engine();
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    (relay, slack, issue)
}

async fn comment_with(relay: &Relay, issue: u64, text: &str) -> Value {
    let comments = relay.repo.comments(issue).await;
    comments.into_iter().find(|it| it["body"].as_str().unwrap().contains(text)).unwrap()
}

async fn until_posted(relay: &Relay, slack: &SlackServer, count: usize) {
    let what = format!("{count} questions in Slack");
    relay.until(&what, async || (slack.posts().len() == count).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_on_the_question_approves_and_that_of_a_stranger_does_not() {
    let relay = Relay::running(Setup { stages: &ON_TRACKER, ..Setup::default() }).await;
    let (bea, eve) = (relay.person("bea").await, relay.stranger("eve"));
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    relay.until_issue(issue, "people are asked", is_asked).await;
    let question = comment_with(&relay, issue, "baton:approval=Plan").await["id"].clone();
    let sign = |content: &str| json!({ "content": content });
    let path = format!("/issues/comments/{question}/reactions");
    eve.send("POST", &path, sign("+1")).await;
    relay.let_time_pass_from("Build").await;
    assert!(relay.facts(issue).await.has(PENDING), "a stranger has no say");
    bea.send("POST", &path, sign("+1")).await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), DEEDS);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_rejects_with_a_reason_that_the_agent_reads_and_then_approves() {
    let again =
        ("stage: Plan, prompt_contains: too large for one", &["say: Smaller.", "marker: complete"][..]);
    let setup = Setup { stages: &ON_TRACKER, script: script(&[again]), ..Setup::default() };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    let name = format!("admin/web#{issue}");
    relay.until_issue(issue, "people are asked", is_asked).await;
    let reject = ["reject", &name, "--reason", "too large for one", "--json"];
    assert_eq!(relay.env.run(&reject).exits(0).json()["outcome"], "rejected");
    let is_asked_again =
        |facts: &Facts| is_asked(facts) && facts.says("Smaller.") && facts.count("waits for") == 2;
    relay.until_issue(issue, "the next plan is asked about", is_asked_again).await;
    relay.env.run(&["approve", &name]).exits(0);
    let facts = relay.until_done(issue).await;
    assert!(facts.says("`ann` rejected the plan") && facts.says("> too large for one"), "{facts:#?}");
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan stage", "Build stage", "Validate stage"]);
    relay.env.run(&["approve", &name]).exits(1).says("no plan waits");
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_speaks_for_the_account_of_its_token_and_refuses_what_would_not_count() {
    let yaml = "yolo: true\napprovers: [bea]\n";
    let relay = Relay::running(Setup { yaml, stages: &ON_TRACKER, ..Setup::default() }).await;
    relay.person("bea").await;
    relay.person("cid").await;
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    let name = format!("admin/web#{issue}");
    relay.until_issue(issue, "people are asked", is_asked).await;
    let before = relay.facts(issue).await.count("the plan");
    let by = |login: &str| {
        let token = relay.forge.token(&["--user", login, "--role", "write"]);
        relay.env.clone().with("BATON_TOKEN", &token)
    };
    for (login, why) in
        [("admin", "`ann` is not among `approvers`"), ("cid", "the account `cid` is not among")]
    {
        by(login).run(&["approve", &name]).exits(1).says(why);
    }
    let other_plan = by("bea").run(&["approve", &name, "--plan", "0123456789abcdef"]);
    other_plan.exits(1).says("no longer `0123456789abcdef`");
    assert_eq!(relay.facts(issue).await.count("the plan"), before, "nothing was written");
    by("bea").run(&["approve", &name]).exits(0).says("`bea` approves the plan");
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), DEEDS);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_edited_voids_its_approval_and_is_asked_about_again() {
    // Nothing is looked at between the approval and the edit: the engine is stopped.
    let mut relay = Relay::running(Setup { stages: &ON_TRACKER, ..Setup::default() }).await;
    let bea = relay.person("bea").await;
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    relay.until_issue(issue, "people are asked", is_asked).await;
    relay.stop_engine();
    bea.comment(issue, "/approve").await;
    let plan = comment_with(&relay, issue, "stage: Plan").await;
    let body = format!("{}\n\nAnd delete everything else.", plan["body"].as_str().unwrap());
    relay.repo.send("PATCH", &format!("/issues/comments/{}", plan["id"]), json!({ "body": body })).await;
    relay.start_engine();
    let is_asked_again = |facts: &Facts| facts.count("waits for") == 2;
    relay.until_issue(issue, "the changed plan is asked about", is_asked_again).await;
    relay.let_time_pass_from("Build").await;
    assert!(relay.facts(issue).await.has(PENDING), "the old approval does not count");
    bea.comment(issue, "/approve as it is now").await;
    relay.until_done(issue).await;
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reaction_in_slack_approves_strangers_do_not_count_and_replies_reach_the_agent() {
    let builds: Scene<'_> = (
        "stage: Build, prompt_contains: keep the old colour",
        &["write: {path: amended, text: x}", "commit: 'feat: keep the colour'", "marker: complete"],
    );
    let (relay, slack, issue) = slack_relay(&IN_SLACK, "", &[builds]).await;
    until_posted(&relay, &slack, 1).await;
    let post = &slack.posts()[0];
    assert!(
        post.blocks.to_string().contains("Looked at in Plan") && post.text.contains("admin/web#1"),
        "{post:?}"
    );
    slack.react(0, "U0EVE00001", "white_check_mark");
    slack.reply(0, "U0EVE00001", "delete everything");
    relay.let_time_pass_from("Build").await;
    assert!(relay.facts(issue).await.has(PENDING), "a stranger has no say");
    slack.reply(0, "U0ANA00001", "keep the old colour");
    slack.react(0, "U0BEN00001", "+1::skin-tone-4");
    let facts = relay.until_done(issue).await;
    assert!(
        facts.says("`slack:U0BEN00001` approved the plan") && facts.says("> keep the old colour"),
        "{facts:#?}"
    );
    assert!(!facts.says("delete everything"));
    assert!(relay.repo.file("main", "amended").await.is_some(), "the agent was told what was added");
    assert_eq!(slack.posts()[0].text, "The plan was approved by slack:U0BEN00001.");
    assert_eq!((slack.posts().len(), relay.diary().deeds(issue)), (1, DEEDS.map(str::to_owned).to_vec()));
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_reactions_the_rejection_wins_and_the_stage_is_run_again_with_the_reason() {
    let again =
        ("stage: Plan, prompt_contains: too large to review", &["say: Smaller.", "marker: complete"][..]);
    let (relay, slack, issue) = slack_relay(&IN_SLACK, "approvals_required: 2\n", &[again]).await;
    until_posted(&relay, &slack, 1).await;
    slack.react(0, "U0ANA00001", "white_check_mark");
    relay.let_time_pass_from("Build").await;
    assert!(relay.facts(issue).await.has(PENDING), "one of two is not enough");
    slack.reply(0, "U0BEN00001", "too large to review");
    slack.react(0, "U0BEN00001", "+1");
    slack.react(0, "U0BEN00001", "x");
    until_posted(&relay, &slack, 2).await;
    assert!(slack.posts()[0].text.contains("rejected by slack:U0BEN00001"), "{:?}", slack.posts()[0]);
    assert!(slack.posts()[1].blocks.to_string().contains("Smaller."));
    slack.react(1, "U0ANA00001", "+1");
    slack.react(1, "U0BEN00001", "heavy_check_mark");
    let facts = relay.until_done(issue).await;
    assert!(facts.says("> too large to review"), "{facts:#?}");
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan stage", "Build stage", "Validate stage"]);
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_hears_the_same_message_and_a_lost_answer_posts_no_second_one() {
    let (mut relay, slack, issue) = slack_relay(&IN_SLACK, "", &[]).await;
    slack.trouble(Trouble::DiesAfterPosting);
    until_posted(&relay, &slack, 1).await;
    slack.trouble(Trouble::None);
    let asked = slack.calls("reactions.get");
    relay
        .until("the message is found again", async || (slack.calls("reactions.get") > asked).then_some(()))
        .await;
    relay.stop_engine();
    slack.react(0, "U0ANA00001", "thumbsup");
    relay.start_engine();
    relay.until_done(issue).await;
    assert_eq!((slack.posts().len(), slack.calls("chat.postMessage")), (1, 1));
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_was_deleted_in_slack_is_asked_anew() {
    let (relay, slack, issue) = slack_relay(&IN_SLACK, "", &[]).await;
    until_posted(&relay, &slack, 1).await;
    relay.until("the thread was heard", async || (slack.calls("reactions.get") > 0).then_some(())).await;
    slack.delete(0);
    let is_posted_again = async || (slack.calls("chat.postMessage") == 2).then_some(());
    relay.until("it is asked anew", is_posted_again).await;
    slack.react(0, "U0ANA00001", "+1");
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), DEEDS);
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slack_that_is_away_decides_nothing_is_told_after_five_failures_and_leaves_the_tracker_to_decide() {
    let (mut relay, slack, issue) = slack_relay(&EITHER, "approval_timeout: 4s\n", &[]).await;
    // It goes by itself, so that it is away before the time is up, however slow this test is.
    slack.trouble(Trouble::AwayAfterPosting);
    until_posted(&relay, &slack, 1).await;
    let posted = Instant::now();
    slack.react(0, "U0ANA00001", "+1");
    let is_told = async || relay.engine_log().contains("Slack cannot be reached").then_some(());
    relay.until("it is told", is_told).await;
    assert!(slack.calls("reactions.get") >= 5, "five failures in a row come before");
    relay.until("its time is up", async || (posted.elapsed() > Duration::from_secs(6)).then_some(())).await;
    let asked = slack.calls("reactions.get");
    relay.until("it is asked again", async || (slack.calls("reactions.get") > asked).then_some(())).await;
    let facts = relay.facts(issue).await;
    assert!(
        facts.has(PENDING) && !facts.has("baton:paused"),
        "its time is up, and nothing is decided: {facts:?}"
    );
    relay.stop_engine();
    relay.start_engine();
    let bea = relay.person("bea").await;
    bea.comment(issue, "/approve").await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), DEEDS);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_changes_voids_the_question_in_slack() {
    let (mut relay, slack, issue) = slack_relay(&IN_SLACK, "", &[]).await;
    until_posted(&relay, &slack, 1).await;
    // Before the engine has heard the thread, it may not have noted the message either.
    relay.until("the thread was heard", async || (slack.calls("reactions.get") > 0).then_some(())).await;
    relay.stop_engine();
    slack.react(0, "U0ANA00001", "+1");
    let plan = comment_with(&relay, issue, "stage: Plan").await;
    let body = format!("{}\n\nAnd more.", plan["body"].as_str().unwrap());
    relay.repo.send("PATCH", &format!("/issues/comments/{}", plan["id"]), json!({ "body": body })).await;
    relay.start_engine();
    until_posted(&relay, &slack, 2).await;
    assert!(slack.posts()[0].text.contains("void"), "{:?}", slack.posts()[0]);
    relay.let_time_pass_from("Build").await;
    assert!(relay.facts(issue).await.has(PENDING), "the old approval does not count");
    slack.react(1, "U0ANA00001", "+1");
    relay.until_done(issue).await;
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_nobody_decides_about_goes_back_with_the_reason() {
    let (relay, slack, issue) = slack_relay(&IN_SLACK, "approval_timeout: 10s\n", &[]).await;
    until_posted(&relay, &slack, 1).await;
    let is_back = |facts: &Facts| {
        facts.has("agent:implement")
            && facts.has("baton:paused")
            && !facts.has(PENDING)
            && facts.says("Nobody decided about the plan")
    };
    relay.until_issue(issue, "its time is up", is_back).await;
    relay.until("Slack is told", async || slack.posts()[0].text.contains("in time").then_some(())).await;
    slack.kept_the_contract();
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_socket_mode_a_reaction_is_heard_long_before_the_next_poll() {
    let (mut relay, slack, issue) = slack_relay(&IN_SLACK, "socket\n", &[]).await;
    until_posted(&relay, &slack, 1).await;
    // From here on polls are too rare to be the reason.
    relay.stop_engine();
    let rare = relay.env.read("baton.yaml").replace("poll: 500ms", "poll: 10min\nreconcile_every: 10min");
    relay.env.write("baton.yaml", &rare);
    relay.start_engine();
    let asked = slack.calls("reactions.get");
    relay.until("the thread was heard", async || (slack.calls("reactions.get") > asked).then_some(())).await;
    relay.until("a socket is open", async || (slack.calls("apps.connections.open") >= 2).then_some(())).await;
    slack.react(0, "U0ANA00001", "+1");
    relay.until_issue(issue, "it is approved", |facts| !facts.has(PENDING)).await;
    relay.end().await;
}
