//! Agents in the sandbox of bubblewrap: what they can write and read, and how they end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_agent::sandbox::{self, SandboxTerms};
use baton_agent::{Graces, Launch, StopHow, home};
use baton_core::agent::AgentExit;
use baton_fixtures::TestAgent;
use baton_fixtures::git::git;
use baton_fixtures::processes::{Signal, is_alive, is_group_alive, parent, send, with_variable};
use baton_fixtures::wait::eventually;

/// A real home with a key, a mirror, a work tree, and a private home.
struct SandboxedAgent {
    test: TestAgent,
    terms: SandboxTerms,
    _held: tempfile::TempDir,
}

impl SandboxedAgent {
    fn new() -> Self {
        // There, wherever else this machine keeps what is temporary, because an agent has a `/tmp` of its own.
        let held = tempfile::tempdir_in("/tmp").unwrap();
        let root = held.path().canonicalize().unwrap();
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
        Self { test: TestAgent::at(root), terms, _held: held }
    }

    fn script(&self, script: &str) -> Launch {
        let argv = sandbox::wrap(&["bash".into(), "-c".into(), script.into()], &self.terms);
        let mut order = self.test.recorded(script);
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
    let (mirror, tree) = (mirror.to_str().unwrap(), tree.to_str().unwrap());
    git(root, &["init", "-q", "--initial-branch=main", "seed"]);
    git(root, &["-C", "seed", "commit", "-q", "--allow-empty", "-m", "first"]);
    git(root, &["clone", "-q", "--bare", "seed", mirror]);
    git(root, &["-C", mirror, "worktree", "add", "-q", "-b", "baton/issue-7", tree]);
}

#[tokio::test]
async fn an_agent_commits_in_its_work_tree_and_writes_nowhere_else() {
    let sandboxed = SandboxedAgent::new();
    let (mirror, root) = (sandboxed.mirror(), &sandboxed.test.root);
    let own = root.with_extension("own");
    let script = format!(
        "echo text > file && git add file && git commit -q -m work && git log --format=%an%s -1
        for target in /etc/x /var/tmp/x {mirror}/config {mirror}/hooks/x {mirror}/x; do
            {{ echo x >> $target; }} 2> /dev/null && echo wrote $target
        done
        mkdir -p {root}/outside; echo x > {root}/outside/x
        echo x > {own} && echo x > \"$HOME/own\" && cat {own} && touch /run/x
        [ -e {root}/logs ] && echo sees the logs
        echo end",
        mirror = mirror.display(),
        root = root.display(),
        own = own.display(),
    );
    let config = std::fs::read(mirror.join("config")).unwrap();
    let end = TestAgent::run(sandboxed.script(&script)).await;
    assert_eq!(end.report.text.as_deref(), Some("Verawork\nx\nend\n"), "{end:?}");
    assert_eq!(std::fs::read(mirror.join("config")).unwrap(), config);
    assert!(!root.join("outside").exists(), "what is private in there is not there out here");
    assert!(!own.exists() && sandboxed.terms.home.as_ref().unwrap().join("own").exists());
    assert_eq!(git(sandboxed.tree(), &["log", "--format=%s", "-1"]), "work");
}

#[tokio::test]
async fn an_agent_that_is_root_cannot_take_its_walls_down() {
    let sandboxed = SandboxedAgent::new();
    let home = sandboxed.terms.real_home.as_ref().unwrap().display().to_string();
    let script = format!(
        "umount {home} && echo unmounted; umount -l /tmp && echo unmounted
        mount -o remount,rw,bind / && echo remounted; unshare -m true && echo unshared
        cat {home}/.ssh/id; grep CapEff /proc/self/status"
    );
    let end = TestAgent::run(sandboxed.script(&script)).await;
    assert_eq!(end.last_line, "CapEff:\t0000000000000000", "{end:?}");
    let said = &end.report.assistant_text;
    assert!(
        !["unmounted", "remounted", "unshared", "the key"].iter().any(|word| said.contains(word)),
        "{end:?}"
    );
}

#[tokio::test]
async fn what_is_hidden_and_protected_stays_so_inside_the_place_of_work() {
    let mut sandboxed = SandboxedAgent::new();
    let tree = sandboxed.tree().to_owned();
    std::fs::create_dir(tree.join("state")).unwrap();
    std::fs::write(tree.join("state/lease"), "ours").unwrap();
    std::fs::write(tree.join("baton.yaml"), "ours").unwrap();
    sandboxed.terms.hidden_directories = vec![tree.join("state")];
    sandboxed.terms.protected_files = vec![tree.join("baton.yaml")];
    let end = TestAgent::run(
        sandboxed
            .script("ls state; echo theirs > baton.yaml; rm -f baton.yaml; cat baton.yaml; echo; echo end"),
    )
    .await;
    assert_eq!(end.report.text.as_deref(), Some("ours\nend\n"), "{end:?}");
    assert_eq!(std::fs::read_to_string(tree.join("baton.yaml")).unwrap(), "ours");
}

#[tokio::test]
async fn an_agent_cannot_read_the_real_home_or_see_other_processes() {
    let sandboxed = SandboxedAgent::new();
    let key = sandboxed.terms.real_home.as_ref().unwrap().join(".ssh/id");
    assert_eq!(std::fs::read_to_string(&key).unwrap(), "the key\n");
    let script = format!("cat {}; ls -d /proc/[0-9]* | wc -l", key.display());
    let end = TestAgent::run(sandboxed.script(&script)).await;
    assert!(
        !end.report.assistant_text.contains("the key") && end.last_error.contains("No such file"),
        "{end:?}"
    );
    let processes: u32 = end.last_line.parse().unwrap();
    assert!(processes < 8, "{processes}");
}

#[tokio::test]
async fn a_gentle_stop_reaches_the_agent_inside_and_its_code_comes_out() {
    let sandboxed = SandboxedAgent::new();
    let mut order =
        sandboxed.script("trap 'echo bye; exit 5' INT; echo up > up; while :; do sleep 0.01; done");
    order.kill_grace = Graces::both(Duration::from_secs(30));
    let agent = TestAgent::start(order).await;
    eventually("the agent", || sandboxed.tree().join("up").exists().then_some(())).await;
    agent.stop(StopHow::Interrupt);
    let end = TestAgent::ended(&agent).await;
    assert_eq!((end.exit, end.last_line.as_str()), (AgentExit::Stopped, "bye"));
    assert_eq!(TestAgent::run(sandboxed.script("exit 5")).await.exit, AgentExit::Exited(5));
}

#[tokio::test]
async fn everything_inside_dies_with_the_supervisor() {
    let sandboxed = SandboxedAgent::new();
    let escapes =
        "setsid env -i bash -c 'trap \"\" HUP INT TERM; while :; do sleep 0.01; done' & echo up > up; wait";
    let agent = TestAgent::start(sandboxed.script(escapes)).await;
    eventually("the agent", || sandboxed.tree().join("up").exists().then_some(())).await;
    let mark = baton_agent::records::read(&sandboxed.test.record_terms().path).unwrap().mark;
    let inside = baton_agent::remains::in_directory(sandboxed.tree());
    assert!(!inside.is_empty() && !with_variable("BATON_RUN_MARK", &mark).is_empty());
    send(parent(agent.group()), Signal::KILL);
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::SupervisorLost);
    eventually("the end of all", || (!is_group_alive(agent.group())).then_some(())).await;
    for pid in inside {
        eventually("its end", || (!is_alive(pid)).then_some(())).await;
    }
}
