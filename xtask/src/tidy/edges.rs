//! The dependencies between the crates of the workspace are those in the table of ARCHITECTURE.md, and no others.
//!
//! Development dependencies do not count: tests may reach across layers. Dependencies on foreign crates are the
//! business of `purity` and of deny.toml.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata};

use super::Finding;

/// For each crate of the workspace, the crates of the workspace it depends on.
pub(crate) type Edges = BTreeMap<String, BTreeSet<String>>;

const DOCUMENT: &str = "ARCHITECTURE.md";
const OPENING: &str = "<!-- tidy:crates -->";
const CLOSING: &str = "<!-- /tidy:crates -->";
const COLUMNS: [&str; 4] = ["crate", "role", "depends on", "touches"];
/// What stands in the table for a crate that depends on none of the others.
const NONE: &str = "–";

/// Reads the edges from the manifests.
pub(crate) fn of(metadata: &Metadata) -> Edges {
    let members: BTreeSet<_> =
        metadata.workspace_packages().iter().map(|member| member.name.to_string()).collect();
    let edges = |member: &cargo_metadata::Package| {
        let counted = member.dependencies.iter().filter(|dependency| {
            dependency.kind != DependencyKind::Development && members.contains(&dependency.name)
        });
        counted.map(|dependency| dependency.name.clone()).collect()
    };
    metadata.workspace_packages().iter().map(|member| (member.name.to_string(), edges(member))).collect()
}

/// Compares the table in the document with the manifests.
pub(crate) fn check(document: Option<&str>, actual: &Edges) -> Vec<Finding> {
    let Some(document) = document else {
        return vec![finding(format!("does not exist; it must hold the table of crates after {OPENING}"))];
    };
    match declared(document) {
        Ok(declared) => compare(&declared, actual),
        Err(problem) => vec![finding(problem)],
    }
}

fn finding(problem: impl Into<String>) -> Finding {
    Finding::new(DOCUMENT, problem)
}

fn declared(document: &str) -> Result<Edges, String> {
    let mut rows = section(document)?.lines().map(str::trim).filter(|line| line.starts_with('|')).map(cells);
    let header = rows.next().unwrap_or_default();
    if header != COLUMNS {
        return Err(format!("the table of crates must have the columns {COLUMNS:?}, and has {header:?}"));
    }
    let mut edges = Edges::new();
    // The row after the header only aligns the columns.
    for row in rows.skip(1) {
        let [name, _, depends_on, _] = row[..] else {
            return Err(format!(
                "a row of the table of crates has {} cells instead of 4: {row:?}",
                row.len()
            ));
        };
        if edges.insert(plain(name), names(depends_on)).is_some() {
            return Err(format!("crate `{}` has two rows in the table of crates", plain(name)));
        }
    }
    Ok(edges)
}

