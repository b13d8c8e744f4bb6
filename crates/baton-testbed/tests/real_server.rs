//! The testbed with real servers: what a test or a benchmark may count on.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts clients of the server, and fails where it stands"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use baton_testbed::{Cluster, Programs, TestbedError};

/// Starts a client that stays connected, and returns once the server has answered it.
fn connected_client(url: &str) -> Child {
    let mut client = Command::new(Programs::find().unwrap().path("psql"))
        .args(["-X", "-A", "-t", "-q", "-d", url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    client.stdin.as_mut().unwrap().write_all(b"SELECT 'here';\n").unwrap();
    let mut line = String::new();
    BufReader::new(client.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    client
}

/// Lets a client ask once more, and tells whether it was served.
fn is_served(mut client: Child) -> bool {
    let _ = client.stdin.as_mut().unwrap().write_all(b"\\set ON_ERROR_STOP 1\nSELECT 1;\n");
    client.wait_with_output().unwrap().status.success()
}

#[test]
fn a_server_is_private_and_leaves_nothing_behind() {
    let cluster = Cluster::start().unwrap();
    let shown = cluster.sql("postgres", "SHOW listen_addresses; SHOW fsync; SHOW max_connections").unwrap();
    assert_eq!(shown, "\noff\n200");
    assert_eq!(cluster.sql("postgres", "SELECT current_user").unwrap(), "baton");
    let server: u32 = first_line(&cluster.socket_dir().join("data/postmaster.pid")).parse().unwrap();
    let socket_dir = cluster.socket_dir().to_owned();
    assert!(is_running(server));
    drop(cluster);
    assert!(!socket_dir.exists());
    assert!(!is_running(server));
}

fn first_line(path: &Path) -> String {
    fs::read_to_string(path).unwrap().lines().next().unwrap().to_owned()
}

fn is_running(id: u32) -> bool {
    Command::new("kill").args(["-0", &id.to_string()]).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn databases_are_made_copied_and_removed() {
    let cluster = Cluster::start().unwrap();
    cluster.create_database("model").unwrap();
    cluster.sql("model", "CREATE TABLE runs (id int); INSERT INTO runs VALUES (1), (2)").unwrap();
    cluster.create_database_from("Copy \"1\"?", "model").unwrap();
    assert_eq!(cluster.sql("Copy \"1\"?", "SELECT id, id * 2 FROM runs ORDER BY id").unwrap(), "1|2\n2|4");
    let client = connected_client(&cluster.url("Copy \"1\"?"));
    cluster.drop_database("Copy \"1\"?").unwrap();
    cluster.drop_database("Copy \"1\"?").unwrap();
    assert!(!is_served(client));
    let refused = cluster.sql("Copy \"1\"?", "SELECT 1").unwrap_err().to_string();
    assert!(refused.contains("does not exist"), "{refused}");
}

#[test]
fn a_failing_statement_is_told_and_ends_the_rest() {
    let cluster = Cluster::start().unwrap();
    let error = cluster.sql("postgres", "SELEKT 1; CREATE TABLE never (id int)").unwrap_err();
    assert!(matches!(error, TestbedError::Program { .. }));
    let text = error.to_string();
    assert!(
        text.starts_with("`SELEKT 1; CREATE TABLE never (id int)` on database `postgres` failed"),
        "{text}"
    );
    assert!(text.contains("syntax error at or near \"SELEKT\""), "{text}");
    assert_eq!(cluster.sql("postgres", "SELECT to_regclass('never') IS NULL").unwrap(), "t");
}

#[test]
fn what_was_committed_outlives_a_hard_stop() {
    let cluster = Cluster::start().unwrap();
    cluster.sql("postgres", "CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)").unwrap();
    let client = connected_client(&cluster.url("postgres"));
    cluster.stop_hard();
    cluster.stop_hard();
    assert!(!is_served(client));
    cluster.sql("postgres", "SELECT 1").unwrap_err();
    cluster.start_again().unwrap();
    cluster.start_again().unwrap();
    assert_eq!(cluster.sql("postgres", "SELECT id FROM kept").unwrap(), "7");
}

#[test]
fn cut_connections_are_those_of_one_database() {
    let cluster = Cluster::start().unwrap();
    cluster.create_database("cut").unwrap();
    cluster.create_database("left").unwrap();
    let [first, second, other] =
        ["cut", "cut", "left"].map(|database| connected_client(&cluster.url(database)));
    assert_eq!(cluster.cut_connections("cut").unwrap(), 2);
    assert_eq!(cluster.cut_connections("cut").unwrap(), 0);
    assert!(!is_served(first));
    assert!(!is_served(second));
    assert!(is_served(other));
}

#[test]
fn a_benchmark_gets_a_durable_server_and_pgbench() {
    let cluster = Cluster::builder().durable(true).setting("max_connections", "20").start().unwrap();
    assert_eq!(cluster.sql("postgres", "SHOW fsync; SHOW max_connections").unwrap(), "on\n20");
    let mut pgbench = Command::new(cluster.pgbench_path());
    pgbench.args(["--initialize", "--quiet", "--scale=1"]).arg(cluster.url("postgres"));
    assert!(pgbench.stderr(Stdio::null()).status().unwrap().success());
    assert_eq!(cluster.sql("postgres", "SELECT count(*) FROM pgbench_accounts").unwrap(), "100000");
}

#[test]
fn a_server_that_does_not_start_is_told_with_its_log() {
    let error = Cluster::builder().setting("no_such_setting", "1").start().unwrap_err().to_string();
    assert!(error.starts_with("the server ended with exit status: 1 within"), "{error}");
    assert!(error.contains("unrecognized configuration parameter \"no_such_setting\""), "{error}");
}

/// Starts a process that owns a server, and returns it with the server's directory and a connected client.
fn owner_in(directory: &Path) -> (Child, PathBuf, Child) {
    let mut owner = Command::new(env!("CARGO_BIN_EXE_baton-testbed"))
        .env("TMPDIR", directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
    let home = PathBuf::from(lines.next().unwrap().strip_prefix("BATON_TEST_POSTGRES=").unwrap());
    let client = connected_client(&lines.next().unwrap());
    (owner, home, client)
}

#[test]
fn the_server_of_a_killed_owner_is_swept_up_by_the_next() {
    // Only owners of this test are in this directory, so no other test sweeps before it was looked.
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (mut killed, abandoned, cut_off) = owner_in(directory.path());
    let (mut living, kept, undisturbed) = owner_in(directory.path());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(abandoned.exists());

    let (mut next, home, _) = owner_in(directory.path());
    assert!(!abandoned.exists() && kept.exists());
    assert!(!is_served(cut_off));
    assert!(is_served(undisturbed));
    for owner in [&mut next, &mut living] {
        drop(owner.stdin.take());
        assert!(owner.wait().unwrap().success());
    }
    assert!(!home.exists() && !kept.exists());
}
