//! What a person's mistake costs: nothing is stranded, and what was stranded can be freed.

use crate::claims::seat::TTL_S;
use crate::claims::world::{Protocol, World, reference};

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_that_cannot_be_is_refused_before_anything_is_claimed() {
    let world = World::new(Protocol::Ref).await;
    let worker = world.worker("worker").await;
    let issue = world.issue().await;
    let ran = worker.run(&["claim", &reference(issue), "--to", "agent:bogus", "--", "echo", "ran"]).await;
    let ran = ran.exits(2).says("agent:pr-open");
    assert!(!ran.out.contains("ran"), "{ran:?}");
    assert_eq!(world.labels(issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_directory_that_cannot_be_written_is_found_out_before_anything_is_claimed() {
    let world = World::new(Protocol::Ref).await;
    let worker = world.worker("worker").await;
    let issue = world.issue().await;
    let file = worker.state.join("not-a-directory");
    std::fs::write(&file, "").unwrap();
    let astray = worker.with("BATON_STATE_DIR", file.to_str().unwrap());
    astray.run(&["claim", &reference(issue), "--", "echo", "ran"]).await.exits(3);
    assert_eq!(world.labels(issue).await, ["agent:implement"]);
    world.claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_no_machine_remembers_can_be_ended_by_force() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (worker, other) = (world.worker("worker").await, world.worker("other").await);
        let issue = world.issue().await;
        let name = reference(issue);
        world.claim(&worker, issue).await.exits(0);
        other.run(&["release", &name]).await.exits(1).says("--force");
        other.run(&["release", &name, "--force", "--dry-run"]).await.exits(0).says("worker");
        assert_eq!(world.labels(issue).await, ["agent:in-flight"], "{protocol}");
        other.run(&["release", &name, "--force"]).await.exits(0).says("ended the claim of worker");
        assert_eq!(world.labels(issue).await, ["agent:implement"], "{protocol}");
        assert!(
            world.bodies(issue).await.last().unwrap().contains("ended the claim of **worker**"),
            "{protocol}"
        );
        worker.run(&["renew", &name]).await.exits(1).says("is lost");
        world.claim(&other, issue).await.exits(0);
        other.run(&["release", &name]).await.exits(0);
        other.run(&["release", &name, "--force"]).await.exits(1).says("nobody holds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_third_failure_hands_the_issue_to_a_person_at_once() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let worker = world.worker("worker").await;
        let issue = world.issue().await;
        let claim = ["claim", &reference(issue), "--", "false"];
        worker.run(&claim).await.exits(1);
        worker.run(&claim).await.exits(1);
        assert_eq!(world.labels(issue).await, ["agent:implement"], "{protocol}");
        worker.run(&claim).await.exits(1).says("needs:human-scope");
        assert_eq!(world.labels(issue).await, ["needs:human-scope"], "{protocol}");
        worker.run(&claim).await.exits(1).says("keeps agents away");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cannot_be_run_is_no_attempt() {
    let world = World::new(Protocol::Ref).await;
    let worker = world.worker("worker").await;
    let issue = world.issue().await;
    let ran = worker.run(&["claim", &reference(issue), "--", "no-such-program"]).await;
    ran.exits(127).says("`no-such-program` cannot be run");
    assert!(world.bodies(issue).await.last().unwrap().contains("outcome=cancelled"));
    assert_eq!(world.labels(issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_can_be_read_on_the_issue() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (worker, other) = (world.worker("worker").await, world.worker("other").await);
        let issue = world.issue().await;
        world.claim(&worker, issue).await.exits(0);
        world.run_clock(TTL_S + 10).await;
        world.claim(&other, issue).await.exits(0);
        let bodies = world.bodies(issue).await;
        let is_told = bodies.iter().any(|body| body.contains("**worker** was not heard of any more"));
        assert!(is_told, "{protocol}: {bodies:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_on_another_host_is_refused() {
    let world = World::new(Protocol::Ref).await;
    let operator = world.operator();
    let issue = world.issue().await;
    let elsewhere = format!("https://gitlab.example/admin/web/issues/{issue}");
    operator.run(&["check", &elsewhere]).await.exits(2).says("gitlab.example");
    let here = format!("{}/admin/web/issues/{issue}", world.url);
    operator.run(&["check", &here]).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_asks_for_the_next_issue_gets_one_whose_holder_has_died() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (worker, other) = (world.worker("worker").await, world.worker("other").await);
        let issue = world.issue().await;
        world.claim(&worker, issue).await.exits(0);
        let next = ["claim", "--next", "--repo", "admin/web", "--json"];
        other.run(&next).await.exits(1);
        world.run_clock(TTL_S + 10).await;
        let won = other.run(&next).await.exits(0).json();
        assert_eq!(won["issue"], reference(issue), "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn renewals_and_failures_leave_stage_labels_and_others_as_they_were() {
    let world = World::new(Protocol::Ref).await;
    let worker = world.worker("worker").await;
    let staged = world.issue_with(&["stage:ready"]).await;
    worker.run(&["claim", &reference(staged), "--label", "stage:ready"]).await.exits(0);
    worker.run(&["renew", &reference(staged)]).await.exits(0);
    assert_eq!(world.labels(staged).await, ["claimed", "stage:processing"]);
    worker.run(&["release", &reference(staged)]).await.exits(0);
    assert_eq!(world.labels(staged).await, ["stage:ready"]);
    let plain = world.issue_with(&["bug"]).await;
    worker.run(&["claim", &reference(plain), "--label", "bug", "--", "false"]).await.exits(1);
    assert_eq!(world.labels(plain).await, ["bug"]);
    let question = world.issue_with(&["claimed", "question"]).await;
    world.run_clock(3600).await;
    worker.run(&["sweep", "--repo", "admin/web"]).await.exits(0);
    assert_eq!(world.labels(question).await, ["claimed", "question"], "it was never claimed by anybody");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_let_in_is_believed_at_once_by_those_who_saw_it_refused() {
    let world = World::new(Protocol::Comment).await;
    let ana = world.worker("ana").await;
    let bob = world.account("bob", None).await;
    let (first, second) = (world.issue().await, world.issue().await);
    world.claim(&bob, first).await.exits(1);
    world.check(&ana, first).await.exits(0);
    let path = "/repos/admin/web/collaborators/bob";
    world.admin.must("PUT", path, &serde_json::json!({ "permission": "push" }), 204).await;
    world.claim(&bob, second).await.exits(0);
    world.claim(&ana, second).await.exits(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_limit_here_takes_nothing_that_someone_else_holds() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (ana, bob) = (world.worker("ana").await, world.worker("bob").await);
        let issue = world.issue().await;
        world.claim(&ana, issue).await.exits(0);
        world.run_clock(40).await;
        let hasty = bob.with("BATON_CLAIMS_MAX_TTL", "20s").with("BATON_CLAIMS_TTL", "20s");
        world.claim(&hasty, issue).await.exits(1);
        ana.run(&["renew", &reference(issue)]).await.exits(0);
    }
}
