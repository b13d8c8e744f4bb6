//! The forge as its users meet it: the real binary, real git, real connections, right and wrong.

mod bad_input;
mod command_line;
mod crash;
mod git_protocol;
mod knobs;
mod permissions;
mod reads;
mod refs;

use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

/// A forge of its own with one repository, `admin/web`, that has a first commit.
struct World {
    forge: ForgeProcess,
    client: Client,
    directory: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        Self { forge, client, directory }
    }

    async fn get(&self, path: &str) -> Value {
        self.client.must("GET", &format!("/repos/admin/web{path}"), &Value::Null, 200).await
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.client.must("POST", &format!("/repos/admin/web{path}"), &body, 201).await
    }

    async fn turn(&self, knobs: Value) {
        self.client.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    async fn tip(&self, name: &str) -> String {
        self.get(&format!("/git/ref/{name}")).await["object"]["sha"].as_str().unwrap().to_owned()
    }

    /// A commit with the same tree as another, on top of it.
    async fn commit_on(&self, parent: &str, message: &str) -> String {
        let tree = self.get(&format!("/git/commits/{parent}")).await["tree"]["sha"].clone();
        let commit =
            self.post("/git/commits", json!({ "message": message, "tree": tree, "parents": [parent] })).await;
        commit["sha"].as_str().unwrap().to_owned()
    }

    /// A client for another account, made from the command line.
    fn second(&self, login: &str, role: &str) -> Client {
        let data = self.forge.data.to_str().unwrap();
        let (code, _, complaint) = crate::support::baton(&["forge", "user", "add", login, "--data", data]);
        assert_eq!(code, 0, "{complaint}");
        self.with_token(&["--user", login, "--role", role])
    }

    /// A client with a token made from the command line.
    fn with_token(&self, options: &[&str]) -> Client {
        Client::new(&self.forge.url, Some(&self.token(options)))
    }

    fn token(&self, options: &[&str]) -> String {
        let data = self.forge.data.to_str().unwrap();
        let create = [&["forge", "token", "create", "--data", data], options].concat();
        let (code, token, complaint) = crate::support::baton(&create);
        assert_eq!(code, 0, "{complaint}");
        token
    }
}
