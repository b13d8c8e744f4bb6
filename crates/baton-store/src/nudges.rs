//! Hearing that there may be something to do.

use std::time::Duration;

use baton_ports::{Nudges, StoreError};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};

use crate::fault::Fault;
use crate::sockets::SocketNudges;

const CHANNEL: &str = "baton";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Nudges of either store.
pub struct StoreNudges {
    source: Source,
    address: String,
}

enum Source {
    Sockets(SocketNudges),
    Postgres(Box<PostgresNudges>),
}

impl StoreNudges {
    pub(crate) fn of_sockets(sockets: SocketNudges, address: String) -> Self {
        Self { source: Source::Sockets(sockets), address }
    }

    pub(crate) fn of_postgres(nudges: PostgresNudges, address: String) -> Self {
        Self { source: Source::Postgres(Box::new(nudges)), address }
    }
}

impl Nudges for StoreNudges {
    async fn nudged(&mut self) -> Result<(), StoreError> {
        let nudged = match &mut self.source {
            Source::Sockets(sockets) => sockets.nudged().await,
            Source::Postgres(postgres) => postgres.nudged().await,
        };
        nudged.map_err(|fault| fault.told("listening for news", &self.address))
    }
}

/// A connection that only listens, and is made anew when it is lost.
pub(crate) struct PostgresNudges {
    connect: PgConnectOptions,
    listener: Option<PgListener>,
}

impl PostgresNudges {
    pub(crate) async fn listen(connect: PgConnectOptions) -> Result<Self, Fault> {
        let listener = Some(listener(&connect).await?);
        Ok(Self { connect, listener })
    }

    async fn nudged(&mut self) -> Result<(), Fault> {
        if let Some(listener) = &mut self.listener {
            if let Ok(Some(_)) = listener.try_recv().await {
                while listener.next_buffered().is_some() {}
                return Ok(());
            }
            // Whatever it was, nothing is heard over this connection any more.
            self.listener = None;
        }
        self.listener = Some(listener(&self.connect).await?);
        Ok(())
    }
}

async fn listener(connect: &PgConnectOptions) -> Result<PgListener, Fault> {
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_TIMEOUT);
    let pool = pool.idle_timeout(None).max_lifetime(None).connect_with(connect.clone()).await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}
