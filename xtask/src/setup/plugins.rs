//! The cargo plugins the test command calls: nextest and deny.
//!
//! A usable one on PATH is used as it is. Otherwise the pinned version is compiled into the target directory, so the
//! developer's own installation is never touched.

use std::process::Command;

use anyhow::{Context as _, Result};

use super::programs;
use super::version::Version;
use crate::command;
use crate::workspace::Workspace;

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

pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    PLUGINS.iter().try_for_each(|plugin| plugin.ensure(workspace))
}

impl Plugin {
    fn ensure(&self, workspace: &Workspace) -> Result<()> {
        let found = match self.probe(workspace) {
            Ok(found) => found,
            Err(problem) => {
                eprintln!("  {}: {problem:#}", self.package);
                self.install(workspace)?;
                self.probe(workspace)
                    .with_context(|| format!("{} was installed and still does not run", self.package))?
            }
        };
        eprintln!("  {}: {found}", self.package);
        Ok(())
    }

    /// Asks for the version through cargo, so that the same program answers as runs in the test step.
    fn probe(&self, workspace: &Workspace) -> Result<String> {
        let mut version = command::cargo();
        version.args([self.subcommand, "--version"]).env("PATH", workspace.search_path()?);
        programs::at_least(self.minimum, &mut version)
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        eprintln!("  {}: compiling {}, which takes some minutes once", self.package, self.pinned);
        command::run(&mut self.installation(workspace)).with_context(|| {
            format!("installing {}; put version {} or later on PATH instead", self.package, self.minimum)
        })
    }

    fn installation(&self, workspace: &Workspace) -> Command {
        let mut install = command::cargo();
        install
            .args(["install", "--locked", "--force", "--version", &self.pinned.to_string(), "--root"])
            .arg(workspace.tools())
            .arg(self.package);
        install
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_installed_pinned_and_under_the_target_directory() {
        let workspace = Workspace { root: "/w".into(), target: "/t".into() };
        let shown = command::shown(&PLUGINS[1].installation(&workspace));
        assert_eq!(shown, "cargo install --locked --force --version 0.20.2 --root /t/tools cargo-deny");
    }

    #[test]
    fn the_pinned_version_of_a_plugin_will_do() {
        assert!(PLUGINS.iter().all(|plugin| plugin.pinned >= plugin.minimum));
    }
}
