//! A dashboard without a network: requests go in, answers come out.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use baton_core::tracker::IssueKey;
use baton_github::Secret;
use baton_view::example::{ExampleLookout, board};
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use baton_web::{Access, Dashboard};
use tower::ServiceExt as _;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const HERE: &str = "127.0.0.1:50000";
pub(crate) const ELSEWHERE: &str = "192.0.2.9:50000";

/// The example, which follows orders: an issue can be paused once.
pub(crate) struct Obedient;

impl Lookout for Obedient {
    async fn board(&self) -> Result<Board, LookoutError> {
        ExampleLookout.board().await
    }

    async fn issue(&self, key: &IssueKey) -> Result<IssueView, LookoutError> {
        ExampleLookout.issue(key).await
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        ExampleLookout.runs(query).await
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        ExampleLookout.run(run).await
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        ExampleLookout.run(run).await?;
        ExampleLookout.log(run, from).await
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        ExampleLookout.fleet().await
    }

    async fn report(&self, period: Period) -> Result<Report, LookoutError> {
        ExampleLookout.report(period).await
    }

    async fn order(&self, key: &IssueKey, order: &Order, by: &str) -> Result<Reply, LookoutError> {
        let view = ExampleLookout.issue(key).await?;
        if let Order::Move { to } = order
            && !board().columns.iter().any(|column| column.name == *to)
        {
            return Err(LookoutError::Refused(format!("there is no column `{to}`")));
        }
        let why_not =
            view.offers.into_iter().find(|offer| offer.order == order.kind()).and_then(|offer| offer.why_not);
        let said = why_not.clone().unwrap_or_else(|| format!("done for {by}"));
        Ok(Reply { is_done: why_not.is_none(), outcome: order.kind().word().to_owned(), said })
    }

    async fn changed(&self, seen: u64) -> u64 {
        if seen > 0 {
            std::future::pending::<()>().await;
        }
        1
    }
}

pub(crate) fn access(token: Option<&str>) -> Access {
    let token = token.map(|token| Arc::new(Secret::new(token)));
    Access {
        token,
        hosts: vec!["baton.example.com".to_owned()],
        operator: "dana".to_owned(),
        ..Access::default()
    }
}

pub(crate) fn dashboard(token: Option<&str>) -> Router {
    Dashboard { lookout: Arc::new(Obedient), access: access(token), forge: None }.routes()
}

/// What came back.
pub(crate) struct Reaction {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reaction {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap().to_owned()
    }
}

/// Sends a request: `GET /path`, from an address, with headers and a body.
pub(crate) async fn send(
    routes: &Router,
    peer: &str,
    line: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reaction {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request = request.header("Host", "127.0.0.1:7000");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    let peer: SocketAddr = peer.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    let answer = routes.clone().oneshot(request).await.unwrap();
    let (parts, body) = answer.into_parts();
    let text = String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
    Reaction { status: parts.status, headers: parts.headers, text }
}
