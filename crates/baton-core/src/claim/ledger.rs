//! What the comments on an issue say about claims: who bids, who holds, what has ended and what has expired.
//!
//! A ledger is made from one reading of the comments and never changes. Order is the server's (`created_at`, then the
//! comment's id); age is the server's `Date` against the claim's last edit; a release is final.

use std::time::Duration;

use super::identity::{Holder, Nonce};
use super::outcome::Outcome;
use super::step::Terms;
use super::text::{self, ClaimText, Form, Marker, ReleaseText};
use crate::time::ServerTime;
use crate::tracker::{Author, Comment};

/// A comment, and whether its author may be believed: whether the author may write to the repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Heard {
    /// The comment.
    pub comment: Comment,
    /// Whether a claim or release in it counts.
    pub is_believed: bool,
}

/// One reading of an issue's comments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The comments.
    pub heard: Vec<Heard>,
    /// The server's clock when they were read.
    pub date: ServerTime,
    /// How many pages they came in.
    pub pages: u32,
}

/// A claim in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The comment that carries it.
    pub id: u64,
    /// Who wrote it.
    pub author: Author,
    /// What it says.
    pub text: ClaimText,
    /// When the server took it.
    pub created_at: ServerTime,
    /// When the server took its last heartbeat.
    pub touched_at: ServerTime,
    /// Whether its author may write.
    pub is_believed: bool,
    /// How it was ended, if it was.
    pub ended: Option<Outcome>,
    /// Whether its ttl and the grace are over.
    pub is_expired: bool,
}

/// A release in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Release {
    /// The comment that carries it.
    pub id: u64,
    /// What it says.
    pub text: ReleaseText,
    /// When the server took it.
    pub at: ServerTime,
}

/// All that the comments say about claims.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// Claims, oldest first, those that do not count included.
    pub claims: Vec<Claim>,
    /// Releases that count, oldest first.
    pub releases: Vec<Release>,
    /// Releases by people who may not write; they end nothing.
    pub disbelieved_releases: u32,
    /// The server's clock when the comments were read.
    pub date: ServerTime,
}

impl Claim {
    /// Returns whether it counts now.
    pub fn is_live(&self) -> bool {
        self.is_believed && self.ended.is_none() && !self.is_expired
    }

    /// Returns whether it would count, had it not expired.
    pub fn is_dropped(&self) -> bool {
        self.is_believed && self.ended.is_none() && self.is_expired
    }

    /// Its place in the order of claims.
    fn order(&self, terms: &Terms) -> (ServerTime, u64) {
        let id = if terms.safeguards.id_tie_break { self.id } else { 0 };
        (self.created_at, id)
    }

    /// The release that ends it, under its own identity so that every tool pairs the two.
    pub fn release(&self, outcome: Outcome) -> ReleaseText {
        ReleaseText {
            claim: Some(self.id),
            nonce: self.text.nonce,
            epoch: self.text.epoch,
            ..ReleaseText::new(self.text.holder.clone(), outcome)
        }
    }

    /// How long it lasts.
    pub fn ttl(&self, terms: &Terms) -> Duration {
        terms.timing.honoured(self.text.ttl)
    }

    /// Seconds since its last heartbeat, by the server's clock.
    pub fn age_s(&self, date: ServerTime) -> i64 {
        date.seconds_since(self.touched_at).max(0)
    }
}

impl Ledger {
    /// Reads the comments.
    pub fn of(reading: &Reading, terms: &Terms) -> Self {
        let mut ledger =
            Self { claims: Vec::new(), releases: Vec::new(), disbelieved_releases: 0, date: reading.date };
        for heard in &reading.heard {
            match text::read(&heard.comment.body) {
                Some(Marker::Claim(text)) => ledger.claims.push(entry(heard, text)),
                Some(Marker::Release(text)) if heard.is_believed => {
                    ledger.releases.push(Release { id: heard.comment.id, text, at: heard.comment.created_at })
                }
                Some(Marker::Release(_)) => ledger.disbelieved_releases += 1,
                None => {}
            }
        }
        ledger.releases.sort_by_key(|release| (release.at, release.id));
        ledger.claims.sort_by_key(|claim| (claim.created_at, claim.id));
        let releases = &ledger.releases;
        for claim in &mut ledger.claims {
            let ending = releases.iter().find(|release| ends(&release.text, claim, terms));
            claim.ended = ending.map(|release| release.text.outcome.clone());
            claim.is_expired = terms.timing.is_expired(claim.ttl(terms), claim.touched_at, reading.date);
        }
        ledger
    }

