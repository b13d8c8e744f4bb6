//! The cargo plugins the test command calls: nextest and deny.
//!
//! A usable one on PATH is used as it is. Otherwise the pinned version is compiled into the cache, so the developer's
//! own installation is never touched.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result};

use super::entry::{Entry, Making};
use super::programs;
use super::version::Version;
use crate::command;

struct Plugin {
    package: &'static str,
    subcommand: &'static str,
    /// The oldest version that will do.
    minimum: Version,
    /// The version to install where there is none that will do.
    pinned: Version,
}

const PLUGINS: [Plugin; 2] = [
    Plugin {
        package: "cargo-nextest",
        subcommand: "nextest",
        minimum: Version(0, 9, 100),
        pinned: Version(0, 9, 143),
    },
    Plugin {
        package: "cargo-deny",
        subcommand: "deny",
        minimum: Version(0, 20, 0),
        pinned: Version(0, 20, 2),
    },
];

/// Settings of the compiler under which a plugin is ready soonest: neither has work that optimization would speed up.
const QUICK: [(&str, &str); 5] = [
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
];

/// Finds or compiles the plugins, and returns the directories of those that PATH does not have.
///
/// Both at once, because each ends with one large crate that only one core can work on.
pub(crate) fn ensure(cache: &Path) -> Result<Vec<PathBuf>> {
    let places: Result<Vec<_>> = thread::scope(|scope| {
        let threads = PLUGINS.each_ref().map(|plugin| scope.spawn(|| plugin.ensure(cache)));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    Ok(places?.into_iter().flatten().collect())
}

/// Returns `PATH` with some directories in front.
pub(crate) fn search_path(front: &[PathBuf]) -> Result<OsString> {
    let inherited = env::var_os("PATH").unwrap_or_default();
    env::join_paths(front.iter().cloned().chain(env::split_paths(&inherited))).with_context(|| {
        format!("{front:?} cannot be put on PATH; set BATON_TEST_CACHE to a directory without `:`")
    })
}

impl Plugin {
    fn ensure(&self, cache: &Path) -> Result<Option<PathBuf>> {
        if let Ok(found) = self.on_path() {
            eprintln!("  {}: {found}", self.package);
            return Ok(None);
        }
        let probe = |path: &Path| self.in_entry(path).map(drop);
        let path = cache.join(format!("{}-{}", self.package, self.pinned));
        let entry = Entry { title: self.package, path, probe: &probe };
        entry.ensure(|making| self.compile(making)).with_context(|| {
            format!("installing {}; put version {} or later on PATH instead", self.package, self.minimum)
        })?;
        eprintln!("  {}: {}", self.package, entry.path.display());
        Ok(Some(entry.path.join("bin")))
    }

    /// Asks for the version through cargo, so that the same program answers as runs in the test step.
    fn on_path(&self) -> Result<String> {
        programs::at_least(self.minimum, command::cargo().args([self.subcommand, "--version"]))
    }

    fn in_entry(&self, entry: &Path) -> Result<String> {
        let program = entry.join("bin").join(self.package);
        programs::at_least(self.pinned, Command::new(program).args([self.subcommand, "--version"]))
    }

    fn compile(&self, making: &Making<'_>) -> Result<()> {
        let build = making.path.join("build");
        making.run(&mut self.installation(making.path, &build)?)?;
        fs::remove_dir_all(&build).with_context(|| format!("removing `{}`", build.display()))
    }

    /// The features that are left out are nextest's probes for tracers and its way to update itself; deny has none.
    fn installation(&self, root: &Path, build: &Path) -> Result<Command> {
        let mut install = command::cargo();
        install
            .args(["install", "--locked", "--debug", "--no-default-features", "--no-track"])
            .args(["--version", &self.pinned.to_string(), "--root"])
            .arg(root)
            .arg("--target-dir")
            .arg(build)
            .arg(self.package)
            // Settings of the workspace are not for them.
            .current_dir(root)
            // Otherwise cargo advises to do so.
            .env("PATH", search_path(&[root.join("bin")])?)
            .envs(QUICK);
        Ok(install)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_installed_pinned_and_in_its_entry() {
        let installation = PLUGINS[1].installation(Path::new("/c/d"), Path::new("/c/d/build")).unwrap();
        let wanted = "cargo install --locked --debug --no-default-features --no-track --version 0.20.2 \
                      --root /c/d --target-dir /c/d/build cargo-deny";
        assert_eq!(command::shown(&installation), wanted);
    }

    #[test]
    fn the_pinned_version_of_a_plugin_will_do() {
        assert!(PLUGINS.iter().all(|plugin| plugin.pinned >= plugin.minimum));
    }

    #[test]
    fn compiled_plugins_come_before_what_path_has() {
        let path = search_path(&["/c/nextest/bin".into(), "/c/deny/bin".into()]).unwrap();
        let places: Vec<_> = env::split_paths(&path).take(2).collect();
        assert_eq!(places, [Path::new("/c/nextest/bin"), Path::new("/c/deny/bin")]);
        assert!(search_path(&["/a:b".into()]).unwrap_err().to_string().contains("BATON_TEST_CACHE"));
    }
}
