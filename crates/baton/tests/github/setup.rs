//! Addresses and tokens, right and wrong.

use baton_fixtures::{TOKEN, TestServer};
use baton_github::{Auth, GitHub, SetupError};
use baton_ports::{Tracker as _, TrackerErrorKind};

use crate::github::{Setup, github, refused, repo, settings};
use baton_fixtures::server::answer;

#[tokio::test(flavor = "multi_thread")]
async fn the_viewer_is_whose_token_it_is_at_either_address() {
    let setup = Setup::new().await;
    assert_eq!(setup.github.viewer().await.unwrap(), "admin");
    for address in [format!("{}/", setup.forge.url), format!("{}/api/v3", setup.forge.url)] {
        assert_eq!(github(&address, TOKEN).viewer().await.unwrap(), "admin", "{address}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_told_with_what_to_do_and_without_the_token() {
    let setup = Setup::new().await;
    let stranger = github(&setup.forge.url, "bft_wrong_token");
    let error = refused(stranger.viewer().await, TrackerErrorKind::Unauthorized);
    assert_eq!(
        error.to_string(),
        "GET /user: 401 Bad credentials; set BATON_TOKEN, GITHUB_TOKEN or GH_TOKEN to a valid token"
    );
    assert_eq!(stranger.requests_sent(), 1, "a refusal is not tried again");
    let nobody = GitHub::new(settings(&setup.forge.url, Auth::Anonymous)).unwrap();
    refused(nobody.viewer().await, TrackerErrorKind::Unauthorized);
}

#[test]
fn an_address_that_cannot_be_used_is_refused_before_anything_is_sent() {
    for address in ["", "api.github.com", "http://api.github.com", "ftp://x.example", "https://u:p@x.example"]
    {
        let refused = GitHub::new(settings(address, Auth::token("t")));
        assert!(matches!(refused, Err(SetupError::Address { .. })), "{address}");
    }
    let plain = baton_github::Settings {
        allow_plain_http: true,
        ..settings("http://forge.internal.example", Auth::Anonymous)
    };
    assert!(GitHub::new(plain).is_ok());
}

#[test]
fn neither_the_client_nor_its_settings_show_the_token() {
    let settings = settings("http://127.0.0.1:1", Auth::token("hush-hush"));
    let shown = format!("{settings:?} {:?}", GitHub::new(settings.clone()).unwrap());
    assert!(!shown.contains("hush"), "{shown}");
    let broken =
        GitHub::new(crate::github::settings("http://127.0.0.1:1", Auth::token("hush\nhush"))).unwrap_err();
    assert!(!format!("{broken} {broken:?}").contains("hush"), "{broken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_listens_and_nothing_was_done() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let github = github(&url, TOKEN);
    let error =
        refused(github.post_comment(&crate::github::issue(1), "x").await, TrackerErrorKind::Unavailable);
    assert!(error.answer.contains("refused"), "{error}");
    assert_eq!(github.requests_sent(), 4, "what was not sent may be tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_command_runs_once_and_again_when_its_token_is_refused() {
    let setup = Setup::new().await;
    let directory = tempfile::tempdir().unwrap();
    let runs = directory.path().join("runs");
    // The first run prints a token that has expired, and every later one a good one.
    let line = format!(
        "echo run >> '{0}'; test $(wc -l < '{0}') -gt 1 && echo {TOKEN} || echo expired",
        runs.display()
    );
    let github = GitHub::new(settings(&setup.forge.url, Auth::TokenCommand(line))).unwrap();
    assert_eq!(github.viewer().await.unwrap(), "admin");
    github.issue(&crate::github::issue(1)).await.unwrap();
    assert_eq!(std::fs::read_to_string(&runs).unwrap().lines().count(), 2);
    assert_eq!(github.requests_sent(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_command_that_fails_says_why() {
    let setup = Setup::new().await;
    let line = "echo you are not logged in >&2; exit 4".to_owned();
    let github = GitHub::new(settings(&setup.forge.url, Auth::TokenCommand(line))).unwrap();
    let error = refused(github.viewer().await, TrackerErrorKind::Unauthorized);
    assert!(error.answer.contains("you are not logged in"), "{error}");
    assert_eq!(github.requests_sent(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_says_who_asks_and_which_version_it_speaks() {
    let server = TestServer::start(|_| answer(200, &[], r#"{"login": "ann"}"#)).await;
    github(&server.url, "tok").viewer().await.unwrap();
    let request = &server.seen()[0];
    let header = |name: &str| request.headers[name].as_str();
    assert_eq!(header("user-agent"), concat!("baton/", env!("CARGO_PKG_VERSION")));
    assert_eq!(header("accept"), "application/vnd.github+json");
    assert_eq!(header("x-github-api-version"), "2022-11-28");
    assert_eq!(header("authorization"), "Bearer tok");
}

#[tokio::test(flavor = "multi_thread")]
async fn clones_share_counters_and_the_time_of_the_server() {
    let setup = Setup::new().await;
    let before = setup.github.requests_sent();
    assert_eq!(setup.github.last_date(), None);
    setup.forge.freeze_clock(1_700_000_000).await;
    let other = setup.github.clone();
    other.issue(&crate::github::issue(1)).await.unwrap();
    refused(other.pull(&repo(), 99).await, TrackerErrorKind::NotFound);
    assert_eq!(setup.github.requests_sent() - before, 2);
    assert_eq!(setup.github.last_date().unwrap().0, 1_700_000_000);
    let rows: Vec<_> =
        setup.github.meter().into_iter().map(|row| (row.endpoint, row.status, row.count)).collect();
    assert_eq!(
        rows,
        [
            ("/repos/{owner}/{repo}/issues/{issue_number}", 200, 1),
            ("/repos/{owner}/{repo}/pulls/{pull_number}", 404, 1)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_and_the_forge_count_the_same_requests_under_the_same_names() {
    let setup = Setup::new().await;
    setup.forge.clear_meter().await;
    let (github, issue) = (&setup.github, crate::github::issue(1));
    let oid = github.write_commit(&repo(), "x", None).await.unwrap().value.oid;
    github.create_ref(&repo(), "refs/baton/claims/1", &oid).await.unwrap();
    github.advance_ref(&repo(), "refs/baton/claims/1", &oid).await.unwrap();
    github.ref_tip(&repo(), "refs/baton/claims/1").await.unwrap();
    github.refs_under(&repo(), "refs/baton/").await.unwrap();
    let comment = github.post_comment(&issue, "x").await.unwrap().value;
    github.edit_comment(&repo(), comment.id, "y").await.unwrap();
    github.comments(&issue, None).await.unwrap();
    github.add_labels(&issue, &["a"]).await.unwrap();
    github.remove_label(&issue, "a").await.unwrap();
    github.label_events(&issue).await.unwrap();
    github.label_definitions(&repo()).await.unwrap();
    github.issues_labelled(&repo(), "a", baton_core::tracker::IssueState::Open).await.unwrap();
    github.permission(&repo(), "admin").await.unwrap();
    github.open_pulls(&repo()).await.unwrap();
    github.viewer().await.unwrap();
    github.issue(&issue).await.unwrap();
    github.close_issue(&issue).await.unwrap();
    for row in github.meter() {
        let name = format!("{} {}", row.method, row.endpoint);
        assert_eq!(setup.metered(&name, row.status.into()).await, row.count, "{name} {}", row.status);
    }
    assert_eq!(github.requests_sent(), 18);
}
