//! `baton pause` and `baton resume`.

use crate::commands::setup::{AGENT, ISSUE, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_is_on_the_tracker_with_its_reason_until_it_is_taken_off() {
    let setup = Setup::new(AGENT, &["stage:Plan"]).await;
    setup.env.run(&["pause", ISSUE, "--reason", "the design is discussed"]).exits(0);
    assert!(setup.repo.labels(1).await.contains(&"baton:paused".to_owned()));
    let comments = setup.repo.bodies(1).await;
    assert!(comments[0].contains("`ann` paused this issue: the design is discussed"), "{comments:?}");
    let ran = setup.env.run(&["status"]).exits(0);
    assert!(ran.out.contains("paused") && ran.out.contains("the design is discussed"), "{ran:?}");
    let shape = setup.env.run(&["explain", ISSUE, "--json"]).exits(0).json();
    assert_eq!(shape["step"]["kind"], "rest", "a paused issue was not left alone: {shape}");

    let again = setup.env.run(&["pause", ISSUE, "--json"]).exits(0).json();
    assert_eq!(again["outcome"], "already-paused");
    assert_eq!(setup.repo.bodies(1).await.len(), 1, "it was told twice");

    assert_eq!(setup.env.run(&["resume", ISSUE, "--json"]).exits(0).json()["outcome"], "resumed");
    assert_eq!(setup.repo.labels(1).await, ["stage:Plan"]);
    let shape = setup.env.run(&["explain", ISSUE, "--json"]).exits(0).json();
    assert_eq!(shape["step"]["kind"], "invoke_stage", "{shape}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_paused_or_resumed_is_said() {
    let setup = Setup::new(AGENT, &["stage:Plan"]).await;
    for (arguments, code, words) in [
        (&["resume", ISSUE][..], 1, "is not paused"),
        (&["pause", "admin/web#99"], 1, "there is no issue"),
        (&["resume", "admin/web#99"], 1, "there is no issue"),
        (&["pause", ISSUE, "--reason", " "], 2, "--reason must be"),
        (&["pause", "nonsense"], 2, "nonsense"),
        (&["pause"], 2, "REF"),
    ] {
        let ran = setup.env.run(arguments).exits(code);
        assert!(ran.err.contains(words), "{arguments:?}: {ran:?}");
    }
    assert_eq!(setup.repo.labels(1).await, ["stage:Plan"]);
    assert!(setup.repo.bodies(1).await.is_empty());
}
