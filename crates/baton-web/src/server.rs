//! The server as a whole: its routes, what they share, and its end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Extension, Router};
use baton_github::Secret;
use baton_ports::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::body::Room;
use crate::health::{self, StoreProbe};
use crate::inbox::Inbox;
use crate::live::Ending;
use crate::webhooks;

/// The server, ready to serve.
#[derive(Debug)]
pub struct Server<S> {
    /// Where deliveries are committed.
    pub store: Arc<S>,
    /// What GitHub signs deliveries with. Without it, only this machine may deliver.
    pub secret: Option<Secret>,
    /// The dashboard, if there is to be one.
    pub dashboard: Option<Router>,
}

/// What the routes share.
pub(crate) struct Shared<S> {
    pub(crate) store: Arc<S>,
    pub(crate) secret: Option<Secret>,
    pub(crate) inbox: Inbox,
    pub(crate) room: Room,
}

impl<S: Store + 'static> Server<S> {
    /// Serves until `end`, and then until the requests under way are answered.
    pub async fn serve(
        self,
        listener: TcpListener,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let (inbox, committing) = Inbox::over(Arc::clone(&self.store));
        let committing = tokio::spawn(committing);
        let Self { store, secret, dashboard } = self;
        let probe = StoreProbe::of(&store);
        let shared = Arc::new(Shared { store, secret, inbox, room: Room::default() });
        let (ending, is_ending) = watch::channel(false);
        let end = async move {
            end.await;
            ending.send_replace(true);
        };
        let routes = match dashboard {
            Some(dashboard) => routes(shared).merge(dashboard.layer(Extension(probe))),
            None => {
                let ready = get(health::answer::<S>).with_state(Arc::clone(&shared));
                routes(shared).route("/readyz", ready)
            }
        };
        let routes = routes.layer(Extension(Ending(is_ending)));
        let service = routes.into_make_service_with_connect_info::<SocketAddr>();
        let served = axum::serve(listener, service).with_graceful_shutdown(end).await;
        // The last route is gone, and with it the last who could deliver something.
        let committed = committing.await.map_err(io::Error::other);
        served.and(committed)
    }
}

fn routes<S: Store + 'static>(shared: Arc<Shared<S>>) -> Router {
    Router::new()
        .route("/healthz", get(health::answer::<S>))
        .route("/webhooks/github", post(webhooks::deliver::<S>))
        .with_state(shared)
}
