//! A readable log: what the agent said is in sight, what tools were given and answered is folded.

use baton_view::{LogEntry, LogKind, LogPage, RunView};
use maud::{Markup, html};

use crate::pages::prose::prose;

/// How much of a folded text is shown beside its name.
const GLIMPSE_CHARS: usize = 100;

/// Returns a log from its beginning, or from where it was asked for.
pub(crate) fn whole(page: &LogPage) -> Markup {
    html! {
        ol #log .log {
            @if page.entries.is_empty() && page.is_over { li.quiet { "Nothing was printed." } }
            (part(page))
        }
    }
}

/// Returns why there is no log here.
pub(crate) fn elsewhere(view: &RunView) -> Markup {
    html! { p.quiet { (view.log_elsewhere.as_deref().unwrap_or("There is no log of this run.")) } }
}

/// Returns entries, and what asks for those that follow.
pub(crate) fn part(page: &LogPage) -> Markup {
    let is_end = page.is_over && page.entries.is_empty();
    // A log that is over comes as fast as it can be read; one that grows is asked for each second.
    let pace = if page.is_over { "load delay:20ms, every 2s" } else { "every 1s" };
    html! {
        @for entry in &page.entries { (self::entry(entry)) }
        @if is_end { li.end { "The end of the log." } } @else {
            li.more hx-get={ "/runs/" (page.run) "/log?from=" (page.next) } hx-trigger=(pace) hx-swap="outerHTML" {
                a href={ "/runs/" (page.run) "?from=" (page.next) } { "What follows" }
            }
        }
    }
}

fn entry(entry: &LogEntry) -> Markup {
    let id = format!("at-{}", entry.at);
    match entry.kind {
        LogKind::Said => {
            html! { li.said id=(id) { p.who { (entry.head) } div.prose { (prose(&entry.text)) } (cut(entry)) } }
        }
        LogKind::Session => html! { li.session id=(id) { "Session " code { (entry.text) } } },
        LogKind::Trouble => {
            html! { li.trouble id=(id) { p.who { "Trouble: " (entry.head) } pre { (entry.text) } (cut(entry)) } }
        }
        LogKind::End => {
            html! { li.result id=(id) { p.who { "Result: " (entry.head) } div.prose { (prose(&entry.text)) } (cut(entry)) } }
        }
        LogKind::Line => html! { li.line id=(id) { pre { (entry.text) } (cut(entry)) } },
        LogKind::Tool => folded(entry, &id, "tool", "uses"),
        LogKind::Answer => folded(entry, &id, "answer", "answers"),
        LogKind::Thought => folded(entry, &id, "thought", "thinks"),
    }
}

fn folded(entry: &LogEntry, id: &str, class: &str, verb: &str) -> Markup {
    let glimpse: String = entry.text.lines().next().unwrap_or("").chars().take(GLIMPSE_CHARS).collect();
    html! {
        li class=(class) id=(id) {
            details {
                summary { span.verb { (verb) } b { (entry.head) } " " code { (glimpse) } }
                pre tabindex="0" { (entry.text) }
                (cut(entry))
            }
        }
    }
}

fn cut(entry: &LogEntry) -> Markup {
    html! { @if entry.is_cut { p.quiet { "The rest was too long to be shown here." } } }
}
