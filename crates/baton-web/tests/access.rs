//! Who is let in, and who is not.

use crate::support::{ELSEWHERE, HERE, Reaction, TOKEN, dashboard, send};
use axum::Router;

const BOARD: &str = "GET /api/v1/board";
const ORDER: &str = "POST /api/v1/issues/acme/web/15/orders";
const PAUSE: &str = r#"{"order":"pause"}"#;
const JSON: (&str, &str) = ("Content-Type", "application/json");
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml");

fn bearer() -> String {
    format!("Bearer {TOKEN}")
}

#[tokio::test]
async fn a_request_is_let_in_or_not_by_where_it_comes_from_and_what_it_shows() {
    let (right, lower) = (bearer(), format!("bearer  {TOKEN}"));
    let wrong = format!("Bearer {}", &TOKEN[1..]);
    let basic = format!("Basic {TOKEN}");
    for (token, peer, shown, expected) in [
        (None, HERE, None, 200),
        (None, "[::1]:1", None, 200),
        (None, "[::ffff:127.0.0.1]:1", None, 200),
        (None, ELSEWHERE, None, 403),
        (None, ELSEWHERE, Some(&*right), 403),
        (Some(TOKEN), HERE, None, 401),
        (Some(TOKEN), HERE, Some(&*right), 200),
        (Some(TOKEN), ELSEWHERE, None, 401),
        (Some(TOKEN), ELSEWHERE, Some(&*right), 200),
        (Some(TOKEN), ELSEWHERE, Some(&*lower), 200),
        (Some(TOKEN), ELSEWHERE, Some(&*wrong), 401),
        (Some(TOKEN), ELSEWHERE, Some(&*basic), 401),
        (Some(TOKEN), ELSEWHERE, Some("Bearer "), 401),
        (Some(TOKEN), ELSEWHERE, Some(""), 401),
        (Some(TOKEN), ELSEWHERE, Some(TOKEN), 401),
        (Some(""), HERE, Some("Bearer "), 401),
    ] {
        let headers: Vec<_> = shown.map(|shown| ("Authorization", shown)).into_iter().collect();
        let answer = send(&dashboard(token), peer, BOARD, &headers, "").await;
        assert_eq!(answer.status, expected, "{peer} {shown:?}");
        assert!(!answer.text.contains(TOKEN));
        if expected != 200 {
            assert_eq!(answer.header("content-type"), "application/problem+json");
        }
        assert_eq!(answer.header("www-authenticate").starts_with("Bearer"), expected == 401);
    }
}

#[tokio::test]
async fn a_request_without_an_address_on_the_other_end_is_refused() {
    use tower::ServiceExt as _;
    let request = axum::http::Request::get("/api/v1/board").header("Host", "localhost");
    let request = request.body(axum::body::Body::empty()).unwrap();
    assert_eq!(dashboard(None).oneshot(request).await.unwrap().status(), 403);
}

#[tokio::test]
async fn a_server_that_is_called_by_a_name_of_others_does_not_answer() {
    let bearer = bearer();
    for (host, expected) in [
        ("127.0.0.1:7000", 200),
        ("localhost:7000", 200),
        ("[::1]:7000", 200),
        ("baton.example.com", 200),
        ("rebound.example:7000", 421),
        ("localhost.evil.example", 421),
        ("10.0.0.1", 421),
        ("", 421),
        ("a b", 421),
    ] {
        for token in [None, Some(TOKEN)] {
            let mut headers = vec![("Host", host)];
            headers.extend(token.map(|_| ("Authorization", &*bearer)));
            let answer = send(&dashboard(token), HERE, BOARD, &headers, "").await;
            assert_eq!(answer.status, expected, "{host}");
        }
    }
    let two = [("Host", "localhost"), ("Host", "evil.example")];
    assert_eq!(send(&dashboard(None), HERE, BOARD, &two, "").await.status, 421);
    let absolute = "GET http://evil.example/api/v1/board";
    assert_eq!(send(&dashboard(None), HERE, absolute, &[("Host", "localhost")], "").await.status, 421);
}

