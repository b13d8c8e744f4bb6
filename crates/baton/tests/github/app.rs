//! A GitHub App: a signed token for itself, and one for the installation it acts through.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use baton_fixtures::TestServer;
use baton_github::{Auth, GitHub, SetupError};
use baton_ports::{Tracker as _, TrackerErrorKind};
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::Value;

use crate::github::{issue, refused, settings};
use baton_fixtures::server::{Request, answer};

/// Made for this test with `openssl genrsa -traditional 2048`; it opens nothing.
const KEY: &str = include_str!("throwaway-test-key.pem");

fn public_key() -> Vec<u8> {
    let body: String = KEY.lines().filter(|line| !line.starts_with('-')).collect();
    let pair = RsaKeyPair::from_der(&STANDARD.decode(body).unwrap()).unwrap();
    pair.public_key().as_ref().to_vec()
}

/// Checks the signature of an App's token; returns its claims.
fn claims(request: &Request) -> Value {
    let token = request.headers["authorization"].strip_prefix("Bearer ").unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key());
    key.verify(message.as_bytes(), &signature).expect("the App has signed it");
    let parts: Vec<Value> = message
        .split('.')
        .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
        .collect();
    assert_eq!(parts[0]["alg"], "RS256");
    parts[1].clone()
}

/// A GitHub with one installation, which gives out tokens `ghs_1`, `ghs_2`, … that last as long as a test says.
async fn github_with_app(installation_id: Option<u64>, expires_at: &'static str) -> (GitHub, TestServer) {
    let given = Arc::new(AtomicUsize::new(0));
    let server = TestServer::start(move |request| respond(request, &given, expires_at)).await;
    let auth = Auth::app(1234, KEY, installation_id);
    (GitHub::new(settings(&server.url, auth)).unwrap(), server)
}

fn respond(request: &Request, given: &AtomicUsize, expires_at: &str) -> String {
    let authorization = request.headers["authorization"].as_str();
    match (request.method.as_str(), request.target.as_str()) {
        ("GET", "/app") => answer(200, &[], r#"{"id": 1234, "slug": "relay"}"#),
        ("GET", "/repos/admin/web/installation") => answer(200, &[], r#"{"id": 77}"#),
        ("GET", "/repos/other/web/installation") => answer(404, &[], r#"{"message": "Not Found"}"#),
        ("POST", "/app/installations/77/access_tokens") => {
            let number = given.fetch_add(1, Ordering::SeqCst) + 1;
            answer(201, &[], &format!(r#"{{"token": "ghs_{number}", "expires_at": "{expires_at}"}}"#))
        }
        // The first token is refused for issue 2, as if it had been revoked.
        ("GET", "/repos/admin/web/issues/2") if authorization == "Bearer ghs_1" => {
            answer(401, &[], r#"{"message": "Bad credentials"}"#)
        }
        _ if authorization.starts_with("Bearer ghs_") => {
            answer(200, &[], r#"{"number": 1, "state": "open", "created_at": "2026-05-01T19:42:33Z"}"#)
        }
        _ => answer(401, &[], r#"{"message": "Bad credentials"}"#),
    }
}

/// The scripted server's date is 22:13:20, so this is an hour.
const IN_AN_HOUR: &str = "2023-11-14T23:13:20Z";
const IN_FOUR_MINUTES: &str = "2023-11-14T22:17:20Z";

fn targets(server: &TestServer) -> Vec<String> {
    server.seen().iter().map(|request| format!("{} {}", request.method, request.target)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_finds_its_installation_and_keeps_the_token() {
    let (github, server) = github_with_app(None, IN_AN_HOUR).await;
    for _ in 0..3 {
        github.issue(&issue(1)).await.unwrap();
    }
    let issue = "GET /repos/admin/web/issues/1";
    let token = "POST /app/installations/77/access_tokens";
    assert_eq!(targets(&server), ["GET /repos/admin/web/installation", token, issue, issue, issue]);
    for request in &server.seen()[..2] {
        let claims = claims(request);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let (from, until) = (claims["iat"].as_u64().unwrap(), claims["exp"].as_u64().unwrap());
        assert_eq!(claims["iss"], "1234");
        assert!(from < now && until > now && until - from <= 600, "{claims}");
    }
    assert_eq!(server.seen()[4].headers["authorization"], "Bearer ghs_1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_installation_is_not_looked_up_and_a_token_near_its_end_is_replaced() {
    let (github, server) = github_with_app(Some(77), IN_FOUR_MINUTES).await;
    github.issue(&issue(1)).await.unwrap();
    github.issue(&issue(1)).await.unwrap();
    let (token, issue) = ("POST /app/installations/77/access_tokens", "GET /repos/admin/web/issues/1");
    assert_eq!(targets(&server), [token, issue, token, issue]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_revoked_is_replaced_once() {
    let (github, server) = github_with_app(Some(77), IN_AN_HOUR).await;
    github.issue(&issue(2)).await.unwrap();
    assert_eq!(server.seen().last().unwrap().headers["authorization"], "Bearer ghs_2");
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_its_own_viewer_and_says_where_it_is_not_installed() {
    let (github, server) = github_with_app(None, IN_AN_HOUR).await;
    assert_eq!(github.viewer().await.unwrap(), "relay[bot]");
    claims(&server.seen()[0]);
    let elsewhere = baton_core::tracker::IssueKey { repo: "other/web".parse().unwrap(), number: 1 };
    let error = refused(github.issue(&elsewhere).await, TrackerErrorKind::Unauthorized);
    assert!(error.answer.contains("/repos/other/web/installation"), "{error}");
    assert!(!format!("{github:?}").contains("PRIVATE"));
}

#[test]
fn a_key_that_cannot_sign_is_refused_at_once_and_not_shown() {
    let refused = GitHub::new(settings("http://127.0.0.1:1", Auth::app(1, "not a key", None))).unwrap_err();
    assert!(matches!(refused, SetupError::Key(_)), "{refused}");
    assert!(!refused.to_string().contains("not a key"));
}
