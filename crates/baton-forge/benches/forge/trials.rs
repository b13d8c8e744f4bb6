//! How fast trial merges are made, beside `git merge-tree` for the same pairs of commits.
//!
//! A push to the base leaves every trial behind. The clock runs from there until the last pull request tells again whether it can
//! be merged, asking included; the yardstick is one bare `git merge-tree` process after another in a clone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::TOKEN;
use crate::load::{self, Load};
use crate::servers::ForgeServer;

const PULLS: u64 = 200;
/// Files in the tree that is merged, so that a merge is not only two entries.
const FILES: usize = 400;

pub(crate) struct Rates {
    pub(crate) forge: f64,
    pub(crate) git: f64,
}

pub(crate) async fn measure(forge: &ForgeServer, directory: &Path) -> Rates {
    load::once(forge, "POST", "/user/repos", "{\"name\": \"trials\"}").await;
    let clone = Clone::make(forge, directory);
    clone.push_branches();
    for number in 1..=PULLS {
        let body = format!("{{\"title\": \"t{number}\", \"head\": \"topic-{number}\", \"base\": \"main\"}}");
        load::once(forge, "POST", "/repos/admin/trials/pulls", &body).await;
    }
    settle(forge).await;
    clone.push_to_main();
    let started = Instant::now();
    settle(forge).await;
    let forge_rate = PULLS as f64 / started.elapsed().as_secs_f64();
    Rates { forge: forge_rate, git: clone.merge_trees() }
}

/// Asks for every pull request until each has told whether it can be merged.
async fn settle(forge: &ForgeServer) {
    let mut unknown: Vec<u64> = (1..=PULLS).collect();
    while !unknown.is_empty() {
        let mut still = Vec::new();
        for number in unknown {
            let one = Load::get(forge, move |_| format!("/repos/admin/trials/pulls/{number}"));
            let answer = String::from_utf8(load::sample(&one).await).expect("an answer is text");
            if answer.contains("\"mergeable\":null") {
                still.push(number);
            } else {
                assert!(answer.contains("\"mergeable\":true"), "{answer}");
            }
        }
        unknown = still;
    }
}

struct Clone(PathBuf);

impl Clone {
    fn make(forge: &ForgeServer, directory: &Path) -> Self {
        let path = directory.join("trials");
        let url = format!("http://x-access-token:{TOKEN}@{}/admin/trials.git", forge.address);
        let clone = Self(path);
        git(directory, &["init", "-q", "-b", "main", "trials"], None);
        for (key, value) in [("user.name", "bench"), ("user.email", "bench@example.com")] {
            clone.git(&["config", key, value]);
        }
        clone.git(&["remote", "add", "origin", &url]);
        clone
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.0, arguments, None)
    }

    fn push_branches(&self) {
        for number in 0..FILES {
            let at = self.0.join(format!("src-{}", number % 20));
            std::fs::create_dir_all(&at).expect("a directory");
            std::fs::write(at.join(format!("{number}.txt")), format!("line {number}\n").repeat(40))
                .expect("a file");
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "begin"]);
        let base = self.git(&["rev-parse", "HEAD"]);
        let mut stream = String::new();
        for number in 1..=PULLS {
            let file = usize::try_from(number).unwrap_or(0) % FILES;
            let content = format!("line {file}\n").repeat(40) + &format!("topic {number}\n");
            stream += &format!(
                "commit refs/heads/topic-{number}\ncommitter b <b@example.com> 0 +0000\ndata 1\nt\nfrom {base}\nM 100644 inline src-{}/{file}.txt\ndata {}\n{content}\n",
                file % 20,
                content.len()
            );
        }
        git(&self.0, &["fast-import", "--quiet"], Some(&stream));
        self.git(&["push", "-q", "origin", "--all"]);
    }

    fn push_to_main(&self) {
        std::fs::write(self.0.join("later.txt"), "later\n").expect("a file");
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "later"]);
        self.git(&["push", "-q", "origin", "main"]);
    }

    /// Merges per second of one `git merge-tree` after another.
    fn merge_trees(&self) -> f64 {
        let started = Instant::now();
        for number in 1..=PULLS {
            self.git(&["merge-tree", "--write-tree", "main", &format!("topic-{number}")]);
        }
        PULLS as f64 / started.elapsed().as_secs_f64()
    }
}

fn git(directory: &Path, arguments: &[&str], input: Option<&str>) -> String {
    use std::io::Write as _;
    let mut child = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(input.unwrap_or_default().as_bytes()).expect("git reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
