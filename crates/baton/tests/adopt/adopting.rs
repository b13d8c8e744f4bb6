//! Setting up without a question, and what the doctor says of a repository that is well.

use baton_core::doctor::CHECKS;
use baton_core::labels::LIFECYCLE_LABELS;

use baton_fixtures::TOKEN;

use crate::adopt::checkout::Checkout;

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_repository_is_set_up_with_one_command_and_is_well() {
    let checkout = Checkout::new().await;
    let ran = checkout.env.run(&["init", "--yes", "--user", "ann"]).exits(0);
    assert!(ran.out.contains("admin/web (main)") && ran.out.contains("create     baton.yaml"), "{}", ran.out);
    assert!(ran.out.contains("next: put the label `stage:Specify` on an issue"), "{}", ran.out);
    let config = checkout.env.read("baton.yaml");
    for line in
        ["user: ann", "repos: [admin/web]", "    adapter: claude", "store: \"sqlite:.baton/baton.db\""]
    {
        assert!(config.contains(line), "{line} is not in:\n{config}");
    }
    assert!(
        checkout.env.path(".baton/stages/specify.yaml").is_file()
            && checkout.env.path(".baton/stages/done.yaml").is_file()
    );
    for name in [".baton/baton.db", ".baton/state/x", ".env"] {
        checkout.git(&["check-ignore", "--quiet", name]);
    }
    let labels = checkout.labels().await;
    let wanted = LIFECYCLE_LABELS.iter().map(|(name, ..)| *name).chain(["stage:Specify", "stage:Done"]);
    wanted.for_each(|name| assert!(labels.iter().any(|label| label == name), "{name} is not in {labels:?}"));
    let diagnosis = checkout.doctor(&[]);
    assert_eq!((diagnosis.code, diagnosis.complaints().len()), (0, 0), "{diagnosis:#?}");
    for check in &CHECKS {
        let lines = diagnosis.of(check.id.as_str());
        assert!(!lines.is_empty() && lines.iter().all(|line| line.status == "ok"), "{lines:?}");
    }
    assert!(!checkout.env.path(".baton/baton.db").exists(), "a look has made a store");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stages_are_not_ignored_by_git() {
    let checkout = Checkout::set_up().await;
    checkout.git(&["add", ".baton", ".gitignore", "baton.yaml"]);
    let listed = checkout.git(&["ls-files"]).out;
    assert!(listed.contains(".baton/stages/plan.yaml") && !listed.contains(".baton/state"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_changes_nothing_and_does_no_harm() {
    let checkout = Checkout::set_up().await;
    checkout.edit(".baton/stages/plan.yaml", "max_turns: 50", "max_turns: 60");
    // What this machine remembers of the repository is no part of it.
    let texts = || -> Vec<_> {
        let files = checkout.files().into_iter().filter(|name| !name.starts_with(".baton/state/"));
        files.map(|name| (checkout.env.read(&name), name)).collect()
    };
    let before = texts();
    checkout.env.run(&["init", "--yes", "--user", "ann"]).exits(0);
    let after = texts();
    assert_eq!(before, after);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_there_is_replaced_by_force_alone() {
    let checkout = Checkout::new().await;
    checkout.env.write("baton.yaml", "user: eve\n");
    let refused = checkout.env.run(&["init", "--yes", "--user", "ann"]).exits(1);
    assert!(
        refused.err.contains("--force") && refused.err.contains("nothing was written"),
        "{}",
        refused.err
    );
    assert_eq!((checkout.env.read("baton.yaml").as_str(), checkout.files().len()), ("user: eve\n", 1));
    checkout.env.run(&["init", "--yes", "--force", "--user", "ann"]).exits(0);
    assert!(checkout.env.read("baton.yaml").contains("user: ann"));
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_that_were_edited_are_left_alone_when_a_flag_says_so_even_by_force() {
    let checkout = Checkout::set_up().await;
    checkout.edit(".baton/stages/plan.yaml", "max_turns: 50", "max_turns: 60");
    let ran = checkout.env.run(&["init", "--yes", "--force", "--no-stages", "--user", "eve"]).exits(0);
    assert!(!ran.out.contains(".baton/stages/"), "{}", ran.out);
    assert!(checkout.env.read("baton.yaml").contains("user: eve"));
    assert!(checkout.env.read(".baton/stages/plan.yaml").contains("max_turns: 60"));
    checkout.env.run(&["init", "--yes", "--force", "--user", "eve"]).exits(0);
    assert!(checkout.env.read(".baton/stages/plan.yaml").contains("max_turns: 50"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_signed_in_by_gh_is_asked_for_by_that_token_and_never_by_the_name_on_this_machine() {
    let mut checkout = Checkout::new().await;
    checkout.env.set("BATON_TOKEN", None);
    checkout.env.set("USER", Some("root"));
    let gh = format!("#!/bin/sh\n[ \"$*\" = 'auth token --hostname 127.0.0.1' ] && echo {TOKEN}\n");
    checkout.env.program("gh", &gh);
    checkout.env.run(&["init", "--yes"]).exits(0);
    let config = checkout.env.read("baton.yaml");
    assert!(config.contains("user: admin\n"), "{config}");
    assert!(config.contains("token_command: \"gh auth token --hostname 127.0.0.1\""), "{config}");
    assert!(!config.contains(TOKEN), "{config}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nobody_is_made_up_to_be_mentioned() {
    let mut checkout = Checkout::new().await;
    checkout.env.set("BATON_TOKEN", None);
    checkout.env.program("gh", "#!/bin/sh\necho 'no oauth token' >&2\nexit 1\n");
    let ran = checkout.env.run(&["init", "--yes"]).exits(1);
    let config = checkout.env.read("baton.yaml");
    assert!(!config.contains("\nuser:") && !config.contains("token_command"), "{config}");
    assert!(ran.out.contains("user        –"), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_everything_and_writes_nothing() {
    let checkout = Checkout::new().await;
    let ran = checkout
        .env
        .run(&["init", "--yes", "--dry-run", "--hook", "--agent", "claude", "--agent", "codex"])
        .exits(0);
    assert!(ran.out.contains("claude, codex (not found in PATH)"), "{}", ran.out);
    assert!(ran.out.contains("create     baton.yaml") && ran.out.contains("pre-push hook"), "{}", ran.out);
    assert!(checkout.files().is_empty(), "{:?}", checkout.files());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hook_is_installed_and_labels_are_left_alone_when_flags_say_so() {
    let checkout = Checkout::new().await;
    let before = checkout.labels().await;
    checkout.env.run(&["init", "--yes", "--user", "ann", "--hook", "--no-labels", "--no-stages"]).exits(1);
    assert!(checkout.env.path(".git/hooks/pre-push").is_file());
    assert!(!checkout.env.path(".baton/stages").exists());
    assert_eq!(checkout.labels().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_tracker_the_files_are_written_and_the_doctor_tells() {
    let checkout = Checkout::new().await;
    let url = "http://127.0.0.1:9";
    let ran = checkout.env.run(&["init", "--yes", "--user", "ann", "--api-url", url]).exits(3);
    assert!(checkout.env.read("baton.yaml").contains(url));
    assert!(ran.out.contains("later: baton labels sync --board --repo admin/web"), "{}", ran.out);
    assert!(ran.out.contains("fail  tracker"), "{}", ran.out);
}
