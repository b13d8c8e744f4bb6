//! A client that others wrote reads the document of the API, and asks everything that it allows and much that it does not.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::support::{Obedient, TOKEN, access};
use baton_fixtures::{contract_dir, repository_root};
use baton_sim::{HandClock, MemoryStore};
use baton_web::{Dashboard, Server};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The same questions each time.
const SEED: &str = "20260501";
/// For each operation and each phase.
const EXAMPLES: &str = "40";

/// A server, and an issue that is on its board.
struct Target<'a> {
    base_url: &'a str,
    token: &'a str,
    issue: [&'a str; 3],
}

/// Lets schemathesis try a server, and fails if it gets an answer with a status of 5xx, or one that the document does not allow.
fn run_schemathesis(target: &Target<'_>) {
    let said = ask(target, "schemathesis.toml", &[]);
    assert!(said.contains("9 selected"), "not all operations were asked:\n{said}");
    ask(target, "schemathesis-orders.toml", &["--mode", "positive", "--include-operation-id", "order"]);
}

fn ask(target: &Target<'_>, settings: &str, arguments: &[&str]) -> String {
    let settings = repository_root().join("contract").join(settings);
    let scratch = tempfile::tempdir().unwrap();
    let [owner, name, number] = target.issue;
    let output = std::process::Command::new(contract_dir().join("venv/bin/schemathesis"))
        .arg("--config-file")
        .arg(settings)
        .args(["run", &format!("{}/api/v1/openapi.json", target.base_url), "--checks", "all"])
        .args(["--seed", SEED, "--max-examples", EXAMPLES, "--continue-on-failure", "--no-color"])
        .args(["--header", &format!("Authorization: Bearer {}", target.token)])
        .args(arguments)
        .current_dir(scratch.path())
        .env("BATON_CONTRACT_OWNER", owner)
        .env("BATON_CONTRACT_NAME", name)
        .env("BATON_CONTRACT_NUMBER", number)
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_nothing_that_the_document_does_not_say() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let dashboard = Dashboard { lookout: Arc::new(Obedient), access: access(Some(TOKEN)), forge: None };
    let store = Arc::new(MemoryStore::new(HandClock::default()));
    let server = Server { store, secret: None, dashboard: Some(dashboard.routes()) };
    let (end, ended) = oneshot::channel::<()>();
    let served = tokio::spawn(server.serve(listener, async { drop(ended.await) }));
    let base_url = format!("http://{address}");
    let asking = move || {
        run_schemathesis(&Target { base_url: &base_url, token: TOKEN, issue: ["acme", "web", "15"] });
    };
    tokio::task::spawn_blocking(asking).await.unwrap();
    end.send(()).unwrap();
    served.await.unwrap().unwrap();
}
