//! Behaviour that tests can turn: lag, latency, faults, limits.
//!
//! The same settings are reachable over HTTP (`/_forge/knobs`, for the administrator) and from Rust
//! ([`crate::ForgeHandle`]). All are off at the start: an ordinary forge is fast and faithful.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sync::{lock, read, write};

/// A range of milliseconds from which each request draws.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The shortest.
    pub min_ms: u64,
    /// The longest; at least the shortest.
    pub max_ms: u64,
}

impl Span {
    /// Always the same.
    pub fn exactly(ms: u64) -> Self {
        Self { min_ms: ms, max_ms: ms }
    }

    fn is_valid(self) -> bool {
        self.min_ms <= self.max_ms && self.max_ms <= 600_000
    }
}

/// When a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultWhen {
    /// Nothing is done.
    Before,
    /// The request is carried out, and only its answer is lost.
    After,
}

/// What a client sees of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// An answer with this status instead of the real one.
    Status(u16),
    /// The connection is closed without an answer.
    Drop,
    /// GitHub's secondary limit: 403, with `Retry-After`.
    SecondaryLimit {
        /// Seconds to wait.
        retry_after_s: u64,
    },
    /// 429 with `Retry-After`.
    TooManyRequests {
        /// Seconds to wait.
        retry_after_s: u64,
    },
}

/// Which requests a fault applies to; what is not said matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaultMatch {
    /// `GET`, `POST`, …
    pub method: Option<String>,
    /// A part of the path, such as `/comments` or `/git/refs`.
    pub path_contains: Option<String>,
    /// The account whose token was used.
    pub login: Option<String>,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which requests.
    #[serde(default)]
    pub matching: FaultMatch,
    /// Before or after the request is carried out.
    pub when: FaultWhen,
    /// What the client sees.
    pub kind: FaultKind,
    /// Matching requests to let pass first.
    #[serde(default)]
    pub skip: u64,
    /// How many requests to strike; absent means all.
    #[serde(default)]
    pub times: Option<u64>,
    /// The chance of striking a matching request, in percent.
    #[serde(default = "always")]
    pub percent: u8,
}

fn always() -> u8 {
    100
}

/// What happens to webhooks on their way. The draws depend on the seed and the delivery alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookKnobs {
    /// How many of a hundred deliveries are sent twice.
    pub duplicate_percent: u8,
    /// How many of a hundred let the next one of their hook go first.
    pub reorder_percent: u8,
    /// How many of a hundred are never sent.
    pub lose_percent: u8,
    /// How long after the change a delivery is sent at the earliest.
    pub delay: Span,
    /// How often a delivery that failed is tried again by itself. GitHub never does.
    pub retries: u32,
}

impl WebhookKnobs {
    fn check(self) -> Result<(), String> {
        let percents = [self.duplicate_percent, self.reorder_percent, self.lose_percent];
        if let Some(percent) = percents.into_iter().find(|percent| *percent > 100) {
            return Err(format!("a percent of webhooks must be at most 100, not {percent}"));
        }
        if self.retries > 100 {
            return Err(format!("a webhook is tried again at most 100 times, not {}", self.retries));
        }
        Ok(())
    }
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// How far reads trail writes.
    pub read_lag: Span,
    /// How long a request takes on top of its work, half of it before and half after on average.
    pub latency: Span,
    /// Faults, tried in order.
    pub faults: Vec<Fault>,
    /// Requests per hour and token.
    pub rate_limit: u64,
    /// Search requests per minute and token.
    pub search_rate_limit: u64,
    /// Requests per hour without a token.
    pub anonymous_rate_limit: u64,
    /// What happens to webhooks on their way.
    pub webhooks: WebhookKnobs,
    /// What the draws above start from.
    pub seed: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            read_lag: Span::default(),
            latency: Span::default(),
            faults: Vec::new(),
            // Nobody shares this server with strangers, so its limits are far above GitHub's 5,000.
            rate_limit: 100_000_000,
            search_rate_limit: 10_000_000,
            anonymous_rate_limit: 10_000_000,
            webhooks: WebhookKnobs::default(),
            seed: 1,
        }
    }
}

