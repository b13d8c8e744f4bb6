//! A forge with people and a repository, and a dashboard before it in which Bob sits.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use baton_fixtures::git::git;
use baton_fixtures::wait::eventually_async;
use baton_forge::admin::{Admin, Kind, Role};
use baton_forge::{Forge, ForgeConfig, ForgeHandle};
use baton_view::example::ExampleLookout;
use baton_web::{Access, Dashboard, ForgeDoor};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(crate) const REPO: &str = "/repos/acme/web";

pub(crate) struct World {
    directory: TempDir,
    forge: ForgeHandle,
    http: Client,
    pub(crate) site: String,
    serving: JoinHandle<()>,
    pub(crate) admin: String,
    pub(crate) ada: String,
    pub(crate) eve: String,
}

impl Drop for World {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("forge");
        let config = ForgeConfig::new(&data);
        let [admin, ada, bob, eve] = tokio::task::spawn_blocking(move || populate(&data)).await.unwrap();
        let forge = Forge::start(&config).await.unwrap();
        baton_github::install_tls_provider();
        let http = Client::builder().user_agent("a person").cookie_store(true).no_proxy().build().unwrap();
        let (site, serving) = serve(ForgeDoor { api_url: forge.url(), token: bob }).await;
        let world = Self { directory, forge, http, site, serving, admin, ada, eve };
        for login in ["ada", "bob"] {
            let path = format!("{REPO}/collaborators/{login}");
            world.say(&world.admin, "PUT", &path, json!({ "permission": "push" })).await;
        }
        let readme = json!({ "message": "begin", "content": "aGVsbG8K", "branch": "main" });
        world.say(&world.admin, "PUT", &format!("{REPO}/contents/README.md"), readme).await;
        world
    }

    /// Tells the forge something, as somebody else than Bob; it must succeed.
    pub(crate) async fn say(&self, token: &str, method: &str, path: &str, body: Value) -> Value {
        let method: Method = method.parse().unwrap();
        let request = self.http.request(method, format!("{}{path}", self.forge.url())).bearer_auth(token);
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Asks the forge about the repository, as Ada.
    pub(crate) async fn forge_get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{REPO}{path}", self.forge.url())).bearer_auth(&self.ada);
        request.send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn look(&self, path: &str) -> (u16, String) {
        let answer = self.http.get(format!("{}{path}", self.site)).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Reads a page again until it says something.
    pub(crate) async fn see_once_it_says(&self, path: &str, words: &str) -> String {
        let what = format!("{path} says {words}");
        eventually_async(&what, async || Some(self.see(path).await).filter(|page| page.contains(words))).await
    }

    /// Looks at a page that must be there.
    pub(crate) async fn see(&self, path: &str) -> String {
        let (status, page) = self.look(path).await;
        assert_eq!(status, 200, "{path}: {page}");
        page
    }

    /// Sends a form and follows where it leads.
    pub(crate) async fn send(&self, path: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let token = self.csrf().await;
        let mut all = vec![("_csrf", token.as_str())];
        all.extend_from_slice(fields);
        let request = self.http.post(format!("{}{path}", self.site)).header("origin", &self.site);
        let answer = request.form(&all).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Sends a form that must be followed.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let (status, page) = self.send(path, fields).await;
        assert_eq!(status, 200, "{path} {fields:?}: {page}");
        page
    }

    /// What the forms of the page for a new issue carry.
    async fn csrf(&self) -> String {
        let page = self.see("/forge/acme/web/issues/new").await;
        let (_, rest) = page.split_once("name=\"_csrf\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    /// Opens a pull request with one new file, as Ada; returns its number.
    pub(crate) async fn pull(&self, branch: &str, title: &str, body: &str, content: &str) -> u64 {
        self.push(branch, &format!("{branch}.txt"), content);
        let fields = json!({ "title": title, "head": branch, "base": "main", "body": body });
        let pull = self.say(&self.ada, "POST", &format!("{REPO}/pulls"), fields).await;
        pull["number"].as_u64().unwrap()
    }

    fn push(&self, branch: &str, file: &str, content: &str) {
        let clone = self.directory.path().join(format!("clone-{branch}"));
        let url = format!("http://x-access-token:{}@{}/acme/web.git", self.ada, self.forge.address());
        git(self.directory.path(), &["clone", "-q", &url, clone.to_str().unwrap()]);
        git(&clone, &["checkout", "-q", "-b", branch]);
        std::fs::write(clone.join(file), content).unwrap();
        git(&clone, &["add", "."]);
        git(&clone, &["commit", "-q", "-m", "add"]);
        git(&clone, &["push", "-q", "origin", branch]);
    }

    /// Returns the address of a dashboard before a forge that nobody runs.
    pub(crate) async fn without_forge(&self) -> String {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let door = ForgeDoor { api_url: format!("http://{nobody}"), token: "t".to_owned() };
        serve(door).await.0
    }
}

async fn serve(door: ForgeDoor) -> (String, JoinHandle<()>) {
    let dashboard =
        Dashboard { lookout: Arc::new(ExampleLookout), access: Access::default(), forge: Some(door) };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    let service = dashboard.routes().into_make_service_with_connect_info::<SocketAddr>();
    (site, tokio::spawn(async move { axum::serve(listener, service).await.unwrap() }))
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
