//! The workers: `baton engine --idle`, each in a process of its own, which is killed, stopped, and replaced.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::fleet::agent;

/// A worker that ended because the store was out of reach is not replaced at once.
const HIRE_AGAIN: Duration = Duration::from_millis(700);
/// The exit code of a worker that could not reach the store when it started.
const OUT_OF_REACH: i32 = 3;

/// A worker's place.
struct Seat {
    name: String,
    child: Child,
    stopped_until: Option<Instant>,
    hire_at: Option<Instant>,
}

/// All workers. They are killed when this is dropped.
pub(crate) struct Crew {
    directory: PathBuf,
    seed: u64,
    seats: Vec<Seat>,
    /// Workers that found the store out of reach when they started.
    pub(crate) turned_away: usize,
}

impl Crew {
    pub(crate) fn hire(directory: &Path, seed: u64, count: usize) -> Self {
        let mut crew = Self { directory: directory.to_owned(), seed, seats: Vec::new(), turned_away: 0 };
        for number in 0..count {
            let name = format!("worker-{number:02}");
            let child = crew.start(&name);
            crew.seats.push(Seat { name, child, stopped_until: None, hire_at: None });
        }
        crew
    }

    fn start(&self, name: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(["engine", "--idle", "--name", name, "--config", "baton.yaml"]);
        command.current_dir(&self.directory).env_remove("BATON_STORE");
        command.env(agent::DIARIES, self.directory.join("diaries")).env(agent::SEED, self.seed.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(self.log(name));
        command.spawn().unwrap()
    }

    fn log(&self, name: &str) -> File {
        let path = self.directory.join(format!("{name}.log"));
        OpenOptions::new().create(true).append(true).open(path).unwrap()
    }

    /// Lets those go on that were stopped for long enough, and replaces those that are gone.
    pub(crate) fn tend(&mut self) {
        for at in 0..self.seats.len() {
            let seat = &mut self.seats[at];
            if seat.stopped_until.is_some_and(|until| until <= Instant::now()) {
                seat.go_on();
            }
            if seat.hire_at.is_none()
                && let Some(status) = seat.child.try_wait().unwrap()
            {
                seat.turned_away(status);
                self.turned_away += 1;
            }
            if self.seats[at].hire_at.is_some_and(|at| at <= Instant::now()) {
                self.replace(at);
            }
        }
    }

    fn replace(&mut self, at: usize) {
        let child = self.start(&self.seats[at].name);
        let seat = &mut self.seats[at];
        (seat.child, seat.stopped_until, seat.hire_at) = (child, None, None);
    }

    pub(crate) fn size(&self) -> usize {
        self.seats.len()
    }

    /// Returns those that are at work and not stopped.
    pub(crate) fn at_work(&self) -> Vec<usize> {
        let is_at_work = |seat: &Seat| seat.hire_at.is_none() && seat.stopped_until.is_none();
        (0..self.seats.len()).filter(|at| is_at_work(&self.seats[*at])).collect()
    }

    /// Returns those of them that have supervisors, and so agents; trouble strikes best there.
    pub(crate) fn with_agents(&self) -> Vec<usize> {
        let parents = parents();
        let has_children = |at: &usize| parents.contains(&self.seats[*at].child.id());
        self.at_work().into_iter().filter(has_children).collect()
    }

    /// Kills a worker, as a machine short of memory would, and puts another in its place.
    pub(crate) fn kill(&mut self, at: usize) {
        self.seats[at].child.kill().unwrap();
        self.seats[at].child.wait().unwrap();
        self.replace(at);
    }

    /// Lets a worker stand still, without its supervisors and agents.
    pub(crate) fn stop(&mut self, at: usize, long: Duration) {
        let seat = &mut self.seats[at];
        // One that has just ended by itself is found by whoever tends.
        let _ = kill_process(seat.pid(), Signal::STOP);
        seat.stopped_until = Some(Instant::now() + long);
    }

    /// Lets all go on.
    pub(crate) fn calm(&mut self) {
        self.seats.iter_mut().for_each(Seat::go_on);
    }

    /// Asks all to end, and returns when they have.
    pub(crate) async fn dismiss(&mut self, within: Duration) {
        self.calm();
        self.seats.iter().for_each(Seat::ask_to_end);
        let began = Instant::now();
        for seat in &mut self.seats {
            let status = loop {
                if let Some(status) = seat.child.try_wait().unwrap() {
                    break status;
                }
                assert!(began.elapsed() < within, "{} does not end when asked to", seat.name);
                tokio::time::sleep(Duration::from_millis(20)).await;
            };
            assert!(status.success(), "{} ended with {status} when asked to", seat.name);
        }
    }
}

impl Seat {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn ask_to_end(&self) {
        let _ = kill_process(self.pid(), Signal::TERM);
    }

    fn go_on(&mut self) {
        if self.stopped_until.take().is_some() {
            let _ = kill_process(self.pid(), Signal::CONT);
        }
    }

    /// A worker ends by itself only when the store is out of reach as it starts.
    fn turned_away(&mut self, status: ExitStatus) {
        assert_eq!(status.code(), Some(OUT_OF_REACH), "{} ended by itself with {status}", self.name);
        self.hire_at = Some(Instant::now() + HIRE_AGAIN);
    }
}

/// Returns every process that has children.
fn parents() -> BTreeSet<u32> {
    let parent = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter_map(parent).collect()
}

impl Drop for Crew {
    fn drop(&mut self) {
        for seat in &mut self.seats {
            let _ = seat.child.kill();
            let _ = seat.child.wait();
        }
    }
}
