//! Paths of steps: inside the work tree, and never in what git keeps there.

/// Says what is wrong with a path.
pub(super) fn complaint(path: &str) -> Option<&'static str> {
    let has_part = |wanted: &dyn Fn(&str) -> bool| path.split('/').any(wanted);
    match path {
        "" => Some("a path inside the work tree, and not nothing"),
        _ if path.starts_with('/') || path.starts_with('~') => Some("a path that starts in the work tree"),
        _ if path.contains(['\0', '\\']) => Some("a path without backslashes"),
        _ if has_part(&|part| part == "..") => Some("a path without `..`, since it stays in the work tree"),
        _ if has_part(&|part| part.is_empty() || part == ".") => Some("a path without empty parts and dots"),
        _ if has_part(&|part| part.eq_ignore_ascii_case(".git")) => {
            Some("a path that git does not keep for itself")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_work_tree() {
        for path in ["a", "a/b.txt", ".gitignore", "..a/b", "src/{{ number }}.rs"] {
            assert_eq!(complaint(path), None, "{path}");
        }
        for path in ["", "/a", "~/a", "..", "a/../b", "a//b", "./a", ".git/config", "a/.GIT/x", "a\\b", "a\0"]
        {
            assert!(complaint(path).is_some(), "{path}");
        }
    }
}
