//! `cargo xtask tidy`: the rules of the repository that no compiler checks. The same checks run as a test.
//!
//! Each check is a pure function over text and paths in a file of its own, with samples that it must refuse. This
//! file gathers the inputs and the findings; it repairs nothing.

mod book;
mod decisions;
mod edges;
mod leaks;
mod links;
mod purity;
mod runners;
mod sources;
mod tree;

use std::fmt;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::{Metadata, MetadataCommand};

use self::tree::Tree;
use crate::command;
use crate::workspace::Workspace;

/// A broken rule: where, and what to do about it.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    place: String,
    problem: String,
}

impl Finding {
    fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// What tidy has to say about the whole tree.
struct Report {
    findings: Vec<Finding>,
    /// Worth knowing, and not a reason to fail.
    notes: Vec<Finding>,
    files: usize,
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let Report { findings, notes, files } = inspect(workspace)?;
    notes.iter().for_each(|note| println!("note: {note}"));
    findings.iter().for_each(|finding| println!("{finding}"));
    ensure!(findings.is_empty(), "tidy found {} broken rules in {files} files", findings.len());
    println!("tidy: {files} files, no broken rules");
    Ok(())
}

fn inspect(workspace: &Workspace) -> Result<Report> {
    let tree = Tree::load(&workspace.root)?;
    let metadata = metadata(workspace)?;
    let needle = leaks::machine_path(&workspace.root);
    let mut findings = edges::check(tree.text("ARCHITECTURE.md"), &edges::of(&metadata));
    findings.extend(purity::check(&purity::graph(&metadata)?));
    findings.extend(decisions::check(&tree.under("docs/decisions/")));
    findings.extend(book::check(&tree.under("docs/")));
    findings.extend(runners::check(&tree.files().collect::<Vec<_>>()));
    for (path, text) in tree.files() {
        findings.extend(sources::check(path, text));
        findings.extend(leaks::check(path, text, needle.as_deref()));
        findings.extend(links::check(path, text, &|target| tree.has(target), &|target| tree.text(target)));
    }
    let notes = tree.files().filter_map(|(path, text)| sources::long(path, text)).collect();
    Ok(Report { findings, notes, files: tree.files().count() })
}

/// Resolves dependencies for this platform only: those of others may not have been downloaded.
fn metadata(workspace: &Workspace) -> Result<Metadata> {
    MetadataCommand::new()
        .current_dir(&workspace.root)
        .other_options(["--filter-platform".to_owned(), platform()?])
        .exec()
        .context("`cargo metadata` failed, so dependencies cannot be checked; does `cargo check` work?")
}

fn platform() -> Result<String> {
    let version = command::read(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` printed no `host:` line")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_keeps_the_rules_of_the_repository() {
        let report = inspect(&Workspace::find().unwrap()).unwrap();
        let findings: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "run `cargo xtask tidy`; it finds:\n{}", findings.join("\n"));
    }

    #[test]
    fn a_finding_says_where_and_what() {
        assert_eq!(Finding::new("a.md", "is empty").to_string(), "a.md: is empty");
    }
}
