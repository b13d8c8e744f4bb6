//! Bad input: GitHub's status, nothing written, nothing broken.

use baton_fixtures::{Client, TestForge};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Everything that a client can read of a repository's state, to see that nothing was written.
async fn state(client: &Client) -> Vec<Value> {
    let mut state = Vec::new();
    for path in [
        "",
        "/issues?state=all",
        "/labels?per_page=100",
        "/milestones?state=all",
        "/issues/comments",
        "/issues/events",
        "/git/matching-refs/heads",
        "/git/matching-refs/baton",
        "/pulls?state=all",
    ] {
        state.push(client.must("GET", &format!("/repos/admin/web{path}"), &Value::Null, 200).await);
    }
    state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused_and_the_connection_ends_without_harm() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let huge = format!("{{\"title\": \"{}\"}}", "x".repeat(33 * 1024 * 1024));
    let answer = repo.client.send("POST", "/repos/admin/web/issues", Some(&huge), &[]).await;
    // A server may hang up on a client that goes on sending; either way nothing is written.
    if let Some(answer) = answer {
        assert_eq!((answer.status, answer.header("connection")), (413, Some("close")));
    }
    assert_eq!(repo.get("/issues").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn path_tricks_in_names_and_refs_reach_nothing() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let before = state(&repo.client).await;
    let tricks = [
        "..",
        "../..",
        "%2e%2e",
        "..%2f..",
        "a%00b",
        "a%0ab",
        "-rf",
        ".git",
        "%ff",
        "a\\b",
        "refs/heads/../../../etc",
        "~root",
        "con:1",
    ];
    for trick in tricks {
        for path in [
            format!("/repos/admin/{trick}"),
            format!("/repos/{trick}/web/issues"),
            format!("/repos/admin/web/git/ref/{trick}"),
            format!("/repos/admin/web/contents/{trick}"),
            format!("/repos/admin/web/branches/{trick}"),
            format!("/repos/admin/web/commits/{trick}"),
            format!("/repos/admin/web/compare/main...{trick}"),
            format!("/repos/admin/web/labels/{trick}"),
            format!("/{trick}/web.git/info/refs?service=git-upload-pack"),
            format!("/admin/{trick}/info/refs?service=git-upload-pack"),
        ] {
            let status = repo.client.send("GET", &path, None, &[]).await.map(|answer| answer.status);
            assert!(
                status.is_some_and(|status| (400..500).contains(&status)
                    || path.ends_with("web/git/ref/..")
                    || status == 200 && is_harmless(&path)),
                "{path}: {status:?}"
            );
        }
        for (path, body) in [
            ("/user/repos", json!({ "name": trick })),
            (
                "/repos/admin/web/git/refs",
                json!({ "ref": format!("refs/heads/{trick}"), "sha": "0".repeat(40) }),
            ),
            (
                "/repos/admin/web/git/trees",
                json!({ "tree": [{ "path": trick, "mode": "100644", "sha": "0".repeat(40) }] }),
            ),
        ] {
            let status = repo.client.ask("POST", path, &body).await.status;
            assert!((400..500).contains(&status), "{path} {body}: {status}");
        }
    }
    assert_eq!(before, state(&repo.client).await);
}

/// Clients fold `..` out of a path before they send it, which may leave a path that exists.
fn is_harmless(path: &str) -> bool {
    path.contains("..") || path.contains("%2e%2e")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_say_who_it_is_is_refused() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    baton_github::install_tls_provider();
    let bare = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = bare.get(format!("{}/user", forge.url)).send().await.unwrap();
    assert_eq!(answer.status(), 403);
    let answer =
        repo.client.send("GET", "/user", None, &[("x-github-api-version", "1999-01-01")]).await.unwrap();
    assert_eq!(answer.status, 400);
}

/// A JSON value of any shape, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,12}|\\PC{0,8}".prop_map(Value::from),
        Just(json!("0000000000000000000000000000000000000000")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// A body with the names of real fields and any values in them.
fn any_body() -> impl Strategy<Value = String> {
    let names = [
        "title",
        "body",
        "labels",
        "assignees",
        "milestone",
        "state",
        "state_reason",
        "name",
        "color",
        "content",
        "encoding",
        "ref",
        "sha",
        "force",
        "tree",
        "base_tree",
        "message",
        "parents",
        "author",
        "committer",
        "head",
        "base",
        "issue_id",
        "sub_issue_id",
        "after_id",
        "permission",
        "description",
        "due_on",
        "merge_method",
        "branch",
        "tag",
        "object",
        "type",
        "lock_reason",
        "default_branch",
        "private",
        "visibility",
    ];
    let field = (prop::sample::select(names.to_vec()), any_json());
    let object = prop::collection::vec(field, 0..6).prop_map(|fields| {
        json!(fields.into_iter().collect::<std::collections::BTreeMap<_, _>>()).to_string()
    });
    prop_oneof![8 => object, 1 => any_json().prop_map(|value| value.to_string()), 1 => "\\PC{0,40}"]
}

/// A path made from a real template with any values in its parts.
fn any_request() -> impl Strategy<Value = (String, String, String)> {
    let endpoints: Vec<_> =
        baton_forge::endpoints().filter(|endpoint| !endpoint.operation.is_empty()).collect();
    let part = prop_oneof![4 => Just("1".to_owned()), 2 => Just("main".to_owned()), 1 => Just("heads/main".to_owned()), 1 => "[a-zA-Z0-9%._~-]{1,12}", 1 => any::<i64>().prop_map(|number| number.to_string())];
    (prop::sample::select(endpoints), prop::collection::vec(part, 4), any_body(), "[a-z_=&%0-9:+-]{0,30}")
        .prop_map(|(endpoint, parts, body, query)| {
            let mut parts = parts.into_iter();
            let mut path = String::new();
            for segment in endpoint.path.split('/').skip(1) {
                path.push('/');
                match segment {
                    "{owner}" => path.push_str("admin"),
                    "{repo}" => path.push_str("web"),
                    segment if segment.starts_with('{') => {
                        path.push_str(&parts.next().unwrap_or_else(|| "1".to_owned()))
                    }
                    segment => path.push_str(segment),
                }
            }
            (endpoint.method.to_owned(), format!("{path}?{query}"), body)
        })
}

#[test]
fn whatever_is_sent_is_answered_and_never_by_a_server_error() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_forge, repo) = runtime.block_on(TestForge::start_with_repo("web"));
    runtime.block_on(repo.post("/issues", json!({ "title": "x", "body": "y" })));
    runtime.block_on(repo.post("/issues/1/comments", json!({ "body": "z" })));
    let cases = if baton_fixtures::is_full() { 20_000 } else { 1_500 };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let mut statuses = std::collections::BTreeMap::<u16, usize>::new();
    let seen = std::cell::RefCell::new(&mut statuses);
    let outcome = runner.run(&any_request(), |(method, path, body)| {
        // The repository must stay for the next request; deleting and hiding it are right answers, not errors.
        if path.starts_with("/repos/admin/web?") && method != "GET" {
            return Ok(());
        }
        let answer = runtime.block_on(repo.client.send(&method, &path, Some(&body), &[]));
        let Some(answer) = answer else {
            return Err(TestCaseError::fail(format!("{method} {path} {body}: no answer")));
        };
        *seen.borrow_mut().entry(answer.status).or_default() += 1;
        prop_assert!(answer.status < 500, "{method} {path} {body}: {} {}", answer.status, answer.text);
        let is_json = answer.text.is_empty()
            || answer.header("content-type").is_some_and(|kind| !kind.contains("json"))
            || serde_json::from_str::<Value>(&answer.text).is_ok();
        prop_assert!(is_json, "{method} {path}: {}", answer.text);
        Ok(())
    });
    println!("{cases} requests: {statuses:?}");
    outcome.unwrap();
    runtime.block_on(repo.client.must("GET", "/repos/admin/web/issues/1", &Value::Null, 200));
}

