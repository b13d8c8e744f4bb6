//! The crates that decide have nothing in their dependency tree that could read a clock, a file or a socket.
//!
//! Only normal dependencies count: a test of the core may use what it likes. Clippy's `disallowed-methods` watches
//! over the standard library; this check watches over everything else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context as _, Result};
use cargo_metadata::{DependencyKind, Metadata, PackageId};

use super::Finding;

/// For each package, named `name version`, its normal dependencies.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// The pure crates, and whether the workspace must have each.
const PURE: [(&str, bool); 2] = [("baton-core", true), ("baton-ports", false)];

/// Runtimes, networks, databases, version control, files and randomness.
const IMPURE: [&str; 47] = [
    "actix-web",
    "async-executor",
    "async-fs",
    "async-global-executor",
    "async-io",
    "async-net",
    "async-process",
    "async-std",
    "axum",
    "crossterm",
    "diesel",
    "fastrand",
    "futures-executor",
    "getrandom",
    "git2",
    "gix",
    "glommio",
    "hyper",
    "hyper-util",
    "isahc",
    "libgit2-sys",
    "libsqlite3-sys",
    "mio",
    "monoio",
    "native-tls",
    "notify",
    "octocrab",
    "openssl",
    "polling",
    "postgres",
    "rand",
    "reqwest",
    "rusqlite",
    "rustls",
    "smol",
    "socket2",
    "sqlx",
    "sqlx-core",
    "surf",
    "tempfile",
    "tiny_http",
    "tokio",
    "tokio-postgres",
    "tokio-util",
    "tonic",
    "ureq",
    "walkdir",
];

/// Reads the resolved graph. Features are those of the whole workspace, which is how the binary is built.
pub(crate) fn graph(metadata: &Metadata) -> Result<Graph> {
    let resolve = metadata.resolve.as_ref().context("`cargo metadata` resolved no dependencies")?;
    let name = |id: &PackageId| format!("{} {}", metadata[id].name, metadata[id].version);
    let normal = |node: &cargo_metadata::Node| {
        let is_normal = |dependency: &&cargo_metadata::NodeDep| {
            dependency.dep_kinds.iter().any(|info| info.kind == DependencyKind::Normal)
        };
        node.deps.iter().filter(is_normal).map(|dependency| name(&dependency.pkg)).collect()
    };
    Ok(resolve.nodes.iter().map(|node| (name(&node.id), normal(node))).collect())
}

/// Follows the dependencies of each pure crate.
pub(crate) fn check(graph: &Graph) -> Vec<Finding> {
    PURE.iter().flat_map(|(pure, required)| check_crate(graph, pure, *required)).collect()
}

fn check_crate(graph: &Graph, pure: &str, required: bool) -> Vec<Finding> {
    match graph.keys().find(|package| name(package) == pure) {
        Some(root) => impure_paths(graph, root).into_iter().map(|path| refuse(pure, &path)).collect(),
        None if required => {
            vec![Finding::new(pure, "is not in the workspace, so its purity cannot be checked")]
        }
        None => Vec::new(),
    }
}

fn refuse(pure: &str, path: &[&str]) -> Finding {
    Finding::new(pure, format!("must not reach I/O, and does: {}", path.join(" → ")))
}

/// Returns the shortest path to each impure package.
fn impure_paths<'a>(graph: &'a Graph, root: &'a str) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root]);
    let mut paths = VecDeque::from([vec![root]]);
    while let Some(path) = paths.pop_front() {
        let dependencies = path.last().and_then(|last| graph.get(*last)).into_iter().flatten();
        for dependency in dependencies.filter(|dependency| seen.insert(dependency)) {
            let longer = [&path[..], &[dependency]].concat();
            if IMPURE.contains(&name(dependency)) {
                found.push(longer);
            } else {
                paths.push_back(longer);
            }
        }
    }
    found
}

fn name(package: &str) -> &str {
    package.split(' ').next().unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(table: &[(&str, &[&str])]) -> Graph {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        table.iter().map(|(name, edges)| ((*name).to_owned(), owned(edges))).collect()
    }

    #[track_caller]
    fn check_graph(table: &[(&str, &[&str])], wanted: &[&str]) {
        let findings = check(&graph(table));
        assert_eq!(findings.iter().map(ToString::to_string).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_core_on_pure_crates_is_accepted() {
        check_graph(
            &[("baton-core 0.1.0", &["serde 1.0.0"]), ("serde 1.0.0", &[]), ("tokio 1.0.0", &[])],
            &[],
        );
    }

    #[test]
    fn a_core_that_uses_a_runtime_is_refused() {
        check_graph(
            &[("baton-core 0.1.0", &["tokio 1.0.0"]), ("tokio 1.0.0", &["mio 1.0.0"])],
            &["baton-core: must not reach I/O, and does: baton-core 0.1.0 → tokio 1.0.0"],
        );
    }

    #[test]
    fn io_is_found_behind_innocent_crates_and_shown_with_the_way_to_it() {
        check_graph(
            &[
                ("baton-core 0.1.0", &["ids 1.0.0", "words 1.0.0"]),
                ("ids 1.0.0", &["words 1.0.0"]),
                ("words 1.0.0", &["ids 1.0.0", "getrandom 0.4.3"]),
            ],
            &["baton-core: must not reach I/O, and does: baton-core 0.1.0 → words 1.0.0 → getrandom 0.4.3"],
        );
    }

    #[test]
    fn ports_are_held_to_the_same_rule_once_they_exist() {
        check_graph(
            &[("baton-core 0.1.0", &[]), ("baton-ports 0.1.0", &["sqlx 0.9.0"])],
            &["baton-ports: must not reach I/O, and does: baton-ports 0.1.0 → sqlx 0.9.0"],
        );
    }

    #[test]
    fn a_workspace_without_a_core_is_refused() {
        check_graph(&[], &["baton-core: is not in the workspace, so its purity cannot be checked"]);
    }
}
