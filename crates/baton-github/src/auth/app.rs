//! A GitHub App: it signs a short-lived token for itself, and gets one for each installation it acts through.
//!
//! RS256 is signed by the library that does TLS, so that no second implementation of RSA comes into the program.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use http::{HeaderValue, Method};
use rustls::SignatureScheme;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::sign::SigningKey;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;
use tower::ServiceExt as _;

use super::bearer;
use crate::address::{BaseUrl, fill};
use crate::call::{Call, Exchange, Failure, Identity, Reply};
use crate::layers::limits::limit_of_reply;
use crate::pace::SharedPace;
use crate::refusal::message_of;
use crate::secret::Secret;
use crate::settings::SetupError;

/// Clocks differ: the token begins a minute ago, and ends before GitHub's limit of ten minutes.
const SIGNED_BEFORE_S: u64 = 60;
const SIGNED_FOR_S: u64 = 540;

/// A token is replaced this long before it ends, so that no request is under way when it does.
const SPARE: Duration = Duration::from_secs(300);

/// An App with its key, and the tokens it holds.
#[derive(Debug)]
pub(crate) struct App {
    id: String,
    key: Arc<dyn SigningKey>,
    installation_id: Option<u64>,
    base: BaseUrl,
    pace: SharedPace,
    /// By owner, because an App is installed for an account; under no name when the installation is given.
    held: Mutex<BTreeMap<String, Held>>,
}

#[derive(Debug)]
struct Held {
    header: HeaderValue,
    until: Duration,
}

#[derive(Deserialize)]
struct Installation {
    id: u64,
}

#[derive(Deserialize)]
struct AccessToken {
    token: String,
    expires_at: String,
}

impl App {
    pub(crate) fn new(
        id: &str,
        private_key_pem: &Secret,
        installation_id: Option<u64>,
        base: BaseUrl,
        pace: SharedPace,
    ) -> Result<Self, SetupError> {
        let key = read_key(private_key_pem).map_err(SetupError::Key)?;
        Ok(Self { id: id.to_owned(), key, installation_id, base, pace, held: Mutex::default() })
    }

    /// Returns the header with which the App speaks for itself.
    pub(crate) fn own_header(&self) -> Result<HeaderValue, Failure> {
        let token = self.sign(self.pace.wall_s()).map_err(Failure::NoToken)?;
        bearer(&Secret::new(token)).map_err(|error| Failure::NoToken(error.to_string()))
    }

    /// Returns the header with which the App acts in a repository.
    pub(crate) async fn header<S: Exchange>(
        &self,
        repo: &RepoSlug,
        inner: S,
    ) -> Result<HeaderValue, Failure> {
        // Held while the token is fetched, so that many calls at once fetch one.
        let mut held = self.held.lock().await;
        let owner = self.key_of(repo);
        if let Some(held) = held.get(&owner).filter(|held| self.pace.now() < held.until) {
            return Ok(held.header.clone());
        }
        let fresh = self.fetch(repo, inner).await?;
        let header = fresh.header.clone();
        held.insert(owner, fresh);
        Ok(header)
    }

    /// Forgets a token that was refused, unless another call has already replaced it.
    pub(crate) async fn forget(&self, refused: &HeaderValue) {
        self.held.lock().await.retain(|_, held| held.header != refused);
    }

    fn key_of(&self, repo: &RepoSlug) -> String {
        self.installation_id.map_or_else(|| repo.owner().to_ascii_lowercase(), |_| String::new())
    }

    async fn fetch<S: Exchange>(&self, repo: &RepoSlug, inner: S) -> Result<Held, Failure> {
        let id = match self.installation_id {
            Some(id) => id,
            None => self.installation_of(repo, inner.clone()).await?,
        };
        let reply = self
            .ask(
                Method::POST,
                "/app/installations/{installation_id}/access_tokens",
                &[&id.to_string()],
                inner,
            )
            .await?;
        let token: AccessToken = parse(&reply)?;
        let header =
            bearer(&Secret::new(&token.token)).map_err(|error| Failure::NoToken(error.to_string()))?;
        Ok(Held { header, until: self.pace.now() + lifetime(&reply, &token.expires_at) })
    }

    async fn installation_of<S: Exchange>(&self, repo: &RepoSlug, inner: S) -> Result<u64, Failure> {
        let values = [repo.owner(), repo.name()];
        let reply = self.ask(Method::GET, "/repos/{owner}/{repo}/installation", &values, inner).await?;
        Ok(parse::<Installation>(&reply)?.id)
    }