/// A change of some settings; what is absent stays.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KnobsPatch {
    /// See [`Knobs::read_lag`].
    pub read_lag: Option<Span>,
    /// See [`Knobs::latency`].
    pub latency: Option<Span>,
    /// See [`Knobs::faults`]; the whole list is replaced.
    pub faults: Option<Vec<Fault>>,
    /// See [`Knobs::rate_limit`].
    pub rate_limit: Option<u64>,
    /// See [`Knobs::search_rate_limit`].
    pub search_rate_limit: Option<u64>,
    /// See [`Knobs::anonymous_rate_limit`].
    pub anonymous_rate_limit: Option<u64>,
    /// See [`Knobs::webhooks`]; what is not said of them is off.
    pub webhooks: Option<WebhookKnobs>,
    /// See [`Knobs::seed`].
    pub seed: Option<u64>,
}

impl Knobs {
    /// Returns these settings with a change applied, or what is wrong with it.
    pub fn patched(&self, patch: KnobsPatch) -> Result<Self, String> {
        let mut knobs = self.clone();
        let KnobsPatch {
            read_lag,
            latency,
            faults,
            rate_limit,
            search_rate_limit,
            anonymous_rate_limit,
            webhooks,
            seed,
        } = patch;
        set(&mut knobs.read_lag, read_lag);
        set(&mut knobs.latency, latency);
        set(&mut knobs.faults, faults);
        set(&mut knobs.rate_limit, rate_limit);
        set(&mut knobs.search_rate_limit, search_rate_limit);
        set(&mut knobs.anonymous_rate_limit, anonymous_rate_limit);
        set(&mut knobs.webhooks, webhooks);
        set(&mut knobs.seed, seed);
        knobs.check().map(|()| knobs)
    }

    fn check(&self) -> Result<(), String> {
        self.webhooks.check()?;
        if !self.read_lag.is_valid() || !self.latency.is_valid() || !self.webhooks.delay.is_valid() {
            return Err("a span needs min_ms <= max_ms <= 600000".to_owned());
        }
        for fault in &self.faults {
            if let FaultKind::Status(status) = fault.kind
                && !(400..=599).contains(&status)
            {
                return Err(format!("a fault's status must be 400 to 599, not {status}"));
            }
            if fault.percent > 100 {
                return Err(format!("a fault's percent must be at most 100, not {}", fault.percent));
            }
        }
        Ok(())
    }
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// The settings in force, with what the faults have counted.
pub(crate) struct Panel {
    knobs: RwLock<Knobs>,
    /// How often each fault has matched, in step with the list of faults.
    matched: Mutex<Vec<u64>>,
    dice: AtomicU64,
    /// Set when lag, latency and faults are all off, so that an ordinary request pays one load.
    quiet: AtomicBool,
}

impl Panel {
    pub(crate) fn new(knobs: Knobs) -> Self {
        let panel = Self {
            knobs: RwLock::new(Knobs::default()),
            matched: Mutex::default(),
            dice: AtomicU64::new(1),
            quiet: AtomicBool::new(true),
        };
        panel.set(knobs);
        panel
    }

    pub(crate) fn get(&self) -> Knobs {
        read(&self.knobs).clone()
    }

    pub(crate) fn set(&self, knobs: Knobs) {
        let quiet =
            knobs.read_lag == Span::default() && knobs.latency == Span::default() && knobs.faults.is_empty();
        let mut current = write(&self.knobs);
        // What did not change goes on counting and drawing where it was.
        if current.seed != knobs.seed {
            self.dice.store(knobs.seed.max(1), Ordering::Relaxed);
        }
        if current.faults != knobs.faults {
            *lock(&self.matched) = vec![0; knobs.faults.len()];
        }
        *current = knobs;
        self.quiet.store(quiet, Ordering::Release);
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Acquire)
    }

    pub(crate) fn limits(&self) -> (u64, u64, u64) {
        let knobs = read(&self.knobs);
        (knobs.rate_limit, knobs.search_rate_limit, knobs.anonymous_rate_limit)
    }

    /// What happens to webhooks, and the seed of its draws.
    pub(crate) fn webhooks(&self) -> (WebhookKnobs, u64) {
        let knobs = read(&self.knobs);
        (knobs.webhooks, knobs.seed)
    }

    pub(crate) fn read_lag(&self) -> Duration {
        if self.is_quiet() { Duration::ZERO } else { self.draw_span(read(&self.knobs).read_lag) }
    }

