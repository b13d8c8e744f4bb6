//! What is asked for, on the command line or in a file, on top of what is known.

use std::path::PathBuf;

use baton_core::chain::{ChainError, ChainRequest, ChainState, PartRequest, PartState, parse_chain_file};
use baton_core::workspace::names::FeatureId;
use clap::Args;

use super::book::Book;
use crate::claims::context::{TrackerArguments, usage};
use crate::command_error::CommandError;

/// Arguments of the commands that take a chain.
#[derive(Debug, Args)]
pub(super) struct ChainArguments {
    /// The feature's name: a-z, 0-9, `.`, `_` and `-`.
    #[arg(value_name = "FEATURE")]
    pub(super) feature: FeatureId,
    /// A part: OWNER/REPO, with its branch and base if they are not the usual ones, as in "OWNER/REPO:BRANCH=>BASE"; may
    /// be given several times, in the order in which they are to be merged.
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<PartRequest>,
    /// The title of the pull requests.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// A file with what the pull requests say.
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,
    /// Open them as drafts.
    #[arg(long)]
    draft: bool,
    /// A YAML file with all of this, and with titles, texts and dependencies of single parts.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parts", "title", "body_file", "draft"])]
    file: Option<PathBuf>,
    /// Answer in JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) tracker: TrackerArguments,
}

impl ChainArguments {
    /// Returns the chain that is meant: the one that is known, with what is asked for now.
    pub(super) fn chain(&self, book: &Book) -> Result<ChainState, CommandError> {
        let known = book.read()?;
        let request = match (&self.file, &known) {
            (Some(path), _) => parse_chain_file(self.feature.clone(), &text_of(path)?).map_err(usage)?,
            (None, Some(known)) if self.is_silent() => return Ok(known.clone()),
            (None, known) => self.request(known.as_ref())?,
        };
        match known {
            Some(known) => known.changed(request),
            None => ChainState::begin(request, book.tracker()),
        }
        .map_err(usage)
    }

    /// Returns whether only the feature is named.
    fn is_silent(&self) -> bool {
        self.parts.is_empty() && self.title.is_none() && self.body_file.is_none() && !self.draft
    }

    fn request(&self, known: Option<&ChainState>) -> Result<ChainRequest, CommandError> {
        let parts = match (self.parts.is_empty(), known) {
            (false, _) => self.parts.clone(),
            (true, Some(known)) => known.parts.iter().map(again).collect(),
            (true, None) => return Err(usage(ChainError::NoParts)),
        };
        let title = self.title.clone().or_else(|| known.map(|known| known.title.clone()));
        let body = self.body_file.as_ref().map(text_of).transpose()?;
        Ok(ChainRequest {
            feature: self.feature.clone(),
            title: title.ok_or_else(|| usage(ChainError::Title(String::new())))?,
            body: body.or_else(|| known.map(|known| known.body.clone())).unwrap_or_default(),
            is_draft: self.draft || known.is_some_and(|known| known.is_draft),
            parts,
        })
    }
}

/// Asks for a part as it is.
fn again(part: &PartState) -> PartRequest {
    let PartState { repo, head, base, title, body, depends_on, .. } = part.clone();
    PartRequest { repo, head: Some(head), base, title, body, depends_on }
}

fn text_of(path: &PathBuf) -> Result<String, CommandError> {
    std::fs::read_to_string(path)
        .map_err(|error| CommandError::Usage(format!("cannot read {}: {error}", path.display())))
}
