//! `gh webhook forward`, for people without a public address: one process for each repository, kept running.
//!
//! Webhooks only save time, so nothing here is fatal. A process that dies is started again, later each time; one that GitHub
//! refuses is given up, with a word about what to do. Surveys then find what webhooks would have told.

mod child;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::pacing::HookHealth;
use baton_github::webhooks::REPOSITORY_EVENTS;
use tokio::time::Instant;

use child::{Child, Ended};

/// A process that ran for so long has worked; what ended it has nothing to do with how it was started.
const WORKED: Duration = Duration::from_secs(60);
/// How often in a row GitHub may refuse. The hook of a process that has just died is there for a moment.
const REFUSALS_MAX: u32 = 3;

/// Where `gh` looks when nothing else is said.
const GITHUB: &str = "github.com";

/// What is forwarded, and where to.
#[derive(Debug, Clone)]
pub(crate) struct Forward {
    /// The program; usually `gh`.
    pub(crate) program: String,
    /// Whose events.
    pub(crate) repo: RepoSlug,
    /// Where the repository is, as `gh` knows it.
    pub(crate) host: String,
    /// The port of this machine that webhooks are taken on.
    pub(crate) port: u16,
    /// What they are signed with.
    pub(crate) secret: String,
    /// The first pause after a process died; it doubles with each that dies early.
    pub(crate) pause: Duration,
    /// The longest pause.
    pub(crate) pause_max: Duration,
}

/// What became of a forwarding process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForwardNews {
    /// It runs.
    Started,
    /// It died, and is started again after a pause.
    Died {
        /// What it said last.
        why: String,
        /// The pause.
        pause: Duration,
    },
    /// It is not started again.
    GaveUp {
        /// What it said last, and what to do.
        why: String,
    },
}

impl Forward {
    /// A forwarder of events of the tracker with this API address, with the usual pauses.
    pub(crate) fn new(api_url: &str, repo: RepoSlug, port: u16, secret: String) -> Self {
        let (pause, pause_max) = (Duration::from_secs(1), Duration::from_secs(300));
        let host = host_of(api_url);
        Self { program: "gh".to_owned(), repo, host, port, secret, pause, pause_max }
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            "webhook".to_owned(),
            "forward".to_owned(),
            format!("--repo={}", self.repo),
            format!("--events={}", REPOSITORY_EVENTS.join(",")),
            format!("--url=http://127.0.0.1:{}/webhooks/github", self.port),
            format!("--secret={}", self.secret),
        ];
        // Left out where it says nothing new: not every release of the extension knows it.
        if self.host != GITHUB {
            arguments.push(format!("--github-host={}", self.host));
        }
        arguments
    }

    /// Keeps a process running until it is given up. Dropping this ends the process, and so does the end of this one.
    pub(crate) async fn keep(&self, health: &ForwardHealth, tell: impl Fn(ForwardNews)) {
        let mut streak = Streak { pause: self.pause, refusals: 0 };
        loop {
            let began = Instant::now();
            let ended = match Child::start(&self.program, &self.arguments()) {
                Ok(child) => {
                    health.set(HookHealth::StartingUp);
                    tell(ForwardNews::Started);
                    child.ended().await
                }
                Err(error) => Ended { code: None, last_words: error.to_string() },
            };
            health.set(HookHealth::Unhealthy);
            if began.elapsed() >= WORKED {
                streak = Streak { pause: self.pause, refusals: 0 };
            }
            if let Some(advice) = streak.advice(&ended) {
                let why = format!("{}: {advice}", ended.words());
                return tell(ForwardNews::GaveUp { why });
            }
            tell(ForwardNews::Died { why: ended.words(), pause: streak.pause });
            tokio::time::sleep(streak.pause).await;
            streak.pause = (streak.pause * 2).min(self.pause_max);
        }
    }
}

/// Returns the server that an API address is on, by the name that people and `gh` use: that of `https://api.github.com` is
/// `github.com`, and that of `https://ghe.example/api/v3` is `ghe.example`.
fn host_of(api_url: &str) -> String {
    let rest = api_url.split_once("://").map_or(api_url, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_own_host = path.trim_end_matches('/').is_empty();
    let name = host.strip_prefix("api.").filter(|_| is_own_host).unwrap_or(host);
    name.to_ascii_lowercase()
}

/// How it went since it last worked.
struct Streak {
    pause: Duration,
    refusals: u32,
}

impl Streak {
    /// Returns what to do, if starting again does not help.
    fn advice(&mut self, ended: &Ended) -> Option<&'static str> {
        let said = |words: &str| ended.last_words.contains(words);
        if ended.code == Some(127) {
            return Some(
                "install GitHub's program `gh`, or switch webhooks off; the board is surveyed instead",
            );
        }
        if said("unknown command") {
            return Some(
                "install the extension with `gh extension install cli/gh-webhook`; the board is surveyed instead",
            );
        }
        let is_refused = said("422") || said("already exists") || said("HTTP 403") || said("HTTP 404");
        self.refusals = if is_refused { self.refusals + 1 } else { 0 };
        (self.refusals >= REFUSALS_MAX).then_some(
            "GitHub refuses the hook: see that nobody else forwards this repository, and that you may administrate it; the \
             board is surveyed instead",
        )
    }
}

/// Whether a forwarder runs, as the pace of surveys asks for it.
#[derive(Debug, Default)]
pub(crate) struct ForwardHealth(Mutex<HookHealth>);

impl ForwardHealth {
    fn set(&self, health: HookHealth) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    /// Returns it: off before the first start, starting up while a process runs, and unhealthy while none does. Whether a
    /// process that runs is healthy is found out by comparing.
    pub(crate) fn get(&self) -> HookHealth {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
