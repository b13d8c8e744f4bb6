//! A forge with three repositories, a clone of each, and people who use the API.

use std::sync::atomic::{AtomicU32, Ordering};

use baton_fixtures::git::{self, git};
use baton_fixtures::{TOKEN, TestEnv, TestForge};
use serde_json::{Value, json};

use crate::claims::setup::claimant;

pub(crate) const REPOS: [&str; 3] = ["api", "web", "docs"];

pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    machines: AtomicU32,
}

impl Setup {
    /// Three repositories with a first commit each.
    pub(crate) async fn new() -> Self {
        let forge = TestForge::start();
        for repo in REPOS {
            forge.repo(repo).await.clone_to(&forge.dir().join(repo));
        }
        Self { forge, machines: AtomicU32::new(0) }
    }

    /// The same, with a branch for a feature in every repository.
    pub(crate) async fn with_branches(feature: &str) -> Self {
        let setup = Self::new().await;
        REPOS.iter().for_each(|repo| setup.push(repo, &[&branch(feature)]));
        setup
    }

    /// Commits in the clone of a repository, and pushes the commit as branches.
    pub(crate) fn push(&self, repo: &str, branches: &[&str]) {
        let clone = self.forge.dir().join(repo);
        git(&clone, &["commit", "-q", "--allow-empty", "-m", "work"]);
        let specs = branches.iter().map(|branch| format!("HEAD:refs/heads/{branch}"));
        let push = ["push", "-q", "origin"].map(str::to_owned);
        let arguments: Vec<_> = git::login(TOKEN).into_iter().chain(push).chain(specs).collect();
        git(&clone, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// A machine of its own.
    pub(crate) fn env(&self) -> TestEnv {
        let name = format!("machine-{}", self.machines.fetch_add(1, Ordering::Relaxed));
        claimant(&self.forge, &name, "admin", TOKEN).with("BATON_CLAIMS_VISIBLE_WITHIN", "1s")
    }

    /// A machine of its own that reaches the tracker at another address.
    pub(crate) fn env_at(&self, url: &str) -> TestEnv {
        self.env().with("BATON_GITHUB_API_URL", url)
    }

    /// The pull requests of a repository from a branch, in any state.
    pub(crate) async fn pulls_from(&self, repo: &str, branch: &str) -> Vec<Value> {
        self.forge.at(repo).pages(&format!("/pulls?state=all&head=admin:{branch}")).await
    }

    /// The one pull request of a repository from a feature's branch.
    pub(crate) async fn pull(&self, repo: &str, feature: &str) -> Value {
        let mut found = self.pulls_from(repo, &branch(feature)).await;
        assert_eq!(found.len(), 1, "{repo} {feature}: {found:#?}");
        found.remove(0)
    }

    pub(crate) async fn body(&self, repo: &str, feature: &str) -> String {
        self.pull(repo, feature).await["body"].as_str().unwrap_or_default().to_owned()
    }

    /// Opens a pull request by hand, and returns its number.
    pub(crate) async fn open_by_hand(&self, repo: &str, branch: &str, base: &str, body: &str) -> u64 {
        let fields = json!({ "head": branch, "base": base, "title": "by hand", "body": body });
        self.forge.at(repo).post("/pulls", fields).await["number"].as_u64().unwrap()
    }

    /// Changes a pull request by hand.
    pub(crate) async fn edit(&self, repo: &str, feature: &str, fields: Value) {
        let number = self.pull(repo, feature).await["number"].as_u64().unwrap();
        self.forge.at(repo).send("PATCH", &format!("/pulls/{number}"), fields).await;
    }

    pub(crate) async fn merge(&self, repo: &str, feature: &str) {
        let number = self.pull(repo, feature).await["number"].as_u64().unwrap();
        self.forge.at(repo).send("PUT", &format!("/pulls/{number}/merge"), json!({})).await;
    }

    /// Returns how many writes were answered since the meter was cleared.
    pub(crate) async fn writes(&self) -> u64 {
        let rows = self.forge.meter().await;
        let writes = rows.iter().filter(|row| {
            let endpoint = row["endpoint"].as_str().unwrap();
            endpoint.contains("/pulls") && !endpoint.starts_with("GET")
        });
        writes.map(|row| row["count"].as_u64().unwrap()).sum()
    }
}

/// The branch of a feature where nobody says otherwise.
pub(crate) fn branch(feature: &str) -> String {
    format!("baton/feature-{feature}")
}

/// The command that carries a chain through all three repositories.
pub(crate) fn execute(feature: &str) -> Vec<&str> {
    let mut arguments = vec!["chain", "execute", feature, "--title", "Log in"];
    arguments.extend(["--part", "admin/api", "--part", "admin/web", "--part", "admin/docs"]);
    arguments
}

/// What a machine knows of a feature.
pub(crate) fn known(env: &TestEnv, feature: &str) -> Value {
    serde_json::from_str(&env.read(&format!("pr-chains/{feature}.json"))).unwrap()
}
