//! The ground that the demo plays on: a forge with accounts, a repository with a check, a board of issues, and the
//! configuration of an engine.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use baton_claims::machine::SystemEntropy;
use baton_core::RepoSlug;
use baton_core::config::stages::defaults::FILES;
use baton_forge::admin::{Admin, Kind, Role};
use baton_forge::{CiRule, Forge, ForgeConfig, ForgeHandle};
use baton_ports::Entropy as _;
use serde_json::{Value, json};

use super::client::Client;
use crate::command_error::CommandError;

/// The repository.
pub(super) const REPO: &str = "acme/hello";
/// Whose engine it is.
pub(super) const OPERATOR: &str = "ann";
/// Who reviews.
pub(super) const REVIEWER: &str = "mira";
/// Whose worker is too late.
pub(super) const RIVAL: &str = "otto";
/// Who sits before the dashboard.
const VISITOR: &str = "you";
/// The check that a merge needs.
pub(super) const CHECK: &str = "check";

/// The languages of the issues, in the order of their numbers.
pub(super) const LANGUAGES: [&str; 5] = ["French", "German", "Spanish", "Italian", "Japanese"];

/// The issue that a person wants changed.
pub(super) const REVIEWED: u64 = 3;
/// The issue that two workers want.
pub(super) const WANTED: u64 = 4;

/// A forge that runs, and who is on it.
pub(super) struct Ground {
    pub(super) forge: ForgeHandle,
    pub(super) admin: Client,
    pub(super) reviewer: Client,
    /// What the person before the dashboard signs in with.
    pub(super) visitor_token: String,
    /// What the other worker signs in with.
    pub(super) rival_token: String,
}

/// The tokens that are made before the server runs.
struct Tokens {
    admin: String,
    operator: String,
    reviewer: String,
    rival: String,
    visitor: String,
}

impl Ground {
    /// Makes the forge and everything on it but the webhook.
    pub(super) async fn make(directory: &Path) -> Result<Self, CommandError> {
        let data = directory.join("forge");
        let repo: RepoSlug = REPO.parse().map_err(|error| CommandError::OutOfReach(format!("{error}")))?;
        let rule = CiRule {
            repo: repo.clone(),
            name: CHECK.to_owned(),
            command: "sh check.sh".to_owned(),
            time_limit: Duration::from_secs(60),
            branches: Vec::new(),
        };
        let config = ForgeConfig { ci: vec![rule], ..ForgeConfig::new(&data) };
        let forge = Forge::bind(&config).await.map_err(|error| CommandError::out_of_reach(&error))?;
        let made = tokio::task::spawn_blocking(move || accounts(&data, &repo));
        let tokens = made.await.map_err(|error| CommandError::out_of_reach(&error))??;
        let forge = forge.spawn();
        let url = forge.url();
        let admin = Client::new(&url, &tokens.admin)?;
        furnish(&admin).await?;
        write_desk(&desk(directory), &url, &tokens.operator)?;
        let reviewer = Client::new(&url, &tokens.reviewer)?;
        Ok(Self { forge, admin, reviewer, visitor_token: tokens.visitor, rival_token: tokens.rival })
    }

    /// Has the forge tell an endpoint what happens.
    pub(super) async fn tell(&self, endpoint: SocketAddr, secret: &str) -> Result<(), CommandError> {
        let url = format!("http://{endpoint}/webhooks/github");
        let hook = json!({"config": {"url": url, "content_type": "json", "secret": secret}, "events": ["*"]});
        self.admin.ask("POST", &format!("/repos/{REPO}/hooks"), &hook).await.map(drop)
    }

    /// Opens the issues, all in the first column.
    pub(super) async fn open_issues(&self) -> Result<(), CommandError> {
        for language in LANGUAGES {
            let issue = json!({
                "title": format!("Greet in {language}"),
                "body": format!("Add a file in `greetings/` that greets the world in {language}. `check.sh` says what a greeting looks like."),
                // Specify leaves the issue to a person unless the issue itself says otherwise.
                "labels": ["stage:Specify", "baton:yolo"],
            });
            self.admin.ask("POST", &format!("/repos/{REPO}/issues"), &issue).await?;
        }
        Ok(())
    }
}

