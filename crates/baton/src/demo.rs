//! `baton demo`: the main job on embedded parts, from an empty directory to merged pull requests.
//!
//! A forge with a git repository, a store, the built-in scripted agent and the engine run in one process; agents and git are
//! processes of their own, as always. Everything is in one directory: the program starts itself again with an environment in
//! which its home is there too, so that no configuration of whoever runs it has a part in it, and nothing of theirs changes.

mod client;
mod ground;
mod people;
mod rival;
mod score;
mod screen;
mod tour;
mod verdict;

use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_claims::machine::SystemEntropy;
use baton_ports::Entropy as _;
use clap::Args;

use crate::command_error::CommandError;
use crate::config::ConfigArgument;
use crate::flow::context::Desk;
use crate::telemetry::{COLLECTOR_VARIABLE, TRACES_VARIABLE};

/// What of the environment matters for how things look, where programs are, and who takes traces.
const PASSED_ON: [&str; 10] = [
    "PATH",
    "TERM",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "COLORTERM",
    "BATON_LOG",
    "RUST_BACKTRACE",
    TRACES_VARIABLE,
    COLLECTOR_VARIABLE,
];

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton demo                     watch it, and look around until Ctrl-C
  baton demo --exit              leave when all issues are done
  baton demo --exit --keep kept  keep the forge, the store, the logs and the work trees

Exit codes:
  0  every issue has a merged pull request, or you left
  1  an issue is not done; each is listed with the reason
  3  a directory, an address or a program cannot be had")]
pub(crate) struct Demo {
    /// Leave when all issues are done, instead of staying for a look.
    #[arg(long)]
    exit: bool,
    /// Where the engine takes webhooks and answers /healthz; by default a free port of this machine.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Use this directory, which must be new or empty, and leave it there.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The directory that was made for it.
    #[arg(long, value_name = "DIR", hide = true)]
    inside: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match &self.inside {
            None => self.start_inside(),
            Some(directory) => {
                let played = self.play(directory);
                if self.keep.is_none() {
                    // What cannot be removed now is the system's to remove, and no reason to fail.
                    let _ = std::fs::remove_dir_all(directory);
                }
                played
            }
        }
    }

    /// Makes the directory, and becomes the same program within it.
    fn start_inside(&self) -> Result<(), CommandError> {
        let directory = self.directory()?;
        let out_of_reach = |error: std::io::Error| CommandError::out_of_reach(&error);
        let home = directory.join("home");
        let desk = ground::desk(&directory);
        for made in [&home, &desk, &directory.join("tmp")] {
            std::fs::create_dir_all(made).map_err(out_of_reach)?;
        }
        let baton = std::env::current_exe().map_err(out_of_reach)?;
        let mut command = Command::new(baton);
        command.arg("demo").arg("--inside").arg(&directory);
        command.args(self.exit.then_some("--exit"));
        if let Some(listen) = self.listen {
            command.args(["--listen", &listen.to_string()]);
        }
        if self.keep.is_some() {
            command.arg("--keep").arg(&directory);
        }
        let passed_on = PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        command.env_clear().envs(passed_on);
        command.env("HOME", &home).env("USER", ground::OPERATOR).env("TMPDIR", directory.join("tmp"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
        Err(out_of_reach(command.current_dir(desk).exec()))
    }

    fn directory(&self) -> Result<PathBuf, CommandError> {
        let Some(named) = &self.keep else {
            let name = format!("baton-demo-{:016x}", SystemEntropy.bits() >> 64);
            return made(&std::env::temp_dir().join(name));
        };
        let is_used = std::fs::read_dir(named).is_ok_and(|mut entries| entries.next().is_some());
        match is_used || named.is_file() {
            true => Err(CommandError::Usage(format!(
                "--keep {}: it is not empty; name a new directory",
                named.display()
            ))),
            false => made(named),
        }
    }

    fn play(&self, directory: &Path) -> Result<(), CommandError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
        let ground = runtime.block_on(ground::Ground::make(directory))?;
        let flow = Desk::read(&ConfigArgument::default())?.open()?;
        let options = tour::Options { exits: self.exit, listen: self.listen, directory };
        let played = flow.block_on(tour::play(&ground, &flow, &options));
        runtime.block_on(ground.forge.shut_down());
        played
    }
}

fn made(path: &Path) -> Result<PathBuf, CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::OutOfReach(format!("cannot make the directory {}: {error}", path.display()))
    };
    std::fs::create_dir_all(path).map_err(cannot)?;
    path.canonicalize().map_err(cannot)
}
