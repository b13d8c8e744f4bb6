//! Puts the token on each call, and gets a new one when it is refused.
//!
//! A refused token means that nothing was done, so any call is sent once more with the new one; not twice.

use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderValue, StatusCode};
use tower::{Layer, Service, ServiceExt as _};

use crate::address::BaseUrl;
use crate::auth::app::App;
use crate::auth::command::TokenCommand;
use crate::auth::{Auth, bearer};
use crate::call::{Call, Exchange, Failure, Identity, Outcome, Pending, Reply};
use crate::pace::SharedPace;
use crate::settings::SetupError;

/// Where tokens come from.
#[derive(Debug)]
pub(crate) enum Credential {
    Anonymous,
    Fixed(HeaderValue),
    Command(TokenCommand),
    App(Box<App>),
}

impl Credential {
    pub(crate) fn new(auth: &Auth, base: &BaseUrl, pace: &SharedPace) -> Result<Self, SetupError> {
        Ok(match auth {
            Auth::Anonymous => Self::Anonymous,
            Auth::Token(token) => Self::Fixed(bearer(token)?),
            Auth::TokenCommand(line) => Self::Command(TokenCommand::new(line)),
            Auth::App { app_id, private_key_pem, installation_id } => {
                let (base, pace) = (base.clone(), Arc::clone(pace));
                Self::App(Box::new(App::new(app_id, private_key_pem, *installation_id, base, pace)?))
            }
        })
    }

    pub(crate) fn is_app(&self) -> bool {
        matches!(self, Self::App(_))
    }

    async fn header<S: Exchange>(&self, call: &Call, inner: S) -> Result<Option<HeaderValue>, Failure> {
        match (self, &call.identity) {
            (Self::Anonymous, _) => Ok(None),
            (Self::Fixed(header), _) => Ok(Some(header.clone())),
            (Self::Command(command), _) => command.header().await.map(Some),
            (Self::App(app), Identity::Itself) => app.own_header().map(Some),
            (Self::App(app), Identity::In(repo)) => app.header(repo, inner).await.map(Some),
        }
    }

    /// Forgets a refused token; returns whether there may be another.
    async fn forget(&self, refused: &HeaderValue) -> bool {
        match self {
            Self::Anonymous | Self::Fixed(_) => return false,
            Self::Command(command) => command.forget(refused).await,
            Self::App(app) => app.forget(refused).await,
        }
        true
    }
}

/// Puts tokens on calls before a service.
#[derive(Debug, Clone)]
pub(crate) struct AuthorizeLayer(pub(crate) Arc<Credential>);

impl<S> Layer<S> for AuthorizeLayer {
    type Service = Authorize<S>;

    fn layer(&self, inner: S) -> Authorize<S> {
        Authorize { inner, credential: Arc::clone(&self.0) }
    }
}

/// A service that is asked with a token.
#[derive(Debug, Clone)]
pub(crate) struct Authorize<S> {
    inner: S,
    credential: Arc<Credential>,
}

impl<S: Exchange + Sync> Authorize<S> {
    async fn run(self, mut call: Call) -> Outcome {
        call.authorization = self.credential.header(&call, self.inner.clone()).await?;
        let reply = self.inner.clone().oneshot(call.clone()).await?;
        match &call.authorization {
            Some(refused) if reply.status == StatusCode::UNAUTHORIZED => {
                let refused = refused.clone();
                self.again(call, refused, reply).await
            }
            _ => Ok(reply),
        }
    }

    async fn again(self, mut call: Call, refused: HeaderValue, reply: Reply) -> Outcome {
        if !self.credential.forget(&refused).await {
            return Ok(reply);
        }
        let fresh = self.credential.header(&call, self.inner.clone()).await?;
        if fresh.as_ref() == Some(&refused) {
            return Ok(reply);
        }
        tracing::debug!(?call, "the token was refused; trying with a new one");
        call.authorization = fresh;
        self.inner.oneshot(call).await
    }
}

impl<S: Exchange + Sync> Service<Call> for Authorize<S> {
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
    use std::collections::BTreeSet;

    use super::super::fake::{FakeNetwork, get, reply};
    use super::super::lock;
    use super::*;

    async fn run(credential: Credential, statuses: &[u16]) -> (u16, Vec<Option<String>>) {
        let network = FakeNetwork::answering(statuses.iter().map(|status| Ok(reply(*status, &[], ""))));
        let layer = AuthorizeLayer(Arc::new(credential));
        let reply = layer.layer(network.clone()).oneshot(get("/thing")).await.unwrap();
        let text = |header: &HeaderValue| header.to_str().unwrap().to_owned();
        let sent = lock(&network.asked).iter().map(|call| call.authorization.as_ref().map(text)).collect();
        (reply.status.as_u16(), sent)
    }

    #[tokio::test]
    async fn a_fixed_token_is_sent_and_its_refusal_is_the_answer() {
        let fixed = || Credential::Fixed(HeaderValue::from_static("Bearer a"));
        assert_eq!(run(fixed(), &[200]).await, (200, vec![Some("Bearer a".into())]));
        assert_eq!(run(fixed(), &[401]).await.0, 401);
        assert_eq!(run(Credential::Anonymous, &[401]).await, (401, vec![None]));
    }

    #[tokio::test]
    async fn a_refused_token_of_a_command_is_replaced_once() {
        let fresh = || Credential::Command(TokenCommand::new("od -An -N8 -tx8 /dev/urandom"));
        let (status, sent) = run(fresh(), &[401, 200]).await;
        assert_eq!(status, 200);
        assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), 2, "the second is another");
        assert_eq!(run(fresh(), &[401, 401]).await.0, 401);
        let same = Credential::Command(TokenCommand::new("echo a"));
        assert_eq!(run(same, &[401]).await.1.len(), 1, "the same token is not sent twice");
    }
}
