//! Forwarding with real processes in the place of `gh`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

/// How long a condition is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

const API: &str = "https://api.github.com";

/// A program that does what a script says, in a directory that it can write to.
struct Stage {
    directory: tempfile::TempDir,
    forward: Forward,
}

impl Stage {
    fn new(script: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("gh");
        let script = format!("#!/bin/sh\ncd '{}'\n{script}\n", directory.path().display());
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let forward = Forward {
            program: program.display().to_string(),
            pause: Duration::from_millis(1),
            pause_max: Duration::from_millis(3),
            ..Forward::new(API, "acme/web".parse().unwrap(), 4711, "only we know".to_owned())
        };
        Self { directory, forward }
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    /// Forwards in the background.
    fn open(&self) -> (tokio::task::JoinHandle<()>, UnboundedReceiver<ForwardNews>, Arc<ForwardHealth>) {
        let (tell, told) = unbounded_channel();
        let health = Arc::new(ForwardHealth::default());
        let (forward, shared) = (self.forward.clone(), Arc::clone(&health));
        let task = tokio::spawn(async move { forward.keep(&shared, |news| drop(tell.send(news))).await });
        (task, told, health)
    }
}

async fn next(told: &mut UnboundedReceiver<ForwardNews>) -> ForwardNews {
    tokio::time::timeout(PATIENCE, told.recv()).await.expect("news come").expect("there are news")
}

/// Waits until a condition holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what}"));
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_process_that_dies_is_started_again_and_ends_with_its_keeper() {
    let stage = Stage::new(
        "echo \"$@\" >> calls\nif [ ! -e died ]; then touch died; echo oops >&2; exit 3; fi\necho $$ > pid\nexec sleep 600",
    );
    let (task, mut told, health) = stage.open();
    assert_eq!(next(&mut told).await, ForwardNews::Started);
    let ForwardNews::Died { why, .. } = next(&mut told).await else { panic!("it should have died") };
    assert_eq!(why, "ended with 3, saying `oops`");
    assert_eq!(next(&mut told).await, ForwardNews::Started);
    until("it runs", || stage.text("pid").ends_with('\n')).await;
    assert_eq!(health.get(), HookHealth::StartingUp);
    let pid = stage.text("pid").trim().to_owned();
    assert!(is_running(&pid));
    task.abort();
    until("it is ended with its keeper", || !is_running(&pid)).await;
    let calls = stage.text("calls");
    assert_eq!(calls.lines().count(), 2);
    for argument in [
        "webhook forward --repo=acme/web --events=check_run,",
        "--url=http://127.0.0.1:4711/webhooks/github",
        "--secret=only we know",
    ] {
        assert!(calls.contains(argument), "{calls}");
    }
}

#[tokio::test]
async fn a_hook_that_github_refuses_is_given_up() {
    let stage = Stage::new(
        "echo x >> calls\necho 'Error: error creating webhook: HTTP 422: Validation Failed. Hook already exists' >&2\nexit 1",
    );
    let (task, mut told, health) = stage.open();
    let mut news = Vec::new();
    while !matches!(news.last(), Some(ForwardNews::GaveUp { .. })) {
        news.push(next(&mut told).await);
    }
    task.await.unwrap();
    assert_eq!(stage.text("calls").lines().count(), 3, "{news:?}");
    assert_eq!(health.get(), HookHealth::Unhealthy);
    let Some(ForwardNews::GaveUp { why }) = news.last() else { unreachable!("it is the last") };
    assert!(why.contains("HTTP 422") && why.contains("nobody else forwards this repository"), "{why}");
}

#[tokio::test]
async fn other_troubles_are_never_given_up_and_the_pauses_grow_to_the_longest() {
    let stage = Stage::new("echo 'the network is unreachable' >&2\nexit 1");
    let (task, mut told, _health) = stage.open();
    let mut pauses_ms = Vec::new();
    while pauses_ms.len() < 5 {
        if let ForwardNews::Died { pause, .. } = next(&mut told).await {
            pauses_ms.push(pause.as_millis());
        }
    }
    assert_eq!(pauses_ms, [1, 2, 3, 3, 3]);
    task.abort();
}

#[tokio::test]
async fn a_program_that_is_not_there_is_given_up_at_once_with_what_to_do() {
    for (script, program, advice) in [
        ("exit 0", Some("/nonexistent/gh"), "install GitHub's program"),
        ("echo 'unknown command \"webhook\" for \"gh\"' >&2; exit 1", None, "gh extension install"),
    ] {
        let mut stage = Stage::new(script);
        if let Some(program) = program {
            stage.forward.program = program.to_owned();
        }
        let (task, mut told, health) = stage.open();
        assert_eq!(next(&mut told).await, ForwardNews::Started);
        let ForwardNews::GaveUp { why } = next(&mut told).await else { panic!("it should be given up") };
        assert!(why.contains(advice), "{why}");
        task.await.unwrap();
        assert_eq!(health.get(), HookHealth::Unhealthy);
    }
}

#[tokio::test]
async fn the_program_ends_when_its_leash_does() {
    let stage = Stage::new("echo $$ > pid\nexec sleep 600");
    let child = child::Child::start(&stage.forward.program, &stage.forward.arguments()).unwrap();
    until("it runs", || stage.text("pid").ends_with('\n')).await;
    let pid = stage.text("pid").trim().to_owned();
    // As the kernel does when this process is killed: the pipe is closed, and no signal is sent.
    let orphan = child.let_go();
    until("it is ended by its leash", || !is_running(&pid)).await;
    drop(orphan);
}

#[test]
fn the_program_is_told_which_server_is_meant_unless_it_is_githubs_own() {
    let check = |api_url: &str, expected: Option<&str>| {
        let forward = Forward::new(api_url, "acme/web".parse().unwrap(), 4711, "secret".to_owned());
        let arguments = forward.arguments();
        let told = arguments.iter().find_map(|argument| argument.strip_prefix("--github-host="));
        assert_eq!(told, expected, "{api_url}");
    };
    check(API, None);
    check("https://api.github.com/", None);
    check("https://ghe.example/api/v3", Some("ghe.example"));
    check("https://api.example/api/v3/", Some("api.example"));
    check("https://api.acme.ghe.com", Some("acme.ghe.com"));
    check("http://127.0.0.1:7070", Some("127.0.0.1:7070"));
}
