//! The part of a pull request's body that is ours: all parts of the chain, in the order to merge them.

use super::{ChainState, PartState, PartStatus};
use crate::workspace::names::FeatureId;

/// How every mark that begins a section begins, whosever feature it is.
pub(super) const BEGIN: &str = "<!-- baton:chain:begin ";
/// The mark that ends a section.
pub(super) const END: &str = "<!-- baton:chain:end -->";

const HEADING: &str = "**Pull requests of `";
const OPEN: &str = "☐";
const MERGED: &str = "✅";
const FAILED: &str = "❌";
const PENDING: &str = "⏳";

/// A section: the feature it is about, and its lines between the marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The feature.
    pub feature: FeatureId,
    /// The lines.
    pub lines: Vec<String>,
}

impl Section {
    /// The mark that begins it.
    pub(super) fn begin(&self) -> String {
        format!("{BEGIN}{} -->", self.feature)
    }

    /// The whole text with its marks, without an end of line at its end.
    pub(super) fn text(&self, newline: &str) -> String {
        let begin = self.begin();
        let lines = self.lines.iter().map(String::as_str);
        let all: Vec<&str> = std::iter::once(begin.as_str()).chain(lines).chain([END]).collect();
        all.join(newline)
    }
}

/// Returns what the pull request of the part at `this` says about the chain.
pub fn section_for(chain: &ChainState, this: usize) -> Section {
    let heading = format!("{HEADING}{}`**, to be merged in this order:", chain.feature);
    let parts = chain.parts.iter().enumerate().map(|(at, part)| line(at, part, at == this));
    let lines = [heading, String::new()].into_iter().chain(parts).collect();
    Section { feature: chain.feature.clone(), lines }
}

fn line(at: usize, part: &PartState, is_this: bool) -> String {
    if is_this {
        return own_line(at, part);
    }
    let name = match part.status.pull() {
        Some((number, url)) => linked(&format!("{}#{number}", part.repo), url),
        None => part.repo.to_string(),
    };
    let (mark, more) = match &part.status {
        PartStatus::Pending => (PENDING, ", not opened yet"),
        PartStatus::Open { .. } => (OPEN, ""),
        // Why it failed is for whoever runs the chain: it may name what not everybody here should read.
        PartStatus::Failed { .. } => (FAILED, ", could not be opened yet"),
        PartStatus::Merged { .. } => (MERGED, ", merged"),
        PartStatus::Closed { .. } => (FAILED, ", closed without a merge"),
    };
    format!("{}. {mark} {name}{more}{}", at + 1, after(part))
}

/// The line of the pull request that says it. It has no number, so that it can be written before there is one; and
/// whoever reads it sees that there is a pull request, even if nobody knew that yet when it was written.
fn own_line(at: usize, part: &PartState) -> String {
    let (mark, more) = match &part.status {
        PartStatus::Merged { .. } => (MERGED, ", merged"),
        PartStatus::Closed { .. } => (FAILED, ", closed without a merge"),
        PartStatus::Pending | PartStatus::Open { .. } | PartStatus::Failed { .. } => (OPEN, ""),
    };
    format!("{}. {mark} {} (this one){more}{}", at + 1, part.repo, after(part))
}

fn after(part: &PartState) -> String {
    let names: Vec<_> = part.depends_on.iter().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!(", after {}", names.join(" and ")) }
}

/// A link, unless the address has something in it that would end the link.
fn linked(name: &str, url: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !"()<>\\[]`".contains(c);
    let is_address = url.starts_with("https://") || url.starts_with("http://");
    if is_address && url.chars().all(is_plain) { format!("[{name}]({url})") } else { name.to_owned() }
}

/// Returns whether a line is one that sections are made of.
pub(super) fn is_ours(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked = after_number.strip_prefix(". ").filter(|_| after_number.len() < line.len());
    let is_part = marked.is_some_and(|rest| {
        let word = rest.split(' ').next().unwrap_or_default();
        [OPEN, MERGED, FAILED, PENDING].contains(&word)
    });
    is_part || line.starts_with(HEADING)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chain::ChainRequest;
    use crate::time::ServerTime;

    pub(in crate::chain) fn chain(parts: &[&str]) -> ChainState {
        let parts = parts.iter().map(|text| text.parse().unwrap()).collect();
        let feature = "login".parse().unwrap();
        let request =
            ChainRequest { feature, title: "Log in".into(), body: "Why.".into(), is_draft: false, parts };
        ChainState::begin(request, "http://x.example").unwrap()
    }

    #[test]
    fn every_state_has_its_mark_and_the_order_is_told() {
        let mut chain = chain(&["a/one", "a/two", "a/three", "a/four", "a/five"]);
        let url = |number: u64| format!("http://x.example/{number}");
        chain.parts[0].status = PartStatus::Merged { number: 1, url: url(1) };
        chain.parts[1].status = PartStatus::Open { number: 2, url: url(2) };
        chain.parts[1].depends_on = vec!["a/one".parse().unwrap()];
        chain.parts[2].status = PartStatus::Failed { why: "secret".into(), at: ServerTime(0) };
        chain.parts[3].status = PartStatus::Closed { number: 4, url: url(4) };
        let section = section_for(&chain, 1);
        assert_eq!(
            section.text("\n"),
            "<!-- baton:chain:begin login -->\n\
             **Pull requests of `login`**, to be merged in this order:\n\
             \n\
             1. ✅ [a/one#1](http://x.example/1), merged\n\
             2. ☐ a/two (this one), after a/one\n\
             3. ❌ a/three, could not be opened yet\n\
             4. ❌ [a/four#4](http://x.example/4), closed without a merge\n\
             5. ⏳ a/five, not opened yet\n\
             <!-- baton:chain:end -->"
        );
        assert!(section.lines.iter().filter(|line| !line.is_empty()).all(|line| is_ours(line)));
    }

    #[test]
    fn an_address_that_would_end_its_link_is_left_out() {
        assert_eq!(linked("a/b#1", "https://x.example/1"), "[a/b#1](https://x.example/1)");
        for url in
            ["", "javascript:x", "https://x.example/)", "https://x.example/\n<!-- x -->", "https://x y"]
        {
            assert_eq!(linked("a/b#1", url), "a/b#1", "{url:?}");
        }
    }

    #[test]
    fn other_peoples_lists_are_not_ours() {
        for line in ["", "1. one", "1. [ ] todo", "☐ x", ". ☐ x", "12 ☐", "**Pull requests**", "1. ☐x"]
        {
            assert!(!is_ours(line), "{line}");
        }
    }
}
