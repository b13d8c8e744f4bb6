//! A checkout to set up, of a repository on a forge.

use std::path::PathBuf;

use baton_fixtures::{CommandOutput, TOKEN, TestEnv, TestForge, TestRepo, texts};
use serde_json::{Value, json};

/// An agent's program that says its version.
pub(crate) const GOOD_PROGRAM: &str = "#!/bin/sh\necho '2.1.0 (a test)'\n";

/// A checkout of `admin/web`, in which only programs of the system and of the test are found.
pub(crate) struct Checkout {
    pub(crate) env: TestEnv,
    pub(crate) repo: TestRepo,
    pub(crate) forge: TestForge,
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

impl Checkout {
    /// A checkout that knows nothing of us.
    pub(crate) async fn new() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        let bin = forge.dir().join("bin");
        let mut env = TestEnv::at(forge.dir())
            .with("PATH", &format!("{}:/usr/bin:/bin", bin.display()))
            .with("USER", "ann")
            .with("BATON_TOKEN", TOKEN);
        std::os::unix::fs::symlink(real_git(), bin.join("git")).unwrap();
        env.program("claude", GOOD_PROGRAM);
        let checkout = Self { env, repo, forge };
        checkout.git(&["init", "--quiet", "--initial-branch=main"]);
        checkout.git(&["config", "--global", "user.name", "Ann"]);
        checkout.git(&["config", "--global", "user.email", "ann@example.com"]);
        checkout.git(&["remote", "add", "origin", &format!("{}/admin/web.git", checkout.forge.url)]);
        checkout
    }

    /// The same, set up and in good health.
    pub(crate) async fn set_up() -> Self {
        let checkout = Self::new().await;
        checkout.env.run(&["init", "--yes", "--user", "ann"]).exits(0);
        checkout
    }

    /// Adds to `baton.yaml`.
    pub(crate) fn configure(&self, more: &str) {
        self.env.write("baton.yaml", &format!("{}\n{more}\n", self.env.read("baton.yaml")));
    }

    /// Changes a text in a file that must be there.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.env.read(name);
        assert!(text.contains(from), "{name} has no `{from}`:\n{text}");
        self.env.write(name, &text.replace(from, to));
    }

    /// Runs git with the configuration of the place, and insists that it succeeds.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(self.env.other("git", arguments).output().unwrap()).exits(0)
    }

    pub(crate) fn doctor(&self, more: &[&str]) -> Diagnosis {
        let ran = self.env.run(&[&["doctor", "--json"], more].concat());
        let shape = ran.json();
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
        let mut left = vec![self.env.work()];
        while let Some(directory) = left.pop() {
            for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
                let name = entry.path().strip_prefix(self.env.work()).unwrap().display().to_string();
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
        texts(&self.repo.get("/labels?per_page=100").await, "name")
    }
}
