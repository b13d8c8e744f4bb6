//! The network: one request, one answer, no second attempt.
//!
//! What reqwest would do by itself (redirections, repeated attempts) is turned off, because the layers decide that. A
//! failure says whether the request can have arrived.

use std::error::Error as _;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};
use tower::Service;

use crate::address::BaseUrl;
use crate::call::{Call, Failure, Outcome, Pending, Reply};
use crate::settings::{Settings, SetupError};

/// No list of GitHub's comes near; a larger answer is not from an API.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Longer than most idle connections are kept by servers, a request and their end would cross.
const IDLE_MAX: Duration = Duration::from_secs(15);

/// The network, through reqwest.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
}

impl Transport {
    pub(crate) fn new(settings: &Settings, base: &BaseUrl) -> Result<Self, SetupError> {
        let mut builder = builder(base)
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .default_headers(default_headers())
            .timeout(settings.timeout)
            // Shorter than the whole, so that a server out of reach is known not to have got the request.
            .connect_timeout((settings.timeout / 2).min(Duration::from_secs(10)))
            .pool_idle_timeout(IDLE_MAX)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never());
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        Ok(Self { http: builder.build().map_err(SetupError::Http)? })
    }

    async fn run(self, call: Call) -> Outcome {
        let mut request = self.http.request(call.method, call.url);
        if let Some(header) = call.authorization {
            request = request.header(AUTHORIZATION, header);
        }
        if let Some(header) = call.if_none_match {
            request = request.header(IF_NONE_MATCH, header);
        }
        if let Some(body) = call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = request.send().await.map_err(failure)?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok(Reply { status, headers, body: read(response).await?, is_after_doubt: false })
    }
}

/// Chooses the cryptography of TLS for this process, unless the program has chosen already.
///
/// [`GitHub::new`](crate::GitHub::new) does it by itself. It is for programs with reqwest clients of their own: cargo
/// shares features within a build, and with this crate in it every reqwest client needs the choice made first.
pub fn install_tls_provider() {
    // An error means that there is one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn builder(base: &BaseUrl) -> reqwest::ClientBuilder {
    install_tls_provider();
    let builder = reqwest::Client::builder();
    // Machines without certificates, such as small containers, can still talk to a forge of their own.
    if base.is_plain() { builder.tls_certs_only([]) } else { builder }
}

fn default_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/vnd.github+json"));
    headers.insert("x-github-api-version", HeaderValue::from_static("2022-11-28"));
    headers
}

async fn read(mut response: reqwest::Response) -> Result<Bytes, Failure> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(failure)? {
        if body.len() + chunk.len() > BODY_BYTES_MAX {
            return Err(Failure::Unusable(format!("the answer is larger than {BODY_BYTES_MAX} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn failure(error: reqwest::Error) -> Failure {
    let is_unsent = error.is_connect() || error.is_builder();
    // The path is told elsewhere and may be long; where it was sent is what a person looks at first.
    let place =
        error.url().map(|url| format!(" ({})", url.origin().ascii_serialization())).unwrap_or_default();
    let why = format!("{}{place}", chain(&error.without_url()));
    if is_unsent { Failure::Unsent(why) } else { Failure::Lost(why) }
}

/// Joins an error with its causes: the outermost alone says only that there was one.
fn chain(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

impl Service<Call> for Transport {
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
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use tower::ServiceExt as _;

    use super::*;
    use crate::call::Identity;

    #[tokio::test]
    async fn a_server_that_does_not_prove_itself_gets_no_request() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut first = [0; 1];
            stream.read_exact(&mut first).unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
            first
        });
        let base = BaseUrl::parse(&url, false).unwrap();
        let transport = Transport::new(&Settings { api_url: url, ..Settings::default() }, &base).unwrap();
        let outcome = transport.oneshot(Call::get("/user", base.join("/user", &[]), Identity::Itself)).await;
        assert!(matches!(outcome, Err(Failure::Unsent(_))), "{outcome:?}");
        assert_eq!(server.join().unwrap(), [22], "it was greeted with a TLS handshake, not with a method");
    }
}
