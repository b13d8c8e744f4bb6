//! Passes: what a browser carries in its cookie, and what its forms carry to show that they are ours.
//!
//! A pass is a random number, a kind and an end, signed with a key that nobody else has. It says nothing of the token. Each kind has
//! a cookie of its own, so that a pass for everybody never takes the place of a session; and the names have the port in them, since
//! browsers share cookies between all ports of a machine.

use std::time::Duration;

use axum::http::{HeaderMap, header};
use ring::hmac;

/// How long somebody stays known after they have shown the token.
const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// What a pass is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whoever carries it is the same as before, and no more.
    Visitor,
    /// Whoever carries it has shown the token.
    Session,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Visitor => "v",
            Self::Session => "s",
        }
    }

    /// How the name of its cookie begins.
    fn cookie(self) -> &'static str {
        match self {
            Self::Visitor => "baton_visitor",
            Self::Session => "baton_session",
        }
    }
}

/// A pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) kind: Kind,
    id: String,
    /// In seconds since the start of the server.
    ends_s: u64,
}

/// Whoever gives out passes and knows them again.
pub(super) struct Issuer {
    key: hmac::Key,
    /// Where the server listens, as far as that is known.
    port: Option<u16>,
}

impl Issuer {
    pub(super) fn new(key: &[u8; 32], port: Option<u16>) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, key), port }
    }

    fn cookie(&self, kind: Kind) -> String {
        let name = kind.cookie();
        self.port.map_or_else(|| name.to_owned(), |port| format!("{name}_{port}"))
    }

    /// Makes a pass of a random number.
    pub(super) fn pass(&self, kind: Kind, chance: [u8; 16], now: Duration) -> Pass {
        Pass { kind, id: digits(&chance), ends_s: (now + LIFETIME).as_secs() }
    }

    /// Returns the line that puts a pass into a browser.
    pub(super) fn set_cookie(&self, pass: &Pass) -> String {
        self.cookie_line(pass.kind, &self.written(pass), LIFETIME)
    }

    /// Returns the line that takes a session out of a browser.
    pub(super) fn end_session(&self) -> String {
        self.cookie_line(Kind::Session, "", Duration::ZERO)
    }

    /// A link from elsewhere comes with the cookie, as people expect who are logged in; what changes something does not, and shows
    /// besides that its form is ours.
    fn cookie_line(&self, kind: Kind, value: &str, lifetime: Duration) -> String {
        let (name, seconds) = (self.cookie(kind), lifetime.as_secs());
        format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}")
    }

    /// Returns the pass that a request carries, if it is ours and has not ended; the session if there are both.
    pub(super) fn carried(&self, headers: &HeaderMap, now: Duration) -> Option<Pass> {
        [Kind::Session, Kind::Visitor].into_iter().find_map(|kind| self.carried_as(kind, headers, now))
    }

    fn carried_as(&self, kind: Kind, headers: &HeaderMap, now: Duration) -> Option<Pass> {
        let cookie = self.cookie(kind);
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut passes = pairs.filter(|(name, _)| *name == cookie).filter_map(|(_, value)| self.read(value));
        // A neighbour on another port of the same name can put a second cookie beside ours, but not a signed one.
        passes.find(|pass| pass.kind == kind && pass.ends_s > now.as_secs())
    }

    /// Returns what the forms of whoever carries a pass must carry.
    pub(super) fn csrf(&self, pass: &Pass) -> String {
        digits(hmac::sign(&self.key, about_form(pass).as_bytes()).as_ref())
    }

    /// Returns whether a form carries what it must.
    pub(super) fn is_csrf(&self, pass: &Pass, shown: &str) -> bool {
        bytes_of(shown).is_some_and(|tag| hmac::verify(&self.key, about_form(pass).as_bytes(), &tag).is_ok())
    }

    fn written(&self, pass: &Pass) -> String {
        let said = about_pass(pass.kind.word(), &pass.id, pass.ends_s);
        let tag = hmac::sign(&self.key, said.as_bytes());
        format!("{}.{}.{}.{}", pass.kind.word(), pass.id, pass.ends_s, digits(tag.as_ref()))
    }

    fn read(&self, value: &str) -> Option<Pass> {
        let mut parts = value.split('.');
        let (word, id, ends) = (parts.next()?, parts.next()?, parts.next()?);
        let tag = bytes_of(parts.next()?)?;
        let ends_s = ends.parse().ok()?;
        let kind = if word == Kind::Session.word() { Kind::Session } else { Kind::Visitor };
        hmac::verify(&self.key, about_pass(word, id, ends_s).as_bytes(), &tag).ok()?;
        Some(Pass { kind, id: id.to_owned(), ends_s })
    }
}

