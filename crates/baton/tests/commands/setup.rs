//! A forge with a repository and an issue, and a place with a `baton.yaml`.

use baton_fixtures::{TestEnv, TestForge, TestRepo};

pub(crate) const ISSUE: &str = "admin/web#1";

/// One agent that plays a script.
pub(crate) const AGENT: &str = "agents:\n  coder: {adapter: script, script: coder.yaml}\n";

const SETTINGS: &str = "user: ann
repos: [admin/web]
poll: 2s
workers: {heartbeat: 1s, ttl: 60s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s}
";

pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
    pub(crate) env: TestEnv,
}

impl Setup {
    /// An issue with these labels, and further lines of `baton.yaml`.
    pub(crate) async fn new(more: &str, labels: &[&str]) -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        repo.issue("A button", labels).await;
        let mut env = TestEnv::of(&forge, "env");
        // The file names the tracker, so that it can be edited.
        env.set("BATON_GITHUB_API_URL", None);
        let setup = Self { forge, repo, env };
        setup.configure(more);
        setup
    }

    /// Writes `baton.yaml` anew.
    pub(crate) fn configure(&self, more: &str) {
        let tracker = format!("tracker: {{api_url: '{}'}}\n", self.forge.url);
        self.env.write("baton.yaml", &format!("{SETTINGS}{tracker}{more}"));
    }
}
