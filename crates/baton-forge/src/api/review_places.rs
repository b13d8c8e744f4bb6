//! Reads which place of a pull request's difference a client means, and finds it there.

use git2::Repository;

use crate::db::pulls::Pull;
use crate::db::review_threads::Place;
use crate::git::patch_lines::{self, Side};
use crate::git::pull_diff::PullDiff;
use crate::http::error::ApiError;
use crate::http::fields::Fields;

/// A place as a client names it: a whole file, a position in its patch, or lines of one side.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) path: String,
    pub(crate) of_file: bool,
    pub(crate) position: Option<i64>,
    pub(crate) line: Option<i64>,
    pub(crate) side: Option<String>,
    pub(crate) start_line: Option<i64>,
    pub(crate) start_side: Option<String>,
}

impl Wanted {
    pub(crate) fn read(fields: &Fields) -> Result<Self, ApiError> {
        let text = |key: &str| Ok::<_, ApiError>(fields.opt_str(key)?.map(str::to_owned));
        Ok(Self {
            path: fields.str("path")?.to_owned(),
            of_file: fields.opt_str("subject_type")?.is_some_and(|kind| kind.eq_ignore_ascii_case("file")),
            position: fields.opt_i64("position")?,
            line: fields.opt_i64("line")?,
            side: text("side")?,
            start_line: fields.opt_i64("start_line")?,
            start_side: text("start_side")?,
        })
    }
}

fn refuse(field: &str, why: &str) -> ApiError {
    let name = format!("pull_request_review_thread.{field}");
    ApiError::invalid_because("PullRequestReviewComment", &name, format!("{name} {why}"))
}

fn side_of(field: &str, text: Option<&str>, unsaid: Side) -> Result<Side, ApiError> {
    match text {
        None => Ok(unsaid),
        Some(text) => Side::parse(text).ok_or_else(|| refuse(field, "is not LEFT or RIGHT")),
    }
}

/// Finds a place in the difference up to a commit of the pull request.
pub(crate) fn locate(
    repository: &Repository,
    pull: &Pull,
    commit_oid: &str,
    wanted: &Wanted,
) -> Result<Place, ApiError> {
    let diff = PullDiff::up_to(repository, pull, commit_oid)
        .ok_or_else(|| refuse("commit_id", "is not part of the pull request"))?;
    let file = diff.file(&wanted.path)?.ok_or_else(|| refuse("path", "is not part of the diff"))?;
    let whole = Place {
        path: wanted.path.clone(),
        subject: "file",
        side: "RIGHT",
        start_side: None,
        line: None,
        start_line: None,
        position: None,
        commit_oid: commit_oid.to_owned(),
        diff_hunk: file.patch.clone().unwrap_or_default(),
    };
    if wanted.of_file {
        return Ok(whole);
    }
    let patch = file.patch.ok_or_else(|| refuse("diff_hunk", "can't be blank"))?;
    let (side, line, position) = line_of(&patch, wanted)?;
    let start = start_of(&patch, wanted, side, position)?;
    Ok(Place {
        subject: "line",
        side: side.name(),
        start_side: start.map(|(side, _)| side.name()),
        line: Some(line),
        start_line: start.map(|(_, line)| line),
        position: Some(position),
        diff_hunk: patch_lines::hunk_to(&patch, position),
        ..whole
    })
}

fn line_of(patch: &str, wanted: &Wanted) -> Result<(Side, i64, i64), ApiError> {
    match (wanted.line, wanted.position) {
        (Some(line), _) => {
            let side = side_of("side", wanted.side.as_deref(), Side::Right)?;
            let position = patch_lines::position_of(patch, side, line);
            position
                .map(|position| (side, line, position))
                .ok_or_else(|| refuse("line", "must be part of the diff"))
        }
        (None, Some(position)) => {
            let found = patch_lines::line_at(patch, position);
            found.map(|(side, line)| (side, line, position)).ok_or_else(|| refuse("position", "is invalid"))
        }
        (None, None) => Err(refuse("line", "can't be blank")),
    }
}

/// The first line of several, which must come before the last.
fn start_of(patch: &str, wanted: &Wanted, side: Side, end: i64) -> Result<Option<(Side, i64)>, ApiError> {
    let Some(line) = wanted.start_line else { return Ok(None) };
    let start_side = side_of("start_side", wanted.start_side.as_deref(), side)?;
    match patch_lines::position_of(patch, start_side, line) {
        Some(position) if position < end => Ok(Some((start_side, line))),
        Some(_) => Err(refuse("start_line", "must precede the end line.")),
        None => Err(refuse("start_line", "must be part of the diff")),
    }
}