    async fn ask<S: Exchange>(
        &self,
        method: Method,
        endpoint: &'static str,
        values: &[&str],
        inner: S,
    ) -> Result<Reply, Failure> {
        let path = fill(endpoint, values)
            .map_err(|value| Failure::NoToken(format!("`{value}` cannot be part of a path")))?;
        let mut call = Call::get(endpoint, self.base.join(&path, &[]), Identity::Itself);
        call.method = method;
        call.authorization = Some(self.own_header()?);
        let outcome = inner.oneshot(call.clone()).await;
        settle(&call, outcome)
    }

    fn sign(&self, now_s: u64) -> Result<String, String> {
        let claims = json!({ "iat": now_s - SIGNED_BEFORE_S, "exp": now_s + SIGNED_FOR_S, "iss": self.id });
        let head = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","typ":"JWT"}"#);
        let message = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signer =
            self.key.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256]).ok_or("the key is not RSA")?;
        let signature = signer.sign(message.as_bytes()).map_err(|error| error.to_string())?;
        Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn read_key(pem: &Secret) -> Result<Arc<dyn SigningKey>, String> {
    let der = PrivateKeyDer::from_pem_slice(pem.reveal().as_bytes())
        .map_err(|_| "it is not a private key in PEM".to_owned())?;
    let key = rustls::crypto::ring::sign::any_supported_type(&der).map_err(|error| error.to_string())?;
    match key.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256]) {
        Some(_) => Ok(key),
        None => Err("it is not an RSA key".to_owned()),
    }
}

/// Whatever goes wrong while a token is fetched, the call that needs it has not been sent.
fn settle(call: &Call, outcome: Result<Reply, Failure>) -> Result<Reply, Failure> {
    let told = |what: String| format!("{call:?}, for a token: {what}");
    let reply = match outcome {
        Ok(reply) => reply,
        Err(Failure::Lost(why) | Failure::Unsent(why)) => return Err(Failure::Unsent(told(why))),
        Err(failure) => return Err(failure),
    };
    if let Some(wait) = limit_of_reply(&reply) {
        return Err(Failure::Spent { wait });
    }
    match reply.status.as_u16() {
        200..=299 => Ok(reply),
        500.. => Err(Failure::Unsent(told(message_of(&reply)))),
        _ => Err(Failure::NoToken(told(message_of(&reply)))),
    }
}

fn parse<T: for<'a> Deserialize<'a>>(reply: &Reply) -> Result<T, Failure> {
    serde_json::from_slice(&reply.body)
        .map_err(|error| Failure::NoToken(format!("the answer has no token: {error}")))
}

/// Returns how long a token may be used, by the server's clock.
fn lifetime(reply: &Reply, expires_at: &str) -> Duration {
    let ends: Option<ServerTime> = expires_at.parse().ok();
    let left = ends.zip(reply.date()).and_then(|(ends, now)| u64::try_from(ends.seconds_since(now)).ok());
    // Without a date it is used once, which is slow and right.
    Duration::from_secs(left.unwrap_or(0)).saturating_sub(SPARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::fake::reply;

    #[test]
    fn a_token_is_used_until_five_minutes_before_its_end() {
        let dated = reply(201, &[("date", "Tue, 14 Nov 2023 22:13:20 GMT")], "");
        assert_eq!(lifetime(&dated, "2023-11-14T23:13:20Z"), Duration::from_secs(3300));
        assert_eq!(lifetime(&dated, "2023-11-14T22:15:20Z"), Duration::ZERO);
        assert_eq!(lifetime(&dated, "soon"), Duration::ZERO);
        assert_eq!(lifetime(&reply(201, &[], ""), "2023-11-14T23:13:20Z"), Duration::ZERO);
    }

    #[test]
    fn what_is_no_rsa_key_is_refused() {
        for pem in ["", "key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"] {
            assert!(read_key(&Secret::new(pem)).is_err(), "{pem:?}");
        }
    }

    #[test]
    fn a_failure_to_get_a_token_means_that_nothing_was_sent() {
        let url = "https://api.example/app".parse().unwrap();
        let call = Call::get("/app", url, Identity::Itself);
        let lost = settle(&call, Err(Failure::Lost("reset".into())));
        assert!(matches!(lost, Err(Failure::Unsent(_))));
        assert!(matches!(settle(&call, Ok(reply(502, &[], ""))), Err(Failure::Unsent(_))));
        assert!(matches!(settle(&call, Ok(reply(404, &[], ""))), Err(Failure::NoToken(_))));
        let limited = settle(&call, Ok(reply(403, &[("retry-after", "3")], "")));
        assert_eq!(limited.unwrap_err(), Failure::Spent { wait: Duration::from_secs(3) });
    }
}
