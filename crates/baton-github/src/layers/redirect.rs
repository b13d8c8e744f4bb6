//! Follows redirections on the same server, as GitHub gives them for repositories that were renamed.
//!
//! The method never changes on the way: a write is followed only where the status promises that. Another server is
//! never followed to, because it would see the token.

use std::task::{Context, Poll};

use http::StatusCode;
use reqwest::Url;
use tower::{Layer, Service, ServiceExt as _};

use crate::call::{Call, Exchange, Failure, Outcome, Pending, Reply};

const HOPS_MAX: usize = 3;

/// Follows redirections before a service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RedirectLayer;

impl<S> Layer<S> for RedirectLayer {
    type Service = Redirect<S>;

    fn layer(&self, inner: S) -> Redirect<S> {
        Redirect { inner }
    }
}

/// A service whose redirections are followed.
#[derive(Debug, Clone)]
pub(crate) struct Redirect<S> {
    inner: S,
}

impl<S: Exchange + Sync> Redirect<S> {
    async fn run(self, mut call: Call) -> Outcome {
        for _ in 0..HOPS_MAX {
            let reply = self.inner.clone().oneshot(call.clone()).await?;
            match target(&call, &reply) {
                None => return Ok(reply),
                Some(url) => call.url = url,
            }
        }
        Err(Failure::Unusable(format!("more than {HOPS_MAX} redirections")))
    }
}

/// Returns where to go on, if the answer says so and it is safe.
fn target(call: &Call, reply: &Reply) -> Option<Url> {
    let is_followed = match reply.status {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => call.is_read(),
        _ => false,
    };
    let url = call.url.join(reply.header("location").filter(|_| is_followed)?).ok()?;
    (url.origin() == call.url.origin()).then_some(url)
}

impl<S: Exchange + Sync> Service<Call> for Redirect<S> {
    type Response = Reply;
    type Error = Failure;
    type Future = Pending;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Pending {
        Box::pin(self.clone().run(call))
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::super::fake::{FakeNetwork, get, reply, write};
    use super::*;
    use crate::call::Repeat;

    async fn check(call: Call, status: u16, location: &str, is_followed: bool) {
        let moved = reply(status, &[("location", location)], "");
        let network = FakeNetwork::answering([Ok(moved), Ok(reply(200, &[], ""))]);
        let reply = RedirectLayer.layer(network.clone()).oneshot(call.clone()).await.unwrap();
        assert_eq!(reply.status == 200, is_followed, "{call:?} {status} {location}");
        assert_eq!(network.count(), 1 + usize::from(is_followed));
    }

    #[tokio::test]
    async fn only_redirections_on_the_same_server_that_keep_the_method_are_followed() {
        let post = || write(Method::POST, Repeat::IfNotDone);
        check(get("/a"), 301, "https://api.example/repositories/1", true).await;
        check(get("/a"), 302, "/repositories/1", true).await;
        check(get("/a"), 301, "https://evil.example/", false).await;
        check(get("/a"), 301, "http://api.example/", false).await;
        check(post(), 307, "https://api.example/repositories/1", true).await;
        check(post(), 308, "https://api.example/repositories/1", true).await;
        check(post(), 301, "https://api.example/repositories/1", false).await;
    }

    #[tokio::test]
    async fn a_circle_of_redirections_ends() {
        let moved = || Ok(reply(307, &[("location", "/a")], ""));
        let network = FakeNetwork::answering([moved(), moved(), moved()]);
        let failure = RedirectLayer.layer(network).oneshot(get("/a")).await.unwrap_err();
        assert!(matches!(failure, Failure::Unusable(_)));
    }
}
