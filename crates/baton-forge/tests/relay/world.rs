//! A forge with an organisation, people and a repository, and ways to ask it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use baton_fixtures::git::git;
use baton_fixtures::wait::{SOON, eventually_async};
use baton_forge::admin::{Admin, Kind, Role};
use baton_forge::{Forge, ForgeConfig, ForgeHandle, StartError};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The repository that every world begins with: of an organisation, with one commit on `main`.
pub(crate) const REPO: &str = "/repos/acme/web";

pub(crate) struct World {
    directory: TempDir,
    pub(crate) forge: ForgeHandle,
    http: reqwest::Client,
    /// The administrator, who owns the organisation.
    pub(crate) admin: String,
    /// A collaborator who may write.
    pub(crate) ada: String,
    /// A collaborator who may write.
    pub(crate) bob: String,
    /// Somebody who may only read.
    pub(crate) eve: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut ForgeConfig)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("forge");
        let mut config = ForgeConfig::new(&data);
        change(&mut config);
        let tokens = tokio::task::spawn_blocking(move || populate(&data)).await.unwrap();
        let [admin, ada, bob, eve] = tokens;
        let forge = Forge::start(&config).await.unwrap();
        // Another test of this program may have done it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().user_agent("relay-test").no_proxy().build().unwrap();
        let world = Self { directory, forge, http, admin, ada, bob, eve };
        for login in ["ada", "bob"] {
            let path = format!("{REPO}/collaborators/{login}");
            world.ok(&world.admin, "PUT", &path, json!({ "permission": "push" })).await;
        }
        let readme = json!({ "message": "begin", "content": "aGVsbG8K", "branch": "main" });
        world.ok(&world.admin, "PUT", &format!("{REPO}/contents/README.md"), readme).await;
        world
    }

    /// Ends the forge without a word, as a crash would, and starts it again on the same data.
    pub(crate) async fn restart(self, change: impl FnOnce(&mut ForgeConfig)) -> Self {
        let Self { directory, forge, http, admin, ada, bob, eve } = self;
        drop(forge);
        let mut config = ForgeConfig::new(directory.path().join("forge"));
        change(&mut config);
        let started = Instant::now();
        let forge = loop {
            match Forge::start(&config).await {
                Ok(forge) => break forge,
                // The tasks of the one before are still ending.
                Err(StartError::InUse(_)) if started.elapsed() < SOON => tokio::task::yield_now().await,
                Err(error) => panic!("the forge does not start again: {error}"),
            }
        };
        Self { directory, forge, http, admin, ada, bob, eve }
    }

    /// Sends a request and returns its status and its JSON.
    pub(crate) async fn ask(&self, token: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method: Method = method.parse().unwrap();
        let url = format!("{}{path}", self.forge.url());
        let mut request = self.http.request(method, url).bearer_auth(token);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Sends a request that must succeed.
    pub(crate) async fn ok(&self, token: &str, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(token, method, path, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.ok(&self.ada, "GET", path, Value::Null).await
    }

    /// Reads something in another form than JSON.
    pub(crate) async fn text(&self, path: &str, accept: &str) -> String {
        let url = format!("{}{path}", self.forge.url());
        let request = self.http.get(url).bearer_auth(&self.ada).header("accept", accept);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.text().await.unwrap()
    }

    /// Asks for a page of a list; returns the paths of its neighbours, by relation, and its JSON.
    pub(crate) async fn page(&self, token: &str, path: &str) -> (BTreeMap<String, String>, Value) {
        let request = self.http.get(format!("{}{path}", self.forge.url())).bearer_auth(token);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let header = answer.headers().get("link").map_or("", |link| link.to_str().unwrap()).to_owned();
        let relation = |link: &str| {
            let (address, relation) = link.split_once(">; rel=").unwrap();
            let path = address.trim().trim_start_matches('<').strip_prefix(&self.forge.url()).unwrap();
            (relation.trim_matches('"').to_owned(), path.to_owned())
        };
        let links = header.split(", ").filter(|link| !link.is_empty()).map(relation).collect();
        (links, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
    }

    /// Sends something and returns the answer as it came.
    pub(crate) async fn raw(&self, token: &str, path: &str, body: &Value) -> String {
        let url = format!("{}{path}", self.forge.url());
        let request = self.http.post(url).bearer_auth(token).body(body.to_string());
        request.send().await.unwrap().text().await.unwrap()
    }

    /// Sends a GraphQL document and returns the whole answer, errors included.
    pub(crate) async fn graph(&self, token: &str, query: &str, variables: Value) -> Value {
        self.ok(token, "POST", "/graphql", json!({ "query": query, "variables": variables })).await
    }

    /// Sends a GraphQL document that must succeed and returns its data.
    pub(crate) async fn data(&self, token: &str, query: &str, variables: Value) -> Value {
        let answer = self.graph(token, query, variables).await;
        assert!(answer.get("errors").is_none(), "{query}: {answer}");
        answer["data"].clone()
    }

    /// Asks again and again until there is an answer; fails after a bound.
    pub(crate) async fn eventually<T>(&self, what: &str, mut look: impl AsyncFnMut(&Self) -> Option<T>) -> T {
        eventually_async(what, async || look(self).await).await
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A clone of the repository that pushes with a token.
    pub(crate) fn clone_as(&self, name: &str, token: &str) -> Clone {
        let path = self.directory.path().join(name);
        let url = format!("http://x-access-token:{token}@{}/acme/web.git", self.forge.address());
        git(self.directory.path(), &["clone", "-q", &url, path.to_str().unwrap()]);
        Clone { path }
    }

    /// Pushes a branch with one new file from `main`, as Ada; returns its commit.
    pub(crate) fn branch(&self, name: &str, file: &str, content: &str) -> String {
        let clone = self.clone_as(&format!("clone-{}", name.replace('/', "-")), &self.ada);
        clone.git(&["checkout", "-q", "-b", name]);
        clone.commit(file, content);
        clone.git(&["push", "-q", "origin", name]);
        clone.git(&["rev-parse", "HEAD"])
    }

    /// Opens a pull request from a fresh branch into `main`, as Ada.
    pub(crate) async fn pull(&self, branch: &str, body: &str) -> Value {
        self.branch(branch, &format!("{}.txt", branch.replace('/', "-")), "one\ntwo\nthree\n");
        let fields = json!({ "title": branch, "head": branch, "base": "main", "body": body });
        self.ok(&self.ada, "POST", &format!("{REPO}/pulls"), fields).await
    }
}

fn populate(data: &Path) -> [String; 4] {
    let admin = Admin::open(data).unwrap();
    let first = admin.ensure_admin(Some("admin-token".to_owned())).unwrap();
    admin.create_repo(&"acme/web".parse().unwrap(), None, false).unwrap();
    let person = |login: &str| {
        admin.add_account(login, Kind::User).unwrap();
        admin.create_token(login, Role::Admin, &[]).unwrap()
    };
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(person);
    [first.unwrap_or_else(|| "admin-token".to_owned()), ada, bob, eve]
}

/// A work tree of the repository.
pub(crate) struct Clone {
    pub(crate) path: PathBuf,
}

impl Clone {
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.path, arguments)
    }

    /// Writes a file and commits it.
    pub(crate) fn commit(&self, file: &str, content: &str) {
        std::fs::write(self.path.join(file), content).unwrap();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", &format!("write {file}")]);
    }
}
