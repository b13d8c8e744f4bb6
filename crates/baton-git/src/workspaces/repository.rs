//! One repository on this machine while it is ours alone: its lock, its mirror, and git in it.
//!
//! Git never runs by what a work tree says about itself: an agent can replace its `.git`. The directories are named on
//! every call, and whatever would run other programs is off. The lock is held by a file that most gits we start have open as
//! their input, so that one which outlives a killed engine still keeps the next engine out. Those that are fed something,
//! and pushes of the branch, have it not: the former end with their input, the latter are decided by the remote.
//! Deliberately absent: what is done there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::workspace::names;
use baton_ports::WorkspaceError;
use rustix::fs::{FlockOperation, flock};

use super::failure;
use super::place::Place;
use super::settings::Shared;
use crate::oid::Oid;
use crate::program::{self, Input};
use crate::token::Token;

/// How long git may take where the network or a whole work tree is moved, and where it is not.
pub(crate) const LONG: Duration = Duration::from_secs(600);
pub(crate) const SHORT: Duration = Duration::from_secs(60);

/// What the engine's git is told whatever any configuration says.
pub(crate) const SETTINGS: [&str; 12] = [
    "core.fsmonitor=false",
    "core.editor=true",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "rerere.enabled=false",
    "rebase.autoStash=false",
    "rebase.updateRefs=false",
    "advice.detachedHead=false",
];

/// One repository, locked.
pub(crate) struct Repository<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) slug: RepoSlug,
    pub(crate) mirror: PathBuf,
    lock: File,
}

impl<'a> Repository<'a> {
    /// Waits until nobody else is at this repository, in this process or another.
    pub(crate) fn lock(shared: &'a Shared, slug: &RepoSlug) -> Result<Self, WorkspaceError> {
        let tried = format!("locking {slug}");
        let mirrors = &shared.settings.mirrors;
        fs::create_dir_all(mirrors).map_err(|error| failure::of_disk(&tried, mirrors, &error))?;
        let name = names::repo_directory(slug);
        let path = mirrors.join(format!("{name}.lock"));
        let open = File::options().create(true).append(true).open(&path);
        let lock = open.map_err(|error| failure::of_disk(&tried, &path, &error))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| failure::of_disk(&tried, &path, &error.into()))?;
        let mirror = mirrors.join(format!("{name}.git"));
        Ok(Self { shared, slug: slug.clone(), mirror, lock })
    }

    /// Git in the mirror itself.
    pub(crate) fn git(&self) -> Call<'_> {
        self.git_at(&self.mirror)
    }

    /// Git in a mirror that is not at its place yet.
    pub(crate) fn git_at(&self, mirror: &Path) -> Call<'_> {
        let (git_dir, common) = (mirror.to_owned(), mirror.to_owned());
        Call { repository: self, git_dir, common, tree: None, index: None, limit: SHORT }
    }

    /// Git in a place.
    pub(crate) fn git_in(&self, place: &Place) -> Call<'_> {
        let tree = Some(self.shared.path(place));
        Call { git_dir: self.admin(place), tree, ..self.git() }
    }

    /// Where git keeps what belongs to a place.
    pub(crate) fn admin(&self, place: &Place) -> PathBuf {
        self.mirror.join("worktrees").join(&place.directory)
    }

    /// The remote's address.
    pub(crate) fn address(&self) -> String {
        self.shared.settings.address(&self.slug)
    }

    /// A token that is good now.
    pub(crate) fn token(&self) -> Option<Token> {
        (self.shared.tokens)(&self.slug)
    }

    /// Returns where refs point at, by their full names or by the directories that they are in.
    pub(crate) fn refs(&self, patterns: &[&str]) -> Result<Refs, WorkspaceError> {
        let format = "--format=%(objectname) %(refname)";
        let arguments = [&["for-each-ref", format], patterns].concat();
        let text = self.git().text("reading refs", &arguments)?;
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(Refs(pairs.filter_map(|(oid, name)| Some((name.to_owned(), oid.parse().ok()?))).collect()))
    }

    /// Moves refs, all or none. A ref that goes nowhere is deleted.
    pub(crate) fn move_refs(&self, moves: &[(String, Option<Oid>)]) -> Result<(), WorkspaceError> {
        if moves.is_empty() {
            return Ok(());
        }
        let line = |(name, oid): &(String, Option<Oid>)| match oid {
            Some(oid) => format!("update {name} {oid}\n"),
            None => format!("delete {name}\n"),
        };
        // Without the last word nothing moves, should this process die while it writes.
        let text = format!("start\n{}prepare\ncommit\n", moves.iter().map(line).collect::<String>());
        let arguments = ["update-ref", "--no-deref", "--create-reflog", "-m", "baton", "--stdin"];
        self.git().feed("moving refs", &arguments, text.as_bytes()).map(|_| ())
    }

    /// Returns whether one commit is in the history of another.
    pub(crate) fn is_ancestor(&self, early: &Oid, late: &Oid) -> Result<bool, WorkspaceError> {
        if early == late {
            return Ok(true);
        }
        let tried = "comparing commits";
        let arguments = ["merge-base", "--is-ancestor", early.as_str(), late.as_str()];
        let answer = self.git().run(tried, &arguments, &Input::Held(&self.lock))?;
        match answer.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(self.git().failed(tried, &answer, false)),
        }
    }
}