#[tokio::test]
async fn what_another_site_sends_changes_nothing() {
    for (name, value, expected) in [
        ("Origin", "http://127.0.0.1:7000", 200),
        ("Origin", "http://evil.example", 403),
        ("Origin", "http://127.0.0.1:8000", 403),
        ("Origin", "null", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
        ("Sec-Fetch-Site", "none", 200),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "cross-site", 403),
    ] {
        let bearer = bearer();
        for (token, shown) in [(None, None), (Some(TOKEN), Some(("Authorization", &*bearer)))] {
            let headers: Vec<_> = [JSON, (name, value)].into_iter().chain(shown).collect();
            let answer = send(&dashboard(token), HERE, ORDER, &headers, PAUSE).await;
            assert_eq!(answer.status, expected, "{name}: {value}");
        }
        // Reading is harmless: a browser does not show the answer to another site.
        assert_eq!(send(&dashboard(None), HERE, BOARD, &[(name, value)], "").await.status, 200);
    }
}

#[tokio::test]
async fn a_form_of_another_site_cannot_use_the_api() {
    for kind in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""] {
        let answer = send(&dashboard(None), HERE, ORDER, &[("Content-Type", kind)], PAUSE).await;
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert_eq!(send(&dashboard(None), HERE, ORDER, &[], PAUSE).await.status, 415);
    let preflight = [("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")];
    let answer = send(&dashboard(None), HERE, &ORDER.replace("POST", "OPTIONS"), &preflight, "").await;
    assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (405, ""));
}

async fn log_in(routes: &Router, token: &str, next: &str) -> (Reaction, Reaction) {
    let shown = send(routes, ELSEWHERE, &format!("GET /login?next={next}"), &[BROWSER], "").await;
    assert_eq!(shown.status, 200);
    let csrf = field(&shown.text, "_csrf");
    let form = format!("_csrf={csrf}&token={token}&next={}", field(&shown.text, "next"));
    let cookie = shown.cookie();
    let sent = send(routes, ELSEWHERE, "POST /login", &[FORM, ("Cookie", &cookie)], &form).await;
    (shown, sent)
}

fn field(page: &str, name: &str) -> String {
    let place = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap().1;
    place.split_once('"').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_browser_logs_in_and_out() {
    let routes = dashboard(Some(TOKEN));
    let stranger = send(&routes, ELSEWHERE, "GET /metrics?x=1", &[BROWSER], "").await;
    assert_eq!(
        (stranger.status.as_u16(), stranger.header("location")),
        (303, "/login?next=%2Fmetrics%3Fx%3D1")
    );
    let (shown, sent) = log_in(&routes, TOKEN, "%2Fmetrics%3Fx%3D1").await;
    assert_eq!((sent.status.as_u16(), sent.header("location")), (303, "/metrics?x=1"), "{}", sent.text);
    let session = sent.cookie();
    let line = sent.header("set-cookie");
    assert!(line.contains("HttpOnly; SameSite=Lax; Path=/; Max-Age="), "{line}");
    assert!(!line.contains(TOKEN) && session != shown.cookie());
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Cookie", &session)], "").await.status, 200);
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Cookie", &shown.cookie())], "").await.status, 401);
    let orders = send(&routes, ELSEWHERE, ORDER, &[JSON, ("Cookie", &session)], PAUSE).await;
    assert!(orders.status == 200 && orders.text.contains("done for dana"), "{}", orders.text);
    // The session of one server is nothing to the next.
    assert_eq!(
        send(&dashboard(Some(TOKEN)), ELSEWHERE, BOARD, &[("Cookie", &session)], "").await.status,
        401
    );
    let page = send(&routes, ELSEWHERE, "GET /login", &[("Cookie", &session)], "").await;
    let form = format!("_csrf={}", field(&page.text, "_csrf"));
    let out = send(&routes, ELSEWHERE, "POST /logout", &[FORM, ("Cookie", &session)], &form).await;
    assert_eq!((out.status.as_u16(), out.header("location")), (303, "/login"));
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Cookie", &out.cookie())], "").await.status, 401);
}

#[tokio::test]
async fn a_login_leads_to_no_other_site() {
    for next in ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example"] {
        let (_, sent) = log_in(&dashboard(Some(TOKEN)), TOKEN, next).await;
        assert_eq!((sent.status.as_u16(), sent.header("location")), (303, "/"), "{next}");
    }
    let (shown, _) = log_in(&dashboard(Some(TOKEN)), TOKEN, "/%22%3E%3Cscript%3E").await;
    assert!(!shown.text.contains("<script"), "{}", shown.text);
}

