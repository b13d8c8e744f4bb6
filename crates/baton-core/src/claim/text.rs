//! The words on the wire: claims and releases as comments and as messages of commits.
//!
//! One HTML comment at the start of the text, then whatever people may read. Three forms are read (ours, Alfred's, and
//! the plain `claim run=` of label locks); ours is written, and the others only where other tools must see them.
//! Nothing here judges whether a claim is alive or believed.

use std::time::Duration;

use super::identity::{Codename, Holder, Nonce};
use super::outcome::Outcome;
use super::{CLAIM_COMMENT_PREFIX, RELEASE_COMMENT_PREFIX};
use crate::time::ServerTime;

const RUN_PREFIX: &str = "<!-- claim ";
const CLOSE: &str = "-->";

/// Whether a claim is a bid or a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimState {
    /// Posted, and not yet decided.
    Bid,
    /// Decided.
    Held,
}

/// Whose words a claim is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Ours: it has a nonce.
    Baton,
    /// Alfred's: paired by codename and firing id.
    Alfred,
    /// `claim run=`: nothing releases it but time.
    LabelLock,
}

/// A claim as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClaimText {
    /// Whose words it is in.
    pub form: Form,
    /// Who claims.
    pub holder: Holder,
    /// What tells it from every other claim.
    pub nonce: Option<Nonce>,
    /// How long it lasts, when it says so.
    pub ttl: Option<Duration>,
    /// Bid or hold.
    pub state: ClaimState,
    /// The fencing token, on claim refs.
    pub epoch: Option<u64>,
    /// Whether the date of the commit that carries it is the writer's and so says nothing.
    pub is_writer_dated: bool,
    /// Keys that this version does not know.
    pub extra: Vec<(String, String)>,
}

/// A release as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReleaseText {
    /// Whose claim it ends.
    pub holder: Holder,
    /// The comment that it ends.
    pub claim: Option<u64>,
    /// The nonce of the claim that it ends.
    pub nonce: Option<Nonce>,
    /// How the hold ended.
    pub outcome: Outcome,
    /// The label that the issue goes to.
    pub to: Option<String>,
    /// The pull request that came of it.
    pub pr: Option<String>,
    /// The sweep that ended it.
    pub swept_by: Option<String>,
    /// The fencing token, on claim refs.
    pub epoch: Option<u64>,
    /// Keys that this version does not know.
    pub extra: Vec<(String, String)>,
}

/// What a text turned out to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A claim.
    Claim(ClaimText),
    /// A release.
    Release(ReleaseText),
}

/// Returns whether a text is meant for the ledger of claims and not for people, even if it cannot be read.
pub fn is_meant_as_marker(body: &str) -> bool {
    let body = body.trim_start();
    [CLAIM_COMMENT_PREFIX, RELEASE_COMMENT_PREFIX, RUN_PREFIX].iter().any(|prefix| body.starts_with(prefix))
}

/// Reads a comment or a commit's message. Ordinary text is nothing.
pub fn read(body: &str) -> Option<Marker> {
    let body = body.trim_start();
    if let Some(rest) = body.strip_prefix(CLAIM_COMMENT_PREFIX) {
        return claim(Fields::of(rest)).map(Marker::Claim);
    }
    if let Some(rest) = body.strip_prefix(RELEASE_COMMENT_PREFIX) {
        return release(Fields::of(rest)).map(Marker::Release);
    }
    body.strip_prefix(RUN_PREFIX).and_then(|rest| label_lock(Fields::of(rest))).map(Marker::Claim)
}

/// The tokens of a marker: split on white space, each at its first `=`; of a key that comes twice the last one counts.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn of(text: &str) -> Self {
        let inside = text.split_once(CLOSE).map_or(text.lines().next().unwrap_or_default(), |(head, _)| head);
        let tokens = inside.split_whitespace().filter_map(|token| token.split_once('='));
        Self(tokens.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    fn take(&mut self, key: &str) -> Option<String> {
        let value = self.0.iter().rfind(|(own, _)| own == key).map(|(_, value)| value.clone());
        self.0.retain(|(own, _)| own != key);
        value
    }

    fn parsed<T: std::str::FromStr>(&mut self, key: &str) -> Option<T> {
        self.take(key).and_then(|value| value.parse().ok())
    }

    fn holder(&mut self) -> Option<Holder> {
        Some(Holder { codename: self.parsed("codename")?, firing_id: self.parsed("firing_id")? })
    }
}

fn claim(mut fields: Fields) -> Option<ClaimText> {
    let holder = fields.holder()?;
    let nonce: Option<Nonce> = fields.parsed("nonce");
    let ttl = fields.take("ttl").and_then(|text| seconds(&text));
    let state = match fields.take("state").as_deref() {
        Some("bid") => ClaimState::Bid,
        _ => ClaimState::Held,
    };
    let epoch = fields.parsed("epoch");
    let is_writer_dated = fields.take("clock").as_deref() == Some("writer");
    // The server's time counts; the writer's own is for people.
    fields.take("ts");
    let form = if nonce.is_some() { Form::Baton } else { Form::Alfred };
    Some(ClaimText { form, holder, nonce, ttl, state, epoch, is_writer_dated, extra: fields.0 })
}

