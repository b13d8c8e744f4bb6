//! What is written on the tracker about approvals, and how it is read again.
//!
//! The engine's own words count only in comments of its own account that begin with its heading: what an agent prints comes
//! after the heading of its stage, so no agent can ask or answer in the engine's name.

use std::fmt::Write as _;

use super::super::authors::with_quiet_bots;
use super::super::item::{Comment, Saying, Via, Vote};
use super::super::names::Names;
use super::Terms;

/// How questions about plans of agents are called that no engine drives, before the digest of the plan.
pub const AGENT_PLAN: &str = "agent plan ";

/// How a comment begins that has to do with approvals.
fn beginning(names: Names) -> String {
    format!("{} — approval: ", names.heading())
}

fn heading(names: Names, stage: &str) -> String {
    format!("{}{stage}**", beginning(names))
}

/// Returns the comment that asks for approval of a plan.
pub fn question(terms: Terms<'_>, plan: &str) -> String {
    let Terms { names, stage, approvers, .. } = terms;
    let how = match (terms.hears_tracker(), terms.asks_slack()) {
        (true, false) => ON_TRACKER.to_owned(),
        (false, _) => "It is asked in Slack; `baton approve` and the dashboard can answer too.".to_owned(),
        (true, true) => format!("{ON_TRACKER} It is asked in Slack as well."),
    };
    let needed = match approvers.required {
        1 => "a person's word".to_owned(),
        count => format!("the word of {count} people"),
    };
    format!(
        "{}\n\nThe plan of **{stage}** (`{plan}`) waits for {needed}. {how}\n\nIf the plan changes, it is asked again.\n\n{}",
        heading(names, stage),
        question_mark(stage, plan)
    )
}

const ON_TRACKER: &str = "Answer `/approve`, or `/reject` with the reason, on this issue, or 👍 or 👎 here.";

/// Returns the mark by which the question about a plan is known.
pub fn question_mark(stage: &str, plan: &str) -> String {
    format!("<!-- baton:approval={stage} plan={plan} -->")
}

/// Returns the last question about a stage's plan: where it is among the comments, and the mark of the plan.
pub(super) fn latest_question(comments: &[Comment], stage: &str, names: Names) -> Option<(usize, String)> {
    let heading = heading(names, stage);
    let read = |comment: &Comment| {
        let asked = asked_in(&comment.body, names)?;
        let is_it = comment.is_own_account && comment.body.starts_with(&heading) && asked.stage == stage;
        is_it.then_some(asked.plan)
    };
    let numbered = comments.iter().enumerate().rev();
    numbered.filter_map(|(at, comment)| read(comment).map(|plan| (at, plan))).next()
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The stage, or what an agent's own plan is called.
    pub stage: String,
    /// The plan, by its mark.
    pub plan: String,
}

/// Returns what a comment asks about, if it is a question. Whose it is has to be asked apart: anybody can copy one.
pub fn asked_in(body: &str, names: Names) -> Option<Asked> {
    let (_, mark) =
        body.rsplit_once("<!-- baton:approval=").filter(|_| body.starts_with(&beginning(names)))?;
    let (stage, plan) = mark.split_once(" -->")?.0.rsplit_once(" plan=")?;
    Some(Asked { stage: stage.to_owned(), plan: plan.to_owned() })
}

/// Returns what people were asked about last.
pub fn asked_last(comments: &[Comment], names: Names) -> Option<Asked> {
    let own = comments.iter().rev().filter(|comment| comment.is_own_account);
    own.filter_map(|comment| asked_in(&comment.body, names)).next()
}

/// Returns whether a comment is a question of ours, whatever it is about.
pub(super) fn is_question(comment: &Comment, names: Names) -> bool {
    comment.is_own_account && asked_in(&comment.body, names).is_some()
}

/// Returns whether the plan that people were asked about last is that of an agent which no engine drives, and no stage has
/// said anything since. An answer is then about that plan.
pub fn is_of_agent(comments: &[Comment], names: Names) -> bool {
    let words_of_stage = format!("{} — stage: ", names.heading());
    let about = |comment: &Comment| match asked_in(&comment.body, names) {
        Some(asked) => Some(asked.stage.starts_with(AGENT_PLAN)),
        None => comment.body.starts_with(&words_of_stage).then_some(false),
    };
    let own = comments.iter().rev().filter(|comment| comment.is_own_account);
    own.filter_map(about).next().unwrap_or(false)
}

