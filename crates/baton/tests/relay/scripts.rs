//! What scripted agents do, and the stages that they do it in.

use std::fmt::Write as _;

/// A scene: when it is played, and its steps.
pub(crate) type Scene<'a> = (&'a str, &'a [&'a str]);

/// What is done where a flow has nothing special to say: a note is written where code is built, and all else is fine as it is.
const USUAL: [Scene<'_>; 2] = [
    (
        "stage: Build, job: stage",
        &[
            "say: I write what is asked for.",
            "write: {path: 'notes/{{ number }}.md', text: \"Issue {{ number }}.\\n\"}",
            "commit: 'docs: add a note for {{ issue }}'",
            "summary: A note was added.",
            "marker: complete",
        ],
    ),
    ("", &["say: 'Looked at in {{ stage }} ({{ job }}).'", "marker: complete"]),
];

/// Returns a script: these scenes first, then what is usual. Every agent signs the diary.
pub(crate) fn script(scenes: &[Scene<'_>]) -> String {
    script_in("baton", scenes)
}

/// Returns a script whose markers are in this dialect.
pub(crate) fn script_in(dialect: &str, scenes: &[Scene<'_>]) -> String {
    let mut text = format!("dialect: {dialect}\nscenes:\n");
    for (when, steps) in scenes.iter().chain(&USUAL) {
        let _ = writeln!(text, "  - when: {{{when}}}\n    do:\n      - log: agents.log");
        for step in *steps {
            let _ = writeln!(text, "      - {step}");
        }
    }
    text
}

/// A stage: its name, its place, and what else its file says.
pub(crate) type StageFile<'a> = (&'a str, u32, &'a str);

/// The file of a stage.
pub(crate) fn stage_file((name, order, more): StageFile<'_>) -> String {
    let work = "completion: {type: marker}\nprompt: Do what the issue asks for.\n";
    let work = if more.contains("cleanup_worktree") { "" } else { work };
    format!("name: {name}\norder: {order}\n{work}{more}\n")
}

pub(crate) const PLAN: StageFile<'_> = ("Plan", 1, "read_only: true");
pub(crate) const BUILD: StageFile<'_> =
    ("Build", 2, "post_to_pr: true\ncreate_draft_pr: true\nmark_pr_ready_on_complete: true");
pub(crate) const REVIEW: StageFile<'_> = ("Review", 3, "wait_for_reviews: true");
pub(crate) const VALIDATE: StageFile<'_> = ("Validate", 4, "wait_for_ci: true");
pub(crate) const DONE: StageFile<'_> = ("Done", 9, "cleanup_worktree: true");
