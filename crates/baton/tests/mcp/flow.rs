//! The client library, with both of the ways in which clients begin.

use std::process::Command;

use baton_fixtures::{CommandOutput, TOKEN, baton, contract_dir, repository_root};

async fn drive(mode: &str) {
    let (forge, env) = crate::mcp::start().await;
    let mut python = Command::new(contract_dir().join("venv/bin/python"));
    python.arg(repository_root().join("contract/mcp_flow.py")).arg(baton());
    python.args([&forge.url, TOKEN]).arg(env.work()).arg(mode);
    let ran = CommandOutput::from(python.output().unwrap());
    assert_eq!(ran.code, 0, "{mode}: the client found a difference:\n{}", ran.both());
    let steps = ran.out.lines().filter(|line| line.starts_with("ok")).count();
    println!("{mode}: {steps} steps");
    assert!(steps >= 16, "{mode}: only {steps} steps were made:\n{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_library_claims_renews_explains_asks_and_releases_in_the_newest_protocol() {
    drive("auto").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_library_claims_renews_explains_asks_and_releases_as_older_clients_do() {
    drive("legacy").await;
}
