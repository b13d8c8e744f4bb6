//! Every relative link in a Markdown file points at a file of the repository, and at a heading of it when it names one.
//!
//! Addresses on the network are not followed. Links in code are text.

use std::collections::BTreeMap;

use super::Finding;

/// What stands before and after the target of a link: Markdown, then the HTML that Markdown allows.
const FORMS: [(&str, char); 3] = [("](", ')'), ("href=\"", '"'), ("src=\"", '"')];

/// Looks at the links of a file. `text_of` has the texts of the repository's files.
pub(crate) fn check<'a>(
    path: &str,
    text: &str,
    exists: &dyn Fn(&str) -> bool,
    text_of: &dyn Fn(&str) -> Option<&'a str>,
) -> Vec<Finding> {
    if !path.ends_with(".md") {
        return Vec::new();
    }
    let problem = |link: &Link| {
        let Link { target, anchor } = link;
        let file = match target.as_str() {
            "" => path.to_owned(),
            target => match resolve(path, target) {
                Some(file) => file,
                None => return Some(format!("links to `{target}`, which is outside of the repository")),
            },
        };
        if !exists(&file) && file != path {
            return Some(format!("links to `{target}`, and there is no `{file}`"));
        }
        let anchor = anchor.as_ref().filter(|_| file.ends_with(".md"))?;
        let there = if file == path { Some(text) } else { text_of(&file) };
        let has = there.is_some_and(|text| anchors(text).contains(anchor));
        (!has).then(|| format!("links to `{target}#{anchor}`, and `{file}` has no such heading"))
    };
    links(text).iter().filter_map(problem).map(|problem| Finding::new(path, problem)).collect()
}

/// Where a link goes: a file, empty for the same one, and a heading of it.
struct Link {
    target: String,
    anchor: Option<String>,
}

/// Lists the targets of the relative links in a Markdown text, without their anchors.
pub(crate) fn targets(text: &str) -> Vec<String> {
    links(text).into_iter().map(|link| link.target).filter(|target| !target.is_empty()).collect()
}

fn links(text: &str) -> Vec<Link> {
    let lines = without_code(text);
    let inline = lines.iter().flat_map(|line| FORMS.iter().flat_map(|form| inline(line, *form)));
    let references = lines.iter().filter_map(|line| reference(line));
    inline.chain(references).filter_map(relative).collect()
}

/// Lists what can be linked to in a text: its headings, as the tracker and the book call them, and ids in HTML.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in outside_of_fences(text) {
        found.extend(inline(line, ("id=\"", '"')).map(str::to_owned));
        let Some(heading) = heading(line) else { continue };
        let slug = slug(heading);
        let before = seen.entry(slug.clone()).or_default();
        found.push(if *before == 0 { slug } else { format!("{slug}-{before}") });
        *before += 1;
    }
    found
}

fn heading(line: &str) -> Option<&str> {
    let level = line.len() - line.trim_start_matches('#').len();
    line[level..].strip_prefix(' ').filter(|_| (1..=6).contains(&level))
}

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn without_code(text: &str) -> Vec<String> {
    outside_of_fences(text).into_iter().map(without_spans).collect()
}

fn outside_of_fences(text: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => lines.push(line),
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

/// Takes a target apart, unless it is an address.
fn relative(target: &str) -> Option<Link> {
    let target = target.split_whitespace().next()?.trim_start_matches('<').trim_end_matches('>');
    let scheme = target.split(['/', '#']).next().is_some_and(|first| first.contains(':'));
    let (rest, anchor) = match target.split_once('#') {
        Some((rest, anchor)) => (rest, Some(anchor.to_owned()).filter(|anchor| !anchor.is_empty())),
        None => (target, None),
    };
    let file = rest.split('?').next()?;
    let is_link = !scheme && !target.starts_with("//") && (!file.is_empty() || anchor.is_some());
    is_link.then(|| Link { target: file.to_owned(), anchor })
}

/// Follows a target from the file that names it; `None` if it leaves the repository.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
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

    const STYLE: &str = "# Style\n## Names\n```sh\n# no heading\n```\n## The `baton.yaml`, & more\n## Names\n<a id=\"here\"></a>";

    #[track_caller]
    fn check_text(path: &str, text: &str, wanted: &[&str]) {
        let files = ["", "README.md", "docs", "docs/style.md", "docs/decisions/0001-a.md"];
        let exists = |target: &str| files.contains(&target);
        let text_of = |target: &str| (target == "docs/style.md").then_some(STYLE);
        let findings = check(path, text, &exists, &text_of);
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
    fn addresses_footnotes_and_code_are_no_relative_links() {
        let text = "\
[a](https://example.org/x) [b](mailto:a@example.org) [d](//example.org/x)
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
            "[a]: gone.md",
            "<img src=\"gone.md\">",
            "a ` alone, then [a](gone.md)",
            "```\n```\n[a](gone.md)",
        ] {
            check_text("docs/style.md", text, &wanted);
        }
    }

    #[test]
    fn a_link_to_a_heading_needs_the_heading() {
        let page = "docs/style.md";
        let text = "[a](docs/style.md#names-1) [b](docs/style.md#the-batonyaml--more) [c](docs/style.md#here) [d](#two)\n# Two";
        check_text("README.md", text, &[]);
        check_text("README.md", "[a](docs#files) [b](docs/style.md#)", &[]);
        for anchor in ["no-heading", "names-2", "Names"] {
            let wanted = format!("links to `{page}#{anchor}`, and `{page}` has no such heading");
            check_text("README.md", &format!("[a]({page}#{anchor})"), &[&wanted]);
        }
        check_text("README.md", "[a](#gone)", &["links to `#gone`, and `README.md` has no such heading"]);
        let wanted = "links to `gone.md`, and there is no `docs/gone.md`";
        check_text(page, "[a](gone.md#anchor)", &[wanted]);
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