fn section(document: &str) -> Result<&str, String> {
    let (_, rest) = document.split_once(OPENING).ok_or(format!("has no marker {OPENING}"))?;
    let (section, _) = rest.split_once(CLOSING).ok_or(format!("has no marker {CLOSING} after {OPENING}"))?;
    Ok(section)
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

fn plain(cell: &str) -> String {
    cell.trim().trim_matches('`').to_owned()
}

fn names(cell: &str) -> BTreeSet<String> {
    if cell == NONE { BTreeSet::new() } else { cell.split(',').map(plain).collect() }
}

fn compare(declared: &Edges, actual: &Edges) -> Vec<Finding> {
    let unlisted = actual.keys().filter(|name| !declared.contains_key(*name));
    let unlisted =
        unlisted.map(|name| finding(format!("crate `{name}` is missing from the table of crates")));
    let unknown = declared.keys().filter(|name| !actual.contains_key(*name));
    let unknown =
        unknown.map(|name| finding(format!("the table lists `{name}`, which is no crate of the workspace")));
    let differing = actual.iter().filter_map(|(name, edges)| Some((name, declared.get(name)?, edges)));
    let differing = differing.flat_map(|(name, declared, actual)| differences(name, declared, actual));
    unlisted.chain(unknown).chain(differing).collect()
}

fn differences(name: &str, declared: &BTreeSet<String>, actual: &BTreeSet<String>) -> Vec<Finding> {
    let extra = actual.difference(declared).map(|edge| {
        format!("`{name}` depends on `{edge}`, which the table does not allow; a new edge needs a decision")
    });
    let gone = declared
        .difference(actual)
        .map(|edge| format!("the table says `{name}` depends on `{edge}`, and its manifest does not"));
    extra.chain(gone).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(table: &[(&str, &[&str])]) -> Edges {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        table.iter().map(|(name, edges)| ((*name).to_owned(), owned(edges))).collect()
    }

    fn document(rows: &str) -> String {
        format!(
            "# A\n\n{OPENING}\n| crate | role | depends on | touches |\n|---|---|---|---|\n{rows}{CLOSING}\n| x |\n"
        )
    }

    #[track_caller]
    fn check_rows(rows: &str, actual: &[(&str, &[&str])], wanted: &[&str]) {
        let findings = check(Some(&document(rows)), &edges(actual));
        let problems: Vec<_> = findings.iter().map(|finding| finding.problem.as_str()).collect();
        assert_eq!(problems, wanted);
    }

    #[track_caller]
    fn check_document(document: Option<&str>, wanted: &str) {
        assert_eq!(check(document, &Edges::new()), [finding(wanted)]);
    }

    #[test]
    fn a_table_that_says_what_the_manifests_say_is_accepted() {
        let rows = "| `core` | rules | – | nothing |\n| `app` | wiring | `core`, `web` | all |\n| web | x | core | y |\n";
        check_rows(rows, &[("core", &[]), ("app", &["core", "web"]), ("web", &["core"])], &[]);
    }

    #[test]
    fn an_edge_the_table_does_not_list_is_refused() {
        let wanted = "`core` depends on `app`, which the table does not allow; a new edge needs a decision";
        check_rows(
            "| core | a | – | b |\n| app | a | – | b |\n",
            &[("core", &["app"]), ("app", &[])],
            &[wanted],
        );
    }

    #[test]
    fn an_edge_only_the_table_has_is_refused() {
        let wanted = "the table says `app` depends on `core`, and its manifest does not";
        check_rows(
            "| core | a | – | b |\n| app | a | core | b |\n",
            &[("core", &[]), ("app", &[])],
            &[wanted],
        );
    }

    #[test]
    fn a_crate_that_only_one_side_knows_is_refused() {
        let missing = "crate `core` is missing from the table of crates";
        let unknown = "the table lists `old`, which is no crate of the workspace";
        check_rows("| old | a | – | b |\n", &[("core", &[])], &[missing, unknown]);
    }

    #[test]
    fn a_table_of_another_shape_is_refused() {
        check_rows(
            "| core | – |\n",
            &[("core", &[])],
            &["a row of the table of crates has 2 cells instead of 4: [\"core\", \"–\"]"],
        );
        check_rows(
            "| core | a | – | b |\n| core | a | – | b |\n",
            &[("core", &[])],
            &["crate `core` has two rows in the table of crates"],
        );
    }

    #[test]
    fn a_document_without_the_table_is_refused() {
        check_document(None, "does not exist; it must hold the table of crates after <!-- tidy:crates -->");
        check_document(Some("# A\n"), "has no marker <!-- tidy:crates -->");
        check_document(Some(OPENING), "has no marker <!-- /tidy:crates --> after <!-- tidy:crates -->");
        check_document(
            Some("<!-- tidy:crates -->\n| name |\n<!-- /tidy:crates -->"),
            "the table of crates must have the columns [\"crate\", \"role\", \"depends on\", \"touches\"], and has [\"name\"]",
        );
    }
}
