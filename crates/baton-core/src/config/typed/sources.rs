//! Where issues come from, and where news of them comes from.

use std::fmt;
use std::str::FromStr;

use super::Reader;
use crate::RepoSlug;

/// Where issues, and news of them, come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcesConfig {
    /// The repositories; nothing for that of the checkout.
    pub repos: Vec<RepoSlug>,
    /// The project that is the board; nothing for labels.
    pub project: Option<ProjectRef>,
    /// The field of the project that holds the column.
    pub field: String,
    /// Where webhooks are received.
    pub webhooks_listen: Option<String>,
    /// Whether `gh webhook forward` brings them.
    pub webhooks_forward: bool,
    /// The names by which the dashboard may be called, beside those of the machine itself.
    pub dashboard_hosts: Vec<String>,
}

impl SourcesConfig {
    pub(super) fn new(read: Reader<'_>) -> Self {
        // The table has let nothing through that cannot be read.
        let slug = |text: &String| text.parse().ok();
        Self {
            repos: read.list("repos").iter().filter_map(slug).collect(),
            project: read.text("board.project").and_then(|text| text.parse().ok()),
            field: read.text("board.field").expect("it has a default"),
            webhooks_listen: read.text("webhooks.listen"),
            webhooks_forward: read.switch("webhooks.forward"),
            dashboard_hosts: read.list("dashboard.hosts").to_vec(),
        }
    }
}

/// A project, by its owner and number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRef {
    /// The person or organization that has it.
    pub owner: String,
    /// Its number there.
    pub number: u64,
}

/// The text names no project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name a project: write OWNER/NUMBER, such as acme/3")]
pub struct ProjectRefError(String);

impl FromStr for ProjectRef {
    type Err = ProjectRefError;

    fn from_str(text: &str) -> Result<Self, ProjectRefError> {
        let error = || ProjectRefError(text.to_owned());
        let (owner, number) = text.split_once('/').ok_or_else(error)?;
        let is_owner = !owner.is_empty() && owner.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let number = number.parse().ok().filter(|number| *number > 0 && is_owner).ok_or_else(error)?;
        Ok(Self { owner: owner.to_owned(), number })
    }
}

impl fmt::Display for ProjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::config;

    #[test]
    fn repositories_and_the_board_can_be_named() {
        let sources = config("repos: [acme/web, acme/api]\nboard: {project: acme/3}\n").unwrap().sources;
        assert_eq!(sources.repos.len(), 2);
        assert_eq!(sources.project.unwrap().to_string(), "acme/3");
        for bad in ["repos: [web]", "board: {project: acme}", "board: {project: acme/0}"] {
            assert!(config(bad).is_err(), "{bad}");
        }
    }
}
