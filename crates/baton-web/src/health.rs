//! Whether the server can do its work: it needs its store, and a dashboard needs somebody who sees the relay.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::routing::get;
use baton_ports::Store;
use baton_view::Lookout;

use crate::dashboard::Site;
use crate::server::Shared;

/// Whoever asks whether we are ready gives up soon.
const PATIENCE: Duration = Duration::from_secs(5);

type Verdict = (StatusCode, String);

/// Asks the store whether it answers. The server gives it to the dashboard, which knows no store.
#[derive(Clone)]
pub(crate) struct StoreProbe(Arc<dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>);

impl StoreProbe {
    pub(crate) fn of<S: Store + 'static>(store: &Arc<S>) -> Self {
        let store = Arc::clone(store);
        Self(Arc::new(move || {
            let store = Arc::clone(&store);
            Box::pin(async move { answers(&*store).await })
        }))
    }
}

/// Returns whether the store answers.
pub(crate) async fn answer<S: Store>(State(shared): State<Arc<Shared<S>>>) -> Verdict {
    verdict(answers(&*shared.store).await)
}

/// Returns the route that tells whether the dashboard has something to show. It is for whoever watches over machines, and
/// stands before the gate as `/healthz` does, so it names nothing.
pub(crate) fn routes<L: Lookout>(site: &Arc<Site<L>>) -> Router {
    Router::new().route("/readyz", get(ready::<L>)).with_state(Arc::clone(site))
}

async fn ready<L: Lookout>(State(site): State<Arc<Site<L>>>, request: Request) -> Verdict {
    if let Some(StoreProbe(ask)) = request.extensions().get::<StoreProbe>()
        && !tokio::time::timeout(PATIENCE, ask()).await.unwrap_or(false)
    {
        return verdict(false);
    }
    match tokio::time::timeout(PATIENCE, site.lookout.board()).await {
        Ok(Ok(_)) => verdict(true),
        Ok(Err(error)) => {
            tracing::warn!(%error, "there is no board to show");
            (StatusCode::SERVICE_UNAVAILABLE, "there is no board to show yet\n".to_owned())
        }
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the board does not come in time\n".to_owned()),
    }
}

async fn answers<S: Store>(store: &S) -> bool {
    // What the store says may name machines and paths, and whoever asks here may be anybody.
    store.now().await.inspect_err(|error| tracing::warn!(%error, "the store does not answer")).is_ok()
}

fn verdict(is_well: bool) -> Verdict {
    match is_well {
        true => (StatusCode::OK, "ok\n".to_owned()),
        false => (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n".to_owned()),
    }
}
