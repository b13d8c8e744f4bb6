//! The server under test, in a process of its own, with a static file beside the dashboard.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use baton_sim::{HandClock, MemoryStore};
use baton_web::{Access, Dashboard, Server};
use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::relay::Crowd;

/// Serves until it is killed, and says where.
pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let lookout = Arc::new(Crowd::new());
        let dashboard =
            || Dashboard { lookout: Arc::clone(&lookout), access: Access::default(), forge: None }.routes();
        let file = page(dashboard()).await;
        let answer = move || {
            let file = file.clone();
            async move { ([(header::CONTENT_TYPE, "text/html")], file) }
        };
        let routes = dashboard().merge(Router::new().route("/static", get(answer)));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address"));
        // It is killed by whoever started it.
        let end = std::future::pending();
        let server = Server {
            store: Arc::new(MemoryStore::new(HandClock::default())),
            secret: None,
            dashboard: Some(routes),
        };
        server.serve(listener, end).await.expect("it serves");
    });
}

/// Returns the bytes of the board's page, which the static file has too.
async fn page(routes: Router) -> Bytes {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = routes.into_make_service_with_connect_info::<std::net::SocketAddr>();
    let serving = tokio::spawn(async move { axum::serve(listener, service).await });
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request =
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    serving.abort();
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    Bytes::from(answer.split_off(head + 4))
}

/// The process of the server; it ends with this value.
pub(crate) struct Child {
    process: std::process::Child,
    address: String,
}

impl Child {
    pub(crate) fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut process =
            Command::new(program).arg("serve").stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut address = String::new();
        let said = process.stdout.take().expect("its output");
        BufReader::new(said).read_line(&mut address).expect("its address");
        Self { process, address: address.trim().to_owned() }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns how much memory the process takes.
    pub(crate) fn rss_bytes(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
