//! `cargo xtask check`: the lints and tests that a change most likely breaks, for the minutes between commits.
//!
//! What has changed is what git says differs from main, with files that are not committed or not tracked yet. Whole
//! crates are checked; which of their tests see a change, nobody knows. `cargo xtask test` has the last word.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand};

use crate::plan::{self, Planned};
use crate::runner::{Mode, Runner};
use crate::workspace::Workspace;
use crate::{command, tidy};

/// Files of the root that every crate is compiled or linted with, and directories of such files.
const SHARED: [&str; 6] =
    ["Cargo.toml", "Cargo.lock", ".cargo/", "clippy.toml", "rust-toolchain", "rust-toolchain.toml"];

/// A crate of the workspace.
struct Member {
    name: String,
    /// Relative to the root, with its final slash.
    directory: String,
    /// The crates of the workspace that it needs, for its tests too.
    dependencies: Vec<String>,
}

/// The crates to look at, by name.
#[derive(Debug, Default, PartialEq)]
struct Scope<'a> {
    changed: BTreeSet<&'a str>,
    /// Those that depend on them, directly or not.
    dependents: BTreeSet<&'a str>,
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let (base, commit) = base(&workspace.root)?;
    let changed = changed_files(&workspace.root, &commit)?;
    if changed.is_empty() {
        println!("nothing has changed since {base}");
        return Ok(());
    }
    let members = members(workspace)?;
    let scope = scope(&changed, &members);
    println!("{}", summary(&base, changed.len(), &scope));
    let mut runner = Runner::start(workspace, Mode::default())?;
    runner.steps.run("tidy", "cargo xtask tidy", || tidy::run(workspace));
    plan(&scope, &runner.remedy()).iter().for_each(|planned| runner.run(planned));
    runner.finish()
}

/// Finds the commit that work began from, and what to call it.
fn base(root: &Path) -> Result<(String, String)> {
    let git = |arguments: &[&str]| command::read(Command::new("git").current_dir(root).args(arguments));
    let branch = git(&["branch", "--show-current"]).context("check asks git what has changed")?;
    let fork = |name: &str| Some((name.to_owned(), git(&["merge-base", "HEAD", name]).ok()?));
    git(&["rev-parse", "--verify", "--quiet", "HEAD"]).context("there is no commit to compare with yet")?;
    match mainlines(branch.trim()).iter().find_map(|name| fork(name)) {
        Some((name, commit)) => Ok((name, commit.trim().to_owned())),
        None if branch.trim() == "main" => Ok(("the last commit".to_owned(), "HEAD".to_owned())),
        // Compared with its own last commit, a branch would seem unchanged.
        None => bail!(
            "neither `main` nor `origin/main` shares a commit with this branch; run `git fetch --unshallow origin main:main`"
        ),
    }
}

/// Names what a branch is compared with, the best first. Main itself is compared with what has been published of it.
fn mainlines(branch: &str) -> &'static [&'static str] {
    if branch == "main" { &["origin/main"] } else { &["main", "origin/main"] }
}

fn changed_files(root: &Path, commit: &str) -> Result<Vec<String>> {
    let git = |arguments: &[&str]| command::read(Command::new("git").current_dir(root).args(arguments));
    let tracked = git(&["diff", "--name-only", "--no-renames", "-z", commit, "--"])?;
    let new = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    Ok([tracked, new].iter().flat_map(|list| list.split_terminator('\0')).map(str::to_owned).collect())
}

fn members(workspace: &Workspace) -> Result<Vec<Member>> {
    let metadata = MetadataCommand::new().no_deps().current_dir(&workspace.root).exec();
    Ok(members_of(&metadata.context("`cargo metadata --no-deps` failed; are all manifests valid?")?))
}

