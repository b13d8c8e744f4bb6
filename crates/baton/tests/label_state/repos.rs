//! Pausing repositories, in the file that the fleet reads.

use crate::label_state::{NOBODY, Setup, said};

#[tokio::test(flavor = "multi_thread")]
async fn repositories_are_paused_listed_and_resumed_as_they_were_named() {
    let setup = Setup::new().await;
    said(setup.label_state(&["repo", "list"]), 0, "label-state: no repos paused.\n", "");
    let expected = "label-state: paused your-backend.\n  currently paused: your-backend\n";
    said(setup.label_state(&["repo", "pause", "your-backend"]), 0, expected, "");
    let expected = "label-state: paused acme/api.\n  currently paused: acme/api, your-backend\n";
    said(setup.label_state(&["repo", "pause", "acme/api"]), 0, expected, "");
    let expected = "Paused repos (agents will skip):\n  acme/api\n  your-backend\n";
    said(setup.label_state(&["repo", "list"]), 0, expected, "");
    let text = std::fs::read_to_string(setup.env.path("alfred/state/paused-repos.json")).unwrap();
    assert_eq!(text.trim_end(), "{\n  \"paused\": [\n    \"acme/api\",\n    \"your-backend\"\n  ]\n}");
    let expected = "label-state: resumed acme/api.\n  currently paused: your-backend\n";
    said(setup.label_state(&["repo", "resume", "acme/api"]), 0, expected, "");
    let expected = "label-state: resumed your-backend.\n  no repos paused.\n";
    said(setup.label_state(&["repo", "resume", "your-backend"]), 0, expected, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn to_pause_nothing_is_a_mistake() {
    let setup = Setup::new().await;
    said(setup.label_state(&["repo", "pause"]), 2, "", "label-state repo pause: need <repo>\n");
    said(setup.label_state(&["repo", "resume"]), 2, "", "label-state repo resume: need <repo>\n");
    for name in ["a b", "../x", "a/b/c"] {
        assert_eq!(setup.label_state(&["repo", "pause", name]).0, 2, "{name}");
    }
    assert!(!setup.env.path("alfred/state/paused-repos.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_repository_is_not_claimable_until_it_is_resumed() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &[]).await;
    setup.label_state(&["repo", "pause", "web"]);
    said(
        setup.label_state(&["dedup-check", "web#1"]),
        1,
        "",
        "label-state: web#1 NOT claimable - repo paused\n",
    );
    setup.label_state(&["repo", "resume", "web"]);
    said(setup.label_state(&["dedup-check", "web#1"]), 0, "label-state: web#1 is claimable.\n", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn pauses_need_no_tracker() {
    let setup = Setup::new().await;
    assert_eq!(setup.label_state_with(&[NOBODY], &["repo", "pause", "web"]).0, 0);
    let broken = ("BATON_TOKEN_COMMAND", "false");
    assert_eq!(setup.label_state_with(&[("BATON_TOKEN", ""), broken], &["repo", "list"]).0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrupt_file_is_an_error_and_stays_as_it_is() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &[]).await;
    let file = setup.env.path("alfred/state/paused-repos.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{\"paused\": [\"web\"").unwrap();
    for arguments in [
        ["repo", "list"].as_slice(),
        &["repo", "pause", "api"],
        &["repo", "resume", "api"],
        &["dedup-check", "web#1"],
    ] {
        let (code, out, complaint) = setup.label_state(arguments);
        assert_eq!((code, out.as_str()), (3, ""), "{arguments:?}: {complaint}");
        assert!(complaint.contains("paused-repos.json"), "{complaint}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"paused\": [\"web\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_home_of_the_fleet_the_state_is_that_of_this_installation() {
    let setup = Setup::new().await;
    let nowhere = [("ALFRED_HOME", "")];
    assert_eq!(setup.label_state_with(&nowhere, &["repo", "pause", "web"]).0, 0);
    assert!(setup.env.path(".baton/state/paused-repos.json").exists());
    assert!(!setup.env.path("alfred").exists());
    // A path that does not begin at the root begins where the command was started.
    let beside = [("ALFRED_HOME", "beside")];
    assert_eq!(setup.label_state_with(&beside, &["repo", "pause", "web"]).0, 0);
    assert!(setup.env.path("beside/state/paused-repos.json").exists());
}
