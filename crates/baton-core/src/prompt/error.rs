//! Why a prompt could not be made: in which file, on which line, and what to write instead.

use super::purpose::Purpose;

/// Why a prompt could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// A template cannot be read as one.
    #[error(
        "{place}:{line}: {what}; write `{{% raw %}}…{{% endraw %}}` around braces that are meant as they stand"
    )]
    Syntax {
        /// The file, or whatever else the template came from.
        place: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A template names something that there is not.
    #[error("{place}:{line}: there is no {what} `{name}`{}; docs/reference/prompts.md lists all", suggestion(.nearest.as_deref()))]
    UnknownName {
        /// The file.
        place: String,
        /// The line, from 1.
        line: usize,
        /// What was looked for: a variable, a filter.
        what: &'static str,
        /// What it was called.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A template uses something that this issue does not have.
    #[error("{place}:{line}: `{name}` is nothing here; ask before with `{{% if {owner} %}}`")]
    Nothing {
        /// The file.
        place: String,
        /// The line, from 1.
        line: usize,
        /// What was asked for.
        name: String,
        /// What is nothing.
        owner: String,
    },
    /// A template goes on for too long.
    #[error("{place}: the template takes more than {fuel} steps; it loops too often, so shorten it")]
    Endless {
        /// The file.
        place: String,
        /// The limit.
        fuel: u64,
    },
    /// The template itself is longer than anybody writes one.
    #[error("{place}: the template is {bytes} bytes long, and {bytes_max} are allowed; shorten it")]
    LongTemplate {
        /// The file.
        place: String,
        /// Its length.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// What comes out is too long for any agent.
    #[error("{place}: the prompt would be longer than {bytes_max} bytes; print less in the template")]
    TooLong {
        /// The file.
        place: String,
        /// The limit.
        bytes_max: usize,
    },
    /// Something else in a template fails.
    #[error("{place}:{line}: {what}")]
    Failed {
        /// The file.
        place: String,
        /// The line, from 1.
        line: usize,
        /// What came back.
        what: String,
    },
    /// Nobody says what the agent is to do.
    #[error("nobody tells the agent what to do for {}; give the stage `{stage}` a `prompt` or a `skill`", .purpose.summary())]
    NoInstruction {
        /// What for.
        purpose: Purpose,
        /// The stage.
        stage: String,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
