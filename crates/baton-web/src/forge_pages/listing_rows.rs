//! How the lists of issues and of pull requests look.

use maud::{Markup, html};

use super::listing::Wish;
use super::parts::{badge, known_labels, label, person};
use super::place::{Place, query};
use super::shell::{Reader, Tab, heading};
use super::wire::{Connection, Label, Listed};

pub(crate) fn body(
    reader: &Reader,
    place: &Place,
    tab: Tab,
    wish: &Wish,
    found: &Connection<Listed>,
    labels: &[Label],
) -> Markup {
    let address = place.page(if tab == Tab::Issues { "issues" } else { "pulls" });
    html! {
        (heading(place, tab))
        div class="forge-head" {
            h1 { @if tab == Tab::Issues { "Issues" } @else { "Pull requests" } }
            @if tab == Tab::Issues { a class="forge-button main" href=(place.page("issues/new")) { "New issue" } }
        }
        (filters(&address, wish, labels))
        p class="quiet" { (total(found.total_count.unwrap_or(0), tab, wish)) }
        @if found.nodes.is_empty() { (empty(place, tab, wish)) }
        @else { ul class="forge-list" { @for one in &found.nodes { (row(reader, place, tab, one)) } } }
        (pager(&address, wish, found))
    }
}

fn filters(address: &str, wish: &Wish, labels: &[Label]) -> Markup {
    let choice = |state: &'static str| {
        let query = query(&[("state", Some(state)), ("label", wish.label())]);
        let current = (wish.state() == state).then_some("true");
        html! { a href={ (address) (query) } aria-current=[current] { (state) } }
    };
    html! {
        div class="forge-filters" {
            nav class="forge-states" aria-label="State" { (choice("open")) (choice("closed")) (choice("all")) }
            form method="get" action=(address) class="forge-row" {
                input type="hidden" name="state" value=(wish.state());
                label for="filter-label" { "Label" }
                input id="filter-label" name="label" list="known-labels" value=(wish.label().unwrap_or(""));
                (known_labels(labels))
                button { "Filter" }
                @if wish.label().is_some() {
                    a href={ (address) (query(&[("state", Some(wish.state()))])) } { "Any label" }
                }
            }
        }
    }
}

fn total(count: u64, tab: Tab, wish: &Wish) -> String {
    let noun = match (tab, count) {
        (Tab::Issues, 1) => "issue",
        (Tab::Issues, _) => "issues",
        (Tab::Pulls, 1) => "pull request",
        (Tab::Pulls, _) => "pull requests",
    };
    let state = if wish.state() == "all" { String::new() } else { format!("{} ", wish.state()) };
    let label = wish.label().map(|label| format!(" with the label {label}")).unwrap_or_default();
    format!("{count} {state}{noun}{label}")
}

fn empty(place: &Place, tab: Tab, wish: &Wish) -> Markup {
    html! {
        div class="forge-empty" {
            @match tab {
                Tab::Issues => {
                    p { "Nothing here." }
                    p { a href=(place.page("issues/new")) { "Open an issue" } @if wish.label().is_some() { ", or look without the label" } "." }
                }
                Tab::Pulls => {
                    p { "Nothing here." }
                    p { "A pull request appears when an agent, or somebody with a clone, has pushed a branch and opened one." }
                }
            }
        }
    }
}

fn row(reader: &Reader, place: &Place, tab: Tab, one: &Listed) -> Markup {
    let address = match tab {
        Tab::Issues => place.page(format_args!("issues/{}", one.number)),
        Tab::Pulls => place.page(format_args!("pulls/{}", one.number)),
    };
    let (kind, word) = state(one);
    html! {
        li {
            div class="forge-line" {
                (badge(kind, word))
                a class="forge-title" href=(address) { (one.title) }
                @for one in one.labels.iter().flat_map(|labels| &labels.nodes) { (label(one)) }
            }
            p class="quiet" {
                "#" (one.number) " by " (person(one.author.as_ref())) ", " (reader.moment(&one.created_at))
                @if let Some(branch) = &one.head_ref_name { " · " code { (branch) } }
                @if let Some(words) = one.review_decision.as_deref().and_then(decision) { " · " (words) }
                @if let Some(count) = one.comments.total_count.filter(|count| *count > 0) {
                    " · " (count) @if count == 1 { " comment" } @else { " comments" }
                }
            }
        }
    }
}

fn state(one: &Listed) -> (&'static str, &'static str) {
    match (one.state.as_str(), one.is_draft) {
        ("OPEN", Some(true)) => ("quiet", "draft"),
        ("OPEN", _) => ("good", "open"),
        ("MERGED", _) => ("forge-violet", "merged"),
        (_, None) => ("forge-violet", "closed"),
        _ => ("bad", "closed"),
    }
}

fn decision(decision: &str) -> Option<&'static str> {
    match decision {
        "APPROVED" => Some("approved"),
        "CHANGES_REQUESTED" => Some("changes requested"),
        "REVIEW_REQUIRED" => Some("review required"),
        _ => None,
    }
}

fn pager(address: &str, wish: &Wish, found: &Connection<Listed>) -> Markup {
    let Some(info) = &found.page_info else { return html! {} };
    let link = |name: &str, cursor: &Option<String>| {
        let pairs = [("state", Some(wish.state())), ("label", wish.label()), (name, cursor.as_deref())];
        format!("{address}{}", query(&pairs))
    };
    html! {
        @if info.has_previous_page || info.has_next_page {
            nav class="forge-pager" aria-label="Pages" {
                @if info.has_previous_page { a class="forge-button" rel="prev" href=(link("before", &info.start_cursor)) { "← Newer" } }
                @if info.has_next_page { a class="forge-button" rel="next" href=(link("after", &info.end_cursor)) { "Older →" } }
            }
        }
    }
}
