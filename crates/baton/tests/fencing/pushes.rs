//! What a holder can push, and that the branch and the claim move together.

use serde_json::{Value, json};

use crate::fencing::{LONG_TTL_S, REF, REPO, TOPIC, World, git, topic};
use baton_git::{Oid, PushOutcome};

#[tokio::test(flavor = "multi_thread")]
async fn a_push_of_the_holder_moves_its_branch_and_its_claim_together() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    let before = holder.lease();
    let new = holder.commit("a.txt");
    let outcome = holder.push_whatever_the_clock_says(&before, topic(&new, None));
    let PushOutcome::Pushed { claim_tip: Some(tip) } = outcome else { panic!("{outcome:?}") };
    assert_eq!(world.tips().await, (Some(tip.to_string()), Some(new.to_string())));
    let heartbeat = world.client.must("GET", &format!("{REPO}/git/commits/{tip}"), &Value::Null, 200).await;
    assert_eq!(heartbeat["parents"][0]["sha"].as_str(), before.tip.as_deref());
    let message = heartbeat["message"].as_str().unwrap();
    assert!(message.contains(&format!("nonce={}", before.nonce)), "{message}");
    assert!(message.contains("clock=writer"), "{message}");
    assert_eq!(heartbeat["author"]["name"], "baton");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_baton_push_the_tip_has_the_servers_date_and_the_saved_lease_follows() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    for file in ["a.txt", "b.txt"] {
        let new = holder.commit(file);
        let (code, answer, complaint) = holder.push(&["--json"]);
        assert_eq!(code, 0, "{answer} {complaint}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["outcome"], &answer["fenced"]), (&json!("pushed"), &json!(true)));
        let (claim, branch) = world.tips().await;
        assert_eq!(branch, Some(new.to_string()));
        assert_eq!(claim, holder.lease().tip, "the next command stands on the same tip");
        let path = format!("{REPO}/git/commits/{}", claim.unwrap());
        let tip = world.client.must("GET", &path, &Value::Null, 200).await;
        assert!(!tip["message"].as_str().unwrap().contains("clock=writer"), "{tip}");
    }
    let (code, _, complaint) = holder.baton(&["renew", REF]);
    assert_eq!(code, 0, "{complaint}");
    let (code, _, complaint) = holder.baton(&["release", REF]);
    assert_eq!(code, 0, "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_that_was_faster_than_the_push_is_the_same_hold() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    let (fleet, old) = (holder.fleet(), holder.lease());
    // The one that renews in the background has moved the ref and has not written the file yet.
    let (code, _, complaint) = holder.baton(&["renew", REF]);
    assert_eq!(code, 0, "{complaint}");
    fleet.leases.keep(&crate::fencing::issue(), &old, None).unwrap();
    let new = holder.commit("a.txt");
    holder.must_push();
    assert_eq!(world.tip(TOPIC).await, Some(new.to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_would_move_and_moves_nothing() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    let new = holder.commit("a.txt");
    let before = world.tips().await;
    let (code, answer, complaint) = holder.push(&["--dry-run", "--json"]);
    assert_eq!(code, 0, "{complaint}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((answer["new"].as_str(), &answer["expected"]), (Some(new.as_str()), &Value::Null));
    assert_eq!(world.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_branch_needs_force() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    holder.commit("a.txt");
    holder.must_push();
    git(&holder.clone, &["commit", "-q", "--amend", "-m", "better"]);
    let before = world.tips().await;
    for more in [&[][..], &["--dry-run"]] {
        let (code, _, complaint) = holder.push(more);
        assert_eq!(code, 1, "{complaint}");
        assert!(complaint.contains("would lose commits") && complaint.contains("--force"), "{complaint}");
    }
    assert_eq!(world.tips().await, before);
    let (code, _, complaint) = holder.push(&["--force"]);
    assert_eq!(code, 0, "{complaint}");
    assert_eq!(world.tip(TOPIC).await, Some(git(&holder.clone, &["rev-parse", "HEAD"])));
}

#[tokio::test(flavor = "multi_thread")]
async fn under_protocol_comment_it_is_pushed_and_said_that_the_server_cannot_refuse_it() {
    let world = World::without_protocol().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    let new = holder.commit("a.txt");
    let (code, answer, complaint) = holder.push(&["--json"]);
    assert_eq!(code, 0, "{complaint}");
    assert!(complaint.contains("the server cannot compare"), "{complaint}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["outcome"], &answer["fenced"]), (&json!("pushed"), &json!(false)));
    assert_eq!(world.tips().await, (None, Some(new.to_string())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_whose_answer_is_lost_counts_as_pushed() {
    let world = World::new().await;
    let holder = world.machine("ada", LONG_TTL_S);
    holder.claim();
    let new: Oid = holder.commit("a.txt");
    let matching = json!({ "method": "POST", "path_contains": "git-receive-pack" });
    let fault = json!({ "matching": matching, "when": "after", "kind": "drop", "times": 1 });
    world.client.must("PATCH", "/_forge/knobs", &json!({ "faults": [fault] }), 200).await;
    holder.must_push();
    assert_eq!(world.tips().await, (holder.lease().tip, Some(new.to_string())));
    holder.commit("b.txt");
    holder.must_push();
}

/// An agent that pushes, waits until the holder must have renewed, and pushes again.
const AGENT: &str = r#"
set -e
for round in 1 2; do
    echo "$round" > "$round.txt"
    git add . && git commit -q -m "round $round"
    "$BATON" push "$BATON_ISSUE"
    for _ in $(seq 40); do sleep 0.1; done
done
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_pushes_within_its_hold_keeps_it_across_renewals() {
    let world = World::new().await;
    // A third of this ttl passes between the two pushes, so renewals and pushes move the ref in turns.
    let holder = world.machine("ada", 10);
    holder.commit("a.txt");
    git(&holder.clone, &["config", "user.name", "Ada"]);
    git(&holder.clone, &["config", "user.email", "ada@example.org"]);
    std::fs::write(holder.state.with_extension("sh"), AGENT).unwrap();
    let script = holder.state.with_extension("sh").display().to_string();
    let baton = format!("BATON={}", env!("CARGO_BIN_EXE_baton"));
    let (code, answer, complaint) =
        holder.baton(&["claim", REF, "--to", "agent:pr-open", "--", "env", &baton, "sh", &script]);
    assert_eq!(code, 0, "{answer} {complaint}");
    assert!(complaint.contains("handed back as success, to agent:pr-open"), "{complaint}");
    let (claim, branch) = world.tips().await;
    assert_eq!(branch, Some(git(&holder.clone, &["rev-parse", "HEAD"])));
    let path = format!("{REPO}/git/commits/{}", claim.unwrap());
    let tip = world.client.must("GET", &path, &Value::Null, 200).await;
    assert!(tip["message"].as_str().unwrap().contains("outcome=success"), "{tip}");
}
