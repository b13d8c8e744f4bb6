//! What all pages have in common: the head, the way around, and how a failure is shown.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use baton_view::{Lookout, LookoutError, Stamp};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::access::Visitor;
use crate::dashboard::Site;
use crate::pages::assets;

/// No styles of its own and nothing evaluated, so that the strictest policy can stand; answers that are refusals are shown too.
const HTMX_SETTINGS: &str = r#"{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}"#;

/// Why a part could not be read is shown in place of the whole page: the part is not in it, and would be replaced by nothing.
const INSTEAD: [(&str, &str); 3] =
    [("HX-Retarget", "#main"), ("HX-Reselect", "#main"), ("HX-Reswap", "outerHTML")];

/// Where on the way around a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Board,
    Runs,
    Fleet,
    Reports,
    /// Pages of the embedded forge.
    Forge,
    Nowhere,
}

/// Who asks, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asking {
    /// What orders are given in the name of.
    pub(crate) name: String,
    /// What forms carry.
    pub(crate) csrf: String,
    /// Whether a script asks, that wants only a part.
    pub(crate) wants_part: bool,
    /// Whether they are logged in, and may want to log out.
    pub(crate) has_session: bool,
}

impl<S: Sync> FromRequestParts<S> for Asking {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let wants_part = parts.headers.contains_key("HX-Request");
        let asking = parts.extensions.get::<Visitor>().map(Self::of).unwrap_or_default();
        Ok(Self { wants_part, ..asking })
    }
}

impl Asking {
    /// Returns that a visitor asks for a whole page.
    pub(crate) fn of(visitor: &Visitor) -> Self {
        let Visitor { name, csrf, has_session } = visitor.clone();
        Self { name, csrf, has_session, wants_part: false }
    }
}

/// A page without its frame.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) title: String,
    pub(crate) place: Place,
    /// When what it shows was looked at.
    pub(crate) now: Option<Stamp>,
    /// Whether it takes the whole width.
    pub(crate) is_wide: bool,
    pub(crate) main: Markup,
}

/// Returns a page, or why there is none.
pub(crate) fn answer<L: Lookout>(
    site: &Site<L>,
    asking: &Asking,
    sheet: Result<Sheet, LookoutError>,
) -> Response {
    let (status, sheet) = match sheet {
        Ok(sheet) => (StatusCode::OK, sheet),
        Err(error) => (status_of(&error), trouble(&error)),
    };
    let page = frame(&sheet, asking, site.forge.is_some());
    let page = (status, [(header::CACHE_CONTROL, "no-store")], Html(page.into_string())).into_response();
    match asking.wants_part && status != StatusCode::OK {
        true => (INSTEAD, page).into_response(),
        false => page,
    }
}

/// Returns a part of a page.
pub(crate) fn part(markup: Markup) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Html(markup.into_string())).into_response()
}

/// Returns what the address asks for behind its question mark.
pub(crate) fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, LookoutError> {
    let refused = |error| LookoutError::Refused(format!("the address could not be read: {error}"));
    query.map(|Query(asked)| asked).map_err(refused)
}

/// Returns the status that tells programs what kind of failure it is.
pub(crate) fn status_of(error: &LookoutError) -> StatusCode {
    match error {
        LookoutError::NoSuch(_) => StatusCode::NOT_FOUND,
        LookoutError::OutOfReach(_) => StatusCode::SERVICE_UNAVAILABLE,
        LookoutError::Refused(_) => StatusCode::BAD_REQUEST,
    }
}

/// Puts the frame around a page.
pub(crate) fn frame(sheet: &Sheet, asking: &Asking, has_forge: bool) -> Markup {
    let now = sheet.now.map(|now| now.to_string());
    html! {
        (DOCTYPE)
        html lang="en" data-now=[now] {
            (head(&sheet.title, true))
            body hx-headers=(token_header(&asking.csrf)) {
                a.skip href="#main" { "Skip to the content" }
                (banner(sheet.place, has_forge, asking))
                main #main tabindex="-1" .wide[sheet.is_wide] { (sheet.main) }
                p #news .sr-only role="status" aria-live="polite" {}
            }
        }
    }
}

/// Returns a page for whoever is not let in yet: no way around, and nothing that is kept up.
pub(crate) fn outside(title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, false))
            body {
                header.banner { span.brand { (mark()) span { "Baton" } } }
                main #main tabindex="-1" { (main) }
            }
        }
    }
}

fn head(title: &str, has_scripts: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Baton" }
            link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
            link rel="stylesheet" href=(assets::address("baton.css"));
            @if has_scripts {
                meta name="htmx-config" content=(HTMX_SETTINGS);
                script src=(assets::address("htmx.min.js")) defer {}
                script src=(assets::address("app.js")) defer {}
            }
        }
    }
}

fn token_header(csrf: &str) -> String {
    serde_json::json!({ "X-CSRF-Token": csrf }).to_string()
}

fn banner(place: Place, has_forge: bool, asking: &Asking) -> Markup {
    let mut ways = vec![
        (Place::Board, "/", "Board"),
        (Place::Runs, "/runs", "Runs"),
        (Place::Fleet, "/fleet", "Fleet"),
        (Place::Reports, "/reports", "Reports"),
    ];
    if has_forge {
        ways.push((Place::Forge, "/forge", "Issues & pulls"));
    }
    html! {
        header.banner {
            a.brand href="/" { (mark()) span { "Baton" } }
            nav aria-label="Main" {
                ul {
                    @for (way, address, words) in ways {
                        li { a href=(address) aria-current=[(way == place).then_some("page")] { (words) } }
                    }
                }
            }
            p #link .link { span.dot aria-hidden="true" {} span.words { "not live" } }
            @if asking.has_session {
                form.leave method="post" action="/logout" {
                    input type="hidden" name="_csrf" value=(asking.csrf);
                    button { "Log out" }
                }
            }
        }
    }
}

/// A baton on its way.
fn mark() -> Markup {
    PreEscaped(
        r#"<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><rect x="4" y="9.5" width="18" height="5" rx="2.5" transform="rotate(-35 12 12)"/><path d="M2 19.5h6M2 15.5h3.5"/></svg>"#
            .to_owned(),
    )
}

/// Returns the page that says why there is no page, and what to do.
fn trouble(error: &LookoutError) -> Sheet {
    let (title, advice) = match error {
        LookoutError::NoSuch(_) => (
            "Not found",
            html! {
                "It may have moved, or left the board. " a href="/" { "Look at the board" } ", or ask "
                code { "baton explain OWNER/REPO#42" } " why an issue is not on it."
            },
        ),
        LookoutError::OutOfReach(_) => (
            "Out of reach",
            html! {
                "Nothing is shown, because what cannot be read is not the same as nothing. Load this page again in a moment; "
                "if it stays like this, " code { "baton doctor" } " says which part does not answer."
            },
        ),
        LookoutError::Refused(_) => (
            "That cannot be asked for",
            html! {
                "Change the address or go " a href="/" { "back to the board" } "."
            },
        ),
    };
    Sheet {
        title: title.to_owned(),
        place: Place::Nowhere,
        now: None,
        is_wide: false,
        main: html! {
            section.trouble {
                h1 { (title) }
                p.lead { (error) }
                p { (advice) }
            }
        },
    }
}
