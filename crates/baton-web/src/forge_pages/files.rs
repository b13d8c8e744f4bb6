//! What a pull request changes, line by line, with its threads beneath the lines they are about.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::client::{ForgeClient, ForgeError};
use super::diff_table::{Table, show_file};
use super::fields::Fields;
use super::issue::unknown_order;
use super::notice::{Notice, Spot};
use super::place::Place;
use super::pull_parts::{Side, head};
use super::shell::{Guest, Reader, back, failure, nowhere, page};
use super::wire::{ChangedFile, Pull, Thread};
use super::{pull_orders, threads};

/// So many lines are shown on one page; more would be slow to draw, and nobody reads them.
const LINES_MAX: usize = 3000;

/// What an address remembers or asks for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wish {
    done: Option<String>,
    path: Option<String>,
    side: Option<String>,
    line: Option<u64>,
}

/// The line that a comment is being written about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spotted {
    pub(crate) path: String,
    pub(crate) side: String,
    pub(crate) line: u64,
}

impl Wish {
    fn spotted(self) -> Option<Spotted> {
        Some(Spotted { path: self.path?, side: self.side?, line: self.line? })
    }
}

fn typed_spot(fields: &Fields) -> Option<Spotted> {
    let line = fields.get("line").parse().ok()?;
    Some(Spotted { path: fields.get("path").to_owned(), side: fields.get("side").to_owned(), line })
}

pub(crate) async fn show(
    State(client): State<ForgeClient>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    Query(wish): Query<Wish>,
    guest: Guest,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let notice = Notice::remembered(wish.done.as_deref());
    let page =
        Page { place: &place, number, reader: &Reader::of(guest), notice: &notice, spotted: wish.spotted() };
    page.render(&client, StatusCode::OK).await
}

pub(crate) async fn order(
    State(client): State<ForgeClient>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    guest: Guest,
    Form(fields): Form<Fields>,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let known = pull_orders::meant(&fields).filter(|(spot, _)| [Spot::Line, Spot::Threads].contains(spot));
    let Some((spot, done)) = known else { return unknown_order(&fields) };
    match pull_orders::give(&client, &place, number, &fields).await {
        Ok(()) => back(&place.page(format_args!("pulls/{number}/files")), done),
        Err(error) => {
            let spotted = typed_spot(&fields);
            let notice = Notice::refused(spot, &error, fields);
            let page = Page { place: &place, number, reader: &Reader::of(guest), notice: &notice, spotted };
            page.render(&client, error.status()).await
        }
    }
}

struct Page<'a> {
    place: &'a Place,
    number: u64,
    reader: &'a Reader,
    notice: &'a Notice,
    spotted: Option<Spotted>,
}

impl Page<'_> {
    async fn render(&self, client: &ForgeClient, status: StatusCode) -> Response {
        match self.read(client).await {
            Ok((pull, files, threads)) => {
                let title = format!("Files of {} · #{} · {}", pull.title, self.number, self.place);
                page(self.reader, status, &title, &self.body(&pull, &files, &threads))
            }
            Err(error) => failure(&error),
        }
    }

    async fn read(&self, client: &ForgeClient) -> Result<(Pull, Vec<ChangedFile>, Vec<Thread>), ForgeError> {
        let path = self.place.api(format_args!("pulls/{}", self.number));
        let files = format!("{path}/files");
        tokio::try_join!(
            client.get(&path),
            client.get_all(&files, |page: Vec<ChangedFile>| page),
            threads::read(client, self.place, self.number),
        )
    }

    fn body(&self, pull: &Pull, files: &[ChangedFile], threads: &[Thread]) -> Markup {
        let mut table = Table {
            address: &self.place.page(format_args!("pulls/{}/files", self.number)),
            head_sha: &pull.head.sha,
            reader: self.reader,
            notice: self.notice,
            spotted: self.spotted.as_ref(),
            lines_left: LINES_MAX,
        };
        html! {
            (head(self.place, pull, Side::Files))
            p class="quiet" {
                (pull.changed_files) " changed files, " (pull.additions) " lines added, " (pull.deletions) " deleted. "
                "Choose a line's number to comment on it."
            }
            div id="threads" { (self.notice.at(Spot::Threads)) }
            @if files.is_empty() { div class="forge-empty" { p { "Nothing is changed." } } }
            @for file in files { (show_file(&mut table, file, threads)) }
            @if u64::try_from(files.len()).is_ok_and(|shown| shown < pull.changed_files) {
                p class="result warn" { "Only the first " (files.len()) " files are shown." }
            }
        }
    }
}
