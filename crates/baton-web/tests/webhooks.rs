//! The endpoint of webhooks, over real connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use baton_core::time::StoreTime;
use baton_github::Secret;
use baton_ports::Store;
use baton_ports::store::Delivery;
use baton_sim::{HandClock, MemoryStore};
use baton_store::SqlStore;
use baton_web::{BODY_BYTES_MAX, Server};
use reqwest::{Client, RequestBuilder, StatusCode};
use ring::hmac;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const SECRET: &str = "only we know";

/// A server that serves until it is ended.
struct Site {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Site {
    async fn open<S: Store + 'static>(store: Arc<S>, secret: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let server = Server { store, secret: secret.map(Secret::new), dashboard: None };
        let served = tokio::spawn(server.serve(listener, async { drop(ended.await) }));
        Self { address, end, served }
    }

    fn post(&self, client: &Client, id: &str, payload: &str) -> RequestBuilder {
        let url = format!("http://{}/webhooks/github", self.address);
        let request = client.post(url).header("X-GitHub-Event", "issues").header("X-GitHub-Delivery", id);
        request.header("content-type", "application/json").body(payload.to_owned())
    }

    async fn close(self) {
        self.end.send(()).unwrap();
        self.served.await.unwrap().unwrap();
    }
}

fn signature(payload: &str) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), payload.as_bytes());
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

fn client() -> Client {
    baton_github::install_tls_provider();
    Client::new()
}

fn memory() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(HandClock::default()))
}

fn delivery(id: &str, payload: &str) -> Delivery {
    Delivery { id: id.to_owned(), event: "issues".to_owned(), payload: payload.to_owned() }
}

#[tokio::test]
async fn a_signed_delivery_is_committed_before_it_is_answered_and_only_once() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), Some(SECRET)).await;
    let client = client();
    let send = || site.post(&client, "a", "{}").header("X-Hub-Signature-256", signature("{}"));
    assert_eq!(status(send()).await, StatusCode::ACCEPTED);
    assert_eq!(store.unread(9).await.unwrap(), [delivery("a", "{}")]);
    assert_eq!(status(send()).await, StatusCode::OK);
    store.mark_read("a").await.unwrap();
    assert_eq!(status(send()).await, StatusCode::OK);
    assert_eq!(store.unread(9).await.unwrap(), []);
    site.close().await;
}

#[tokio::test]
async fn what_is_not_signed_with_the_secret_is_refused() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), Some(SECRET)).await;
    let client = client();
    let send = || site.post(&client, "a", "{}");
    assert_eq!(status(send()).await, StatusCode::UNAUTHORIZED);
    for forged in ["", "sha256=", "sha256=00", &signature("{ }"), &signature("{}")[7..]] {
        let request = send().header("X-Hub-Signature-256", forged);
        assert_eq!(status(request).await, StatusCode::UNAUTHORIZED, "{forged}");
    }
    assert_eq!(store.unread(9).await.unwrap(), []);
    site.close().await;
}

#[tokio::test]
async fn without_a_secret_a_page_in_a_browser_may_not_deliver() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), None).await;
    let client = client();
    let own = format!("localhost:{}", site.address.port());
    let own_origin = format!("http://{own}");
    for (name, value, expected) in [
        ("Host", own.as_str(), StatusCode::ACCEPTED),
        ("Host", "rebound.example", StatusCode::FORBIDDEN),
        ("Origin", "http://evil.example", StatusCode::FORBIDDEN),
        ("Origin", "null", StatusCode::FORBIDDEN),
        ("Origin", &own_origin, StatusCode::FORBIDDEN),
        ("Sec-Fetch-Site", "cross-site", StatusCode::FORBIDDEN),
    ] {
        let request = site.post(&client, &format!("{name} {value}"), "{}").header(name, value);
        assert_eq!(status(request).await, expected, "{name}: {value}");
    }
    let signed = Site::open(memory(), Some(SECRET)).await;
    let request = signed.post(&client, "a", "{}").header("X-Hub-Signature-256", signature("{}"));
    let request = request.header("Host", "baton.example.com");
    assert_eq!(status(request).await, StatusCode::ACCEPTED, "who signs may call it as they like");
    signed.close().await;
    site.close().await;
}

#[tokio::test]
async fn without_a_secret_this_machine_may_deliver() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), None).await;
    let client = client();
    assert_eq!(status(site.post(&client, "a", "{}")).await, StatusCode::ACCEPTED);
    let health = client.get(format!("http://{}/healthz", site.address)).send().await.unwrap();
    assert_eq!((health.status(), health.text().await.unwrap()), (StatusCode::OK, "ok\n".to_owned()));
    site.close().await;
}

