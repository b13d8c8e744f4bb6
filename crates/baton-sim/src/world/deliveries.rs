//! Webhooks as an engine gets them: committed to its store's inbox, if it is up to take them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use baton_core::board::{Happening, News, Subject};
use baton_ports::Store as _;
use baton_ports::store::Delivery;

use super::scene::Scene;
use crate::MemoryStore;

/// The address at which an engine takes webhooks.
pub(crate) struct Endpoint {
    pub(crate) scene: Arc<Scene>,
    pub(crate) store: MemoryStore,
    pub(crate) is_up: AtomicBool,
}

impl Endpoint {
    /// Takes a webhook.
    pub(crate) fn take(self: &Arc<Self>, id: u64, news: &News) {
        if !self.is_up.load(Ordering::SeqCst) {
            return self.scene.count("webhooks to nobody");
        }
        let Some(delivery) = encode(id, news) else { return };
        let endpoint = Arc::clone(self);
        tokio::spawn(async move {
            // The memory store never fails.
            let _ = endpoint.store.accept(&delivery).await;
        });
    }
}

fn encode(id: u64, news: &News) -> Option<Delivery> {
    let Subject::Issue(issue) = &news.about else { return None };
    let (event, detail) = match &news.what {
        Happening::Appeared => ("appeared", ""),
        Happening::Closed => ("closed", ""),
        Happening::Labelled(label) => ("labelled", label.as_str()),
        Happening::Unlabelled(label) => ("unlabelled", label.as_str()),
        Happening::Moved => ("moved", ""),
        Happening::Commented => ("commented", ""),
        Happening::Edited => ("edited", ""),
        Happening::PullChanged => ("pull", ""),
        Happening::Checked => ("checked", ""),
        Happening::Reopened | Happening::Removed | Happening::Assigned | Happening::Relinked => return None,
    };
    let payload = format!("{issue}\n{detail}");
    Some(Delivery { id: format!("d{id}"), event: event.to_owned(), payload })
}

/// Reads what a delivery says.
pub(crate) fn decode(delivery: &Delivery) -> Vec<News> {
    let Some((issue, detail)) = delivery.payload.split_once('\n') else { return Vec::new() };
    let Ok(issue) = issue.parse() else { return Vec::new() };
    let what = match delivery.event.as_str() {
        "appeared" => Happening::Appeared,
        "closed" => Happening::Closed,
        "labelled" => Happening::Labelled(detail.to_owned()),
        "unlabelled" => Happening::Unlabelled(detail.to_owned()),
        "moved" => Happening::Moved,
        "commented" => Happening::Commented,
        "edited" => Happening::Edited,
        "pull" => Happening::PullChanged,
        "checked" => Happening::Checked,
        _ => return Vec::new(),
    };
    vec![News { about: Subject::Issue(issue), what }]
}
