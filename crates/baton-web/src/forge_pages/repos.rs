//! The repositories of the forge.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::client::{ForgeClient, ForgeError};
use super::parts::badge;
use super::place::Place;
use super::shell::{Guest, Reader, failure, nowhere, page};
use super::wire::Repository;

pub(crate) async fn show(State(client): State<ForgeClient>, guest: Guest) -> Response {
    let found: Result<Vec<Repository>, ForgeError> =
        client.get_all("/user/repos?sort=full_name", |page: Vec<Repository>| page).await;
    match found {
        Ok(repos) => page(&Reader::of(guest), StatusCode::OK, "Forge", &body(&repos)),
        Err(error) => failure(&error),
    }
}

/// A repository begins with its issues.
pub(crate) async fn enter(Path((owner, repo)): Path<(String, String)>) -> Response {
    match Place::new(&owner, &repo) {
        Some(place) => Redirect::to(&place.page("issues")).into_response(),
        None => nowhere(),
    }
}

fn body(repos: &[Repository]) -> Markup {
    html! {
        h1 { "Forge" }
        p class="quiet" { "Issues and pull requests of the embedded forge." }
        @if repos.is_empty() {
            div class="forge-empty" {
                p { "No repository is visible to you here." }
                p { "Make one with " code { "baton forge repo create OWNER/NAME" } ", and push to it." }
            }
        } @else {
            ul class="forge-list" {
                @for repo in repos { @if let Some(place) = Place::parse(&repo.full_name) { (row(repo, &place)) } }
            }
        }
    }
}

fn row(repo: &Repository, place: &Place) -> Markup {
    html! {
        li {
            div class="forge-line" {
                a class="forge-title" href=(place.page("issues")) { (repo.full_name) }
                @if repo.private { (badge("quiet", "private")) }
            }
            @if let Some(description) = repo.description.as_deref().filter(|text| !text.is_empty()) {
                p { (description) }
            }
            p class="quiet" {
                (repo.open_issues_count) " open · "
                a href=(place.page("issues")) { "Issues" } " · "
                a href=(place.page("pulls")) { "Pull requests" }
            }
        }
    }
}
