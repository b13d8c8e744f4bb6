//! The bare repositories: objects, refs, differences, merges, and git's own protocol over HTTP.
//!
//! Objects are read and written in process. Refs are changed only by `git update-ref` with the value expected before, or by
//! git itself on a push: git's locks decide, whoever else is at work in the directory. After either, the table of refs
//! and the pull requests follow ([`ref_changes`]).

mod arrivals;
pub(crate) mod contents;
pub(crate) mod history;
pub(crate) mod merge;
pub(crate) mod objects;
pub(crate) mod patch_lines;
pub(crate) mod pkt_line;
pub(crate) mod pull_diff;
pub(crate) mod ref_changes;
pub(crate) mod ref_update;
pub(crate) mod smart_http;
mod stranded;
pub(crate) mod tree_diff;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use git2::{Repository, RepositoryInitOptions};

use crate::sync::lock;

/// The directory of bare repositories, each named by its repository's id so that renames touch nothing.
pub(crate) struct GitStore {
    root: PathBuf,
    /// One lock per repository. It orders a change of refs with the copy of that change; git's own locks protect the
    /// refs themselves.
    gates: Mutex<BTreeMap<i64, Arc<Mutex<()>>>>,
}

impl GitStore {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, gates: Mutex::default() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the forge's own hooks, beside the repositories.
    pub(crate) fn hooks(&self) -> PathBuf {
        self.root.with_file_name("hooks")
    }

    pub(crate) fn path(&self, repo_id: i64) -> PathBuf {
        self.root.join(format!("{repo_id}.git"))
    }

    pub(crate) fn gate(&self, repo_id: i64) -> Arc<Mutex<()>> {
        Arc::clone(lock(&self.gates).entry(repo_id).or_default())
    }

    pub(crate) fn open(&self, repo_id: i64) -> Result<Repository, git2::Error> {
        Repository::open_bare(self.path(repo_id))
    }

    /// Creates an empty bare repository. What a crash left under the same id belongs to nobody and goes first.
    pub(crate) fn init(&self, repo_id: i64, default_branch: &str) -> Result<Repository, git2::Error> {
        if let Err(error) = std::fs::remove_dir_all(self.path(repo_id))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(git2::Error::from_str(&format!("cannot clear the directory: {error}")));
        }
        let mut options = RepositoryInitOptions::new();
        options.bare(true).external_template(false).initial_head(default_branch).mkpath(true);
        let repository = Repository::init_opts(self.path(repo_id), &options)?;
        let mut config = repository.config()?;
        for (key, value) in CONFIG {
            config.set_str(key, value)?;
        }
        Ok(repository)
    }

    pub(crate) fn set_head(&self, repo_id: i64, branch: &str) -> Result<(), git2::Error> {
        self.open(repo_id)?.set_head(&format!("refs/heads/{branch}"))
    }

    pub(crate) fn remove(&self, repo_id: i64) -> std::io::Result<()> {
        lock(&self.gates).remove(&repo_id);
        std::fs::remove_dir_all(self.path(repo_id))
    }
}

/// Settings of every bare repository.
const CONFIG: [(&str, &str); 9] = [
    ("http.receivepack", "true"),
    ("receive.autogc", "false"),
    ("gc.auto", "0"),
    // The forge keeps these itself; a client can neither see them in a push nor write them.
    ("receive.hideRefs", "refs/pull"),
    ("receive.denyDeleteCurrent", "refuse"),
    // What a push brings is on disk before its refs are. (libgit2 has a switch of its own, about which git warns every
    // client, so objects made through the API are safe from the forge's death but not from the machine's.)
    ("core.fsync", "committed"),
    ("uploadpack.allowAnySHA1InWant", "true"),
    ("uploadpack.allowFilter", "true"),
    ("core.logAllRefUpdates", "false"),
];

/// A git that sees nothing of the machine's or the user's configuration and runs no hooks.
pub(crate) fn isolated_git(home: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", home)
        .envs([("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"]);
    command
}

/// A git command on one bare repository, with its output kept.
pub(crate) fn git_command(directory: &Path) -> Command {
    let mut command = isolated_git(directory);
    command
        .arg("--git-dir")
        .arg(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
