//! The pull request of an issue: what is in the way of its merge.

use baton_view::{CheckLine, CheckState, IssueView, PullView, ReviewLine, Stamp, ThreadLine};
use maud::{Markup, html};

use crate::pages::moment;

pub(super) fn pull(view: &IssueView) -> Markup {
    html! {
        section #pull data-live hidden[view.pull.is_none()] {
            @if let Some(pull) = &view.pull { (shown(pull, view.now)) }
        }
    }
}

fn shown(pull: &PullView, now: Stamp) -> Markup {
    let sha: String = pull.head_sha.chars().take(8).collect();
    html! {
        h2 { "Pull request #" (pull.number) }
        p.under {
            span.pill { @if pull.is_draft { "draft" } @else { (pull.state) } }
            span { "Merge: " (pull.merging) }
            span.quiet { "by " (pull.author) ", " code title=(pull.head_sha) { (sha) } " pushed " (moment::time(now, pull.pushed_at)) }
            @if let Some(url) = &pull.url { a href=(url) rel="noreferrer" { "On the tracker" } }
        }
        div.pair {
            div { h3 { "Checks" } (checks(pull, now)) }
            div { h3 { "Reviews" } (reviews(&pull.reviews, now)) }
        }
        @if !pull.threads.is_empty() { h3 { "Threads" } (threads(&pull.threads)) }
    }
}

fn checks(pull: &PullView, now: Stamp) -> Markup {
    html! {
        @if !pull.has_checks {
            p.bad-words { "The checks could not be read; they are not taken for passed." }
        } @else if pull.checks.is_empty() {
            p.quiet { "None were reported." }
        } @else {
            ul.rows { @for line in &pull.checks { (check(line, now)) } }
        }
    }
}

fn check(line: &CheckLine, now: Stamp) -> Markup {
    let (class, words) = match line.state {
        CheckState::Passed => ("good", "passed"),
        CheckState::Failed => ("bad", "failed"),
        CheckState::Running => ("busy", "running"),
        CheckState::Missing => ("warn", "no answer"),
    };
    html! {
        li {
            span class={ "sign " (class) } { (words) }
            span.grow { b { (line.name) } @if line.is_required { span.quiet { " required" } } }
            span.quiet { (line.words) @if let Some(at) = line.at { " " (moment::time(now, at)) } }
        }
    }
}

fn reviews(lines: &[ReviewLine], now: Stamp) -> Markup {
    html! {
        @if lines.is_empty() { p.quiet { "Nobody was asked, and nobody has answered." } }
        @else {
            ul.rows {
                @for line in lines {
                    @let class = match line.state.as_str() { "approved" => "good", "changes_requested" => "bad", "requested" => "busy", _ => "plain" };
                    li {
                        span class={ "sign " (class) } { (line.state.replace('_', " ")) }
                        b.grow { (line.who) }
                        @if let Some(at) = line.at { span.quiet { (moment::time(now, at)) } }
                    }
                }
            }
        }
    }
}

fn threads(lines: &[ThreadLine]) -> Markup {
    html! {
        ul.rows {
            @for line in lines {
                li {
                    span class={ "sign " (if line.is_resolved { "good" } else { "warn" }) } { @if line.is_resolved { "settled" } @else { "open" } }
                    span.grow { (line.words) }
                    @if let Some(path) = &line.path { code { (path) } }
                }
            }
        }
    }
}
