//! What is put on the wire for one delivery: headers, body, signatures.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;

use crate::db::hooks::{HookOwner, Outgoing};

/// GitHub's courier names itself so, with a part of its commit; receivers look at the beginning.
const USER_AGENT: &str = "GitHub-Hookshot/ba70f0e";

pub(super) struct Letter {
    pub(super) headers: BTreeMap<&'static str, String>,
    pub(super) body: Vec<u8>,
}

pub(super) fn compose(outgoing: &Outgoing) -> Letter {
    let hook = &outgoing.hook;
    let (content_type, body) = match hook.content_type.as_str() {
        "json" => ("application/json", outgoing.body.clone()),
        _ => ("application/x-www-form-urlencoded", form(&outgoing.body)),
    };
    let (target_type, target_id) = match hook.owner {
        HookOwner::Repo(id) => ("repository", id),
        HookOwner::Org(id) => ("organization", id),
    };
    let mut headers = BTreeMap::from([
        ("Accept", "*/*".to_owned()),
        ("Content-Type", content_type.to_owned()),
        ("User-Agent", USER_AGENT.to_owned()),
        ("X-GitHub-Delivery", outgoing.guid.clone()),
        ("X-GitHub-Event", outgoing.event.clone()),
        ("X-GitHub-Hook-ID", hook.id.to_string()),
        ("X-GitHub-Hook-Installation-Target-ID", target_id.to_string()),
        ("X-GitHub-Hook-Installation-Target-Type", target_type.to_owned()),
    ]);
    if let Some(secret) = &hook.secret {
        headers.insert("X-Hub-Signature", signature("sha1", secret, body.as_bytes()));
        headers.insert("X-Hub-Signature-256", signature("sha256", secret, body.as_bytes()));
    }
    Letter { headers, body: body.into_bytes() }
}

fn form(json: &str) -> String {
    format!("payload={}", utf8_percent_encode(json, NON_ALPHANUMERIC))
}

fn signature(name: &str, secret: &str, body: &[u8]) -> String {
    let algorithm = match name {
        "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        _ => hmac::HMAC_SHA256,
    };
    let tag = hmac::sign(&hmac::Key::new(algorithm, secret.as_bytes()), body);
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{name}={digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation on validating deliveries.
    #[test]
    fn a_body_is_signed_as_receivers_expect() {
        let signed = signature("sha256", "It's a Secret to Everybody", b"Hello, World!");
        assert_eq!(signed, "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
    }

    #[test]
    fn a_form_carries_the_payload_in_one_field() {
        assert_eq!(form("{\"a\": \"b&c\"}"), "payload=%7B%22a%22%3A%20%22b%26c%22%7D");
    }
}
