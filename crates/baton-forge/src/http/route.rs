//! Finds the endpoint for a path.
//!
//! Templates are GitHub's own, letter for letter, so the table of endpoints can be compared with its published
//! description. A part named `ref`, `path`, `branch`, `basehead` or `name` (of a label) may span several segments, which routers made for
//! one segment per part cannot express; hence a small tree of our own.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

/// Parts that may contain slashes.
const SPANNING: [&str; 5] = ["ref", "path", "branch", "basehead", "name"];

/// Paths of more segments name nothing, and looking for it would take long.
const SEGMENTS_MAX: usize = 256;

#[derive(Debug, Default)]
struct Node {
    literal: BTreeMap<&'static str, Node>,
    part: Option<(&'static str, Box<Node>)>,
    spanning: Option<(&'static str, Box<Node>)>,
    /// The endpoint for each method, by its place in the table.
    methods: Vec<(&'static str, usize)>,
}

#[derive(Debug, Default)]
pub(crate) struct Router {
    root: Node,
}

/// A template's parts with what the path said for each.
pub(crate) type Params = Vec<(&'static str, String)>;

impl Router {
    pub(crate) fn new(templates: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let mut router = Self::default();
        for (at, (method, template)) in templates.enumerate() {
            let mut node = &mut router.root;
            for segment in template.split('/').filter(|segment| !segment.is_empty()) {
                node = node.child(segment);
            }
            node.methods.push((method, at));
        }
        router
    }

    pub(crate) fn find(&self, method: &str, path: &str) -> Option<(usize, Params)> {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        if segments.len() > SEGMENTS_MAX {
            return None;
        }
        let mut params = Vec::with_capacity(4);
        let at = self.root.find(method, &segments, &mut params)?;
        Some((at, params))
    }
}

impl Node {
    fn child(&mut self, segment: &'static str) -> &mut Self {
        match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            None => self.literal.entry(segment).or_default(),
            Some(name) if SPANNING.contains(&name) => &mut self.spanning.get_or_insert_default_for(name).1,
            Some(name) => &mut self.part.get_or_insert_default_for(name).1,
        }
    }

    fn is_leaf(&self) -> bool {
        self.literal.is_empty() && self.part.is_none() && self.spanning.is_none()
    }

    fn find(&self, method: &str, segments: &[&str], params: &mut Params) -> Option<usize> {
        let Some((first, rest)) = segments.split_first() else {
            return self.methods.iter().find(|(known, _)| *known == method).map(|(_, at)| *at);
        };
        if let Some(found) = self.literal.get(first).and_then(|node| node.find(method, rest, params)) {
            return Some(found);
        }
        if let Some((name, node)) = &self.part
            && let Some(found) = take(node, method, name, first, rest, params)
        {
            return Some(found);
        }
        let (name, node) = self.spanning.as_ref()?;
        if node.is_leaf() {
            return take(node, method, name, &segments.join("/"), &[], params);
        }
        // The shortest span first, so that a template's suffix wins over a ref that happens to end like it.
        (1..=segments.len()).find_map(|length| {
            let (span, rest) = segments.split_at(length);
            take(node, method, name, &span.join("/"), rest, params)
        })
    }
}

fn take(
    node: &Node,
    method: &str,
    name: &'static str,
    raw: &str,
    rest: &[&str],
    params: &mut Params,
) -> Option<usize> {
    let value = percent_decode_str(raw).decode_utf8().ok()?.into_owned();
    params.push((name, value));
    let found = node.find(method, rest, params);
    if found.is_none() {
        params.pop();
    }
    found
}

/// `Option::get_or_insert_with` for a named child.
trait NamedChild {
    fn get_or_insert_default_for(&mut self, name: &'static str) -> &mut (&'static str, Box<Node>);
}

impl NamedChild for Option<(&'static str, Box<Node>)> {
    fn get_or_insert_default_for(&mut self, name: &'static str) -> &mut (&'static str, Box<Node>) {
        let child = self.get_or_insert_with(|| (name, Box::default()));
        debug_assert_eq!(child.0, name, "two templates name the same part differently");
        child
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> Router {
        let table = [
            ("GET", "/repos/{owner}/{repo}/issues/{issue_number}"),
            ("GET", "/repos/{owner}/{repo}/issues/comments"),
            ("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
            ("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
            ("GET", "/repos/{owner}/{repo}/git/ref/{ref}"),
            ("GET", "/repos/{owner}/{repo}/commits/{ref}"),
            ("GET", "/repos/{owner}/{repo}/commits/{ref}/status"),
            ("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
        ];
        Router::new(table.into_iter())
    }

    fn check(path: &str, expected: Option<(usize, &str)>) {
        let found = router().find("GET", path);
        let shown =
            found.map(|(at, params)| (at, params.last().map(|(_, value)| value.clone()).unwrap_or_default()));
        assert_eq!(shown, expected.map(|(at, last)| (at, last.to_owned())), "{path}");
    }

    #[test]
    fn literals_win_over_parts() {
        check("/repos/a/b/issues/7", Some((0, "7")));
        check("/repos/a/b/issues/comments", Some((1, "b")));
        check("/repos/a/b/issues/comments/7", Some((2, "7")));
        check("/repos/a/b/issues/7/comments", Some((3, "7")));
    }

    #[test]
    fn refs_span_segments_and_leave_suffixes_alone() {
        check("/repos/a/b/git/ref/baton/claims/7", Some((4, "baton/claims/7")));
        check("/repos/a/b/commits/feature/x", Some((5, "feature/x")));
        check("/repos/a/b/commits/feature%2Fx/status", Some((6, "feature/x")));
    }

    #[test]
    fn unknown_paths_and_methods_find_nothing() {
        check("/repos/a/b/issues/7/nothing", None);
        check("/", None);
        check("/repos/a/b/git/ref/%ff", None);
        assert!(router().find("PATCH", "/repos/a/b/issues/7").is_none());
    }
}
