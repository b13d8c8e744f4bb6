//! What a holder can push, and that the branch and the claim move together.

use baton_fixtures::baton;
use baton_git::{Oid, PushOutcome};
use serde_json::{Value, json};

use crate::fencing::{LONG_TTL_S, REF, Setup, TOPIC, topic};

#[tokio::test(flavor = "multi_thread")]
async fn a_push_of_the_holder_moves_its_branch_and_its_claim_together() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    let before = holder.lease();
    let new = holder.commit("a.txt");
    let outcome = holder.push_whatever_the_clock_says(&before, topic(&new, None));
    let PushOutcome::Pushed { claim_tip: Some(tip) } = outcome else { panic!("{outcome:?}") };
    assert_eq!(setup.tips().await, (Some(tip.to_string()), Some(new.to_string())));
    let heartbeat = setup.repo.get(&format!("/git/commits/{tip}")).await;
    assert_eq!(heartbeat["parents"][0]["sha"].as_str(), before.tip.as_deref());
    let message = heartbeat["message"].as_str().unwrap();
    assert!(message.contains(&format!("nonce={}", before.nonce)), "{message}");
    assert!(message.contains("clock=writer"), "{message}");
    assert_eq!(heartbeat["author"]["name"], "baton");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_baton_push_the_tip_has_the_servers_date_and_the_saved_lease_follows() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    for file in ["a.txt", "b.txt"] {
        let new = holder.commit(file);
        let answer = holder.push(&["--json"]).exits(0).json();
        assert_eq!((&answer["outcome"], &answer["fenced"]), (&json!("pushed"), &json!(true)));
        let (claim, branch) = setup.tips().await;
        assert_eq!(branch, Some(new.to_string()));
        assert_eq!(claim, holder.lease().tip, "the next command stands on the same tip");
        let tip = setup.repo.get(&format!("/git/commits/{}", claim.unwrap())).await;
        assert!(!tip["message"].as_str().unwrap().contains("clock=writer"), "{tip}");
    }
    holder.env.run(&["renew", REF]).exits(0);
    holder.env.run(&["release", REF]).exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_that_was_faster_than_the_push_is_the_same_hold() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    let (fleet, old) = (holder.fleet(), holder.lease());
    // The one that renews in the background has moved the ref and has not written the file yet.
    holder.env.run(&["renew", REF]).exits(0);
    fleet.leases.keep(&crate::fencing::issue(), &old, None).unwrap();
    let new = holder.commit("a.txt");
    holder.push(&[]).exits(0);
    assert_eq!(setup.repo.tip(TOPIC).await, Some(new.to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_would_move_and_moves_nothing() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    let new = holder.commit("a.txt");
    let before = setup.tips().await;
    let answer = holder.push(&["--dry-run", "--json"]).exits(0).json();
    assert_eq!((answer["new"].as_str(), &answer["expected"]), (Some(new.as_str()), &Value::Null));
    assert_eq!(setup.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_branch_needs_force() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    holder.commit("a.txt");
    holder.push(&[]).exits(0);
    holder.git(&["commit", "-q", "--amend", "-m", "better"]);
    let before = setup.tips().await;
    for more in [&[][..], &["--dry-run"]] {
        let ran = holder.push(more).exits(1);
        assert!(ran.err.contains("would lose commits") && ran.err.contains("--force"), "{ran:?}");
    }
    assert_eq!(setup.tips().await, before);
    holder.push(&["--force"]).exits(0);
    assert_eq!(setup.repo.tip(TOPIC).await, Some(holder.git(&["rev-parse", "HEAD"])));
}

#[tokio::test(flavor = "multi_thread")]
async fn under_protocol_comment_it_is_pushed_and_said_that_the_server_cannot_refuse_it() {
    let setup = Setup::without_protocol().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    let new = holder.commit("a.txt");
    let ran = holder.push(&["--json"]).exits(0);
    assert!(ran.err.contains("the server cannot compare"), "{ran:?}");
    let answer = ran.json();
    assert_eq!((&answer["outcome"], &answer["fenced"]), (&json!("pushed"), &json!(false)));
    assert_eq!(setup.tips().await, (None, Some(new.to_string())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_whose_answer_is_lost_counts_as_pushed() {
    let setup = Setup::new().await;
    let holder = setup.machine("ada", LONG_TTL_S);
    holder.claim();
    let new: Oid = holder.commit("a.txt");
    let matching = json!({ "method": "POST", "path_contains": "git-receive-pack" });
    setup.forge.fault(matching, "after", json!("drop"), 0, Some(1)).await;
    holder.push(&[]).exits(0);
    assert_eq!(setup.tips().await, (holder.lease().tip, Some(new.to_string())));
    holder.commit("b.txt");
    holder.push(&[]).exits(0);
}

/// An agent that pushes, waits until the holder must have renewed, and pushes again.
const AGENT: &str = r#"
set -e
for round in 1 2; do
    echo "$round" > "$round.txt"
    git add . && git commit -q -m "round $round"
    "$1" push "$BATON_ISSUE"
    for _ in $(seq 80); do sleep 0.1; done
done
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_pushes_within_its_hold_keeps_it_across_renewals() {
    let setup = Setup::new().await;
    // A third of this ttl passes between the two pushes, so renewals and pushes move the ref in turns.
    let holder = setup.machine("ada", 20);
    holder.commit("a.txt");
    holder.git(&["config", "user.name", "Ada"]);
    holder.git(&["config", "user.email", "ada@example.org"]);
    let baton = baton();
    let command = ["sh", "-c", AGENT, "agent", baton.to_str().unwrap()];
    let ran =
        holder.env.run(&[&["claim", REF, "--to", "agent:pr-open", "--"], &command[..]].concat()).exits(0);
    assert!(ran.err.contains("handed back as success, to agent:pr-open"), "{ran:?}");
    let (claim, branch) = setup.tips().await;
    assert_eq!(branch, Some(holder.git(&["rev-parse", "HEAD"])));
    let tip = setup.repo.get(&format!("/git/commits/{}", claim.unwrap())).await;
    assert!(tip["message"].as_str().unwrap().contains("outcome=success"), "{tip}");
}
