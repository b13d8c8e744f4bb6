//! A proxy between one claimant and the forge that counts requests and strikes at one of them, before it reaches the
//! forge or after it took effect and before the answer is delivered.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::claims::waiting::{SOON, eventually};

/// On which side of the forge's work a strike comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// What happens at the struck request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// The claimant is killed; its request or its answer is lost.
    Kill,
    /// The claimant is stopped; its request is lost, or the answer waits for it.
    Stop,
    /// An answer of 500.
    Broken,
    /// The secondary limit, which asks to come back in a second.
    Limit,
    /// The connection ends without an answer.
    Drop,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Strike {
    /// Which of the requests that count, from 1.
    pub(crate) at: usize,
    pub(crate) side: Side,
    pub(crate) deed: Deed,
}

/// A request that came through.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Whether the forge has answered it.
    pub(crate) is_over: bool,
}

impl Seen {
    pub(crate) fn is_write(&self) -> bool {
        self.method != "GET"
    }

    pub(crate) fn name(&self) -> String {
        let path = self.path.replacen("/repos/admin/web", "", 1).replace("%3A", ":");
        let path: String = path.chars().map(|c| if c.is_ascii_digit() { 'N' } else { c }).collect();
        let mut short = path;
        while short.contains("NN") {
            short = short.replace("NN", "N");
        }
        format!("{} {short}", self.method)
    }
}

/// Returns whether a request counts.
pub(crate) type Counts = fn(&[u8]) -> bool;

struct Shared {
    upstream: String,
    strike: Option<Strike>,
    counts: Counts,
    counted: AtomicUsize,
    seen: Mutex<Vec<Seen>>,
    pid: OnceLock<i32>,
    struck: OnceLock<()>,
    is_away: AtomicBool,
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    shared: Arc<Shared>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(forge_url: &str, strike: Option<Strike>) -> Self {
        Self::start_counting(forge_url, strike, |_| true).await
    }

    /// Starts a proxy that counts only some requests, whatever else comes between them.
    pub(crate) async fn start_counting(forge_url: &str, strike: Option<Strike>, counts: Counts) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            upstream: forge_url.trim_start_matches("http://").to_owned(),
            strike,
            counts,
            counted: AtomicUsize::new(0),
            seen: Mutex::default(),
            pid: OnceLock::new(),
            struck: OnceLock::new(),
            is_away: AtomicBool::new(false),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { url, shared, accepting }
    }

    /// Says which process is struck by signals.
    pub(crate) fn aim(&self, pid: u32) {
        self.shared.pid.set(i32::try_from(pid).unwrap()).unwrap();
    }

    /// Makes the tracker answer nobody, or everybody again.
    pub(crate) fn go_away(&self, is_away: bool) {
        self.shared.is_away.store(is_away, Ordering::Release);
    }

    pub(crate) fn is_struck(&self) -> bool {
        self.shared.struck.get().is_some()
    }

    /// How many requests have counted.
    pub(crate) fn counted(&self) -> usize {
        self.shared.counted.load(Ordering::Acquire)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((client, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        // A client that went away is no concern of the proxy's.
        tokio::spawn(async move { shared.serve(client).await.ok() });
    }
}

impl Shared {
    /// Serves one request; every connection carries only one.
    async fn serve(&self, mut client: TcpStream) -> std::io::Result<()> {
        let Some(request) = read_request(&mut client).await? else { return Ok(()) };
        if self.is_away.load(Ordering::Acquire) {
            return Ok(());
        }
        let (index, number) = self.note(&request);
        let strike = self.strike.filter(|strike| Some(strike.at) == number);
        if let Some(strike) = strike.filter(|strike| strike.side == Side::Before) {
            return self.strike(strike.deed, client, None).await;
        }
        let mut forge = TcpStream::connect(&self.upstream).await?;
        forge.write_all(&request).await?;
        let mut answer = Vec::new();
        forge.read_to_end(&mut answer).await?;
        self.seen.lock().unwrap()[index].is_over = true;
        match strike {
            Some(strike) => self.strike(strike.deed, client, Some(&answer)).await,
            None => client.write_all(&answer).await,
        }
    }

    /// Notes a request. Returns its place among all, and its number among those that count.
    fn note(&self, request: &[u8]) -> (usize, Option<usize>) {
        let head = String::from_utf8_lossy(request);
        let mut words = head.split([' ', '?']);
        let mut word = || words.next().unwrap_or_default().to_owned();
        let mut seen = self.seen.lock().unwrap();
        seen.push(Seen { method: word(), path: word(), is_over: false });
        let number = (self.counts)(request).then(|| self.counted.fetch_add(1, Ordering::AcqRel) + 1);
        (seen.len() - 1, number)
    }

    async fn strike(&self, deed: Deed, mut client: TcpStream, answer: Option<&[u8]>) -> std::io::Result<()> {
        // Who is not stopped may go on, or be seen dead, before this does.
        if deed != Deed::Stop {
            self.struck.set(()).unwrap();
        }
        match deed {
            Deed::Kill => self.signal(Signal::KILL).await,
            Deed::Stop => {
                self.signal(Signal::STOP).await;
                if let Some(answer) = answer {
                    client.write_all(answer).await?;
                }
                self.struck.set(()).unwrap();
            }
            Deed::Broken => client.write_all(&page("500 Internal Server Error", "", "Server Error")).await?,
            Deed::Limit => {
                let words = "You have exceeded a secondary rate limit. Please wait a few minutes.";
                client.write_all(&page("403 Forbidden", "retry-after: 1\r\n", words)).await?;
            }
            Deed::Drop => {}
        }
        Ok(())
    }

    async fn signal(&self, signal: Signal) {
        let pid = eventually("the claimant's process id", SOON, || self.pid.get().copied()).await;
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        if signal == Signal::STOP {
            eventually("the claimant stops", SOON, || is_stopped(pid).then_some(())).await;
        }
    }
}

/// Returns whether all of a process stands still.
fn is_stopped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}

fn page(status: &str, headers: &str, message: &str) -> Vec<u8> {
    let body = serde_json::json!({ "message": message }).to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Reads one request and asks for its connection to be closed afterwards, so that an answer ends where the bytes do.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    while bytes.len() < head_end + length.unwrap_or(0) {
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    let kept = head.trim_end().lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let mut request = kept.collect::<Vec<_>>().join("\r\n").into_bytes();
    request.extend_from_slice(b"\r\nconnection: close\r\n\r\n");
    request.extend_from_slice(&bytes[head_end..]);
    Ok(Some(request))
}
