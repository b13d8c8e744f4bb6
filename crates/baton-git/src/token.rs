//! A token for git over HTTP, which git gets by the environment only.
//!
//! Arguments of a process can be read by everybody on the machine, so the token is never one. It is given for one origin,
//! and git sends it nowhere else. Deliberately absent: where tokens come from, and ssh, which has keys of its own.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The variable that carries the header; its name is what the arguments of git say.
pub(crate) const VARIABLE: &str = "CLAIMED_PUSH_AUTHORIZATION";

/// A token and the only origin that it is for.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    secret: String,
    origin: String,
}

impl Token {
    /// Takes a token for an origin such as `https://github.com`; nothing if either cannot be meant.
    pub fn new(secret: &str, origin: &str) -> Option<Self> {
        let is_word = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
        let is_origin = http_origin(origin).is_some_and(|own| own == origin);
        (is_word && is_origin).then(|| Self { secret: secret.to_owned(), origin: origin.to_owned() })
    }

    /// The header, for the environment of git.
    pub(crate) fn header(&self) -> String {
        format!("Authorization: Basic {}", self.encoded())
    }

    /// The argument that makes git read the header from its environment.
    pub(crate) fn argument(&self) -> String {
        format!("--config-env=http.{}/.extraHeader={VARIABLE}", self.origin)
    }

    /// Takes the token out of a text, should it be in there.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.secret, "****").replace(&self.encoded(), "****")
    }

    fn encoded(&self) -> String {
        STANDARD.encode(format!("x-access-token:{}", self.secret))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token(****, {})", self.origin)
    }
}

/// Returns the origin of an address that a token could be sent to: HTTP, and without a user of its own.
pub fn http_origin(address: &str) -> Option<String> {
    let (scheme, rest) =
        address.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    // What is no letter of a host or a port could mean something to git's configuration.
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte));
    is_host.then(|| format!("{scheme}://{host}"))
}

/// Takes the user and the password out of every address in a text.
pub(crate) fn without_users(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"');
        let (host, rest) = part.split_at(end.unwrap_or(part.len()));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        shown.push_str("://");
        shown.push_str(host);
        shown.push_str(rest);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_origin_and_is_never_shown() {
        let token = Token::new("ghp_1", "https://github.com").unwrap();
        assert!(!format!("{token:?} {}", token.argument()).contains("ghp_1"));
        let said = format!("fatal: ghp_1, {}", token.header());
        assert_eq!(token.hide_in(&said), "fatal: ****, Authorization: Basic ****");
        for (secret, origin) in [
            ("", "https://github.com"),
            ("a b", "https://github.com"),
            ("a", "https://github.com/acme"),
            ("a", "git@github.com:acme"),
            ("a", "https://u@github.com"),
            ("a", "https://a=b"),
        ] {
            assert_eq!(Token::new(secret, origin), None, "{secret} {origin}");
        }
    }

    #[test]
    fn an_address_with_a_user_of_its_own_gets_no_token() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(http_origin(address).as_deref(), expected, "{address}");
        };
        check("https://github.com/acme/web.git", Some("https://github.com"));
        check("http://127.0.0.1:7070/acme/web.git", Some("http://127.0.0.1:7070"));
        check("https://u:p@github.com/acme/web.git", None);
        check("git@github.com:acme/web.git", None);
        check("ssh://git@github.com/acme/web.git", None);
        check("/srv/web.git", None);
    }

    #[test]
    fn passwords_in_addresses_are_taken_out() {
        let check = |text: &str, expected: &str| assert_eq!(without_users(text), expected);
        check("to 'http://u:p@h:1/x.git': no", "to 'http://h:1/x.git': no");
        check("https://tok@h and ssh://git@g/x", "https://h and ssh://g/x");
        check("mail a@b, no address", "mail a@b, no address");
    }
}
