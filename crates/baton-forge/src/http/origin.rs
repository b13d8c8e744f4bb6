//! The address a client used, which every link in the answer repeats.

use hyper::HeaderMap;
use hyper::http::Uri;

use crate::wire::Links;

/// How a connection came in.
#[derive(Debug, Clone)]
pub(crate) enum Transport {
    /// The listener's own address stands in where a client names no usable host.
    Tcp(String),
    Unix,
}

/// Works out the links of one request. `versioned` says whether it came in under `/api/v3`.
pub(crate) fn links(uri: &Uri, headers: &HeaderMap, transport: &Transport, versioned: bool) -> Links {
    let named = uri.authority().map(|authority| authority.as_str());
    let header = headers.get("host").and_then(|host| host.to_str().ok());
    let fallback = match transport {
        Transport::Tcp(address) => address.as_str(),
        Transport::Unix => "localhost",
    };
    let host = named.or(header).filter(|host| is_host(host)).unwrap_or(fallback);
    let scheme = if is_secure(headers, transport, host) { "https" } else { "http" };
    let web_host = host.strip_prefix("api.").unwrap_or(host);
    let suffix = if versioned { "/api/v3" } else { "" };
    Links { api: format!("{scheme}://{host}{suffix}"), web: format!("{scheme}://{web_host}") }
}

/// A proxy in front says so; and `gh` on a socket believes it speaks TLS to the host it names.
fn is_secure(headers: &HeaderMap, transport: &Transport, host: &str) -> bool {
    let forwarded = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    forwarded || (matches!(transport, Transport::Unix) && host != "localhost")
}

/// A host that can stand in a link without breaking out of it.
fn is_host(host: &str) -> bool {
    !host.is_empty()
        && host.len() <= 255
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, host: &str, transport: &Transport, versioned: bool, expected: (&str, &str)) {
        let mut headers = HeaderMap::new();
        headers.insert("host", host.parse().unwrap());
        let links = links(&uri.parse().unwrap(), &headers, transport, versioned);
        assert_eq!((links.api.as_str(), links.web.as_str()), expected);
    }

    #[test]
    fn links_repeat_the_address_that_was_used() {
        let tcp = Transport::Tcp("127.0.0.1:7070".to_owned());
        check("/user", "localhost:7070", &tcp, false, ("http://localhost:7070", "http://localhost:7070"));
        check(
            "/api/v3/user",
            "127.0.0.1:7070",
            &tcp,
            true,
            ("http://127.0.0.1:7070/api/v3", "http://127.0.0.1:7070"),
        );
        check(
            "/user",
            "api.github.com",
            &Transport::Unix,
            false,
            ("https://api.github.com", "https://github.com"),
        );
        check(
            "http://api.github.localhost/user",
            "x",
            &tcp,
            false,
            ("http://api.github.localhost", "http://github.localhost"),
        );
    }

    #[test]
    fn a_host_that_is_none_is_replaced_by_the_listeners() {
        let tcp = Transport::Tcp("127.0.0.1:7070".to_owned());
        check("/user", "a\"><script>", &tcp, false, ("http://127.0.0.1:7070", "http://127.0.0.1:7070"));
    }
}
