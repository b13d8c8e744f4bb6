//! The tool `comment`: say something on an issue, under the agent's own name.

use baton_core::pipeline::voice::{SPOKEN_BYTES_MAX, spoken};
use baton_ports::Tracker as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::{Session, issue_of, of_tracker};
use super::tool::{Manner, Told, Tool, Trouble};

pub(super) struct Comment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue or pull request: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    issue: String,
    /// What to say, in Markdown; at most 60000 bytes. It is posted under a heading with your name.
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It is there for people to read.
    Posted,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What became of it.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// The number of the comment.
    comment: u64,
}

impl Tool for Comment {
    const NAME: &'static str = "comment";
    const TITLE: &'static str = "Comment on an issue";
    const DESCRIPTION: &'static str = "Says something to people on an issue, under a heading that names you. It cannot give a \
         person's word: commands such as /approve have no effect in it, and hidden marks are laid open. It wakes no agent; \
         `wake` does.";
    const MANNER: Manner = Manner::WRITES;
    const WHEN_UNCLEAR: &'static str = "The comment may have been posted all the same: look at the issue before you post it \
         again.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        check_text("text", &input.text)?;
        let context = session.context(Vec::new())?;
        let issue = issue_of(&context, &input.issue)?;
        let body = spoken(&session.holder.codename, &session.redacted(&input.text));
        let posted = context.block_on(context.fleet.claims.tracker.post_comment(&issue, &body));
        let comment = posted.map_err(|error| of_tracker(&issue, &error))?.value.id;
        let shape = Output { outcome: Outcome::Posted, issue: issue.to_string(), comment };
        Ok(Told { shape, words: format!("Comment {comment} is on {issue}.") })
    }
}

/// What is to be posted must be something, and not too long.
pub(super) fn check_text(name: &str, text: &str) -> Result<(), Trouble> {
    if text.trim().is_empty() {
        return Err(Trouble::argument(name, "it is empty, and there is nothing to say"));
    }
    if text.len() > SPOKEN_BYTES_MAX {
        let why = format!("it has {} bytes, and {SPOKEN_BYTES_MAX} may be posted", text.len());
        return Err(Trouble::argument(name, why));
    }
    Ok(())
}
