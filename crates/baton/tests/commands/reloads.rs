//! Edits while an engine runs.

use crate::commands::setup::{AGENT, Setup};

const PLAY: &str = "scenes:\n  - do:\n      - say: Fine.\n      - marker: complete\n";

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_in_force_at_once_and_a_bad_one_changes_nothing() {
    let setup = Setup::new(AGENT, &["stage:Plan", "baton:blocked"]).await;
    setup.env.write("coder.yaml", PLAY);
    let engine = setup.env.engine(&["engine"]);
    engine.hears("is ready");

    setup.configure(&format!("{AGENT}max_concurrent: 3\n"));
    engine.hears("`max_concurrent` is 3");

    setup.configure(&format!("{AGENT}max_concurrent: many\n"));
    engine.hears("baton.yaml:10:17");
    engine.hears("the configuration from before the edit stays in force");

    setup.configure(
        &format!("{AGENT}max_concurrent: 3\nuser: bob\n").replace("user: bob\n", "store: sqlite:other.db\n"),
    );
    engine.hears("when it is started again: `store`");
    let told = engine.said().iter().filter(|line| line.contains("baton.yaml:10:17")).count();
    assert_eq!(told, 1, "a bad edit was told more than once: {:?}", engine.said());
    assert!(!setup.env.path("other.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_is_edited_is_followed_and_a_bad_one_is_told_with_its_place() {
    let setup = Setup::new(AGENT, &["stage:Build"]).await;
    setup.env.write("coder.yaml", PLAY);
    let stage = |name: &str, order: u32, advances: bool| {
        format!(
            "name: {name}\norder: {order}\nprompt: Do it.\nread_only: true\nauto_advance: {advances}\ncompletion: {{type: marker}}\n"
        )
    };
    setup.env.write(".baton/stages/a.yaml", &stage("Build", 0, false));
    setup.env.write(".baton/stages/b.yaml", &stage("Later", 1, false));
    let engine = setup.env.engine(&["engine"]);
    engine.hears("a person hands the issue on");
    setup.env.write(".baton/stages/a.yaml", "name: Build\nordr: 1\n");
    engine.hears(".baton/stages/a.yaml:2:1");
    assert!(
        setup.repo.labels(1).await.contains(&"stage:Build".to_owned()),
        "a stage that cannot be read was followed"
    );
    setup.env.write(".baton/stages/a.yaml", &stage("Build", 0, true));
    engine.hears("the edited configuration is in force");
    engine.hears("goes on to Later");
    setup.env.write(".baton/stages/c.yaml", &stage("Last", 2, false));
    engine.hears("which stages there are");
}