#[tokio::test]
async fn what_is_missing_or_of_another_kind_is_refused_with_the_reason() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), None).await;
    let client = client();
    let url = format!("http://{}/webhooks/github", site.address);
    let post = || client.post(&url).body("{}");
    let (event, id) = (("X-GitHub-Event", "issues"), ("X-GitHub-Delivery", "a"));
    let long = "x".repeat(200);
    let rows = [
        (post().header(event.0, event.1), StatusCode::BAD_REQUEST, "X-GitHub-Delivery"),
        (post().header(id.0, id.1), StatusCode::BAD_REQUEST, "X-GitHub-Event"),
        (post().header(event.0, event.1).header(id.0, " "), StatusCode::BAD_REQUEST, "X-GitHub-Delivery"),
        (post().header(event.0, event.1).header(id.0, &long), StatusCode::BAD_REQUEST, "X-GitHub-Delivery"),
        (site.post(&client, "a", "").body(vec![b'{', 0xff]), StatusCode::BAD_REQUEST, "UTF-8"),
        (
            post()
                .header(event.0, event.1)
                .header(id.0, id.1)
                .header("content-type", "application/x-www-form-urlencoded"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "application/json",
        ),
        (post().header(event.0, "ping").header(id.0, id.1), StatusCode::OK, "pong"),
        (client.get(&url), StatusCode::METHOD_NOT_ALLOWED, ""),
        (client.get(format!("{url}/more")), StatusCode::NOT_FOUND, ""),
    ];
    for (request, expected, words) in rows {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), expected, "{words}");
        let text = answer.text().await.unwrap();
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(store.unread(9).await.unwrap(), []);
    site.close().await;
}

/// Sends a head, and then so many bytes of a body or less, until the server has heard enough.
async fn answer_to(site: &Site, head: &str, chunk: &[u8], chunks: usize) -> String {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let (mut from, mut to) = stream.split();
    let head =
        format!("POST /webhooks/github HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n\r\n");
    to.write_all(head.as_bytes()).await.unwrap();
    let sending = async {
        for _ in 0..chunks {
            if to.write_all(chunk).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await
    };
    let mut answer = vec![0; 12];
    tokio::select! {
        read = from.read_exact(&mut answer) => { read.unwrap(); }
        () = sending => {}
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_body_of_more_than_ten_mebibytes_is_refused_whether_or_not_it_says_so() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), None).await;
    let promised = format!("Content-Length: {}", BODY_BYTES_MAX + 1);
    assert_eq!(answer_to(&site, &promised, b"", 0).await, "HTTP/1.1 413");
    assert_eq!(answer_to(&site, "Content-Length: 99999999999999999999", b"", 0).await, "HTTP/1.1 400");
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let chunks = BODY_BYTES_MAX / 0x10000 + 1;
    assert_eq!(answer_to(&site, "Transfer-Encoding: chunked", &chunk, chunks).await, "HTTP/1.1 413");
    let client = client();
    let largest = format!("{{}}{}", " ".repeat(BODY_BYTES_MAX - 2));
    assert_eq!(status(site.post(&client, "largest", &largest)).await, StatusCode::ACCEPTED);
    assert_eq!(store.unread(9).await.unwrap().len(), 1);
    site.close().await;
}

#[tokio::test]
async fn a_delivery_that_was_begun_is_answered_before_the_end() {
    let store = memory();
    let site = Site::open(Arc::clone(&store), None).await;
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let head = "POST /webhooks/github HTTP/1.1\r\nHost: localhost\r\nX-GitHub-Event: issues\r\nX-GitHub-Delivery: a\r\n\
                Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = [0; 12];
    stream.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"HTTP/1.1 100");
    site.end.send(()).unwrap();
    stream.write_all(b"{}").await.unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("HTTP/1.1 202"), "{rest}");
    site.served.await.unwrap().unwrap();
    assert_eq!(store.unread(9).await.unwrap(), [delivery("a", "{}")]);
}

fn machine_clock() -> StoreTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    StoreTime { ms: i64::try_from(since.as_millis()).unwrap() }
}

/// With a full sync of each commit. How fast that is depends on the disk; it is printed, and nothing is asked of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_deliveries_at_once_none_is_lost() {
    const SENDERS: usize = 64;
    const EACH: usize = 30;
    let directory = tempfile::tempdir().unwrap();
    let store = SqlStore::sqlite(&directory.path().join("store.db"), Arc::new(machine_clock)).await.unwrap();
    let site = Arc::new(Site::open(Arc::new(store.clone()), Some(SECRET)).await);
    let client = client();
    let payload = format!("{{\"text\":\"{}\"}}", "x".repeat(8_000));
    let begin = Instant::now();
    let senders = (0..SENDERS).map(|sender| {
        let (site, client, payload) = (Arc::clone(&site), client.clone(), payload.clone());
        tokio::spawn(async move {
            for number in 0..EACH {
                let request = site.post(&client, &format!("{sender}-{number}"), &payload);
                let request = request.header("X-Hub-Signature-256", signature(&payload));
                assert_eq!(status(request).await, StatusCode::ACCEPTED);
            }
        })
    });
    for sender in senders.collect::<Vec<_>>() {
        sender.await.unwrap();
    }
    let rate = f64::from(u32::try_from(SENDERS * EACH).unwrap()) / begin.elapsed().as_secs_f64();
    println!("{rate:.0} deliveries/s");
    assert_eq!(store.unread(9_999).await.unwrap().len(), SENDERS * EACH);
    Arc::into_inner(site).unwrap().close().await;
}
