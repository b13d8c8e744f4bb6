//! Nothing in the repository names the machine it was written on, what lies beside it there, or a package registry.
//!
//! A clone must mean the same everywhere, and behind a mirror of the registries as well. Secrets are not looked for:
//! no list of patterns finds them.

use std::path::Path;

use super::Finding;

/// The needles are put together here so that this file does not contain them.
const SIBLING: &str = concat!("../", "shared");
const REGISTRIES: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("py", "pi.org"),
    concat!("python", "hosted.org"),
    concat!("registry.npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("registry.", "yarnpkg.com"),
];

/// Cargo writes the address of the index into its lock file, and there is no way to leave it out.
const MAY_NAME_REGISTRIES: &str = "Cargo.lock";

/// Directories that every machine may have: to find one of them in a text says nothing about this machine.
const GENERIC: [&str; 20] = [
    "/",
    "/Users",
    "/app",
    "/build",
    "/builds",
    "/code",
    "/data",
    "/home",
    "/mnt",
    "/opt",
    "/private/tmp",
    "/project",
    "/repo",
    "/repos",
    "/root",
    "/src",
    "/srv",
    "/tmp",
    "/usr/src",
    "/var/tmp",
];

/// Chooses the path that gives this machine away: the parent of the root, or the root where that says nothing.
pub(crate) fn machine_path(root: &Path) -> Option<String> {
    let candidates = [root.parent()?, root].map(|path| path.to_string_lossy().into_owned());
    candidates.into_iter().find(|path| !GENERIC.contains(&path.as_str()))
}

pub(crate) fn check(path: &str, text: &str, machine_path: Option<&str>) -> Vec<Finding> {
    let lines = text.lines().enumerate();
    lines.flat_map(|(index, line)| check_line(path, index + 1, line, machine_path)).collect()
}

fn check_line(path: &str, number: usize, line: &str, machine_path: Option<&str>) -> Vec<Finding> {
    let refuse = |problem: String| Finding::new(format!("{path}:{number}"), problem);
    let machine = machine_path.filter(|needle| has_path(line, needle));
    let machine = machine.map(|needle| format!("names `{needle}`, a directory of this machine"));
    let sibling =
        line.contains(SIBLING).then(|| format!("names `{SIBLING}`, which is not in the repository"));
    let registry = REGISTRIES.iter().find(|host| path != MAY_NAME_REGISTRIES && line.contains(**host));
    let registry = registry.map(|host| format!("names the registry {host}; leave the choice to the machine"));
    [machine, sibling, registry].into_iter().flatten().map(refuse).collect()
}

/// Tells whether a text contains a path, and not merely a longer name or path that it is a part of.
fn has_path(text: &str, path: &str) -> bool {
    text.match_indices(path)
        .any(|(at, _)| starts_a_path(&text[..at]) && ends_a_name(&text[at + path.len()..]))
}

fn starts_a_path(before: &str) -> bool {
    let in_path = |c: char| c.is_alphanumeric() || "_-./}>)]*".contains(c);
    before.ends_with("file://") || !before.ends_with(in_path)
}

fn ends_a_name(after: &str) -> bool {
    let mut rest = after.chars();
    match rest.next() {
        // A dot ends a sentence, or belongs to the name of a file.
        Some('.') => !rest.next().is_some_and(char::is_alphanumeric),
        Some(next) => !next.is_alphanumeric() && next != '_' && next != '-',
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(path: &str, text: &str, wanted: &[&str]) {
        let found: Vec<_> = check(path, text, Some("/desk")).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted, "in {text:?}");
    }

    #[test]
    fn a_path_of_this_machine_is_refused() {
        let wanted = ["a.md:2: names `/desk`, a directory of this machine"];
        for text in ["/desk/baton/x", "see `/desk/notes.md`", "cd /desk", "file:///desk/a", "It is in /desk."]
        {
            check_text("a.md", &format!("\n{text}\n"), &wanted);
        }
    }

    #[test]
    fn a_longer_name_or_path_is_no_path_of_this_machine() {
        for text in
            ["/desktop/a", "/home/desk/x", "{owner}/desk/x", "/desk-2", "/desk.json", "desk", "a/desk"]
        {
            check_text("a.md", text, &[]);
        }
    }

    #[test]
    fn a_path_to_what_lies_beside_the_repository_is_refused() {
        let text = format!("[spec]({SIBLING}/spec.md)");
        check_text("a.md", &text, &[&format!("a.md:1: names `{SIBLING}`, which is not in the repository")]);
    }

    #[test]
    fn every_registry_is_refused_except_in_the_lock_file_of_cargo() {
        for host in REGISTRIES {
            let text = format!("\"resolved\": \"https://{host}/a\"");
            let wanted = format!(
                "contract/package-lock.json:1: names the registry {host}; leave the choice to the machine"
            );
            check_text("contract/package-lock.json", &text, &[&wanted]);
            check_text("Cargo.lock", &text, &[]);
        }
    }

    #[test]
    fn the_path_of_the_machine_is_the_most_telling_directory() {
        // Put together, because people have clones in such places, and this file must not name them.
        let [ann, own, clone, top] =
            [["/home/", "ann"], ["/home/", "baton"], ["/tmp/", "clone"], ["/", "baton"]]
                .map(|it| it.concat());
        let below = format!("{ann}/baton");
        let table = [
            ("/desk/baton", Some("/desk")),
            (&*below, Some(&*ann)),
            (&*own, Some(&*own)),
            (&*clone, Some(&*clone)),
            (&*top, Some(&*top)),
            ("/src", None),
            ("/", None),
        ];
        for (root, wanted) in table {
            assert_eq!(machine_path(Path::new(root)).as_deref(), wanted, "for {root}");
        }
    }
}
