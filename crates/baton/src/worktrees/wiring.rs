//! Work trees from the configuration: where they are, and the token that git presents.

use std::path::Path;

use baton_core::RepoSlug;
use baton_git::{Checkout, GitWorkspaces, Token, WorkspaceSettings, http_origin};
use baton_ports::WorkspaceError;

use crate::claims::push::is_of_tracker;
use crate::command_error::CommandError;
use crate::config::{Credentials, Loaded, Surroundings};

/// Puts the work trees of a configuration together.
pub(crate) fn workspaces(
    loaded: &Loaded,
    surroundings: &Surroundings,
) -> Result<GitWorkspaces, CommandError> {
    let config = &loaded.resolved.config;
    let remote = config.workspaces.remote.clone().unwrap_or_else(|| tracker_remote(&config.api_url));
    let token = token(loaded, surroundings, &remote)?;
    let settings = WorkspaceSettings {
        remote,
        mirrors: loaded.directory.join(&config.workspaces.mirrors),
        worktrees: loaded.directory.join(&config.workspaces.worktrees),
        run_hooks: config.workspaces.run_hooks,
        dialect: config.pipeline.dialect,
    };
    Ok(GitWorkspaces::new(settings, move |_: &RepoSlug| token.clone())?)
}

/// Where the tracker has its repositories.
fn tracker_remote(api_url: &str) -> String {
    let origin = http_origin(api_url).unwrap_or_else(|| api_url.to_owned());
    format!("{}/{{repo}}.git", origin.replacen("://api.", "://", 1))
}

/// The tracker's token, for its own address only.
fn token(loaded: &Loaded, surroundings: &Surroundings, remote: &str) -> Result<Option<Token>, CommandError> {
    let config = &loaded.resolved.config;
    let Some(origin) = http_origin(remote).filter(|origin| is_of_tracker(origin, &config.api_url)) else {
        return Ok(None);
    };
    // A header of a pipeline beside ours would make two, and servers refuse that.
    if Checkout::new(existing(&loaded.directory)).has_header_for(remote)? {
        return Ok(None);
    }
    Ok(match loaded.credentials(surroundings)? {
        Credentials::Token(secret) => Token::new(secret.reveal(), &origin),
        Credentials::App(_) | Credentials::Anonymous => None,
    })
}

fn existing(directory: &Path) -> &Path {
    directory.ancestors().find(|it| it.is_dir()).unwrap_or(Path::new("/"))
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        Self::out_of_reach(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_where_the_tracker_is() {
        let check = |api_url: &str, expected: &str| assert_eq!(tracker_remote(api_url), expected);
        check("https://api.github.com", "https://github.com/{repo}.git");
        check("https://ghe.example/api/v3", "https://ghe.example/{repo}.git");
        check("http://127.0.0.1:7070", "http://127.0.0.1:7070/{repo}.git");
    }
}
