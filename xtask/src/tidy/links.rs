//! Every relative link in a Markdown file points at a file of the repository.
//!
//! Addresses on the network are not followed, and headings behind `#` are not looked up. Links in code are text.

use super::Finding;

/// What stands before and after the target of a link: Markdown, then the HTML that Markdown allows.
const FORMS: [(&str, char); 3] = [("](", ')'), ("href=\"", '"'), ("src=\"", '"')];

pub(crate) fn check(path: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    if !path.ends_with(".md") {
        return Vec::new();
    }
    let problem = |target: &String| match resolve(path, target) {
        Some(file) if exists(&file) => None,
        Some(file) => Some(Finding::new(path, format!("links to `{target}`, and there is no `{file}`"))),
        None => Some(Finding::new(path, format!("links to `{target}`, which is outside of the repository"))),
    };
    targets(text).iter().filter_map(problem).collect()
}

/// Lists the targets of the relative links in a Markdown text, without their anchors.
pub(crate) fn targets(text: &str) -> Vec<String> {
    let lines = without_code(text);
    let inline = lines.iter().flat_map(|line| FORMS.iter().flat_map(|form| inline(line, *form)));
    let references = lines.iter().filter_map(|line| reference(line));
    inline.chain(references).filter_map(relative).map(str::to_owned).collect()
}

fn without_code(text: &str) -> Vec<String> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => lines.push(without_spans(line)),
            _ => {}
        }
    }
    lines
}

/// Leaves out what stands between backticks; a backtick without a partner is text.
fn without_spans(line: &str) -> String {
    let pieces: Vec<_> = line.split('`').collect();
    let paired = pieces.len() - (pieces.len() + 1) % 2;
    let outside =
        |(index, piece): (usize, &&str)| (index % 2 == 0 || index >= paired).then(|| (*piece).to_owned());
    pieces.iter().enumerate().filter_map(outside).collect::<Vec<_>>().join("``")
}

fn inline<'a>(line: &'a str, (opening, closing): (&'static str, char)) -> impl Iterator<Item = &'a str> {
    line.match_indices(opening).filter_map(move |(at, _)| line[at + opening.len()..].split(closing).next())
}

/// Reads `[name]: target`, but not the footnote `[^name]: text`.
fn reference(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('[').filter(|rest| !rest.starts_with('^'))?;
    rest.split_once("]:").map(|(_, target)| target)
}

/// Takes the file out of a target, unless it is an address or a place in the same file.
fn relative(target: &str) -> Option<&str> {
    let target = target.split_whitespace().next()?.trim_start_matches('<').trim_end_matches('>');
    let scheme = target.split(['/', '#']).next().is_some_and(|first| first.contains(':'));
    let file = target.split(['#', '?']).next()?;
    (!scheme && !file.is_empty() && !target.starts_with("//")).then_some(file)
}

/// Follows a target from the file that names it; `None` if it leaves the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let (start, target) = target.strip_prefix('/').map_or((directory, target), |target| ("", target));
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(path: &str, text: &str, wanted: &[&str]) {
        let files = ["", "README.md", "docs", "docs/style.md", "docs/decisions/0001-a.md"];
        let findings = check(path, text, &|target| files.contains(&target));
        let problems: Vec<_> = findings.iter().map(|finding| finding.problem.as_str()).collect();
        assert_eq!(problems, wanted, "in {text:?}");
    }

    #[test]
    fn links_to_files_of_the_repository_are_accepted() {
        let table = [
            ("README.md", "[a](docs/style.md) and [b](docs/style.md#names \"title\"), [c](./docs/)"),
            ("docs/style.md", "[up](../README.md) [root](/README.md) [beside](decisions/0001-a.md)"),
            ("docs/style.md", "[all](..) [ref]\n\n[ref]: decisions/0001-a.md"),
            ("docs/style.md", "<a href=\"../README.md\">a</a> [angle](<style.md>)"),
        ];
        for (path, text) in table {
            check_text(path, text, &[]);
        }
    }

    #[test]
    fn addresses_anchors_footnotes_and_code_are_no_relative_links() {
        let text = "\
[a](https://example.org/x) [b](mailto:a@example.org) [c](#names) [d](//example.org/x)
[^1]: A footnote.
`[code](gone.md)` and `x` then `[more](gone.md)`
```md
[fenced](gone.md)
```
~~~
```
[fenced](gone.md)
~~~
";
        check_text("README.md", text, &[]);
    }

    #[test]
    fn a_link_to_a_missing_file_is_refused_in_every_form() {
        let wanted = ["links to `gone.md`, and there is no `docs/gone.md`"];
        for text in [
            "see [a](gone.md)",
            "see [a](gone.md#anchor)",
            "[a]: gone.md",
            "<img src=\"gone.md\">",
            "a ` alone, then [a](gone.md)",
            "```\n```\n[a](gone.md)",
        ] {
            check_text("docs/style.md", text, &wanted);
        }
    }

    #[test]
    fn a_link_out_of_the_repository_is_refused() {
        check_text(
            "docs/style.md",
            "[a](../../x.md)",
            &["links to `../../x.md`, which is outside of the repository"],
        );
    }

    #[test]
    fn only_markdown_files_have_links() {
        check_text("src/a.rs", "a[0](gone)", &[]);
    }
}
