//! How fast the dashboard shows a large board, beside a static file of the same size, and how fast news reach many streams.
//!
//! The server is a process of its own, so that its memory is its own. Run by `cargo xtask bench web`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it starts processes, reads the clock and prints"
)]

mod relay;
mod server;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use server::Child;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

const REQUESTS: usize = 300;
const ROUNDS: usize = 5;
const STREAMS: usize = 500;
/// How many changes each stream must hear of.
const CHANGES: usize = 25;

fn main() {
    if std::env::args().any(|argument| argument == "serve") {
        server::serve();
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let table = runtime.expect("a runtime").block_on(measure());
    println!("{table}");
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, table).expect("the figures are kept");
    }
}

async fn measure() -> String {
    let server = Child::start();
    let mut table = String::from("| what | dashboard | beside | ratio |\n|---|---|---|---|\n");
    let (mut boards, mut files, mut bytes) = (Vec::new(), Vec::new(), 0);
    // In turns, so that a disturbance hits both.
    for _ in 0..ROUNDS {
        let (took, size) = ask(server.address(), "/").await;
        boards.extend(took);
        bytes = size;
        files.extend(ask(server.address(), "/static").await.0);
    }
    let (board, file) = (share(&mut boards, 50), share(&mut files, 50));
    let ratio = board.as_secs_f64() / file.as_secs_f64();
    let _ = writeln!(
        table,
        "| board of {} issues, p50 of {} requests | {} µs, {bytes} bytes | static file {} µs | {ratio:.2} |",
        relay::ISSUES,
        boards.len(),
        board.as_micros(),
        file.as_micros()
    );
    let (board, file) = (share(&mut boards, 99), share(&mut files, 99));
    let _ = writeln!(
        table,
        "| the same, p99 | {} µs | {} µs | {:.2} |",
        board.as_micros(),
        file.as_micros(),
        board.as_secs_f64() / file.as_secs_f64()
    );
    let before = server.rss_bytes();
    let mut delays = listen(server.address()).await;
    let after = server.rss_bytes();
    let heard = delays.len();
    let (p50, p99) = (share(&mut delays, 50), share(&mut delays, 99));
    let _ = writeln!(
        table,
        "| a change until {STREAMS} streams have it, {heard} deliveries | p50 {:.1} ms, p99 {:.1} ms | aim: p99 under 100 ms | |",
        ms(p50),
        ms(p99)
    );
    let each = after.saturating_sub(before) / STREAMS as u64;
    let _ = writeln!(
        table,
        "| memory of a stream: RSS {} → {} KiB | {:.1} KiB | aim: under 64 KiB | |",
        before / 1024,
        after / 1024,
        each as f64 / 1024.0
    );
    table
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn share(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent).div_ceil(100).saturating_sub(1)]
}

/// Asks for a page many times over one connection. Returns how long each answer took, and its size.
async fn ask(address: &str, path: &str) -> (Vec<Duration>, usize) {
    let mut stream = BufReader::new(TcpStream::connect(address).await.expect("a connection"));
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\n\r\n");
    let (mut times, mut size) = (Vec::with_capacity(REQUESTS), 0);
    let mut body = Vec::new();
    for _ in 0..REQUESTS {
        let began = Instant::now();
        stream.write_all(request.as_bytes()).await.expect("a request");
        let length = head(&mut stream).await.expect("an answer with a length");
        body.resize(length, 0);
        stream.read_exact(&mut body).await.expect("a body");
        times.push(began.elapsed());
        size = length;
    }
    (times, size)
}

/// Reads the head of an answer. Returns the length of its body, where it tells.
async fn head(stream: &mut BufReader<TcpStream>) -> Option<usize> {
    let (mut length, mut line) = (None, String::new());
    loop {
        line.clear();
        stream.read_line(&mut line).await.expect("a head");
        if line.starts_with("HTTP/1.1") {
            assert!(line.contains(" 200 "), "{line}");
        }
        if line == "\r\n" || line.is_empty() {
            return length;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        }
    }
}

/// Opens all streams, and returns how long each change took to reach each of them.
async fn listen(address: &str) -> Vec<Duration> {
    let opened = std::sync::Arc::new(tokio::sync::Barrier::new(STREAMS));
    let mut listening = tokio::task::JoinSet::new();
    for _ in 0..STREAMS {
        listening.spawn(one_stream(address.to_owned(), std::sync::Arc::clone(&opened)));
    }
    listening.join_all().await.into_iter().flatten().collect()
}

async fn one_stream(address: String, opened: std::sync::Arc<tokio::sync::Barrier>) -> Vec<Duration> {
    let mut stream = BufReader::new(TcpStream::connect(&address).await.expect("a connection"));
    let request = format!("GET /events HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    head(&mut stream).await;
    opened.wait().await;
    let (mut delays, mut line) = (Vec::with_capacity(CHANGES), Vec::new());
    let opened_at = relay::now_us();
    while delays.len() < CHANGES {
        line.clear();
        let read = stream.read_until(b'\n', &mut line).await.expect("an event");
        assert!(read > 0, "the stream ended after {} changes", delays.len());
        // What changed before all streams were open says nothing about how fast it came.
        if let Some(at) = relay::stamp_in(&line).filter(|at| *at > opened_at) {
            delays.push(Duration::from_micros(relay::now_us().saturating_sub(at)));
        }
    }
    delays
}
