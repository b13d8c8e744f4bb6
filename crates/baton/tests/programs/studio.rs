//! A place for one of the real programs: a private home, a work tree of a mirror, a model server, and the way from an order to
//! a judgement.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use baton_agent::{AgentEnd, AgentProcess, Environment, Graces, Launch, RecordTerms, StopHow, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentOrder, CommandLine, Judgement, Places, Told, command_line, environment, judge};
use baton_core::config::{AgentConfig, Layers, TextFile, resolve};
use baton_core::pipeline::stage::KillGrace;
use baton_core::slot::{AgentKey, ItemKey, RunId};
use baton_ports::Clock as _;
use baton_testbed::processes::is_group_alive;

use crate::programs::model_server::{Answer, ModelServer};

/// Long enough for anything that must happen, however busy the machine is.
const SOON: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long a program has to end after a signal. None of them may need it all.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// What the programs are told to ask their model with. It belongs to nobody.
pub(crate) const KEY: &str = "a-key-that-opens-nothing";

/// A token of the engine, which must never reach a program or a model.
const TOKEN: &str = "ghp_a_token_of_the_engine_alone";

pub(crate) const PROMPT: &str = "The prompt, with \"quotes\",\nseveral lines and --options.\n";

/// Everything that a program finds.
pub(crate) struct Studio {
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
    studio: &'a Studio,
    agent: AgentProcess<SystemClock>,
    line: CommandLine,
}

impl Studio {
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
        let studio = Self { place, model, settings: settings.replace("{address}", &address), variables };
        studio.furnish();
        studio
    }

    fn furnish(&self) {
        std::fs::create_dir(self.home()).unwrap();
        std::fs::create_dir(self.temporary()).unwrap();
        std::fs::write(self.home().join(".gitconfig"), "[user]\nname = Agent\nemail = agent@example.test\n")
            .unwrap();
        let mirror = self.mirror().to_str().unwrap().to_owned();
        git(&["init", "--quiet", "--bare", "--initial-branch=main", &mirror]);
        git(&["--git-dir", &mirror, "config", "core.logAllRefUpdates", "always"]);
        let tree = git(&["--git-dir", &mirror, "hash-object", "-w", "-t", "tree", "/dev/null"]);
        let identity = ["-c", "user.name=Author", "-c", "user.email=author@example.test"];
        let commit =
            [&["--git-dir", &mirror], &identity[..], &["commit-tree", "-m", "begin", &tree]].concat();
        git(&["--git-dir", &mirror, "update-ref", "refs/heads/main", &git(&commit)]);
        let work = self.work().to_str().unwrap().to_owned();
        git(&["--git-dir", &mirror, "worktree", "add", "--quiet", "-b", "baton/issue-7", &work, "main"]);
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

    /// Returns what git says about the work tree.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let work = self.work();
        git(&[&["-C", work.to_str().unwrap()], arguments].concat())
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
        let baton = PathBuf::from(env!("CARGO_BIN_EXE_baton"));
        let places = Places { baton: baton.clone(), directory: self.place.path().to_owned() };
        let line = command_line(order, &places);
        assert!(line.reads_prompt_on_stdin);
        let launched = Launch {
            supervisor: baton,
            argv: line.argv.iter().map(OsString::from).collect(),
            cwd: order.cwd.clone(),
            env: self.environment(order, &line),
            stdin: order.told.prompt.clone().into_bytes(),
            program: line.program,
            log: self.log(),
            log_cap: 1 << 20,
            redact: vec![KEY.to_owned()],
            deadline: SystemClock.boot_now().plus(Duration::from_secs(600)),
            kill_grace: Graces::of(order.kill_grace, GRACE),
            wall_time: order.max_wall_time,
            inactivity: None,
            record: Some(self.record(order)),
        };
        Working { studio: self, agent: launch(launched, SystemClock).await.unwrap(), line }
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
        assert_eq!(
            processes_at_home_in(&self.home()),
            Vec::<String>::new(),
            "something of the program is left"
        );
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
        let asked = || (self.studio.model.asked().len() >= times).then_some(());
        eventually("a question to the model", asked).await;
    }

    /// Waits until the work tree has a file.
    pub(crate) async fn wrote(&self, name: &str) {
        let path = self.studio.work().join(name);
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
        self.studio.check_remains(self.agent.group());
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
    let contract = std::env::var_os("BATON_CONTRACT_DIR");
    let contract = contract
        .expect("BATON_CONTRACT_DIR is not set: run `cargo xtask test`, which installs what this needs");
    let own = Path::new(&contract).join("agents/node_modules/.bin");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&inherited))).unwrap()
}

/// The processes whose home is there, wherever they have gone since. Only Linux tells.
fn processes_at_home_in(home: &Path) -> Vec<String> {
    let wanted = format!("HOME={}", home.display()).into_bytes();
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let is_there = |process: &Path| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
    };
    let there = processes.flatten().map(|process| process.path()).filter(|process| is_there(process));
    there.map(|process| std::fs::read_to_string(process.join("comm")).unwrap_or_default()).collect()
}

fn git(arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().unwrap();
    let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "git {arguments:?}: {error}");
    said.trim().to_owned()
}

/// Waits until something is there; fails after the bound, with its name.
async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < SOON, "{what}: not within {SOON:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_is_left_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let mut tail = Command::new("tail");
    let mut left = tail.args(["-f", "/dev/null"]).env("HOME", place.path()).spawn().unwrap();
    // A program's environment is there to be read only a moment after the program was started.
    eventually("the process", || (processes_at_home_in(place.path()) == ["tail\n"]).then_some(())).await;
    left.kill().and_then(|()| left.wait()).unwrap();
    assert_eq!(processes_at_home_in(place.path()), Vec::<String>::new());
}
