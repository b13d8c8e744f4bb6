//! `baton forge` from the command line.

use serde_json::Value;

use crate::support::{Client, ForgeProcess, TOKEN, baton};

#[test]
fn what_exists_or_is_missing_is_a_no_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data = data.to_str().unwrap();
    assert_eq!(baton(&["forge", "user", "add", "ada", "--data", data]).0, 0);
    let (code, _, complaint) = baton(&["forge", "user", "add", "ADA", "--data", data]);
    assert_eq!((code, complaint.as_str()), (1, "error: an account named ADA exists already"));
    let (code, _, complaint) = baton(&["forge", "token", "create", "--user", "bob", "--data", data]);
    assert_eq!(code, 1);
    assert!(
        complaint.contains("there is no account bob: add it with `baton forge user add bob`"),
        "{complaint}"
    );
    for name in ["../x", "repos", "-x", ""] {
        assert_ne!(
            baton(&["forge", "user", "add", "--data", data, "--", name]).0,
            0,
            "{name:?} was accepted"
        );
    }
    let (code, _, complaint) = baton(&["forge", "repo", "create", "ada", "--data", data]);
    assert_eq!(code, 2, "{complaint}");
    assert!(complaint.contains("write OWNER/NAME"), "{complaint}");
}

#[test]
fn a_data_directory_that_cannot_be_used_is_out_of_reach() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    let (code, _, complaint) = baton(&["forge", "user", "add", "ada", "--data", file.to_str().unwrap()]);
    assert_eq!(code, 3, "{complaint}");
    std::fs::create_dir(directory.path().join("data")).unwrap();
    std::fs::write(
        directory.path().join("data/forge.db"),
        "this is not a database, but it is long enough to look",
    )
    .unwrap();
    let data = directory.path().join("data");
    let (code, _, complaint) = baton(&["forge", "user", "add", "ada", "--data", data.to_str().unwrap()]);
    assert_eq!(code, 3, "{complaint}");
    assert!(complaint.contains("forge.db") && complaint.contains("not a database"), "{complaint}");
}

#[test]
fn an_address_that_is_taken_is_out_of_reach() {
    let directory = tempfile::tempdir().unwrap();
    let forge = ForgeProcess::start(&directory.path().join("one"), &[]);
    let address = forge.url.strip_prefix("http://").unwrap();
    let data = directory.path().join("two");
    let (code, _, complaint) =
        baton(&["forge", "serve", "--listen", address, "--data", data.to_str().unwrap()]);
    assert_eq!(code, 3);
    assert!(complaint.contains(&format!("cannot listen on {address}")), "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_is_imported_with_its_branches_tags_and_default_branch() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("source");
    let git = |arguments: &[&str]| crate::forge::git_protocol::git(directory.path(), arguments);
    git(&["init", "-q", "-b", "trunk", source.to_str().unwrap()]);
    let at = |arguments: &[&str]| crate::forge::git_protocol::git(&source, arguments);
    at(&["commit", "-q", "--allow-empty", "-m", "first"]);
    at(&["branch", "topic"]);
    at(&["tag", "v1"]);
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    let (code, out, complaint) = baton(&[
        "forge",
        "repo",
        "create",
        "acme/web",
        "--import",
        source.to_str().unwrap(),
        "--data",
        data_text,
    ]);
    assert_eq!((code, out.as_str()), (0, "made the organisation acme\ncreated acme/web"), "{complaint}");
    let (code, _, complaint) =
        baton(&["forge", "repo", "create", "acme/api", "--import", "/nowhere", "--data", data_text]);
    assert_eq!(code, 1, "{complaint}");

    let forge = ForgeProcess::start(&data, &[]);
    let client = Client::new(&forge.url, Some(TOKEN));
    let repo = client.must("GET", "/repos/acme/web", &Value::Null, 200).await;
    assert_eq!(repo["default_branch"], "trunk");
    let refs = client.must("GET", "/repos/acme/web/git/matching-refs/heads", &Value::Null, 200).await;
    assert_eq!(refs.as_array().unwrap().len(), 2);
    client.must("GET", "/repos/acme/web/git/ref/tags/v1", &Value::Null, 200).await;
    client.must("GET", "/repos/acme/api", &Value::Null, 404).await;
}

#[test]
fn two_servers_do_not_share_one_data_directory() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _forge = ForgeProcess::start(&data, &[]);
    let (code, _, complaint) =
        baton(&["forge", "serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    assert_eq!(code, 3);
    assert!(complaint.contains("another forge serves"), "{complaint}");
}

#[test]
fn a_start_that_fails_does_not_use_up_the_first_token() {
    let directory = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let data = directory.path().join("data");
    let address = taken.local_addr().unwrap().to_string();
    let arguments = ["forge", "serve", "--listen", &address, "--data", data.to_str().unwrap()];
    assert_eq!(baton(&arguments).0, 3);
    drop(taken);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_baton"));
    let mut child = child.args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let shown = [lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap()];
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown[1].starts_with("token of admin: bft_"), "{shown:?}");
}
