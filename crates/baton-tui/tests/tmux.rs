//! The board in a real terminal: tmux holds it, keys are sent, and what is on the screen is read.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const WITHIN: Duration = Duration::from_secs(180);

/// A tmux server of its own, which ends with the test.
struct Tmux {
    socket: String,
}

impl Tmux {
    /// Starts a program by its words, which no shell reads: the path of a clone may have anything in it.
    fn start(name: &str, program: &[&str], width: u16, height: u16) -> Self {
        let tmux = Self { socket: format!("baton-test-{name}-{}", std::process::id()) };
        let (width, height) = (width.to_string(), height.to_string());
        // The shell stays behind, so that what the board leaves on the screen can be seen.
        let shell = ["sh", "-c", r#""$@"; echo "left with $?"; exec cat"#, "sh"];
        let session = ["-f", "/dev/null", "new-session", "-d", "-s", "board", "-x", &width, "-y", &height];
        tmux.run(&[&session[..], &shell, program].concat());
        tmux
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.socket]).args(arguments).output();
        let output = output.expect("tmux is needed: `cargo xtask setup` installs it");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys", "-t", "board"], keys].concat());
    }

    fn resize(&self, width: u16, height: u16) {
        self.run(&["resize-window", "-t", "board", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "board"])
    }

    /// Waits until all the words are on the screen, and returns it.
    fn wait_for(&self, words: &[&str]) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if words.iter().all(|word| screen.contains(word)) {
                return screen;
            }
            assert!(begun.elapsed() < WITHIN, "{words:?} are not all on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

/// The example is built with the tests, beside them.
fn preview() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples/board_preview");
    assert!(path.is_file(), "`{}` is built by `cargo test -p baton-tui`", path.display());
    path
}

#[test]
fn the_board_is_read_and_steered_in_a_terminal_and_gives_it_back() {
    let tmux = Tmux::start("keys", &[preview().to_str().unwrap()], 80, 24);
    tmux.wait_for(&["baton board", "Backlog", "[12/50 turns]", "Warnings 1"]);
    tmux.keys(&["Right"]);
    tmux.keys(&["Enter"]);
    tmux.wait_for(&["acme/web#12", "decides"]);
    tmux.resize(40, 15);
    let screen = tmux.wait_for(&["acme/web#12", "[Why]"]);
    assert!(screen.lines().all(|line| line.chars().count() <= 40), "{screen}");
    tmux.resize(120, 40);
    tmux.keys(&["q"]);
    tmux.wait_for(&["Implement 2", "Active runs 1"]);
    tmux.keys(&["Tab"]);
    tmux.keys(&["l"]);
    tmux.wait_for(&["Run 41", "cargo test -p shop checkout"]);
    tmux.keys(&["q"]);
    tmux.keys(&["?"]);
    tmux.wait_for(&["Keys", "Ctrl-C"]);
    tmux.resize(20, 5);
    tmux.wait_for(&["20×5"]);
    tmux.resize(80, 24);
    tmux.wait_for(&["Keys", "Ctrl-C"]);
    tmux.keys(&["C-c"]);
    let screen = tmux.wait_for(&["left with 0"]);
    assert!(!screen.contains("Warnings 1"), "the terminal is as it was:\n{screen}");
}

#[test]
fn a_board_that_is_asked_to_end_gives_the_terminal_back() {
    for signal in ["TERM", "HUP"] {
        let note = format!("{}/pid-{signal}", env!("CARGO_TARGET_TMPDIR"));
        let (script, board) = (r#"echo $$ > "$1"; exec "$2""#, preview());
        let program = ["sh", "-c", script, "sh", &note, board.to_str().unwrap()];
        let tmux = Tmux::start(signal, &program, 80, 24);
        tmux.wait_for(&["baton board", "Warnings 1"]);
        let board = std::fs::read_to_string(&note).unwrap();
        let status = Command::new("kill").args([&format!("-{signal}"), board.trim()]).status().unwrap();
        assert!(status.success());
        let screen = tmux.wait_for(&["left with 0"]);
        assert!(!screen.contains("Warnings 1"), "the terminal is as it was:\n{screen}");
    }
}
