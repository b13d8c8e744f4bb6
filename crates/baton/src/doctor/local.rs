//! Facts of this machine: what is written, git, the programs of agents, and room on disks.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baton_agent::Environment;
use baton_core::config::{Adapter, AgentConfig, Sandbox, StoreAddress};
use baton_core::doctor::machine::{self, AgentFacts, DryStart, Room};
use baton_core::doctor::{Finding, setup};
use baton_core::script::Script;

use crate::bounded::{self, Ran};
use crate::flow::context::Desk;

/// How long a program may take to say its version.
const PROGRAM_TIME_MAX: Duration = Duration::from_secs(10);

/// The program of the sandbox.
const SANDBOX: &str = "bwrap";

pub(super) fn git(directory: &Path) -> Vec<Finding> {
    let said = said_by_git(directory, &["--version"]);
    let setting = |name: &str| {
        let value = said_by_git(directory, &["config", "--get", name]).ok()?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let (name, email) = (setting("user.name"), setting("user.email"));
    let identity = machine::git_identity(name.as_deref(), email.as_deref());
    vec![machine::git_version(said.as_deref().map_err(String::as_str)), identity]
}

fn said_by_git(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments);
    said(command, PROGRAM_TIME_MAX)
}

/// Returns what a program prints, or why it is nothing to go by.
pub(crate) fn said(command: Command, time: Duration) -> Result<String, String> {
    match bounded::run(command, time) {
        Ran::Ended { status, out, .. } if status.success() => Ok(String::from_utf8_lossy(&out).into_owned()),
        Ran::Ended { status, err, .. } => Err(format!("{status}: {}", String::from_utf8_lossy(&err).trim())),
        Ran::TooLong => Err(format!("it did not end within {} s", time.as_secs())),
        Ran::NotStarted(error) => Err(error.to_string()),
    }
}

pub(super) fn config(desk: &Desk) -> Vec<Finding> {
    let file = desk.loaded.file.as_deref().map(|path| desk.surroundings.shown(path));
    setup::config(file.as_deref(), &desk.loaded.resolved.warnings)
}

pub(super) fn agents(desk: &Desk) -> Vec<Finding> {
    let directory = &desk.loaded.directory;
    let facts: Vec<_> = desk.config().agents.values().map(|agent| agent_facts(agent, directory)).collect();
    machine::agents(&facts)
}

fn agent_facts(agent: &AgentConfig, directory: &Path) -> AgentFacts {
    let program = match (agent.adapter, agent.command.first()) {
        (Adapter::Script, _) => "baton".to_owned(),
        (_, Some(program)) => program.clone(),
        (adapter, None) => adapter.to_string(),
    };
    let start = match (agent.adapter, resolve(&program, directory)) {
        (Adapter::Script, _) => script(agent, directory),
        (_, None) => DryStart::NotFound,
        (Adapter::Command, Some(path)) => DryStart::Resolved(path.display().to_string()),
        (_, Some(path)) => dry_start(agent, &path),
    };
    let lacks_sandbox = agent.sandbox != Sandbox::None && resolve(SANDBOX, directory).is_none();
    AgentFacts { name: agent.name.clone(), adapter: agent.adapter, program, start, lacks_sandbox }
}

fn script(agent: &AgentConfig, directory: &Path) -> DryStart {
    let path = directory.join(agent.script.clone().unwrap_or_default());
    let shown = path.display().to_string();
    let read = std::fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"));
    match read.and_then(|text| Script::read(&shown, &text).map_err(|error| error.to_string())) {
        Ok(_) => DryStart::GoodScript(shown),
        Err(why) => DryStart::BadScript(why),
    }
}

/// Starts a program with the environment that it will have, and asks for its version alone.
fn dry_start(agent: &AgentConfig, path: &Path) -> DryStart {
    let also: Vec<_> = agent.env.iter().map(String::as_str).collect();
    let environment = Environment::allowed(std::env::vars_os(), &also);
    let mut command = Command::new(path);
    command.args(agent.command.iter().skip(1)).arg("--version").env_clear().envs(environment.iter());
    match bounded::run(command, PROGRAM_TIME_MAX) {
        Ran::Ended { status, out, .. } if status.success() => {
            let line = String::from_utf8_lossy(&out).lines().next().unwrap_or_default().to_owned();
            DryStart::Said(format!("{} {line}", path.display()))
        }
        Ran::Ended { status, out, err } => {
            let words = if err.is_empty() { out } else { err };
            let words = String::from_utf8_lossy(&words).lines().next().unwrap_or_default().to_owned();
            DryStart::Failed(format!("{status}: {words}"))
        }
        Ran::TooLong => DryStart::Hung(PROGRAM_TIME_MAX),
        Ran::NotStarted(error) => DryStart::Failed(error.to_string()),
    }
}

/// Returns where a program is: a path starts at the directory of `baton.yaml`, and a name is looked for in `PATH`.
pub(crate) fn resolve(program: &str, directory: &Path) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(directory.join(program)).filter(is_program);
    }
    let places: OsString = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&places).map(|place| place.join(program)).find(is_program)
}

pub(super) fn disk(desk: &Desk, least: u64) -> Vec<Finding> {
    let config = desk.config();
    let mut places = vec![
        ("mirrors", config.workspaces.mirrors.clone()),
        ("work trees", config.workspaces.worktrees.clone()),
        ("logs", config.log_dir.clone()),
        ("state", config.state_dir.clone()),
    ];
    if let StoreAddress::Sqlite(path) = &config.store {
        places.insert(0, ("store", path.clone()));
    }
    let room = |(what, path): (&'static str, PathBuf)| {
        let path = desk.loaded.directory.join(path);
        Room { what, path: desk.surroundings.shown(&path), free: free(&path) }
    };
    machine::disk(&places.into_iter().map(room).collect::<Vec<_>>(), least)
}

/// Returns how many bytes are free where something is, or will be.
fn free(path: &Path) -> Result<u64, String> {
    let there = path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let found = rustix::fs::statvfs(there).map_err(|error| error.to_string())?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
