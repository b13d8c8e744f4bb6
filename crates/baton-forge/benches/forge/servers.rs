//! The two servers: the forge's real binary, and a bare axum handler in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::any;

use crate::TOKEN;
use crate::load::Load;

struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Starts a server and reads the address that its first line ends with.
fn start(command: &mut Command) -> (Served, SocketAddr) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("stdout is piped")).read_line(&mut line).expect("a first line");
    let address = line.trim().rsplit('/').next().and_then(|address| address.parse().ok());
    (Served(child), address.unwrap_or_else(|| panic!("no address in {line:?}")))
}

pub(crate) struct ForgeServer {
    process: Served,
    pub(crate) address: SocketAddr,
}

impl ForgeServer {
    pub(crate) fn start(directory: &Path) -> Self {
        let binary =
            std::env::var_os("BATON_BIN").expect("BATON_BIN names the binary: run `cargo xtask bench forge`");
        let mut command = Command::new(binary);
        command.args(["forge", "serve", "--listen", "127.0.0.1:0", "--data"]).arg(directory.join("data"));
        let (process, address) = start(command.env("BATON_FORGE_TOKEN", TOKEN));
        Self { process, address }
    }

    pub(crate) fn is_write(&self, load: &Load) -> bool {
        load.method != "GET"
    }

    pub(crate) fn rss_mb(&self) -> f64 {
        let output = Command::new("ps").args(["-o", "rss=", "-p", &self.process.0.id().to_string()]).output();
        let kilobytes =
            output.ok().and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse::<f64>().ok());
        kilobytes.expect("ps tells the resident size") / 1_024.0
    }
}

pub(crate) struct Yardstick {
    _process: Served,
    pub(crate) address: SocketAddr,
}

impl Yardstick {
    pub(crate) fn start(directory: &Path, is_write: bool, body: &[u8]) -> Self {
        let file = directory.join(if is_write { "write.json" } else { "read.json" });
        std::fs::write(&file, body).expect("the sample is written");
        let own = std::env::current_exe().expect("this program has a path");
        let (process, address) = start(Command::new(own).arg("yardstick").arg(file));
        Self { _process: process, address }
    }
}

/// Serves one file's bytes for everything, as plainly as axum can.
pub(crate) fn run_yardstick(file: &str) {
    let body = bytes::Bytes::from(std::fs::read(file).expect("the sample is there"));
    let status = if file.ends_with("write.json") { StatusCode::CREATED } else { StatusCode::OK };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let handler = move || async move {
            (status, [(header::CONTENT_TYPE, "application/json; charset=utf-8")], body.clone())
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("yardstick listening on http://{}", listener.local_addr().expect("an address"));
        axum::serve(listener, Router::new().fallback(any(handler))).await.expect("axum serves");
    });
}
