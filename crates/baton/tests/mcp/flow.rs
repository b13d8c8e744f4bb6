//! The client library, with both of the ways in which clients begin.

use std::path::PathBuf;
use std::process::Command;

use crate::mcp::place::{Place, repository_root};
use crate::support::TOKEN;

/// The directory that `cargo xtask test` has filled with the clients.
fn python() -> PathBuf {
    let directory = std::env::var_os("BATON_CONTRACT_DIR");
    let directory = directory
        .expect("BATON_CONTRACT_DIR is not set: run `cargo xtask test`, which installs what this needs");
    PathBuf::from(directory).join("venv/bin/python")
}

async fn drive(mode: &str) {
    let place = Place::new().await;
    let output = Command::new(python())
        .arg(repository_root().join("contract/mcp_flow.py"))
        .args([env!("CARGO_BIN_EXE_baton"), &place.forge.url, TOKEN])
        .arg(place.work())
        .arg(mode)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{mode}: the client found a difference:\n{out}\n{err}");
    let steps = out.lines().filter(|line| line.starts_with("ok")).count();
    println!("{mode}: {steps} steps");
    assert!(steps >= 16, "{mode}: only {steps} steps were made:\n{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_library_claims_renews_explains_asks_and_releases_in_the_newest_protocol() {
    drive("auto").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_library_claims_renews_explains_asks_and_releases_as_older_clients_do() {
    drive("legacy").await;
}
