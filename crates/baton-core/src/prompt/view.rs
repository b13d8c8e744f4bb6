//! Material as templates see it: numbers, flags and names of ours as they are, text of strangers as blocks.
//!
//! [`super::variables`] lists what there is; a test holds both to each other.

use minijinja::value::Value;

use super::block::{Block, account, address, commit};
use super::context_files::{CHANGES_FILE, ISSUE_FILE, PULL_FILE, context_directory, listed};
use super::material::{Material, Note, StageOutput, Thread, WakeUp, Workplace};
use super::purpose::Purpose;
use crate::config::PipelineDialect;
use crate::pipeline::comments::is_by_bot;
use crate::pipeline::item::Comment;

/// How many comments are shown, the newest ones.
pub(super) const COMMENTS_MAX: usize = 30;
/// How many changed files are shown.
pub(super) const CHANGES_MAX: usize = 100;

const LINE_CHARS_MAX: usize = 500;
const LIST_CHARS_MAX: usize = 4_000;
const COMMENT_CHARS_MAX: usize = 4_000;
const HUNK_CHARS_MAX: usize = 6_000;
const NEWS_CHARS_MAX: usize = 20_000;
const TEXT_CHARS_MAX: usize = 30_000;

/// Returns all variables but `instruction` and `teaches_marks`, which depend on them.
pub(super) fn view(material: &Material, dialect: PipelineDialect) -> Vec<(&'static str, Value)> {
    let sight = Sight { material, directory: context_directory(dialect) };
    vec![
        ("purpose", Purpose::of(material).as_str().into()),
        ("project", sight.project()),
        ("issue", sight.issue()),
        ("comments", sight.comments()),
        ("older_comments", material.comments.len().saturating_sub(COMMENTS_MAX).into()),
        ("new_comments", material.new_comments.iter().map(|id| sight.new_comment(*id)).collect()),
        ("threads", material.threads.iter().enumerate().map(thread).collect()),
        ("failed_checks", failed_checks(material)),
        ("stage", stage(material)),
        ("outputs", sight.outputs()),
        ("workplace", or_none(material.workplace.as_ref().map(workplace))),
        ("base_changes", sight.base_changes()),
        ("pull", sight.pull()),
        ("resumes", material.resumes.into()),
        ("attempt", material.attempt.into()),
        ("notes", material.notes.iter().map(note).collect()),
        ("wake", or_none(material.wake.as_ref().map(wake))),
        ("context", sight.context()),
        ("marks", marks(dialect)),
    ]
}

/// Material, and where its files are.
struct Sight<'a> {
    material: &'a Material,
    directory: &'static str,
}

