//! Baton's own claimants, behind one function, so that the harness does not know how they are reached.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use crate::rivals::api::now_ms;
use crate::rivals::{Api, Identity, Verdict};

const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Which of its two protocols it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Comment,
    Ref,
}

impl Protocol {
    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Ref => "ref",
        }
    }
}

/// Claims an issue in one go.
pub(crate) async fn contend(protocol: Protocol, api: &Api, issue: u64, who: &Identity) -> Verdict {
    let started_ms = now_ms();
    let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
    command
        .args(["claim", &format!("{}#{issue}", api.repo), "--protocol", protocol.name(), "--json"])
        .args(["--codename", &who.codename, "--firing-id", &who.firing_id])
        .env("BATON_GITHUB_API_URL", &api.url)
        .env("BATON_TOKEN", &api.token)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let failed = |why: String| Verdict::error(started_ms, why);
    match tokio::time::timeout(ANSWER_WITHIN, command.output()).await {
        Ok(Ok(output)) => {
            let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let complaint = || failed(String::from_utf8_lossy(&output.stderr).trim().to_owned());
            Verdict::from_json(&value, started_ms).unwrap_or_else(complaint)
        }
        Ok(Err(error)) => failed(format!("baton does not start: {error}")),
        Err(_) => failed("baton claim hangs".to_owned()),
    }
}
