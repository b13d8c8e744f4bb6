//! A remote, a person with a clone of it, and an engine's machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{CloseAsk, Closed, OpenAsk, Opened, PushTerms, Removal, Standing};
use baton_fixtures::git::{self, git, run};
use baton_fixtures::ports::free_port;
use baton_git::{GitWorkspaces, WorkspaceSettings};
use baton_ports::{WorkspaceError, Workspaces as _};

pub(crate) const REPO: &str = "acme/web";

/// Everything that there is.
pub(crate) struct World {
    pub(crate) root: tempfile::TempDir,
    pub(crate) engine: GitWorkspaces,
    runtime: tokio::runtime::Runtime,
}

impl World {
    /// A remote with one commit on `main`.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut WorkspaceSettings)) -> Self {
        let root = tempfile::tempdir().unwrap();
        make_remote(root.path(), REPO);
        let mut settings = settings(root.path());
        change(&mut settings);
        let engine = GitWorkspaces::new(settings, |_| None).unwrap();
        Self { root, engine, runtime: tokio::runtime::Runtime::new().unwrap() }
    }

    /// Another machine with the same remote.
    pub(crate) fn other_machine(&self) -> GitWorkspaces {
        let mut settings = settings(self.root.path());
        settings.mirrors = self.root.path().join("other/mirrors");
        settings.worktrees = self.root.path().join("other/worktrees");
        GitWorkspaces::new(settings, |_| None).unwrap()
    }

    /// The same machine, while nobody answers where the remote was.
    pub(crate) fn engine_without_network(&self) -> GitWorkspaces {
        let mut settings = settings(self.root.path());
        settings.remote = format!("git://127.0.0.1:{}/{{repo}}.git", free_port());
        GitWorkspaces::new(settings, |_| None).unwrap()
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub(crate) fn remote(&self) -> PathBuf {
        self.root.path().join("remote/acme/web.git")
    }

    pub(crate) fn person(&self) -> PathBuf {
        self.root.path().join("person/acme/web")
    }

    pub(crate) fn mirror(&self) -> PathBuf {
        self.root.path().join("mirrors/acme-web.git")
    }

    pub(crate) fn open(&self, number: u64) -> Opened {
        self.try_open(&ask(number)).unwrap()
    }

    pub(crate) fn try_open(&self, ask: &OpenAsk) -> Result<Opened, WorkspaceError> {
        self.block_on(self.engine.open(ask))
    }

    pub(crate) fn close(&self, number: u64) -> Closed {
        self.try_close(&close_ask(number)).unwrap()
    }

    pub(crate) fn try_close(&self, ask: &CloseAsk) -> Result<Closed, WorkspaceError> {
        self.block_on(self.engine.close(ask))
    }

    pub(crate) fn standing(&self, number: u64) -> Standing {
        self.block_on(self.engine.standing(&issue(number))).unwrap()
    }

    pub(crate) fn remove(&self, number: u64) -> Removal {
        self.block_on(self.engine.remove(&issue(number))).unwrap()
    }

    /// A person pushes a commit with one file to a branch.
    pub(crate) fn person_pushes(&self, branch: &str, file: &str, text: &str) -> String {
        let person = self.person();
        git(&person, &["fetch", "--quiet", "origin"]);
        let start = format!("origin/{branch}");
        let is_there = run(&person, &["rev-parse", "--verify", "--quiet", &start]).code == 0;
        git(&person, &["checkout", "--quiet", "-B", branch, if is_there { &start } else { "origin/main" }]);
        let commit = commit(&person, file, text);
        git(&person, &["push", "--quiet", "origin", branch]);
        commit
    }

    /// Where a ref of the remote is.
    pub(crate) fn on_remote(&self, name: &str) -> Option<String> {
        let ran = run(&self.remote(), &["rev-parse", "--verify", "--quiet", name]);
        (ran.code == 0).then_some(ran.out)
    }

    /// All commits that somebody can still get at: by a ref of the remote, or by one of the mirror and its work trees.
    pub(crate) fn commits(&self) -> BTreeSet<String> {
        let mut all: BTreeSet<String> = lines(&git(&self.remote(), &["rev-list", "--all"]));
        if self.mirror().exists() {
            all.extend(lines(&git(&self.mirror(), &["rev-list", "--all"])));
        }
        all
    }

    /// All blobs that somebody can still get at.
    pub(crate) fn has_text(&self, file: &str, text: &str) -> bool {
        let repositories = [self.remote(), self.mirror()];
        repositories.iter().filter(|repository| repository.exists()).any(|repository| {
            lines(&git(repository, &["rev-list", "--all"])).iter().any(|commit| {
                let show = ["show", &format!("{commit}:{file}")];
                let output = git::command(repository, &show).output().unwrap();
                output.status.success() && output.stdout == text.as_bytes()
            })
        })
    }
}

pub(crate) fn settings(root: &Path) -> WorkspaceSettings {
    WorkspaceSettings {
        remote: format!("{}/remote/{{repo}}.git", root.display()),
        mirrors: root.join("mirrors"),
        worktrees: root.join("worktrees"),
        run_hooks: false,
        dialect: PipelineDialect::Baton,
    }
}

/// Makes a bare repository with one commit, and a person's clone of it.
pub(crate) fn make_remote(root: &Path, slug: &str) -> PathBuf {
    let remote = root.join(format!("remote/{slug}.git"));
    let person = root.join(format!("person/{slug}"));
    fs::create_dir_all(&remote).unwrap();
    fs::create_dir_all(&person).unwrap();
    git(&remote, &["init", "--quiet", "--bare", "--initial-branch=main"]);
    git(&person, &["init", "--quiet", "--initial-branch=main"]);
    git(&person, &["remote", "add", "origin", remote.to_str().unwrap()]);
    fs::write(person.join(".gitignore"), "target/\n").unwrap();
    commit(&person, "readme", "first\n");
    git(&person, &["push", "--quiet", "origin", "main"]);
    remote
}

pub(crate) fn issue(number: u64) -> IssueKey {
    IssueKey { repo: REPO.parse().unwrap(), number }
}

pub(crate) fn ask(number: u64) -> OpenAsk {
    OpenAsk { issue: issue(number), base: None, is_read_only: false, updates: true }
}

pub(crate) fn close_ask(number: u64) -> CloseAsk {
    CloseAsk {
        issue: issue(number),
        is_read_only: false,
        commit_rest_as: Some("WIP\n".to_owned()),
        push: PushTerms::Lease,
    }
}

/// Writes a file and commits everything, as an agent or a person.
pub(crate) fn commit(directory: &Path, file: &str, text: &str) -> String {
    fs::write(directory.join(file), text).unwrap();
    git(directory, &["add", "--all"]);
    git(directory, &["commit", "--quiet", "-m", file]);
    git(directory, &["rev-parse", "HEAD"])
}

pub(crate) fn read(path: &Path, file: &str) -> String {
    fs::read_to_string(path.join(file)).unwrap()
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}
