//! Serves the dashboard over the example relay, to look at its pages: `cargo run -p baton-web --example preview [ADDRESS]`.
//!
//! It obeys no orders. With `--moving` behind the address, a card goes around the board, to see how that looks.

#![expect(clippy::print_stdout, reason = "a program for people, which says where to look")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_sim::{HandClock, MemoryStore};
use baton_view::example::{ExampleLookout, board};
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use baton_web::{Access, Dashboard, Server};
use tokio::net::TcpListener;

/// The example, in which one card moves on with each step.
#[derive(Debug)]
struct Moving {
    step: AtomicU64,
    is_moving: bool,
}

impl Lookout for Moving {
    async fn board(&self) -> Result<Board, LookoutError> {
        let step = self.step.load(Ordering::SeqCst);
        let mut board = board();
        let mut card = board.columns[4].cards.remove(0);
        let columns = board.columns.len();
        let column = &mut board.columns[usize::try_from(step).unwrap_or(0).wrapping_add(4) % columns];
        card.column.clone_from(&column.name);
        if let Some(holder) = &mut card.holder {
            holder.turns = Some(12 + step % 38);
        }
        column.cards.insert(0, card);
        Ok(board)
    }

    async fn changed(&self, seen: u64) -> u64 {
        if !self.is_moving {
            return std::future::pending().await;
        }
        let mut pace = tokio::time::interval(Duration::from_secs(2));
        pace.tick().await;
        pace.tick().await;
        self.step.store(seen + 1, Ordering::SeqCst);
        seen + 1
    }

    async fn issue(&self, issue: &IssueKey) -> Result<IssueView, LookoutError> {
        ExampleLookout.issue(issue).await
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        ExampleLookout.runs(query).await
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        ExampleLookout.run(run).await
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        ExampleLookout.log(run, from).await
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        ExampleLookout.fleet().await
    }

    async fn report(&self, period: Period) -> Result<Report, LookoutError> {
        ExampleLookout.report(period).await
    }

    async fn order(&self, issue: &IssueKey, order: &Order, by: &str) -> Result<Reply, LookoutError> {
        ExampleLookout.order(issue, order, by).await
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let address: SocketAddr = address.parse().map_err(std::io::Error::other)?;
    let is_moving = arguments.next().as_deref() == Some("--moving");
    let lookout = Arc::new(Moving { step: AtomicU64::new(0), is_moving });
    let dashboard = Dashboard { lookout, access: Access::default(), forge: None }.routes();
    let listener = TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let store = Arc::new(MemoryStore::new(HandClock::default()));
    let server = Server { store, secret: None, dashboard: Some(dashboard) };
    server.serve(listener, std::future::pending()).await
}
