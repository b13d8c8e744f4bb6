//! Each crate has at most one test program, and that names everything directly in `tests/`.
//!
//! Linking is most of the cost of a test build, so a second program is refused. A crate whose program is
//! `tests/runner.rs` has `autotests` off, and then a file that the runner does not name would not be compiled.

use super::Finding;

/// Checks the files under `crates/`, given as paths and texts.
pub(crate) fn check(files: &[(&str, &str)]) -> Vec<Finding> {
    let mut crates: Vec<_> = files.iter().filter_map(|(path, _)| crate_of(path)).collect();
    crates.sort_unstable();
    crates.dedup();
    crates.into_iter().flat_map(|name| check_crate(name, files)).collect()
}

fn check_crate(name: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let within = format!("crates/{name}/tests/");
    let runner = files.iter().find(|(path, _)| *path == format!("{within}runner.rs"));
    let mut entries: Vec<_> =
        files.iter().filter_map(|(path, _)| entry(path.strip_prefix(&*within)?)).collect();
    entries.sort_unstable();
    entries.dedup();
    let Some((place, text)) = runner else {
        let programs = files.iter().filter(|(path, _)| path.strip_prefix(&*within).is_some_and(is_program));
        let count = programs.count();
        let problem = format!("has {count} test programs; make them modules of one `runner.rs`");
        return (count > 1).then(|| Finding::new(&*within, problem)).into_iter().collect();
    };
    let is_named = |entry: &&&str| text.lines().any(|line| line.trim() == format!("mod {entry};"));
    let missing = entries.iter().filter(|entry| **entry != "runner" && !is_named(entry));
    missing
        .map(|entry| Finding::new(*place, format!("does not name `mod {entry};`, so it is not run")))
        .collect()
}

fn crate_of(path: &str) -> Option<&str> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.starts_with("tests/").then_some(name)
}

/// Returns the module that a Rust file directly in `tests/`, or a directory of them, would be.
fn entry(path: &str) -> Option<&str> {
    match path.split_once('/') {
        Some((directory, rest)) => rest.ends_with(".rs").then_some(directory),
        None => path.strip_suffix(".rs"),
    }
}

/// Returns whether cargo takes a file for a test program of its own.
fn is_program(path: &str) -> bool {
    match path.split_once('/') {
        Some((_, rest)) => rest == "main.rs",
        None => path.ends_with(".rs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_paths(files: &[(&str, &str)], wanted: &[&str]) {
        let found: Vec<_> = check(files).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn one_program_is_enough_whatever_its_name() {
        check_paths(
            &[
                ("crates/a/tests/one.rs", ""),
                ("crates/b/tests/two/main.rs", ""),
                ("crates/b/tests/two/x.rs", ""),
            ],
            &[],
        );
        check_paths(&[("crates/a/src/lib.rs", ""), ("docs/x.md", "")], &[]);
    }

    #[test]
    fn a_second_program_is_refused() {
        let files = [("crates/a/tests/one.rs", ""), ("crates/a/tests/two/main.rs", "")];
        check_paths(&files, &["crates/a/tests/: has 2 test programs; make them modules of one `runner.rs`"]);
    }

    #[test]
    fn a_file_that_the_runner_does_not_name_is_found() {
        let runner = "mod known;\nmod folder;\n";
        let files = [
            ("crates/a/tests/runner.rs", runner),
            ("crates/a/tests/known.rs", ""),
            ("crates/a/tests/folder/mod.rs", ""),
            ("crates/a/tests/folder/data.json", ""),
            ("crates/a/tests/forgotten.rs", ""),
        ];
        check_paths(&files, &["crates/a/tests/runner.rs: does not name `mod forgotten;`, so it is not run"]);
    }
}
