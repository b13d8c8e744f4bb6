//! Events: what changed on the board is drawn once, and told to everybody who listens.
//!
//! A listener costs a place in a queue that all share: it holds no board, and frames are the same bytes for all. Whoever does
//! not keep up hears `resync` and reads the page again.
//!
//! | event | content |
//! |---|---|
//! | `hello` | the number of frames told so far; a page that was drawn at another number reads itself again |
//! | `card` | `{issue, column, after, html}`: a card that is new, changed or moved; `after` is the one before it |
//! | `gone` | `{issue}`: a card that is no longer shown |
//! | `counts` | `{column: hidden, …}`: how many cards are not shown |
//! | `warnings` | `{html}` |
//! | `changed` | `{now}`: something may have changed, on whichever page |
//! | `resync` | the difference cannot be told: read the page again |
//! | `trouble` | `{words}`: the board could not be read |

mod difference;
mod feed;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use baton_view::Lookout;
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;

use crate::dashboard::Site;

pub(crate) use feed::Feed;

/// Something is sent at least this often, so that a dead connection is noticed on both sides.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Becomes true when the server ends. A stream of events would keep it from ending otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Ending(pub(crate) watch::Receiver<bool>);

/// Somebody who listens.
struct Listener {
    hello: Option<Bytes>,
    frames: broadcast::Receiver<Bytes>,
    ending: Option<Ending>,
}

pub(crate) async fn events<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    ending: Option<Extension<Ending>>,
) -> Response {
    let (told, frames) = site.feed.listen().await;
    let hello = Some(frame("hello", &told.to_string()));
    let listener = Listener { hello, frames, ending: ending.map(|Extension(ending)| ending) };
    let frames = stream::unfold(listener, |mut listener| async {
        let frame = listener.next().await?;
        Some((Ok::<_, Infallible>(frame), listener))
    });
    let about = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (about, Body::from_stream(frames)).into_response()
}

impl Listener {
    /// Returns what to send next; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        let heard = tokio::select! {
            heard = tokio::time::timeout(HEARTBEAT, self.frames.recv()) => heard,
            () = ended(self.ending.as_mut()) => return None,
        };
        match heard {
            Ok(Ok(frame)) => Some(frame),
            Ok(Err(RecvError::Lagged(_))) => Some(frame("resync", "{}")),
            Ok(Err(RecvError::Closed)) => None,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }
}

async fn ended(ending: Option<&mut Ending>) {
    match ending {
        // Whoever could tell the end is gone only when it has come.
        Some(Ending(ending)) => drop(ending.wait_for(|is_over| *is_over).await),
        None => std::future::pending().await,
    }
}

/// Returns an event as it is sent. The content has no line breaks: it is JSON.
fn frame(event: &str, content: &str) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {content}\n\n"))
}
