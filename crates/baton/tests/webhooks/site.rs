//! The endpoint with the same examples, in this process.

use std::sync::Arc;

use baton_github::Secret;
use baton_ports::Store as _;
use baton_sim::{HandClock, MemoryStore};
use baton_web::Server;
use reqwest::{Client, StatusCode};
use ring::hmac;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::webhooks::mutations::Mutator;
use crate::webhooks::{Example, examples, read};

const SECRET: &str = "only we know";
/// How much more memory the process may have after all rounds than after the first: the ids that are kept, and what the
/// other tests of this program take meanwhile.
const GROWTH_BYTES_MAX: u64 = 96 * 1024 * 1024;

fn signature(payload: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), payload);
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

/// Delivers, and returns the status of the answer.
async fn deliver(client: &Client, url: &str, (event, id): (&str, &str), payload: Vec<u8>) -> StatusCode {
    let request = client.post(url).header("X-GitHub-Event", event).header("X-GitHub-Delivery", id);
    let request = request.header("X-Hub-Signature-256", signature(&payload));
    request.header("content-type", "application/json").body(payload).send().await.unwrap().status()
}

fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_endpoint_takes_every_example_and_survives_what_becomes_of_them() {
    const ROUNDS: u64 = 4;
    baton_github::install_tls_provider();
    let store = Arc::new(MemoryStore::new(HandClock::default()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/webhooks/github", listener.local_addr().unwrap());
    let (end, ended) = oneshot::channel::<()>();
    let server = Server { store: Arc::clone(&store), secret: Some(Secret::new(SECRET)), dashboard: None };
    let served = tokio::spawn(server.serve(listener, async { drop(ended.await) }));
    let client = Client::new();
    let examples = examples();
    let mut after_first = None;
    for round in 0..ROUNDS {
        for (at, Example { event, payload }) in examples.iter().enumerate() {
            let (id, seed) = (format!("{round}-{at}"), round * 1_000 + u64::try_from(at).unwrap());
            let whole = payload.to_string().into_bytes();
            let sent = if round == 0 { whole } else { Mutator::new(seed).mutate(payload) };
            let is_text = std::str::from_utf8(&sent).is_ok();
            let expected = match (event.as_str(), is_text) {
                ("ping", _) => StatusCode::OK,
                (_, true) => StatusCode::ACCEPTED,
                (_, false) => StatusCode::BAD_REQUEST,
            };
            assert_eq!(deliver(&client, &url, (event, &id), sent).await, expected, "{event} {id}");
        }
        let unread = store.unread(u32::MAX).await.unwrap();
        assert!(unread.len() > 250, "{}", unread.len());
        for delivery in &unread {
            read(&delivery.event, delivery.payload.as_bytes());
        }
        let ids: Vec<String> = unread.into_iter().map(|delivery| delivery.id).collect();
        store.mark_all_read(&ids).await.unwrap();
        assert_eq!(store.unread(1).await.unwrap(), []);
        after_first.get_or_insert_with(resident_bytes);
    }
    let (before, after) = (after_first.unwrap(), resident_bytes());
    println!("resident: {before} bytes after the first round, {after} after the last");
    assert!(after < before + GROWTH_BYTES_MAX, "{before} {after}");
    end.send(()).unwrap();
    served.await.unwrap().unwrap();
}