fn about_pass(kind: &str, id: &str, ends_s: u64) -> String {
    format!("pass.{kind}.{id}.{ends_s}")
}

fn about_form(pass: &Pass) -> String {
    format!("form.{}.{}", pass.kind.word(), pass.id)
}

fn digits(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pairs = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    pairs.map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

fn bytes_of(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut bytes = [0; 32];
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carrying(cookie: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, cookie.parse().unwrap())])
    }

    #[test]
    fn a_pass_is_known_again_until_it_ends() {
        let issuer = Issuer::new(&[7; 32], Some(8477));
        let pass = issuer.pass(Kind::Session, [1; 16], Duration::ZERO);
        let line = issuer.set_cookie(&pass);
        let cookie = line.split(';').next().unwrap();
        assert!(line.contains("HttpOnly; SameSite=Lax; Path=/; Max-Age="), "{line}");
        let headers = carrying(&format!("theme=dark; baton_session_8477=x.y.1.z; {cookie}"));
        assert_eq!(issuer.carried(&headers, Duration::ZERO), Some(pass));
        assert_eq!(issuer.carried(&headers, LIFETIME), None);
        assert_eq!(Issuer::new(&[8; 32], Some(8477)).carried(&headers, Duration::ZERO), None);
        assert_eq!(Issuer::new(&[7; 32], Some(8478)).carried(&headers, Duration::ZERO), None);
    }

    #[test]
    fn a_pass_for_everybody_does_not_take_the_place_of_a_session() {
        let issuer = Issuer::new(&[7; 32], None);
        let [visitor, session] =
            [Kind::Visitor, Kind::Session].map(|kind| issuer.pass(kind, [1; 16], Duration::ZERO));
        let pair = |line: String| line.split(';').next().unwrap_or_default().to_owned();
        let [one, other] = [&visitor, &session].map(|pass| pair(issuer.set_cookie(pass)));
        assert_ne!(one.split('=').next(), other.split('=').next());
        let carried = |cookies: &str| issuer.carried(&carrying(cookies), Duration::ZERO);
        assert_eq!(carried(&format!("{one}; {other}")), Some(session.clone()));
        assert_eq!(carried(&format!("{other}; {one}")), Some(session));
        assert_eq!(carried(&format!("{one}; {}", pair(issuer.end_session()))), Some(visitor));
        let disguised = one.replace("baton_visitor", "baton_session");
        assert_eq!(carried(&disguised), None);
    }

    #[test]
    fn a_pass_that_was_changed_is_not_ours() {
        let issuer = Issuer::new(&[7; 32], Some(8477));
        let written = issuer.written(&issuer.pass(Kind::Visitor, [1; 16], Duration::ZERO));
        let longer = written.replace("43200", "93200");
        let (promoted, cut) = (written.replacen('v', "s", 1), &written[..written.len() - 1]);
        for forged in [&*longer, &*promoted, cut, "", "s.0.99999.", "s...."] {
            assert_eq!(issuer.read(forged), None, "{forged}");
        }
        assert!(issuer.read(&written).is_some());
    }

    #[test]
    fn what_forms_carry_is_bound_to_whoever_they_were_shown_to() {
        let issuer = Issuer::new(&[7; 32], Some(8477));
        let [one, other] = [[1; 16], [2; 16]].map(|id| issuer.pass(Kind::Visitor, id, Duration::ZERO));
        let promoted = issuer.pass(Kind::Session, [1; 16], Duration::ZERO);
        let csrf = issuer.csrf(&one);
        assert!(issuer.is_csrf(&one, &csrf));
        assert!(!issuer.is_csrf(&other, &csrf) && !issuer.is_csrf(&promoted, &csrf));
        assert!(!issuer.is_csrf(&one, "") && !issuer.is_csrf(&one, &csrf[2..]));
    }
}
