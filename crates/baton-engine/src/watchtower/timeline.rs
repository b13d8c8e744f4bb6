//! What happened to an issue, from the rows that the store keeps: wakeups, runs, the slot's transfers, effects.

use baton_core::pipeline::names::{Flag, Names, Said};
use baton_core::slot::effect::{Deed, Effect, EffectStatus};
use baton_core::slot::{RunStatus, Transfer, WakeupStatus};
use baton_ports::store::{RunRow, WakeupRow};
use baton_view::{EventKind, TimelineEvent, Tone};

const DETAIL_CHARS_MAX: usize = 300;

/// Returns what happened, newest first.
pub(super) fn timeline(
    runs: &[RunRow],
    wakeups: &[WakeupRow],
    transfers: &[Transfer],
    effects: &[Effect],
    names: Names,
) -> Vec<TimelineEvent> {
    let mut events: Vec<_> = wakeups.iter().map(woken).collect();
    events.extend(runs.iter().filter_map(began));
    events.extend(runs.iter().filter_map(ended));
    events.extend(transfers.iter().filter_map(handed_over));
    events.extend(effects.iter().filter_map(|effect| performed(effect, names)));
    // What happened in the same moment stays in the order of cause and effect, which is the other way round here.
    events.reverse();
    events.sort_by_key(|event| std::cmp::Reverse(event.at));
    events
}

fn event(at: impl Into<baton_view::Stamp>, kind: EventKind, tone: Tone, title: String) -> TimelineEvent {
    TimelineEvent { at: at.into(), kind, tone, title, detail: None, run: None }
}

fn woken(row: &WakeupRow) -> TimelineEvent {
    let wakeup = &row.wakeup;
    let reason = wakeup.reason.as_str().replace('_', " ");
    let title = format!("{} was woken: {reason}", wakeup.agent);
    let detail = match wakeup.status {
        WakeupStatus::Deferred => Some("it waits for the slot".to_owned()),
        WakeupStatus::Coalesced => Some("it was merged into another".to_owned()),
        WakeupStatus::Skipped => {
            Some(format!("skipped: {}", wakeup.skip.map_or("", |skip| skip.as_str()).replace('_', " ")))
        }
        _ => Some(format!("asked by {}", wakeup.asked_by.who)),
    };
    let run = wakeup.run.map(|run| run.0);
    TimelineEvent { detail, run, ..event(wakeup.created_at, EventKind::Wakeup, Tone::Plain, title) }
}

fn began(row: &RunRow) -> Option<TimelineEvent> {
    let run = &row.run;
    let title = format!("run {} of {} began", run.id, run.agent);
    let detail = row.host.as_ref().map(|host| format!("on {host}"));
    Some(TimelineEvent {
        detail,
        run: Some(run.id.0),
        ..event(run.started_at?, EventKind::Run, Tone::Plain, title)
    })
}

fn ended(row: &RunRow) -> Option<TimelineEvent> {
    let run = &row.run;
    let tone = match run.status {
        RunStatus::Succeeded => Tone::Good,
        RunStatus::Failed | RunStatus::TimedOut => Tone::Bad,
        _ => Tone::Warn,
    };
    let title = format!("run {} of {} {}", run.id, run.agent, super::runs::state(run.status).words());
    let cause = run.cause.map(|cause| cause.as_str().replace('_', " "));
    let detail = run.error.as_deref().map(short).or(cause);
    Some(TimelineEvent {
        detail,
        run: Some(run.id.0),
        ..event(run.finished_at?, EventKind::Run, tone, title)
    })
}

fn handed_over(transfer: &Transfer) -> Option<TimelineEvent> {
    let (from, to) = (transfer.from?, transfer.to?);
    let title = format!("the slot passed from run {from} to run {to}");
    let detail = Some(transfer.reason.as_str().replace('_', " "));
    Some(TimelineEvent {
        detail,
        run: Some(to.0),
        ..event(transfer.at, EventKind::HandOver, Tone::Plain, title)
    })
}

