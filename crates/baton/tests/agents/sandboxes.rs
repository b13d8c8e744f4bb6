//! Agents in the sandbox of bubblewrap: what they can write and read, and how they end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baton_agent::sandbox::{self, SandboxTerms};
use baton_agent::{Graces, Launch, StopHow, home};
use baton_core::agent::AgentExit;
use rustix::process::Signal;

use crate::agents::desk::{
    Desk, ended, eventually, is_alive, is_group_alive, marked, parent, run, send, start,
};

/// A real home with a key, a mirror, a work tree, and a private home.
struct Den {
    desk: Desk,
    terms: SandboxTerms,
}

impl Den {
    fn new() -> Self {
        let desk = Desk::new();
        let root = desk.root.canonicalize().unwrap();
        let real_home = root.join("real");
        std::fs::create_dir_all(real_home.join(".ssh")).unwrap();
        std::fs::write(real_home.join(".ssh/id"), "the key\n").unwrap();
        let tree = real_home.join("trees/issue-7");
        let mirror = real_home.join("mirror.git");
        make_work_tree(&root, &mirror, &tree);
        let home = root.join("homes/vera");
        let terms = home::HomeTerms {
            path: &home,
            real_home: Some(&real_home),
            needs: &[],
            git_name: "Vera",
            git_email: "vera@example.org",
        };
        home::make(&terms).unwrap();
        let git_dir = Some(mirror.join("worktrees/issue-7"));
        let terms = SandboxTerms {
            worktree: tree,
            git_dir,
            home: Some(home),
            real_home: Some(real_home),
            ..SandboxTerms::default()
        };
        sandbox::prepare(&terms).unwrap();
        Self { desk, terms }
    }

    fn script(&self, script: &str) -> Launch {
        let argv = sandbox::wrap(&["bash".into(), "-c".into(), script.into()], &self.terms);
        let mut order = self.desk.recorded(script);
        order.env = order.env.with("HOME", self.terms.home.as_ref().unwrap());
        (order.argv, order.cwd) = (argv, self.terms.worktree.clone());
        order
    }

    fn tree(&self) -> &Path {
        &self.terms.worktree
    }

    fn mirror(&self) -> PathBuf {
        self.terms.real_home.as_ref().unwrap().join("mirror.git")
    }
}

