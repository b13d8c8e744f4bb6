//! What cannot be meant: it is said what to do, and nothing is written.

use baton_fixtures::CommandOutput;

use crate::adopt::checkout::Checkout;

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_and_without_yes_it_says_which_flag_to_use() {
    let checkout = Checkout::new().await;
    let ran = checkout.env.run(&["init"]).exits(2);
    assert!(ran.err.contains("--yes") && checkout.files().is_empty(), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_of_a_work_tree_it_says_so() {
    let checkout = Checkout::new().await;
    let mut init = checkout.env.command(&["init", "--yes"]);
    let ran = CommandOutput::from(init.current_dir(checkout.env.home()).output().unwrap()).exits(2);
    assert!(ran.err.contains("git init"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_remote_the_repository_must_be_named() {
    let checkout = Checkout::new().await;
    checkout.git(&["remote", "remove", "origin"]);
    let ran = checkout.env.run(&["init", "--yes"]).exits(2);
    assert!(ran.err.contains("--repo OWNER/NAME") && checkout.files().is_empty(), "{}", ran.err);
    let url = checkout.forge.url.clone();
    checkout.env.run(&["init", "--yes", "--user", "ann", "--repo", "admin/web", "--api-url", &url]).exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_cannot_be_meant_are_refused_before_anything_is_written() {
    let checkout = Checkout::new().await;
    for (flags, words) in [
        (&["--agent", "clippy"][..], "clippy"),
        (&["--repo", "web"], "web"),
        (&["--user", "ann example"], "is no login"),
        (&["--store", "mysql:x"], "sqlite:PATH"),
        (&["--store", "postgres://ann:secret@db.example/x"], "password"),
        (&["--board", "wall"], "labels"),
        (&["--api-url", "ftp://x"], "tracker.api_url"),
        (&["--stages"], "--stages"),
    ] {
        let ran = checkout.env.run(&[&["init", "--yes"], flags].concat()).exits(2);
        assert!(ran.err.contains(words), "{flags:?}: {}", ran.err);
        assert!(!ran.err.contains("secret"), "{}", ran.err);
        assert!(checkout.files().is_empty(), "{flags:?}");
    }
    let ran = checkout.env.run(&["doctor", "--disk-min", "much"]).exits(2);
    assert!(ran.err.contains("is no size"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_is_wrong_is_the_only_thing_that_is_complained_about() {
    let checkout = Checkout::set_up().await;
    checkout.configure("claims: {tll: 4h}");
    let diagnosis = checkout.doctor(&[]);
    let complaints = diagnosis.complaints();
    assert_eq!(
        (diagnosis.code, complaints.len(), complaints[0].check.as_str()),
        (1, 1, "config"),
        "{diagnosis:#?}"
    );
    let skipped = diagnosis.lines.iter().filter(|line| line.status == "skip");
    assert!(
        skipped.clone().count() > 10 && skipped.clone().all(|line| line.found.starts_with("not checked: "))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn people_read_a_line_for_each_check_and_what_helps() {
    let checkout = Checkout::set_up().await;
    checkout.git(&["config", "--global", "--unset", "user.email"]);
    let ran = checkout.env.run(&["doctor"]).exits(1);
    let line =
        ran.out.lines().position(|line| line.starts_with("fail  git-identity")).expect("the line is there");
    assert!(
        ran.out.lines().nth(line + 1).unwrap().contains("fix: git config --global user.email"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("0 warn, 1 fail, 0 skip"), "{}", ran.out);
}
