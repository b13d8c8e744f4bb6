//! A server that says what a test wants, byte for byte.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub const DATE: &str = "Date: Tue, 14 Nov 2023 22:13:20 GMT";

/// What it was asked.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// A server that answers each request with what a function returns; the empty text closes the connection.
pub struct TestServer {
    pub url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl TestServer {
    pub async fn start(script: impl Fn(&Request) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, log) = (Arc::new(script), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, log) = (Arc::clone(&script), Arc::clone(&log));
                tokio::spawn(async move { serve(stream, script.as_ref(), &log).await });
            }
        });
        Self { url, seen }
    }

    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(stream: TcpStream, script: &(impl Fn(&Request) -> String + Sync), log: &Mutex<Vec<Request>>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = read(&mut stream).await else { return };
    log.lock().unwrap().push(request.clone());
    let answer = script(&request);
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut request = Request::default();
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let mut words = line.split_whitespace();
    (request.method, request.target) = (words.next()?.to_owned(), words.next()?.to_owned());
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        request.headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = request.headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    request.body = String::from_utf8(body).unwrap();
    Some(request)
}

/// Writes an answer with a date.
pub fn answer(status: u16, headers: &[&str], body: &str) -> String {
    dateless(status, &[&[DATE], headers].concat(), body)
}

/// Writes an answer without a date.
pub fn dateless(status: u16, headers: &[&str], body: &str) -> String {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    format!("HTTP/1.1 {status} Said\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}
