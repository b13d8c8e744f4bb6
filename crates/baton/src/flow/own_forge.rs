//! The forge that `baton up` brings along when no tracker is configured, so that nobody needs an account to begin.
//!
//! Its data is in `.baton/forge`. The token of its administrator is made once and kept beside it, readable by its owner alone.

use std::fs;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use baton_claims::machine::SystemEntropy;
use baton_core::RepoSlug;
use baton_core::config::Source;
use baton_forge::admin::{Admin, AdminError, FIRST_ADMIN, Kind, Role};
use baton_forge::{Forge, ForgeConfig, ForgeHandle};
use baton_ports::Entropy as _;

use super::context::Desk;
use crate::claims::naming::Naming;
use crate::command_error::CommandError;
use crate::config::Credentials;

/// Where it listens. The address must stay the same, since work trees and pull requests name it.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7070);
/// Who owns the repository when nobody says otherwise.
const OWNER: &str = "local";
/// What the person before the dashboard is called when nobody says otherwise.
const PERSON: &str = "you";

/// A forge that runs, and how to reach it.
pub(super) struct OwnForge {
    pub(super) handle: ForgeHandle,
    pub(super) token: String,
    /// What the person before the dashboard signs in with: nobody may review a pull request of their own.
    pub(super) person_token: String,
    pub(super) repo: RepoSlug,
}

/// Returns whether nothing says which tracker is meant.
pub(crate) fn is_needed(desk: &Desk) -> Result<bool, CommandError> {
    let naming = Naming { api_url: &desk.config().api_url, surroundings: &desk.surroundings };
    let is_said = *desk.loaded.resolved.source("tracker.api_url") != Source::Default;
    if is_said || naming.here().is_some() {
        return Ok(false);
    }
    Ok(desk.loaded.credentials(&desk.surroundings)? == Credentials::Anonymous)
}

impl OwnForge {
    /// Starts it, with a repository.
    pub(super) async fn start(desk: &Desk) -> Result<Self, CommandError> {
        let directory = desk.loaded.directory.join(".baton");
        let data = directory.join("forge");
        let config = ForgeConfig { listen: LISTEN, ..ForgeConfig::new(&data) };
        let forge = Forge::bind(&config).await.map_err(|error| CommandError::out_of_reach(&error))?;
        let token = kept_token(&directory)?;
        let repo = repo(desk)?;
        let (secret, slug, root) = (token.clone(), repo.clone(), desk.loaded.directory.clone());
        let person = desk.config().user.clone().unwrap_or_else(|| PERSON.to_owned());
        let kept = directory.join("person-token");
        let made = tokio::task::spawn_blocking(move || furnish(&data, secret, &slug, &root, &person, &kept));
        let person_token = made.await.map_err(|error| CommandError::out_of_reach(&error))??;
        Ok(Self { handle: forge.spawn(), token, person_token, repo })
    }
}

fn furnish(
    data: &Path,
    token: String,
    repo: &RepoSlug,
    root: &Path,
    person: &str,
    kept: &Path,
) -> Result<String, CommandError> {
    let admin = Admin::open(data)?;
    admin.ensure_admin(Some(token))?;
    // Before the repository, which would make an owner that is not there an organization, and nobody signs in as one.
    let is_owner = repo.owner().eq_ignore_ascii_case(person);
    if is_owner {
        or_there(admin.add_account(person, Kind::User))?;
    }
    let import = Some(root).filter(|root| root.join(".git").exists());
    or_there(admin.create_repo(repo, import, true))?;
    if is_owner {
        // The engine works as the administrator, who has no standing in what is a person's own.
        admin.let_in(FIRST_ADMIN, repo)?;
    }
    if let Some(token) = read_kept(kept) {
        return Ok(token);
    }
    // A start that was cut short may have come as far as the account.
    or_there(admin.add_account(person, Kind::User))?;
    admin.let_in(person, repo)?;
    let token = admin.create_token(person, Role::Admin, &[])?;
    keep(kept, &token)?;
    Ok(token)
}

/// Takes what is there already for made.
fn or_there<T>(made: Result<T, AdminError>) -> Result<(), CommandError> {
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.to_string().contains("exists") => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The repository that is configured, or one that is called like the directory.
fn repo(desk: &Desk) -> Result<RepoSlug, CommandError> {
    if let Some(repo) = desk.config().sources.repos.first() {
        return Ok(repo.clone());
    }
    let name = std::path::absolute(&desk.loaded.directory).ok();
    let name = name.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let name =
        name.unwrap_or_default().replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-");
    RepoSlug::new(OWNER, &name)
        .map_err(|error| CommandError::Usage(format!("set `repos: [OWNER/NAME]` in baton.yaml: {error}")))
}

fn kept_token(directory: &Path) -> Result<String, CommandError> {
    let path = directory.join("forge-token");
    if let Some(token) = read_kept(&path) {
        return Ok(token);
    }
    let token = format!("bft_{:032x}", SystemEntropy.bits());
    keep(&path, &token)?;
    Ok(token)
}

fn read_kept(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty())
}

fn keep(path: &Path, token: &str) -> Result<(), CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::OutOfReach(format!("cannot keep a token of the forge in {}: {error}", path.display()))
    };
    let mut options = fs::OpenOptions::new();
    let file = options.create(true).truncate(true).write(true).mode(0o600).open(path);
    file.map_err(cannot)?.write_all(token.as_bytes()).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Furnishes a forge for a person, as every start does, and returns their token.
    fn furnished(root: &Path, repo: &str, person: &str) -> Result<String, CommandError> {
        let (data, kept) = (root.join("forge"), root.join("person-token"));
        furnish(&data, "bft_admin".to_owned(), &repo.parse().unwrap(), root, person, &kept)
    }

    #[test]
    fn a_forge_is_furnished_for_a_person_who_owns_the_repository_too() {
        for person in ["you", "ada", "ADA", "admin"] {
            let directory = tempfile::tempdir().unwrap();
            let token = furnished(directory.path(), "ada/web", person).unwrap();
            assert_eq!(furnished(directory.path(), "ada/web", person).unwrap(), token, "{person}");
        }
    }

    #[test]
    fn a_start_that_was_cut_short_is_made_good_by_the_next() {
        let directory = tempfile::tempdir().unwrap();
        furnished(directory.path(), "acme/web", "ada").unwrap();
        fs::remove_file(directory.path().join("person-token")).unwrap();
        assert!(furnished(directory.path(), "acme/web", "ada").is_ok(), "the account is there already");
    }
}
