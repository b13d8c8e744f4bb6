//! Small pieces that several pages show: people, moments, labels, texts, comments.

use maud::{Markup, html};

use super::notice::{Notice, Spot};
use super::shell::Reader;
use super::wire::{Account, Label};
use crate::pages::prose as markdown;

/// GitHub shows whoever has left as `ghost`.
pub(crate) fn person(account: Option<&Account>) -> &str {
    account.map_or("ghost", |account| account.login.as_str())
}

/// Shows a label with a spot in its colour. An attribute of a drawing is no inline style, which the page forbids.
pub(crate) fn label(label: &Label) -> Markup {
    let fits = label.color.len() == 6 && label.color.bytes().all(|byte| byte.is_ascii_hexdigit());
    let colour = if fits { label.color.as_str() } else { "888888" };
    html! {
        span class="forge-label" title=[label.description.as_deref()] {
            svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" {
                circle cx="5" cy="5" r="4.5" fill={ "#" (colour) } {}
            }
            (label.name)
        }
    }
}

/// Shows what somebody wrote.
pub(crate) fn prose(text: Option<&str>) -> Markup {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => html! { div class="prose" { (markdown::prose(text)) } },
        None => html! { p class="quiet" { "Nothing was written." } },
    }
}

/// Shows what somebody wrote, with who and when.
pub(crate) fn said(
    reader: &Reader,
    id: &str,
    who: Option<&Account>,
    what: &str,
    when: &str,
    text: Option<&str>,
) -> Markup {
    html! {
        article class="forge-said" id=(id) {
            header { strong { (person(who)) } " " (what) " " (reader.moment(when)) }
            (prose(text))
        }
    }
}

/// The colour and the word of a state, as a badge.
pub(crate) fn badge(kind: &str, word: &str) -> Markup {
    html! { span class={ "pill " (kind) } { (word) } }
}

/// The form for a comment.
pub(crate) fn comment_form(reader: &Reader, notice: &Notice) -> Markup {
    html! {
        form method="post" class="forge-form" id="comment" {
            (reader.field())
            (notice.at(Spot::Comment))
            label for="comment-body" { "Comment" }
            textarea id="comment-body" name="comment" rows="4" required { (notice.typed.text("comment")) }
            button name="order" value="comment" { "Comment" }
        }
    }
}

/// The labels of an issue or pull request, each with a way to take it off, and a way to put one on.
pub(crate) fn label_box(reader: &Reader, notice: &Notice, on: &[Label], known: &[Label]) -> Markup {
    html! {
        section class="forge-box" id="labels" aria-labelledby="labels-title" {
            h2 id="labels-title" { "Labels" }
            (notice.at(Spot::Labels))
            @if on.is_empty() { p class="quiet" { "None yet." } }
            ul class="forge-labels" {
                @for one in on {
                    li {
                        (label(one))
                        form method="post" {
                            (reader.field())
                            input type="hidden" name="label" value=(one.name);
                            button class="forge-small" name="order" value="unlabel" aria-label={ "Remove label " (one.name) } { "×" }
                        }
                    }
                }
            }
            form method="post" class="forge-row" {
                (reader.field())
                label for="label-name" class="sr-only" { "Label to add" }
                input id="label-name" name="label" list="known-labels" required autocomplete="off" placeholder="Label"
                    value=(notice.typed.get("label"));
                (known_labels(known))
                button name="order" value="label" { "Add" }
            }
        }
    }
}

/// The names that a browser offers while a label is typed.
pub(crate) fn known_labels(known: &[Label]) -> Markup {
    html! {
        datalist id="known-labels" { @for one in known { option value=(one.name) {} } }
    }
}

/// Closes what is open, and opens what is closed.
pub(crate) fn state_form(reader: &Reader, notice: &Notice, is_open: bool, noun: &str) -> Markup {
    let (order, word) = if is_open { ("close", "Close") } else { ("reopen", "Reopen") };
    html! {
        form method="post" id="state" class="forge-row" {
            (reader.field())
            (notice.at(Spot::State))
            button name="order" value=(order) { (word) " " (noun) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_that_is_none_does_not_reach_the_page() {
        let named =
            |color: &str| Label { name: "<b>".to_owned(), color: color.to_owned(), description: None };
        let shown = label(&named("d73a4a")).into_string();
        assert!(shown.contains("fill=\"#d73a4a\"") && shown.contains("&lt;b&gt;"), "{shown}");
        assert!(label(&named("\"x")).into_string().contains("fill=\"#888888\""));
    }
}
