//! The name by which the server was called.
//!
//! A page elsewhere can let its own name point to this machine and then talk to us as if we were it; the browser sees nothing wrong
//! with that. Only the name that it called tells. An address in numbers cannot be pointed elsewhere.

use std::net::{IpAddr, SocketAddr};

/// A name or an address, and the port as it was written, if it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

impl Authority {
    /// Reads `name`, `name:80`, `127.0.0.1:80` or `[::1]:80`; nothing if it is none of these.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match port {
            "" => None,
            port => Some(port.strip_prefix(':')?.parse().ok()?),
        };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        (!host.is_empty()).then_some(Self { host, port })
    }

    fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok().map(|address: IpAddr| address.to_canonical())
    }
}

/// Returns whether the server may be called so.
pub(super) fn is_ours(called: &Authority, listen: Option<SocketAddr>, names: &[String]) -> bool {
    if names.iter().filter_map(|name| Authority::read(name)).any(|name| name.host == called.host) {
        return true;
    }
    let Some(address) = called.address() else { return called.host == "localhost" };
    let is_listened_on = listen.map(|listen| listen.ip().to_canonical()).is_some_and(|listen| {
        // Whoever listens everywhere does not know its own addresses.
        listen == address || listen.is_unspecified()
    });
    address.is_loopback() || is_listened_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_goes_by_the_names_of_this_machine_and_those_it_was_given() {
        let here = Some("192.0.2.7:80".parse().unwrap());
        let everywhere = Some("0.0.0.0:80".parse().unwrap());
        for (called, listen, expected) in [
            ("127.0.0.1:7000", None, true),
            ("127.0.0.1", None, true),
            ("127.8.8.8:1", None, true),
            ("[::1]:7000", None, true),
            ("[::ffff:127.0.0.1]:7000", None, true),
            ("localhost:7000", None, true),
            ("LOCALHOST.", None, true),
            ("baton.example.com", None, true),
            ("Baton.Example.com:8443", None, true),
            ("evil.example", None, false),
            ("evil.example:7000", None, false),
            ("localhost.evil.example", None, false),
            ("127.0.0.1.evil.example", None, false),
            ("0.0.0.0:7000", None, false),
            ("192.0.2.7", None, false),
            ("192.0.2.7", here, true),
            ("192.0.2.8", here, false),
            ("192.0.2.8", everywhere, true),
            ("evil.example", everywhere, false),
        ] {
            let authority = Authority::read(called).unwrap();
            assert_eq!(is_ours(&authority, listen, &["baton.example.com".to_owned()]), expected, "{called}");
        }
    }

    #[test]
    fn what_is_no_name_is_not_read() {
        for text in ["", ":80", "a:b", "a:80:90", "[::1", "[::1]x", "a:99999", "."] {
            assert_eq!(Authority::read(text), None, "{text}");
        }
    }
}
