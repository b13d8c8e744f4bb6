//! The store under the fleet: a PostgreSQL server of its own, which can be cut off and stopped, or a file.

use std::path::Path;
use std::sync::Arc;

use baton_fixtures::clock;
use baton_store::SqlStore;
use baton_testbed::Cluster;

const DATABASE: &str = "fleet";
const FILE: &str = "fleet.db";

pub(crate) enum Ground {
    Postgres(Box<Cluster>),
    Sqlite,
}

impl Ground {
    pub(crate) fn postgres() -> Self {
        // Each worker may take 17 connections when it has much to do at once.
        let cluster = Cluster::builder().setting("max_connections", "400").start().unwrap();
        cluster.create_database(DATABASE).unwrap();
        Self::Postgres(Box::new(cluster))
    }

    pub(crate) fn sqlite() -> Self {
        Self::Sqlite
    }

    /// The value of `store` in the configuration.
    pub(crate) fn address(&self) -> String {
        match self {
            Self::Postgres(cluster) => cluster.url(DATABASE),
            Self::Sqlite => format!("sqlite:{FILE}"),
        }
    }

    pub(crate) async fn open(&self, directory: &Path) -> SqlStore {
        match self {
            Self::Postgres(cluster) => SqlStore::postgres(&cluster.url(DATABASE)).await.unwrap(),
            Self::Sqlite => {
                SqlStore::sqlite(&directory.join(FILE), Arc::new(clock::store_time)).await.unwrap()
            }
        }
    }

    /// The server, if there is one that can be cut off.
    pub(crate) fn server(&self) -> Option<Server<'_>> {
        match self {
            Self::Postgres(cluster) => Some(Server(cluster)),
            Self::Sqlite => None,
        }
    }
}

/// A server and what may befall it.
#[derive(Clone, Copy)]
pub(crate) struct Server<'a>(&'a Cluster);

impl Server<'_> {
    /// Ends all sessions, and returns how many there were.
    pub(crate) fn cut(self) -> usize {
        self.0.cut_connections(DATABASE).unwrap()
    }

    pub(crate) fn stop(self) {
        self.0.stop_hard();
    }

    pub(crate) fn start_again(self) {
        self.0.start_again().unwrap();
    }
}