/// Where the engine's configuration and state are.
pub(super) fn desk(directory: &Path) -> PathBuf {
    directory.join("desk")
}

fn accounts(data: &Path, repo: &RepoSlug) -> Result<Tokens, CommandError> {
    let admin = Admin::open(data)?;
    let secret = format!("bft_{:032x}", SystemEntropy.bits());
    admin.ensure_admin(Some(secret.clone()))?;
    admin.create_repo(repo, None, false)?;
    let token = |login: &str| -> Result<String, CommandError> {
        admin.add_account(login, Kind::User)?;
        Ok(admin.create_token(login, Role::Write, &[])?)
    };
    let (operator, reviewer, rival) = (token(OPERATOR)?, token(REVIEWER)?, token(RIVAL)?);
    let visitor = token(VISITOR)?;
    Ok(Tokens { admin: secret, operator, reviewer, rival, visitor })
}

/// Puts the first commits into the repository, lets people in, and protects the branch.
async fn furnish(admin: &Client) -> Result<(), CommandError> {
    let readme = "# Hello\n\nGreetings in many languages, one file each. `sh check.sh` checks them.\n";
    for (path, text) in [
        ("README.md", readme),
        ("check.sh", include_str!("check.sh")),
        ("greetings/english.txt", "Hello, world!\n"),
    ] {
        let body = json!({ "message": format!("add {path}"), "content": BASE64.encode(text) });
        admin.ask("PUT", &format!("/repos/{REPO}/contents/{path}"), &body).await?;
    }
    for login in [OPERATOR, REVIEWER, RIVAL, VISITOR] {
        let path = format!("/repos/{REPO}/collaborators/{login}");
        admin.ask("PUT", &path, &json!({ "permission": "push" })).await?;
    }
    let protection = json!({
        "required_status_checks": { "strict": false, "contexts": [CHECK] },
        "enforce_admins": true,
        "required_pull_request_reviews": Value::Null,
        "restrictions": Value::Null,
    });
    let path = format!("/repos/{REPO}/branches/main/protection");
    admin.ask("PUT", &path, &protection).await.map(drop)
}

/// Writes the configuration of the engine: the shipped stages, with times that suit a demonstration.
fn write_desk(desk: &Path, url: &str, token: &str) -> Result<(), CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::OutOfReach(format!("cannot write to {}: {error}", desk.display()))
    };
    fs::create_dir_all(desk).map_err(cannot)?;
    let config = format!(
        "\
user: {OPERATOR}
tracker: {{api_url: '{url}'}}
repos: [{REPO}]
yolo: true
poll: 2s
post_push_dwell: 1s
review_wait_timeout: 2min
kill_grace: 1s
max_concurrent: 4
workers: {{heartbeat: 500ms, ttl: 10s}}
retry: {{base: 200ms, cap: 2s}}
claims: {{settle: 100ms, visible_within: 2s}}
agents:
  coder: {{adapter: script, script: coder.yaml}}
"
    );
    fs::write(desk.join("baton.yaml"), config).map_err(cannot)?;
    fs::write(desk.join("coder.yaml"), include_str!("coder.yaml")).map_err(cannot)?;
    let stages = desk.join(".baton/stages");
    fs::create_dir_all(&stages).map_err(cannot)?;
    for (name, text) in FILES {
        // Plans are shown to a person before anything is built.
        let approval = if name == "plan.yaml" { "approval: tracker\n" } else { "" };
        fs::write(stages.join(name), format!("{approval}{text}")).map_err(cannot)?;
    }
    let mut options = fs::OpenOptions::new();
    let file = options.create(true).truncate(true).write(true).mode(0o600).open(desk.join(".env"));
    let secret = format!("{:032x}", SystemEntropy.bits());
    let text = format!("BATON_TOKEN={token}\nBATON_WEBHOOK_SECRET={secret}\n");
    std::io::Write::write_all(&mut file.map_err(cannot)?, text.as_bytes()).map_err(cannot)
}
