//! What a person's mistake costs: nothing is stranded, and what was stranded can be freed.

use crate::claims::setup::{Protocol, Setup, TTL_S, check, claim, reference};

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_that_cannot_be_is_refused_before_anything_is_claimed() {
    let setup = Setup::new(Protocol::Ref).await;
    let worker = setup.worker("worker").await;
    let issue = setup.issue().await;
    let ran =
        worker.run_async(&["claim", &reference(issue), "--to", "agent:bogus", "--", "echo", "ran"]).await;
    let ran = ran.exits(2).says("agent:pr-open");
    assert!(!ran.out.contains("ran"), "{ran:?}");
    assert_eq!(setup.repo.labels(issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_directory_that_cannot_be_written_is_found_out_before_anything_is_claimed() {
    let setup = Setup::new(Protocol::Ref).await;
    let worker = setup.worker("worker").await;
    let issue = setup.issue().await;
    let file = worker.path("not-a-directory");
    std::fs::write(&file, "").unwrap();
    let astray = worker.clone().with("BATON_STATE_DIR", file.to_str().unwrap());
    astray.run_async(&["claim", &reference(issue), "--", "echo", "ran"]).await.exits(3);
    assert_eq!(setup.repo.labels(issue).await, ["agent:implement"]);
    claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_no_machine_remembers_can_be_ended_by_force() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, other) = (setup.worker("worker").await, setup.worker("other").await);
        let issue = setup.issue().await;
        let name = reference(issue);
        claim(&worker, issue).await.exits(0);
        other.run_async(&["release", &name]).await.exits(1).says("--force");
        other.run_async(&["release", &name, "--force", "--dry-run"]).await.exits(0).says("worker");
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight"], "{protocol}");
        other.run_async(&["release", &name, "--force"]).await.exits(0).says("ended the claim of worker");
        assert_eq!(setup.repo.labels(issue).await, ["agent:implement"], "{protocol}");
        assert!(
            setup.repo.bodies(issue).await.last().unwrap().contains("ended the claim of **worker**"),
            "{protocol}"
        );
        worker.run_async(&["renew", &name]).await.exits(1).says("is lost");
        claim(&other, issue).await.exits(0);
        other.run_async(&["release", &name]).await.exits(0);
        other.run_async(&["release", &name, "--force"]).await.exits(1).says("nobody holds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_third_failure_hands_the_issue_to_a_person_at_once() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let worker = setup.worker("worker").await;
        let issue = setup.issue().await;
        let claim = ["claim", &reference(issue), "--", "false"];
        worker.run_async(&claim).await.exits(1);
        worker.run_async(&claim).await.exits(1);
        assert_eq!(setup.repo.labels(issue).await, ["agent:implement"], "{protocol}");
        worker.run_async(&claim).await.exits(1).says("needs:human-scope");
        assert_eq!(setup.repo.labels(issue).await, ["needs:human-scope"], "{protocol}");
        worker.run_async(&claim).await.exits(1).says("keeps agents away");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cannot_be_run_is_no_attempt() {
    let setup = Setup::new(Protocol::Ref).await;
    let worker = setup.worker("worker").await;
    let issue = setup.issue().await;
    let ran = worker.run_async(&["claim", &reference(issue), "--", "no-such-program"]).await;
    ran.exits(127).says("`no-such-program` cannot be run");
    assert!(setup.repo.bodies(issue).await.last().unwrap().contains("outcome=cancelled"));
    assert_eq!(setup.repo.labels(issue).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_can_be_read_on_the_issue() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, other) = (setup.worker("worker").await, setup.worker("other").await);
        let issue = setup.issue().await;
        claim(&worker, issue).await.exits(0);
        setup.run_clock(TTL_S + 10).await;
        claim(&other, issue).await.exits(0);
        let bodies = setup.repo.bodies(issue).await;
        let is_told = bodies.iter().any(|body| body.contains("**worker** was not heard of any more"));
        assert!(is_told, "{protocol}: {bodies:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_on_another_host_is_refused() {
    let setup = Setup::new(Protocol::Ref).await;
    let operator = setup.operator();
    let issue = setup.issue().await;
    let elsewhere = format!("https://gitlab.example/admin/web/issues/{issue}");
    operator.run_async(&["check", &elsewhere]).await.exits(2).says("gitlab.example");
    let here = format!("{}/admin/web/issues/{issue}", setup.forge.url);
    operator.run_async(&["check", &here]).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_asks_for_the_next_issue_gets_one_whose_holder_has_died() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, other) = (setup.worker("worker").await, setup.worker("other").await);
        let issue = setup.issue().await;
        claim(&worker, issue).await.exits(0);
        let next = ["claim", "--next", "--repo", "admin/web", "--json"];
        other.run_async(&next).await.exits(1);
        setup.run_clock(TTL_S + 10).await;
        let won = other.run_async(&next).await.exits(0).json();
        assert_eq!(won["issue"], reference(issue), "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn renewals_and_failures_leave_stage_labels_and_others_as_they_were() {
    let setup = Setup::new(Protocol::Ref).await;
    let worker = setup.worker("worker").await;
    let staged = setup.repo.issue("something to do", &["stage:ready"]).await;
    worker.run_async(&["claim", &reference(staged), "--label", "stage:ready"]).await.exits(0);
    worker.run_async(&["renew", &reference(staged)]).await.exits(0);
    assert_eq!(setup.repo.labels(staged).await, ["claimed", "stage:processing"]);
    worker.run_async(&["release", &reference(staged)]).await.exits(0);
    assert_eq!(setup.repo.labels(staged).await, ["stage:ready"]);
    let plain = setup.repo.issue("something to do", &["bug"]).await;
    worker.run_async(&["claim", &reference(plain), "--label", "bug", "--", "false"]).await.exits(1);
    assert_eq!(setup.repo.labels(plain).await, ["bug"]);
    let question = setup.repo.issue("something to do", &["claimed", "question"]).await;
    setup.run_clock(3600).await;
    worker.run_async(&["sweep", "--repo", "admin/web"]).await.exits(0);
    assert_eq!(setup.repo.labels(question).await, ["claimed", "question"], "it was never claimed by anybody");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_let_in_is_believed_at_once_by_those_who_saw_it_refused() {
    let setup = Setup::new(Protocol::Comment).await;
    let ana = setup.worker("ana").await;
    let bob = setup.account("bob", None).await;
    let (first, second) = (setup.issue().await, setup.issue().await);
    claim(&bob, first).await.exits(1);
    check(&ana, first).await.exits(0);
    setup.repo.permit("bob", "push").await;
    claim(&bob, second).await.exits(0);
    claim(&ana, second).await.exits(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_limit_here_takes_nothing_that_someone_else_holds() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (ana, bob) = (setup.worker("ana").await, setup.worker("bob").await);
        let issue = setup.issue().await;
        claim(&ana, issue).await.exits(0);
        setup.run_clock(40).await;
        let hasty = bob.with_all(&[
            ("BATON_CLAIMS_MAX_TTL", "20s"),
            ("BATON_CLAIMS_TTL", "20s"),
            ("BATON_CLAIMS_BID_TTL", "20s"),
            ("BATON_REQUEST_TIMEOUT", "3s"),
        ]);
        claim(&hasty, issue).await.exits(1);
        ana.run_async(&["renew", &reference(issue)]).await.exits(0);
    }
}