fn release(mut fields: Fields) -> Option<ReleaseText> {
    let holder = fields.holder()?;
    let outcome = fields.take("outcome").unwrap_or_else(|| "unknown".to_owned()).parse().ok()?;
    let (claim, nonce, epoch) = (fields.parsed("claim"), fields.parsed("nonce"), fields.parsed("epoch"));
    let (to, pr, swept_by) = (fields.take("to"), fields.take("pr"), fields.take("swept_by"));
    fields.take("ts");
    Some(ReleaseText { holder, claim, nonce, outcome, to, pr, swept_by, epoch, extra: fields.0 })
}

fn label_lock(mut fields: Fields) -> Option<ClaimText> {
    let run = fields.take("run")?;
    let ttl = fields.take("ttl").and_then(|text| seconds(&text));
    let holder = Holder { codename: label_lock_name(), firing_id: run.parse().ok()? };
    Some(ClaimText {
        form: Form::LabelLock,
        holder,
        nonce: None,
        ttl,
        state: ClaimState::Held,
        epoch: None,
        is_writer_dated: false,
        extra: fields.0,
    })
}

/// What a worker is called that does not say its name.
fn label_lock_name() -> Codename {
    "label-lock".parse().unwrap_or_else(|_| unreachable!("the name keeps the rules"))
}

/// Reads `14400s`; other units are nobody's.
fn seconds(text: &str) -> Option<Duration> {
    text.strip_suffix('s').unwrap_or(text).parse().ok().map(Duration::from_secs)
}

impl ClaimText {
    /// Writes it, with a line for people.
    pub fn write(&self, ts: ServerTime) -> String {
        let Holder { codename, firing_id } = &self.holder;
        let mut text = format!("{CLAIM_COMMENT_PREFIX}codename={codename} firing_id={firing_id} ts={ts}");
        push(&mut text, "ttl", self.ttl.map(|ttl| format!("{}s", ttl.as_secs())));
        push(&mut text, "nonce", self.nonce);
        push(&mut text, "epoch", self.epoch);
        push(&mut text, "state", Some(if self.state == ClaimState::Bid { "bid" } else { "held" }));
        push(&mut text, "clock", self.is_writer_dated.then_some("writer"));
        for (key, value) in &self.extra {
            push(&mut text, key, Some(value));
        }
        text.push_str(" -->\n");
        text.push_str(&match self.state {
            ClaimState::Bid => format!("**{codename}** bids for this issue (firing {firing_id})."),
            ClaimState::Held => format!("**{codename}** holds this issue (firing {firing_id})."),
        });
        text
    }

    /// Writes it in the words of label locks.
    pub fn write_label_lock(&self) -> String {
        let run = self.nonce.map_or_else(|| self.holder.firing_id.to_string(), |nonce| nonce.to_string());
        let ttl = self.ttl.unwrap_or_default().as_secs();
        format!("{RUN_PREFIX}run={run} ttl={ttl}s --> claimed by {}", self.holder.codename)
    }
}

impl ReleaseText {
    /// A release of a holder's claim that says nothing more than how it ended.
    pub fn new(holder: Holder, outcome: Outcome) -> Self {
        Self {
            holder,
            claim: None,
            nonce: None,
            outcome,
            to: None,
            pr: None,
            swept_by: None,
            epoch: None,
            extra: Vec::new(),
        }
    }

    /// Writes it, with a line for people.
    pub fn write(&self, ts: ServerTime) -> String {
        let Holder { codename, firing_id } = &self.holder;
        let mut text = format!("{RELEASE_COMMENT_PREFIX}codename={codename} firing_id={firing_id}");
        push(&mut text, "claim", self.claim);
        push(&mut text, "nonce", self.nonce);
        push(&mut text, "epoch", self.epoch);
        push(&mut text, "outcome", Some(&self.outcome));
        push(&mut text, "to", self.to.as_ref());
        push(&mut text, "pr", self.pr.as_ref());
        push(&mut text, "swept_by", self.swept_by.as_ref());
        for (key, value) in &self.extra {
            push(&mut text, key, Some(value));
        }
        push(&mut text, "ts", Some(ts));
        text.push_str(" -->\n");
        text.push_str(&self.for_people());
        text
    }
}

impl ReleaseText {
    /// What people read. It must not contain `=`, because some readers take the whole text for tokens.
    fn for_people(&self) -> String {
        let codename = &self.holder.codename;
        let mut text = match (&self.outcome, &self.swept_by) {
            (Outcome::StaleSwept, _) => {
                format!("**{codename}** was not heard of any more; its claim was ended.")
            }
            (_, Some(by)) => format!("{by} ended the claim of **{codename}**."),
            (outcome, None) => format!("**{codename}** let go of this issue: {}", spoken(outcome)),
        };
        if let Some(to) = &self.to {
            text.push_str(&format!(" It goes to `{to}`."));
        }
        if let Some(pr) = self.pr.as_ref().filter(|pr| !pr.contains('=')) {
            text.push_str(&format!(" Pull request: {pr}"));
        }
        text
    }
}

