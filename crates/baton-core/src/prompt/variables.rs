//! What templates can say: one table, which the errors, the documentation and the tests share.

use super::error::PromptError;
use crate::config::edit_distance::nearest;

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Text of strangers, which prints itself as a block.
    Data,
    /// Words of ours.
    Text,
    /// A number.
    Number,
    /// True or false.
    Flag,
}

impl Shape {
    /// Returns it in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Data => "block",
            Self::Text => "text",
            Self::Number => "number",
            Self::Flag => "flag",
        }
    }
}

/// A variable.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// What it is called. Members of lists are after `[]`, and what may be nothing is before `?`.
    pub name: &'static str,
    /// What it is.
    pub shape: Shape,
    /// What it says.
    pub about: &'static str,
}

const fn row(name: &'static str, shape: Shape, about: &'static str) -> Variable {
    Variable { name, shape, about }
}

use Shape::{Data, Flag, Number, Text};

/// All variables, in the order in which they are told to people.
pub const VARIABLES: &[Variable] = &[
    row("purpose", Text, "What the prompt is for."),
    row("instruction", Text, "What the agent is told; not in prompts of stages, which are it."),
    row(
        "teaches_marks",
        Flag,
        "Whether the instruction names the mark of completion itself; not in prompts of stages.",
    ),
    row("attempt", Number, "Which attempt this is, from 1."),
    row("resumes", Flag, "Whether the agent goes on with an earlier session."),
    row("project.owner", Text, "The account that has the repository."),
    row("project.name", Text, "The repository, without its owner."),
    row("project.repo", Text, "Both: `owner/name`."),
    row("project.board?.owner", Text, "Whose board the issue is on."),
    row("project.board?.number", Number, "The number of the board."),
    row("issue?.number", Number, "The number of the issue. A task has no issue."),
    row("issue?.title", Data, "Its title."),
    row("issue?.url?", Text, "Its address."),
    row("issue?.author", Text, "Who opened it."),
    row("issue?.labels", Data, "Its labels, one on each line."),
    row("issue?.body", Data, "Its text."),
    row(
        "comments[].id",
        Number,
        "The number of a comment. The list has the newest 30 on the issue and its pull request, oldest first.",
    ),
    row("comments[].author", Text, "Who wrote it."),
    row("comments[].role", Text, "Who that is: `a program`, `may write` or `may not write`."),
    row("comments[].at", Text, "When."),
    row("comments[].is_on_pull", Flag, "Whether it is on the pull request."),
    row("comments[].is_new", Flag, "Whether the run is about it."),
    row("comments[].body", Data, "What it says."),
    row("older_comments", Number, "How many comments are older than those in the list."),
    row("new_comments[].id", Number, "The same of each comment that the run is about."),
    row("new_comments[].author", Text, "Who wrote it."),
    row("new_comments[].role", Text, "Who that is."),
    row("new_comments[].at", Text, "When."),
    row("new_comments[].is_on_pull", Flag, "Whether it is on the pull request."),
    row("new_comments[].is_new", Flag, "True."),
    row("new_comments[].body", Data, "What it says."),
    row("threads[].number", Number, "The place of a review thread in the list, from 1."),
    row("threads[].id", Text, "What the tracker calls it."),
    row("threads[].place", Data, "Its file and line."),
    row("threads[].diff_hunk", Data, "The difference around that line."),
    row("threads[].comments[].id", Number, "The number of a comment in it."),
    row("threads[].comments[].author", Text, "Who wrote it."),
    row("threads[].comments[].role", Text, "Who that is."),
    row("threads[].comments[].at", Text, "When."),
    row("threads[].comments[].is_on_pull", Flag, "Whether it is on the pull request."),
    row("threads[].comments[].is_new", Flag, "True."),
    row("threads[].comments[].body", Data, "What it says."),
    row("failed_checks?", Data, "The report about failed checks."),
    row("stage?.name", Text, "The stage. A bare wakeup has none."),
    row("stage?.job", Text, "What it is asked for: `stage`, `comments`, `review`, `ci_fix` or `rebase`."),
    row("stage?.read_only", Flag, "Whether files stay as they are."),
    row("stage?.post_to_pr", Flag, "Whether its words go to the pull request."),
    row("outputs[].stage", Text, "A stage that has said something."),
    row("outputs[].text", Data, "What it said last."),
    row("outputs[].path", Text, "The file that has all of it."),
    row("workplace?.summary", Data, "The branch, the base branch and its commit, one on each line."),
    row("workplace?.branch", Data, "The branch that the agent is on."),
    row("workplace?.base", Data, "The branch that it will be merged into."),
    row("workplace?.base_commit", Text, "The commit of that branch."),
    row("workplace?.missing_base?", Data, "The base branch that a label asks for and that does not exist."),
    row("workplace?.conflicts?", Data, "The files in conflict with the base branch, one on each line."),
    row("base_changes?.since", Text, "The commit of the base branch that the last stage saw."),
    row("base_changes?.count", Number, "How many files have changed since."),
    row("base_changes?.files", Data, "The first 100 of them, one on each line."),
    row("pull?.number", Number, "The number of the pull request."),
    row("pull?.description", Data, "What it says of itself."),
    row("notes[].kind", Text, "What a note is about: `stall`, `rejected`, `amendment`, `retry` or `notice`."),
    row("notes[].by?", Text, "Who said it, if it was a person."),
    row("notes[].text", Data, "What was said."),
    row("wake?.reason", Text, "Why the agent was woken."),
    row("wake?.task?", Data, "The task, if it is not about an issue."),
    row("wake?.context", Data, "What was said along with it, as JSON."),
    row("context.directory", Text, "Where the context files are."),
    row("context.files[].path", Text, "A context file."),
    row("context.files[].about", Text, "What is in it."),
    row("marks.complete", Text, "The mark that says that the stage is complete."),
    row("marks.blocked", Text, "The mark that says that a person has to answer."),
    row("marks.summary_begin", Text, "The mark before a summary for people."),
    row("marks.summary_end", Text, "The mark after it."),
];

impl Variable {
    /// Returns its name as templates write it, up to the first list, whose members have names of their own.
    fn written(&self) -> String {
        self.name.split("[]").next().unwrap_or(self.name).replace('?', "")
    }

    /// Returns the last part of its name.
    fn last(&self) -> &'static str {
        let last = self.name.rsplit('.').next().unwrap_or(self.name);
        last.trim_end_matches(['?', '[', ']'])
    }
}

/// Returns whether a name, written with dots, is a variable or has some.
pub(super) fn is_known(name: &str) -> bool {
    VARIABLES.iter().any(|variable| {
        let written = variable.written();
        let rest = written.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns the error about a name that nobody knows.
pub(super) fn unknown(place: String, line: usize, name: String) -> PromptError {
    let all: Vec<String> = VARIABLES.iter().map(Variable::written).collect();
    let owners =
        |name: &str| name.match_indices('.').map(|(end, _)| name[..end].to_owned()).collect::<Vec<_>>();
    let all: Vec<String> = all.iter().flat_map(|name| owners(name)).chain(all.iter().cloned()).collect();
    let whole = nearest(&name, all.iter().map(String::as_str)).map(str::to_owned);
    // Members of lists are called as the template likes, so only what comes after the dot can be compared.
    let part = || {
        let (owner, last) = name.rsplit_once('.')?;
        let near = nearest(last, VARIABLES.iter().map(Variable::last))?;
        Some(format!("{owner}.{near}"))
    };
    let nearest = whole.or_else(part);
    PromptError::UnknownName { place, line, what: "variable", name, nearest }
}
