//! What one of the real programs finds: a private home, a work tree of a mirror, a model server, and the way from an order to
//! a judgement.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use baton_agent::{AgentEnd, AgentProcess, Environment, Graces, Launch, RecordTerms, StopHow, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentOrder, CommandLine, Judgement, Places, Told, command_line, environment, judge};
use baton_core::config::{AgentConfig, Layers, TextFile, resolve};
use baton_core::pipeline::stage::KillGrace;
use baton_core::slot::{AgentKey, ItemKey, RunId};
use baton_fixtures::git::git;
use baton_fixtures::processes::{arguments, is_group_alive, with_variable};
use baton_fixtures::wait::{SOON, eventually};
use baton_fixtures::{TestAgent, baton, contract_dir};

use crate::programs::model_server::{Answer, ModelServer};

/// How long a program has to end after a signal. None of them may need it all.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// What the programs are told to ask their model with. It belongs to nobody.
pub(crate) const KEY: &str = "a-key-that-opens-nothing";

/// A token of the engine, which must never reach a program or a model.
const TOKEN: &str = "ghp_a_token_of_the_engine_alone";

pub(crate) const PROMPT: &str = "The prompt, with \"quotes\",\nseveral lines and --options.\n";

/// Everything that a program finds.
pub(crate) struct ProgramHome {
    place: tempfile::TempDir,
    pub(crate) model: ModelServer,
    settings: String,
    variables: Vec<(String, String)>,
}

/// A program that has ended, and what came of it.
pub(crate) struct Ended {
    pub(crate) end: AgentEnd,
    pub(crate) judgement: Judgement,
}

/// A program at work.
pub(crate) struct Working<'a> {
    home: &'a ProgramHome,
    agent: AgentProcess<SystemClock>,
    line: CommandLine,
}

impl ProgramHome {
    /// A place for a program, by the settings of its agent and the variables that it is set by.
    pub(crate) async fn new(
        settings: &str,
        script: impl IntoIterator<Item = Answer>,
        variables: impl FnOnce(&str) -> Vec<(&'static str, String)>,
    ) -> Self {
        let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let model = ModelServer::start(script).await;
        let address = format!("http://{}", model.address);
        let own = variables(&address).into_iter().map(|(name, value)| (name.to_owned(), value));
        let variables = own.chain(proxies(&address)).collect();
        let program = Self { place, model, settings: settings.replace("{address}", &address), variables };
        program.furnish();
        program
    }

    fn furnish(&self) {
        std::fs::create_dir(self.home()).unwrap();
        std::fs::create_dir(self.temporary()).unwrap();
        std::fs::write(self.home().join(".gitconfig"), "[user]\nname = Agent\nemail = agent@example.test\n")
            .unwrap();
        git(self.place.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "app.git"]);
        let mirror = self.mirror();
        git(&mirror, &["config", "core.logAllRefUpdates", "always"]);
        let tree = git(&mirror, &["hash-object", "-w", "-t", "tree", "/dev/null"]);
        let commit = git(&mirror, &["commit-tree", "-m", "begin", &tree]);
        git(&mirror, &["update-ref", "refs/heads/main", &commit]);
        let work = self.work();
        let add = ["worktree", "add", "--quiet", "-b", "baton/issue-7", work.to_str().unwrap(), "main"];
        git(&mirror, &add);
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// The directory for temporary files. Codex puts no part of its sandbox into a home that lies in that directory, and then
    /// cannot start it; so it is one of its own, wherever the clone is.
    fn temporary(&self) -> PathBuf {
        self.place.path().join("tmp")
    }

    /// The work tree.
    pub(crate) fn work(&self) -> PathBuf {
        self.place.path().join("issue-7")
    }

    fn mirror(&self) -> PathBuf {
        self.place.path().join("app.git")
    }

    fn log(&self) -> PathBuf {
        self.place.path().join("logs/agent.log")
    }

    /// An order for a stage that may change files.
    pub(crate) fn order(&self) -> AgentOrder {
        AgentOrder {
            agent: agent(&self.settings),
            run: RunId(7),
            item: ItemKey::Issue("acme/app#7".parse().unwrap()),
            stage: Some("Implement".to_owned()),
            cwd: self.work(),
            git_dir: Some(self.mirror().join("worktrees/issue-7")),
            told: Told { prompt: PROMPT.to_owned(), ..Told::default() },
            session: None,
            model: None,
            effort: None,
            disable_adaptive_thinking: false,
            allowed_tools: None,
            max_turns: None,
            is_read_only: false,
            is_unrestricted: false,
            max_wall_time: None,
            kill_grace: KillGrace::default(),
        }
    }

    /// Runs a program to its end.
    pub(crate) async fn run(&self, order: &AgentOrder) -> Ended {
        self.start(order).await.ended().await
    }

    /// Starts a program.
    pub(crate) async fn start(&self, order: &AgentOrder) -> Working<'_> {
        let places = Places { baton: baton(), directory: self.place.path().to_owned() };
        let line = command_line(order, &places);
        assert!(line.reads_prompt_on_stdin);
        let launched = Launch {
            supervisor: baton(),
            argv: line.argv.iter().map(OsString::from).collect(),
            cwd: order.cwd.clone(),
            env: self.environment(order, &line),
            stdin: order.told.prompt.clone().into_bytes(),
            program: line.program,
            log: self.log(),
            log_cap: 1 << 20,
            redact: vec![KEY.to_owned()],
            deadline: TestAgent::from_now(Duration::from_secs(600)),
            kill_grace: Graces::of(order.kill_grace, GRACE),
            wall_time: order.max_wall_time,
            inactivity: None,
            record: Some(self.record(order)),
        };
        Working { home: self, agent: launch(launched, SystemClock).await.unwrap(), line }
    }

