//! The names of the command, the names of issues, and what is no command at all.

use crate::label_state::{Setup, said, say};

#[tokio::test(flavor = "multi_thread")]
async fn the_binary_answers_to_the_names_that_scripts_call() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &[]).await;
    for name in ["alfred-label-state", "label-state"] {
        let link = setup.env.path(name);
        std::os::unix::fs::symlink(baton_fixtures::baton(), &link).unwrap();
        let run = |arguments: &[&str]| say(&mut setup.env.other(&link, arguments));
        said(run(&["dedup-check", "web#1"]), 0, "label-state: web#1 is claimable.\n", "");
        said(run(&["repo", "list"]), 0, "label-state: no repos paused.\n", "");
        assert_eq!(run(&[]).0, 2);
        assert_eq!(run(&["forge", "serve"]).0, 2, "the other commands of baton are not there");
        let doctor = setup.env.with_all(&[("ALFRED_DOCTOR", "1")]);
        said(say(&mut doctor.other(&link, &[])), 0, "[ALFRED-LABEL-STATE-DOCTOR-OK]\n", "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_doctor_is_answered_whatever_else_is_asked() {
    let setup = Setup::new().await;
    for arguments in [[].as_slice(), &["claim", "web#1"], &["nonsense"]] {
        let answer = setup.label_state_with(&[("ALFRED_DOCTOR", "1")], arguments);
        said(answer, 0, "[ALFRED-LABEL-STATE-DOCTOR-OK]\n", "");
    }
    assert_eq!(setup.label_state_with(&[("ALFRED_DOCTOR", "0")], &["nonsense"]).0, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_can_be_named_by_its_organisation_its_owner_or_its_address() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &[]).await;
    let address = format!("{}/admin/web/issues/1", setup.forge.url);
    for (reference, shown) in
        [("web#1", "web#1"), ("admin/web#1", "admin/web#1"), (address.as_str(), "admin/web#1")]
    {
        let expected = format!("label-state: {shown} is claimable.\n");
        said(setup.label_state(&["dedup-check", reference]), 0, &expected, "");
    }
    let (code, _, complaint) = setup.label_state_with(&[("GH_ORG", "")], &["dedup-check", "web#1"]);
    assert!(code == 2 && complaint.contains("set GH_ORG"), "{code} {complaint}");
    let elsewhere = setup.label_state_with(&[("GH_ORG", "other")], &["dedup-check", "web#1"]);
    assert_eq!(elsewhere.0, 3, "{elsewhere:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_names_no_issue_is_refused_with_one_and_what_is_no_command_with_two() {
    let setup = Setup::new().await;
    for command in ["claim", "release", "dedup-check", "status-issue"] {
        for reference in ["web", "#1", "web#", "web#x", "web#0", "a/b/c#1", "1"] {
            let expected = format!(
                "label-state: invalid issue ref '{reference}'. Expected form: <repo>#<N> (e.g. your-backend#42)\n"
            );
            said(setup.label_state(&[command, reference]), 1, "", &expected);
        }
        assert_eq!(setup.label_state(&[command]).0, 2);
    }
    for arguments in [
        ["claim", "web#1", "--json"].as_slice(),
        &["repo", "stop"],
        &["repo"],
        &["sweep-claims", "--max-age-hours", "x"],
        &["nonsense"],
    ] {
        assert_eq!(setup.label_state(arguments).0, 2, "{arguments:?}");
    }
}
