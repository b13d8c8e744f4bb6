//! A client that costs little: raw HTTP/1.1 over connections that stay open.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::TOKEN;
use crate::servers::ForgeServer;

/// Draws a path and a body.
type Target = Rc<dyn Fn(u64) -> (String, String)>;

/// One kind of request, with a path drawn anew each time.
#[derive(Clone)]
pub(crate) struct Load {
    address: SocketAddr,
    pub(crate) method: &'static str,
    target: Target,
}

impl Load {
    pub(crate) fn get(forge: &ForgeServer, path: impl Fn(u64) -> String + 'static) -> Self {
        Self::bodied(forge, "GET", move |draw| (path(draw), String::new()))
    }

    pub(crate) fn post(forge: &ForgeServer, body: &str, path: impl Fn(u64) -> String + 'static) -> Self {
        let body = body.to_owned();
        Self::bodied(forge, "POST", move |draw| (path(draw), body.clone()))
    }

    /// Requests whose bodies are drawn too.
    pub(crate) fn bodied(
        forge: &ForgeServer,
        method: &'static str,
        target: impl Fn(u64) -> (String, String) + 'static,
    ) -> Self {
        Self { address: forge.address, method, target: Rc::new(target) }
    }

    /// The same requests to another server.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    fn request(&self, draw: u64) -> String {
        let (path, body) = (self.target)(draw);
        format!(
            "{} {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: bench\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{body}",
            self.method,
            self.address,
            body.len(),
        )
    }
}

/// The next number of a splitmix64 sequence.
fn draw(state: &AtomicU64) -> u64 {
    let state = state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Sends one request and reads its answer; returns the status and where the body lies in the buffer.
async fn exchange(stream: &mut TcpStream, request: &str, buffer: &mut Vec<u8>) -> (u16, usize) {
    stream.write_all(request.as_bytes()).await.expect("a request is sent");
    buffer.clear();
    loop {
        let read = stream.read_buf(buffer).await.expect("an answer comes");
        assert!(read > 0, "the server hung up");
        if let Some(start) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = std::str::from_utf8(&buffer[..start]).expect("headers are text").to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let end = start + 4 + length.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
            while buffer.len() < end {
                assert!(stream.read_buf(buffer).await.expect("the body comes") > 0, "the server hung up");
            }
            return (head[9..12].parse().expect("a status"), start + 4);
        }
    }
}

async fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).await.expect("the server accepts");
    stream.set_nodelay(true).expect("a socket option");
    stream
}

/// Runs `connections` loops until each is told to stop; returns how many requests were answered.
async fn drive(load: &Load, connections: usize, go_on: impl Fn() -> bool + Clone + 'static) -> u64 {
    let done = Rc::new(AtomicU64::new(0));
    let numbers = Rc::new(AtomicU64::new(0x1234_5678));
    let local = LocalSet::new();
    for _ in 0..connections {
        let (load, go_on, done, numbers) =
            (load.clone(), go_on.clone(), Rc::clone(&done), Rc::clone(&numbers));
        local.spawn_local(async move {
            let mut stream = connect(load.address).await;
            let mut buffer = Vec::with_capacity(1 << 20);
            while go_on() {
                let request = load.request(draw(&numbers));
                let (status, body) = exchange(&mut stream, &request, &mut buffer).await;
                assert!(status < 300, "{request}\n{status}: {}", String::from_utf8_lossy(&buffer[body..]));
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    local.await;
    done.load(Ordering::Relaxed)
}

/// Requests per second.
pub(crate) async fn measure(load: &Load, connections: usize, time: Duration) -> f64 {
    let started = Instant::now();
    let done = drive(load, connections, move || started.elapsed() < time).await;
    done as f64 / started.elapsed().as_secs_f64()
}

/// Sends so many requests; returns how long it took.
pub(crate) async fn count(load: &Load, connections: usize, count: u64) -> Duration {
    let started = Instant::now();
    let left = Rc::new(AtomicU64::new(count));
    let take =
        move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
    drive(load, connections, take).await;
    started.elapsed()
}

/// The body of one answer.
pub(crate) async fn sample(load: &Load) -> Vec<u8> {
    let mut buffer = Vec::new();
    let (_, body) = exchange(&mut connect(load.address).await, &load.request(7), &mut buffer).await;
    buffer.split_off(body)
}

pub(crate) async fn once(forge: &ForgeServer, method: &'static str, path: &str, body: &str) {
    let target = (path.to_owned(), body.to_owned());
    let load = Load::bodied(forge, method, move |_| target.clone());
    count(&load, 1, 1).await;
}
