//! Addresses: the base of the API, paths made from GitHub's templates, and which links may be followed.
//!
//! A value that would change the meaning of a path, such as an empty label, is refused here, because
//! `DELETE …/labels/` with nothing after it removes all labels.

use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

use crate::settings::SetupError;

/// All but the characters that RFC 3986 calls unreserved.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address that all paths are appended to.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl {
    url: Url,
}

impl BaseUrl {
    pub(crate) fn parse(text: &str, allow_plain_http: bool) -> Result<Self, SetupError> {
        let refused = |why: &str| SetupError::Address { url: text.to_owned(), why: why.to_owned() };
        let url = Url::parse(text.trim()).map_err(|_| refused("write it like https://api.github.com"))?;
        check(&url, allow_plain_http).map_err(refused)?;
        Ok(Self { url })
    }

    /// Returns the address of a path with its query.
    pub(crate) fn join(&self, path: &str, query: &[(&str, &str)]) -> Url {
        let mut url = self.url.clone();
        // The path is percent-encoded already, and `set_path` leaves what is encoded as it is.
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// Returns where GraphQL is asked: beside the versioned paths of an enterprise server, below the base elsewhere.
    pub(crate) fn graphql(&self) -> Url {
        let mut url = self.url.clone();
        let base = self.url.path().trim_end_matches('/');
        url.set_path(&format!("{}/graphql", base.strip_suffix("/v3").unwrap_or(base)));
        url
    }

    /// Returns whether an address is on the same server, so that it may see the token.
    pub(crate) fn is_home_of(&self, url: &Url) -> bool {
        url.origin() == self.url.origin()
    }

    /// Returns whether the server is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// Returns a path as GitHub's documentation writes it, without the part before it.
    pub(crate) fn shown(&self, url: &Url) -> String {
        let prefix = self.url.path().trim_end_matches('/');
        url.path().strip_prefix(prefix).unwrap_or(url.path()).to_owned()
    }

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }
}

fn check(url: &Url, allow_plain_http: bool) -> Result<(), &'static str> {
    match url.scheme() {
        "https" => {}
        "http" if allow_plain_http || is_loopback(url) => {}
        "http" => return Err("plain HTTP shows the token to everyone on the way; use https"),
        _ => return Err("it must begin with https:// or, for this machine, http://"),
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("it names no server");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not contain a name or password; give a token instead");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it must end with its path");
    }
    Ok(())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_name = host == "localhost" || host.ends_with(".localhost");
    is_name || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Fills a template such as `/repos/{owner}/{repo}/labels/{name}` with values, in order.
///
/// A `{ref}` may have slashes. Values that no path can carry come back as the error.
pub(crate) fn fill<'a>(template: &str, values: &[&'a str]) -> Result<String, &'a str> {
    let mut path = String::with_capacity(template.len() + 32);
    let mut values = values.iter();
    for segment in template.split('/').skip(1) {
        path.push('/');
        match segment.strip_prefix('{') {
            None => path.push_str(segment),
            Some(name) => push_value(&mut path, values.next().copied().unwrap_or_default(), name == "ref}")?,
        }
    }
    Ok(path)
}

fn push_value<'a>(path: &mut String, value: &'a str, has_slashes: bool) -> Result<(), &'a str> {
    let parts: Vec<_> = if has_slashes { value.split('/').collect() } else { vec![value] };
    // Dots alone are folded away by everyone who reads the path, encoded or not.
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(value);
    }
    let encoded: Vec<_> = parts.iter().map(|part| utf8_percent_encode(part, SEGMENT).to_string()).collect();
    path.push_str(&encoded.join("/"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> BaseUrl {
        BaseUrl::parse(text, false).unwrap()
    }

    #[test]
    fn addresses_of_github_an_enterprise_server_and_a_forge_are_taken() {
        let check = |text: &str, user: &str| assert_eq!(base(text).join("/user", &[]).as_str(), user);
        check("https://api.github.com", "https://api.github.com/user");
        check("https://api.github.com/", "https://api.github.com/user");
        check("https://ghe.example/api/v3", "https://ghe.example/api/v3/user");
        check("https://ghe.example/api/v3/", "https://ghe.example/api/v3/user");
        check("http://127.0.0.1:7070", "http://127.0.0.1:7070/user");
        check("http://localhost:7070/api/v3", "http://localhost:7070/api/v3/user");
        check("http://[::1]:7070", "http://[::1]:7070/user");
    }

    #[test]
    fn graphql_is_beside_the_versioned_paths_or_below_the_base() {
        let check = |text: &str, expected: &str| assert_eq!(base(text).graphql().as_str(), expected);
        check("https://api.github.com", "https://api.github.com/graphql");
        check("https://ghe.example/api/v3/", "https://ghe.example/api/graphql");
        check("http://127.0.0.1:7070", "http://127.0.0.1:7070/graphql");
        check("http://127.0.0.1:7070/api/v3", "http://127.0.0.1:7070/api/graphql");
    }

    #[test]
    fn addresses_that_would_leak_or_fail_are_refused() {
        for text in [
            "",
            "api.github.com",
            "http://api.github.com",
            "http://10.0.0.1",
            "http://localhost.example",
            "ftp://api.github.com",
            "https://user@api.github.com",
            "https://user:pass@api.github.com",
            "https://api.github.com?x=1",
            "https://api.github.com/#x",
            "file:///etc/passwd",
        ] {
            assert!(BaseUrl::parse(text, false).is_err(), "{text:?} was accepted");
        }
        assert!(BaseUrl::parse("http://10.0.0.1", true).is_ok());
    }

    #[test]
    fn values_are_encoded_as_one_segment_and_refs_keep_their_slashes() {
        let labels = "/repos/{owner}/{repo}/labels/{name}";
        assert_eq!(
            fill(labels, &["acme", "web", "agent:in/flight ü?"]).unwrap(),
            "/repos/acme/web/labels/agent%3Ain%2Fflight%20%C3%BC%3F"
        );
        let commits = "/repos/{owner}/{repo}/commits/{ref}";
        assert_eq!(
            fill(commits, &["acme", "web", "refs/baton/a#b"]).unwrap(),
            "/repos/acme/web/commits/refs/baton/a%23b"
        );
        assert_eq!(base("https://x.example").join("/a%2Fb", &[]).path(), "/a%2Fb");
    }

    #[test]
    fn values_that_would_change_the_path_are_refused() {
        for value in ["", ".", ".."] {
            assert_eq!(fill("/labels/{name}", &[value]), Err(value));
        }
        for value in ["refs/../x", "refs//x", "refs/x/", "/refs"] {
            assert_eq!(fill("/commits/{ref}", &[value]), Err(value));
        }
        assert_eq!(fill("/labels/{name}", &[]), Err(""));
    }

    #[test]
    fn only_the_same_scheme_host_and_port_are_home() {
        let base = base("https://ghe.example/api/v3");
        let is_home = |text: &str| base.is_home_of(&Url::parse(text).unwrap());
        assert!(is_home("https://ghe.example/api/v3/repositories/1?page=2"));
        assert!(is_home("https://ghe.example:443/x"));
        for other in [
            "http://ghe.example/x",
            "https://ghe.example:444/x",
            "https://evil.example/x",
            "https://a.ghe.example/",
        ] {
            assert!(!is_home(other), "{other}");
        }
    }

    #[test]
    fn a_path_is_shown_without_the_part_before_it() {
        let base = base("https://ghe.example/api/v3");
        assert_eq!(base.shown(&base.join("/user", &[("page", "2")])), "/user");
    }
}
