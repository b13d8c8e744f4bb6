//! The programs of the system the tests start: git with its HTTP backend, Node.js, Python, the shell, curl and jq of a label
//! worker, bubblewrap, tmux, PostgreSQL, Chromium, and two cargo components.
//!
//! This module finds out what is missing and who could install it. It never looks at what the clients of the
//! contract tests need beyond their interpreters.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use baton_testbed::Programs;

use super::version::Version;
use super::{debian, entry};
use crate::command;

/// One thing the tests need from the system.
struct Program {
    name: &'static str,
    /// The package that brings it, or the command that does.
    source: Source,
    /// Finds it and returns its version or place.
    probe: fn() -> Result<String>,
}

#[derive(Clone, Copy)]
enum Source {
    /// A package by its name in Debian; other systems call it so or nearly so.
    Package(&'static str),
    /// A package whose name in Homebrew nobody would guess.
    Packages {
        debian: &'static str,
        homebrew: &'static str,
    },
    Rustup(&'static str),
}

/// A program that was not found, or is too old, and why it counts as such.
struct Missing {
    name: &'static str,
    source: Source,
    problem: String,
}

const PROGRAMS: [Program; 15] = [
    Program { name: "git", source: Source::Package("git"), probe: git },
    Program { name: "git http-backend", source: Source::Package("git"), probe: git_http_backend },
    Program { name: "node", source: Source::Package("nodejs"), probe: node },
    Program { name: "npm", source: Source::Package("npm"), probe: npm },
    Program { name: "python3 with venv", source: Source::Package("python3-venv"), probe: python },
    Program { name: "bash", source: Source::Package("bash"), probe: bash },
    Program { name: "curl", source: Source::Package("curl"), probe: curl },
    Program { name: "jq", source: Source::Package("jq"), probe: jq },
    Program { name: "bubblewrap", source: Source::Package("bubblewrap"), probe: bubblewrap },
    Program { name: "user namespaces", source: Source::Package("util-linux"), probe: user_namespaces },
    Program { name: "tmux", source: Source::Package("tmux"), probe: tmux },
    Program { name: "PostgreSQL", source: POSTGRESQL, probe: postgresql },
    Program { name: "Chromium", source: Source::Package("chromium"), probe: chromium },
    Program { name: "cargo fmt", source: Source::Rustup("rustfmt"), probe: cargo_fmt },
    Program { name: "cargo clippy", source: Source::Rustup("clippy"), probe: cargo_clippy },
];

const POSTGRESQL: Source = Source::Packages { debian: "postgresql", homebrew: "postgresql@16" };

/// Checks every program, installs what may be installed, and fails by name for the rest.
pub(crate) fn ensure(cache: &Path) -> Result<()> {
    let missing = look();
    if packages(&missing).is_empty() || !debian::may_install() {
        return complain(&missing);
    }
    // Two package managers at once get in each other's way.
    let _alone = entry::lock(&cache.join("programs"), "programs of the system")?;
    let missing = look();
    let packages = packages(&missing);
    if packages.is_empty() {
        return complain(&missing);
    }
    debian::install(&packages)?;
    complain(&look())
}

fn look() -> Vec<Missing> {
    PROGRAMS.iter().filter_map(look_for).collect()
}

fn look_for(program: &Program) -> Option<Missing> {
    match (program.probe)() {
        Ok(found) => {
            eprintln!("  {}: {found}", program.name);
            None
        }
        Err(error) => {
            let problem = format!("{error:#}");
            eprintln!("  {}: {problem}", program.name);
            Some(Missing { name: program.name, source: program.source, problem })
        }
    }
}

fn packages(missing: &[Missing]) -> Vec<&'static str> {
    let mut packages: Vec<_> = missing
        .iter()
        .filter_map(|missing| match missing.source {
            Source::Package(package) | Source::Packages { debian: package, .. } => Some(package),
            Source::Rustup(_) => None,
        })
        .collect();
    packages.dedup();
    packages
}

fn complain(missing: &[Missing]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{}", complaint(missing))
}

fn complaint(missing: &[Missing]) -> String {
    let mut text = String::from("the tests need programs that are missing or too old:");
    for Missing { name, source, problem } in missing {
        let remedy = match source {
            Source::Package(package) => format!("install the package `{package}` (its name in Debian)"),
            Source::Packages { debian, homebrew } => {
                format!("install the package `{debian}` (its name in Debian; in Homebrew `{homebrew}`)")
            }
            Source::Rustup(component) => format!("run `rustup component add {component}`"),
        };
        write!(text, "\n  - {name}: {problem}; {remedy}").expect("a String takes everything");
    }
    text.push_str("\nthen run `cargo xtask setup` again");
    text
}

/// `git worktree` and the protocol features the tests rely on are all there since 2.39.
fn git() -> Result<String> {
    at_least(Version(2, 39, 0), Command::new("git").arg("--version"))
}

fn git_http_backend() -> Result<String> {
    let directory = command::read(Command::new("git").arg("--exec-path"))?;
    let path: PathBuf = Path::new(directory.trim()).join("git-http-backend");
    ensure!(path.is_file(), "`{}` does not exist, and this git came without it", path.display());
    Ok(path.display().to_string())
}

/// The clients in contract/package.json declare 20 as their oldest.
fn node() -> Result<String> {
    at_least(Version(20, 0, 0), Command::new("node").arg("--version"))
}

fn npm() -> Result<String> {
    at_least(Version(0, 0, 0), Command::new("npm").arg("--version"))
}

/// Debian splits `ensurepip` from Python, and `venv` fails late and badly without it.
fn python() -> Result<String> {
    command::read(Command::new("python3").args(["-c", "import ensurepip, venv"]))?;
    at_least(Version(3, 10, 0), Command::new("python3").arg("--version"))
}

/// The label worker of the race tests counts with what bash has since 5.
fn bash() -> Result<String> {
    at_least(Version(5, 0, 0), Command::new("bash").args(["-c", "echo ${BASH_VERSION%%(*}"]))
}

/// The label worker takes the server's date from `--write-out '%header{date}'`, which curl has since 7.84.
fn curl() -> Result<String> {
    at_least(Version(7, 84, 0), Command::new("curl").arg("--version"))
}

fn jq() -> Result<String> {
    command::read(Command::new("jq").arg("--version")).map(|version| version.trim().to_owned())
}

/// The sandbox of agents, which only Linux has.
fn bubblewrap() -> Result<String> {
    if cfg!(not(target_os = "linux")) {
        return Ok("not for this system".to_owned());
    }
    command::read(Command::new("bwrap").arg("--version")).map(|version| version.trim().to_owned())
}

/// Tests of full disks mount one of their own, for which an ordinary user needs a user namespace.
fn user_namespaces() -> Result<String> {
    if cfg!(not(target_os = "linux")) {
        return Ok("not for this system".to_owned());
    }
    let arguments = ["--user", "--map-root-user", "--mount", "true"];
    command::read(Command::new("unshare").args(arguments)).context(
        "the system must let users make namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces)",
    )?;
    Ok("allowed".to_owned())
}

/// The terminal in which the board is tried; windows are resized by name since 2.9.
fn tmux() -> Result<String> {
    let version = command::read(Command::new("tmux").arg("-V"))?;
    Ok(version.trim().to_owned())
}

/// Looks where the tests will look, which is not only on PATH; 14 is the oldest that its makers still repair.
fn postgresql() -> Result<String> {
    let postgres = Programs::find()?.path("postgres");
    let version = at_least(Version(14, 0, 0), Command::new(&postgres).arg("--version"))?;
    Ok(format!("{version}, {}", postgres.display()))
}

/// The browser that the dashboard is shown in. Its driver speaks to those of the last years; 120 is of December 2023.
fn chromium() -> Result<String> {
    at_least(Version(120, 0, 0), Command::new("chromium").arg("--version"))
}

fn cargo_fmt() -> Result<String> {
    at_least(Version(0, 0, 0), command::cargo().args(["fmt", "--version"]))
}

fn cargo_clippy() -> Result<String> {
    at_least(Version(0, 0, 0), command::cargo().args(["clippy", "--version"]))
}

/// Runs a version command and compares what it prints with the oldest version that will do.
pub(crate) fn at_least(minimum: Version, version_command: &mut Command) -> Result<String> {
    let shown = command::shown(version_command);
    let output = command::read(version_command)?;
    let found = Version::find(&output)
        .with_context(|| format!("`{shown}` printed no version number: {:?}", output.trim()))?;
    ensure!(found >= minimum, "`{shown}` says {found}, and the oldest that will do is {minimum}");
    Ok(found.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(name: &'static str, source: Source) -> Missing {
        Missing { name, source, problem: format!("`{name}` could not be started") }
    }

    #[test]
    fn a_complaint_names_what_is_missing_and_what_to_install() {
        let complaint = complaint(&[
            missing("node", Source::Package("nodejs")),
            missing("PostgreSQL", POSTGRESQL),
            missing("cargo fmt", Source::Rustup("rustfmt")),
        ]);
        let wanted = "\
the tests need programs that are missing or too old:
  - node: `node` could not be started; install the package `nodejs` (its name in Debian)
  - PostgreSQL: `PostgreSQL` could not be started; install the package `postgresql` (its name in Debian; in Homebrew `postgresql@16`)
  - cargo fmt: `cargo fmt` could not be started; run `rustup component add rustfmt`
then run `cargo xtask setup` again";
        assert_eq!(complaint, wanted);
    }

    #[test]
    fn a_package_that_brings_two_programs_is_installed_once() {
        let missing = [
            missing("git", Source::Package("git")),
            missing("git http-backend", Source::Package("git")),
            missing("PostgreSQL", POSTGRESQL),
            missing("cargo fmt", Source::Rustup("rustfmt")),
        ];
        assert_eq!(packages(&missing), ["git", "postgresql"]);
    }

    #[test]
    fn a_version_that_is_too_old_is_refused_with_both_numbers() {
        let error = at_least(Version(99, 1, 0), Command::new("git").arg("--version")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("`git --version` says 2."), "{text}");
        assert!(text.ends_with("the oldest that will do is 99.1.0"), "{text}");
    }

    #[test]
    fn a_program_without_a_version_number_is_refused() {
        let error = at_least(Version(0, 0, 0), Command::new("echo").arg("hello")).unwrap_err();
        assert_eq!(error.to_string(), "`echo hello` printed no version number: \"hello\"");
    }
}
