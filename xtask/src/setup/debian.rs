//! Installing packages on Debian and its kin, which only root may do.
//!
//! No other package manager is driven: naming the package serves its users better than a guess at their system.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::command;

/// Tells whether this process may install packages with `apt-get`.
pub(crate) fn may_install() -> bool {
    let root = command::read(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    root && command::read(Command::new("apt-get").arg("--version")).is_ok()
}

pub(crate) fn install(packages: &[&str]) -> Result<()> {
    eprintln!("  installing with apt-get: {}", packages.join(" "));
    let failed = || format!("installing {} with apt-get; install them by hand instead", packages.join(" "));
    command::run(&mut apt(&["update", "--quiet"])).with_context(failed)?;
    let words: Vec<_> =
        ["install", "--yes", "--no-install-recommends"].iter().chain(packages).copied().collect();
    command::run(&mut apt(&words)).with_context(failed)
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
