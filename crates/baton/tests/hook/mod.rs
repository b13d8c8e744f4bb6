//! The pre-push hook as its users meet it: real pushes of real git to the real forge.

mod installing;
mod outages;
mod ranges;
mod refusing;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

const HOLDER: (&str, &str) = ("lucius", "20260501-194217-643a");

/// What a program said, and whether it succeeded.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// A push that the hook refused, with words that it said.
    #[track_caller]
    fn refused(self, words: &[&str]) -> Self {
        assert_ne!(self.code, 0, "{self:?}");
        assert!(self.err.contains("the push is refused"), "{self:?}");
        words.iter().for_each(|word| assert!(self.err.contains(word), "no {word:?} in {}", self.err));
        self
    }

    /// A push that the hook let through, with words that it said.
    #[track_caller]
    fn passed(self, words: &[&str]) -> Self {
        let ran = self.succeeded();
        words.iter().for_each(|word| assert!(ran.err.contains(word), "no {word:?} in {}", ran.err));
        ran
    }
}

/// A forge with `admin/web` and issue 1, and a clone of it.
struct World {
    forge: ForgeProcess,
    client: Client,
    directory: tempfile::TempDir,
    work: PathBuf,
}

impl World {
    async fn bare() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let work = directory.path().join("work");
        let world = Self { forge, client, directory, work };
        let address = world.address("web");
        world.run(world.directory.path(), "git", &["clone", "-q", &address, "work"], &[]).succeeded();
        world.issue().await;
        world
    }

    /// With the hook installed, on a branch of one's own.
    async fn new() -> Self {
        let world = Self::bare().await;
        world.baton(&["hook", "install"]).succeeded();
        world.git(&["checkout", "-q", "-b", "topic"]);
        world
    }

    fn address(&self, repo: &str) -> String {
        self.forge.url.replace("http://", &format!("http://x-access-token:{TOKEN}@"))
            + &format!("/admin/{repo}.git")
    }

    /// Runs a program without anything that this machine is configured with.
    fn run(&self, directory: &Path, program: &str, arguments: &[&str], more: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(program);
        command.current_dir(directory).args(arguments);
        let ours =
            |name: &str| ["BATON_", "LABEL_STATE_", "ALFRED_", "GIT_"].iter().any(|it| name.starts_with(it));
        for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        command
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ada")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ada@example.org")))
            .envs([
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_TERMINAL_PROMPT", "0"),
            ])
            .envs([("BATON_GITHUB_API_URL", self.forge.url.as_str()), ("BATON_TOKEN", TOKEN)])
            .envs(more.iter().copied());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    fn baton(&self, arguments: &[&str]) -> Ran {
        self.run(&self.work, env!("CARGO_BIN_EXE_baton"), arguments, &[])
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        self.run(&self.work, "git", arguments, &[]).succeeded().out
    }

    fn push(&self, arguments: &[&str]) -> Ran {
        self.push_with(&[], arguments)
    }

    fn push_with(&self, more: &[(&str, &str)], arguments: &[&str]) -> Ran {
        self.run(&self.work, "git", &[&["push"], arguments].concat(), more)
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn hooks(&self) -> PathBuf {
        self.work.join(".git/hooks")
    }

    /// Replaces the hook of the clone by a script.
    fn write_hook(&self, text: &str) {
        write_program(&self.hooks().join("pre-push"), text);
    }

    async fn issue(&self) -> u64 {
        let issue = self.client.must("POST", "/repos/admin/web/issues", &json!({ "title": "x" }), 201).await;
        issue["number"].as_u64().unwrap()
    }

    /// Someone claims an issue, in the words of another tool: that needs no waiting.
    async fn claimed(&self, repo: &str, number: u64) {
        let (codename, firing_id) = HOLDER;
        let body =
            format!("<!-- agent-claim:codename={codename} firing_id={firing_id} ts=2026-05-01T19:42:33Z -->");
        let path = format!("/repos/admin/{repo}/issues/{number}/comments");
        self.client.must("POST", &path, &json!({ "body": body }), 201).await;
    }

    /// Someone opens a pull request from a branch, which is made for it.
    async fn pull(&self, branch: &str, body: &str) {
        let main = self.git(&["rev-parse", "origin/main"]);
        let tree = self.git(&["rev-parse", "origin/main^{tree}"]);
        let commit = json!({ "message": "theirs", "tree": tree, "parents": [main] });
        let commit = self.client.must("POST", "/repos/admin/web/git/commits", &commit, 201).await;
        let made = json!({ "ref": format!("refs/heads/{branch}"), "sha": commit["sha"] });
        self.client.must("POST", "/repos/admin/web/git/refs", &made, 201).await;
        self.open_pull(branch, body).await;
    }

    async fn open_pull(&self, branch: &str, body: &str) {
        let pull = json!({ "title": "theirs", "head": branch, "base": "main", "body": body });
        self.client.must("POST", "/repos/admin/web/pulls", &pull, 201).await;
    }

    async fn is_there(&self, branch: &str) -> bool {
        let path = format!("/repos/admin/web/git/ref/heads/{branch}");
        self.client.ask("GET", &path, &Value::Null).await.status == 200
    }

    /// How many requests to the API there were since the last time.
    async fn calls(&self) -> u64 {
        let rows = self.client.must("GET", "/_forge/meter", &Value::Null, 200).await;
        self.client.must("DELETE", "/_forge/meter", &Value::Null, 204).await;
        let of_api = rows.as_array().unwrap().iter().filter(|row| {
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
