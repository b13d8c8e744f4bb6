//! Where `baton` and other programs are run: a directory, a home and an environment of their own.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::wait::SOON;
use crate::{CommandOutput, TestEngine, TestForge, baton};

/// A directory to work in, a home, and variables. Nothing of the test's own environment reaches what is run here but `PATH`.
///
/// A clone is the same place with variables of its own; the directory ends with the first one.
pub struct TestEnv {
    root: PathBuf,
    variables: Vec<(String, String)>,
    /// What is in front of `PATH`.
    programs: Vec<PathBuf>,
    _held: Option<TempDir>,
}

impl Clone for TestEnv {
    fn clone(&self) -> Self {
        let (root, variables, programs) = (self.root.clone(), self.variables.clone(), self.programs.clone());
        Self { root, variables, programs, _held: None }
    }
}

impl TestEnv {
    /// Makes a place in a directory of its own, which ends with it.
    pub fn new() -> Self {
        // Short, because unix sockets lie beside files of the directory.
        let held = tempfile::Builder::new().prefix("bt").tempdir_in("/tmp").unwrap();
        let place = Self::at(held.path());
        Self { _held: Some(held), ..place }
    }

    /// Makes a place in a directory that somebody else ends.
    pub fn at(root: &Path) -> Self {
        for name in ["home", "work", "bin"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        Self { root: root.to_owned(), variables: Vec::new(), programs: Vec::new(), _held: None }
    }

    /// Makes a place beside a forge, with the forge's address and the token of `admin` in its environment.
    pub fn of(forge: &TestForge, name: &str) -> Self {
        Self::at(&forge.dir().join(name))
            .with("BATON_GITHUB_API_URL", &forge.url)
            .with("BATON_TOKEN", crate::TOKEN)
    }

    /// Sets a variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, Some(value));
        self
    }

    /// Sets a variable, or takes it away.
    pub fn set(&mut self, name: &str, value: Option<&str>) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }

    /// Returns the same place with further variables.
    pub fn with_all(&self, variables: &[(&str, &str)]) -> Self {
        variables.iter().fold(self.clone(), |place, (name, value)| place.with(name, value))
    }

    /// Writes files of the working directory, and the directories above them.
    pub fn with_files(self, files: &[(&str, &str)]) -> Self {
        files.iter().for_each(|(name, text)| self.write(name, text));
        self
    }

    /// Returns a variable that was set.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Makes a place beside this one, with the same variables.
    pub fn beside(&self, name: &str) -> Self {
        let variables = self.variables.clone();
        Self { variables, ..Self::at(&self.root.with_file_name(name)) }
    }

    /// Returns the directory around everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory that programs are run in.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Returns the home.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns a file of the working directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    /// Writes a file of the working directory, and the directories above it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file of the working directory.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads a file that another process writes; nothing until it has a whole line.
    pub fn note(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(name)).ok()?;
        text.ends_with('\n').then(|| text.trim_end().to_owned())
    }

    /// Makes the working directory the root of a repository, so that no configuration above it counts.
    pub fn isolated(self) -> Self {
        fs::create_dir_all(self.path(".git")).unwrap();
        self
    }

    /// Puts a program where it is found first.
    pub fn program(&mut self, name: &str, text: &str) {
        let bin = self.root.join("bin");
        let path = bin.join(name);
        // What is there may be a link to a program of the machine.
        let _ = fs::remove_file(&path);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        if !self.programs.contains(&bin) {
            self.programs.push(bin);
        }
    }

    /// Gives a command the place: its directory, home and variables.
    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let places = self.programs.iter().cloned().chain(std::env::split_paths(&inherited));
        command
            .env_clear()
            .env("PATH", std::env::join_paths(places).unwrap())
            .env("HOME", self.home())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.work())
            .stdin(Stdio::null())
    }

    /// Returns a run of another program that has not been started.
    pub fn other(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        self.surround(&mut command).args(arguments);
        command
    }

    /// Returns a run of `baton` that has not been started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.other(baton(), arguments)
    }

    /// Runs `baton`.
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs `baton` with something on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that has seen enough does not read to the end.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }

    /// Starts `baton` with its output kept for [`ended`]; it is killed when dropped.
    pub fn spawn(&self, arguments: &[&str]) -> tokio::process::Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap()
    }

    /// Runs `baton` beside other things that the test does.
    pub async fn run_async(&self, arguments: &[&str]) -> CommandOutput {
        Self::ended(self.spawn(arguments)).await
    }

    /// Waits for the end of a `baton` that was started.
    pub async fn ended(child: tokio::process::Child) -> CommandOutput {
        tokio::time::timeout(SOON, child.wait_with_output()).await.expect("it hangs").unwrap().into()
    }

    /// Starts `baton` as an engine, with these arguments. What it prints is kept in a file of the place.
    pub fn engine(&self, arguments: &[&str]) -> TestEngine {
        TestEngine::start(self.command(arguments), &self.root.join("engine.log"))
    }

    /// Returns the runs in the store, oldest first.
    pub fn runs(&self) -> Vec<Value> {
        self.list("runs")
    }

    /// Returns the wakeups in the store, oldest first.
    pub fn wakeups(&self) -> Vec<Value> {
        self.list("wakeups")
    }

    fn list(&self, what: &str) -> Vec<Value> {
        let listed = self.run(&[what, "--json", "--limit", "1000"]).exits(0).json();
        let mut listed = listed[what].as_array().unwrap().clone();
        listed.reverse();
        listed
    }
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}
