//! How fast one change reaches many hooks, beside plain requests of the same client to the same receiver.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::any;
use tokio::task::JoinSet;

use crate::TOKEN;
use crate::servers::ForgeServer;
use crate::table::Table;

const HOOKS: u64 = 50;
const CHANGES: u64 = 200;
/// As many as the forge has on their way at once.
const SENDERS: usize = 64;
const ROUNDS: usize = 3;
/// Long enough for a slow machine; what takes longer has stopped.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the receiver has got: how many labelings, and the last of their bodies.
#[derive(Default)]
struct Got {
    labelings: AtomicU64,
    others: AtomicU64,
    body: std::sync::Mutex<Bytes>,
}

/// Adds a row: deliveries per second beside the yardstick's requests per second.
pub(crate) async fn run(forge: &ForgeServer, table: &mut Table) {
    let (address, got) = serve();
    // Another program in this process may have chosen already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().user_agent("bench").no_proxy().build().expect("a client");
    prepare(forge, &client, address).await;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(fan_out(forge, &client, &got).await);
        let body = got.body.lock().expect("nobody panics here").clone();
        theirs.push(plain_posts(&client, address, &got, &body).await);
    }
    let bytes = got.body.lock().expect("nobody panics here").len();
    let what = format!("webhooks: a label change to {HOOKS} hooks (yardstick: plain POSTs)");
    table.row(&what, bytes, crate::median(ours), crate::median(theirs));
}

/// A receiver on threads of its own.
fn serve() -> (SocketAddr, Arc<Got>) {
    let got = Arc::<Got>::default();
    let kept = Arc::clone(&got);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a socket option");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let router = Router::new().fallback(any(receive)).with_state(kept);
            axum::serve(listener, router).await.expect("axum serves");
        });
    });
    (address, got)
}

async fn receive(State(got): State<Arc<Got>>, headers: HeaderMap, body: Bytes) {
    let is_labeling = headers.get("x-github-event").is_some_and(|event| event == "issues");
    if is_labeling {
        *got.body.lock().expect("nobody panics here") = body;
        got.labelings.fetch_add(1, Ordering::Relaxed);
    } else {
        got.others.fetch_add(1, Ordering::Relaxed);
    }
}

async fn ask(forge: &ForgeServer, client: &reqwest::Client, method: &str, path: &str, body: String) {
    let method: reqwest::Method = method.parse().expect("a method");
    let url = format!("http://{}{path}", forge.address);
    let answer = client.request(method, url).bearer_auth(TOKEN).body(body).send().await.expect("an answer");
    let status = answer.status();
    // The connection serves again only when the answer has been read.
    let text = answer.text().await.expect("a body");
    assert!(status.is_success(), "{path}: {status} {text}");
}

async fn prepare(forge: &ForgeServer, client: &reqwest::Client, receiver: SocketAddr) {
    ask(forge, client, "POST", "/user/repos", "{\"name\": \"hooked\"}".to_owned()).await;
    ask(forge, client, "POST", "/repos/admin/hooked/issues", "{\"title\": \"one\"}".to_owned()).await;
    for number in 0..HOOKS {
        let hook = format!(
            "{{\"events\": [\"issues\"], \"config\": {{\"url\": \"http://{receiver}/{number}\", \"content_type\": \"json\", \"secret\": \"s\"}}}}"
        );
        ask(forge, client, "POST", "/repos/admin/hooked/hooks", hook).await;
    }
}

/// Labels an issue and takes the label off again, and waits until every hook has heard of all of it.
async fn fan_out(forge: &ForgeServer, client: &reqwest::Client, got: &Got) -> f64 {
    let wanted = got.labelings.load(Ordering::Relaxed) + CHANGES * HOOKS;
    let started = Instant::now();
    for change in 0..CHANGES {
        let labels = if change % 2 == 0 { "[\"bug\"]" } else { "[]" };
        ask(forge, client, "PUT", "/repos/admin/hooked/issues/1/labels", labels.to_owned()).await;
    }
    while got.labelings.load(Ordering::Relaxed) < wanted {
        assert!(started.elapsed() < PATIENCE, "deliveries are missing");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (CHANGES * HOOKS) as f64 / started.elapsed().as_secs_f64()
}

/// Sends as many bodies of the same length straight to the receiver.
async fn plain_posts(client: &reqwest::Client, receiver: SocketAddr, got: &Got, body: &Bytes) -> f64 {
    let left = Arc::new(AtomicU64::new(CHANGES * HOOKS));
    let before = got.others.load(Ordering::Relaxed);
    let started = Instant::now();
    let mut senders = JoinSet::new();
    for number in 0..SENDERS {
        let (client, body, left) = (client.clone(), body.clone(), Arc::clone(&left));
        senders.spawn(async move {
            let take = |left: u64| left.checked_sub(1);
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
                let request = client.post(format!("http://{receiver}/{number}")).body(body.clone());
                let answer = request.send().await.expect("an answer");
                answer.bytes().await.expect("a body");
            }
        });
    }
    while senders.join_next().await.is_some() {}
    let sent = got.others.load(Ordering::Relaxed) - before;
    sent as f64 / started.elapsed().as_secs_f64()
}
