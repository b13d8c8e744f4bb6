//! Engines that are killed at any moment: the next one goes on, and no commit is lost.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use baton_core::workspace::{CloseAsk, OpenAsk, PushTerms, Pushed, Update};
use baton_fixtures::git::run;
use baton_git::GitWorkspaces;
use baton_ports::Workspaces as _;

use super::world::{World, ask, close_ask, commit, issue, settings};

/// Tells the program that it is the engine, and where.
const VARIABLE: &str = "BATON_WORKSPACE_LOOP";
const KILLS: u64 = 40;
/// How long an engine may take to its first commit, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same test is both: the one who kills, and, with the variable, the one who is killed.
#[test]
fn an_engine_that_is_killed_at_any_moment_loses_nothing() {
    match std::env::var_os(VARIABLE) {
        Some(root) => work_until_killed(Path::new(&root)),
        None => kill_again_and_again(),
    }
}

#[test]
fn locks_of_a_git_that_was_killed_are_in_nobodys_way() {
    let world = World::new();
    let opened = world.open(7);
    let leave_locks = || {
        for lock in ["index.lock", "HEAD.lock", "ORIG_HEAD.lock"].map(|name| opened.git_dir.join(name)) {
            fs::File::create(lock).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        leave_branch_lock(&world);
    };
    fs::write(opened.path.join("a"), "work\n").unwrap();
    leave_locks();
    let closed = world.close(7);
    assert_eq!((closed.rest_committed, closed.push), (true, Pushed::Done { claim_tip: None }));
    world.person_pushes("main", "news", "news\n");
    leave_locks();
    assert_eq!(world.open(7).update, Update::Done);
    fs::write(opened.path.join("b"), "left\n").unwrap();
    leave_locks();
    world.remove(7);
    assert!(world.has_text("b", "left\n"));
    leave_branch_lock(&world);
    assert!(world.open(7).is_new);
}

fn leave_branch_lock(world: &World) {
    let lock = world.mirror().join("refs/heads/baton/issue-7.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::File::create(lock).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
}

/// Opens, works, closes and removes for ever, and says which commits it has made before it does anything about them.
fn work_until_killed(root: &Path) {
    let engine = GitWorkspaces::new(settings(root), |_| None).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut round = u64::from(std::process::id()) * 1000;
    loop {
        round += 1;
        let number = round % 3 + 1;
        let opened = runtime.block_on(engine.open(&ask(number))).unwrap();
        println!("made {}", commit(&opened.path, "a", &format!("{round}\n")));
        fs::write(opened.path.join("b"), format!("{round}\n")).unwrap();
        let reading = OpenAsk { is_read_only: true, updates: false, ..ask(number) };
        runtime.block_on(engine.open(&reading)).unwrap();
        println!("made {}", commit(&opened.path, "c", &format!("{round}\n")));
        let end = CloseAsk { is_read_only: true, push: PushTerms::Withheld, ..close_ask(number) };
        runtime.block_on(engine.close(&end)).unwrap();
        assert_eq!(fs::read_to_string(opened.path.join("b")).unwrap(), format!("{round}\n"));
        let closed = runtime.block_on(engine.close(&close_ask(number))).unwrap();
        assert!(matches!(closed.push, Pushed::Done { .. } | Pushed::Unneeded), "{closed:?}");
        if round.is_multiple_of(2) {
            runtime.block_on(engine.remove(&issue(number))).unwrap();
        }
    }
}

fn kill_again_and_again() {
    let world = World::new();
    let mut made = BTreeSet::new();
    for kill in 0..KILLS {
        let mut child = start(world.root.path());
        let lines = listen(&mut child);
        // Every fourth one is killed on its way to its first commit, the others at some moment after it.
        if !kill.is_multiple_of(4) {
            made.insert(lines.recv_timeout(PATIENCE).expect("the engine does something"));
        }
        wait_at_most(&mut child, Duration::from_millis(10 + kill * 37 % 450));
        child.kill().unwrap();
        child.wait().unwrap();
        made.extend(lines.iter());
        if kill % 8 == 7 {
            world.person_pushes("main", "news", &format!("{kill}\n"));
        }
    }
    for number in 1..=3 {
        let opened = world.open(number);
        commit(&opened.path, "z", "after all\n");
        assert_eq!(world.close(number).push, Pushed::Done { claim_tip: None });
        world.remove(number);
    }
    let kept = contents(&world);
    let lost: Vec<_> = made.iter().filter(|oid| !is_kept(&world, &kept, oid)).collect();
    assert!(lost.is_empty(), "{} of {} commits are lost: {lost:?}", lost.len(), made.len());
}

/// What commits have in their files: a rebase makes other commits of the same work.
fn contents(world: &World) -> BTreeSet<(String, String)> {
    world.commits().iter().flat_map(|oid| files(world, oid)).collect()
}

fn is_kept(world: &World, kept: &BTreeSet<(String, String)>, oid: &str) -> bool {
    let files = files(world, oid);
    !files.is_empty() && files.iter().all(|file| kept.contains(file))
}

fn files(world: &World, oid: &str) -> Vec<(String, String)> {
    let repositories = [world.mirror(), world.remote()];
    let output = repositories.iter().map(|it| run(it, &["ls-tree", "-r", oid])).find(|it| it.code == 0);
    let text = output.map(|it| it.out).unwrap_or_default();
    let entries = text.lines().filter_map(|line| line.split_once('\t'));
    let own = entries.filter(|(_, name)| matches!(*name, "a" | "c"));
    own.map(|(blob, name)| (name.to_owned(), blob.to_owned())).collect()
}

/// The commits that an engine says it has made, until it is gone.
fn listen(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || {
        let made =
            lines.map_while(Result::ok).filter_map(|line| Some(line.split_once("made ")?.1.to_owned()));
        made.take_while(|oid| sender.send(oid.clone()).is_ok()).count()
    });
    receiver
}

/// Waits until a time has passed, or until the engine has failed, which must not be.
fn wait_at_most(child: &mut Child, pause: Duration) {
    let until = Instant::now() + pause;
    while Instant::now() < until {
        assert!(child.try_wait().unwrap().is_none(), "the engine has failed; its words are above");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// The same test is both: the one who configures, and, with the variable, the one whose git is configured so.
#[test]
fn what_a_person_has_configured_for_all_repositories_is_in_nobodys_way() {
    if std::env::var_os(VARIABLE).is_some() {
        let world = World::new();
        let opened = world.open(7);
        let work = commit(&opened.path, "a", "work\n");
        assert_eq!(world.close(7).push, Pushed::Done { claim_tip: None });
        assert_eq!(world.on_remote("baton/issue-7"), Some(work));
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let configured = root.path().join("gitconfig");
    let name = "crashes::what_a_person_has_configured_for_all_repositories_is_in_nobodys_way";
    for text in ["[safe]\n\tbareRepository = explicit\n", "[init]\n\tdefaultRefFormat = reftable\n"] {
        fs::write(&configured, text).unwrap();
        let mut command = again(name, root.path());
        let output = command.env("GIT_CONFIG_GLOBAL", &configured).output().unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn start(root: &Path) -> Child {
    let name = "crashes::an_engine_that_is_killed_at_any_moment_loses_nothing";
    again(name, root).stdout(Stdio::piped()).spawn().unwrap()
}

/// This program once more, with the variable.
fn again(name: &str, root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(VARIABLE, root);
    command
}
