//! A repository of a forge, as people see it over the API.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::Client;
use crate::git::git;

/// A repository, seen and changed by one account.
#[derive(Clone)]
pub struct TestRepo {
    /// Who asks.
    pub client: Client,
    /// `owner/name`.
    pub name: String,
}

impl TestRepo {
    /// Returns the same repository for another account.
    pub fn by(&self, client: &Client) -> Self {
        Self { client: client.clone(), name: self.name.clone() }
    }

    /// Returns a path of the API.
    pub fn path(&self, path: &str) -> String {
        format!("/repos/{}{path}", self.name)
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Value {
        self.client.must("GET", &self.path(path), &Value::Null, 200).await
    }

    /// Makes something.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.client.must("POST", &self.path(path), &body, 201).await
    }

    /// Sends something, and insists that it is taken.
    pub async fn send(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.client.ask(method, &self.path(path), &body).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text);
        answer.json()
    }

    /// Gives an account a permission (`pull`, `push`, …).
    pub async fn permit(&self, login: &str, permission: &str) {
        self.send("PUT", &format!("/collaborators/{login}"), json!({ "permission": permission })).await;
    }

    /// Opens an issue, and returns its number.
    pub async fn issue(&self, title: &str, labels: &[&str]) -> u64 {
        let body = json!({ "title": title, "body": "Please.", "labels": labels });
        self.post("/issues", body).await["number"].as_u64().unwrap()
    }

    /// Puts a label on an issue.
    pub async fn label(&self, issue: u64, label: &str) {
        self.send("POST", &format!("/issues/{issue}/labels"), json!({ "labels": [label] })).await;
    }

    /// Takes a label off an issue.
    pub async fn unlabel(&self, issue: u64, label: &str) {
        self.send("DELETE", &format!("/issues/{issue}/labels/{label}"), Value::Null).await;
    }

    /// Returns the labels of an issue in order of the alphabet.
    pub async fn labels(&self, issue: u64) -> Vec<String> {
        let mut labels = texts(&self.get(&format!("/issues/{issue}/labels?per_page=100")).await, "name");
        labels.sort();
        labels
    }

    /// Returns whether an issue is open.
    pub async fn is_open(&self, issue: u64) -> bool {
        self.get(&format!("/issues/{issue}")).await["state"] == "open"
    }

    /// Writes a comment, and returns its id.
    pub async fn comment(&self, issue: u64, body: &str) -> u64 {
        let comment = self.post(&format!("/issues/{issue}/comments"), json!({ "body": body })).await;
        comment["id"].as_u64().unwrap()
    }

    /// Returns every comment of an issue or pull request, oldest first.
    pub async fn comments(&self, issue: u64) -> Vec<Value> {
        self.pages(&format!("/issues/{issue}/comments")).await
    }

    /// Returns the texts of an issue's comments, oldest first.
    pub async fn bodies(&self, issue: u64) -> Vec<String> {
        texts(&Value::Array(self.comments(issue).await), "body")
    }

    /// Returns every pull request, open or not.
    pub async fn pulls(&self) -> Vec<Value> {
        self.pages("/pulls?state=all").await
    }

    /// Reads every page of a list.
    pub async fn pages(&self, path: &str) -> Vec<Value> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let mut all = Vec::new();
        for page in 1.. {
            let address = format!("{path}{joint}per_page=100&page={page}");
            let Value::Array(found) = self.get(&address).await else { panic!("{address} is no list") };
            let is_last = found.len() < 100;
            all.extend(found);
            if is_last {
                break;
            }
        }
        all
    }

    /// Returns where a ref is, by its full name.
    pub async fn tip(&self, name: &str) -> Option<String> {
        let path = self.path(&format!("/git/ref/{}", name.trim_start_matches("refs/")));
        let answer = self.client.ask("GET", &path, &Value::Null).await;
        answer.json()["object"]["sha"].as_str().map(str::to_owned)
    }

    /// Commits a file to a branch.
    pub async fn commit(&self, branch: &str, path: &str, text: &str) {
        let content = base64::engine::general_purpose::STANDARD.encode(text);
        let body = json!({ "message": format!("change {path}"), "content": content, "branch": branch });
        self.send("PUT", &format!("/contents/{path}"), body).await;
    }

    /// Returns a file of a branch, if it is there.
    pub async fn file(&self, branch: &str, path: &str) -> Option<String> {
        let address = self.path(&format!("/contents/{path}?ref={branch}"));
        let raw = [("accept", "application/vnd.github.raw+json")];
        let answer = self.client.send("GET", &address, None, &raw).await.unwrap();
        (answer.status == 200).then_some(answer.text)
    }

    /// Returns where git finds it, with a token.
    pub fn address(&self, token: &str) -> String {
        let url = self.client.url.replace("http://", &format!("http://x-access-token:{token}@"));
        format!("{url}/{}.git", self.name)
    }

    /// Clones it without an account into a directory that is not there yet.
    pub fn clone_to(&self, directory: &Path) -> PathBuf {
        let address = format!("{}/{}.git", self.client.url, self.name);
        let parent = directory.parent().unwrap();
        std::fs::create_dir_all(parent).unwrap();
        git(parent, &["clone", "--quiet", &address, directory.to_str().unwrap()]);
        directory.to_owned()
    }
}

/// Returns a field of each element of a list.
pub fn texts(list: &Value, field: &str) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|it| it[field].as_str().unwrap_or_default().to_owned()).collect()
}
