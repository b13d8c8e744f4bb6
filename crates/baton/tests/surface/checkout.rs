//! A checkout to try commands in: of a repository on a running forge, with a configuration, the scripted agent, and the
//! built binary on PATH.
//!
//! Command lines run in bash, each in a process group of its own that is ended with the checkout.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::process::Output;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use baton_fixtures::ports::free_port;
use baton_fixtures::wait::SOON;
use baton_fixtures::{CommandOutput, TOKEN, TestEnv, TestForge, TestRepo, baton};
use rustix::process::{Pid, Signal, kill_process_group};

/// The highest number of an issue that documents speak of.
const ISSUES: u64 = 45;
const DASHBOARD_TOKEN: &str = "a-token-of-the-dashboard";

/// Makes the repositories and the checkout.
const PREPARATION: &str = "set -e
git config --global user.name ann
git config --global user.email ann@example.com
git config --global init.defaultBranch main
git init -q ../seed
echo '# Web' > ../seed/README.md
git -C ../seed add .
git -C ../seed commit -qm 'docs: add a readme'
for repo in web api docs; do baton forge repo create acme/$repo --import ../seed --data ../data; done
rm -rf ../seed
git clone -q \"${FORGE/http:\\/\\//http://ann:$BATON_TOKEN@}/acme/web.git\" .
printf '%s\\n' /baton.yaml /coder.yaml /.baton /.env > .git/info/exclude
";

pub(crate) struct Checkout {
    /// A port that nobody listens on yet.
    pub(crate) port: u16,
    /// Another one.
    pub(crate) second_port: u16,
    pub(crate) env: TestEnv,
    groups: Mutex<Vec<Pid>>,
    forge: TestForge,
}

impl Checkout {
    pub(crate) fn new() -> Self {
        let forge = TestForge::start();
        let (port, second_port, root) = (free_port(), free_port(), forge.dir());
        let mut env = TestEnv::at(root)
            .with("USER", "ann")
            .with("LC_ALL", "C.UTF-8")
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("BATON_TOKEN", TOKEN)
            .with("BATON_DASHBOARD_TOKEN", DASHBOARD_TOKEN)
            .with("FORGE", &forge.url)
            .with("FORGE_PID", &forge.pid().to_string())
            .with("PORT", &port.to_string())
            .with("ROOT", root.to_str().unwrap());
        symlink(baton(), root.join("bin/baton")).unwrap();
        env.program("stopped", include_str!("stopped.sh"));
        env.program("xdg-open", "#!/bin/sh\nexit \"${BROWSER_CODE:-0}\"\n");
        // An answer that says no is a failure of the line that asked.
        fs::write(env.home().join(".curlrc"), "fail\n").unwrap();
        let checkout = Self { port, second_port, env, groups: Mutex::default(), forge };
        checkout.run(PREPARATION).exits(0);
        checkout.fill();
        checkout
    }

    /// Writes what is beside the repository's own files, and opens the issues.
    fn fill(&self) {
        let forge = &self.forge;
        self.env.write("baton.yaml", &include_str!("baton.yaml").replace("{forge}", &forge.url));
        self.env.write("coder.yaml", include_str!("../../../../docs/examples/scripts/relay.yaml"));
        self.env.write("../item.json", include_str!("../../../../docs/examples/items/waiting-for-ci.json"));
        let repo = TestRepo { client: forge.admin.clone(), name: "acme/web".to_owned() };
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            for number in 1..=ISSUES {
                repo.issue(&format!("Issue {number}"), &[]).await;
            }
        });
    }

    /// Runs a line. What it prints goes to files, because what it leaves in the background may hold them open.
    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        let [out, err] = ["stdout", "stderr"].map(|name| self.env.root().join(name));
        let mut bash = self.env.other("bash", &["--norc", "-c", line]);
        bash.process_group(0).stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let mut child = bash.spawn().unwrap();
        let group = Pid::from_child(&child);
        self.groups.lock().unwrap().push(group);
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > SOON {
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        Output { status, stdout: fs::read(out).unwrap(), stderr: fs::read(err).unwrap() }.into()
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        for group in self.groups.lock().unwrap().iter() {
            // Most have ended long ago, and their numbers belong to nobody or to a group that is not ours to signal.
            let _ = kill_process_group(*group, Signal::KILL);
        }
    }
}
