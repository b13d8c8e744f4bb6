//! The programs of agents behind the port: each under a supervisor of its own, with an environment and a home that are made
//! for it.
//!
//! Deliberately absent: what an agent is asked and what its output means, which is decided in the core.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_agent::home::{self, HomeTerms};
use baton_agent::remains::Remains;
use baton_agent::sandbox::{self, SandboxTerms, places_of_program};
use baton_agent::{
    AgentProcess, Environment, Graces, Launch, LaunchError, RecordTerms, Redactor, StartingBlock, StopHow,
    records, remains,
};
use baton_claims::machine::SystemClock;
use baton_core::agent::command_line::{Places, command_line};
use baton_core::agent::environment::{has_own_home, needed_of_home, seals};
use baton_core::agent::{AgentExit, AgentOrder, KeptSession, RunNumbers, Told};
use baton_core::config::{Config, Sandbox};
use baton_core::slot::{AgentKey, ItemKey, RunId};
use baton_core::time::BootTime;
use baton_ports::{AgentProgram, AgentPrograms, Clock as _, NotStarted, ProgramEnd};

use super::log_file;

/// Agents have no mailbox.
const NO_DOMAIN: &str = "agents.invalid";
/// How many runs are remembered, for the time that they took already.
const RUNS_REMEMBERED: usize = 256;
/// A run whose time is over is started all the same, and stopped at once, so that it ends as one that took too long.
const WALL_TIME_MIN: Duration = Duration::from_millis(1);

/// What starts the programs of agents on this machine.
pub(crate) struct Programs {
    pub(super) block: StartingBlock,
    pub(super) places: Places,
    pub(super) state_dir: PathBuf,
    pub(super) log_dir: PathBuf,
    pub(super) limits: Limits,
    /// What no log and no report may show.
    pub(super) secrets: Vec<String>,
    /// When runs began.
    pub(super) began: Mutex<BTreeMap<RunId, BootTime>>,
    /// Items of which somebody may still be alive in their directory.
    pub(super) suspicious: Mutex<BTreeSet<ItemKey>>,
    /// Files with secrets, which no agent in a sandbox sees.
    pub(super) hidden_files: Vec<PathBuf>,
    /// Files that no agent in a sandbox changes.
    pub(super) protected_files: Vec<PathBuf>,
    /// Whose home programs may need parts of.
    pub(super) real_home: Option<PathBuf>,
}

/// What bounds every program, unless its stage says otherwise.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    log_cap: u64,
    kill_grace: Duration,
    /// The longest that a stage may ask for: an agent must be dead before its lease is over.
    grace_max: Duration,
    wall_time: Option<Duration>,
    inactivity: Duration,
}

impl Limits {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            log_cap: config.log_cap_bytes,
            kill_grace: config.kill_grace,
            grace_max: config.workers.longest_grace(),
            wall_time: config.max_wall_time,
            inactivity: config.inactivity_timeout,
        }
    }
}

impl AgentPrograms for Programs {
    type Program = Program;

    /// Who is alive although nobody saw the end of its run is ended by its record, and by its directory once that is known.
    async fn end_earlier(&self, item: &ItemKey) -> Result<(), NotStarted> {
        let records = self.records();
        if records::unfinished(&records, item).is_empty() {
            return Ok(());
        }
        self.suspicious().insert(item.clone());
        let ended = remains::end_unfinished(&records, item, self.limits.kill_grace, &SystemClock).await;
        all_gone(item, &ended.map_err(|error| NotStarted::NotItsFault(unreadable(&records, &error)))?)
    }

    async fn start(&self, order: &AgentOrder, deadline: BootTime) -> Result<Program, NotStarted> {
        if order.git_dir.is_some() && self.suspicious().contains(&order.item) {
            let grace = self.limits.kill_grace;
            all_gone(&order.item, &remains::end_in_directory(&order.cwd, grace, &SystemClock).await)?;
            self.suspicious().remove(&order.item);
        }
        let launch = self.launch(order, deadline)?;
        let launched = self.block.launch(launch, SystemClock).await;
        let process = launched.map_err(|error| self.not_started(&error, deadline))?;
        let redactor = Redactor::new(&self.secrets);
        let (records, item, grace) = (self.records(), order.item.clone(), self.limits.kill_grace);
        Ok(Program { process, redactor, records, item, grace })
    }

    async fn session(&self, order: &AgentOrder) -> Option<KeptSession> {
        records::read(&self.record(order).path)?.session
    }

