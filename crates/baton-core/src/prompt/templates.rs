//! The templates of a repository: those that are built in, and those that replace them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::environment::{environment, explained};
use super::error::PromptError;
use super::purpose::Purpose;
use super::variables;
use crate::config::PipelineDialect;
use crate::config::stages::prompts::in_dialect;

/// The templates of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    dialect: PipelineDialect,
    replaced: BTreeMap<Purpose, Replacement>,
}

/// A template that replaces a built-in one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    source: String,
    text: String,
}

impl Templates {
    /// Returns the built-in templates, in the words of a dialect.
    pub fn built_in(dialect: PipelineDialect) -> Self {
        Self { dialect, replaced: BTreeMap::new() }
    }

    /// Returns these with a template in place of another. The source is named in errors: the file.
    pub fn with_override(mut self, purpose: Purpose, source: &str, text: &str) -> Result<Self, PromptError> {
        check(source, text, self.dialect)?;
        self.replaced.insert(purpose, Replacement { source: source.to_owned(), text: text.to_owned() });
        Ok(self)
    }

    /// Returns whose words are used.
    pub fn dialect(&self) -> PipelineDialect {
        self.dialect
    }

    /// Returns the file that a template came from; nothing when it is built in.
    pub fn source(&self, purpose: Purpose) -> Option<&str> {
        self.replaced.get(&purpose).map(|it| it.source.as_str())
    }

    /// Returns the text of a template.
    pub fn text(&self, purpose: Purpose) -> Cow<'_, str> {
        match self.replaced.get(&purpose) {
            Some(it) => Cow::Borrowed(&it.text),
            None => in_dialect(built_in(purpose), self.dialect),
        }
    }

    /// Returns how errors name a template.
    pub(super) fn place(&self, purpose: Purpose) -> String {
        self.source(purpose).map_or_else(|| format!("built-in template `{purpose}`"), str::to_owned)
    }
}

fn built_in(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Stage => include_str!("templates/stage.md"),
        Purpose::Comment => include_str!("templates/comment.md"),
        Purpose::CommentOnPr => include_str!("templates/comment_on_pr.md"),
        Purpose::Review => include_str!("templates/review.md"),
        Purpose::CiFix => include_str!("templates/ci_fix.md"),
        Purpose::Rebase => include_str!("templates/rebase.md"),
        Purpose::Wake => include_str!("templates/wake.md"),
    }
}

/// The longest template. Nobody writes longer ones, and reading them takes time.
const TEMPLATE_BYTES_MAX: usize = 256 * 1024;

/// Looks whether a text can be read as a template and names only what there is.
pub(super) fn check(place: &str, text: &str, dialect: PipelineDialect) -> Result<(), PromptError> {
    if text.len() > TEMPLATE_BYTES_MAX {
        let (place, bytes) = (place.to_owned(), text.len());
        return Err(PromptError::LongTemplate { place, bytes, bytes_max: TEMPLATE_BYTES_MAX });
    }
    let environment = environment(dialect);
    let template =
        environment.template_from_named_str(place, text).map_err(|error| explained(&error, place, text))?;
    let mut unknown: Vec<_> =
        template.undeclared_variables(true).into_iter().filter(|name| !variables::is_known(name)).collect();
    // The engine tells them in no order; a person reads from the top.
    unknown.sort_by_key(|name| (line_of(text, name), name.clone()));
    match unknown.into_iter().next() {
        Some(name) => Err(variables::unknown(place.to_owned(), line_of(text, &name), name)),
        None => Ok(()),
    }
}

/// Returns the first line that has a name in it.
fn line_of(text: &str, name: &str) -> usize {
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let stands_alone = |at: &usize| {
        let (before, after) = (&text[..*at], &text[*at + name.len()..]);
        !before.ends_with(is_part_of_name) && !after.starts_with(is_part_of_name)
    };
    let found = text.match_indices(name).map(|(at, _)| at).find(stands_alone);
    1 + text[..found.unwrap_or(0)].matches('\n').count()
}
