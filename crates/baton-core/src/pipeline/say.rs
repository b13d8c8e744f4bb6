//! What the engine says to people: every comment of the pipeline, in one place.
//!
//! Each begins with the heading by which the engine knows its own. What agents and people wrote is quoted so that nobody is
//! woken by it.

use std::fmt::Write as _;

use super::authors::with_quiet_bots;
use super::gates::{Missing, outstanding};
use super::item::Thread;
use super::notice::About;
use super::outcome::{Effort, Outcome};
use super::policy::Budget;
use super::step::Pause;
use super::view::View;

/// The longest text of an agent that is posted, in bytes. Trackers take little more.
const OUTPUT_BYTES_MAX: usize = 60_000;

fn headed(view: &View<'_>, about: About, body: &str) -> String {
    format!("{} — {about}**\n\n{body}", view.policy.names.heading())
}

/// Returns how the comment of a stage begins, by which it is found again.
pub(super) fn stage_heading(view: &View<'_>, addition: &str) -> String {
    format!("{} — stage: {}{addition}**", view.policy.names.heading(), view.stage.name)
}

/// Returns the words of a run under the heading of its stage.
pub(super) fn output(view: &View<'_>, outcome: &Outcome, text: &str, addition: &str, tail: &str) -> String {
    let mut said = stage_heading(view, addition) + "\n";
    if let Some(place) = &outcome.workplace {
        let _ = writeln!(
            said,
            "*branch: {} | commit: {} | main: {} | {}*",
            place.branch, place.commit, place.base, view.now.server
        );
    }
    let _ = write!(said, "\n{}\n", shortened(&with_quiet_bots(text)));
    let footer = effort(outcome.effort);
    if !footer.is_empty() || !tail.is_empty() {
        let _ = write!(said, "\n{}", [footer.as_str(), tail].join(" ").trim());
    }
    said
}

fn effort(effort: Effort) -> String {
    if effort == Effort::default() {
        return String::new();
    }
    let turns_max = effort.turns_max.map_or(String::new(), |turns| format!("/{turns}"));
    let (input, output) = (effort.input_tokens, effort.output_tokens);
    format!("Used {}{turns_max} turns, {input} input / {output} output tokens.", effort.turns)
}

