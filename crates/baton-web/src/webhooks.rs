//! Where GitHub delivers.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use baton_github::Secret;
use baton_github::webhooks::is_signed;
use baton_ports::Store;
use baton_ports::store::{Accepted, Delivery};

use crate::access;
use crate::refusal::Refusal;
use crate::server::Shared;

/// The longest name of an event, and the longest id of a delivery, in bytes.
const HEADER_BYTES_MAX: usize = 128;

pub(crate) async fn deliver<S: Store>(
    State(shared): State<Arc<Shared<S>>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, &'static str), Refusal> {
    if shared.secret.is_none() {
        check_neighbour(peer.ip(), uri.authority(), &headers)?;
    }
    // The room in memory is held until the delivery is committed.
    let (payload, _room) = shared.room.read(&headers, body).await?;
    if let Some(secret) = &shared.secret {
        check_signature(secret, &payload, &headers)?;
    }
    let event = short_header(&headers, "X-GitHub-Event")?;
    let id = short_header(&headers, "X-GitHub-Delivery")?;
    if is_form(&headers) {
        return Err(Refusal::Form);
    }
    if event == "ping" {
        return Ok((StatusCode::OK, "pong\n"));
    }
    let payload = String::from_utf8(payload.into()).map_err(|_| Refusal::NotUtf8)?;
    match shared.inbox.accept(Delivery { id, event, payload }).await {
        Some(Accepted::New) => Ok((StatusCode::ACCEPTED, "accepted\n")),
        Some(Accepted::Seen) => Ok((StatusCode::OK, "delivered before\n")),
        None => Err(Refusal::Store),
    }
}

/// Checks that a program of this machine delivers. A page in a browser is on this machine too, and may have let its own name point
/// here; browsers say so.
fn check_neighbour(peer: IpAddr, called: Option<&Authority>, headers: &HeaderMap) -> Result<(), Refusal> {
    if !is_this_machine(peer) {
        return Err(Refusal::Stranger);
    }
    if access::is_by_page(called, headers) { Err(Refusal::Page) } else { Ok(()) }
}

fn is_this_machine(peer: IpAddr) -> bool {
    peer.to_canonical().is_loopback()
}

fn check_signature(secret: &Secret, payload: &[u8], headers: &HeaderMap) -> Result<(), Refusal> {
    let signature = headers.get("X-Hub-Signature-256").ok_or(Refusal::Unsigned)?;
    let signature = signature.to_str().map_err(|_| Refusal::WronglySigned)?;
    if is_signed(secret, payload, signature) { Ok(()) } else { Err(Refusal::WronglySigned) }
}

fn short_header(headers: &HeaderMap, name: &'static str) -> Result<String, Refusal> {
    let text = headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let text = text.filter(|text| (1..=HEADER_BYTES_MAX).contains(&text.len()));
    text.map(str::to_owned).ok_or(Refusal::Header(name))
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("application/x-www-form-urlencoded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_in_both_families_of_addresses() {
        for (address, expected) in [
            ("127.0.0.1", true),
            ("127.9.8.7", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("10.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("0.0.0.0", false),
        ] {
            assert_eq!(is_this_machine(address.parse().unwrap()), expected, "{address}");
        }
    }
}
