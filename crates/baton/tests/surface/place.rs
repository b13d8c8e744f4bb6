//! A place to try commands in: a forge with repositories and issues, a checkout, a configuration with the scripted agent, and
//! the built binary on PATH.
//!
//! Command lines run in bash, each in a process group of its own that is ended with the place. Nothing of the test's own
//! environment reaches them.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::support::{Client, ForgeProcess, TOKEN};

/// Long enough for anything that must happen, however busy the machine is.
const SOON: Duration = Duration::from_secs(150);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// The highest number of an issue that documents speak of.
const ISSUES: u64 = 45;
pub(crate) const REPOS: [&str; 3] = ["web", "api", "docs"];
const DASHBOARD_TOKEN: &str = "a-token-of-the-dashboard";

/// What a command line came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) struct Place {
    pub(crate) forge: ForgeProcess,
    /// A port that nobody listens on yet.
    pub(crate) port: u16,
    /// Another one.
    pub(crate) second_port: u16,
    directory: tempfile::TempDir,
    groups: Mutex<Vec<Pid>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("surface").tempdir_in("/tmp").unwrap();
        let root = directory.path();
        for name in ["home", "bin", "outside"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_baton"), root.join("bin/baton")).unwrap();
        // An answer that says no is a failure of the line that asked.
        fs::write(root.join("home/.curlrc"), "fail\n").unwrap();
        program(&root.join("bin/stopped"), include_str!("stopped.sh"));
        program(&root.join("bin/xdg-open"), "#!/bin/sh\nexit \"${BROWSER_CODE:-0}\"\n");
        let forge = ForgeProcess::start(&root.join("data"), &[]);
        let place = Self {
            forge,
            port: free_port(),
            second_port: free_port(),
            directory,
            groups: Mutex::new(Vec::new()),
        };
        place.furnish();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Makes the repositories, the issues and the checkout.
    fn furnish(&self) {
        self.must(
            "outside",
            "git config --global user.name ann && git config --global user.email ann@example.com",
        );
        self.must("outside", "git config --global init.defaultBranch main && git init -q seed && cd seed && echo '# Web' > README.md && git add . && git commit -qm 'docs: add a readme'");
        for repo in REPOS {
            self.must(
                "outside",
                &format!("baton forge repo create acme/{repo} --import seed --data ../data"),
            );
        }
        self.must("outside", "rm -rf seed");
        self.open_issues();
        let remote = self.forge.url.replace("http://", &format!("http://ann:{TOKEN}@"));
        self.must(
            "outside",
            &format!("git clone -q {remote}/acme/web.git ../web && rmdir ../outside/* 2>/dev/null || true"),
        );
        self.write("web/baton.yaml", &self.settings());
        self.write("item.json", include_str!("../../../../docs/examples/items/waiting-for-ci.json"));
        self.write("web/coder.yaml", include_str!("../../../../docs/examples/scripts/relay.yaml"));
        self.write("web/.git/info/exclude", "/baton.yaml\n/coder.yaml\n/.baton\n/.env\n");
    }

    fn settings(&self) -> String {
        include_str!("baton.yaml").replace("{forge}", &self.forge.url)
    }

    fn open_issues(&self) {
        let client = Client::new(&self.forge.url, Some(TOKEN));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            for number in 1..=ISSUES {
                let issue = json!({ "title": format!("Issue {number}"), "body": "It is asked for." });
                client.must("POST", "/repos/acme/web/issues", &issue, 201).await;
            }
        });
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a line, and insists that it succeeds.
    #[track_caller]
    pub(crate) fn must(&self, within: &str, line: &str) -> Ran {
        let ran = self.run(within, line);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        ran
    }

    /// Runs a line in a directory of the place.
    pub(crate) fn run(&self, within: &str, line: &str) -> Ran {
        let (out, err) = (self.path("stdout"), self.path("stderr"));
        let mut bash = self.bash(line);
        bash.current_dir(self.path(within))
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap());
        let mut child = bash.spawn().unwrap();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        self.groups.lock().unwrap().push(group);
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > SOON {
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::thread::sleep(LOOK_EVERY);
        };
        let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        Ran { code: status.code().unwrap_or(-1), out: text(&out), err: text(&err) }
    }

    fn bash(&self, line: &str) -> Command {
        let mut bash = Command::new("bash");
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        bash.args(["--norc", "-c", line])
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("USER", "ann")
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("BATON_TOKEN", TOKEN)
            .env("BATON_DASHBOARD_TOKEN", DASHBOARD_TOKEN)
            .env("FORGE", &self.forge.url)
            .env("FORGE_PID", self.forge.pid().to_string())
            .env("PORT", self.port.to_string())
            .env("ROOT", self.directory.path())
            .stdin(Stdio::null())
            .process_group(0);
        bash
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for group in self.groups.lock().unwrap().iter() {
            // Most have ended long ago, and their numbers belong to nobody or to a group that is not ours to signal.
            let _ = kill_process_group(*group, Signal::KILL);
        }
    }
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