#[test]
fn a_refused_write_leaves_everything_as_it_was() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_forge, repo) = runtime.block_on(TestForge::start_with_repo("web"));
    runtime.block_on(repo.post("/issues", json!({ "title": "x" })));
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
    let outcome =
        proptest::test_runner::TestRunner::new(config).run(&any_request(), |(method, path, body)| {
            if method == "GET" || path.starts_with("/repos/admin/web?") || !path.starts_with("/repos/") {
                return Ok(());
            }
            let before = runtime.block_on(state(&repo.client));
            let answer = runtime.block_on(repo.client.send(&method, &path, Some(&body), &[]));
            if answer.is_some_and(|answer| answer.status >= 400) {
                prop_assert_eq!(
                    before,
                    runtime.block_on(state(&repo.client)),
                    "{} {} {}",
                    method,
                    path,
                    body
                );
            }
            Ok(())
        });
    outcome.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_made_to_be_expensive_are_answered_quickly() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    let started = std::time::Instant::now();
    let long = format!("/repos/admin/web/labels/{}", "a/".repeat(20_000));
    let status = repo.client.send("GET", &long, None, &[]).await.map(|answer| answer.status);
    assert!(status.is_none_or(|status| (400..500).contains(&status)), "{status:?}");
    let labels = format!("/repos/admin/web/issues?labels={}", vec!["a"; 5_000].join(","));
    assert_eq!(repo.client.ask("GET", &labels, &Value::Null).await.status, 200);
    let mentions: String = (1..=10_000).map(|number| format!("#{number} ")).collect();
    repo.post("/issues/1/comments", json!({ "body": mentions })).await;
    let nul = json!({ "message": "a\u{0}b", "tree": "0".repeat(40) });
    repo.client.must("POST", "/repos/admin/web/git/commits", &nul, 422).await;
    // Not a measurement: each of these took from seconds to minutes, or failed, before it had a limit.
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}
