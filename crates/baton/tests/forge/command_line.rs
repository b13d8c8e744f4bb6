//! `baton forge` from the command line.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use baton_fixtures::git::git;
use baton_fixtures::{TestEnv, TestForge};
use serde_json::Value;

#[test]
fn what_exists_or_is_missing_is_a_no_with_a_reason() {
    let env = TestEnv::new();
    let forge = |arguments: &[&str]| env.run(&[&["forge"], arguments, &["--data", "data"]].concat());
    forge(&["user", "add", "ada"]).exits(0);
    assert_eq!(forge(&["user", "add", "ADA"]).exits(1).err, "error: an account named ADA exists already");
    forge(&["token", "create", "--user", "bob"])
        .exits(1)
        .says("there is no account bob: add it with `baton forge user add bob`");
    for name in ["../x", "repos", "-x", ""] {
        let added = env.run(&["forge", "user", "add", "--data", "data", "--", name]);
        assert_ne!(added.code, 0, "{name:?} was accepted");
    }
    forge(&["repo", "create", "ada"]).exits(2).says("write OWNER/NAME");
}

#[test]
fn a_data_directory_that_cannot_be_used_is_out_of_reach() {
    let env = TestEnv::new();
    env.write("file", "not a directory");
    env.run(&["forge", "user", "add", "ada", "--data", "file"]).exits(3);
    env.write("data/forge.db", "this is not a database, but it is long enough to look");
    env.run(&["forge", "user", "add", "ada", "--data", "data"])
        .exits(3)
        .says("forge.db")
        .says("not a database");
}

#[test]
fn an_address_that_is_taken_is_out_of_reach() {
    let forge = TestForge::start();
    let address = forge.url.strip_prefix("http://").unwrap();
    TestEnv::new()
        .run(&["forge", "serve", "--listen", address, "--data", "two"])
        .exits(3)
        .says(&format!("cannot listen on {address}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_is_imported_with_its_branches_tags_and_default_branch() {
    let mut forge = TestForge::start();
    // The data is made by the import, not by the server.
    forge.kill();
    std::fs::remove_dir_all(&forge.data).unwrap();
    let source = forge.dir().join("source");
    let source_text = source.to_str().unwrap();
    git(forge.dir(), &["init", "-q", "-b", "trunk", source_text]);
    git(&source, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&source, &["branch", "topic"]);
    git(&source, &["tag", "v1"]);
    let import = |name: &str, from: &str| forge.administer(&["repo", "create", name, "--import", from]);
    assert_eq!(import("acme/web", source_text).exits(0).out, "made the organisation acme\ncreated acme/web");
    import("acme/api", "/nowhere").exits(1);

    forge.restart(&[]);
    let client = &forge.admin;
    let repo = client.must("GET", "/repos/acme/web", &Value::Null, 200).await;
    assert_eq!(repo["default_branch"], "trunk");
    let refs = client.must("GET", "/repos/acme/web/git/matching-refs/heads", &Value::Null, 200).await;
    assert_eq!(refs.as_array().unwrap().len(), 2);
    client.must("GET", "/repos/acme/web/git/ref/tags/v1", &Value::Null, 200).await;
    client.must("GET", "/repos/acme/api", &Value::Null, 404).await;
}

#[test]
fn two_servers_do_not_share_one_data_directory() {
    TestForge::start()
        .administer(&["serve", "--listen", "127.0.0.1:0"])
        .exits(3)
        .says("another forge serves");
}

#[test]
fn a_start_that_fails_does_not_use_up_the_first_token() {
    let env = TestEnv::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments = ["forge", "serve", "--listen", &address, "--data", "data"];
    env.run(&arguments).exits(3);
    drop(taken);
    let mut child = env.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let shown = [lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap()];
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown[1].starts_with("token of admin: bft_"), "{shown:?}");
}
