//! The pages over real connections: what they show, what they never do, and what orders come to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use baton_core::tracker::IssueKey;
use baton_sim::{HandClock, MemoryStore};
use baton_view::example::{self, ExampleLookout};
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use baton_web::{Access, Dashboard, Server, standalone_report};
use reqwest::{Client, Response, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// A relay that remembers orders and whose board can be changed.
struct Told {
    board: watch::Sender<(u64, Board)>,
    orders: Mutex<Vec<(String, Order)>>,
    is_out_of_reach: bool,
}

impl Told {
    fn new(is_out_of_reach: bool) -> Arc<Self> {
        Arc::new(Self {
            board: watch::Sender::new((0, example::board())),
            orders: Mutex::default(),
            is_out_of_reach,
        })
    }

    fn change(&self, change: impl FnOnce(&mut Board)) {
        self.board.send_modify(|(version, board)| {
            *version += 1;
            change(board);
        });
    }

    fn within_reach(&self) -> Result<(), LookoutError> {
        let words = "the store did not answer within 5 s: is its disk full?";
        if self.is_out_of_reach { Err(LookoutError::OutOfReach(words.to_owned())) } else { Ok(()) }
    }
}

impl Lookout for Told {
    async fn board(&self) -> Result<Board, LookoutError> {
        self.within_reach()?;
        Ok(self.board.borrow().1.clone())
    }

    async fn issue(&self, key: &IssueKey) -> Result<IssueView, LookoutError> {
        self.within_reach()?;
        let name = key.to_string();
        let card = self.board.borrow().1.cards().find(|card| card.issue == name).cloned();
        card.map(example::issue).ok_or_else(|| LookoutError::NoSuch(format!("there is no issue {name}")))
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        self.within_reach()?;
        ExampleLookout.runs(query).await
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        self.within_reach()?;
        ExampleLookout.run(run).await
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        self.within_reach()?;
        ExampleLookout.log(run, from).await
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        self.within_reach()?;
        ExampleLookout.fleet().await
    }

    async fn report(&self, period: Period) -> Result<Report, LookoutError> {
        self.within_reach()?;
        ExampleLookout.report(period).await
    }

    async fn order(&self, issue: &IssueKey, order: &Order, _: &str) -> Result<Reply, LookoutError> {
        self.orders.lock().unwrap().push((issue.to_string(), order.clone()));
        Ok(Reply { is_done: true, outcome: "paused".to_owned(), said: "it is <paused> now".to_owned() })
    }

    async fn changed(&self, seen: u64) -> u64 {
        let mut board = self.board.subscribe();
        board.wait_for(|(version, _)| *version > seen).await.map_or(seen, |board| board.0)
    }
}

/// A server with a dashboard, until it is closed.
struct Site {
    address: SocketAddr,
    client: Client,
    end: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Site {
    async fn open<L: Lookout>(lookout: Arc<L>) -> Self {
        baton_github::install_tls_provider();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let dashboard = Dashboard { lookout, access: Access::default(), forge: None }.routes();
        let store = Arc::new(MemoryStore::new(HandClock::default()));
        let server = Server { store, secret: None, dashboard: Some(dashboard) };
        let served = tokio::spawn(server.serve(listener, async { drop(ended.await) }));
        Self { address, client: Client::builder().cookie_store(true).build().unwrap(), end, served }
    }

    async fn get(&self, path: &str) -> Response {
        self.client.get(format!("http://{}{path}", self.address)).send().await.unwrap()
    }

    async fn read(&self, path: &str) -> (StatusCode, String) {
        let answer = self.get(path).await;
        (answer.status(), answer.text().await.unwrap())
    }

    /// Sends a form of an issue's page, with the token that the page gave it.
    async fn order(&self, kind: &str, fields: &str, has_script: bool) -> (StatusCode, String) {
        let (_, page) = self.read("/issues/acme/web/15").await;
        let token =
            page.split("name=\"_csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let url = format!("http://{}/issues/acme/web/15/orders/{kind}", self.address);
        let request = self.client.post(url).header("content-type", "application/x-www-form-urlencoded");
        let request = request.header("origin", format!("http://{}", self.address));
        let request = if has_script { request.header("HX-Request", "true") } else { request };
        let answer = request.body(format!("_csrf={token}&{fields}")).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    async fn close(self) {
        self.end.send(()).unwrap();
        self.served.await.unwrap().unwrap();
    }
}

const PAGES: [&str; 9] = [
    "/",
    "/?q=voucher",
    "/issues/acme/web/9",
    "/issues/acme/web/14",
    "/runs",
    "/runs/41",
    "/runs/39",
    "/fleet",
    "/reports?days=30",
];

#[tokio::test]
async fn every_page_shows_what_it_is_for() {
    let site = Site::open(Arc::new(ExampleLookout)).await;
    for (path, expected) in [
        (
            "/",
            vec!["Checkout fails", "12/50", "Implement", "1 warning", "Running", "and <span>12</span> older"],
        ),
        ("/?q=sort", vec!["Sort projects by name"]),
        ("/?q=nothing-like-it", vec!["No card has", "Show all cards"]),
        (
            "/issues/acme/web/9",
            vec![
                "It rests: waits for reviewers.",
                "Pull request #31",
                "lint",
                "daylight saving",
                "run 38 of claude",
                "<em>old</em>",
                "orders/pause",
                "This decided.",
                "Runs of the issue: 3 of 10 today",
                "Cost of the repository: $50.00 of $50.00 today",
                "until midnight, UTC",
            ],
        ),
        ("/issues/acme/web/14", vec!["orders/approve", "orders/reject"]),
        ("/runs", vec!["Implement of", "2 of 118", "timed out"]),
        ("/runs/41", vec!["184,220", "cargo test -p shop checkout", "/runs/41/log?from=900", "Follow"]),
        (
            "/fleet",
            vec![
                "build-2",
                "lost",
                "87%",
                "healthy",
                "1,204",
                "Agent claude",
                "Cost of the agent claude",
                "$4.20",
                " of $20.00 today",
            ],
        ),
        (
            "/reports",
            vec!["Throughput", "Cycle time by stage", "Cost by issue", "Cost by day", "$71.40", "<svg"],
        ),
    ] {
        let (status, page) = site.read(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        for words in expected {
            assert!(page.contains(words), "{path} does not say {words}:\n{page}");
        }
    }
    assert!(!site.read("/?q=sort").await.1.contains("Checkout fails"));
    site.close().await;
}

/// What a strict policy forbids, and what would ask somebody else.
fn find_forbidden(page: &str) -> Option<&'static str> {
    let forbidden = [
        "style=",
        "<style",
        "onclick",
        "onload",
        "onerror=",
        "<script>",
        "src=\"http",
        "hx-on",
        "javascript:",
        "@import",
    ];
    forbidden.into_iter().find(|forbidden| page.contains(forbidden))
}

#[tokio::test]
async fn no_page_carries_styles_or_scripts_of_its_own() {
    let site = Site::open(Arc::new(ExampleLookout)).await;
    for path in PAGES.into_iter().chain(["/nowhere"]) {
        let page = site.read(path).await.1;
        assert_eq!(find_forbidden(&page), None, "{path}:\n{page}");
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
    }
    site.close().await;
}

#[tokio::test]
async fn what_strangers_wrote_is_shown_and_never_obeyed() {
    let lookout = Told::new(false);
    lookout.change(|board| {
        let card = &mut board.columns[4].cards[0];
        card.title = "<script>alert(1)</script>\" onload=\"x".to_owned();
        card.labels = vec!["<img src=x>".to_owned()];
        card.words = "</p><script>".to_owned();
        board.warnings[0].words = "<script>warn</script>".to_owned();
    });
    let site = Site::open(lookout).await;
    for path in ["/", "/issues/acme/web/15", "/?q=%3Cscript%3E%22"] {
        let (status, page) = site.read(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(
            !page.contains("<script>") && !page.contains("<img") && !page.contains("\" onload"),
            "{path}:\n{page}"
        );
        assert!(page.contains("&lt;script&gt;"), "{path}:\n{page}");
    }
    site.close().await;
}

#[tokio::test]
async fn an_order_reaches_the_relay_and_its_result_is_shown_in_place() {
    let lookout = Told::new(false);
    let site = Site::open(Arc::clone(&lookout)).await;
    let (status, part) = site.order("pause", "reason=not+yet", true).await;
    assert_eq!(status, StatusCode::OK, "{part}");
    assert_eq!(part, "<p class=\"result good\"><b>Done. </b>it is &lt;paused&gt; now</p>");
    let (status, page) = site.order("move", "to=Review", false).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    assert!(page.contains("<!DOCTYPE html>") && page.contains("it is &lt;paused&gt; now"), "{page}");
    let (status, part) = site.order("comment", "text=+", true).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{part}");
    assert!(part.contains("nothing was said: write something first"), "{part}");
    let given = lookout.orders.lock().unwrap().clone();
    let issue = || "acme/web#15".to_owned();
    assert_eq!(
        given,
        [
            (issue(), Order::Pause { reason: Some("not yet".to_owned()) }),
            (issue(), Order::Move { to: "Review".to_owned() }),
        ]
    );
    site.close().await;
}

#[tokio::test]
async fn what_is_not_there_and_what_makes_no_sense_is_told_as_a_page() {
    let site = Site::open(Arc::new(ExampleLookout)).await;
    for (path, expected, words) in [
        ("/nowhere", StatusCode::NOT_FOUND, "there is no page /nowhere"),
        ("/issues/acme/web/999", StatusCode::NOT_FOUND, "acme/web#999"),
        ("/issues/acme/web/x", StatusCode::NOT_FOUND, "does not name an issue"),
        ("/runs/7", StatusCode::NOT_FOUND, "there is no run 7"),
        ("/runs/x", StatusCode::NOT_FOUND, "runs have numbers"),
        ("/runs/41?from=x", StatusCode::BAD_REQUEST, "no place in a log"),
        ("/reports?days=0", StatusCode::BAD_REQUEST, "a number from 1 to 366"),
        ("/?q=a&q=b", StatusCode::BAD_REQUEST, "duplicate field"),
    ] {
        let (status, page) = site.read(path).await;
        assert_eq!(status, expected, "{path}");
        assert!(page.contains(words) && page.contains("<nav"), "{path} does not say {words}:\n{page}");
    }
    site.close().await;
}

#[tokio::test]
async fn a_page_whose_values_cannot_be_read_says_so_instead_of_being_empty() {
    let site = Site::open(Told::new(true)).await;
    for path in PAGES {
        let (status, page) = site.read(path).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert!(
            page.contains("the store did not answer within 5 s") && page.contains("baton doctor"),
            "{page}"
        );
    }
    site.close().await;
}

#[tokio::test]
async fn a_part_that_cannot_be_read_is_told_in_place_of_the_page() {
    let site = Site::open(Told::new(true)).await;
    let part = site.client.get(format!("http://{}/?q=voucher", site.address)).header("HX-Request", "true");
    let answer = part.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    for name in ["hx-retarget", "hx-reselect"] {
        assert_eq!(answer.headers()[name], "#main", "a script would put nothing where the board was");
    }
    assert!(answer.text().await.unwrap().contains("id=\"main\""));
    assert_eq!(site.get("/?q=voucher").await.headers().get("hx-retarget"), None);
    site.close().await;
    let site = Site::open(Told::new(false)).await;
    let part = site.client.get(format!("http://{}/?q=voucher", site.address)).header("HX-Request", "true");
    assert_eq!(part.send().await.unwrap().headers().get("hx-retarget"), None);
    site.close().await;
}

#[tokio::test]
async fn the_page_of_a_run_that_is_over_is_not_read_again() {
    let site = Site::open(Arc::new(ExampleLookout)).await;
    for (path, expected) in [("/runs/41", "data-refresh=\"\""), ("/runs/39", "data-refresh=\"over\"")] {
        let page = site.read(path).await.1;
        assert!(page.contains(expected), "{path}");
    }
    site.close().await;
}

#[tokio::test]
async fn a_file_is_kept_by_whoever_names_its_content() {
    let site = Site::open(Arc::new(ExampleLookout)).await;
    let page = site.read("/").await.1;
    for name in ["baton.css", "app.js", "htmx.min.js", "icon.svg"] {
        let from = page.find(&format!("/assets/{name}?v=")).unwrap();
        let address = page[from..].split('"').next().unwrap();
        let answer = site.get(address).await;
        assert_eq!(answer.status(), StatusCode::OK, "{address}");
        let keeping = answer.headers()["cache-control"].to_str().unwrap().to_owned();
        assert!(keeping.contains("immutable"), "{address}: {keeping}");
        let tag = answer.headers()["etag"].clone();
        let again = site.client.get(format!("http://{}/assets/{name}", site.address));
        let again = again.header("if-none-match", tag).send().await.unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{name}");
    }
    assert_eq!(site.read("/assets/other.css").await.0, StatusCode::NOT_FOUND);
    site.close().await;
}

/// Returns the stream from here to the end of the first event of this name.
async fn hear(events: &mut Response, name: &str) -> String {
    let mut heard = String::new();
    loop {
        let chunk = events.chunk().await.unwrap().unwrap_or_else(|| panic!("it ended after {heard}"));
        heard.push_str(std::str::from_utf8(&chunk).unwrap());
        if heard.contains(&format!("event: {name}\n")) && heard.ends_with("\n\n") {
            return heard;
        }
    }
}

#[tokio::test]
async fn a_card_that_moves_is_told_to_everybody_who_listens() {
    let lookout = Told::new(false);
    let site = Site::open(Arc::clone(&lookout)).await;
    let mut first = site.get("/events").await;
    let mut second = site.get("/events").await;
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    hear(&mut first, "hello").await;
    hear(&mut second, "hello").await;
    lookout.change(|board| {
        let card = board.columns[4].cards.remove(0);
        board.columns[5].cards.insert(0, card);
    });
    for events in [&mut first, &mut second] {
        let heard = hear(events, "changed").await;
        assert!(heard.contains(r#""column":"Review""#) && heard.contains("Checkout fails"), "{heard}");
    }
    // The server ends though two still listen.
    site.close().await;
    assert_eq!(first.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_page_that_was_drawn_before_a_change_hears_another_number_than_its_own() {
    let lookout = Told::new(false);
    let site = Site::open(Arc::clone(&lookout)).await;
    let told = |page: &str| page.split("data-told=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let page = site.read("/").await.1;
    let mut events = site.get("/events").await;
    assert_eq!(hear(&mut events, "hello").await, format!("event: hello\ndata: {}\n\n", told(&page)));
    lookout.change(|board| board.columns[0].cards.clear());
    let heard = hear(&mut events, "changed").await;
    assert!(heard.contains(r#"event: gone"#), "{heard}");
    let mut late = site.get("/events").await;
    assert_ne!(hear(&mut late, "hello").await, format!("event: hello\ndata: {}\n\n", told(&page)));
    drop((events, late));
    site.close().await;
}

#[test]
fn a_report_in_one_file_needs_nothing_else() {
    let report = standalone_report(&example::report());
    for expected in ["<style>", "Throughput", "$71.40", "acme/web#15", "2026-04-17"] {
        assert!(report.contains(expected), "{expected} is not in it");
    }
    for forbidden in ["<script", "href=\"/", "src=", "http://", "https://"] {
        assert!(!report.contains(forbidden), "{forbidden} is in it");
    }
}

#[test]
fn a_report_says_what_it_leaves_out() {
    let mut report = example::report();
    assert!(!standalone_report(&report).contains("more that cost less"));
    report.hidden = 1_204;
    assert!(standalone_report(&report).contains("and 1,204 more that cost less"));
}
