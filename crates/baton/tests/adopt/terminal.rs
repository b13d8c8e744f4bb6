//! A person before a real terminal: types lines, and reads what is shown.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use baton_fixtures::wait::SOON;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What a terminal sends for Ctrl-D: the end of the input.
const END_OF_INPUT: &[u8] = &[4];

pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    shown: String,
    /// How much of what was shown has been waited for.
    seen: usize,
}

impl Terminal {
    /// Starts a command with a terminal of its own.
    pub(crate) fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let end = || Stdio::from(slave.try_clone().unwrap());
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        let keyboard = File::from(master);
        let mut reader = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            // The terminal is gone when nobody has its other end any more.
            while let Ok(count @ 1..) = reader.read(&mut block) {
                if sender.send(block[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keyboard, screen, shown: String::new(), seen: 0 }
    }

    /// Waits for words that were not waited for before.
    #[track_caller]
    pub(crate) fn sees(&mut self, words: &str) -> &mut Self {
        let deadline = Instant::now() + SOON;
        loop {
            if let Some(at) = self.shown[self.seen..].find(words) {
                self.seen += at + words.len();
                return self;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(block) => self.shown.push_str(&String::from_utf8_lossy(&block)),
                Err(error) => panic!("`{words}` was not shown ({error}):\n{}", self.shown),
            }
        }
    }

    pub(crate) fn types(&mut self, line: &str) -> &mut Self {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
        self
    }

    pub(crate) fn leaves(&mut self) -> &mut Self {
        self.keyboard.write_all(END_OF_INPUT).unwrap();
        self
    }

    /// Waits for the end, and returns the exit code and all that was shown.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let deadline = Instant::now() + SOON;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < deadline, "it does not end:\n{}", self.shown);
            if let Ok(block) = self.screen.recv_timeout(Duration::from_millis(50)) {
                self.shown.push_str(&String::from_utf8_lossy(&block));
            }
        };
        while let Ok(block) = self.screen.recv_timeout(Duration::from_millis(200)) {
            self.shown.push_str(&String::from_utf8_lossy(&block));
        }
        (code, std::mem::take(&mut self.shown))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