fn shortened(text: &str) -> String {
    if text.len() <= OUTPUT_BYTES_MAX {
        return text.to_owned();
    }
    let end = (0..=OUTPUT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n\n(The rest is in the log of the run.)", &text[..end])
}

/// Returns what an agent said, with what it probably meant and what was not done.
pub(super) fn with_problems(text: String, problems: &[String]) -> String {
    if problems.is_empty() {
        return text;
    }
    let listed: Vec<_> = problems.iter().map(|problem| format!("- {problem}")).collect();
    format!("{text}\n\nNot done:\n{}", listed.join("\n")).trim().to_owned()
}

/// Returns that a person ended the run.
pub(super) fn cancelled(view: &View<'_>) -> String {
    let body = format!(
        "The run of **{}** was cancelled, so the issue is paused. Remove the label `{}`, or reply here, to go on.",
        view.stage.name,
        view.policy.names.flag(super::names::Flag::Paused)
    );
    headed(view, About::Cancelled, &body)
}

/// Returns all that an agent said to people, its summary first.
pub(super) fn with_summary(summary: Option<&str>, rest: &str) -> String {
    let said = [summary.unwrap_or_default(), rest].map(str::trim);
    said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What stands for a plan that an agent did not write down.
pub(super) const NO_PLAN: &str = "The agent said that it is done, and nothing else.";

/// Returns the short word on the issue when the long one is on the pull request.
pub(super) fn on_pull(view: &View<'_>, summary: Option<&str>) -> String {
    let pull = view.item.pull.as_ref().map_or_else(String::new, |pull| format!(" #{}", pull.number));
    let summary = summary.map_or_else(String::new, |summary| format!("{}\n\n", with_quiet_bots(summary)));
    format!("{}\n\n{summary}The details are on the pull request{pull}.", stage_heading(view, ""))
}

/// Returns what tells reviewers that their threads were acted on.
pub(super) fn threads_answered(view: &View<'_>, text: &str, threads: &[&Thread]) -> String {
    let mut said = stage_heading(view, " (review feedback addressed)");
    let _ = write!(said, "\n\n{}\n", shortened(&with_quiet_bots(text)));
    for thread in threads {
        let line = thread.line.map_or_else(String::new, |line| format!(":{line}"));
        let _ = write!(said, "\n- `{}{line}` — resolved", thread.path);
    }
    said
}

/// Returns the question to the operator.
pub(super) fn question(view: &View<'_>, summary: Option<&str>) -> String {
    let whom = view.policy.user.as_ref().map_or_else(String::new, |user| format!("@{user}: "));
    let quoted: String =
        summary.iter().flat_map(|text| text.lines()).fold(String::new(), |mut said, line| {
            let _ = writeln!(said, "> {line}");
            said
        });
    let body = format!(
        "{whom}awaiting your input on **{}**.\n\n{}{}Reply on this issue to resume.",
        view.stage.name,
        with_quiet_bots(&quoted),
        if quoted.is_empty() { "" } else { "\n" }
    );
    headed(view, About::Question, &body)
}

/// Returns the list of what comes first.
pub(super) fn blocked(view: &View<'_>) -> String {
    let blockers: Vec<_> = view.open_blockers().map(|blocker| format!("- {}", blocker.issue)).collect();
    let body = format!("Waiting for the following issues to close:\n\n{}", blockers.join("\n"));
    headed(view, About::Blocked, &body)
}

/// Returns what reminds bots of their review.
pub(super) fn reminder(view: &View<'_>, logins: &[String]) -> String {
    let mentions: Vec<_> = logins.iter().map(|login| format!("@{login}")).collect();
    headed(view, About::Review, &format!("{} just checking in: your review is awaited.", mentions.join(" ")))
}

/// Returns why a stage is given up.
pub(super) fn gave_up(view: &View<'_>, why: &str) -> String {
    let body = format!(
        "{}**{}** {why}, so the issue is paused.\n\nLook at the log of its runs, then remove the label `{}`, or reply \
         here, to try again.",
        mention(view),
        view.stage.name,
        view.policy.names.flag(super::names::Flag::Paused)
    );
    headed(view, About::StageFailed, &body)
}

fn mention(view: &View<'_>) -> String {
    view.policy.user.as_ref().map_or_else(String::new, |user| format!("@{user}: "))
}

/// Returns why the issue is paused and what to do.
pub(super) fn paused(view: &View<'_>, pause: Pause) -> String {
    let (why, what_to_do) = reason(view, pause);
    let body = format!("{}{why}\n\n{what_to_do} Reply on this issue to resume.", mention(view));
    headed(view, About::Paused, &body)
}

fn reason(view: &View<'_>, pause: Pause) -> (String, &'static str) {
    let stage = &view.stage.name;
    let policy = view.policy;
    match pause {
        Pause::ReviewTimeout { reprompted } => (late_reviewers(view, reprompted), WHAT_ABOUT_REVIEWERS),
        Pause::ReviewCycles => (
            format!(
                "The agent was sent back to review threads {} times in **{stage}**.",
                policy.max_review_cycles
            ),
            "Look at the threads that are still open: resolve them, or say what should be done.",
        ),
        Pause::CiTimeout => (
            format!("Checks came to no result in time in **{stage}**."),
            "Look at the checks of the pull request, and run them again where they hang.",
        ),
        Pause::ChecksFailed => (
            format!("Checks have failed, and **{stage}** does not repair them."),
            "Look at the checks of the pull request, and repair them by hand, or let a stage wait for them.",
        ),
        Pause::CiFixCycles => (
            format!(
                "The agent was sent back to failing checks {} times in **{stage}**.",
                policy.max_ci_fix_cycles
            ),
            "Look at the checks that still fail: the cause may lie outside of this branch.",
        ),
        Pause::RebaseCycles => (
            format!("The agent was sent back to rebase {} times in **{stage}**.", policy.max_rebase_cycles),
            "The conflict probably needs a person's judgement: rebase the branch by hand.",
        ),
        Pause::CommentCycles => (
            format!("Comments were answered {} times in a short time.", policy.max_comment_cycles),
            "Two programs may be answering each other: look at the last comments.",
        ),
        Pause::BudgetSpent(budget) => (spent(view, budget), WHAT_ABOUT_BUDGETS),
        Pause::PullClosed => {
            ("The pull request was closed without a merge.".to_owned(), "Open it again, or close this issue.")
        }
        Pause::NoPull => (
            format!("**{stage}** is complete, but there is no pull request to merge."),
            "Open one from the issue's branch, or close this issue.",
        ),
        Pause::MergeRefused => (
            "The tracker refuses to merge the pull request, although nothing seems to be in the way."
                .to_owned(),
            "Look at the rules of the base branch, and merge it by hand if they are met.",
        ),
        Pause::ApprovalTimeout => (
            format!("Nobody decided about the plan of **{stage}** in time."),
            "Say here what should be done; the stage is then run again.",
        ),
    }
}

const WHAT_ABOUT_REVIEWERS: &str =
    "Ask them again, review it yourself, take the requests back, or move the issue on by hand.";

fn late_reviewers(view: &View<'_>, reprompted: bool) -> String {
    let missing: Vec<_> = outstanding(view).map(|who: Missing<'_>| format!("`{}`", who)).collect();
    let who = if missing.is_empty() {
        "Nobody reviewed".to_owned()
    } else {
        format!("No review by {}", missing.join(", "))
    };
    let again = if reprompted { " They were asked once more, in vain." } else { "" };
    format!("{who} in time in **{}**.{again}", view.stage.name)
}

const WHAT_ABOUT_BUDGETS: &str =
    "Raise that setting in `baton.yaml`, or wait until the day ends (at midnight, UTC).";

fn spent(view: &View<'_>, budget: Budget) -> String {
    let item = view.item;
    let told = budget.spent_words(&view.policy.limits, item.usage, &item.agent_spending);
    format!("A budget of today is spent: {told}.")
}
