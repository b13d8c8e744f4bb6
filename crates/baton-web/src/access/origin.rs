//! Whether a request that changes something was sent by a page of ours, or by a program.
//!
//! Browsers say where a request comes from in two headers that pages cannot set. Whoever sends neither is no browser, or one so old
//! that only the token in the form protects it.

use axum::http::{HeaderMap, Method, header};

use super::host::Authority;

/// Returns whether a method may change something.
pub(super) fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Returns whether the headers say that another site sent the request.
pub(super) fn is_foreign(headers: &HeaderMap, called: &Authority) -> bool {
    let site = headers.get("Sec-Fetch-Site").map(|site| site.as_bytes());
    let is_elsewhere = site.is_some_and(|site| !matches!(site, b"same-origin" | b"none"));
    is_elsewhere || headers.get_all(header::ORIGIN).iter().any(|origin| !is_own(origin.to_str().ok(), called))
}

/// The scheme is not compared: whoever puts TLS before us knows it, and we do not.
fn is_own(origin: Option<&str>, called: &Authority) -> bool {
    let Some((scheme, rest)) = origin.and_then(|origin| origin.split_once("://")) else { return false };
    let standard = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    let Some(origin) = Authority::read(rest) else { return false };
    origin.host == called.host && origin.port.unwrap_or(standard) == called.port.unwrap_or(standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_and_programs_are_not_foreign() {
        for (called, origin, site, expected) in [
            ("localhost:7000", None, None, false),
            ("localhost:7000", Some("http://localhost:7000"), None, false),
            ("localhost:7000", Some("http://localhost:7000"), Some("same-origin"), false),
            ("localhost:7000", None, Some("none"), false),
            ("baton.example", Some("https://baton.example"), Some("same-origin"), false),
            ("baton.example:443", Some("https://baton.example"), None, false),
            ("localhost:7000", Some("http://localhost:7001"), None, true),
            ("localhost:7000", Some("http://127.0.0.1:7000"), None, true),
            ("localhost:7000", Some("http://evil.example"), None, true),
            ("localhost:7000", Some("null"), None, true),
            ("localhost:7000", Some(""), None, true),
            ("localhost:7000", Some("file://localhost:7000"), None, true),
            ("localhost:7000", Some("http://localhost:7000@evil.example"), None, true),
            ("localhost:7000", Some("http://localhost:7000"), Some("cross-site"), true),
            ("localhost:7000", None, Some("cross-site"), true),
            ("localhost:7000", None, Some("same-site"), true),
            ("localhost:7000", None, Some(""), true),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            if let Some(site) = site {
                headers.insert("Sec-Fetch-Site", site.parse().unwrap());
            }
            let called = Authority::read(called).unwrap();
            assert_eq!(is_foreign(&headers, &called), expected, "{origin:?} {site:?}");
        }
    }
}