    /// Draws a latency and cuts it in two, before and after the work.
    pub(crate) fn latency(&self) -> (Duration, Duration) {
        if self.is_quiet() {
            return (Duration::ZERO, Duration::ZERO);
        }
        let whole = self.draw_span(read(&self.knobs).latency);
        let before = whole.mul_f64(f64::from(self.draw(1_001)) / 1_000.0);
        (before, whole.saturating_sub(before))
    }

    /// Returns the fault that strikes this request, if one does, and counts it.
    pub(crate) fn strike(
        &self,
        method: &str,
        path: &str,
        login: Option<&str>,
    ) -> Option<(FaultWhen, FaultKind)> {
        if self.is_quiet() {
            return None;
        }
        let knobs = read(&self.knobs);
        let mut matched = lock(&self.matched);
        for (fault, seen) in knobs.faults.iter().zip(matched.iter_mut()) {
            if !matches(&fault.matching, method, path, login) {
                continue;
            }
            if fault.percent < 100 && self.draw(100) >= u32::from(fault.percent) {
                continue;
            }
            *seen += 1;
            let struck_before = seen.saturating_sub(1).saturating_sub(fault.skip);
            if *seen > fault.skip && fault.times.is_none_or(|times| struck_before < times) {
                return Some((fault.when, fault.kind));
            }
        }
        None
    }

    fn draw_span(&self, span: Span) -> Duration {
        let width_us = span.max_ms.saturating_sub(span.min_ms).saturating_mul(1_000);
        let extra_us = if width_us == 0 { 0 } else { self.next() % (width_us + 1) };
        Duration::from_millis(span.min_ms) + Duration::from_micros(extra_us)
    }

    fn draw(&self, below: u32) -> u32 {
        u32::try_from(self.next() % u64::from(below.max(1))).unwrap_or(0)
    }

    /// The next number of a splitmix64 sequence.
    fn next(&self) -> u64 {
        let state = self.dice.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn matches(matching: &FaultMatch, method: &str, path: &str, login: Option<&str>) -> bool {
    matching.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
        && matching.path_contains.as_deref().is_none_or(|part| path.contains(part))
        && matching.login.as_deref().is_none_or(|wanted| login == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(skip: u64, times: Option<u64>) -> Fault {
        let matching =
            FaultMatch { method: Some("POST".into()), path_contains: Some("/comments".into()), login: None };
        Fault { matching, when: FaultWhen::After, kind: FaultKind::Drop, skip, times, percent: 100 }
    }

    fn strikes(fault: Fault, requests: &[(&str, &str)]) -> Vec<bool> {
        let panel = Panel::new(Knobs { faults: vec![fault], ..Knobs::default() });
        requests.iter().map(|(method, path)| panel.strike(method, path, None).is_some()).collect()
    }

    #[test]
    fn a_fault_skips_then_strikes_so_often_and_then_rests() {
        let requests = [("POST", "/comments"); 5];
        assert_eq!(strikes(fault(1, Some(2)), &requests), [false, true, true, false, false]);
        assert_eq!(strikes(fault(0, None), &requests), [true; 5]);
    }

    #[test]
    fn a_fault_strikes_only_what_it_matches() {
        let requests = [("GET", "/comments"), ("POST", "/labels"), ("POST", "/issues/1/comments")];
        assert_eq!(strikes(fault(0, None), &requests), [false, false, true]);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_whole() {
        let patch = |text: &str| serde_json::from_str::<KnobsPatch>(text).map_err(|e| e.to_string());
        assert!(patch(r#"{"reed_lag": {"min_ms": 1, "max_ms": 2}}"#).is_err());
        let backwards = patch(r#"{"read_lag": {"min_ms": 2, "max_ms": 1}}"#).unwrap();
        assert!(Knobs::default().patched(backwards).is_err());
        let status = patch(r#"{"faults": [{"when": "before", "kind": {"status": 200}}]}"#).unwrap();
        assert!(Knobs::default().patched(status).is_err());
    }

    #[test]
    fn draws_stay_in_their_span_and_spread_over_it() {
        let panel = Panel::new(Knobs { latency: Span { min_ms: 10, max_ms: 20 }, ..Knobs::default() });
        let drawn: Vec<Duration> =
            (0..200).map(|_| panel.latency()).map(|(before, after)| before + after).collect();
        assert!(drawn.iter().all(|d| (10..=20).contains(&d.as_millis())));
        assert!(drawn.iter().any(|d| d.as_millis() < 12) && drawn.iter().any(|d| d.as_millis() > 18));
    }
}