fn members_of(metadata: &Metadata) -> Vec<Member> {
    let directory = |manifest: &cargo_metadata::camino::Utf8Path| {
        let directory = manifest.parent().and_then(|path| path.strip_prefix(&metadata.workspace_root).ok());
        directory.map(|path| format!("{path}/")).unwrap_or_default()
    };
    let own = |name: &&str| metadata.packages.iter().any(|package| *package.name == **name);
    let members = metadata.packages.iter().map(|package| {
        let dependencies = package.dependencies.iter().map(|dependency| dependency.name.as_str());
        Member {
            name: package.name.to_string(),
            directory: directory(&package.manifest_path),
            dependencies: dependencies.filter(own).map(str::to_owned).collect(),
        }
    });
    members.collect()
}

fn scope<'a>(changed: &[String], members: &'a [Member]) -> Scope<'a> {
    let holds = |member: &Member| changed.iter().any(|path| path.starts_with(&member.directory));
    let everything = changed.iter().any(|path| is_shared(path));
    let names = members.iter().filter(|member| everything || holds(member)).map(|member| &*member.name);
    let changed: BTreeSet<_> = names.collect();
    let mut reached = changed.clone();
    loop {
        let needs = |member: &&Member| member.dependencies.iter().any(|name| reached.contains(&**name));
        let next: Vec<_> = members.iter().filter(needs).map(|member| &*member.name).collect();
        let count = reached.len();
        reached.extend(next);
        if reached.len() == count {
            break;
        }
    }
    let dependents = reached.difference(&changed).copied().collect();
    Scope { changed, dependents }
}

fn is_shared(path: &str) -> bool {
    SHARED.iter().any(|shared| path == *shared || shared.ends_with('/') && path.starts_with(shared))
}

fn summary(base: &str, files: usize, scope: &Scope<'_>) -> String {
    let list = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
    let mut text = format!("changed since {base}: {files} files");
    if scope.changed.is_empty() {
        return text + ", and no crate";
    }
    text += &format!("\nto be tested: {}", list(&scope.changed));
    if !scope.dependents.is_empty() {
        text += &format!("\nonly to be linted, because they depend on those: {}", list(&scope.dependents));
    }
    text
}

fn plan(scope: &Scope<'_>, remedy: &str) -> Vec<Planned> {
    if scope.changed.is_empty() {
        return vec![plan::fmt()];
    }
    let tested = packages(scope.changed.iter());
    let linted = packages(scope.changed.union(&scope.dependents));
    let selection = [&tested[..], &["--no-fail-fast", "--no-tests=pass"]].concat();
    vec![plan::fmt(), plan::clippy(&linted), plan::test_build(&tested), plan::tests(&selection, remedy)]
}

