//! Installing packages on Debian and its kin, which only root may do.
//!
//! No other package manager is driven: naming the package serves its users better than a guess at their system.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::command;

/// The package of PostgreSQL's server.
const SERVER: &str = "postgresql";
/// The package of Debian's own tools around it, and their settings.
const CLUSTERS: &str = "postgresql-common";
const CLUSTERS_CONF: &str = "/etc/postgresql-common/createcluster.conf";

/// Tells whether this process may install packages with `apt-get`.
pub(crate) fn may_install() -> bool {
    let root = command::read(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    root && command::read(Command::new("apt-get").arg("--version")).is_ok()
}

pub(crate) fn install(packages: &[&str]) -> Result<()> {
    eprintln!("  installing with apt-get: {}", packages.join(" "));
    let failed = || format!("installing {} with apt-get; install them by hand instead", packages.join(" "));
    command::run(&mut apt(&["update", "--quiet"])).with_context(failed)?;
    if packages.contains(&SERVER) {
        command::run(&mut apt_install(&[CLUSTERS])).with_context(failed)?;
        keep_server_from_starting(Path::new(CLUSTERS_CONF))?;
    }
    command::run(&mut apt_install(packages)).with_context(failed)
}

/// Makes the package bring only programs: it would otherwise also make and start a server, which no test uses.
///
/// The file comes with a package of its own, and is read when the server's package is installed.
fn keep_server_from_starting(conf: &Path) -> Result<()> {
    let text = fs::read_to_string(conf).with_context(|| format!("reading `{}`", conf.display()))?;
    let Some(changed) = without_main_cluster(&text) else { return Ok(()) };
    eprintln!(
        "  {}: create_main_cluster = false, so that no server of the system is started",
        conf.display()
    );
    fs::write(conf, changed).with_context(|| format!("writing `{}`", conf.display()))
}

/// Adds the setting, unless somebody has already decided about it.
fn without_main_cluster(conf: &str) -> Option<String> {
    let is_decided = conf.lines().any(|line| line.trim_start().starts_with("create_main_cluster"));
    (!is_decided).then(|| format!("{}\ncreate_main_cluster = false\n", conf.trim_end()))
}

fn apt_install(packages: &[&str]) -> Command {
    let words: Vec<_> =
        ["install", "--yes", "--no-install-recommends"].iter().chain(packages).copied().collect();
    apt(&words)
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_the_server_is_told_to_start_none() {
        let directory = tempfile::tempdir().unwrap();
        let conf = directory.path().join("createcluster.conf");
        fs::write(&conf, "# Defaults\n#create_main_cluster = true\n\n").unwrap();
        let wanted = "# Defaults\n#create_main_cluster = true\ncreate_main_cluster = false\n";
        for _ in 0..2 {
            keep_server_from_starting(&conf).unwrap();
            assert_eq!(fs::read_to_string(&conf).unwrap(), wanted);
        }
    }

    #[test]
    fn a_decision_about_the_server_of_the_system_is_left_as_it_is() {
        assert_eq!(without_main_cluster("create_main_cluster = true\n"), None);
        assert_eq!(without_main_cluster("  create_main_cluster=false\n"), None);
    }

    #[test]
    fn packages_are_installed_without_what_they_only_recommend() {
        let shown = command::shown(&apt_install(&["git", "postgresql"]));
        assert_eq!(shown, "apt-get install --yes --no-install-recommends git postgresql");
    }
}
