//! Plans that wait for people: on the tracker, on the command line, and in Slack.

use serde_json::json;

use crate::relay::scripts::{BUILD, DONE, Scene, StageFile, VALIDATE, script};
use crate::relay::slack::{APP_TOKEN, CHANNEL, SlackServer, TOKEN, Trouble};
use crate::relay::world::{Facts, Setup, World};

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

/// A world whose plans are asked about in Slack, where U0ANA00001 and U0BEN00001 may decide.
async fn slack_world(
    stages: &[StageFile<'_>],
    more: &str,
    scenes: &[Scene<'_>],
) -> (World, SlackServer, u64) {
    let slack = SlackServer::start().await;
    let own = format!(
        "slack: {{api_url: '{}', channel: {CHANNEL}, approvers: [U0ANA00001, U0BEN00001]{}}}\n",
        slack.url,
        if more.contains("socket") { ", socket_mode: true" } else { "" }
    );
    let more = more.replace("socket\n", "");
    let yaml = format!("yolo: true\n{own}{more}");
    let mut world =
        World::new(Setup { yaml: &yaml, stages, script: script(scenes), ..Setup::default() }).await;
    let tokens = format!("BATON_SLACK_TOKEN={TOKEN}\nBATON_SLACK_APP_TOKEN={APP_TOKEN}\n");
    std::fs::write(world.path(".env"), tokens).unwrap();
    world.start_engine();
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    (world, slack, issue)
}

async fn until_posted(world: &World, slack: &SlackServer, count: usize) {
    let what = format!("{count} questions in Slack");
    world.until(&what, async |_| (slack.posts().len() == count).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_on_the_question_approves_and_that_of_a_stranger_does_not() {
    let world = World::running(Setup { stages: &ON_TRACKER, ..Setup::default() }).await;
    let (bea, eve) = (world.person("bea").await, world.stranger("eve"));
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    world.until_issue(issue, "people are asked", is_asked).await;
    let comments = world.get(&format!("/issues/{issue}/comments")).await;
    let is_question = |it: &&serde_json::Value| it["body"].as_str().unwrap().contains("baton:approval=Plan");
    let question = comments.as_array().unwrap().iter().find(is_question).unwrap()["id"].clone();
    let sign = |content: &str| json!({ "content": content });
    let path = format!("/issues/comments/{question}/reactions");
    world.send_as(&eve, "POST", &path, sign("+1")).await;
    world.let_time_pass_from("Build").await;
    assert!(world.facts(issue).await.has(PENDING), "a stranger has no say");
    world.send_as(&bea, "POST", &path, sign("+1")).await;
    world.until_done(issue).await;
    assert_eq!(world.diary().deeds(issue), DEEDS);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_rejects_with_a_reason_that_the_agent_reads_and_then_approves() {
    let again =
        ("stage: Plan, prompt_contains: too large for one", &["say: Smaller.", "marker: complete"][..]);
    let setup = Setup { stages: &ON_TRACKER, script: script(&[again]), ..Setup::default() };
    let world = World::running(setup).await;
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    let name = format!("admin/web#{issue}");
    world.until_issue(issue, "people are asked", is_asked).await;
    let reject = ["reject", &name, "--reason", "too large for one", "--json"];
    let (code, said) = world.run(&reject);
    let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, &answer["outcome"]), (0, &json!("rejected")), "{said}");
    let is_asked_again =
        |facts: &Facts| is_asked(facts) && facts.says("Smaller.") && facts.count("waits for") == 2;
    world.until_issue(issue, "the next plan is asked about", is_asked_again).await;
    let (code, said) = world.run(&["approve", &name]);
    assert_eq!(code, 0, "{said}");
    let facts = world.until_done(issue).await;
    assert!(facts.says("`ann` rejected the plan") && facts.says("> too large for one"), "{facts:#?}");
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Plan stage", "Build stage", "Validate stage"]);
    let (code, said) = world.run(&["approve", &name]);
    assert!(code == 1 && said.contains("no plan waits"), "{code} {said}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_speaks_for_the_account_of_its_token_and_refuses_what_would_not_count() {
    let yaml = "yolo: true\napprovers: [bea]\n";
    let world = World::running(Setup { yaml, stages: &ON_TRACKER, ..Setup::default() }).await;
    world.person("bea").await;
    world.person("cid").await;
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    let name = format!("admin/web#{issue}");
    world.until_issue(issue, "people are asked", is_asked).await;
    let before = world.facts(issue).await.count("the plan");
    for (login, why) in
        [("admin", "`ann` is not among `approvers`"), ("cid", "the account `cid` is not among")]
    {
        let (code, said) = world.run_as(login, &["approve", &name]);
        assert!(code == 1 && said.contains(why), "{login}: {code} {said}");
    }
    let (code, said) = world.run_as("bea", &["approve", &name, "--plan", "0123456789abcdef"]);
    assert!(code == 1 && said.contains("no longer `0123456789abcdef`"), "{code} {said}");
    assert_eq!(world.facts(issue).await.count("the plan"), before, "nothing was written");
    let (code, said) = world.run_as("bea", &["approve", &name]);
    assert!(code == 0 && said.contains("`bea` approves the plan"), "{code} {said}");
    world.until_done(issue).await;
    assert_eq!(world.diary().deeds(issue), DEEDS);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_edited_voids_its_approval_and_is_asked_about_again() {
    // Nothing is looked at between the approval and the edit: the engine is stopped.
    let mut world = World::running(Setup { stages: &ON_TRACKER, ..Setup::default() }).await;
    let bea = world.person("bea").await;
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    world.until_issue(issue, "people are asked", is_asked).await;
    world.stop_engines();
    world.comment_as(&bea, issue, "/approve").await;
    let comments = world.get(&format!("/issues/{issue}/comments")).await;
    let is_plan = |it: &&serde_json::Value| it["body"].as_str().unwrap().contains("stage: Plan");
    let plan = comments.as_array().unwrap().iter().find(is_plan).unwrap().clone();
    let body = format!("{}\n\nAnd delete everything else.", plan["body"].as_str().unwrap());
    world.send("PATCH", &format!("/issues/comments/{}", plan["id"]), json!({ "body": body })).await;
    world.start_engine();
    let is_asked_again = |facts: &Facts| facts.count("waits for") == 2;
    world.until_issue(issue, "the changed plan is asked about", is_asked_again).await;
    world.let_time_pass_from("Build").await;
    assert!(world.facts(issue).await.has(PENDING), "the old approval does not count");
    world.comment_as(&bea, issue, "/approve as it is now").await;
    world.until_done(issue).await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reaction_in_slack_approves_strangers_do_not_count_and_replies_reach_the_agent() {
    let builds: Scene<'_> = (
        "stage: Build, prompt_contains: keep the old colour",
        &["write: {path: amended, text: x}", "commit: 'feat: keep the colour'", "marker: complete"],
    );
    let (world, slack, issue) = slack_world(&IN_SLACK, "", &[builds]).await;
    until_posted(&world, &slack, 1).await;
    let post = &slack.posts()[0];
    assert!(
        post.blocks.to_string().contains("Looked at in Plan") && post.text.contains("admin/web#1"),
        "{post:?}"
    );
    slack.react(0, "U0EVE00001", "white_check_mark");
    slack.reply(0, "U0EVE00001", "delete everything");
    world.let_time_pass_from("Build").await;
    assert!(world.facts(issue).await.has(PENDING), "a stranger has no say");
    slack.reply(0, "U0ANA00001", "keep the old colour");
    slack.react(0, "U0BEN00001", "+1::skin-tone-4");
    let facts = world.until_done(issue).await;
    assert!(
        facts.says("`slack:U0BEN00001` approved the plan") && facts.says("> keep the old colour"),
        "{facts:#?}"
    );
    assert!(!facts.says("delete everything"));
    assert!(world.file("main", "amended").await.is_some(), "the agent was told what was added");
    assert_eq!(slack.posts()[0].text, "The plan was approved by slack:U0BEN00001.");
    assert_eq!((slack.posts().len(), world.diary().deeds(issue)), (1, DEEDS.map(str::to_owned).to_vec()));
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_reactions_the_rejection_wins_and_the_stage_is_run_again_with_the_reason() {
    let again =
        ("stage: Plan, prompt_contains: too large to review", &["say: Smaller.", "marker: complete"][..]);
    let (world, slack, issue) = slack_world(&IN_SLACK, "approvals_required: 2\n", &[again]).await;
    until_posted(&world, &slack, 1).await;
    slack.react(0, "U0ANA00001", "white_check_mark");
    world.let_time_pass_from("Build").await;
    assert!(world.facts(issue).await.has(PENDING), "one of two is not enough");
    slack.reply(0, "U0BEN00001", "too large to review");
    slack.react(0, "U0BEN00001", "+1");
    slack.react(0, "U0BEN00001", "x");
    until_posted(&world, &slack, 2).await;
    assert!(slack.posts()[0].text.contains("rejected by slack:U0BEN00001"), "{:?}", slack.posts()[0]);
    assert!(slack.posts()[1].blocks.to_string().contains("Smaller."));
    slack.react(1, "U0ANA00001", "+1");
    slack.react(1, "U0BEN00001", "heavy_check_mark");
    let facts = world.until_done(issue).await;
    assert!(facts.says("> too large to review"), "{facts:#?}");
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Plan stage", "Build stage", "Validate stage"]);
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_hears_the_same_message_and_a_lost_answer_posts_no_second_one() {
    let (mut world, slack, issue) = slack_world(&IN_SLACK, "", &[]).await;
    slack.trouble(Trouble::DiesAfterPosting);
    until_posted(&world, &slack, 1).await;
    slack.trouble(Trouble::None);
    let asked = slack.calls("reactions.get");
    world
        .until("the message is found again", async |_| (slack.calls("reactions.get") > asked).then_some(()))
        .await;
    world.stop_engines();
    slack.react(0, "U0ANA00001", "thumbsup");
    world.start_engine();
    world.until_done(issue).await;
    assert_eq!((slack.posts().len(), slack.calls("chat.postMessage")), (1, 1));
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_was_deleted_in_slack_is_asked_anew() {
    let (world, slack, issue) = slack_world(&IN_SLACK, "", &[]).await;
    until_posted(&world, &slack, 1).await;
    world.until("the thread was heard", async |_| (slack.calls("reactions.get") > 0).then_some(())).await;
    slack.delete(0);
    let is_posted_again = async |_: &World| (slack.calls("chat.postMessage") == 2).then_some(());
    world.until("it is asked anew", is_posted_again).await;
    slack.react(0, "U0ANA00001", "+1");
    world.until_done(issue).await;
    assert_eq!(world.diary().deeds(issue), DEEDS);
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slack_that_is_away_decides_nothing_is_told_after_five_failures_and_leaves_the_tracker_to_decide() {
    let (mut world, slack, issue) = slack_world(&EITHER, "approval_timeout: 4s\n", &[]).await;
    until_posted(&world, &slack, 1).await;
    slack.trouble(Trouble::Away);
    slack.react(0, "U0ANA00001", "+1");
    world.until("it is told", async |world| world.engine_said("Slack cannot be reached").then_some(())).await;
    assert!(slack.calls("reactions.get") >= 5, "five failures in a row come before");
    let facts = world.facts(issue).await;
    assert!(
        facts.has(PENDING) && !facts.has("baton:paused"),
        "its time is up, and nothing is decided: {facts:?}"
    );
    world.stop_engines();
    world.start_engine();
    let bea = world.person("bea").await;
    world.comment_as(&bea, issue, "/approve").await;
    world.until_done(issue).await;
    assert_eq!(world.diary().deeds(issue), DEEDS);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_changes_voids_the_question_in_slack() {
    let (mut world, slack, issue) = slack_world(&IN_SLACK, "", &[]).await;
    until_posted(&world, &slack, 1).await;
    // Before the engine has heard the thread, it may not have noted the message either.
    world.until("the thread was heard", async |_| (slack.calls("reactions.get") > 0).then_some(())).await;
    world.stop_engines();
    slack.react(0, "U0ANA00001", "+1");
    let comments = world.get(&format!("/issues/{issue}/comments")).await;
    let is_plan = |it: &&serde_json::Value| it["body"].as_str().unwrap().contains("stage: Plan");
    let plan = comments.as_array().unwrap().iter().find(is_plan).unwrap().clone();
    let body = format!("{}\n\nAnd more.", plan["body"].as_str().unwrap());
    world.send("PATCH", &format!("/issues/comments/{}", plan["id"]), json!({ "body": body })).await;
    world.start_engine();
    until_posted(&world, &slack, 2).await;
    assert!(slack.posts()[0].text.contains("void"), "{:?}", slack.posts()[0]);
    world.let_time_pass_from("Build").await;
    assert!(world.facts(issue).await.has(PENDING), "the old approval does not count");
    slack.react(1, "U0ANA00001", "+1");
    world.until_done(issue).await;
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_nobody_decides_about_goes_back_with_the_reason() {
    let (world, slack, issue) = slack_world(&IN_SLACK, "approval_timeout: 3s\n", &[]).await;
    until_posted(&world, &slack, 1).await;
    let is_back = |facts: &Facts| {
        facts.has("agent:implement")
            && facts.has("baton:paused")
            && !facts.has(PENDING)
            && facts.says("Nobody decided about the plan")
    };
    world.until_issue(issue, "its time is up", is_back).await;
    world.until("Slack is told", async |_| slack.posts()[0].text.contains("in time").then_some(())).await;
    slack.kept_the_contract();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_socket_mode_a_reaction_is_heard_long_before_the_next_poll() {
    let (mut world, slack, issue) = slack_world(&IN_SLACK, "socket\n", &[]).await;
    until_posted(&world, &slack, 1).await;
    // From here on polls are too rare to be the reason.
    world.stop_engines();
    let yaml = std::fs::read_to_string(world.path("baton.yaml")).unwrap();
    std::fs::write(world.path("baton.yaml"), yaml.replace("poll: 500ms", "poll: 45s")).unwrap();
    world.start_engine();
    let asked = slack.calls("reactions.get");
    world.until("the thread was heard", async |_| (slack.calls("reactions.get") > asked).then_some(())).await;
    world
        .until("a socket is open", async |_| (slack.calls("apps.connections.open") >= 2).then_some(()))
        .await;
    slack.react(0, "U0ANA00001", "+1");
    world.until_issue(issue, "it is approved", |facts| !facts.has(PENDING)).await;
    world.end().await;
}
