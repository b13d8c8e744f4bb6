//! Diaries: one file for each issue, in which every process of every agent writes that it is alive, and the check that no
//! two agents of the issue were.
//!
//! A line is one write to a file that is open for appending, so the order of lines is an order of moments at which their
//! writers were alive; so is the boot clock's time in them. Both are checked, because neither leans on the other. A line
//! begins and ends with a line end and closes with a full stop: of a writer that is killed as its line crosses two pages of
//! the file, the kernel may keep only a part, which must neither be taken for a line nor spoil the next.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};

/// What a process writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    Begins,
    /// What it was told to look at.
    Heard(Vec<u64>),
    Lives,
    Ends,
}

/// What a process writes with.
pub(crate) struct Pen {
    file: File,
    who: String,
}

impl Pen {
    pub(crate) fn open(path: &Path, run: i64, fence: i64) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        Self { file, who: format!("{run} {fence} {}", std::process::id()) }
    }

    pub(crate) fn write(&mut self, word: Word) {
        let mut line = format!("\n{} {} ", boot_ns(), self.who);
        match word {
            Word::Begins => line.push_str("begins"),
            Word::Lives => line.push_str("lives"),
            Word::Ends => line.push_str("ends"),
            Word::Heard(ids) => {
                line.push_str("heard");
                ids.iter().for_each(|id| write!(line, " {id}").unwrap());
            }
        }
        line.push_str(" .\n");
        assert_eq!(self.file.write(line.as_bytes()).unwrap(), line.len(), "a line is written at once");
    }
}

fn boot_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    u64::try_from(now.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap()
}

/// A line of a diary.
#[derive(Debug, Clone)]
struct Line {
    at_ns: u64,
    run: i64,
    fence: i64,
    pid: u32,
    word: Word,
}

impl Line {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let at_ns = parts.next()?.parse().ok()?;
        let (run, fence) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let pid = parts.next()?.parse().ok()?;
        let word = match parts.next()? {
            "begins" => Word::Begins,
            "lives" => Word::Lives,
            "ends" => Word::Ends,
            "heard" => Word::Heard(parts.map(str::parse).collect::<Result<_, _>>().ok()?),
            _ => return None,
        };
        Some(Self { at_ns, run, fence, pid, word })
    }
}

/// What one agent wrote, with all of its processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) fence: i64,
    pub(crate) begins: u32,
    pub(crate) heard: Vec<u64>,
    pub(crate) has_ended: bool,
    pub(crate) processes: BTreeSet<u32>,
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
    first_line: usize,
    last_line: usize,
}

/// The diary of one issue: the lives by their runs.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    pub(crate) issue: u64,
    pub(crate) lives: BTreeMap<i64, Life>,
}

impl Diary {
    /// Reads a diary; whole lines that cannot be read are faults.
    pub(crate) fn read(issue: u64, text: &str, faults: &mut Vec<String>) -> Self {
        let mut diary = Self { issue, lives: BTreeMap::new() };
        let whole = text.lines().filter_map(|line| line.strip_suffix(" ."));
        for (number, line) in whole.enumerate() {
            match Line::read(line) {
                Some(line) => diary.note(number, line),
                None => faults.push(format!("diary {issue}, line {number} cannot be read: {line:?}")),
            }
        }
        diary
    }

    fn note(&mut self, number: usize, line: Line) {
        let life = self.lives.entry(line.run).or_insert_with(|| Life {
            fence: line.fence,
            first_ns: line.at_ns,
            first_line: number,
            ..Life::default()
        });
        life.first_ns = life.first_ns.min(line.at_ns);
        life.last_ns = life.last_ns.max(line.at_ns);
        life.last_line = number;
        life.processes.insert(line.pid);
        match line.word {
            Word::Begins => life.begins += 1,
            Word::Heard(ids) => life.heard.extend(ids),
            Word::Ends => life.has_ended = true,
            Word::Lives => {}
        }
    }

