//! A proxy that times each request to the forge, so that what an engine waits for can be told from what it takes itself.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A request: when it came, and when it was answered.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) line: String,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
}

pub(crate) struct Meter {
    pub(crate) url: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Meter {
    pub(crate) async fn start(forge_url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let (upstream, noted) = (forge_url.trim_start_matches("http://").to_owned(), Arc::clone(&calls));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (upstream, noted) = (upstream.clone(), Arc::clone(&noted));
                // A client that went away is no concern of the proxy's.
                tokio::spawn(async move { serve(client, &upstream, &noted).await.ok() });
            }
        });
        Self { url, calls }
    }

    /// The calls within a time, and for how much of it at least one was under way.
    pub(crate) fn within(&self, from: Instant, to: Instant) -> (Vec<Call>, Duration) {
        let calls = self.calls.lock().unwrap();
        let mut within: Vec<_> =
            calls.iter().filter(|it| it.began >= from && it.began < to).cloned().collect();
        within.sort_by_key(|call| call.began);
        let (mut busy, mut until) = (Duration::ZERO, from);
        for call in &within {
            let (began, ended) = (call.began.max(until), call.ended.min(to));
            busy += ended.saturating_duration_since(began);
            until = until.max(ended);
        }
        (within, busy)
    }
}

/// Passes bytes both ways. What the client says after an answer is a new request; its answer lasts until the last byte before
/// the next.
async fn serve(mut client: TcpStream, upstream: &str, noted: &Mutex<Vec<Call>>) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut forge = TcpStream::connect(upstream).await?;
    forge.set_nodelay(true)?;
    let (mut asked, mut said) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let (mut current, mut is_answered) = (0, true);
    loop {
        tokio::select! {
            count = client.read(&mut asked) => match count? {
                0 => return Ok(()),
                count => {
                    if is_answered {
                        current = begin(noted, &asked[..count]);
                        is_answered = false;
                    }
                    forge.write_all(&asked[..count]).await?;
                }
            },
            count = forge.read(&mut said) => match count? {
                0 => return Ok(()),
                count => {
                    client.write_all(&said[..count]).await?;
                    noted.lock().unwrap()[current].ended = Instant::now();
                    is_answered = true;
                }
            },
        }
    }
}

/// Notes a request. Returns its place.
fn begin(noted: &Mutex<Vec<Call>>, request: &[u8]) -> usize {
    let line = String::from_utf8_lossy(request).lines().next().unwrap_or_default().to_owned();
    let now = Instant::now();
    let mut noted = noted.lock().unwrap();
    noted.push(Call { line, began: now, ended: now });
    noted.len() - 1
}
