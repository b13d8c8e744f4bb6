//! What agents write down themselves, in a file outside every work tree: who ran for which stage of which issue.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_core::slot::RunId;

/// The file.
#[derive(Clone)]
pub(crate) struct Journal(PathBuf);

/// A run, as its agent wrote it down when it began.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) engine: String,
    pub(crate) issue: String,
    pub(crate) stage: String,
    pub(crate) job: String,
    pub(crate) run: RunId,
}

impl Journal {
    pub(crate) fn new(directory: &Path, name: &str) -> Self {
        Self(directory.join(format!("{name}.journal")))
    }

    /// The step in which an agent writes itself down.
    fn note(&self, engine: &str) -> String {
        let path = self.0.display();
        format!(
            "- run: [sh, -c, 'echo {engine} \"$1\" \"$2\" \"$3\" \"$4\" >> {path}', note, '{{{{ issue }}}}', '{{{{ stage }}}}', '{{{{ job }}}}', '{{{{ run }}}}']"
        )
    }

    /// The script of an agent that writes itself down, and waits until a file is there.
    pub(crate) fn waiting_script(&self, engine: &str, gate: &Path) -> String {
        let (note, gate) = (self.note(engine), gate.display());
        format!(
            "scenes:
  - do:
      {note}
      - run: [sh, -c, 'until [ -e {gate} ]; do sleep 0.5; done']
      - marker: complete
"
        )
    }

    /// The script of an engine's agent. It writes itself down, works, and always makes the same commit.
    pub(crate) fn script(&self, engine: &str) -> String {
        let note = self.note(engine);
        format!(
            "clock: 2026-01-01T00:00:00Z
scenes:
  - when: {{stage: Implement, job: stage}}
    do:
      {note}
      - say: I write what it asks for.
      - write: {{path: 'notes/issue-{{{{ number }}}}.md', text: \"Done.\\n\"}}
      - commit: 'docs: add a note'
      - summary: A note was added.
      - marker: complete
  - do:
      {note}
      - say: Nothing to change in the stage {{{{ stage }}}}.
      - summary: Looked at, and fine.
      - marker: complete
"
        )
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(entry).collect()
    }

    /// Counts the starts by each engine.
    pub(crate) fn shares(&self) -> BTreeMap<String, usize> {
        let mut shares = BTreeMap::new();
        self.entries().into_iter().for_each(|entry| *shares.entry(entry.engine).or_default() += 1);
        shares
    }
}

fn entry(line: &str) -> Entry {
    let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
    let read: Option<[String; 5]> = words.try_into().ok();
    let [engine, issue, stage, job, run] = read.unwrap_or_else(|| panic!("`{line}` is no entry"));
    Entry { engine, issue, stage, job, run: RunId(run.parse().unwrap()) }
}
