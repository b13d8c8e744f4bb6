//! The programs of agents behind the port: each under a supervisor of its own, with an environment and a home that are made
//! for it.
//!
//! Deliberately absent: what an agent is asked and what its output means, which is decided in the core.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_agent::home::{self, HomeTerms};
use baton_agent::sandbox::{self, SandboxTerms, places_of_program};
use baton_agent::{
    AgentProcess, Environment, Graces, Launch, LaunchError, RecordTerms, StartingBlock, StopHow, records,
    remains,
};
use baton_claims::machine::SystemClock;
use baton_core::agent::command_line::{Places, command_line};
use baton_core::agent::environment::{has_own_home, needed_of_home, seals};
use baton_core::agent::{AgentOrder, KeptSession, RunNumbers, Told};
use baton_core::config::{Config, Sandbox};
use baton_core::time::BootTime;
use baton_ports::{AgentProgram, AgentPrograms, Clock as _, NotStarted, ProgramEnd};

use super::log_file;

/// Agents have no mailbox.
const NO_DOMAIN: &str = "agents.invalid";
/// How often in a row going on with a session may fail before a new one is begun.
const FAILED_RESUMES_MAX: u32 = 2;

/// What starts the programs of agents on this machine.
pub(super) struct Programs {
    pub(super) block: StartingBlock,
    pub(super) places: Places,
    pub(super) state_dir: PathBuf,
    pub(super) log_dir: PathBuf,
    pub(super) limits: Limits,
    /// What no log and no report may show.
    pub(super) secrets: Vec<String>,
    /// Files with secrets, which no agent in a sandbox sees.
    pub(super) hidden_files: Vec<PathBuf>,
    /// Whose home programs may need parts of.
    pub(super) real_home: Option<PathBuf>,
}

/// What bounds every program, unless its stage says otherwise.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    log_cap: u64,
    kill_grace: Duration,
    wall_time: Option<Duration>,
    inactivity: Duration,
}

impl Limits {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            log_cap: config.log_cap_bytes,
            kill_grace: config.kill_grace,
            wall_time: config.max_wall_time,
            inactivity: config.inactivity_timeout,
        }
    }
}

impl AgentPrograms for Programs {
    type Program = Program;

    async fn start(&self, order: &AgentOrder, deadline: BootTime) -> Result<Program, NotStarted> {
        self.end_earlier(order).await?;
        let launch = self.launch(order, deadline)?;
        let launched = self.block.launch(launch, SystemClock).await;
        launched.map(Program).map_err(|error| self.not_started(&error, deadline))
    }

    async fn session(&self, order: &AgentOrder) -> Option<KeptSession> {
        records::read(&self.record(order).path)?.session
    }

    async fn note_resume(&self, order: &AgentOrder, is_fine: bool) {
        self.change_session(order, |session| {
            let Some(kept) = session else { return };
            kept.failed_resumes = if is_fine { 0 } else { kept.failed_resumes.saturating_add(1) };
            if kept.failed_resumes >= FAILED_RESUMES_MAX {
                *session = None;
            }
        });
    }

    async fn forget_session(&self, order: &AgentOrder) {
        self.change_session(order, |session| *session = None);
    }
}

impl Programs {
    fn records(&self) -> PathBuf {
        self.state_dir.join("agents")
    }

    fn record(&self, order: &AgentOrder) -> RecordTerms {
        let key = baton_core::slot::AgentKey(order.agent.key.clone());
        RecordTerms::new(&self.records(), &order.item, &key, order.stage.as_deref(), order.run)
    }

    fn change_session(&self, order: &AgentOrder, change: impl FnOnce(&mut Option<KeptSession>)) {
        if let Err(error) = records::change_session(&self.record(order).path, change) {
            // At worst the agent goes on with a session that it does not know, and is told so.
            eprintln!("warning: the session of {} cannot be noted: {error}", order.item);
        }
    }

    /// Ends what an earlier run of the same item has left: no two agents of one item are ever alive at once.
    async fn end_earlier(&self, order: &AgentOrder) -> Result<(), NotStarted> {
        let grace = self.limits.kill_grace;
        let ended = remains::end_unfinished(&self.records(), &order.item, grace, &SystemClock).await;
        let mut left =
            ended.map_err(|error| NotStarted::NotItsFault(unreadable(&self.records(), &error)))?.left;
        if order.git_dir.is_some() {
            left.extend(remains::end_in_directory(&order.cwd, grace, &SystemClock).await.left);
        }
        match left.as_slice() {
            [] => Ok(()),
            left => Err(NotStarted::NotItsFault(format!(
                "processes of an earlier run of {} cannot be ended: {left:?}; end them by hand",
                order.item
            ))),
        }
    }

    fn launch(&self, order: &AgentOrder, deadline: BootTime) -> Result<Launch, NotStarted> {
        lay_out(&order.cwd, &order.told).map_err(|error| {
            NotStarted::NotItsFault(format!(
                "cannot write what the agent is to read into {}: {error}",
                order.cwd.display()
            ))
        })?;
        let home = self.home(order)?;
        let command = command_line(order, &self.places);
        let env = self.environment(order, home.as_deref(), &command.variables);
        let argv = self.boxed(order, home.as_deref(), command.argv.into_iter().map(Into::into).collect());
        Ok(Launch {
            supervisor: self.places.baton.clone(),
            argv,
            cwd: order.cwd.clone(),
            env,
            stdin: if command.reads_prompt_on_stdin {
                order.told.prompt.clone().into_bytes()
            } else {
                Vec::new()
            },
            program: command.program,
            log: log_file::path(&self.log_dir, order.run),
            log_cap: self.limits.log_cap,
            redact: self.secrets.clone(),
            deadline,
            kill_grace: Graces::of(order.kill_grace, self.limits.kill_grace),
            wall_time: order.max_wall_time.or(self.limits.wall_time),
            inactivity: Some(self.limits.inactivity),
            record: Some(self.record(order)),
        })
    }

