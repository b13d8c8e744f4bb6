//! What happened to an issue, and what was said.

use baton_view::{CommentLine, EventKind, IssueView, Stamp, TimelineEvent, Tone};
use maud::{Markup, html};

use crate::pages::moment;
use crate::pages::prose::prose;

fn kind_words(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Wakeup => "wakeup",
        EventKind::Run => "run",
        EventKind::HandOver => "hand-over",
        EventKind::Effect => "effect",
        EventKind::Claim => "claim",
        EventKind::Gate => "gate",
    }
}

pub(super) fn timeline(view: &IssueView) -> Markup {
    let mut kinds: Vec<_> = view.timeline.iter().map(|event| event.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    html! {
        section #timeline data-live {
            h2 { "Timeline" }
            @if view.timeline.is_empty() { p.quiet { "Nothing has happened yet." } }
            @if kinds.len() > 1 {
                // A choice without a script: the sheet of styles hides what is not ticked.
                fieldset.kinds {
                    legend.sr-only { "Show" }
                    @for kind in &kinds {
                        @let words = kind_words(*kind);
                        label { input type="checkbox" id={ "show-" (words) } data-kind=(words) checked; " " (words) }
                    }
                }
            }
            ol.timeline { @for event in &view.timeline { (happened(event, view.now)) } }
        }
    }
}

fn happened(event: &TimelineEvent, now: Stamp) -> Markup {
    let tone = match event.tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    };
    html! {
        li class={ "event " (tone) " k-" (kind_words(event.kind)) } {
            span.kind { (kind_words(event.kind)) }
            div.grow {
                p {
                    @if tone == "bad" || tone == "warn" { b { @if tone == "bad" { "Wrong: " } @else { "Look: " } } }
                    (event.title)
                    @if let Some(run) = event.run { " " a href={ "/runs/" (run) } { "log" } }
                }
                @if let Some(detail) = &event.detail { p.quiet { (detail) } }
            }
            (moment::time(now, event.at))
        }
    }
}

pub(super) fn comments(view: &IssueView) -> Markup {
    html! {
        section #comments data-live {
            h2 { "Comments" }
            @if view.comments.is_empty() {
                p.quiet { "Nobody has said anything. Agents read what you write under " a href="#order-comment" { "Comment" } "." }
            }
            @for comment in &view.comments { (said(comment, view.now)) }
        }
    }
}

fn said(comment: &CommentLine, now: Stamp) -> Markup {
    html! {
        article.comment .bot[comment.is_bot] id={ "comment-" (comment.id) } {
            p.by {
                b { (comment.author) }
                @if comment.is_bot { span.quiet { "program" } }
                @if comment.is_on_pull { span.quiet { "on the pull request" } }
                @if comment.is_answered { span.quiet { "an agent has acted on it" } }
                (moment::time(now, comment.at))
            }
            div.prose { (prose(&comment.body)) }
        }
    }
}
