//! What an administrator does on the data directory itself, with or without a server at work on it.
//!
//! These are the functions behind `baton forge user|token|repo`. They use the same tables and the same rules as the
//! endpoints; SQLite keeps them apart from a running server's writes. They block, so async callers give them a thread.

use std::path::{Path, PathBuf};
use std::process::Command;

use baton_core::RepoSlug;
use baton_core::repo_slug::is_login;

use crate::api::{Creation, create_in};
use crate::clock::Clock;
use crate::db::accounts::{self, AccountKind, NewAccount, TokenRole};
use crate::db::{Database, OpenError, Tx, WriteError, repos};
use crate::git::GitStore;
use crate::git::ref_changes::Followers;
use crate::http::error::ApiError;
use crate::server::open_data;

/// The account that a new forge starts with.
pub const FIRST_ADMIN: &str = "admin";
/// Names that are the forge's own paths.
const RESERVED: [&str; 14] = [
    "api",
    "repos",
    "repositories",
    "user",
    "users",
    "orgs",
    "search",
    "rate_limit",
    "meta",
    "zen",
    "graphql",
    "avatars",
    "login",
    "organizations",
];

/// What an administrator asked for could not be done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The data could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The request makes no sense or meets something that exists.
    #[error("{0}")]
    Refused(String),
    /// Something broke underneath.
    #[error("{0}")]
    Failed(String),
}

impl From<ApiError> for AdminError {
    fn from(error: ApiError) -> Self {
        let detail = error.errors.first().and_then(|detail| detail["message"].as_str().map(str::to_owned));
        let message = detail.unwrap_or(error.message);
        if error.status >= 500 { Self::Failed(message) } else { Self::Refused(message) }
    }
}

impl From<rusqlite::Error> for AdminError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<WriteError> for AdminError {
    fn from(error: WriteError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The most a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Read.
    Read,
    /// Read and write.
    Write,
    /// Everything its owner may.
    Admin,
}

impl Role {
    fn internal(self) -> TokenRole {
        match self {
            Self::Read => TokenRole::Read,
            Self::Write => TokenRole::Write,
            Self::Admin => TokenRole::Admin,
        }
    }
}

/// The kind of a new account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A person.
    User,
    /// A program.
    Bot,
    /// An owner of repositories with members.
    Organization,
}

/// A data directory opened for administration.
pub struct Admin {
    db: Database,
    git: GitStore,
    clock: Clock,
}