impl Sight<'_> {
    fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.directory)
    }

    fn project(&self) -> Value {
        let repo = &self.material.repo;
        let board =
            self.material.board.as_ref().map(|board| {
                pairs([("owner", account(&board.owner).into()), ("number", board.number.into())])
            });
        pairs([
            ("owner", repo.owner().into()),
            ("name", repo.name().into()),
            ("repo", repo.to_string().into()),
            ("board", or_none(board)),
        ])
    }

    fn issue(&self) -> Value {
        let Some(issue) = &self.material.issue else { return Value::from(()) };
        let author = account(&issue.author);
        let of = |what: &str| format!("{what} of issue #{} by {author}", issue.number);
        let labels = Block::new(
            &format!("labels of issue #{}, one on each line", issue.number),
            &lines(&issue.labels),
        );
        let body = Block::new(&of("text"), &issue.body).cut(TEXT_CHARS_MAX);
        pairs([
            ("number", issue.number.into()),
            ("title", Block::new(&of("title"), &one_line(&issue.title)).cut(LINE_CHARS_MAX).into()),
            ("url", or_none(address(&issue.url).map(Value::from))),
            ("author", author.clone().into()),
            ("labels", labels.cut(LIST_CHARS_MAX).into()),
            ("body", body.with_whole_in(&self.path(ISSUE_FILE)).into()),
        ])
    }

    fn comments(&self) -> Value {
        let all = &self.material.comments;
        let shown = &all[all.len().saturating_sub(COMMENTS_MAX)..];
        shown.iter().map(|comment| self.comment(comment, COMMENT_CHARS_MAX)).collect()
    }

    fn comment(&self, said: &Comment, chars_max: usize) -> Value {
        let body = Block::new(&comment_label(said), &said.body).cut(chars_max);
        let body = body.with_whole_in(&self.path(ISSUE_FILE));
        comment(said, self.material.new_comments.contains(&said.id), body)
    }

    /// A comment that was not handed over is told as such, so that nobody takes it for answered.
    fn new_comment(&self, id: u64) -> Value {
        let found = self.material.comments.iter().find(|comment| comment.id == id);
        let missing = || {
            let label = format!("comment {id}, which could not be read; say so in your answer");
            pairs([
                ("id", id.into()),
                ("author", account("").into()),
                ("role", "unknown".into()),
                ("at", "unknown".into()),
                ("is_on_pull", false.into()),
                ("is_new", true.into()),
                ("body", Block::new(&label, "").into()),
            ])
        };
        found.map_or_else(missing, |comment| self.comment(comment, NEWS_CHARS_MAX))
    }

    fn outputs(&self) -> Value {
        let files = listed(self.material).outputs;
        let output = |(output, file): (&StageOutput, String)| {
            let path = self.path(&file);
            let text = Block::new(&format!("what stage {} said", output.stage), &output.text);
            pairs([
                ("stage", output.stage.clone().into()),
                ("text", text.cut(COMMENT_CHARS_MAX).with_whole_in(&path).into()),
                ("path", path.into()),
            ])
        };
        self.material.outputs.iter().zip(files).map(output).collect()
    }

    fn base_changes(&self) -> Value {
        let Some(changes) = &self.material.base_changes else { return Value::from(()) };
        let since = commit(&changes.since);
        let files = changes.files.iter().take(CHANGES_MAX);
        let files: Vec<_> =
            files.map(|file| format!("{} {}", one_line(&file.status), one_line(&file.path))).collect();
        let label = format!("files that changed on the base branch since {since}");
        let block =
            Block::new(&label, &lines(&files)).cut(TEXT_CHARS_MAX).with_whole_in(&self.path(CHANGES_FILE));
        pairs([("since", since.into()), ("count", changes.files.len().into()), ("files", block.into())])
    }

    fn pull(&self) -> Value {
        let Some(pull) = &self.material.pull else { return Value::from(()) };
        let label = format!("description of pull request #{}", pull.number);
        let description = Block::new(&label, &pull.description).cut(TEXT_CHARS_MAX);
        pairs([
            ("number", pull.number.into()),
            ("description", description.with_whole_in(&self.path(PULL_FILE)).into()),
        ])
    }

    fn context(&self) -> Value {
        let file = |(name, about): (String, String)| {
            pairs([("path", self.path(&name).into()), ("about", about.into())])
        };
        let files = listed(self.material).files.into_iter().map(file).collect();
        pairs([("directory", self.directory.into()), ("files", files)])
    }
}

fn comment(comment: &Comment, is_new: bool, body: Block) -> Value {
    pairs([
        ("id", comment.id.into()),
        ("author", account(&comment.author).into()),
        ("role", role(comment).into()),
        ("at", comment.created_at.to_string().into()),
        ("is_on_pull", comment.is_on_pull.into()),
        ("is_new", is_new.into()),
        ("body", body.into()),
    ])
}

/// Returns who somebody is to this repository.
pub(super) fn role(comment: &Comment) -> &'static str {
    match (is_by_bot(comment), comment.may_write) {
        (true, _) => "a program",
        (false, true) => "may write",
        (false, false) => "may not write",
    }
}

/// Returns what a comment is, whose and from when.
pub(super) fn comment_label(comment: &Comment) -> String {
    let place = if comment.is_on_pull { " on the pull request" } else { "" };
    let author = account(&comment.author);
    format!("comment {}{place} by {author} ({}), {}", comment.id, role(comment), comment.created_at)
}