/// Refs and where they point at.
#[derive(Debug, Default)]
pub(crate) struct Refs(pub(crate) BTreeMap<String, Oid>);

impl Refs {
    pub(crate) fn at(&self, name: &str) -> Option<&Oid> {
        self.0.get(name)
    }
}

/// How git is called.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    repository: &'a Repository<'a>,
    git_dir: PathBuf,
    common: PathBuf,
    tree: Option<PathBuf>,
    index: Option<PathBuf>,
    limit: Duration,
}

/// What git said and how it ended. Only what it complains about is free of secrets.
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }
}

impl Call<'_> {
    /// With another index than the place's own.
    pub(crate) fn with_index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self
    }

    /// With files in another directory than the place's own.
    pub(crate) fn with_tree(mut self, tree: &Path) -> Self {
        self.tree = Some(tree.to_owned());
        self
    }

    /// For something that takes long.
    pub(crate) fn patiently(mut self) -> Self {
        self.limit = LONG;
        self
    }

    /// Runs git, which must succeed, and returns what it prints.
    pub(crate) fn text(&self, tried: &str, arguments: &[&str]) -> Result<String, WorkspaceError> {
        let answer = self.run(tried, arguments, &Input::Held(&self.repository.lock))?;
        self.success(tried, answer).map(|answer| answer.text())
    }

    /// Runs git, which must succeed, and returns an id that it prints.
    pub(crate) fn oid(&self, tried: &str, arguments: &[&str]) -> Result<Oid, WorkspaceError> {
        self.read_oid(tried, &self.text(tried, arguments)?)
    }

    /// Gives git something to read; it must succeed.
    pub(crate) fn feed(
        &self,
        tried: &str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Answer, WorkspaceError> {
        let answer = self.run(tried, arguments, &Input::Text(input))?;
        self.success(tried, answer)
    }

    /// Runs git and returns how it ended.
    pub(crate) fn ask(&self, tried: &str, arguments: &[&str]) -> Result<Answer, WorkspaceError> {
        self.run(tried, arguments, &Input::Held(&self.repository.lock))
    }

    /// Runs git with the remote's token and with time; it must succeed.
    pub(crate) fn reach(&self, tried: &str, arguments: &[&str]) -> Result<String, WorkspaceError> {
        let answer = self.try_to_reach(tried, arguments)?;
        match answer.is_success() {
            true => Ok(answer.text()),
            false => Err(self.failed(tried, &answer, true)),
        }
    }

    /// Runs git with the remote's token and with time.
    pub(crate) fn try_to_reach(&self, tried: &str, arguments: &[&str]) -> Result<Answer, WorkspaceError> {
        let token = self.repository.token();
        let input = Input::Held(&self.repository.lock);
        self.clone().patiently().perform(tried, arguments, &input, token.as_ref(), true)
    }

    /// Tells what went wrong.
    pub(crate) fn failed(&self, tried: &str, answer: &Answer, is_network: bool) -> WorkspaceError {
        let said = match answer.stderr.trim() {
            "" => format!("git ended with {:?} and said nothing", answer.code),
            said => said.to_owned(),
        };
        failure::of_git(&self.named(tried), &said, &self.git_dir, is_network)
    }

    pub(crate) fn read_oid(&self, tried: &str, text: &str) -> Result<Oid, WorkspaceError> {
        let answer = |_| failure::of_git(&self.named(tried), text, &self.git_dir, false);
        text.trim().parse().map_err(answer)
    }

    fn success(&self, tried: &str, answer: Answer) -> Result<Answer, WorkspaceError> {
        if answer.is_success() { Ok(answer) } else { Err(self.failed(tried, &answer, false)) }
    }

    fn run(&self, tried: &str, arguments: &[&str], input: &Input<'_>) -> Result<Answer, WorkspaceError> {
        self.perform(tried, arguments, input, None, false)
    }

    fn perform(
        &self,
        tried: &str,
        arguments: &[&str],
        input: &Input<'_>,
        token: Option<&Token>,
        is_network: bool,
    ) -> Result<Answer, WorkspaceError> {
        let command = self.command(token, arguments);
        let output = program::perform(command, "git", input, Some(self.limit))
            .map_err(|error| failure::of_call(&self.named(tried), &error, &self.git_dir, is_network))?;
        let stderr = program::shown(&String::from_utf8_lossy(&output.stderr), token);
        Ok(Answer { code: output.status.code(), stdout: output.stdout, stderr })
    }

    fn command(&self, token: Option<&Token>, arguments: &[&str]) -> std::process::Command {
        let mut command = program::command(token);
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        if !self.repository.shared.settings.run_hooks {
            command.args(["-c", "core.hooksPath=/dev/null"]);
        }
        command.env("GIT_DIR", &self.git_dir).env("GIT_COMMON_DIR", &self.common);
        if let Some(tree) = &self.tree {
            command.arg("-C").arg(tree).env("GIT_WORK_TREE", tree);
        } else {
            command.arg("-C").arg(&self.git_dir);
        }
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        command.env("GIT_EDITOR", "true").env("GIT_SEQUENCE_EDITOR", "true");
        command.args(arguments);
        command
    }

    fn named(&self, tried: &str) -> String {
        format!("{tried} of {}", self.repository.slug)
    }
}
