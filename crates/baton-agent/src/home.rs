//! The private home of an agent: a directory of ours with settings of git, and links to what its program needs of the real
//! home. What else is in the real home, keys and credentials above all, is not in it.
//!
//! A home is kept from run to run, because programs keep sessions in it; making it again repairs what is ours. Deliberately
//! absent: which program needs what, and hiding the real home, which takes a sandbox.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::records::file_name;

/// A home that is to be there.
#[derive(Debug, Clone, Copy)]
pub struct HomeTerms<'a> {
    /// Where.
    pub path: &'a Path,
    /// The home that its links lead to, if there is one.
    pub real_home: Option<&'a Path>,
    /// What is linked, by its name in both homes, if it exists.
    pub needs: &'a [&'a str],
    /// Who commits.
    pub git_name: &'a str,
    /// With which address.
    pub git_email: &'a str,
}

/// Returns where the home of an agent is, in the directory of all homes.
pub fn path(directory: &Path, agent: &str) -> PathBuf {
    directory.join(file_name(agent))
}

/// Makes a home, or repairs one. Nobody else can look into it.
pub fn make(terms: &HomeTerms<'_>) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(terms.path)?;
    std::fs::set_permissions(terms.path, Permissions::from_mode(0o700))?;
    write_settings(&terms.path.join(".gitconfig"), &settings(terms.git_name, terms.git_email))?;
    let real_home = terms.real_home.into_iter();
    real_home
        .flat_map(|real| terms.needs.iter().map(move |name| (real, name)))
        .try_for_each(|(real, name)| link(&terms.path.join(name), &real.join(name)))
}

/// An agent may change its settings during a run, and the next run finds ours again.
fn write_settings(path: &Path, text: &str) -> io::Result<()> {
    // A link in its place could lead anywhere.
    let is_ours = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_ours && std::fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let new = path.with_extension("new");
    for in_the_way in [path, &new] {
        if in_the_way.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            std::fs::remove_dir_all(in_the_way)?;
        }
    }
    let _ = std::fs::remove_file(&new);
    std::fs::write(&new, text)?;
    std::fs::rename(new, path)
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    let found = from.symlink_metadata();
    if found.as_ref().is_ok_and(|found| !found.is_symlink()) {
        // The program has made something of its own here.
        return Ok(());
    }
    if found.is_ok() {
        if std::fs::read_link(from).is_ok_and(|leads_to| leads_to == to) && to.exists() {
            return Ok(());
        }
        std::fs::remove_file(from)?;
    }
    if to.exists() { symlink(to, from) } else { Ok(()) }
}

/// Nothing that asks, helps or signs, and no clean-up that would touch what all work trees share.
fn settings(name: &str, email: &str) -> String {
    format!(
        "[user]\n\tname = {}\n\temail = {}\n[credential]\n\thelper =\n[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n\
         [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
        quoted(name),
        quoted(email)
    )
}

fn quoted(value: &str) -> String {
    let one_line: String = value.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    format!("\"{}\"", one_line.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    struct Homes {
        root: tempfile::TempDir,
    }

    impl Homes {
        fn new() -> Self {
            let homes = Self { root: tempfile::tempdir().unwrap() };
            std::fs::create_dir_all(homes.real().join(".claude")).unwrap();
            std::fs::create_dir_all(homes.real().join(".ssh")).unwrap();
            homes
        }

        fn real(&self) -> PathBuf {
            self.root.path().join("real")
        }

        fn own(&self) -> PathBuf {
            path(&self.root.path().join("homes"), "Vera/1")
        }

        fn make(&self, name: &str) {
            let (path, real) = (self.own(), self.real());
            let needs = &[".claude", ".claude.json"];
            make(&HomeTerms {
                path: &path,
                real_home: Some(&real),
                needs,
                git_name: name,
                git_email: "v@example.org",
            })
            .unwrap();
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<_> = std::fs::read_dir(self.own())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    #[test]
    fn whatever_an_agent_put_in_the_way_of_our_settings_is_repaired() {
        let homes = Homes::new();
        homes.make("Vera");
        let ours = std::fs::read_to_string(homes.own().join(".gitconfig")).unwrap();
        for name in [".gitconfig", ".gitconfig.new", ".new"] {
            let _ = std::fs::remove_file(homes.own().join(name));
            std::fs::create_dir_all(homes.own().join(name).join("deep")).unwrap();
            let _ = std::fs::remove_file(homes.own().join(".gitconfig"));
            homes.make("Vera");
            assert_eq!(std::fs::read_to_string(homes.own().join(".gitconfig")).unwrap(), ours, "{name}");
        }
    }

    #[test]
    fn a_home_has_what_is_needed_and_nothing_else_for_its_owner_alone() {
        let homes = Homes::new();
        homes.make("Vera");
        assert_eq!(homes.names(), [".claude", ".gitconfig"]);
        assert_eq!(std::fs::read_link(homes.own().join(".claude")).unwrap(), homes.real().join(".claude"));
        assert_eq!(homes.own().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(homes.real().join(".claude.json"), "{}").unwrap();
        homes.make("Vera");
        assert_eq!(homes.names(), [".claude", ".claude.json", ".gitconfig"]);
    }

    #[test]
    fn a_home_that_was_tampered_with_is_repaired_and_what_a_program_keeps_stays() {
        let homes = Homes::new();
        homes.make("Vera");
        let (config, outside) = (homes.own().join(".gitconfig"), homes.root.path().join("outside"));
        std::fs::write(&outside, "theirs").unwrap();
        std::fs::remove_file(&config).unwrap();
        symlink(&outside, &config).unwrap();
        std::fs::write(homes.own().join(".claude.json"), "own").unwrap();
        std::fs::write(homes.real().join(".claude.json"), "real").unwrap();
        std::fs::remove_dir(homes.real().join(".claude")).unwrap();
        homes.make("Vera");
        assert_eq!(homes.names(), [".claude.json", ".gitconfig"]);
        assert_eq!(std::fs::read_to_string(outside).unwrap(), "theirs");
        assert_eq!(std::fs::read_to_string(homes.own().join(".claude.json")).unwrap(), "own");
        assert!(std::fs::read_to_string(config).unwrap().starts_with("[user]"));
    }

    #[test]
    fn git_reads_the_settings_whatever_the_name() {
        let homes = Homes::new();
        for name in ["Vera", "a \"b\" \\ c # d; e", "x\ny = z"] {
            homes.make(name);
            let config = homes.own().join(".gitconfig");
            let git = |key: &str| {
                let output =
                    Command::new("git").args(["config", "--file"]).arg(&config).arg(key).output().unwrap();
                String::from_utf8(output.stdout).unwrap()
            };
            assert_eq!(git("user.name").trim_end_matches('\n'), name.replace('\n', " "));
            assert_eq!((git("credential.helper").as_str(), git("gc.auto").as_str()), ("\n", "0\n"));
        }
    }
}
