//! A forge with a repository, and a directory that `baton mcp` is started in.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Client, ForgeProcess, TOKEN};

/// Times that a flow waits for are short. The agent is never run, because no engine is.
const SETTINGS: &str = "user: ann
repos: [admin/web]
request_timeout: 10s
claims: {ttl: 10min, bid_ttl: 3min, margin: 1s, settle: 1s}
agents:
  coder: {adapter: command, command: [\"true\"], workspace: directory}
";

pub(crate) struct Place {
    pub(crate) forge: ForgeProcess,
    directory: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        admin.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let place = Self { forge, directory };
        std::fs::create_dir_all(place.work().join(".git")).unwrap();
        place.configure(SETTINGS);
        place
    }

    /// Where the server is started.
    pub(crate) fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    pub(crate) fn configure(&self, yaml: &str) {
        std::fs::write(self.work().join("baton.yaml"), yaml).unwrap();
    }
}

pub(crate) fn repository_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two levels up")
}
