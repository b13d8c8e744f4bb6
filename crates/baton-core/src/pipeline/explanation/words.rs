//! The sentences of an explanation: what a step is and what an effect does.

use super::super::effect::{Effect, Job, Place, Reaction, Wake};
use super::super::step::{Cause, Pause, Step};

/// Says what the step is.
pub(super) fn step(step: &Step) -> String {
    match step {
        Step::Rest(why) => format!("rests: {why}"),
        Step::CleanUp => "cleans up: the work tree is removed, and the relay is over".to_owned(),
        Step::ClearFailure => "clears a failure that a person has looked at".to_owned(),
        Step::ProcessComments { resumes: false } => "lets the agent answer new comments".to_owned(),
        Step::ProcessComments { resumes: true } => "resumes: the agent answers what a person said".to_owned(),
        Step::Invoke { resume: false } => "lets the agent work on the stage".to_owned(),
        Step::Invoke { resume: true } => "lets the agent go on with the stage".to_owned(),
        Step::Reinvoke(cause) => format!("sends the agent back: {}", sent_back(*cause)),
        Step::HoldAtGate(hold) => format!("waits at the gate: {hold}"),
        Step::Pause(why) => format!("pauses, and asks a person: {}", pause(*why)),
        Step::Advance { to } => format!("is handed on to {to}"),
        Step::Merge => "merges the pull request".to_owned(),
        Step::RepairLabels(why) => format!("puts labels right: {why}"),
    }
}

fn sent_back(cause: Cause) -> &'static str {
    match cause {
        Cause::Review => "reviewers said something",
        Cause::CiFix => "checks fail",
        Cause::Rebase => "the branch does not merge",
    }
}

/// Says why a person is needed.
pub(in super::super) fn pause(pause: Pause) -> String {
    let told = match pause {
        Pause::ReviewTimeout { reprompted: false } => "reviewers did not look in time",
        Pause::ReviewTimeout { reprompted: true } => "bots did not review, though they were asked twice",
        Pause::ReviewCycles => "the agent was sent back to reviews too often",
        Pause::CiTimeout => "checks did not end in time",
        Pause::ChecksFailed => "checks failed, and the stage does not repair them",
        Pause::CiFixCycles => "the agent was sent back to failing checks too often",
        Pause::RebaseCycles => "the agent was sent back to rebase too often",
        Pause::CommentCycles => "comments were answered too often in a short time",
        Pause::BudgetSpent(budget) => return format!("the budget of the day is spent: {budget}"),
        Pause::PullClosed => "the pull request was closed without a merge",
        Pause::NoPull => "there is no pull request to merge",
        Pause::MergeRefused => "the tracker refuses to merge",
        Pause::ApprovalTimeout => "nobody decided about the plan in time",
    };
    told.to_owned()
}

/// Says what an effect does; nothing for labels, which are told together.
pub(super) fn effect(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::AddLabel { .. } | Effect::RemoveLabel { .. } => return None,
        Effect::Comment { on, body } => format!("comment on {}: {body}", place(*on)),
        Effect::EditComment { id, body } => format!("rewrite the comment {id}: {body}"),
        Effect::React { on, comments, with } => {
            format!("react with {} to {} on {}", reaction(*with), numbers(comments), place(*on))
        }
        Effect::UpdateIssue { .. } => "rewrite the text of the issue".to_owned(),
        Effect::ResolveThreads { threads } => {
            format!("resolve {} of reviews", counted(threads.len(), "thread"))
        }
        Effect::MoveTo { column } => format!("move the issue to {column}"),
        Effect::CreateDraftPull { .. } => "open a draft of the pull request".to_owned(),
        Effect::MarkPullReady => "declare the pull request ready for reviews".to_owned(),
        Effect::AskReviewersAgain { pull, logins } => {
            format!("ask {} once more to review #{pull}", logins.join(", "))
        }
        Effect::MergePull { pull, head_sha } => format!("merge #{pull}, if its head is still {head_sha}"),
        Effect::AskApproval { stage, plan } => format!("ask people to approve the plan {plan} of {stage}"),
        Effect::TellOnSlack { .. } => "say in Slack what became of the question".to_owned(),
        Effect::CreateSubIssues { issues } => format!("create {}", counted(issues.len(), "issue")),
        Effect::PushBranch => "push the branch".to_owned(),
        Effect::RemoveWorktree => "remove the work tree".to_owned(),
        Effect::Wake(it) => wake(it),
        Effect::Release => "give the issue back: nobody works on it".to_owned(),
    })
}

fn wake(wake: &Wake) -> String {
    let whom =
        wake.agent.as_ref().map_or_else(|| "the agent".to_owned(), |agent| format!("the agent `{agent}`"));
    let what = match wake.job {
        Job::Stage => format!("for the stage {}", wake.stage),
        Job::Comments => format!("to answer {}", numbers(&wake.comments)),
        Job::Review => format!("to answer {} of reviews", counted(wake.threads.len(), "thread")),
        Job::CiFix => "to repair what checks found".to_owned(),
        Job::Rebase => "to rebase the branch".to_owned(),
    };
    format!("wake {whom} {what}")
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Issue => "the issue",
        Place::Pull => "the pull request",
    }
}

fn reaction(reaction: Reaction) -> &'static str {
    match reaction {
        Reaction::Eyes => "👀",
        Reaction::Rocket => "🚀",
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn numbers(comments: &[u64]) -> String {
    let numbers: Vec<_> = comments.iter().map(ToString::to_string).collect();
    let noun = if numbers.len() == 1 { "comment" } else { "comments" };
    format!("{noun} {}", numbers.join(", "))
}
