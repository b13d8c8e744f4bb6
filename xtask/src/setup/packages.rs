//! Node.js packages that a lock file names, installed beside copies of the files that name them.
//!
//! No package may run a script of its own while it is installed; what one of them needs after that, the caller does.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::stamp::Stamp;
use crate::command;

/// The files that say what npm installs; they are copied because npm installs beside them.
const FILES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// Packages that belong together.
pub(crate) struct Packages<'a> {
    /// What they are, for people.
    pub(crate) title: &'a str,
    /// The directory of the files that name them.
    pub(crate) source: &'a Path,
    /// The directory that they are installed in; their stamp is beside it.
    pub(crate) directory: &'a Path,
}

impl Packages<'_> {
    /// Installs the packages unless they are there, then does what remains to be done with the new ones.
    pub(crate) fn ensure(&self, finish: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let texts = FILES.iter().map(|name| read(&self.source.join(name))).collect::<Result<Vec<_>>>()?;
        let version = command::read(Command::new("node").arg("--version"))?;
        let inputs: Vec<_> = texts.iter().map(String::as_str).chain([version.as_str()]).collect();
        let stamp = Stamp::of(self.directory.with_extension("stamp"), &inputs);
        if stamp.is_current() && self.directory.join("node_modules").is_dir() {
            eprintln!("  {}: up to date", self.title);
            return Ok(());
        }
        eprintln!("  {}: installing into {}", self.title, self.directory.display());
        stamp.around(|| {
            self.install(&texts)?;
            finish(self.directory)
        })
    }

    fn install(&self, texts: &[String]) -> Result<()> {
        let directory = self.directory;
        fs::create_dir_all(directory).with_context(|| format!("creating `{}`", directory.display()))?;
        FILES.iter().zip(texts).try_for_each(|(name, text)| write(&directory.join(name), text))?;
        command::run(&mut npm(directory))
            .with_context(|| format!("installing what `{}` lists", self.source.join(FILES[1]).display()))
    }
}

fn npm(directory: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(directory);
    npm
}

/// Reads a file that says what to install.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| {
        format!("reading `{}`, which lists what the contract tests need; restore it from git", path.display())
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("writing `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn npm_runs_no_scripts_of_the_packages_it_installs() {
        assert_eq!(command::shown(&npm(Path::new("/n"))), "npm ci --ignore-scripts --no-audit --no-fund");
    }

    #[test]
    fn packages_that_could_not_be_finished_are_installed_again() {
        let place = tempfile::tempdir().unwrap();
        let (source, directory) = (place.path().join("source"), place.path().join("packages"));
        fs::create_dir(&source).unwrap();
        let lock = r#"{"name":"x","version":"0.0.0","lockfileVersion":3,"packages":{"":{"name":"x","version":"0.0.0"}}}"#;
        for (name, text) in FILES.iter().zip([r#"{"name":"x","version":"0.0.0"}"#, lock, ""]) {
            fs::write(source.join(name), text).unwrap();
        }
        let packages = Packages { title: "nothing", source: &source, directory: &directory };
        packages.ensure(|_| bail!("interrupted")).unwrap_err();
        let mut finished = 0;
        for _ in 0..2 {
            packages
                .ensure(|directory| {
                    finished += 1;
                    fs::create_dir_all(directory.join("node_modules")).map_err(Into::into)
                })
                .unwrap();
        }
        assert_eq!(finished, 1);
    }
}