    fn record(&self, order: &AgentOrder) -> RecordTerms {
        let directory = self.place.path().join("records");
        let agent = AgentKey("a".to_owned());
        RecordTerms::new(&directory, &order.item, &agent, order.stage.as_deref(), order.run)
    }

    /// What an engine lets through of its own environment, which has a token in it, and what it adds.
    fn environment(&self, order: &AgentOrder, line: &CommandLine) -> Environment {
        let token = [("GITHUB_TOKEN".into(), TOKEN.into()), ("BATON_GITHUB_TOKEN".into(), TOKEN.into())];
        let inherited = Environment::allowed(std::env::vars_os().chain(token), &[]);
        let seals = environment::seals(&order.agent).into_iter();
        let seals = seals.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let all = seals.chain(line.variables.clone()).chain(self.variables.clone());
        all.fold(inherited, |environment, (name, value)| environment.with(name, value))
            .with("HOME", self.home())
            .with("TMPDIR", self.temporary())
            .with("PATH", search_path())
    }

    /// What holds for every program at every end: nothing of it is left, it asked no other host, and told no secret.
    fn check_remains(&self, group: i32) {
        assert!(!is_group_alive(group), "something of the program's group is left");
        // Those whose home this is, wherever they have gone since.
        let left = with_variable("HOME", self.home().to_str().unwrap());
        let left: Vec<_> = left.into_iter().map(arguments).collect();
        assert_eq!(left, Vec::<String>::new(), "something of the program is left");
        assert_eq!(self.model.strays(), Vec::<String>::new(), "another host was asked");
        let told = self.model.asked().iter().any(|asked| asked.text.contains(TOKEN));
        assert!(!told, "a token of the engine reached the model");
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        assert!(!log.contains(KEY) && !log.contains(TOKEN), "a secret is in the log");
    }
}

impl Working<'_> {
    /// Waits until the model was asked so often.
    pub(crate) async fn asked(&self, times: usize) {
        let asked = || (self.home.model.asked().len() >= times).then_some(());
        eventually("a question to the model", asked).await;
    }

    /// Waits until the work tree has a file.
    pub(crate) async fn wrote(&self, name: &str) {
        let path = self.home.work().join(name);
        eventually(name, || path.exists().then_some(())).await;
    }

    /// Has the program stopped, and returns how it ended and how long that took.
    pub(crate) async fn stopped(self, how: StopHow) -> (Ended, Duration) {
        let asked = Instant::now();
        self.agent.stop(how);
        (self.ended().await, asked.elapsed())
    }

    pub(crate) async fn ended(self) -> Ended {
        let end = tokio::time::timeout(SOON, self.agent.wait()).await.expect("the program ends");
        assert_eq!((&end.log_trouble, &end.record_trouble), (&None, &None));
        assert_eq!(end.report.broken_lines, 0, "{end:?}");
        self.home.check_remains(self.agent.group());
        let judgement = judge(self.line.program, &end.report, &end.exit, &end.last_error);
        Ended { end, judgement }
    }
}

/// What a program asks of other hosts goes to the model server, which knows that it is a stray.
fn proxies(address: &str) -> impl Iterator<Item = (String, String)> {
    let names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let both = names.into_iter().flat_map(|name| [name.to_owned(), name.to_lowercase()]);
    let proxies: Vec<_> = both.map(|name| (name, address.to_owned())).collect();
    let direct = ["NO_PROXY", "no_proxy"].map(|name| (name.to_owned(), "127.0.0.1".to_owned()));
    proxies.into_iter().chain(direct)
}

fn agent(settings: &str) -> AgentConfig {
    let file = Some(TextFile { path: "baton.yaml".to_owned(), text: format!("agents:\n  a:\n{settings}") });
    resolve(&Layers { file, ..Layers::default() }).unwrap().config.agents["a"].clone()
}

/// The programs that `cargo xtask test` has installed come first.
fn search_path() -> OsString {
    let own = contract_dir().join("agents/node_modules/.bin");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&inherited))).unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_is_left_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let processes = || with_variable("HOME", place.path().to_str().unwrap());
    let mut tail = std::process::Command::new("tail");
    let mut left = tail.args(["-f", "/dev/null"]).env("HOME", place.path()).spawn().unwrap();
    // A program's environment is there to be read only a moment after the program was started.
    let pid = i32::try_from(left.id()).unwrap();
    eventually("the process", || (processes() == [pid]).then_some(())).await;
    left.kill().and_then(|()| left.wait()).unwrap();
    assert_eq!(processes(), Vec::<i32>::new());
}
