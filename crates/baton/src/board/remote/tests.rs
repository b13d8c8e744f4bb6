//! The remote against a server on this machine that answers as the API does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use baton_view::{OrderKind, example};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// A server with an answer for each `METHOD /path`, which remembers what it was asked.
struct Server {
    url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answers: &[(&str, u16, Value)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answers: BTreeMap<_, _> = answers
            .iter()
            .map(|(line, status, body)| ((*line).to_owned(), (*status, body.to_string())))
            .collect();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serve(stream, &answers, &ears).await;
            }
        });
        Self { url, heard }
    }

    fn remote(&self, token: Option<&str>) -> Remote {
        Remote::new(&self.url, token).unwrap()
    }
}

async fn serve(mut stream: TcpStream, answers: &BTreeMap<String, (u16, String)>, heard: &Mutex<Vec<String>>) {
    let request = receive(&mut stream).await;
    let line = request.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    heard.lock().unwrap().push(request);
    let (status, body) = answers.get(&line).cloned().unwrap_or((500, format!("{line} was not expected")));
    let answer =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.unwrap();
}

/// Reads a request with as much of a body as it says that it has.
async fn receive(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap() == 0 {
            return text;
        }
    }
}

fn issue() -> IssueKey {
    "acme/web#15".parse().unwrap()
}

#[tokio::test]
async fn everything_is_read_as_the_api_writes_it() {
    let card = example::board().cards().find(|card| card.number == 15).cloned().unwrap();
    let page = LogPage { run: 41, entries: example::log(), from: 7, next: 900, is_over: false };
    let server = Server::start(&[
        ("GET /api/v1/board", 200, json!(example::board())),
        ("GET /api/v1/fleet", 200, json!(example::fleet())),
        ("GET /api/v1/issues/acme/web/15", 200, json!(example::issue(card.clone()))),
        ("GET /api/v1/runs?active=false&limit=200", 200, json!(example::runs())),
        ("GET /api/v1/runs/41/log?from=7", 200, json!(page)),
        ("GET /api/v1/report?days=14", 200, json!(example::report())),
        ("GET /api/v1/changes?seen=3&wait_s=20", 200, json!({ "version": 4 })),
    ])
    .await;
    let remote = server.remote(Some("a-token"));
    assert_eq!(remote.board().await, Ok(example::board()));
    assert_eq!(remote.fleet().await, Ok(example::fleet()));
    assert_eq!(remote.issue(&issue()).await, Ok(example::issue(card)));
    let query = RunQuery { limit: Some(200), ..RunQuery::default() };
    assert_eq!(remote.runs(&query).await, Ok(example::runs()));
    assert_eq!(remote.log(41, 7).await, Ok(page));
    assert_eq!(remote.report(Period::default()).await, Ok(example::report()));
    assert_eq!(remote.changed(3).await, 4);
    let heard = server.heard.lock().unwrap().clone();
    assert!(
        heard.iter().all(|request| request.to_lowercase().contains("authorization: bearer a-token")),
        "{heard:?}"
    );
}

#[tokio::test]
async fn an_order_is_answered_whether_or_not_it_was_done() {
    for (status, is_done) in [(200, true), (409, false)] {
        let reply = Reply { is_done, outcome: "x".to_owned(), said: "so it is".to_owned() };
        let server = Server::start(&[("POST /api/v1/issues/acme/web/15/orders", status, json!(reply))]).await;
        let order = Order::Pause { reason: Some("not yet".to_owned()) };
        assert_eq!(server.remote(None).order(&issue(), &order, "dana").await, Ok(reply));
        let heard = server.heard.lock().unwrap().clone();
        let body = heard[0].split_once("\r\n\r\n").unwrap().1;
        let sent: Order = serde_json::from_str(body).unwrap();
        assert_eq!((sent.kind(), sent), (OrderKind::Pause, order));
        assert!(!heard[0].to_lowercase().contains("authorization"), "{}", heard[0]);
    }
}

#[tokio::test]
async fn problems_are_told_in_the_words_of_the_server() {
    let problem = |status: u16| json!({ "title": "No", "detail": "what to do", "status": status });
    let words = || "what to do".to_owned();
    for (status, body, wanted) in [
        (404, problem(404), LookoutError::NoSuch(words())),
        (401, problem(401), LookoutError::OutOfReach(words())),
        (422, problem(422), LookoutError::Refused(words())),
        (503, problem(503), LookoutError::OutOfReach(words())),
        (400, json!({ "title": "Bad Request" }), LookoutError::Refused("Bad Request".to_owned())),
    ] {
        let server = Server::start(&[
            ("GET /api/v1/board", status, body.clone()),
            ("POST /api/v1/issues/acme/web/15/orders", status, body),
        ])
        .await;
        assert_eq!(server.remote(None).board().await, Err(wanted.clone()));
        assert_eq!(server.remote(None).order(&issue(), &Order::Hold {}, "dana").await, Err(wanted));
    }
}

#[tokio::test]
async fn what_is_no_dashboard_is_never_taken_for_an_empty_board() {
    for (status, body) in [(200, json!({})), (200, json!("hello")), (302, json!({})), (500, json!("no"))] {
        let server = Server::start(&[("GET /api/v1/board", status, body)]).await;
        let answer = server.remote(None).board().await;
        assert!(
            matches!(&answer, Err(LookoutError::OutOfReach(words)) if words.contains("dashboard")),
            "{answer:?}"
        );
    }
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let answer = Remote::new(&format!("http://{nobody}"), None).unwrap().board().await;
    assert!(
        matches!(&answer, Err(LookoutError::OutOfReach(words)) if words.contains("refused")),
        "{answer:?}"
    );
}

#[test]
fn an_address_that_cannot_be_meant_is_refused() {
    for url in ["", "127.0.0.1:8477", "ftp://x", "http://", "http://x?y=1", "http://x#y"] {
        assert!(matches!(Remote::new(url, None), Err(CommandError::Usage(_))), "{url}");
    }
}
