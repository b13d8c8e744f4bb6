//! The forge as its users meet it: the real binary, real git, real connections, right and wrong.

mod bad_input;
mod command_line;
mod crash;
mod git_protocol;
mod knobs;
mod permissions;
mod reads;
mod refs;

use baton_fixtures::TestRepo;
use serde_json::json;

/// Makes a commit with the same tree as another, on top of it.
async fn commit_on(repo: &TestRepo, parent: &str, message: &str) -> String {
    let tree = repo.get(&format!("/git/commits/{parent}")).await["tree"]["sha"].clone();
    let body = json!({ "message": message, "tree": tree, "parents": [parent] });
    repo.post("/git/commits", body).await["sha"].as_str().unwrap().to_owned()
}