    /// The claims that count now, first come first.
    pub fn live(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.is_live())
    }

    /// The live claim that was first. Without the tie-break by id, as a removal shows, there can be several.
    pub fn winner(&self) -> Option<&Claim> {
        self.live().next()
    }

    /// Returns whether nobody was before the claim with this nonce.
    pub fn is_first(&self, own: &Claim, terms: &Terms) -> bool {
        self.live().all(|claim| claim.id == own.id || claim.order(terms) >= own.order(terms))
    }

    /// The claims that have expired and that nobody has ended.
    pub fn dropped(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.is_dropped())
    }

    /// The claim with this nonce in our words. Anybody can copy a nonce, so a believed one comes first; one that is not is
    /// told only when there is no other.
    pub fn own(&self, nonce: Nonce) -> Option<&Claim> {
        let own = || self.claims.iter().filter(move |claim| claim.text.nonce == Some(nonce));
        own().find(|claim| claim.is_believed).or_else(|| own().next())
    }

    /// The live claims of other tools: not in our words, and not the copy of our own in theirs.
    pub fn foreign_live(&self, nonce: Nonce) -> impl Iterator<Item = &Claim> {
        let own = nonce.to_string();
        self.live().filter(move |claim| {
            claim.text.form != Form::Baton && claim.text.holder.firing_id.as_str() != own
        })
    }

    /// The last release that says where the issue goes, and when it said so.
    pub fn last_destination(&self) -> Option<(&str, ServerTime)> {
        self.releases.iter().rev().find_map(|release| Some((release.text.to.as_deref()?, release.at)))
    }

    /// The newest claim of a holder, for commands that know no nonce.
    pub fn latest_of(&self, holder: &Holder) -> Option<&Claim> {
        self.claims.iter().rev().find(|claim| claim.is_believed && claim.text.holder == *holder)
    }

    /// What must be equal in two readings for them to agree.
    pub fn digest(&self) -> Vec<(u64, ServerTime, bool)> {
        self.claims.iter().map(|claim| (claim.id, claim.touched_at, claim.ended.is_some())).collect()
    }
}

fn entry(heard: &Heard, text: ClaimText) -> Claim {
    let Comment { id, author, created_at, updated_at, .. } = &heard.comment;
    Claim {
        id: *id,
        author: author.clone(),
        text,
        created_at: *created_at,
        touched_at: *updated_at,
        is_believed: heard.is_believed,
        ended: None,
        is_expired: false,
    }
}