fn performed(effect: &Effect, names: Names) -> Option<TimelineEvent> {
    let at = effect.finished_at?;
    let (kind, title) = (kind_of(&effect.deed, names), words(&effect.deed));
    let (tone, detail) = match effect.status {
        EffectStatus::Dead => (
            Tone::Bad,
            Some(format!(
                "it never took effect: {}",
                effect.error.as_deref().unwrap_or("no reason was kept")
            )),
        ),
        _ if matches!(effect.deed, Deed::MergePull { .. }) => (Tone::Good, None),
        _ if adds(&effect.deed, names, &[Flag::Paused, Flag::AwaitingInput]) => (Tone::Warn, None),
        _ => (Tone::Plain, None),
    };
    Some(TimelineEvent { detail, ..event(at, kind, tone, title) })
}

fn adds(deed: &Deed, names: Names, flags: &[Flag]) -> bool {
    let Deed::AddLabels { labels } = deed else { return false };
    labels.iter().any(|label| flags.iter().any(|flag| names.is_flag(label, *flag)))
}

fn kind_of(deed: &Deed, names: Names) -> EventKind {
    let is_gate = |label: &String| match names.read(label) {
        Some(Said::Flag(flag)) => matches!(
            flag,
            Flag::Paused
                | Flag::AwaitingInput
                | Flag::AwaitingReview
                | Flag::AwaitingCi
                | Flag::RebaseNeeded
                | Flag::Blocked
        ),
        _ => false,
    };
    match deed {
        Deed::TakeLease { .. } | Deed::RenewLease | Deed::ReleaseLease { .. } => EventKind::Claim,
        Deed::AddLabels { labels } if labels.iter().any(is_gate) => EventKind::Gate,
        Deed::RemoveLabel { label } if is_gate(label) => EventKind::Gate,
        Deed::AskApproval { .. } | Deed::TellOnSlack { .. } => EventKind::Gate,
        _ => EventKind::Effect,
    }
}

/// Says what an effect did, or is to do.
pub(super) fn words(deed: &Deed) -> String {
    match deed {
        Deed::Comment { body, .. } => format!("comment: {}", first_line(body)),
        Deed::EditComment { .. } => "comment written anew".to_owned(),
        Deed::React { .. } => "reaction to comments".to_owned(),
        Deed::UpdateIssue { .. } => "text of the issue written anew".to_owned(),
        Deed::ResolveThreads { threads } => format!("{} review threads settled", threads.len()),
        Deed::MoveTo { from, to } => format!("moved from {from} to {to}"),
        Deed::OpenDraftPull { .. } => "draft pull request opened".to_owned(),
        Deed::MarkPullReady => "pull request declared ready".to_owned(),
        Deed::AskReviewersAgain { logins, .. } => format!("reviewers asked again: {}", logins.join(", ")),
        Deed::AskApproval { stage, plan } => format!("approval of {stage} asked for, plan {plan}"),
        Deed::TellOnSlack { said, .. } => format!("said in Slack: {said}"),
        Deed::CreateSubIssues { issues } => format!("{} parts opened as issues", issues.len()),
        Deed::Wake(wake) => format!("agent woken for {}", wake.stage),
        Deed::TakeLease { .. } => "the issue was claimed".to_owned(),
        Deed::RenewLease => "the claim was renewed".to_owned(),
        Deed::Settle(end) => format!("end of run {} settled", end.run),
        Deed::AddLabels { labels } => format!("labels added: {}", labels.join(", ")),
        Deed::RemoveLabel { label } => format!("label removed: {label}"),
        Deed::CloseIssue => "issue closed".to_owned(),
        Deed::MergePull { number, .. } => format!("pull request #{number} merged"),
        Deed::ReleaseLease { outcome, .. } => format!("the issue was given back: {outcome}"),
    }
}

fn first_line(text: &str) -> String {
    short(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

fn short(text: &str) -> String {
    text.chars().take(DETAIL_CHARS_MAX).collect()
}
