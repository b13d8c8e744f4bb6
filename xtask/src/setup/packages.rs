//! Node.js packages that a lock file names, installed beside copies of the files that name them.
//!
//! No package may run a script of its own while it is installed; what one of them needs after that, the caller does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::cache;
use super::entry::{Entry, Making};
use crate::command;

/// The files that say what npm installs; they are copied because npm installs beside them.
const FILES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

const MODULES: &str = "node_modules";
/// Where npm lists what it has installed.
const LIST: &str = "node_modules/.package-lock.json";

/// Packages that belong together.
pub(crate) struct Packages<'a> {
    /// What they are, for people.
    pub(crate) title: &'a str,
    /// What their entries in the cache are called.
    pub(crate) name: &'a str,
    /// The directory of the files that name them.
    pub(crate) source: &'a Path,
}

/// Where packages were installed.
pub(crate) struct Installed(PathBuf);

impl Packages<'_> {
    /// Installs the packages unless they are there, then does what remains to be done with the new ones.
    pub(crate) fn ensure(
        &self,
        cache: &Path,
        finish: impl FnOnce(&Making<'_>) -> Result<()>,
    ) -> Result<Installed> {
        let texts = FILES.iter().map(|name| read(&self.source.join(name))).collect::<Result<Vec<_>>>()?;
        let version = command::read(Command::new("node").arg("--version"))?;
        let inputs: Vec<_> = texts.iter().map(String::as_str).chain([version.as_str()]).collect();
        let path = cache.join(format!("{}-{}", self.name, cache::fingerprint(&inputs)));
        let entry = Entry { title: self.title, path, probe: &probe };
        entry.ensure(|making| {
            self.install(making, &texts)?;
            finish(making)
        })?;
        eprintln!("  {}: {}", self.title, entry.path.display());
        Ok(Installed(entry.path))
    }

    fn install(&self, making: &Making<'_>, texts: &[String]) -> Result<()> {
        FILES.iter().zip(texts).try_for_each(|(name, text)| write(&making.path.join(name), text))?;
        making
            .run(&mut npm(making.path))
            .with_context(|| format!("installing what `{}` lists", self.source.join(FILES[1]).display()))
    }
}

impl Installed {
    /// Makes a directory of the clone one that these packages are found from.
    ///
    /// Only the packages are linked, so that `..` leads from the directory to the clone and not into the cache.
    pub(crate) fn link(&self, directory: &Path) -> Result<()> {
        cache::link(&directory.join(MODULES), &self.0.join(MODULES))
    }
}

/// Fails unless every package is there that npm says it has installed.
fn probe(path: &Path) -> Result<()> {
    let list = path.join(LIST);
    let text = fs::read_to_string(&list).with_context(|| format!("`{}` is missing", list.display()))?;
    let lock: Value = serde_json::from_str(&text).with_context(|| format!("reading `{}`", list.display()))?;
    for (place, package) in lock["packages"].as_object().into_iter().flatten() {
        let is_optional = package["optional"] == true;
        ensure!(is_optional || path.join(place).join("package.json").is_file(), "`{place}` is missing");
    }
    Ok(())
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
        let (source, cache) = (place.path().join("source"), place.path().join("cache"));
        fs::create_dir(&source).unwrap();
        fs::create_dir(&cache).unwrap();
        let lock = r#"{"name":"x","version":"0.0.0","lockfileVersion":3,"packages":{"":{"name":"x","version":"0.0.0"}}}"#;
        for (name, text) in FILES.iter().zip([r#"{"name":"x","version":"0.0.0"}"#, lock, ""]) {
            fs::write(source.join(name), text).unwrap();
        }
        let packages = Packages { title: "nothing", name: "nothing", source: &source };
        assert!(packages.ensure(&cache, |_| bail!("interrupted")).is_err());
        let mut finished = 0;
        for _ in 0..2 {
            let installed = packages.ensure(&cache, |making| {
                finished += 1;
                fs::create_dir_all(making.path.join(MODULES))?;
                write(&making.path.join(LIST), "{}")
            });
            installed.unwrap().link(&place.path().join("clone")).unwrap();
        }
        assert_eq!(finished, 1);
        assert!(place.path().join("clone").join(MODULES).is_dir());
    }

    #[test]
    fn a_package_that_is_gone_is_noticed() {
        let place = tempfile::tempdir().unwrap();
        let package = place.path().join("node_modules/there");
        fs::create_dir_all(&package).unwrap();
        write(&package.join("package.json"), "{}").unwrap();
        let list =
            r#"{"packages":{"node_modules/there":{},"node_modules/of-another-system":{"optional":true}}}"#;
        write(&place.path().join(LIST), list).unwrap();
        probe(place.path()).unwrap();
        fs::remove_file(package.join("package.json")).unwrap();
        assert_eq!(probe(place.path()).unwrap_err().to_string(), "`node_modules/there` is missing");
        fs::remove_file(place.path().join(LIST)).unwrap();
        probe(place.path()).unwrap_err();
    }
}
