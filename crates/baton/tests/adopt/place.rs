//! A place to set up: a forge with a repository, a checkout of it, a home, and a directory of programs.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

/// An agent's program that says its version.
pub(crate) const GOOD_PROGRAM: &str = "#!/bin/sh\necho '2.1.0 (a test)'\n";

pub(crate) struct Place {
    pub(crate) forge: ForgeProcess,
    pub(crate) client: Client,
    directory: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What a run of `baton` came to.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out:\n{}\nerr:\n{}", self.out, self.err);
        self
    }
}

/// One line of the doctor.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) check: String,
    pub(crate) status: String,
    pub(crate) found: String,
    pub(crate) fix: Option<String>,
}

/// What the doctor said.
#[derive(Debug, Clone)]
pub(crate) struct Diagnosis {
    pub(crate) code: i32,
    pub(crate) lines: Vec<Line>,
}

impl Diagnosis {
    pub(crate) fn of(&self, check: &str) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.check == check).collect()
    }

    /// Returns the lines that are neither good nor passed over.
    pub(crate) fn complaints(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.status == "warn" || line.status == "fail").collect()
    }
}

/// The machine's git, wherever it is.
pub(crate) fn real_git() -> PathBuf {
    let places = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&places).map(|place| place.join("git")).find(|path| path.is_file()).unwrap()
}

impl Place {
    /// A forge with `admin/web`, and a checkout of it that knows nothing of us.
    pub(crate) async fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("adopt").tempdir_in("/tmp").unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let variables = vec![("BATON_TOKEN".to_owned(), TOKEN.to_owned())];
        let place = Self { forge, client, directory, variables };
        for name in ["home", "bin", "work"] {
            std::fs::create_dir(place.root().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(real_git(), place.root().join("bin/git")).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.git(&["config", "--global", "user.name", "Ann"]);
        place.git(&["config", "--global", "user.email", "ann@example.com"]);
        place.git(&["remote", "add", "origin", &format!("{}/admin/web.git", place.forge.url)]);
        place.program("claude", GOOD_PROGRAM);
        place
    }

    /// The same, set up and in good health.
    pub(crate) async fn set_up() -> Self {
        let place = Self::new().await;
        place.run(&["init", "--yes", "--user", "ann"]).exits(0);
        place
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// A file of the checkout.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join("work").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Adds to `baton.yaml`.
    pub(crate) fn configure(&self, more: &str) {
        self.write("baton.yaml", &format!("{}\n{more}\n", self.read("baton.yaml")));
    }

    /// Changes a text in `baton.yaml` that must be there.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no `{from}`:\n{text}");
        self.write(name, &text.replace(from, to));
    }

    /// Sets a variable, or takes it away.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }

    /// Puts a program where it is found first.
    pub(crate) fn program(&self, name: &str, text: &str) {
        let path = self.root().join("bin").join(name);
        // What is there may be a link to a program of the machine.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        let ran = self.surround(&mut git).args(arguments).output().unwrap();
        assert!(ran.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Gives a command the place, and nothing of the test's own environment.
    pub(crate) fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.root().join("bin").display()))
            .env("HOME", self.root().join("home"))
            .env("USER", "ann")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path(""))
            .stdin(Stdio::null())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        self.surround(&mut command).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    pub(crate) fn doctor(&self, more: &[&str]) -> Diagnosis {
        let ran = self.run(&[&["doctor", "--json"], more].concat());
        let shape: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!(shape["exit_code"], json!(ran.code), "{ran:?}");
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let line = |value: &Value| Line {
            check: text(&value["check"]).unwrap(),
            status: text(&value["status"]).unwrap(),
            found: text(&value["found"]).unwrap(),
            fix: text(&value["fix"]),
        };
        let lines = shape["checks"].as_array().unwrap().iter().map(line).collect();
        Diagnosis { code: ran.code, lines }
    }

    /// The names of the files under the checkout, without git's own.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = vec![self.path("")];
        while let Some(directory) = left.pop() {
            for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
                let name = entry.path().strip_prefix(self.path("")).unwrap().display().to_string();
                match entry.file_type().unwrap().is_dir() {
                    true if name == ".git" => {}
                    true => left.push(entry.path()),
                    false => found.push(name),
                }
            }
        }
        found.sort();
        found
    }

    /// The labels of the repository.
    pub(crate) async fn labels(&self) -> Vec<String> {
        let labels = self.client.must("GET", "/repos/admin/web/labels?per_page=100", &Value::Null, 200).await;
        labels.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Opens an issue and returns its number.
    pub(crate) async fn issue(&self, labels: &[&str]) -> u64 {
        let issue = json!({ "title": "A button", "body": "It is missing.", "labels": labels });
        self.client.must("POST", "/repos/admin/web/issues", &issue, 201).await["number"].as_u64().unwrap()
    }
}