    async fn note_resume(&self, order: &AgentOrder, is_fine: bool) {
        self.change_session(order, |session| {
            *session = session.take().and_then(|it| it.after_resume(is_fine))
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
        let key = AgentKey(order.agent.key.clone());
        RecordTerms::new(&self.records(), &order.item, &key, order.stage.as_deref(), order.run)
    }

    fn change_session(&self, order: &AgentOrder, change: impl FnOnce(&mut Option<KeptSession>)) {
        if let Err(error) = records::change_session(&self.record(order).path, change) {
            // At worst the agent goes on with a session that it does not know, and is told so.
            eprintln!("warning: the session of {} cannot be noted: {error}", order.item);
        }
    }

    fn suspicious(&self) -> MutexGuard<'_, BTreeSet<ItemKey>> {
        self.suspicious.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the run may still take: all of its invocations have one wall time.
    fn wall_time(&self, order: &AgentOrder) -> Option<Duration> {
        let mut began = self.began.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemClock.boot_now();
        let since = *began.entry(order.run).or_insert(now);
        // Only runs that are under way matter, and the oldest are long over.
        while began.len() > RUNS_REMEMBERED {
            began.pop_first();
        }
        let limit = order.max_wall_time.or(self.limits.wall_time)?;
        Some(limit.saturating_sub(now.since(since)).max(WALL_TIME_MIN))
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
        let argv = self.boxed(order, home.as_deref(), command.argv.into_iter().map(Into::into).collect())?;
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
            kill_grace: Graces::of(order.kill_grace, self.limits.kill_grace).at_most(self.limits.grace_max),
            wall_time: self.wall_time(order),
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
    fn boxed(
        &self,
        order: &AgentOrder,
        home: Option<&Path>,
        argv: Vec<OsString>,
    ) -> Result<Vec<OsString>, NotStarted> {
        if order.agent.sandbox == Sandbox::None {
            return Ok(argv);
        }
        let terms = self.sandbox(order, home, &argv);
        let prepared = sandbox::prepare(&terms);
        prepared.map_err(|error| NotStarted::NotItsFault(unreadable(&self.places.directory, &error)))?;
        Ok(sandbox::wrap(&argv, &terms))
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
            protected_files: self.protected_files.iter().map(|path| real(path)).collect(),
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
        Ok(found) if found.is_dir() => {
            // Ours ignores itself; one of the repository's own does not, and must not be lost.
            let ignores_itself = std::fs::read(directory.join(".gitignore")).is_ok_and(|text| text == b"*\n");
            if !ignores_itself && std::fs::read_dir(&directory)?.next().is_some() {
                return Err(io::Error::other(format!(
                    "the repository has a directory `{}` of its own, which is where agents find their context; rename it",
                    told.context_dir
                )));
            }
            std::fs::remove_dir_all(&directory)?;
        }
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

/// Insists that nobody is left.
fn all_gone(item: &ItemKey, remains: &Remains) -> Result<(), NotStarted> {
    match remains.left.as_slice() {
        [] => Ok(()),
        left => Err(NotStarted::NotItsFault(format!(
            "processes of an earlier run of {item} cannot be ended: {left:?}; end them by hand"
        ))),
    }
}

/// A program at work.
pub(crate) struct Program {
    process: AgentProcess<SystemClock>,
    redactor: Redactor,
    records: PathBuf,
    item: ItemKey,
    grace: Duration,
}

impl AgentProgram for Program {
    fn extend(&self, deadline: BootTime) {
        self.process.extend(deadline);
    }

    fn stop(&self) {
        self.process.stop(StopHow::Interrupt);
    }

    fn numbers(&self) -> RunNumbers {
        self.process.numbers()
    }

    async fn wait(&self) -> ProgramEnd {
        let end = self.process.wait().await;
        let exit = match end.exit {
            // Nobody swept what has left the group.
            AgentExit::SupervisorLost => {
                let ended = remains::end_unfinished(&self.records, &self.item, self.grace, &SystemClock);
                if let Err(error) = ended.await {
                    eprintln!("warning: {}", unreadable(&self.records, &error));
                }
                AgentExit::SupervisorLost
            }
            AgentExit::NotRun(why) => AgentExit::NotRun(self.redactor.redact_text(&why).into_owned()),
            exit => exit,
        };
        ProgramEnd { report: end.report, exit, last_error: end.last_error }
    }
}
