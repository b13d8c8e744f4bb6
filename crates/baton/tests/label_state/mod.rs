//! `label-state` as scripts meet it: its lines, its exit codes and its files, by every name that it has.

mod issues;
mod names;
mod repos;
mod sweeps;

use std::process::Command;

use baton_fixtures::{TestEnv, TestForge, TestRepo};
use serde_json::json;

/// An address where nobody listens.
const NOBODY: (&str, &str) = ("BATON_GITHUB_API_URL", "http://127.0.0.1:9");
const SOON: (&str, &str) = ("BATON_REQUEST_TIMEOUT", "1s");
const HOLDER: &str = "lucius:20260501-194217-643a";

/// A forge with `admin/web`, and a home for the fleet.
struct Setup {
    forge: TestForge,
    repo: TestRepo,
    env: TestEnv,
}

/// What the command said, to the last byte: exit code, output, complaints.
type Said = (i32, String, String);

impl Setup {
    async fn new() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        let env = TestEnv::of(&forge, "fleet").with("GH_ORG", "admin");
        let home = env.path("alfred");
        let env = env.with("ALFRED_HOME", home.to_str().unwrap());
        Self { forge, repo, env }
    }

    fn label_state(&self, arguments: &[&str]) -> Said {
        self.label_state_with(&[], arguments)
    }

    /// An empty variable counts as none.
    fn label_state_with(&self, more: &[(&str, &str)], arguments: &[&str]) -> Said {
        say(&mut self.env.with_all(more).command(&[&["label-state"], arguments].concat()))
    }

    /// Someone claims an issue, in the words of another tool.
    async fn claimed(&self, number: u64) {
        let body =
            "<!-- agent-claim:codename=lucius firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z -->";
        self.repo.comment(number, body).await;
    }

    async fn fail(&self, method: &str, path: &str) {
        let matching = json!({ "method": method, "path_contains": path });
        self.forge.fault(matching, "before", json!({ "status": 502 }), 0, None).await;
    }
}

fn say(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// An answer in full, as scripts compare it.
#[track_caller]
fn said(said: Said, code: i32, out: &str, err: &str) {
    assert_eq!((said.0, said.1.as_str(), said.2.as_str()), (code, out, err));
}

/// A failure to reach the tracker: an error of its own, and nothing on the output that looks like an answer.
#[track_caller]
fn out_of_reach((code, out, err): Said) {
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.starts_with("error: "), "{err}");
}
