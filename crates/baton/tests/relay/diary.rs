//! What the agents themselves wrote down: who worked on what, when.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// One run of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) run: String,
    pub(crate) issue: String,
    pub(crate) stage: String,
    pub(crate) job: String,
    pub(crate) began_ms: u64,
    /// Nothing for one that was killed, or still works.
    pub(crate) ended_ms: Option<u64>,
    pid: u64,
}

/// All runs, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diary(pub(crate) Vec<Entry>);

impl Diary {
    pub(crate) fn read(path: &Path) -> Self {
        let mut diary = Self::default();
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            diary.note(&serde_json::from_str(line).unwrap());
        }
        diary
    }

    fn note(&mut self, line: &Value) {
        let (pid, at_ms) = (line["pid"].as_u64().unwrap(), line["at_ms"].as_u64().unwrap());
        if line["event"] != "start" {
            let entry = self.0.iter_mut().rfind(|entry| entry.pid == pid && entry.ended_ms.is_none());
            entry.unwrap().ended_ms = Some(at_ms);
            return;
        }
        let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let (run, issue, stage, job) = (text("run"), text("issue"), text("stage"), text("job"));
        self.0.push(Entry { run, issue, stage, job, began_ms: at_ms, ended_ms: None, pid });
    }

    /// The runs of an issue of `admin/web`.
    pub(crate) fn of(&self, issue: u64) -> Vec<Entry> {
        self.of_issue(&format!("admin/web#{issue}"))
    }

    pub(crate) fn of_issue(&self, issue: &str) -> Vec<Entry> {
        self.0.iter().filter(|entry| entry.issue == issue).cloned().collect()
    }

    /// What was done about an issue of `admin/web`, as `Plan stage`.
    pub(crate) fn deeds(&self, issue: u64) -> Vec<String> {
        self.of(issue).iter().map(|entry| format!("{} {}", entry.stage, entry.job)).collect()
    }

    /// Whether every agent has ended.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.iter().all(|entry| entry.ended_ms.is_some() || !is_alive(entry.pid))
    }

    /// Insists that no agent began on an issue while another one was at it.
    #[track_caller]
    pub(crate) fn has_no_two_at_once(&self) {
        let mut last: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in &self.0 {
            if let Some(before) = last.insert(&entry.issue, entry)
                && let Some(ended_ms) = before.ended_ms
            {
                assert!(ended_ms <= entry.began_ms, "two at once: {before:?} and {entry:?}");
            }
        }
    }
}

fn is_alive(pid: u64) -> bool {
    let path = format!("/proc/{pid}/stat");
    // One that has ended and was not waited for is a zombie.
    std::fs::read_to_string(path).is_ok_and(|stat| !stat.contains(") Z "))
}
