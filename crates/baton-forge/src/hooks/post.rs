//! What the writer and the courier share: the addresses and repositories that payloads are written with, and the bell
//! that says there is something to deliver.

use std::path::PathBuf;
use std::sync::OnceLock;

use tokio::sync::Notify;

use crate::git::GitStore;
use crate::wire::Links;

/// The forge as its payloads show it.
pub(crate) struct Origin {
    /// The forge's own address: nobody asked for a payload, so there is no address that somebody used.
    pub(crate) links: Links,
    pub(crate) git: GitStore,
}

#[derive(Default)]
pub(crate) struct Post {
    origin: OnceLock<Origin>,
    bell: Notify,
}

impl Post {
    /// Says where the forge serves, once, when that is known. Nothing is published before.
    pub(crate) fn open(&self, links: Links, repositories: PathBuf) {
        // A forge is bound once; a second address would be ignored, as the first is in payloads already.
        drop(self.origin.set(Origin { links, git: GitStore::new(repositories) }));
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.origin.get()
    }

    pub(crate) fn wake(&self) {
        self.bell.notify_one();
    }

    pub(crate) async fn woken(&self) {
        self.bell.notified().await;
    }
}
