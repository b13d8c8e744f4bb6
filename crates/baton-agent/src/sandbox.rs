//! The sandbox of bubblewrap around a command: everything is read-only but its work tree, its home and what git must write to
//! commit there; `/tmp`, `/dev` and `/run` are its own; the real home is hidden; it sees no process but its own.
//!
//! The network stays, because models are reached over it. Paths that do not exist are left out by bubblewrap itself.
//! Deliberately absent: starting anything.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The program of the sandbox.
pub const PROGRAM: &str = "bwrap";

/// Where the system's names of hosts may be found, below what is hidden.
const RESOLVERS: [&str; 3] = ["/run/systemd/resolve", "/run/resolvconf", "/run/nscd"];

/// What git writes in a mirror when something is committed in one of its work trees. Its settings and hooks are not in it.
const SHARED_BY_WORK_TREES: [&str; 3] = ["objects", "refs", "logs"];

/// What a command may see and write. All paths are absolute and without links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxTerms {
    /// Where it works.
    pub worktree: PathBuf,
    /// Where git keeps what belongs to that work tree, in `worktrees` of its mirror; nothing if it is no work tree of ours.
    pub git_dir: Option<PathBuf>,
    /// The private home.
    pub home: Option<PathBuf>,
    /// The real home, which is hidden.
    pub real_home: Option<PathBuf>,
    /// Directories that are hidden besides.
    pub hidden_directories: Vec<PathBuf>,
    /// Files that are hidden besides.
    pub hidden_files: Vec<PathBuf>,
    /// Files that are not to be written even where everything else may be.
    pub protected_files: Vec<PathBuf>,
    /// What is shown of what is hidden, to be read: programs, for example.
    pub readable: Vec<PathBuf>,
    /// What may be written besides: what the links of the private home lead to, for example.
    pub writable: Vec<PathBuf>,
}

