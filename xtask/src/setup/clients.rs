//! The clients of the contract tests: Python packages in a virtual environment, and Node.js packages beside it.
//!
//! What to install is decided by the files in `contract/`; where, by the target directory, which continuous
//! integration may keep between clones. The clients are not started here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::packages::{Packages, read};
use super::stamp::Stamp;
use crate::command;
use crate::workspace::Workspace;

pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    let installed = workspace.contract();
    create(&installed)?;
    python(&workspace.root.join("contract"), &installed)?;
    node(&workspace.root.join("contract"), &installed)
}

fn python(source: &Path, installed: &Path) -> Result<()> {
    let list = source.join("requirements.txt");
    let requirements = read(&list)?;
    let venv = installed.join("venv");
    let interpreter = venv.join("bin").join("python");
    let version = command::read(Command::new("python3").arg("--version"))?;
    // A virtual environment carries its own path in its scripts, so one that was moved counts as another.
    let inputs = [&*requirements, &*version, &*venv.to_string_lossy()];
    let stamp = Stamp::of(installed.join("venv.stamp"), &inputs);
    if stamp.is_current() && interpreter.is_file() {
        eprintln!("  contract clients for Python: up to date");
        return Ok(());
    }
    eprintln!("  contract clients for Python: installing into {}", venv.display());
    stamp.around(|| {
        command::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        command::run(&mut pip(&interpreter, &list, &requirements))
            .with_context(|| format!("installing what `{}` lists", list.display()))
    })
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

fn node(source: &Path, installed: &Path) -> Result<()> {
    let directory = installed.join("node");
    let packages = Packages { title: "contract clients for Node.js", source, directory: &directory };
    packages.ensure(|_| Ok(()))
}

fn create(directory: &PathBuf) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("creating `{}`", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let error = format!("{:#}", python(directory.path(), directory.path()).unwrap_err());
        assert!(error.contains("requirements.txt`, which lists what the contract tests need"), "{error}");
    }
}
