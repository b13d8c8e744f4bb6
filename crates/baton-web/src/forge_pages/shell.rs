//! What surrounds every page of the forge: the frame, the tabs of a repository, and pages that only say what went wrong.

use axum::Extension;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::client::ForgeError;
use super::notice::Done;
use super::place::{Place, query};
use crate::access::Visitor;
use crate::pages::assets;
use crate::pages::shell::{self, Asking, Sheet};

/// Whoever asks, where the checks have put that into the request.
pub(crate) type Guest = Option<Extension<Visitor>>;

/// What the forms of a page carry to prove that they come from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Csrf(String);

impl Csrf {
    pub(crate) fn of(guest: Guest) -> Self {
        Self(guest.map(|Extension(visitor)| visitor.csrf).unwrap_or_default())
    }

    pub(crate) fn field(&self) -> Markup {
        html! { input type="hidden" name="_csrf" value=(self.0); }
    }
}

/// The parts of a repository that have a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Issues,
    Pulls,
}

/// Shows a page.
pub(crate) fn page(status: StatusCode, title: &str, body: &Markup) -> Response {
    let main = html! {
        link rel="stylesheet" href=(assets::address("forge.css"));
        div class="forge" { (body) }
    };
    let sheet =
        Sheet { title: title.to_owned(), place: shell::Place::Forge, now: None, is_wide: false, main };
    // No script gives orders here, so none needs what proves that they come from this page; the forms carry it.
    let page = shell::frame(&sheet, &Asking::default(), true);
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
    page(status, title, &body)
}

/// Shows that there is no such page.
pub(crate) fn nowhere() -> Response {
    let body = html! {
        h1 { "Not found" }
        p { "There is no such repository, issue or pull request." }
        p { a href="/forge" { "All repositories" } }
    };
    page(StatusCode::NOT_FOUND, "Not found", &body)
}

/// Sends the visitor back to a page after an order was followed.
pub(crate) fn back(address: &str, done: Done) -> Response {
    let query = query(&[("done", Some(done.word))]);
    Redirect::to(&format!("{address}{query}#{}", done.spot.anchor())).into_response()
}
