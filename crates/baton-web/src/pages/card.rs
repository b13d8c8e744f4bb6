//! A card of the board. A thousand of them make a page, so each says what it must in few bytes.

use baton_core::tracker::IssueKey;
use baton_view::{Badge, BadgeKind, Card, CardState, Holder, Stamp};
use maud::{Markup, html};

use crate::pages::moment;

/// Returns the address of an issue's page; of `owner/name#42` it is `/issues/owner/name/42`.
pub(crate) fn address(issue: &str) -> String {
    format!("/issues/{}", issue.replacen('#', "/", 1))
}

/// Returns a link to an issue; a task has no page, and is only named.
pub(crate) fn link(issue: &str) -> Markup {
    match issue.parse::<IssueKey>() {
        Ok(_) => html! { a href=(address(issue)) { (issue) } },
        Err(_) => html! { (issue) },
    }
}

/// Returns the word for a state.
pub(crate) fn state_words(state: CardState) -> &'static str {
    match state {
        CardState::Asking => "Asks you",
        CardState::Paused => "Paused",
        CardState::Running => "Running",
        CardState::Queued => "Queued",
        CardState::Waiting => "Waiting",
        CardState::Blocked => "Blocked",
        CardState::Held => "Held",
        CardState::Idle => "Idle",
        CardState::Done => "Done",
    }
}

/// Returns the class for a state.
pub(crate) fn state_class(state: CardState) -> &'static str {
    match state {
        CardState::Asking => "s-asking",
        CardState::Paused => "s-paused",
        CardState::Running => "s-running",
        CardState::Queued => "s-queued",
        CardState::Waiting => "s-waiting",
        CardState::Blocked => "s-blocked",
        CardState::Held => "s-held",
        CardState::Idle => "s-idle",
        CardState::Done => "s-done",
    }
}

/// Returns a state as a word with a dot.
pub(crate) fn pill(state: CardState) -> Markup {
    html! { span class={ "pill " (state_class(state)) } { (state_words(state)) } }
}

/// Returns a card. Where there are several repositories, it names its own.
pub(crate) fn card(card: &Card, now: Stamp, names_repo: bool) -> Markup {
    let repo = card.repo.split('/').next_back().filter(|_| names_repo);
    html! {
        li id=(card.issue) class={ "card " (state_class(card.state)) } {
            p.top {
                span.no { @if let Some(repo) = repo { (repo) } "#" (card.number) }
                span.pill { (state_words(card.state)) }
                (moment::age(now, card.since))
            }
            h3 { a href=(address(&card.issue)) { (card.title) } }
            @match &card.holder {
                Some(holder) => (holder_line(holder)),
                None => p.words { (card.words) },
            }
            (tags(card))
        }
    }
}

fn holder_line(holder: &Holder) -> Markup {
    html! {
        div.holder {
            p {
                b { (holder.name) }
                @if let Some(run) = holder.run { " " a href={ "/runs/" (run) } { "run " (run) } }
                (turns(holder.turns, holder.turns_max))
            }
            @if let (Some(turns), Some(max)) = (holder.turns, holder.turns_max) {
                progress value=(turns) max=(max) aria-label="turns" {}
            }
            @if let Some(line) = holder.last_line.as_deref().filter(|line| !line.is_empty()) {
                p.said title=(line) { (line) }
            }
        }
    }
}

/// Returns `12/50`.
pub(crate) fn turns(turns: Option<u64>, max: Option<u64>) -> Markup {
    html! {
        @if let Some(turns) = turns {
            span.turns title="turns" { (turns) @if let Some(max) = max { "/" (max) } }
        }
    }
}

fn tags(card: &Card) -> Markup {
    html! {
        @if !(card.badges.is_empty() && card.labels.is_empty() && card.pull.is_none()) {
            ul.tags {
                @for badge in &card.badges { (badge_tag(badge)) }
                @if let Some(pull) = card.pull { li.pr { "PR #" (pull) } }
                @for label in &card.labels { li { (label) } }
            }
        }
    }
}

fn badge_tag(badge: &Badge) -> Markup {
    let tone = match badge.kind {
        BadgeKind::Conflict | BadgeKind::Failed => "bad",
        BadgeKind::Question | BadgeKind::Approval | BadgeKind::Paused => "warn",
        BadgeKind::Review | BadgeKind::Checks | BadgeKind::Blocked | BadgeKind::Mode => "info",
    };
    html! { li class=(tone) { (badge.words) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_and_leads_nowhere() {
        assert_eq!(link("acme/web#4").into_string(), "<a href=\"/issues/acme/web/4\">acme/web#4</a>");
        assert_eq!(link("task:dev:nightly").into_string(), "task:dev:nightly");
    }
}