    /// Says where two agents were alive at once, where one was begun twice, and where fences did not grow.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut lives: Vec<_> = self.lives.iter().collect();
        lives.sort_by_key(|(_, life)| life.first_ns);
        let twice = lives.iter().filter(|(_, life)| life.begins > 1);
        let mut faults: Vec<_> =
            twice.map(|(run, _)| format!("issue {}: run {run} was begun twice", self.issue)).collect();
        for (at, (run, life)) in lives.iter().enumerate() {
            faults.extend(lives[at + 1..].iter().filter_map(|(other, later)| {
                let what = quarrel(life, later)?;
                Some(format!("issue {}: runs {run} and {other} {what}", self.issue))
            }));
        }
        faults
    }
}

/// Says what two lives, of which the second began later, have in common that they must not.
fn quarrel(life: &Life, later: &Life) -> Option<String> {
    let ms = |ns: u64| ns / 1_000_000;
    if life.last_ns > later.first_ns {
        let (from, to) = (ms(later.first_ns), ms(life.last_ns.min(later.last_ns)));
        return Some(format!("were both alive from {from} ms to {to} ms by their clock"));
    }
    if life.last_line > later.first_line {
        return Some(format!("wrote in turns around line {}", later.first_line));
    }
    (life.fence >= later.fence).then(|| format!("had the fences {} and {}", life.fence, later.fence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let diary = Diary::read(7, text, &mut faults);
        faults.extend(diary.faults());
        faults
    }

    #[track_caller]
    fn check(lines: &[&str], expected: &[&str]) {
        let text: String = lines.iter().map(|line| format!("\n{line} .\n")).collect();
        let found = faults(&text);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found:?}");
        }
    }

    #[test]
    fn agents_one_after_another_are_in_order() {
        let lines = ["1000000 1 1 50 begins", "2000000 1 1 50 heard 4 9", "3000000 1 1 51 lives"];
        check(&lines, &[]);
        check(&[&lines[..], &["4000000 2 2 52 begins", "5000000 2 2 52 ends"]].concat(), &[]);
    }

    #[test]
    fn two_agents_that_live_at_once_are_found_by_their_clocks() {
        let lines =
            ["1000000 1 1 50 begins", "8000000 2 2 52 begins", "9000000 1 1 50 lives", "9500000 2 2 52 ends"];
        check(&lines, &["runs 1 and 2 were both alive from 8 ms to 9 ms"]);
    }

    #[test]
    fn what_an_agent_left_behind_counts_as_the_agent() {
        let lines =
            ["1000000 1 1 50 begins", "2000000 1 1 50 ends", "8000000 2 2 52 begins", "9000000 1 1 51 lives"];
        check(&lines, &["runs 1 and 2 were both alive"]);
    }

    #[test]
    fn an_agent_within_the_life_of_another_is_found_though_a_third_is_between() {
        let lines = [
            "1000000 1 1 50 begins",
            "2000000 2 2 51 begins",
            "3000000 2 2 51 ends",
            "4000000 3 3 52 begins",
            "9000000 1 1 50 lives",
        ];
        check(&lines, &["runs 1 and 2 were both", "runs 1 and 3 were both"]);
    }

    #[test]
    fn two_agents_that_live_at_once_are_found_by_the_order_of_lines() {
        let lines = ["1000000 1 1 50 begins", "3000000 2 2 52 begins", "2000000 1 1 50 lives"];
        check(&lines, &["runs 1 and 2 wrote in turns"]);
    }

    #[test]
    fn fences_that_do_not_grow_and_runs_begun_twice_are_found() {
        check(&["1000000 1 5 50 begins", "2000000 2 5 52 begins"], &["had the fences 5 and 5"]);
        check(&["1000000 1 1 50 begins", "2000000 1 1 51 begins"], &["run 1 was begun twice"]);
        check(&["1000000 1 1 50 beg"], &["line 0 cannot be read"]);
    }

    #[test]
    fn a_part_of_a_line_is_no_line() {
        assert_eq!(faults("\n1000000 1 1 50 begins .\n\n10000\n1000001 1 1 50 lives .\n"), [""; 0]);
    }
}
