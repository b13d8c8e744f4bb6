//! An address that stays the same while what is behind it changes: the forge, or a proxy that strikes.

use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Gate {
    pub(crate) url: String,
    target: Arc<Mutex<String>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Gate {
    pub(crate) async fn start(url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = Arc::new(Mutex::new(address(url)));
        let own = format!("http://{}", listener.local_addr().unwrap());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&target)));
        Self { url: own, target, accepting }
    }

    /// Says what is behind it from now on.
    pub(crate) fn lead_to(&self, url: &str) {
        *self.target.lock().unwrap() = address(url);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn address(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}

async fn accept(listener: TcpListener, target: Arc<Mutex<String>>) {
    while let Ok((mut client, _)) = listener.accept().await {
        let target = target.lock().unwrap().clone();
        // A client or a proxy that went away is no concern of the gate's.
        tokio::spawn(async move {
            let mut behind = TcpStream::connect(target).await.ok()?;
            copy_bidirectional(&mut client, &mut behind).await.ok()
        });
    }
}