fn make_work_tree(root: &Path, mirror: &Path, tree: &Path) {
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(root)
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let (mirror, tree) = (mirror.to_str().unwrap(), tree.to_str().unwrap());
    git(&["init", "-q", "seed"]);
    git(&["-C", "seed", "commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["clone", "-q", "--bare", "seed", mirror]);
    git(&["-C", mirror, "worktree", "add", "-q", "-b", "baton/issue-7", tree]);
}

#[tokio::test]
async fn an_agent_commits_in_its_work_tree_and_writes_nowhere_else() {
    let den = Den::new();
    let mirror = den.mirror();
    let script = format!(
        "echo text > file && git add file && git commit -q -m work && git log --format=%an%s -1
        for target in /etc/x /var/tmp/x {mirror}/config {mirror}/hooks/x {mirror}/x; do
            {{ echo x >> $target; }} 2> /dev/null && echo wrote $target
        done
        mkdir -p {root}/outside; echo x > {root}/outside/x
        echo x > /tmp/own && echo x > \"$HOME/own\" && cat /tmp/own && touch /run/x
        [ -e {root}/logs ] && echo sees the logs
        echo end",
        mirror = mirror.display(),
        root = den.desk.root.display(),
    );
    let config = std::fs::read(mirror.join("config")).unwrap();
    let end = run(den.script(&script)).await;
    assert_eq!(end.report.text.as_deref(), Some("Verawork\nx\nend\n"), "{end:?}");
    assert_eq!(std::fs::read(mirror.join("config")).unwrap(), config);
    assert!(!den.desk.root.join("outside").exists(), "what is private in there is not there out here");
    assert!(!Path::new("/tmp/own").exists() && den.terms.home.as_ref().unwrap().join("own").exists());
    let log =
        Command::new("git").arg("-C").arg(den.tree()).args(["log", "--format=%s", "-1"]).output().unwrap();
    assert_eq!(log.stdout, b"work\n");
}

#[tokio::test]
async fn an_agent_that_is_root_cannot_take_its_walls_down() {
    let den = Den::new();
    let home = den.terms.real_home.as_ref().unwrap().display().to_string();
    let script = format!(
        "umount {home} && echo unmounted; umount -l /tmp && echo unmounted
        mount -o remount,rw,bind / && echo remounted; unshare -m true && echo unshared
        cat {home}/.ssh/id; grep CapEff /proc/self/status"
    );
    let end = run(den.script(&script)).await;
    assert_eq!(end.last_line, "CapEff:\t0000000000000000", "{end:?}");
    let said = &end.report.assistant_text;
    assert!(
        !["unmounted", "remounted", "unshared", "the key"].iter().any(|word| said.contains(word)),
        "{end:?}"
    );
}

#[tokio::test]
async fn what_is_hidden_and_protected_stays_so_inside_the_place_of_work() {
    let mut den = Den::new();
    let tree = den.tree().to_owned();
    std::fs::create_dir(tree.join("state")).unwrap();
    std::fs::write(tree.join("state/lease"), "ours").unwrap();
    std::fs::write(tree.join("baton.yaml"), "ours").unwrap();
    den.terms.hidden_directories = vec![tree.join("state")];
    den.terms.protected_files = vec![tree.join("baton.yaml")];
    let end =
        run(den
            .script("ls state; echo theirs > baton.yaml; rm -f baton.yaml; cat baton.yaml; echo; echo end"))
        .await;
    assert_eq!(end.report.text.as_deref(), Some("ours\nend\n"), "{end:?}");
    assert_eq!(std::fs::read_to_string(tree.join("baton.yaml")).unwrap(), "ours");
}

#[tokio::test]
async fn an_agent_cannot_read_the_real_home_or_see_other_processes() {
    let den = Den::new();
    let key = den.terms.real_home.as_ref().unwrap().join(".ssh/id");
    assert_eq!(std::fs::read_to_string(&key).unwrap(), "the key\n");
    let script = format!("cat {}; ls -d /proc/[0-9]* | wc -l", key.display());
    let end = run(den.script(&script)).await;
    assert!(
        !end.report.assistant_text.contains("the key") && end.last_error.contains("No such file"),
        "{end:?}"
    );
    let processes: u32 = end.last_line.parse().unwrap();
    assert!(processes < 8, "{processes}");
}

#[tokio::test]
async fn a_gentle_stop_reaches_the_agent_inside_and_its_code_comes_out() {
    let den = Den::new();
    let mut order = den.script("trap 'echo bye; exit 5' INT; echo up > up; while :; do sleep 0.01; done");
    order.kill_grace = Graces::both(Duration::from_secs(30));
    let agent = start(order).await;
    eventually("the agent", || den.tree().join("up").exists().then_some(())).await;
    agent.stop(StopHow::Interrupt);
    let end = ended(&agent).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Stopped, "bye"));
    assert_eq!(run(den.script("exit 5")).await.exit, AgentExit::Exited(5));
}

#[tokio::test]
async fn everything_inside_dies_with_the_supervisor() {
    let den = Den::new();
    let escapes =
        "setsid env -i bash -c 'trap \"\" HUP INT TERM; while :; do sleep 0.01; done' & echo up > up; wait";
    let agent = start(den.script(escapes)).await;
    eventually("the agent", || den.tree().join("up").exists().then_some(())).await;
    let mark = baton_agent::records::read(&den.desk.record_terms().path).unwrap().mark;
    let inside = baton_agent::remains::in_directory(den.tree());
    assert!(!inside.is_empty() && !marked(&mark).is_empty());
    send(parent(agent.group()), Signal::KILL);
    assert_eq!(ended(&agent).await.exit, AgentExit::SupervisorLost);
    eventually("the end of all", || (!is_group_alive(agent.group())).then_some(())).await;
    for pid in inside {
        eventually("its end", || (!is_alive(pid)).then_some(())).await;
    }
}
