//! The commits that a push would bring to the other side, and the issues that their messages close.

use std::path::Path;

use baton_core::closing::closing_references;
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};

use super::super::context::slug_of_address;
use super::git::{git, git_text, has_commit};
use super::pushed::Pushed;

/// An issue, and which of the refs that are pushed would close it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Closing {
    pub(super) issue: IssueKey,
    pub(super) by: Vec<usize>,
}

/// Where a push goes.
#[derive(Debug)]
pub(super) struct Destination<'a> {
    pub(super) directory: &'a Path,
    pub(super) remote: &'a str,
    pub(super) address: &'a str,
}

impl Destination<'_> {
    /// The repository that `#42` means: the one that is pushed to.
    pub(super) fn repository(&self) -> Option<RepoSlug> {
        let configured = || git_text(self.directory, &["remote", "get-url", self.remote]).ok();
        hosted(self.address).or_else(|| hosted(&configured()?))
    }

    /// The messages of the commits that are not over there yet and that have a keyword somewhere. Git leaves out the
    /// others, because the first push of an old history would be more than memory wants to hold.
    pub(super) fn messages(&self, pushed: &Pushed) -> Result<Vec<String>, String> {
        let there = pushed.remote_oid.as_deref().filter(|oid| has_commit(self.directory, oid));
        let tracking = self.tracking();
        let mut arguments = vec!["log", "-z", "--format=%B", "--encoding=UTF-8", "--no-show-signature"];
        arguments.extend(["-i", "-F", "--grep=close", "--grep=fix", "--grep=resolve"]);
        arguments.extend([pushed.local_oid.as_str(), "--not", tracking.as_str()]);
        arguments.extend(there);
        arguments.push("--");
        let printed = git(self.directory, &arguments)?;
        let messages =
            printed.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
        Ok(messages.collect())
    }

    /// What this machine knows to be over there. Of an address that is no remote it knows nothing, and then what has
    /// been published anywhere is not news.
    fn tracking(&self) -> String {
        let remotes = git_text(self.directory, &["remote"]).unwrap_or_default();
        match remotes.lines().any(|name| name == self.remote) {
            true => format!("--remotes={}", self.remote),
            false => "--remotes".to_owned(),
        }
    }
}

/// Reads an address that leads to a server. A directory of this machine is no tracker's repository, whatever its name.
fn hosted(address: &str) -> Option<RepoSlug> {
    let is_url = address.contains("://") && !address.starts_with("file://");
    let is_short = address.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'));
    (is_url || (is_short && !address.contains("://"))).then(|| slug_of_address(address)).flatten()
}

/// Collects the issues that messages close, each once, in the order of their first mention. `messages` says which ref
/// each belongs to. References that name no repository, when it is not known which is meant, come back beside them.
pub(super) fn closed_by(
    messages: &[(usize, String)],
    here: Option<&RepoSlug>,
) -> (Vec<Closing>, Vec<IssueRef>) {
    let (mut closing, mut homeless) = (Vec::new(), Vec::new());
    for (by, message) in messages {
        for reference in closing_references(message) {
            match issue(&reference, here) {
                Some(issue) => add(&mut closing, issue, *by),
                None if homeless.contains(&reference) => {}
                None => homeless.push(reference),
            }
        }
    }
    (closing, homeless)
}

fn issue(reference: &IssueRef, here: Option<&RepoSlug>) -> Option<IssueKey> {
    let repo = match (&reference.owner, &reference.repo) {
        (Some(owner), Some(repo)) => RepoSlug::new(owner, repo).ok(),
        _ => reference.repository(here?),
    };
    Some(IssueKey { repo: repo?, number: reference.number })
}

fn add(closing: &mut Vec<Closing>, issue: IssueKey, by: usize) {
    let is_same = |it: &&mut Closing| it.issue.to_string().eq_ignore_ascii_case(&issue.to_string());
    match closing.iter_mut().find(is_same) {
        Some(known) if known.by.contains(&by) => {}
        Some(known) => known.by.push(by),
        None => closing.push(Closing { issue, by: vec![by] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_server_names_a_repository_and_a_directory_does_not() {
        for (address, expected) in [
            ("https://x-access-token:secret@github.com/acme/web.git", Some("acme/web")),
            ("http://127.0.0.1:7070/acme/web", Some("acme/web")),
            ("git@github.com:acme/web.git", Some("acme/web")),
            ("work-alias:acme/web", Some("acme/web")),
            ("ssh://git@ghe.example:22/acme/web", Some("acme/web")),
            ("/srv/git/web.git", None),
            ("../acme/web", None),
            ("./a:b/acme/web", None),
            ("file:///srv/git/web.git", None),
            ("", None),
        ] {
            assert_eq!(hosted(address).map(|slug| slug.to_string()).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn every_issue_is_named_once_with_all_that_close_it() {
        let here: RepoSlug = "acme/web".parse().unwrap();
        let message = |by: usize, text: &str| (by, text.to_owned());
        let messages = [
            message(0, "Fixes #2, closes Acme/Web#2 and\nresolves acme/api#1"),
            message(1, "see #9\n\nfix: #2 closes https://github.com/acme/web/issues/3"),
        ];
        let (closing, homeless) = closed_by(&messages, Some(&here));
        let told: Vec<_> = closing.iter().map(|it| (it.issue.to_string(), it.by.clone())).collect();
        let expected = [("acme/web#2", vec![0, 1]), ("acme/api#1", vec![0]), ("acme/web#3", vec![1])];
        assert_eq!(told, expected.map(|(name, by)| (name.to_owned(), by)));
        assert!(homeless.is_empty());
    }

    #[test]
    fn a_bare_number_has_no_home_when_nobody_knows_the_repository() {
        let (closing, homeless) = closed_by(&[(0, "fixes #2 fixes #2 fixes acme/api#1".to_owned())], None);
        assert_eq!((closing.len(), homeless), (1, vec![IssueRef::local(2)]));
    }

    #[test]
    fn code_that_one_message_leaves_open_hides_nothing_in_the_next() {
        let here: RepoSlug = "acme/web".parse().unwrap();
        let messages = [(0, "```\nfixes #1".to_owned()), (0, "fixes #2".to_owned())];
        let numbers: Vec<_> = closed_by(&messages, Some(&here)).0.iter().map(|it| it.issue.number).collect();
        assert_eq!(numbers, [2]);
    }
}
