//! What an agent leaves in its work tree is data: nothing of it runs in the engine's git.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use baton_core::tracker::IssueKey;
use baton_core::workspace::{OpenAsk, Pushed};
use baton_fixtures::git::{git, run};

use super::world::{World, ask, commit};

/// A program that leaves a trace when it is run.
fn trap(world: &World) -> (PathBuf, PathBuf) {
    let (script, trace) = (world.root.path().join("trap.sh"), world.root.path().join("trace"));
    fs::write(&script, format!("#!/bin/sh\necho run >> {}\nexec cat\n", trace.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    (script, trace)
}

fn hook(directory: &Path, name: &str, script: &Path) {
    fs::create_dir_all(directory).unwrap();
    let _ = fs::remove_file(directory.join(name));
    symlink(script, directory.join(name)).unwrap();
}

const HOOKS: [&str; 9] = [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "pre-push",
    "pre-rebase",
    "post-rewrite",
    "reference-transaction",
    "post-index-change",
];

/// Everything that is done with a place.
fn use_place(world: &World) {
    let opened = world.open(7);
    fs::write(opened.path.join("more"), "more\n").unwrap();
    world.standing(7);
    world.try_open(&OpenAsk { is_read_only: true, ..ask(7) }).unwrap();
    world.try_open(&OpenAsk { updates: false, ..ask(7) }).unwrap();
    world.close(7);
    world.block_on(world.engine.list()).unwrap();
    world.person_pushes("main", "news", "news\n");
    world.open(7);
    fs::write(opened.path.join("rest"), "rest\n").unwrap();
    world.remove(7);
}

#[test]
fn hooks_and_settings_of_an_agent_are_not_run() {
    let world = World::new();
    let (script, trace) = trap(&world);
    let opened = world.open(7);
    let evil = script.to_str().unwrap();
    commit(&opened.path, ".gitattributes", "* filter=evil diff=evil merge=evil\n");
    for (key, value) in [
        ("core.fsmonitor", evil),
        ("core.hooksPath", opened.path.to_str().unwrap()),
        ("filter.evil.clean", evil),
        ("filter.evil.smudge", evil),
        ("diff.evil.command", evil),
        ("merge.evil.driver", evil),
        ("core.sshCommand", evil),
        ("core.gitProxy", evil),
        ("credential.helper", evil),
        ("core.editor", evil),
        ("gpg.program", evil),
        ("commit.gpgSign", "true"),
        ("uploadpack.packObjectsHook", evil),
        ("remote.origin.uploadpack", evil),
        ("remote.origin.receivepack", evil),
        ("core.alternateRefsCommand", evil),
    ] {
        git(&opened.path, &["config", key, value]);
    }
    for name in HOOKS {
        hook(&world.mirror().join("hooks"), name, &script);
        hook(&opened.path, name, &script);
    }
    use_place(&world);
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
}

#[test]
fn a_repository_that_replaces_the_work_trees_own_is_not_used() {
    let world = World::new();
    let (script, trace) = trap(&world);
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    let evil = world.root.path().join("evil");
    fs::create_dir(&evil).unwrap();
    git(&evil, &["init", "--quiet"]);
    git(&evil, &["config", "core.fsmonitor", script.to_str().unwrap()]);
    for name in HOOKS {
        hook(&evil.join(".git/hooks"), name, &script);
    }
    commit(&evil, "x", "x\n");
    let _ = fs::remove_file(&trace);
    // A file that points there, and what git keeps about the work tree pointing there too.
    fs::write(opened.path.join(".git"), format!("gitdir: {}\n", evil.join(".git").display())).unwrap();
    fs::write(opened.git_dir.join("commondir"), format!("{}\n", evil.join(".git").display())).unwrap();
    assert_eq!(world.standing(7).head, head);
    let closed = world.close(7);
    assert_eq!((closed.push, closed.head), (Pushed::Done { claim_tip: None }, head.clone()));
    assert_eq!(world.open(7).head, head);
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
    assert_eq!(git(&opened.path, &["rev-parse", "HEAD"]), head, "it was put right");
    // A whole repository in its place is not thrown away, and not used.
    fs::remove_file(opened.path.join(".git")).unwrap();
    fs::rename(evil.join(".git"), opened.path.join(".git")).unwrap();
    assert_eq!(world.standing(7).head, head);
    let error = world.try_open(&ask(7)).unwrap_err();
    assert!(error.answer.contains("is a repository of its own"), "{error}");
    assert!(!trace.exists());
}

#[test]
fn submodules_are_not_looked_into() {
    let world = World::new();
    let (script, trace) = trap(&world);
    let opened = world.open(7);
    let nested = opened.path.join("sub");
    fs::create_dir(&nested).unwrap();
    git(&nested, &["init", "--quiet"]);
    commit(&nested, ".gitattributes", "* filter=evil\n");
    git(&opened.path, &["add", "sub"]);
    git(&opened.path, &["commit", "--quiet", "-m", "sub"]);
    git(&nested, &["config", "filter.evil.clean", script.to_str().unwrap()]);
    git(&nested, &["config", "core.fsmonitor", script.to_str().unwrap()]);
    // As long as before, so that git must read it to know whether it has changed.
    fs::write(nested.join(".gitattributes"), "* filter=evil\n").unwrap();
    use_place(&world);
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
}

#[test]
fn hooks_run_when_the_settings_say_so_and_cannot_keep_work_from_being_kept() {
    let world = World::with(|settings| settings.run_hooks = true);
    let (script, trace) = trap(&world);
    let opened = world.open(7);
    hook(&world.mirror().join("hooks"), "pre-commit", &script);
    fs::write(opened.path.join("a"), "work\n").unwrap();
    assert!(world.close(7).rest_committed);
    assert_eq!(fs::read_to_string(&trace).unwrap(), "run\n");
    fs::write(&script, "#!/bin/sh\nexit 1\n").unwrap();
    fs::write(opened.path.join("a"), "more work\n").unwrap();
    assert!(world.close(7).rest_committed);
    assert!(world.has_text("a", "more work\n"));
}

#[test]
fn links_in_a_work_tree_lead_nowhere() {
    let world = World::new();
    let outside = world.root.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "secret\n").unwrap();
    let opened = world.open(7);
    fs::create_dir(opened.path.join("dir")).unwrap();
    commit(&opened.path, "dir/secret", "mine\n");
    fs::remove_dir_all(opened.path.join("dir")).unwrap();
    symlink(&outside, opened.path.join("dir")).unwrap();
    symlink("/etc/passwd", opened.path.join("file")).unwrap();
    symlink(&outside, opened.path.join(".baton-context")).unwrap();
    let closed = world.close(7);
    let tree = git(&world.remote(), &["ls-tree", "-r", &closed.head]);
    assert!(!tree.contains("dir/secret") && tree.contains("120000 blob") && tree.contains("\tdir"), "{tree}");
    world.try_open(&OpenAsk { is_read_only: true, ..ask(7) }).unwrap();
    world.try_open(&ask(7)).unwrap();
    world.remove(7);
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret\n");
}

#[test]
fn a_branch_that_another_place_has_checked_out_is_made_all_the_same() {
    let world = World::new();
    let greedy = world.open(7);
    git(&greedy.path, &["checkout", "--quiet", "-b", "baton/issue-8"]);
    assert_eq!(world.open(8).branch, "baton/issue-8");
    assert_eq!(world.close(7).push, Pushed::Unneeded);
}

#[test]
fn an_address_is_never_an_option_or_a_command() {
    let world = World::new();
    let trace = world.root.path().join("trace");
    for remote in ["--upload-pack=touch TRACE", "ext::sh -c touch% TRACE", "-x"] {
        let remote = remote.replace("TRACE", trace.to_str().unwrap());
        let other = World::with(|settings| settings.remote = remote);
        let issue = IssueKey { repo: "acme/web".parse().unwrap(), number: 1 };
        other.try_open(&OpenAsk { issue, ..ask(1) }).unwrap_err();
    }
    assert!(!trace.exists());
}

#[test]
fn git_works_on_in_a_place_whose_branch_was_deleted() {
    let world = World::new();
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    world.close(7);
    run(&opened.path, &["update-ref", "-d", "refs/heads/baton/issue-7"]);
    assert_eq!(world.open(7).head, head);
}

#[test]
fn links_among_gits_own_files_are_not_written_through() {
    let world = World::new();
    let opened = world.open(7);
    let precious = world.root.path().join("precious");
    fs::write(&precious, "precious\n").unwrap();
    let names = ["commondir", "gitdir", "HEAD", "baton-base", "baton-index"];
    let lay_links = || {
        for name in names {
            symlink(&precious, opened.git_dir.join(format!("{name}.baton"))).unwrap();
            fs::write(opened.git_dir.join(name), "x\n").unwrap();
        }
        for link in [
            opened.git_dir.join("baton-rebase"),
            opened.path.join(".git.baton"),
            world.mirror().join("refs/remotes/origin/HEAD.baton"),
        ] {
            let _ = fs::remove_file(&link);
            symlink(&precious, link).unwrap();
        }
        fs::write(opened.path.join(".git"), "x\n").unwrap();
        fs::write(world.mirror().join("refs/remotes/origin/HEAD"), "x\n").unwrap();
    };
    lay_links();
    world.person_pushes("main", "news", "news\n");
    world.open(7);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
    lay_links();
    world.close(7);
    world.remove(7);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
}

#[test]
fn pipes_among_gits_own_files_are_not_waited_for() {
    let world = World::new();
    let opened = world.open(7);
    let head = commit(&opened.path, "a", "work\n");
    let lay_pipes = || {
        for name in
            ["HEAD", "baton-base", "baton-rebase", "commondir", "MERGE_AUTOSTASH", "index", "baton-index"]
        {
            let pipe = opened.git_dir.join(name);
            let _ = fs::remove_file(&pipe);
            make_pipe(&pipe);
        }
    };
    lay_pipes();
    assert_eq!(world.standing(7).head, head);
    lay_pipes();
    assert_eq!(world.open(7).head, head);
    lay_pipes();
    world.close(7);
    lay_pipes();
    world.remove(7);
    assert!(world.has_text("a", "work\n"));
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}