    /// Makes the agent's own home, unless it is given the real one.
    fn home(&self, order: &AgentOrder) -> Result<Option<PathBuf>, NotStarted> {
        if !has_own_home(&order.agent) {
            return Ok(None);
        }
        let path = home::path(&self.state_dir.join("homes"), &order.agent.key);
        let email = format!("{}@{NO_DOMAIN}", order.agent.key.replace(' ', "-"));
        let terms = HomeTerms {
            path: &path,
            real_home: self.real_home.as_deref(),
            needs: needed_of_home(order.agent.adapter),
            git_name: &order.agent.name,
            git_email: &email,
        };
        home::make(&terms).map_err(|error| NotStarted::NotItsFault(unreadable(&path, &error)))?;
        Ok(Some(path))
    }

    /// Puts a command into its sandbox, if its agent has one.
    fn boxed(&self, order: &AgentOrder, home: Option<&Path>, argv: Vec<OsString>) -> Vec<OsString> {
        match order.agent.sandbox {
            Sandbox::None => argv,
            Sandbox::Bubblewrap => sandbox::wrap(&argv, &self.sandbox(order, home, &argv)),
        }
    }

    /// What a command in a sandbox sees: everything but the real home and our own secrets and state; and what it may write:
    /// where it works, and what its program keeps.
    fn sandbox(&self, order: &AgentOrder, home: Option<&Path>, argv: &[OsString]) -> SandboxTerms {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let search_path = std::env::var_os("PATH").unwrap_or_default();
        let real_home = self.real_home.as_deref().map(real);
        let program = argv.first().map(OsString::as_os_str).unwrap_or_default();
        let needed = needed_of_home(order.agent.adapter).iter();
        let of_agent = [&order.agent.script, &order.agent.plugin_dir].into_iter().flatten();
        let mut readable: Vec<_> = of_agent.map(|path| real(&self.places.directory.join(path))).collect();
        // The sandbox hides both, and programs may be in either.
        let hidden = real_home.iter().map(PathBuf::as_path).chain([Path::new("/tmp")]);
        readable.extend(hidden.flat_map(|hidden| places_of_program(program, &search_path, hidden)));
        SandboxTerms {
            worktree: real(&order.cwd),
            git_dir: order.git_dir.as_deref().map(real),
            home: home.map(real),
            writable: real_home
                .iter()
                .flat_map(|home| needed.clone().map(|name| real(&home.join(name))))
                .collect(),
            real_home,
            hidden_directories: [&self.state_dir, &self.log_dir].map(|path| real(path)).to_vec(),
            hidden_files: self.hidden_files.iter().map(|path| real(path)).collect(),
            readable,
        }
    }

    fn environment(
        &self,
        order: &AgentOrder,
        home: Option<&Path>,
        of_program: &[(String, String)],
    ) -> Environment {
        let also: Vec<_> = order.agent.env.iter().map(String::as_str).collect();
        let mut environment = Environment::allowed(std::env::vars_os(), &also);
        if let Some(home) = home {
            environment = environment.with("HOME", home);
        }
        for (name, value) in seals(&order.agent) {
            environment = environment.with(name, value);
        }
        for (name, value) in of_program.iter().chain(&order.told.variables) {
            environment = environment.with(name, value);
        }
        environment
    }

    fn not_started(&self, error: &LaunchError, deadline: BootTime) -> NotStarted {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let why = format!("{error}{cause}");
        // The supervisor starts nothing that it would have to stop at once. A machine that is too busy to start an agent in
        // time is not the agent's fault either.
        let is_late = SystemClock.boot_now().plus(2 * self.limits.kill_grace) >= deadline;
        match is_late || matches!(error, LaunchError::TooLate) {
            true => NotStarted::NotItsFault(why),
            false => NotStarted::ItsFault(why),
        }
    }
}

/// Puts the files for an agent where it finds them, in place of those of an earlier run.
fn lay_out(cwd: &Path, told: &Told) -> io::Result<()> {
    if told.context_dir.is_empty() {
        return Ok(());
    }
    let directory = cwd.join(&told.context_dir);
    match std::fs::symlink_metadata(&directory) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(&directory)?,
        // An agent could have put a link there that leads elsewhere.
        Ok(_) => std::fs::remove_file(&directory)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    std::fs::create_dir(&directory)?;
    told.context_files.iter().try_for_each(|file| std::fs::write(directory.join(&file.name), &file.text))
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot use {}: {error}", path.display())
}

/// A program at work.
pub(super) struct Program(AgentProcess<SystemClock>);

impl AgentProgram for Program {
    fn extend(&self, deadline: BootTime) {
        self.0.extend(deadline);
    }

    fn stop(&self) {
        self.0.stop(StopHow::Interrupt);
    }

    fn numbers(&self) -> RunNumbers {
        self.0.numbers()
    }

    async fn wait(&self) -> ProgramEnd {
        let end = self.0.wait().await;
        ProgramEnd { report: end.report, exit: end.exit, last_error: end.last_error }
    }
}