/// Returns whether a release ends a claim. Ours are named by comment or nonce, because two firings can share their
/// other names and a loser's release must never end the winner's claim.
fn ends(release: &ReleaseText, claim: &Claim, terms: &Terms) -> bool {
    let names_identity = release.holder == claim.text.holder;
    if !terms.safeguards.nonce {
        return names_identity;
    }
    let names_comment = release.claim == Some(claim.id);
    let names_nonce = release.nonce.is_some() && release.nonce == claim.text.nonce;
    let names_nothing_else = release.claim.is_none() && release.nonce.is_none();
    match claim.text.form {
        Form::Alfred => names_comment || (names_nothing_else && names_identity),
        Form::Baton | Form::LabelLock => names_comment || names_nonce,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::step::tests::{comment, terms};
    use crate::claim::text::ClaimState;

    fn claim(holder: &str, nonce: u128, ttl: u64) -> String {
        ClaimText {
            form: Form::Baton,
            holder: holder.parse().unwrap(),
            nonce: Some(Nonce(nonce)),
            ttl: Some(Duration::from_secs(ttl)),
            state: ClaimState::Held,
            epoch: None,
            is_writer_dated: false,
            extra: Vec::new(),
        }
        .write(ServerTime(0))
    }

    fn ledger(comments: &[Comment], date: i64) -> Ledger {
        let heard = comments.iter().map(|comment| Heard {
            comment: comment.clone(),
            is_believed: comment.author.login != "stranger",
        });
        Ledger::of(&Reading { heard: heard.collect(), date: ServerTime(date), pages: 1 }, &terms())
    }

    fn winner(comments: &[Comment], date: i64) -> Option<u64> {
        ledger(comments, date).winner().map(|claim| claim.id)
    }

    #[test]
    fn of_two_claims_in_the_same_second_the_smaller_id_wins() {
        let comments =
            [comment(12, "b", 100, &claim("b:B", 2, 600)), comment(11, "a", 100, &claim("a:A", 1, 600))];
        assert_eq!(winner(&comments, 101), Some(11));
    }

    #[test]
    fn what_strangers_write_counts_for_nothing() {
        let forged = claim("lucius:A", 9, 600);
        let own = claim("b:B", 2, 600);
        let release = "<!-- agent-release:codename=b firing_id=B claim=12 outcome=success -->";
        let comments = [
            comment(11, "stranger", 90, &forged),
            comment(12, "b", 100, &own),
            comment(13, "stranger", 101, release),
        ];
        assert_eq!(winner(&comments, 102), Some(12));
        assert_eq!(ledger(&comments, 102).disbelieved_releases, 1);
    }

    #[test]
    fn a_losers_release_does_not_end_the_winners_claim_of_the_same_name() {
        let comments = [
            comment(11, "a", 100, &claim("lucius:F", 1, 600)),
            comment(12, "a", 100, &claim("lucius:F", 2, 600)),
            comment(
                13,
                "a",
                101,
                "<!-- agent-release:codename=lucius firing_id=F claim=12 outcome=race-yielded-to=lucius:F -->",
            ),
        ];
        assert_eq!(winner(&comments, 102), Some(11));
        let by_identity = "<!-- agent-release:codename=lucius firing_id=F outcome=stale-swept -->";
        let comments = [comments[0].clone(), comment(14, "a", 101, by_identity)];
        assert_eq!(winner(&comments, 102), Some(11), "a release that names no claim ends none of ours");
    }

    #[test]
    fn alfreds_claims_last_four_hours_and_end_by_their_identity() {
        let alfred = "<!-- agent-claim:codename=lucius firing_id=F ts=2026-05-01T19:42:33Z -->";
        let comments = [comment(11, "a", 0, alfred)];
        assert_eq!(winner(&comments, 4 * 3600), Some(11));
        assert_eq!(winner(&comments, 4 * 3600 + 31), None);
        let release = "<!-- agent-release:codename=lucius firing_id=F outcome=success -->";
        let comments = [comments[0].clone(), comment(12, "a", 5, release)];
        assert_eq!(winner(&comments, 6), None);
    }

    #[test]
    fn a_heartbeat_keeps_a_claim_alive_and_revives_nothing_that_was_released() {
        let mut claimed = comment(11, "a", 0, &claim("a:A", 1, 600));
        claimed.updated_at = ServerTime(900);
        assert_eq!(winner(&[claimed.clone()], 1500), Some(11));
        let release = comment(
            12,
            "b",
            700,
            "<!-- agent-release:codename=a firing_id=A claim=11 outcome=stale-swept -->",
        );
        assert_eq!(winner(&[claimed, release], 901), None);
    }

    #[test]
    fn a_claim_that_asks_for_too_much_time_gets_the_most_there_is() {
        let comments = [comment(11, "a", 0, &claim("a:A", 1, u64::MAX / 4))];
        assert_eq!(winner(&comments, 24 * 3600), Some(11));
        assert_eq!(winner(&comments, 24 * 3600 + 31), None);
    }
}