#[tokio::test(start_paused = true)]
async fn whoever_tries_too_many_wrong_tokens_waits_and_may_then_try_again() {
    let routes = dashboard(Some(TOKEN));
    for _ in 0..10 {
        let (_, sent) = log_in(&routes, "wrong", "/").await;
        assert_eq!(sent.status, 403);
        assert!(sent.text.contains("role=\"alert\"") && sent.header("set-cookie").is_empty());
    }
    let (_, sent) = log_in(&routes, TOKEN, "/").await;
    assert_eq!(sent.status, 429);
    assert!(sent.header("retry-after").parse::<u64>().unwrap() > 50);
    tokio::time::advance(std::time::Duration::from_secs(61)).await;
    assert_eq!(log_in(&routes, TOKEN, "/").await.1.status, 303);
}

#[tokio::test(start_paused = true)]
async fn tokens_that_programs_send_are_guesses_too() {
    let routes = dashboard(Some(TOKEN));
    let right = bearer();
    for guess in 0..10 {
        let wrong = format!("Bearer guess number {guess}");
        assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Authorization", &wrong)], "").await.status, 401);
    }
    let crowded = send(&routes, ELSEWHERE, BOARD, &[("Authorization", &right)], "").await;
    assert_eq!(crowded.status, 429);
    assert!(crowded.header("retry-after").parse::<u64>().unwrap() > 50);
    assert_eq!(send(&routes, HERE, BOARD, &[("Authorization", &right)], "").await.status, 200);
    assert_eq!(log_in(&routes, TOKEN, "/").await.1.status, 429, "it is one list for both");
    tokio::time::advance(std::time::Duration::from_secs(61)).await;
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Authorization", &right)], "").await.status, 200);
}

#[tokio::test]
async fn a_link_from_elsewhere_does_not_log_anybody_out() {
    let routes = dashboard(Some(TOKEN));
    let (shown, sent) = log_in(&routes, TOKEN, "/").await;
    let both = format!("{}; {}", shown.cookie(), sent.cookie());
    let from_elsewhere = [("Cookie", &*both), ("Sec-Fetch-Site", "cross-site"), BROWSER];
    let page = send(&routes, ELSEWHERE, "GET /", &from_elsewhere, "").await;
    assert_eq!((page.status.as_u16(), page.header("set-cookie")), (200, ""));
    // A browser that does not send the session is given a pass under another name, which leaves the session where it is.
    let without = send(&routes, ELSEWHERE, "GET /login", &[BROWSER], "").await;
    assert_ne!(without.cookie().split('=').next(), sent.cookie().split('=').next());
}

#[tokio::test]
async fn whoever_is_logged_in_can_log_out_from_every_page() {
    let routes = dashboard(Some(TOKEN));
    let session = log_in(&routes, TOKEN, "/").await.1.cookie();
    let page = send(&routes, ELSEWHERE, "GET /", &[("Cookie", &session), BROWSER], "").await;
    let form = page.text.split_once("action=\"/logout\"").expect("there is a form to log out by").1;
    let body = format!("_csrf={}", field(form, "_csrf"));
    let out = send(&routes, ELSEWHERE, "POST /logout", &[FORM, ("Cookie", &session)], &body).await;
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
    let here = send(&dashboard(None), HERE, "GET /", &[BROWSER], "").await;
    assert!(!here.text.contains("/logout"), "without a token there is nothing to log out of");
}

