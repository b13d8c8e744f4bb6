//! Where the store is: a file of SQLite, or a PostgreSQL server.
//!
//! The address of a server may hold a password. It is kept for whoever connects and is shown to nobody: what is printed
//! has stars in its place, and a text that is no address is hardly shown at all, since a mistyped address is where a
//! password would slip through.
//!
//! Deliberately absent: connecting, and what the server's parameters mean.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What an address looks like, for errors.
pub(super) const ALLOWED: &str =
    "sqlite:PATH, such as sqlite:.baton/baton.db, or postgres://USER@HOST/DATABASE";

const STARS: &str = "***";

/// Parts of the names of parameters that hold secrets, such as `sslpassword` and `scram_client_key`.
const SECRET_PARAMETERS: [&str; 3] = ["password", "secret", "scram"];

/// Where the store is.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A file of SQLite, as it was written; relative to the directory of `baton.yaml`.
    Sqlite(PathBuf),
    /// A PostgreSQL server, as it was written, with its password if there is one.
    Postgres(String),
}

/// The text is no address of a store. It is not repeated, since it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no address of a store: write {ALLOWED}")]
pub struct StoreAddressError;

impl StoreAddress {
    /// Returns the same address with a relative path made to begin at this directory.
    #[must_use]
    pub fn beginning_at(&self, directory: &Path) -> Self {
        match self {
            Self::Sqlite(path) => Self::Sqlite(directory.join(path)),
            Self::Postgres(url) => Self::Postgres(url.clone()),
        }
    }
}

impl FromStr for StoreAddress {
    type Err = StoreAddressError;

    fn from_str(text: &str) -> Result<Self, StoreAddressError> {
        let found = match (text.strip_prefix("sqlite:"), postgres_rest(text)) {
            (Some(path), _) => is_path(path).then(|| Self::Sqlite(path.into())),
            (None, Some(rest)) => is_server(rest).then(|| Self::Postgres(text.to_owned())),
            (None, None) => None,
        };
        found.ok_or(StoreAddressError)
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => f.write_str(&masked(url)),
        }
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(url) => f.debug_tuple("Postgres").field(&masked(url)).finish(),
        }
    }
}

/// Tells whether a text, be it an address or a failed attempt at one, has a password in it.
pub(super) fn holds_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    let has_password = user.split_once(':').is_some_and(|(_, password)| !password.is_empty());
    has_password || parameters(rest).any(|(name, value)| is_secret(name) && !value.is_empty())
}

/// Shows a text that is no address: only its beginning, as far as nothing in it can be a secret.
pub(super) fn hinted(text: &str) -> String {
    match text.split_once(':') {
        Some((scheme, rest)) if !rest.is_empty() && is_scheme(scheme) => format!("{scheme}:{STARS}"),
        Some((_, rest)) if !rest.is_empty() => STARS.to_owned(),
        _ if text.contains(['@', '=']) => STARS.to_owned(),
        _ => text.to_owned(),
    }
}

fn is_scheme(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn postgres_rest(text: &str) -> Option<&str> {
    text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))
}

/// What other programs write after `sqlite:` and we do not understand would silently become a file of that name.
fn is_path(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with("//")
        && !path.starts_with(':')
        && !path.contains(['?', '\n', '\r', '\0'])
}

/// A server's address is checked as far as is needed to know for certain where its password is.
fn is_server(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let is_plain_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-[]".contains(c))
    };
    rest.chars().all(|c| c.is_ascii_graphic())
        && !rest.contains('#')
        && rest.matches('@').count() == authority.matches('@').count()
        && rest.matches('@').count() <= 1
        && hosts.split(',').all(has_numeric_port)
        && parameters(rest).all(|(name, _)| is_plain_name(name))
}

fn has_numeric_port(host: &str) -> bool {
    let after_brackets = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    after_brackets.split_once(':').is_none_or(|(_, port)| port.chars().all(|c| c.is_ascii_digit()))
}

/// Returns the parameters after the question mark.
fn parameters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let query = text.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn is_secret(parameter: &str) -> bool {
    let parameter = parameter.to_ascii_lowercase();
    SECRET_PARAMETERS.iter().any(|part| parameter.contains(part))
}

/// Puts stars in the place of every password of an address.
fn masked(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (address, query) =
        rest.split_once('?').map_or((rest, None), |(address, query)| (address, Some(query)));
    let mut shown = format!("{scheme}://");
    match address.split_once('@').map(|(user, host)| (user.split_once(':'), host)) {
        Some((Some((user, password)), host)) if !password.is_empty() => {
            shown += &format!("{user}:{STARS}@{host}");
        }
        _ => shown += address,
    }
    if let Some(query) = query {
        let pairs: Vec<String> = query.split('&').map(masked_parameter).collect();
        shown += &format!("?{}", pairs.join("&"));
    }
    shown
}