impl Admin {
    /// Opens a data directory, making it when absent.
    pub fn open(data: &Path) -> Result<Self, AdminError> {
        let (db, git) = open_data(data)?;
        Ok(Self { db, git, clock: Clock::new() })
    }

    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> Result<T, AdminError> + Send + 'static,
    ) -> Result<T, AdminError> {
        self.db.writer().write_blocking(change)
    }

    /// Makes sure that there is an administrator, and that `token` is one of its tokens. Without a token, one is made
    /// and returned if the forge is new.
    pub fn ensure_admin(&self, token: Option<String>) -> Result<Option<String>, AdminError> {
        let now = self.clock.now_s();
        self.write(move |tx| {
            let existing = accounts::by_login(tx, FIRST_ADMIN)?;
            let is_new = existing.is_none();
            let account = match existing {
                Some(account) => account,
                None => accounts::insert(
                    tx,
                    &NewAccount { login: FIRST_ADMIN, kind: AccountKind::User, site_admin: true, now },
                )?,
            };
            let made = (token.is_none() && is_new).then(new_secret).transpose()?;
            if let Some(secret) = token.as_ref().or(made.as_ref()) {
                accounts::insert_token(tx, account.id, secret, TokenRole::Admin, &[], now)?;
            }
            Ok(made)
        })
    }

    /// Adds an account.
    pub fn add_account(&self, login: &str, kind: Kind) -> Result<(), AdminError> {
        check_login(login)?;
        let (login, now) = (login.to_owned(), self.clock.now_s());
        let kind = match kind {
            Kind::User => AccountKind::User,
            Kind::Bot => AccountKind::Bot,
            Kind::Organization => AccountKind::Organization,
        };
        self.write(move |tx| {
            if accounts::by_login(tx, &login)?.is_some() {
                return Err(AdminError::Refused(format!("an account named {login} exists already")));
            }
            accounts::insert(tx, &NewAccount { login: &login, kind, site_admin: false, now })?;
            Ok(())
        })
    }

    /// Makes a token for an account, limited to some repositories if any are named.
    pub fn create_token(&self, login: &str, role: Role, only: &[RepoSlug]) -> Result<String, AdminError> {
        let (login, only, now) = (login.to_owned(), only.to_vec(), self.clock.now_s());
        self.write(move |tx| {
            let account = accounts::by_login(tx, &login)?;
            let account = account.ok_or_else(|| {
                AdminError::Refused(format!(
                    "there is no account {login}: add it with `baton forge user add {login}`"
                ))
            })?;
            let mut ids = Vec::new();
            for slug in &only {
                let repo = repos::find(tx, slug.owner(), slug.name())?;
                ids.push(
                    repo.ok_or_else(|| AdminError::Refused(format!("there is no repository {slug}")))?.id,
                );
            }
            let secret = new_secret()?;
            accounts::insert_token(tx, account.id, &secret, role.internal(), &ids, now)?;
            Ok(secret)
        })
    }

    /// Lets an account do everything in a repository.
    pub fn let_in(&self, login: &str, slug: &RepoSlug) -> Result<(), AdminError> {
        let (login, slug) = (login.to_owned(), slug.clone());
        self.write(move |tx| {
            let account = accounts::by_login(tx, &login)?
                .ok_or_else(|| AdminError::Refused(format!("there is no account {login}")))?;
            let repo = repos::find(tx, slug.owner(), slug.name())?
                .ok_or_else(|| AdminError::Refused(format!("there is no repository {slug}")))?;
            Ok(repos::set_collaborator(tx, repo.id, account.id, repos::Permission::Admin)?)
        })
    }

    /// Makes a repository, empty or with another's history. An owner that does not exist becomes an organisation of the
    /// first administrator; the answer says whether that happened.
    pub fn create_repo(
        &self,
        slug: &RepoSlug,
        import: Option<&Path>,
        private: bool,
    ) -> Result<bool, AdminError> {
        check_login(slug.owner())?;
        let source = import.map(Source::look).transpose()?;
        let now = self.clock.now_s();
        let git = GitStore::new(self.git.root().to_owned());
        let branch = source.as_ref().map_or("main".to_owned(), |source| source.default_branch.clone());
        let new_slug = slug.clone();
        let (repo, owner_made) = self.write(move |tx| {
            let existing = accounts::by_login(tx, new_slug.owner())?;
            let owner_made = existing.is_none();
            let owner = match existing {
                Some(owner) => owner,
                None => new_organization(tx, new_slug.owner(), now)?,
            };
            let creation = Creation {
                name: new_slug.name(),
                description: None,
                homepage: None,
                private,
                default_branch: &branch,
                auto_init: false,
            };
            Ok((create_in(tx, &git, &owner, &creation, now)?, owner_made))
        })?;
        if let Some(source) = source {
            if let Err(error) = source.copy_into(&self.git.path(repo.id)) {
                // A repository without the history that was asked for would only be in the way of the next try.
                let id = repo.id;
                self.write(move |tx| Ok(repos::delete(tx, id)?))?;
                return Err(error);
            }
            Followers { db: &self.db, git: &self.git, now }.follow(&repo, None, repo.owner.id)?;
        }
        Ok(owner_made)
    }
}

fn check_login(login: &str) -> Result<(), AdminError> {
    if !is_login(login) || RESERVED.contains(&login.to_ascii_lowercase().as_str()) {
        return Err(AdminError::Refused(format!(
            "`{login}` cannot name an account: use letters, digits, `-` and `_`, starting with a letter or digit, and no name of the forge's own paths"
        )));
    }
    Ok(())
}

fn new_organization(tx: &Tx<'_>, login: &str, now: i64) -> Result<accounts::Account, AdminError> {
    let org =
        accounts::insert(tx, &NewAccount { login, kind: AccountKind::Organization, site_admin: false, now })?;
    if let Some(admin) = accounts::by_login(tx, FIRST_ADMIN)? {
        accounts::add_org_member(tx, org.id, admin.id, "admin")?;
    }
    Ok(org)
}

/// A secret of 160 random bits with a prefix by which scanners and people know it.
fn new_secret() -> Result<String, AdminError> {
    let mut bytes = [0_u8; 20];
    getrandom::fill(&mut bytes)
        .map_err(|error| AdminError::Failed(format!("no randomness for a token: {error}")))?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("bft_{hex}"))
}

/// A repository on disk whose history is to be copied.
struct Source {
    path: PathBuf,
    default_branch: String,
}

impl Source {
    fn look(path: &Path) -> Result<Self, AdminError> {
        let refused = |why: String| AdminError::Refused(format!("cannot import {}: {why}", path.display()));
        let absolute = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        let repository =
            git2::Repository::open(&absolute).map_err(|error| refused(error.message().to_owned()))?;
        let head = repository
            .find_reference("HEAD")
            .ok()
            .and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned));
        let branch =
            head.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).unwrap_or("main").to_owned();
        Ok(Self { path: absolute, default_branch: branch })
    }

    /// Copies branches and tags with git itself.
    fn copy_into(&self, bare: &Path) -> Result<(), AdminError> {
        let mut command: Command = crate::git::git_command(bare);
        command.args(["fetch", "--quiet", "--no-write-fetch-head"]).arg(&self.path);
        command.args(["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
        let output =
            command.output().map_err(|error| AdminError::Failed(format!("cannot run git: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(AdminError::Failed(format!("git could not copy {}: {complaint}", self.path.display())))
    }
}
