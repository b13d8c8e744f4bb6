//! What surrounds every page of the forge: the frame, the tabs of a repository, and pages that only say what went wrong.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::Extension;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{Html, IntoResponse, Redirect, Response};
use baton_view::Stamp;
use maud::{Markup, html};

use super::client::ForgeError;
use super::notice::Done;
use super::place::{Place, query};
use crate::access::Visitor;
use crate::pages::shell::{self, Asking, Sheet};
use crate::pages::{assets, moment};

/// Whoever asks, where the checks have put that into the request.
pub(crate) type Guest = Option<Extension<Visitor>>;

/// Who reads a page, and when.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    asking: Asking,
    now: Stamp,
}

impl Reader {
    pub(crate) fn of(guest: Guest) -> Self {
        let asking = guest.map(|Extension(visitor)| Asking::of(&visitor)).unwrap_or_default();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { asking, now: Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)) }
    }

    /// What the forms of a page carry to prove that they come from it.
    pub(crate) fn field(&self) -> Markup {
        html! { input type="hidden" name="_csrf" value=(self.asking.csrf); }
    }

    /// Shows a moment as seen from now, with the exact one on hover. What is no moment is shown as it is.
    pub(crate) fn moment(&self, time: &str) -> Markup {
        match time.parse() {
            Ok(at) => moment::time(self.now, at),
            Err(_) => html! { (time) },
        }
    }
}

/// The parts of a repository that have a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Issues,
    Pulls,
}

/// Shows a page.
pub(crate) fn page(reader: &Reader, status: StatusCode, title: &str, body: &Markup) -> Response {
    let (place, now) = (shell::Place::Forge, Some(reader.now));
    let sheet = Sheet { title: title.to_owned(), place, now, is_wide: false, main: main(body) };
    framed(status, &sheet, &reader.asking)
}

/// Shows a page that says only why there is nothing else, whoever reads it.
pub(crate) fn bare(status: StatusCode, title: &str, body: &Markup) -> Response {
    let place = shell::Place::Forge;
    let sheet = Sheet { title: title.to_owned(), place, now: None, is_wide: false, main: main(body) };
    framed(status, &sheet, &Asking::default())
}

fn main(body: &Markup) -> Markup {
    html! {
        link rel="stylesheet" href=(assets::address("forge.css"));
        div class="forge" { (body) }
    }
}

fn framed(status: StatusCode, sheet: &Sheet, asking: &Asking) -> Response {
    let page = shell::frame(sheet, asking, true);
    (status, [(CACHE_CONTROL, "no-store")], Html(page.into_string())).into_response()
}

/// The name of the repository, and its tabs.
pub(crate) fn heading(place: &Place, tab: Tab) -> Markup {
    let current = |of: Tab| (of == tab).then_some("page");
    html! {
        nav class="forge-path" aria-label="Where you are" {
            a href="/forge" { "Forge" } " / " a href=(place.page("issues")) { (place) }
        }
        nav class="forge-tabs" aria-label="Repository" {
            a href=(place.page("issues")) aria-current=[current(Tab::Issues)] { "Issues" }
            a href=(place.page("pulls")) aria-current=[current(Tab::Pulls)] { "Pull requests" }
        }
    }
}

/// Shows that a page could not be read, with what the forge said.
pub(crate) fn failure(error: &ForgeError) -> Response {
    let status = error.status();
    let title =
        if status == StatusCode::NOT_FOUND { "Not found" } else { "The forge did not answer as it should" };
    let body = html! {
        h1 { (title) }
        div class="result bad" role="alert" {
            p { (error) }
            p class="quiet" { (error.detail()) "." }
        }
        p { a href="/forge" { "All repositories" } }
    };
    bare(status, title, &body)
}

/// Shows that there is no such page.
pub(crate) fn nowhere() -> Response {
    let body = html! {
        h1 { "Not found" }
        p { "There is no such repository, issue or pull request." }
        p { a href="/forge" { "All repositories" } }
    };
    bare(StatusCode::NOT_FOUND, "Not found", &body)
}

/// Sends the visitor back to a page after an order was followed.
pub(crate) fn back(address: &str, done: Done) -> Response {
    let query = query(&[("done", Some(done.word))]);
    Redirect::to(&format!("{address}{query}#{}", done.spot.anchor())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_from_now_with_the_exact_one_on_hover() {
        let now = "2026-05-01T12:00:00Z".parse().unwrap();
        let reader = Reader { asking: Asking::default(), now };
        let shown = reader.moment("2026-05-01T11:56:00Z").into_string();
        assert!(shown.contains("title=\"2026-05-01 11:56:00 UTC\">4m ago<"), "{shown}");
        assert_eq!(reader.moment("<long ago>").into_string(), "&lt;long ago&gt;");
    }
}
