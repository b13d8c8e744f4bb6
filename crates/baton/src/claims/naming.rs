//! Which repository and which issue a person means, from what was written and from where the command stands.

use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use baton_core::issue_ref::IssueRefError;
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};

use super::context::usage;
use crate::command_error::CommandError;
use crate::config::Surroundings;

/// An issue as a person named it, with the host of its address when there was one.
#[derive(Debug, Clone)]
pub(crate) struct IssueArgument {
    pub(crate) reference: IssueRef,
    host: Option<String>,
}

impl FromStr for IssueArgument {
    type Err = IssueRefError;

    fn from_str(text: &str) -> Result<Self, IssueRefError> {
        let host =
            text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default().to_owned());
        Ok(Self { reference: text.parse()?, host })
    }
}

/// Returns whether an address for people is on the tracker with this API address.
fn is_on(host: &str, api_url: &str) -> bool {
    let api_host = api_url.split_once("://").map_or(api_url, |(_, rest)| rest);
    let api_host = api_host.split('/').next().unwrap_or_default();
    api_host.eq_ignore_ascii_case(host)
        || api_host.strip_prefix("api.").is_some_and(|rest| rest.eq_ignore_ascii_case(host))
}

/// Where names are read: the tracker they are on, and the place that fills in what they leave out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming<'a> {
    pub(crate) api_url: &'a str,
    pub(crate) surroundings: &'a Surroundings,
}

impl Naming<'_> {
    /// The repository of the checkout that the command runs in, by its remote.
    pub(crate) fn here(&self) -> Option<RepoSlug> {
        remote_slug(self.surroundings.directory(), "origin")
    }

    /// The issue that a person named.
    pub(crate) fn issue(&self, argument: &IssueArgument) -> Result<IssueKey, CommandError> {
        let api_url = self.api_url;
        if let Some(host) = argument.host.as_deref().filter(|host| !is_on(host, api_url)) {
            return Err(CommandError::Usage(format!(
                "the address is on {host}, and the tracker is {api_url}; set BATON_GITHUB_API_URL, or write OWNER/REPO#N"
            )));
        }
        self.issue_named(&argument.reference)
    }

    /// The issue that a reference without a host names.
    pub(crate) fn issue_named(&self, reference: &IssueRef) -> Result<IssueKey, CommandError> {
        let repo = match (&reference.owner, &reference.repo) {
            (Some(owner), Some(repo)) => RepoSlug::new(owner, repo).map_err(usage)?,
            (_, Some(repo)) => self.in_organisation(repo)?,
            _ => self.here_or_error(&reference.to_string())?,
        };
        Ok(IssueKey { repo, number: reference.number })
    }

    /// The repository that a person named, or the one of the checkout.
    pub(crate) fn repo(&self, named: Option<&str>) -> Result<RepoSlug, CommandError> {
        match named {
            Some(text) if text.contains('/') => text.parse().map_err(usage),
            Some(name) => self.in_organisation(name),
            None => self.here_or_error("this"),
        }
    }

    /// A bare repository name means one of GH_ORG, or of the checkout's owner.
    fn in_organisation(&self, name: &str) -> Result<RepoSlug, CommandError> {
        let organisation = self.surroundings.variable("GH_ORG").map(str::to_owned);
        let owner =
            organisation.or_else(|| self.here().map(|here| here.owner().to_owned())).ok_or_else(|| {
                CommandError::Usage(format!(
                    "`{name}` names no owner: write OWNER/{name}, set GH_ORG, or run this in a checkout"
                ))
            })?;
        RepoSlug::new(&owner, name).map_err(usage)
    }

    fn here_or_error(&self, what: &str) -> Result<RepoSlug, CommandError> {
        self.here().ok_or_else(|| {
            CommandError::Usage(format!(
                "`{what}` needs a repository: name it as OWNER/REPO, or run this in a checkout whose remote `origin` is one"
            ))
        })
    }
}

/// The repository behind a remote of a checkout.
fn remote_slug(directory: &Path, remote: &str) -> Option<RepoSlug> {
    let output =
        Command::new("git").arg("-C").arg(directory).args(["remote", "get-url", remote]).output().ok()?;
    let address = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| slug_of_address(address.trim())).flatten()
}

/// Reads `https://host/owner/name.git`, `git@host:owner/name` and what is like them, on any host.
pub(crate) fn slug_of_address(address: &str) -> Option<RepoSlug> {
    let path = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?.1,
        // `user@host:path` has its colon before any slash; a directory of this machine has none.
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?.1,
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let (rest, name) = path.rsplit_once('/')?;
    let owner = rest.rsplit('/').next()?;
    RepoSlug::new(owner, name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_must_be_on_the_tracker_that_is_asked() {
        assert!(
            is_on("github.com", "https://api.github.com")
                && is_on("GHE.example", "https://ghe.example/api/v3")
        );
        assert!(is_on("127.0.0.1:7070", "http://127.0.0.1:7070"));
        assert!(
            !is_on("gitlab.example", "https://api.github.com")
                && !is_on("github.com", "http://127.0.0.1:7070")
        );
        let argument: IssueArgument = "https://github.com/acme/web/issues/1".parse().unwrap();
        assert_eq!(argument.host.as_deref(), Some("github.com"));
        assert_eq!("acme/web#1".parse::<IssueArgument>().unwrap().host, None);
    }

    #[test]
    fn a_remote_of_any_host_and_form_names_its_repository() {
        for address in [
            "https://github.com/acme/web.git",
            "https://github.com/acme/web/",
            "git@github.com:acme/web.git",
            "ssh://git@ghe.example:22/acme/web",
            "http://127.0.0.1:7070/acme/web.git",
        ] {
            assert_eq!(
                slug_of_address(address).map(|slug| slug.to_string()).as_deref(),
                Some("acme/web"),
                "{address}"
            );
        }
        for address in
            ["", "web", "acme/web", "/", "/srv/git/web.git", "file:///srv/git/web.git", "../git/web"]
        {
            assert_eq!(slug_of_address(address), None, "{address}");
        }
    }
}
