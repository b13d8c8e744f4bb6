//! Stage files as people use them: the real binary on real directories.

mod checking;
mod fabrik;
mod schema;
mod showing;
mod wrong_files;

/// A stage in which an agent works, in as few words as possible.
const BUILD: &str =
    "name: Build\norder: 1\nprompt: build it\ncreate_draft_pr: true\nmark_pr_ready_on_complete: true\n";
/// The end of a pipeline.
const DONE: &str = "name: Done\norder: 99\ncleanup_worktree: true\n";