fn masked_parameter(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if is_secret(name) && !value.is_empty() => format!("{name}={STARS}"),
        _ => pair.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, shown: Option<&str>) {
        let address = text.parse::<StoreAddress>();
        assert_eq!(address.as_ref().map(ToString::to_string).ok().as_deref(), shown, "{text}");
    }

    #[test]
    fn a_store_is_a_file_or_a_server() {
        for text in [
            "sqlite:.baton/baton.db",
            "sqlite:/var/lib/baton/c#.db",
            "postgres://baton@db.example.org/baton",
            "postgresql://localhost:5433/baton?sslmode=require",
            "postgres:///baton?host=/run/postgresql",
            "postgres://[::1]:5432/baton",
            "postgres://one:5432,two:5432/baton",
            "postgres://",
        ] {
            check(text, Some(text));
        }
        assert_eq!("sqlite:a.db".parse(), Ok(StoreAddress::Sqlite("a.db".into())));
        let url = "postgres://me:pw@host/db";
        assert_eq!(url.parse(), Ok(StoreAddress::Postgres(url.to_owned())));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "baton.db",
            "sqlite:",
            "sqlite://baton.db",
            "sqlite::memory:",
            "sqlite:baton.db?mode=rwc",
            "mysql://host/db",
            "postgres:host",
            "Postgres://host/db",
            "postgres://ho st/db",
            "postgres://me:pw/db",
            "postgres://me:p@ss@host/db",
            "postgres://me:p/w@host/db",
            "postgres://me:p#w@host/db",
            "postgres://me:p?w@host/db",
            "postgres://host/db?%70assword=pw",
            "host=x password=pw",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        check("postgres://me:pw@host:5432/db", Some("postgres://me:***@host:5432/db"));
        check("postgres://me:pw@/db?host=/run", Some("postgres://me:***@/db?host=/run"));
        check("postgres://me:@host/db", Some("postgres://me:@host/db"));
        check(
            "postgres://host/db?user=me&password=pw&sslPassword=pw&sslmode=require",
            Some("postgres://host/db?user=me&password=***&sslPassword=***&sslmode=require"),
        );
        let address: StoreAddress = "postgres://me:pw@host/db?password=pw".parse().unwrap();
        assert_eq!(format!("{address:?}"), r#"Postgres("postgres://me:***@host/db?password=***")"#);
    }

    #[test]
    fn of_a_mistyped_address_little_is_shown() {
        for (text, shown) in [
            ("postgre://me:pw@host/db", "postgre:***"),
            ("me:pw@host", "me:***"),
            ("host=x password=a:b", "***"),
            ("host=x password=pw", "***"),
            ("me@host", "***"),
            ("sqlite:", "sqlite:"),
            ("baton.db", "baton.db"),
        ] {
            assert_eq!(hinted(text), shown);
        }
    }

    #[test]
    fn a_password_is_found_even_in_a_mistyped_address() {
        for text in [
            "postgres://me:pw@h/d",
            "postgre://me:p@ss@h",
            "postgres://h/d?password=pw",
            "postgres://m:p/w@h",
        ] {
            assert!(holds_password(text), "{text}");
        }
        for text in [
            "postgres://me@h:5432/d",
            "postgres://me:@h/d",
            "sqlite:a:b@c",
            "postgres://h:1/d?sslmode=require",
        ] {
            assert!(!holds_password(text), "{text}");
        }
    }

    #[test]
    fn only_a_relative_path_is_moved() {
        let moved =
            |text: &str| text.parse::<StoreAddress>().unwrap().beginning_at(Path::new("/srv")).to_string();
        assert_eq!(moved("sqlite:.baton/baton.db"), "sqlite:/srv/.baton/baton.db");
        assert_eq!(moved("sqlite:/elsewhere/baton.db"), "sqlite:/elsewhere/baton.db");
        assert_eq!(moved("postgres://host/db"), "postgres://host/db");
    }

    proptest! {
        #[test]
        fn what_stands_where_a_password_stands_is_not_shown(
            password in "[a-z:@/?#&=%]{0,6}QQ[a-z:@/?#&=%]{0,6}",
            tail in "(:1)?(/db)?(\\?a=b)?",
        ) {
            let after_user = format!("postgres://me:{password}@host{tail}");
            // After an ampersand begins another parameter, and nobody can know that it was meant otherwise.
            let as_parameter = format!("postgres://host/db?password={}", password.replace('&', ""));
            for text in [after_user, as_parameter] {
                let address = text.parse::<StoreAddress>();
                let shown = address.map_or_else(|_| hinted(&text), |address| address.to_string());
                prop_assert!(!shown.contains("QQ") && holds_password(&text), "{}", shown);
            }
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "(postgres|sqlite)?(://|:)?[a-z:@/?#&=\\[\\],]{0,20}") {
            if let Ok(address) = text.parse::<StoreAddress>() {
                prop_assert_eq!(address.to_string() == text, !holds_password(&text) || matches!(address, StoreAddress::Sqlite(_)));
            } else {
                let _ = (hinted(&text), holds_password(&text));
            }
        }
    }
}