fn packages<'a>(names: impl Iterator<Item = &'a &'a str>) -> Vec<&'a str> {
    names.flat_map(|name| ["--package", name]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<Member> {
        let member = |name: &str, directory: &str, dependencies: &[&str]| Member {
            name: name.to_owned(),
            directory: directory.to_owned(),
            dependencies: dependencies.iter().map(ToString::to_string).collect(),
        };
        vec![
            member("core", "crates/core/", &[]),
            member("core-tools", "crates/core-tools/", &[]),
            member("engine", "crates/engine/", &["core"]),
            member("app", "crates/app/", &["engine"]),
            member("xtask", "xtask/", &["core-tools"]),
        ]
    }

    #[test]
    fn changed_files_lead_to_their_crates_and_to_those_that_depend_on_them() {
        let everything = ["app", "core", "core-tools", "engine", "xtask"];
        let table: [(&[&str], &[&str], &[&str]); 8] = [
            (&["crates/app/src/main.rs"], &["app"], &[]),
            (&["crates/app/src/main.rs", "crates/app/tests/a.rs"], &["app"], &[]),
            (&["crates/core/src/lib.rs"], &["core"], &["app", "engine"]),
            (&["crates/core/src/lib.rs", "crates/app/a"], &["app", "core"], &["engine"]),
            (&["crates/core-tools/Cargo.toml"], &["core-tools"], &["xtask"]),
            (&["docs/testing.md", "README.md", "crates/gone/src/lib.rs"], &[], &[]),
            (&["docs/testing.md", "Cargo.lock"], &everything, &[]),
            (&[".cargo/config.toml"], &everything, &[]),
        ];
        let members = members();
        for (paths, changed, dependents) in table {
            let owned: Vec<_> = paths.iter().map(ToString::to_string).collect();
            let wanted = Scope {
                changed: changed.iter().copied().collect(),
                dependents: dependents.iter().copied().collect(),
            };
            assert_eq!(scope(&owned, &members), wanted, "{paths:?}");
        }
    }

    #[test]
    fn what_has_changed_is_tested_and_what_depends_on_it_is_linted() {
        let scope = Scope { changed: ["core"].into(), dependents: ["app", "engine"].into() };
        let commands: Vec<_> = plan(&scope, "").iter().map(|planned| planned.arguments.join(" ")).collect();
        let wanted = [
            "fmt --all --check",
            "clippy --package app --package core --package engine --all-targets -- -D warnings",
            "nextest run --no-run --package core",
            "nextest run --package core --no-fail-fast --no-tests=pass",
        ];
        assert_eq!(commands, wanted);
    }

    #[test]
    fn nothing_is_compiled_for_a_change_outside_of_all_crates() {
        let names: Vec<_> = plan(&Scope::default(), "").iter().map(|planned| planned.name).collect();
        assert_eq!(names, ["fmt"]);
        assert_eq!(summary("main", 2, &Scope::default()), "changed since main: 2 files, and no crate");
    }

    #[test]
    fn the_summary_says_what_is_tested_and_what_only_linted() {
        let scope = Scope { changed: ["core"].into(), dependents: ["app", "engine"].into() };
        let wanted = "\
changed since main: 3 files
to be tested: core
only to be linted, because they depend on those: app, engine";
        assert_eq!(summary("main", 3, &scope), wanted);
    }

    fn git(root: &Path, arguments: &[&str]) {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        command::read(Command::new("git").current_dir(root).args(settings).args(arguments)).unwrap();
    }

    #[test]
    fn changes_count_whether_committed_staged_or_new() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        let changes = || {
            let (name, commit) = base(root).unwrap();
            (name, changed_files(root, &commit).unwrap())
        };
        git(root, &["init", "--quiet", "--initial-branch=main"]);
        ["same", "committed", "renamed", "edited"].iter().for_each(|name| write(name, name));
        git(root, &["add", "."]);
        git(root, &["commit", "--quiet", "--message=one"]);
        write("edited", "otherwise");
        assert_eq!(changes(), ("the last commit".to_owned(), vec!["edited".to_owned()]));
        git(root, &["switch", "--quiet", "--create=work"]);
        write("committed", "otherwise");
        git(root, &["commit", "--quiet", "--message=two", "committed"]);
        git(root, &["mv", "renamed", "moved"]);
        write("new", "");
        let wanted = ["committed", "edited", "moved", "renamed", "new"].map(str::to_owned).to_vec();
        assert_eq!(changes(), ("main".to_owned(), wanted));
    }

    #[test]
    fn main_is_compared_with_what_was_published_and_a_branch_with_main() {
        assert_eq!(mainlines("main"), ["origin/main"]);
        assert_eq!(mainlines("work"), ["main", "origin/main"]);
        assert_eq!(mainlines(""), ["main", "origin/main"]);
    }

    #[test]
    fn the_crates_of_this_workspace_are_known_with_what_they_need() {
        let workspace = Workspace::find().unwrap();
        let members = super::members(&workspace).unwrap();
        let own = members.iter().find(|member| member.name == "xtask").unwrap();
        assert_eq!(
            (own.directory.as_str(), &own.dependencies[..]),
            ("xtask/", &["baton-testbed".to_owned()][..])
        );
    }
}
