//! Judging this machine: git, the programs of agents, room on disks, and what is set for Slack.

use std::time::Duration;

use super::setup::one_line;
use super::{CheckId, Finding};
use crate::config::Adapter;

/// The oldest git that will do.
const GIT_MIN: (u32, u32) = (2, 39);
const GIT_FIX: &str = "install git 2.39 or later, and have it in PATH";

/// Judges what `git --version` said, or why it said nothing.
pub fn git_version(said: Result<&str, &str>) -> Finding {
    let check = CheckId::GitVersion;
    let said = match said {
        Ok(said) => one_line(said),
        Err(why) => return Finding::fail(check, format!("git cannot be run: {}", one_line(why)), GIT_FIX),
    };
    match version_in(&said) {
        Some(version) if version >= GIT_MIN => Finding::ok(check, said),
        Some(_) => Finding::fail(check, format!("{said} is too old"), GIT_FIX),
        None => {
            Finding::fail(check, format!("`git --version` said `{said}`, which names no version"), GIT_FIX)
        }
    }
}

/// Returns the first two numbers of a version in a line.
fn version_in(line: &str) -> Option<(u32, u32)> {
    line.split_whitespace().find_map(|word| {
        let mut parts = word.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

/// Judges whose commits git would make.
pub fn git_identity(name: Option<&str>, email: Option<&str>) -> Finding {
    let check = CheckId::GitIdentity;
    let set = |what: &str, value: &str| format!("git config --global user.{what} '{value}'");
    match (name, email) {
        (Some(name), Some(email)) if email.contains('@') => Finding::ok(check, format!("{name} <{email}>")),
        (Some(_), Some(email)) => Finding::warn(
            check,
            format!("user.email is `{email}`, which is no address"),
            set("email", "you@example.com"),
        ),
        (None, Some(_)) => Finding::fail(check, "user.name is not set", set("name", "Your Name")),
        (Some(_), None) => Finding::fail(check, "user.email is not set", set("email", "you@example.com")),
        (None, None) => {
            let fix = format!("{} && {}", set("name", "Your Name"), set("email", "you@example.com"));
            Finding::fail(check, "user.name and user.email are not set", fix)
        }
    }
}

/// How it went to start the program of an agent, without any work for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryStart {
    /// There is no such program.
    NotFound,
    /// It is there, and was not started: what else a program of one's own does when it is started, nobody knows.
    Resolved(String),
    /// It said its version, and ended well.
    Said(String),
    /// It ended badly, saying this.
    Failed(String),
    /// It did not end in time.
    Hung(Duration),
    /// It is built in, and its script cannot be used.
    BadScript(String),
    /// It is built in, and its script can be used.
    GoodScript(String),
}

/// An agent, and how its dry start went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFacts {
    /// Its name.
    pub name: String,
    /// How it is run.
    pub adapter: Adapter,
    /// Its program, as it is started.
    pub program: String,
    /// How that went.
    pub start: DryStart,
    /// Whether it wants a sandbox, and the program for that is not there.
    pub lacks_sandbox: bool,
}

/// Judges the agents.
pub fn agents(agents: &[AgentFacts]) -> Vec<Finding> {
    if agents.is_empty() {
        let fix = "add `agents: {claude: {adapter: claude}}` to baton.yaml, or run `baton init`";
        return vec![Finding::fail(
            CheckId::Agents,
            "no agent is configured, so nobody would do the work",
            fix,
        )];
    }
    agents.iter().map(agent).collect()
}

fn agent(facts: &AgentFacts) -> Finding {
    let (check, AgentFacts { name, program, .. }) = (CheckId::Agents, facts);
    let by_hand =
        format!("run `{program} --version` by hand; or set `agents.{name}.command` to another program");
    match &facts.start {
        DryStart::NotFound => {
            Finding::fail(check, format!("{name}: there is no program `{program}`"), install(facts))
        }
        DryStart::Failed(said) => {
            Finding::fail(check, format!("{name}: `{program} --version` failed: {}", one_line(said)), by_hand)
        }
        DryStart::Hung(after) => {
            let found = format!("{name}: `{program} --version` did not end within {} s", after.as_secs());
            Finding::fail(check, found, by_hand)
        }
        DryStart::BadScript(why) => {
            let fix = format!("edit the file, or set `agents.{name}.script` to another");
            Finding::fail(check, format!("{name}: its script cannot be used: {}", one_line(why)), fix)
        }
        DryStart::Resolved(_) | DryStart::Said(_) | DryStart::GoodScript(_) if facts.lacks_sandbox => {
            let found = format!("{name}: it is to work in a sandbox, and there is no program `bwrap`");
            Finding::fail(check, found, format!("install bubblewrap, or set `agents.{name}.sandbox: none`"))
        }
        DryStart::Resolved(path) => {
            Finding::ok(check, format!("{name}: {path} (it is not started for a test)"))
        }
        DryStart::Said(version) => Finding::ok(check, format!("{name}: {}", one_line(version))),
        DryStart::GoodScript(path) => Finding::ok(check, format!("{name}: built in, with the script {path}")),
    }
}

fn install(facts: &AgentFacts) -> String {
    let package = match facts.adapter {
        Adapter::Claude => "@anthropic-ai/claude-code",
        Adapter::Codex => "@openai/codex",
        Adapter::Gemini => "@google/gemini-cli",
        Adapter::Command | Adapter::Script => {
            return format!("install it, or set `agents.{}.command` to a program that is there", facts.name);
        }
    };
    format!("npm install -g {package}; or set `agents.{}.command` to where the program is", facts.name)
}

/// The room where something is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// What is kept there.
    pub what: &'static str,
    /// Where.
    pub path: String,
    /// How many bytes are free, or why that is not known.
    pub free: Result<u64, String>,
}

