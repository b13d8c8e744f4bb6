//! `baton forge`: serve the embedded forge, and administer its data.

mod serve;
mod serve_config;

use std::path::PathBuf;

use baton_core::RepoSlug;
use baton_forge::admin::{Admin, AdminError, Kind, Role};
use clap::{Args, Subcommand, ValueEnum};

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum ForgeCommand {
    /// Serve the forge until Ctrl-C.
    Serve(serve::Serve),
    /// The accounts of the forge.
    #[command(
        subcommand,
        after_help = "Examples:
  baton forge user add ada
  baton forge user add acme --kind organization"
    )]
    User(UserCommand),
    /// The tokens of the forge.
    #[command(
        subcommand,
        after_help = "Examples:
  baton forge token create --user ada --role write  prints it once"
    )]
    Token(TokenCommand),
    /// The repositories of the forge.
    #[command(
        subcommand,
        after_help = "Examples:
  baton forge repo create acme/web
  baton forge repo create acme/web --import ../web  with the history of another"
    )]
    Repo(RepoCommand),
}

/// Where the forge keeps everything.
#[derive(Debug, Args)]
pub(crate) struct DataArgument {
    /// The directory that holds the forge's database and git repositories; made when absent.
    #[arg(long, value_name = "DIR", default_value = ".baton/forge", env = "BATON_FORGE_DATA")]
    data: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add an account to the forge.
    #[command(after_help = "Examples:
  baton forge user add ada
  baton forge user add helper --kind bot

Exit codes:
  0  added
  1  there is such an account, or the name cannot be one
  3  the forge's data cannot be opened")]
    Add {
        /// Its login.
        name: String,
        /// What it is.
        #[arg(long, value_enum, default_value = "user")]
        kind: AccountKind,
        #[command(flatten)]
        data: DataArgument,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AccountKind {
    User,
    Bot,
    Organization,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it; it cannot be shown again.
    #[command(after_help = "Examples:
  baton forge token create --user ada  may write wherever ada may
  baton forge token create --user ada --role read --repo acme/web

Exit codes:
  0  the token was printed
  1  there is no such account or repository
  3  the forge's data cannot be opened")]
    Create {
        /// The account it acts as.
        #[arg(long)]
        user: String,
        /// The most it may do.
        #[arg(long, value_enum, default_value = "write")]
        role: TokenRole,
        /// Limit it to this repository; may be given several times.
        #[arg(long = "repo", value_name = "OWNER/NAME")]
        repos: Vec<RepoSlug>,
        #[command(flatten)]
        data: DataArgument,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TokenRole {
    Read,
    Write,
    Admin,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RepoCommand {
    /// Make a repository, empty or with the history of another on this machine.
    #[command(after_help = "Examples:
  baton forge repo create acme/web                            an empty one
  baton forge repo create acme/web --import ../web --private  with the history of another

Exit codes:
  0  made
  1  it is there already, or the history cannot be copied
  3  the forge's data cannot be opened")]
    Create {
        /// Its owner and name; an unknown owner becomes an organisation.
        #[arg(value_name = "OWNER/NAME")]
        slug: RepoSlug,
        /// A git repository on this machine whose branches and tags are copied.
        #[arg(long, value_name = "PATH")]
        import: Option<PathBuf>,
        /// Hide it from everybody without a standing in it.
        #[arg(long)]
        private: bool,
        #[command(flatten)]
        data: DataArgument,
    },
}

impl From<AdminError> for CommandError {
    fn from(error: AdminError) -> Self {
        match &error {
            AdminError::Refused(message) => Self::No(message.clone()),
            AdminError::Open(_) | AdminError::Failed(_) => Self::out_of_reach(&error),
        }
    }
}

pub(crate) fn run(command: ForgeCommand) -> Result<(), CommandError> {
    match command {
        ForgeCommand::Serve(serve) => serve.run(),
        ForgeCommand::User(command) => user(command),
        ForgeCommand::Token(command) => token(command),
        ForgeCommand::Repo(command) => repo(command),
    }
}

fn user(UserCommand::Add { name, kind, data }: UserCommand) -> Result<(), CommandError> {
    let kind = match kind {
        AccountKind::User => Kind::User,
        AccountKind::Bot => Kind::Bot,
        AccountKind::Organization => Kind::Organization,
    };
    Admin::open(&data.data)?.add_account(&name, kind)?;
    println!("added {name}");
    Ok(())
}

fn token(TokenCommand::Create { user, role, repos, data }: TokenCommand) -> Result<(), CommandError> {
    let role = match role {
        TokenRole::Read => Role::Read,
        TokenRole::Write => Role::Write,
        TokenRole::Admin => Role::Admin,
    };
    println!("{}", Admin::open(&data.data)?.create_token(&user, role, &repos)?);
    Ok(())
}

fn repo(RepoCommand::Create { slug, import, private, data }: RepoCommand) -> Result<(), CommandError> {
    let owner_made = Admin::open(&data.data)?.create_repo(&slug, import.as_deref(), private)?;
    if owner_made {
        println!("made the organisation {}", slug.owner());
    }
    println!("created {slug}");
    Ok(())
}
