//! Where an agent finds itself, which scenes are for that, and what texts may say about it.

use super::When;
use crate::pipeline::effect::Job;

/// Where an agent finds itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// The stage, if it works for one.
    pub stage: Option<String>,
    /// What is to be done in it.
    pub job: Option<Job>,
    /// Which try it is, from 1.
    pub attempt: u32,
    /// The issue, as `owner/name#7`; empty without one.
    pub issue: String,
    /// Its number; empty without one.
    pub number: String,
    /// The repository; empty without one.
    pub repo: String,
    /// The run.
    pub run: String,
    /// The agent.
    pub agent: String,
    /// What it was told.
    pub prompt: String,
}

/// What texts may name, between `{{` and `}}`.
pub(super) const NAMES: [&str; 8] = ["issue", "number", "repo", "stage", "job", "run", "attempt", "agent"];

impl Situation {
    /// Returns whether this is one of those situations.
    pub fn is_of(&self, when: &When) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|it| it == found);
        let is_issue =
            |wanted: &String| *wanted == self.issue || wanted.trim_start_matches('#') == self.number;
        is(&when.stage, self.stage.as_deref().unwrap_or_default())
            && is(&when.repo, &self.repo)
            && when.issue.as_ref().is_none_or(is_issue)
            && when.job.is_none_or(|job| self.job.unwrap_or(Job::Stage) == job)
            && when.attempt.is_none_or(|attempt| self.attempt == attempt)
            && when.prompt_contains.as_ref().is_none_or(|text| self.prompt.contains(text.as_str()))
    }

    fn named(&self, name: &str) -> Option<String> {
        Some(match name {
            "issue" => self.issue.clone(),
            "number" => self.number.clone(),
            "repo" => self.repo.clone(),
            "stage" => self.stage.clone().unwrap_or_default(),
            "job" => self.job.unwrap_or(Job::Stage).to_string(),
            "run" => self.run.clone(),
            "attempt" => self.attempt.to_string(),
            "agent" => self.agent.clone(),
            _ => return None,
        })
    }
}

/// Returns a text with what it names put in. What is not known stays as it is; the reader of scripts refuses it.
pub fn fill(text: &str, situation: &Situation) -> String {
    let mut filled = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => filled += text,
            Piece::Name { name, written } => {
                filled += &situation.named(name).unwrap_or_else(|| written.to_owned());
            }
        }
    }
    filled
}

/// Returns the names in a text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Name { name, .. } => Some(name),
        Piece::Text(_) => None,
    })
}

enum Piece<'a> {
    Text(&'a str),
    Name { name: &'a str, written: &'a str },
}

fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    while let Some(begin) = text.find("{{") {
        let Some(len) = text[begin..].find("}}").map(|end| end + 2) else { break };
        let written = &text[begin..begin + len];
        pieces.push(Piece::Text(&text[..begin]));
        pieces.push(Piece::Name { name: written[2..len - 2].trim(), written });
        text = &text[begin + len..];
    }
    pieces.push(Piece::Text(text));
    pieces
}
