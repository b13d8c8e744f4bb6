//! The pre-push hook as its users meet it: real pushes of real git to the real forge.

mod installing;
mod outages;
mod ranges;
mod refusing;

use std::path::{Path, PathBuf};

use baton_fixtures::{CommandOutput, TOKEN, TestEnv, TestForge, TestRepo, git};
use serde_json::json;

const HOLDER: (&str, &str) = ("lucius", "20260501-194217-643a");

/// What the hook made of a push.
trait PushOutput {
    /// A push that the hook refused, with words that it said.
    fn refused(self, words: &[&str]) -> Self;
    /// A push that the hook let through, with words that it said.
    fn passed(self, words: &[&str]) -> Self;
}

impl PushOutput for CommandOutput {
    #[track_caller]
    fn refused(self, words: &[&str]) -> Self {
        assert_ne!(self.code, 0, "{self:?}");
        assert!(self.err.contains("the push is refused"), "{self:?}");
        words.iter().for_each(|word| assert!(self.err.contains(word), "no {word:?} in {}", self.err));
        self
    }

    #[track_caller]
    fn passed(self, words: &[&str]) -> Self {
        let ran = self.exits(0);
        words.iter().for_each(|word| assert!(ran.err.contains(word), "no {word:?} in {}", ran.err));
        ran
    }
}

/// A forge with `admin/web` and issue 1, and an environment whose working directory is a clone of it.
struct Setup {
    forge: TestForge,
    repo: TestRepo,
    env: TestEnv,
}

impl Setup {
    async fn bare() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        let env = TestEnv::of(&forge, "place").with_all(&git::VARIABLES);
        let setup = Self { forge, repo, env };
        setup.git(&["clone", "-q", &setup.repo.address(TOKEN), "."]);
        setup.repo.issue("x", &[]).await;
        setup
    }

    /// With the hook installed, on a branch of one's own.
    async fn new() -> Self {
        let setup = Self::bare().await;
        setup.env.run(&["hook", "install"]).exits(0);
        setup.git(&["checkout", "-q", "-b", "topic"]);
        setup
    }

    /// Runs a program in another directory.
    fn run_in(&self, directory: &Path, program: impl AsRef<Path>, arguments: &[&str]) -> CommandOutput {
        self.env.other(program.as_ref(), arguments).current_dir(directory).output().unwrap().into()
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        self.run_in(&self.env.work(), "git", arguments).exits(0).out
    }

    fn push(&self, arguments: &[&str]) -> CommandOutput {
        self.push_with(&[], arguments)
    }

    fn push_with(&self, more: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
        self.env.with_all(more).other("git", &[&["push"], arguments].concat()).output().unwrap().into()
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn hooks(&self) -> PathBuf {
        self.env.path(".git/hooks")
    }

    /// Replaces the hook of the clone by a script.
    fn write_hook(&self, text: &str) {
        write_program(&self.hooks().join("pre-push"), text);
    }

    /// Someone claims an issue, in the words of another tool: that needs no waiting.
    async fn claimed(&self, repo: &str, number: u64) {
        let (codename, firing_id) = HOLDER;
        let body =
            format!("<!-- agent-claim:codename={codename} firing_id={firing_id} ts=2026-05-01T19:42:33Z -->");
        self.forge.at(repo).comment(number, &body).await;
    }

    /// Someone opens a pull request from a branch, which is made for it.
    async fn pull(&self, branch: &str, body: &str) {
        let main = self.git(&["rev-parse", "origin/main"]);
        let tree = self.git(&["rev-parse", "origin/main^{tree}"]);
        let commit = json!({ "message": "theirs", "tree": tree, "parents": [main] });
        let commit = self.repo.post("/git/commits", commit).await;
        let made = json!({ "ref": format!("refs/heads/{branch}"), "sha": commit["sha"] });
        self.repo.post("/git/refs", made).await;
        self.open_pull(branch, body).await;
    }

    async fn open_pull(&self, branch: &str, body: &str) {
        let pull = json!({ "title": "theirs", "head": branch, "base": "main", "body": body });
        self.repo.post("/pulls", pull).await;
    }

    async fn is_there(&self, branch: &str) -> bool {
        self.repo.tip(&format!("heads/{branch}")).await.is_some()
    }

    /// How many requests to the API there were since the last time.
    async fn calls(&self) -> u64 {
        let rows = self.forge.meter().await;
        self.forge.clear_meter().await;
        let of_api = rows.iter().filter(|row| {
            let endpoint = row["endpoint"].as_str().unwrap();
            endpoint.contains("/repos/") || endpoint.contains("/user")
        });
        of_api.map(|row| row["count"].as_u64().unwrap()).sum()
    }
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