fn thread((index, thread): (usize, &Thread)) -> Value {
    let number = index + 1;
    let said = |said: &Comment| {
        let label = format!("review thread {number}: {}", comment_label(said));
        comment(said, true, Block::new(&label, &said.body).cut(NEWS_CHARS_MAX))
    };
    let line = thread.line.map_or_else(String::new, |line| format!(":{line}"));
    let place = format!("{}{line}", one_line(&thread.path));
    let place = Block::new(&format!("review thread {number}: place"), &place).cut(LINE_CHARS_MAX);
    let hunk =
        Block::new(&format!("review thread {number}: difference"), &thread.diff_hunk).cut(HUNK_CHARS_MAX);
    pairs([
        ("number", number.into()),
        ("id", account(&thread.id).into()),
        ("place", place.into()),
        ("diff_hunk", hunk.into()),
        ("comments", thread.comments.iter().map(said).collect()),
    ])
}

fn failed_checks(material: &Material) -> Value {
    let report = material.failed_checks.as_deref();
    or_none(report.map(|text| Block::new("report of failed checks", text).cut(NEWS_CHARS_MAX)))
}

fn stage(material: &Material) -> Value {
    let Some(stage) = &material.stage else { return Value::from(()) };
    pairs([
        ("name", stage.name.clone().into()),
        ("job", stage.job.as_str().into()),
        ("read_only", stage.read_only.into()),
        ("post_to_pr", stage.post_to_pr.into()),
    ])
}

fn workplace(place: &Workplace) -> Value {
    let line = |label: &str, text: &str| Block::new(label, &one_line(text)).cut(LINE_CHARS_MAX);
    let base_commit = commit(&place.base_commit);
    let summary = format!(
        "branch: {}\nbase branch: {}\ncommit of the base branch: {base_commit}",
        one_line(&place.branch),
        one_line(&place.base)
    );
    let missing = place.missing_base.as_deref();
    let conflicts = (!place.conflicts.is_empty()).then(|| {
        Block::new("files in conflict with the base branch", &lines(&place.conflicts)).cut(LIST_CHARS_MAX)
    });
    pairs([
        ("summary", Block::new("branches", &summary).cut(LIST_CHARS_MAX).into()),
        ("branch", line("branch", &place.branch).into()),
        ("base", line("base branch", &place.base).into()),
        ("base_commit", base_commit.into()),
        ("missing_base", or_none(missing.map(|name| line("base branch that does not exist", name)))),
        ("conflicts", or_none(conflicts)),
    ])
}

fn note(note: &Note) -> Value {
    let by = note.by.as_deref().map(account);
    let label = format!("note ({}) by {}", note.kind, by.as_deref().unwrap_or("the engine"));
    pairs([
        ("kind", note.kind.as_str().into()),
        ("by", or_none(by.map(Value::from))),
        ("text", Block::new(&label, &note.text).cut(NEWS_CHARS_MAX).into()),
    ])
}

fn wake(wake: &WakeUp) -> Value {
    let context = format!("{:#}", wake.context);
    let task = wake.task.as_deref().map(|task| Block::new("task", &one_line(task)).cut(LINE_CHARS_MAX));
    pairs([
        ("reason", wake.reason.as_str().into()),
        ("task", or_none(task)),
        ("context", Block::new("context of the wakeup, as JSON", &context).cut(NEWS_CHARS_MAX).into()),
    ])
}

fn marks(dialect: PipelineDialect) -> Value {
    let prefix = match dialect {
        PipelineDialect::Baton => "BATON",
        PipelineDialect::Fabrik => "FABRIK",
    };
    let names = ["complete", "blocked", "summary_begin", "summary_end"];
    let words = ["STAGE_COMPLETE", "BLOCKED_ON_INPUT", "SUMMARY_BEGIN", "SUMMARY_END"];
    Value::from_pairs(names.into_iter().zip(words.map(|word| Value::from(format!("{prefix}_{word}")))))
}

pub(super) fn one_line(text: &str) -> String {
    super::clean::clean_line(text)
}

/// Returns a list, one on each line.
pub(super) fn lines(items: &[String]) -> String {
    items.iter().map(|item| one_line(item)).collect::<Vec<_>>().join("\n")
}

fn pairs<const N: usize>(pairs: [(&'static str, Value); N]) -> Value {
    Value::from_pairs(pairs)
}

fn or_none<T: Into<Value>>(value: Option<T>) -> Value {
    value.map_or(Value::from(()), Into::into)
}
