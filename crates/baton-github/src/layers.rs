//! The layers between a call and the network, outermost first: `authorize`, `conditional`, `retry`, `redirect`,
//! `budget`, `meter`.
//!
//! Each is one tower layer with state of its own and knows nothing of the others. They do not interpret answers beyond
//! what their purpose needs.

pub(crate) mod authorize;
pub(crate) mod budget;
pub(crate) mod conditional;
pub(crate) mod limits;
pub(crate) mod meter;
pub(crate) mod redirect;
pub(crate) mod retry;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what is behind these locks is valid between any two statements, so a panicked holder leaves nothing broken.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod fake {
    //! A network that answers from a list and remembers what it was asked.

    use std::collections::VecDeque;
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use baton_core::RepoSlug;
    use http::{HeaderMap, HeaderName, Method, StatusCode};
    use tower::Service;

    use super::*;
    use crate::call::{Call, Failure, Identity, Outcome, Pending, Repeat, Reply};

    #[derive(Clone, Default)]
    pub(crate) struct FakeNetwork {
        outcomes: Arc<Mutex<VecDeque<Outcome>>>,
        pub(crate) asked: Arc<Mutex<Vec<Call>>>,
    }

    impl FakeNetwork {
        pub(crate) fn answering(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
            let network = Self::default();
            lock(&network.outcomes).extend(outcomes);
            network
        }

        pub(crate) fn count(&self) -> usize {
            lock(&self.asked).len()
        }
    }

    impl Service<Call> for FakeNetwork {
        type Response = Reply;
        type Error = Failure;
        type Future = Pending;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, call: Call) -> Pending {
            lock(&self.asked).push(call);
            let outcome = lock(&self.outcomes).pop_front().expect("the test foresees this request");
            Box::pin(std::future::ready(outcome))
        }
    }

    pub(crate) fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        Reply { status, headers: map, body: body.to_owned().into(), is_after_doubt: false }
    }

    pub(crate) fn repo() -> RepoSlug {
        "acme/web".parse().unwrap()
    }

    pub(crate) fn get(path: &str) -> Call {
        let url = format!("https://api.example{path}").parse().unwrap();
        Call::get("/thing", url, Identity::In(repo()))
    }

    pub(crate) fn write(method: Method, repeat: Repeat) -> Call {
        Call { method, repeat, body: Some("{}".into()), ..get("/thing") }
    }
}