/// The outcome for people.
fn spoken(outcome: &Outcome) -> String {
    match outcome {
        Outcome::RaceYieldedTo(to) => format!("{to} was first."),
        other => format!("{}.", other.to_string().replace('=', " ")),
    }
}

fn push(text: &mut String, key: &str, value: Option<impl ToString>) {
    if let Some(value) = value {
        text.push_str(&format!(" {key}={}", value.to_string()));
    }
}

/// Returns whether a text may be written as a value: one word that does not end the comment.
pub fn is_value(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace) && !text.contains(CLOSE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TS: ServerTime = ServerTime(1_777_664_553);

    fn held() -> ClaimText {
        ClaimText {
            form: Form::Baton,
            holder: "lucius:20260501-194217-643a".parse().unwrap(),
            nonce: Some(Nonce(0xabc)),
            ttl: Some(Duration::from_secs(14400)),
            state: ClaimState::Held,
            epoch: None,
            is_writer_dated: false,
            extra: Vec::new(),
        }
    }

    #[test]
    fn a_claim_is_written_as_documented_and_read_back() {
        let text = held().write(TS);
        assert!(text.starts_with(
            "<!-- agent-claim:codename=lucius firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z ttl=14400s \
             nonce=00000000000000000000000000000abc state=held -->\n"
        ));
        assert_eq!(read(&text), Some(Marker::Claim(held())));
        let bid = ClaimText { state: ClaimState::Bid, epoch: Some(3), is_writer_dated: true, ..held() };
        assert_eq!(read(&bid.write(TS)), Some(Marker::Claim(bid)));
    }

    #[test]
    fn a_release_names_its_claim_and_keeps_the_first_equals_sign() {
        let text =
            "<!-- agent-release:codename=b firing_id=B claim=7 outcome=race-yielded-to=lucius:A ts=x -->";
        let Some(Marker::Release(release)) = read(text) else { panic!("not a release") };
        assert_eq!(release.outcome, Outcome::RaceYieldedTo("lucius:A".to_owned()));
        assert_eq!(release.claim, Some(7));
        assert_eq!(read(&release.write(TS)), Some(Marker::Release(release)));
    }

    #[test]
    fn alfreds_words_are_read_without_a_ttl() {
        let text =
            "<!-- agent-claim:codename=lucius firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z -->";
        let Some(Marker::Claim(claim)) = read(text) else { panic!("not a claim") };
        assert_eq!((claim.form, claim.ttl, claim.nonce), (Form::Alfred, None, None));
    }

    #[test]
    fn the_words_of_label_locks_are_read_and_written() {
        let Some(Marker::Claim(claim)) = read("<!-- claim run=9f2c ttl=600s --> claimed by worker-7") else {
            panic!("not a claim")
        };
        assert_eq!((claim.form, claim.ttl), (Form::LabelLock, Some(Duration::from_secs(600))));
        assert_eq!(claim.holder.firing_id.as_str(), "9f2c");
        assert_eq!(
            held().write_label_lock(),
            "<!-- claim run=00000000000000000000000000000abc ttl=14400s --> claimed by lucius"
        );
    }

    #[test]
    fn unknown_keys_are_kept_and_the_last_of_two_counts() {
        let Some(Marker::Claim(claim)) =
            read("<!-- agent-claim:codename=a codename=b firing_id=F mood=good ttl=5s -->")
        else {
            panic!("not a claim")
        };
        assert_eq!(claim.holder.codename.as_str(), "b");
        assert_eq!(claim.extra, [("mood".to_owned(), "good".to_owned())]);
    }

    #[test]
    fn what_only_mentions_a_claim_is_none() {
        for text in [
            "",
            "I saw <!-- agent-claim:codename=a firing_id=F --> there",
            "> <!-- agent-claim:codename=a firing_id=F -->",
            "<!-- agent-claim: -->",
            "<!-- agent-claim:codename=a -->",
            "<!-- agent-claim:codename=A firing_id=F -->",
            "<!-- claim ttl=5s -->",
            "<!-- claims run=5 -->",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC*|<!-- agent-(claim|release):[ a-z=_0-9:>-]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn every_claim_survives_the_wire(nonce: u128, ttl in 0u64..1_000_000, epoch: Option<u64>, bid: bool) {
            let state = if bid { ClaimState::Bid } else { ClaimState::Held };
            let ttl = Some(Duration::from_secs(ttl));
            let claim = ClaimText { nonce: Some(Nonce(nonce)), ttl, epoch, state, ..held() };
            prop_assert_eq!(read(&claim.write(TS)), Some(Marker::Claim(claim)));
        }
    }
}
