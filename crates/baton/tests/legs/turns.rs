//! Limits of turns, sessions, and what a run took.

use serde_json::json;

use crate::legs::setup::Setup;

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_cut_off_while_it_got_somewhere_goes_on_with_its_session() {
    let script = "scenes:
  - when: {stage: Implement}
    do:
      - log: agents.log
      - turn
      - append: {path: half.txt, text: more}
      - commit: 'feat: more'
      - hit_turn_limit
";
    let setup = Setup::with_script(script).await;
    setup.work(&json!({ "stage": "Implement" }));
    let invocations = setup.log(1).matches("\"subtype\":\"init\"").count();
    assert_eq!(invocations, 3, "two more shares, and no fourth: {}", setup.log(1));
    assert_eq!(setup.file("half.txt").await.as_deref(), Some("moremoremore"));
    let sessions: std::collections::BTreeSet<_> = setup.log(1).lines().filter_map(session).collect();
    assert_eq!(sessions.len(), 1, "all in one session: {sessions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_cut_off_and_got_nowhere_is_given_no_more() {
    let setup = Setup::with_script("scenes: [{do: [turn, hit_turn_limit]}]\n").await;
    setup.work(&json!({ "stage": "Implement" }));
    assert_eq!(setup.log(1).matches("\"subtype\":\"init\"").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_shares_of_a_run_have_one_wall_time_and_one_log() {
    let script = "scenes:
  - do: [turn, {append: {path: a.txt, text: x}}, {commit: more}, {flood: 15000}, {sleep: 700ms}, hit_turn_limit]
";
    let setup = Setup::with_script(script).await;
    setup.configure(
        "max_wall_time: 1s\nlog_cap_bytes: 20000\nagents:\n  coder: {adapter: script, script: coder.yaml}\n",
    );
    setup.work(&json!({ "stage": "Implement" }));
    let run = setup.env.runs().remove(0);
    assert_eq!(run["status"], "timed_out", "the second share was over before it was done: {run}");
    assert!(setup.log(1).len() < 20_200, "{}", setup.log(1).len());
}

fn session(line: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    line["session_id"].as_str().map(str::to_owned)
}