#[tokio::test]
async fn the_login_is_drawn_with_files_that_there_are() {
    let routes = dashboard(Some(TOKEN));
    let shown = send(&routes, ELSEWHERE, "GET /login", &[BROWSER], "").await;
    assert!(shown.text.contains("name=\"color-scheme\""), "{}", shown.text);
    let files: Vec<_> =
        shown.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(files.iter().any(|file| file.contains(".css")), "{files:?}");
    for file in files {
        assert_eq!(send(&routes, ELSEWHERE, &format!("GET {file}"), &[], "").await.status, 200, "{file}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_ends() {
    let routes = dashboard(Some(TOKEN));
    let session = log_in(&routes, TOKEN, "/").await.1.cookie();
    tokio::time::advance(std::time::Duration::from_secs(12 * 60 * 60 - 5)).await;
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Cookie", &session)], "").await.status, 200);
    tokio::time::advance(std::time::Duration::from_secs(10)).await;
    assert_eq!(send(&routes, ELSEWHERE, BOARD, &[("Cookie", &session)], "").await.status, 401);
}

#[tokio::test]
async fn a_form_must_carry_what_its_page_was_given() {
    let routes = dashboard(Some(TOKEN));
    let [one, other] = [(); 2].map(|()| send(&routes, ELSEWHERE, "GET /login", &[], ""));
    let (one, other) = (one.await, other.await);
    let (cookie, csrf) = (one.cookie(), field(&one.text, "_csrf"));
    let (foreign, large) = (field(&other.text, "_csrf"), "x".repeat(300 * 1024));
    let token = format!("token={TOKEN}");
    let other_cookie = other.cookie();
    for (cookie, form, header, expected) in [
        (Some(&cookie), format!("{token}&_csrf={csrf}"), None, 303),
        (Some(&cookie), token.clone(), Some(&csrf), 303),
        (Some(&cookie), token.clone(), None, 403),
        (Some(&cookie), format!("{token}&_csrf="), None, 403),
        (Some(&cookie), format!("{token}&_csrf={foreign}"), None, 403),
        (Some(&cookie), format!("{token}&_csrf={csrf}&_csrf={csrf}"), None, 403),
        (Some(&cookie), format!("{token}&_csrf={csrf}"), Some(&foreign), 403),
        (Some(&other_cookie), format!("{token}&_csrf={csrf}"), None, 403),
        (None, format!("{token}&_csrf={csrf}"), None, 403),
        (Some(&cookie), format!("{token}&_csrf={csrf}&pad={large}"), None, 413),
    ] {
        let mut headers = vec![FORM];
        headers.extend(cookie.map(|cookie| ("Cookie", &**cookie)));
        headers.extend(header.map(|header| ("X-CSRF-Token", &**header)));
        let answer = send(&routes, ELSEWHERE, "POST /login", &headers, &form).await;
        assert_eq!(answer.status, expected, "{}", &form[..form.len().min(200)]);
    }
    let multipart = [("Content-Type", "multipart/form-data; boundary=x"), ("Cookie", &*cookie)];
    assert_eq!(send(&routes, ELSEWHERE, "POST /login", &multipart, "").await.status, 415);
}

#[tokio::test]
async fn every_answer_tells_browsers_what_they_may_do_with_it() {
    for (token, line) in
        [(None, BOARD), (Some(TOKEN), BOARD), (Some(TOKEN), "GET /login"), (None, "GET /api/none")]
    {
        let answer = send(&dashboard(token), HERE, line, &[], "").await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), value, "{line}");
        }
    }
}

#[tokio::test]
async fn a_part_of_a_page_sends_the_whole_page_to_the_login() {
    let routes = dashboard(Some(TOKEN));
    let answer = send(&routes, HERE, "GET /metrics", &[("HX-Request", "true"), BROWSER], "").await;
    assert_eq!((answer.status.as_u16(), answer.header("hx-redirect")), (401, "/login"));
}