/// Returns the comment that writes down what was said elsewhere, so that everybody reads it where the issue is.
pub fn record(names: Names, asked: &Asked, votes: &[Vote], amendments: &[Saying]) -> String {
    let plan = &asked.plan;
    let mut said = format!("{}\n", heading(names, &asked.stage));
    for vote in votes {
        let word = if vote.is_for { "approved" } else { "rejected" };
        let (by, via) = (&vote.by, vote.via.words());
        let reason = if vote.reason.is_empty() { "." } else { ":" };
        let _ = write!(said, "\n`{by}` {word} the plan (`{plan}`) {via}{reason}\n");
        quote(&mut said, &vote.reason);
    }
    for amendment in amendments {
        let _ = write!(said, "\n`{}` added:\n", amendment.by);
        quote(&mut said, &amendment.text);
    }
    for vote in votes {
        let _ = write!(said, "\n{}", vote_mark(vote, plan));
    }
    said
}

fn quote(said: &mut String, text: &str) {
    for line in with_quiet_bots(text).trim().lines() {
        let _ = writeln!(said, "> {}", line.replace("<!--", "&lt;!--"));
    }
}

fn vote_mark(vote: &Vote, plan: &str) -> String {
    let word = if vote.is_for { "approve" } else { "reject" };
    let via = match vote.via {
        Via::Slack => "slack",
        Via::Tracker | Via::Baton => "baton",
    };
    format!("<!-- baton:vote={word} via={via} plan={plan} by={} -->", vote.by)
}

/// A vote that was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recorded {
    /// The plan that it is about, by its mark.
    pub(super) plan: String,
    /// The vote, as it was written.
    pub(super) vote: Vote,
}

/// Returns the votes that a comment writes down. Whether its author may do so has to be asked apart.
pub(super) fn recorded(comment: &Comment, names: Names) -> Vec<Recorded> {
    if !comment.body.starts_with(&beginning(names)) {
        return Vec::new();
    }
    let marks = comment.body.split("\n<!-- baton:vote=").skip(1);
    marks.filter_map(|mark| read_mark(mark.split_once(" -->")?.0, &comment.body)).collect()
}

fn read_mark(mark: &str, body: &str) -> Option<Recorded> {
    let (word, rest) = mark.split_once(" via=")?;
    let (via, rest) = rest.split_once(" plan=")?;
    let (plan, by) = rest.split_once(" by=")?;
    let via = if via == "slack" { Via::Slack } else { Via::Baton };
    let vote = Vote { by: by.to_owned(), is_for: word == "approve", reason: quoted_after(body, by), via };
    Some(Recorded { plan: plan.to_owned(), vote })
}

/// Returns what is quoted below the first line that names somebody.
fn quoted_after(body: &str, by: &str) -> String {
    let name = format!("`{by}` ");
    let lines = body.lines().skip_while(|line| !line.starts_with(&name)).skip(1);
    let quoted: Vec<_> = lines.map_while(|line| line.strip_prefix('>')).map(str::trim).collect();
    quoted.join("\n")
}

/// Returns what a comment of ours writes down as added to a plan.
pub(super) fn recorded_amendments(comment: &Comment, names: Names, plan: &str) -> Vec<Saying> {
    let is_about_it = || recorded(comment, names).iter().any(|record| record.plan == plan);
    if !comment.is_own_account || !is_about_it() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut lines = comment.body.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(by) = line.strip_prefix('`').and_then(|line| line.strip_suffix("` added:")) else {
            continue;
        };
        let mut text = Vec::new();
        while let Some(quoted) = lines.peek().and_then(|line| line.strip_prefix('>')) {
            text.push(quoted.trim().to_owned());
            lines.next();
        }
        found.push(Saying { is_rejection: false, by: by.to_owned(), text: text.join("\n") });
    }
    found
}

/// A word that decides, as people write it on the tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackerWord<'a> {
    /// Yes, with what they added.
    Approve(&'a str),
    /// No, with the reason.
    Reject(&'a str),
}

/// Returns the word that decides at the beginning of a comment, if there is one.
pub fn verdict(body: &str) -> Option<TrackerWord<'_>> {
    let body = body.trim();
    let (word, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    match word {
        "/approve" => Some(TrackerWord::Approve(rest.trim())),
        "/reject" => Some(TrackerWord::Reject(rest.trim())),
        _ => None,
    }
}