/// With less than so many times the least room, it is time to look.
const ROOM_WARN_FACTOR: u64 = 4;

/// Judges the room on disks; what there must be at least is in bytes.
pub fn disk(rooms: &[Room], least: u64) -> Vec<Finding> {
    let check = CheckId::Disk;
    let fix = "baton worktrees prune; or free room on that disk, or move `store`, `mirrors` and `worktrees` to another";
    let complaints = rooms.iter().filter_map(|room| {
        let place = format!("{} ({})", room.path, room.what);
        match &room.free {
            Ok(free) if *free < least => {
                let found =
                    format!("{} are free in {place}, and {} are the least", bytes(*free), bytes(least));
                Some(Finding::fail(check, found, fix))
            }
            Ok(free) if *free < least.saturating_mul(ROOM_WARN_FACTOR) => {
                Some(Finding::warn(check, format!("only {} are free in {place}", bytes(*free)), fix))
            }
            Ok(_) => None,
            Err(why) => {
                Some(Finding::warn(check, format!("cannot tell what is free in {place}: {why}"), fix))
            }
        }
    });
    let mut findings: Vec<_> = complaints.collect();
    if findings.is_empty() {
        let free = rooms.iter().filter_map(|room| room.free.as_ref().ok()).min().copied().unwrap_or(0);
        findings.push(Finding::ok(check, format!("at least {} are free everywhere", bytes(free))));
    }
    findings
}

/// Returns a count of bytes as people say it.
pub fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 4] =
        [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    match UNITS.iter().find(|(_, size)| count >= *size) {
        Some((unit, size)) => format!("{}.{} {unit}", count / size, count % size * 10 / size),
        None => format!("{count} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    #[test]
    fn git_must_be_there_and_new_enough() {
        for (said, grade) in [
            (Ok("git version 2.39.0"), Grade::Ok),
            (Ok("git version 3.0"), Grade::Ok),
            (Ok("git version 2.38.1 (Apple Git-143)"), Grade::Fail),
            (Ok("git version unknown"), Grade::Fail),
            (Ok(""), Grade::Fail),
            (Err("No such file"), Grade::Fail),
        ] {
            assert_eq!(git_version(said).grade, grade, "{said:?}");
        }
    }

    #[test]
    fn commits_need_a_name_and_an_address() {
        for (name, email, grade) in [
            (Some("Ann"), Some("ann@example.com"), Grade::Ok),
            (Some("Ann"), Some("ann"), Grade::Warn),
            (None, Some("ann@example.com"), Grade::Fail),
            (Some("Ann"), None, Grade::Fail),
            (None, None, Grade::Fail),
        ] {
            assert_eq!(git_identity(name, email).grade, grade, "{name:?} {email:?}");
        }
    }

    fn facts(start: DryStart, lacks_sandbox: bool) -> AgentFacts {
        let (name, program) = ("coder".to_owned(), "claude".to_owned());
        AgentFacts { name, adapter: Adapter::Claude, program, start, lacks_sandbox }
    }

    #[test]
    fn an_agent_is_good_when_its_program_starts() {
        let text = || "x".to_owned();
        for (start, grade) in [
            (DryStart::Said("2.1.0 (Claude Code)".to_owned()), Grade::Ok),
            (DryStart::Resolved(text()), Grade::Ok),
            (DryStart::GoodScript(text()), Grade::Ok),
            (DryStart::NotFound, Grade::Fail),
            (DryStart::Failed(text()), Grade::Fail),
            (DryStart::Hung(Duration::from_secs(10)), Grade::Fail),
            (DryStart::BadScript(text()), Grade::Fail),
        ] {
            assert_eq!(agent(&facts(start.clone(), false)).grade, grade, "{start:?}");
            assert_eq!(agent(&facts(start, true)).grade, Grade::Fail);
        }
        assert_eq!(agents(&[])[0].grade, Grade::Fail);
    }

    #[test]
    fn room_is_judged_by_the_least_that_there_must_be() {
        let room = |free| Room { what: "store", path: "/x".to_owned(), free };
        for (free, grade) in [
            (Ok(99), Grade::Fail),
            (Ok(100), Grade::Warn),
            (Ok(399), Grade::Warn),
            (Ok(400), Grade::Ok),
            (Err("no".to_owned()), Grade::Warn),
        ] {
            let findings = disk(&[room(free.clone()), room(Ok(1_000))], 100);
            assert_eq!((findings.len(), findings[0].grade), (1, grade), "{free:?}");
        }
        assert_eq!(
            [bytes(999), bytes(1_500), bytes(2_000_000_000), bytes(u64::MAX)],
            ["999 B", "1.5 kB", "2.0 GB", "18446744.0 TB"]
        );
    }
}