/// Returns a command that runs another one in a sandbox.
pub fn wrap(argv: &[OsString], terms: &SandboxTerms) -> Vec<OsString> {
    let mut bwrap = Arguments(Vec::new());
    // A signal to the group also reaches bubblewrap, which would die of it and take the agent along before that can end. So
    // it does not hear these two, and the agent does again.
    bwrap.words(&["env", "--ignore-signal=INT", "--ignore-signal=TERM", PROGRAM]);
    // Whoever is root keeps its powers without this, and could take the mounts away again.
    bwrap.words(&["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]);
    bwrap.words(&["--ro-bind", "/", "/"]);
    bwrap.words(&["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"]);
    RESOLVERS.iter().for_each(|path| bwrap.bind("--ro-bind-try", Path::new(path)));
    bwrap.hide(terms);
    terms.readable.iter().for_each(|path| bwrap.bind("--ro-bind-try", path));
    bwrap.git(terms.git_dir.as_deref());
    bwrap.bind("--bind", &terms.worktree);
    // What is hidden or protected may lie in what was shown or made writable.
    let inside = |path: &&PathBuf| path.starts_with(&terms.worktree) && **path != terms.worktree;
    terms.hidden_directories.iter().filter(inside).for_each(|path| bwrap.cover(path));
    terms.protected_files.iter().for_each(|path| bwrap.bind("--ro-bind-try", path));
    terms.home.iter().chain(&terms.writable).for_each(|path| bwrap.bind("--bind-try", path));
    terms.hidden_files.iter().for_each(|path| bwrap.path("--ro-bind-try", Path::new("/dev/null"), path));
    bwrap.words(&["--chdir"]);
    bwrap.0.push(terms.worktree.clone().into());
    bwrap.words(&["--", "env", "--default-signal=INT", "--default-signal=TERM", "--"]);
    bwrap.0.extend(argv.iter().cloned());
    bwrap.0
}

/// Makes what git would make in the mirror on the first commit, as nothing can be made there from inside.
pub fn prepare(terms: &SandboxTerms) -> io::Result<()> {
    let mirror = terms.git_dir.as_deref().and_then(|git_dir| git_dir.ancestors().nth(2));
    let Some(mirror) = mirror.filter(|mirror| mirror.is_dir()) else { return Ok(()) };
    SHARED_BY_WORK_TREES.iter().try_for_each(|name| std::fs::create_dir_all(mirror.join(name)))
}

/// The arguments of bubblewrap, in order: what is mounted later lies over what was mounted before.
struct Arguments(Vec<OsString>);

impl Arguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    /// Shows a path where it is.
    fn bind(&mut self, option: &str, path: &Path) {
        self.path(option, path, path);
    }

    fn path(&mut self, option: &str, from: &Path, to: &Path) {
        self.0.extend([OsStr::new(option), from.as_os_str(), to.as_os_str()].map(OsStr::to_owned));
    }

    fn hide(&mut self, terms: &SandboxTerms) {
        // Who has no home of their own has the root of everything for one, and that is not to be hidden.
        let home = terms.real_home.iter().filter(|home| home.parent().is_some());
        home.chain(&terms.hidden_directories).for_each(|directory| self.cover(directory));
    }

    /// Puts an empty directory over another one.
    fn cover(&mut self, directory: &Path) {
        self.0.extend([OsStr::new("--tmpfs"), directory.as_os_str()].map(OsStr::to_owned));
    }

    fn git(&mut self, git_dir: Option<&Path>) {
        let Some(git_dir) = git_dir else { return };
        if let Some(mirror) = git_dir.ancestors().nth(2) {
            self.bind("--ro-bind-try", mirror);
            SHARED_BY_WORK_TREES.iter().for_each(|name| self.bind("--bind-try", &mirror.join(name)));
        }
        self.bind("--bind-try", git_dir);
    }
}

/// Returns what must be readable of a hidden home so that a program can run: where programs are looked for, and where this one
/// really is.
pub fn places_of_program(program: &OsStr, search_path: &OsStr, real_home: &Path) -> Vec<PathBuf> {
    let directories: Vec<_> = std::env::split_paths(search_path).filter(|path| path.is_absolute()).collect();
    let named = Path::new(program);
    let found = if named.components().count() > 1 {
        Some(named.to_owned())
    } else {
        directories.iter().map(|directory| directory.join(named)).find(|path| path.is_file())
    };
    let real = found.and_then(|path| path.canonicalize().ok());
    let mut places: Vec<_> = directories.into_iter().chain(real.as_deref().and_then(package)).collect();
    places.retain(|path| path.starts_with(real_home) && path != real_home);
    places.sort();
    places.dedup();
    places
}

/// Returns the directory that a program's files are in: with all packages of Node.js, as they refer to each other.
fn package(program: &Path) -> Option<PathBuf> {
    let with_packages = program.ancestors().filter(|path| path.ends_with("node_modules")).last();
    with_packages.or_else(|| program.parent()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(terms: &SandboxTerms) -> String {
        let words = wrap(&["claude".into(), "-p".into()], terms);
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    fn terms() -> SandboxTerms {
        SandboxTerms {
            worktree: "/home/u/p/.baton/worktrees/o-r/issue-7".into(),
            git_dir: Some("/home/u/p/.baton/mirrors/o-r.git/worktrees/issue-7".into()),
            home: Some("/home/u/p/.baton/homes/vera".into()),
            real_home: Some("/home/u".into()),
            ..SandboxTerms::default()
        }
    }

    #[track_caller]
    fn in_order(text: &str, parts: &[&str]) {
        let mut rest = text;
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not in {rest}"));
            rest = &rest[at + part.len()..];
        }
    }

    #[test]
    fn what_is_shown_lies_over_what_is_hidden() {
        let mirror = "/home/u/p/.baton/mirrors/o-r.git";
        let tree = "/home/u/p/.baton/worktrees/o-r/issue-7";
        in_order(
            &wrapped(&terms()),
            &[
                "--ro-bind / / ",
                "--tmpfs /home/u ",
                &format!("--ro-bind-try {mirror} {mirror} "),
                &format!("--bind-try {mirror}/objects {mirror}/objects "),
                &format!("--bind-try {mirror}/worktrees/issue-7 "),
                &format!("--bind {tree} {tree} "),
                "--bind-try /home/u/p/.baton/homes/vera ",
                &format!("--chdir {tree} -- "),
                " claude -p",
            ],
        );
    }

    #[test]
    fn settings_and_hooks_of_a_mirror_are_not_writable() {
        let text = wrapped(&terms());
        assert!(!text.contains("config") && !text.contains("hooks"), "{text}");
        assert!(!text.contains("--bind-try /home/u/p/.baton/mirrors/o-r.git "), "{text}");
    }

    #[test]
    fn the_root_of_everything_is_not_hidden() {
        let text = wrapped(&SandboxTerms { real_home: Some("/".into()), ..terms() });
        assert!(!text.contains("--tmpfs / "), "{text}");
    }

    #[test]
    fn hidden_files_are_hidden_last() {
        let terms = SandboxTerms {
            hidden_files: vec!["/p/.env".into()],
            writable: vec!["/p".into()],
            ..SandboxTerms::default()
        };
        in_order(&wrapped(&terms), &["--bind-try /p /p ", "--ro-bind-try /dev/null /p/.env "]);
    }

    #[test]
    fn a_program_in_a_hidden_home_is_found_where_it_really_is() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let packages = home.join("node/lib/node_modules");
        let program = packages.join("agent/cli.js");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::create_dir(home.join("node/bin")).unwrap();
        std::fs::write(&program, "").unwrap();
        std::os::unix::fs::symlink(&program, home.join("node/bin/agent")).unwrap();
        let path = std::env::join_paths([Path::new("/usr/bin"), &home.join("node/bin"), &home]).unwrap();
        let places = places_of_program(OsStr::new("agent"), &path, &home);
        assert_eq!(places, [home.join("node/bin"), packages.clone()]);
        assert_eq!(places_of_program(program.as_os_str(), OsStr::new("/usr/bin"), &home), [packages]);
        assert!(places_of_program(OsStr::new("sh"), OsStr::new("/usr/bin"), &home).is_empty());
    }
}
