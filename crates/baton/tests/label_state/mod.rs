//! `label-state` as scripts meet it: its lines, its exit codes and its files, by every name that it has.

mod issues;
mod names;
mod repos;
mod sweeps;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

/// An address where nobody listens.
const NOBODY: (&str, &str) = ("BATON_GITHUB_API_URL", "http://127.0.0.1:9");
const SOON: (&str, &str) = ("BATON_REQUEST_TIMEOUT", "1s");
const HOLDER: &str = "lucius:20260501-194217-643a";

/// A forge with `admin/web`, and a home for the fleet.
struct World {
    forge: ForgeProcess,
    client: Client,
    directory: tempfile::TempDir,
}

/// What the command said: exit code, output, complaints.
type Said = (i32, String, String);

impl World {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web" }), 201).await;
        Self { forge, client, directory }
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("alfred")
    }

    fn label_state(&self, arguments: &[&str]) -> Said {
        self.label_state_with(&[], arguments)
    }

    fn label_state_with(&self, more: &[(&str, &str)], arguments: &[&str]) -> Said {
        let arguments = [&["label-state"], arguments].concat();
        self.run(Path::new(env!("CARGO_BIN_EXE_baton")), &arguments, more)
    }

    /// Runs a program without anything that this machine is configured with. An empty variable counts as none.
    fn run(&self, program: &Path, arguments: &[&str], more: &[(&str, &str)]) -> Said {
        let mut command = Command::new(program);
        let ours = |name: &str| {
            ["BATON_", "LABEL_STATE_", "ALFRED_", "GIT_", "GH_"].iter().any(|it| name.starts_with(it))
        };
        for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        command
            .current_dir(self.directory.path())
            .args(arguments)
            .envs([("BATON_GITHUB_API_URL", self.forge.url.as_str()), ("BATON_TOKEN", TOKEN)])
            .envs([("GH_ORG", "admin"), ("ALFRED_HOME", self.home().to_str().unwrap())])
            .envs(more.iter().copied());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    async fn issue(&self, labels: &[&str]) -> u64 {
        let body = json!({ "title": "A title", "labels": labels });
        let issue = self.client.must("POST", "/repos/admin/web/issues", &body, 201).await;
        issue["number"].as_u64().unwrap()
    }

    async fn comment(&self, number: u64, body: &str) {
        let path = format!("/repos/admin/web/issues/{number}/comments");
        self.client.must("POST", &path, &json!({ "body": body }), 201).await;
    }

    /// Someone claims an issue, in the words of another tool.
    async fn claimed(&self, number: u64) {
        let body =
            "<!-- agent-claim:codename=lucius firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z -->";
        self.comment(number, body).await;
    }

    async fn labels(&self, number: u64) -> Vec<String> {
        let path = format!("/repos/admin/web/issues/{number}");
        let issue = self.client.must("GET", &path, &Value::Null, 200).await;
        let labels = issue["labels"].as_array().unwrap().iter();
        labels.map(|label| label["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn fail(&self, method: &str, path: &str) {
        let matching = json!({ "method": method, "path_contains": path });
        let fault = json!({ "matching": matching, "when": "before", "kind": { "status": 502 } });
        self.client.must("PATCH", "/_forge/knobs", &json!({ "faults": [fault] }), 200).await;
    }
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
