//! The clients of the contract tests: Python packages in a virtual environment, and Node.js packages beside it.
//!
//! What to install is decided by the files in `contract/`. The clients are not started here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::cache;
use super::entry::Entry;
use super::packages::{Packages, read};
use crate::command;
use crate::workspace::Workspace;

pub(crate) fn ensure(workspace: &Workspace, cache: &Path) -> Result<()> {
    let source = workspace.root.join("contract");
    python(&source, cache, &workspace.contract().join("venv"))?;
    let packages = Packages { title: "contract clients for Node.js", name: "node-clients", source: &source };
    packages.ensure(cache, |_| Ok(()))?.link(&workspace.contract().join("node"))
}

fn python(source: &Path, cache: &Path, link: &Path) -> Result<()> {
    let list = source.join("requirements.txt");
    let requirements = read(&list)?;
    let version = command::read(Command::new("python3").arg("--version"))?;
    // A virtual environment carries its own path in its scripts, so one that was moved counts as another.
    let inputs = [&*requirements, &*version, &*cache.to_string_lossy()];
    let path = cache.join(format!("python-clients-{}", cache::fingerprint(&inputs)));
    let probe = |path: &Path| command::read(&mut inventory(path, &requirements)).map(drop);
    let entry = Entry { title: "contract clients for Python", path, probe: &probe };
    entry.ensure(|making| {
        making.run(Command::new("python3").args(["-m", "venv"]).arg(making.path))?;
        making
            .run(&mut pip(&interpreter(making.path), &list, &requirements))
            .with_context(|| format!("installing what `{}` lists", list.display()))
    })?;
    eprintln!("  {}: {}", entry.title, entry.path.display());
    cache::link(link, &entry.path)
}

fn interpreter(venv: &Path) -> PathBuf {
    venv.join("bin").join("python")
}

/// Fails unless every package of the list is there.
fn inventory(venv: &Path, requirements: &str) -> Command {
    let script = "import sys, importlib.metadata as m; [m.distribution(name) for name in sys.argv[1:]]";
    let mut python = Command::new(interpreter(venv));
    python.args(["-c", script]).args(names(requirements));
    python
}

/// Returns the packages that are installed on every system, without their extras.
fn names(requirements: &str) -> impl Iterator<Item = &str> {
    let everywhere = requirements.lines().filter(|line| !line.contains(';'));
    everywhere.filter_map(|line| line.split_once("==")?.0.split('[').next()).map(str::trim)
}

fn pip(interpreter: &Path, list: &Path, requirements: &str) -> Command {
    let mut pip = Command::new(interpreter);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    if requirements.contains("--hash=") {
        pip.arg("--require-hashes");
    }
    pip.arg("-r").arg(list);
    pip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_list_are_those_of_every_system_and_nothing_else() {
        let list = "# a==b is a comment; not a package\nPyGithub==2.10.0 \\\n    --hash=sha256:00\n\nhishel[async]==1.4.0\ncolorama==0.4.6 ; sys_platform == 'win32'\n";
        assert_eq!(names(list).collect::<Vec<_>>(), ["PyGithub", "hishel"]);
    }

    #[test]
    fn hashes_are_required_as_soon_as_the_list_has_any() {
        let shown = |requirements| {
            command::shown(&pip(Path::new("/v/bin/python"), Path::new("/c/requirements.txt"), requirements))
        };
        assert!(!shown("PyGithub==2.10.0\n").contains("--require-hashes"));
        assert!(shown("PyGithub==2.10.0 --hash=sha256:00\n").contains("--require-hashes -r"));
    }

    #[test]
    fn a_missing_list_is_an_error_that_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let error = format!("{:#}", python(place, place, &place.join("venv")).unwrap_err());
        assert!(error.contains("requirements.txt`, which lists what the contract tests need"), "{error}");
    }
}
