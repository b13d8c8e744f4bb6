//! The parts of the page of a pull request: its head, its commits, its checks, its conversation, the form for a review.

use maud::{Markup, html};

use super::issue::remark;
use super::merge_box::short;
use super::notice::{Notice, Spot};
use super::parts::{badge, person, prose, said};
use super::place::Place;
use super::pull_reading::Reading;
use super::shell::{Reader, Tab, heading};
use super::wire::{CheckRun, Commit, Pull, Review, Status};

/// The pages of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Conversation,
    Files,
}

/// The title, the state and the tabs of a pull request.
pub(crate) fn head(place: &Place, pull: &Pull, side: Side) -> Markup {
    let current = |of: Side| (of == side).then_some("page");
    let (kind, word) = state(pull);
    html! {
        (heading(place, Tab::Pulls))
        h1 { (pull.title) " " span class="forge-number" { "#" (pull.number) } }
        p {
            (badge(kind, word)) " " (person(pull.user.as_ref())) " wants to merge "
            code { (pull.head.name) } " into " code { (pull.base.name) }
        }
        nav class="forge-tabs" aria-label="Pull request" {
            a href=(place.page(format_args!("pulls/{}", pull.number))) aria-current=[current(Side::Conversation)] {
                "Conversation"
            }
            a href=(place.page(format_args!("pulls/{}/files", pull.number))) aria-current=[current(Side::Files)] {
                "Files (" (pull.changed_files) ")"
            }
        }
    }
}

fn state(pull: &Pull) -> (&'static str, &'static str) {
    match (pull.merged, pull.state.as_str(), pull.draft) {
        (true, ..) => ("forge-violet", "merged"),
        (_, "open", Some(true)) => ("quiet", "draft"),
        (_, "open", _) => ("good", "open"),
        _ => ("bad", "closed"),
    }
}

pub(crate) fn commits(reader: &Reader, pull: &Pull, commits: &[Commit]) -> Markup {
    html! {
        section class="forge-box" aria-labelledby="commits-title" {
            h2 id="commits-title" { "Commits (" (pull.commits) ")" }
            ul class="forge-commits" {
                @for commit in commits { (commit_row(reader, commit)) }
            }
            @if u64::try_from(commits.len()).is_ok_and(|shown| shown < pull.commits) {
                p class="quiet" { "Only the first " (commits.len()) " are shown." }
            }
        }
    }
}

fn commit_row(reader: &Reader, commit: &Commit) -> Markup {
    let signature = commit.commit.author.as_ref();
    let name = signature.and_then(|signature| signature.name.as_deref());
    let who = commit.author.as_ref().map(|author| author.login.as_str()).or(name).unwrap_or("somebody");
    html! {
        li {
            code { (short(&commit.sha)) } " "
            span { (commit.commit.message.lines().next().unwrap_or("")) } " "
            span class="quiet" {
                (who) @if let Some(date) = signature.and_then(|signature| signature.date.as_deref()) { ", " (reader.moment(date)) }
            }
        }
    }
}

pub(crate) fn checks(checks: &[CheckRun], statuses: &[Status]) -> Markup {
    html! {
        section class="forge-box" id="checks" aria-labelledby="checks-title" {
            h2 id="checks-title" { "Checks" }
            @if checks.is_empty() && statuses.is_empty() {
                p class="quiet" { "No check has reported on the newest commit." }
            }
            ul class="forge-checks" {
                @for check in checks { (check_row(check)) }
                @for status in statuses {
                    li {
                        (verdict(&status.state)) " " strong { (status.context) }
                        @if let Some(text) = status.description.as_deref().filter(|text| !text.is_empty()) { " " span class="quiet" { (text) } }
                    }
                }
            }
        }
    }
}

fn check_row(check: &CheckRun) -> Markup {
    let word = check.conclusion.as_deref().unwrap_or(&check.status);
    let title = check.output.as_ref().and_then(|output| output.title.as_deref());
    let summary = check.output.as_ref().and_then(|output| output.summary.as_deref());
    html! {
        li {
            (verdict(word)) " " strong { (check.name) }
            @if let Some(title) = title { " " span class="quiet" { (title) } }
            @if let Some(summary) = summary.map(str::trim).filter(|text| !text.is_empty()) {
                details { summary { "What it said" } (prose(Some(summary))) }
            }
        }
    }
}

fn verdict(word: &str) -> Markup {
    let kind = match word {
        "success" => "good",
        "neutral" | "skipped" | "queued" | "in_progress" | "pending" | "waiting" | "requested" => "quiet",
        _ => "bad",
    };
    badge(kind, &word.replace('_', " "))
}

/// What was said, oldest first.
pub(crate) fn conversation(reader: &Reader, reading: &Reading) -> Markup {
    let Reading { pull, comments, reviews, .. } = reading;
    let comments = comments.iter().map(|comment| (comment.created_at.as_str(), remark(reader, comment)));
    let reviews = reviews.iter().filter(|review| is_told(review));
    let reviews =
        reviews.map(|review| (review.submitted_at.as_deref().unwrap_or(""), verdict_of(reader, review)));
    let mut told: Vec<_> = comments.chain(reviews).collect();
    // All times have the same form, so that their order is that of their texts.
    told.sort_by_key(|(time, _)| *time);
    html! {
        (said(reader, "description", pull.user.as_ref(), "opened this", &pull.created_at, pull.body.as_deref()))
        @for (_, one) in &told { (one) }
    }
}

/// A review that only carries comments on lines is told by its threads.
fn is_told(review: &Review) -> bool {
    let has_words = review.body.as_deref().is_some_and(|body| !body.trim().is_empty());
    review.state != "PENDING" && (has_words || review.state != "COMMENTED")
}

fn verdict_of(reader: &Reader, review: &Review) -> Markup {
    let (kind, word) = match review.state.as_str() {
        "APPROVED" => ("good", "approved"),
        "CHANGES_REQUESTED" => ("bad", "requested changes"),
        "DISMISSED" => ("quiet", "review dismissed"),
        _ => ("quiet", "reviewed"),
    };
    html! {
        article class="forge-said" id={ "review-" (review.id) } {
            header {
                strong { (person(review.user.as_ref())) } " " (badge(kind, word)) " "
                @if let Some(commit) = &review.commit_id { "at " code { (short(commit)) } " " }
                @if let Some(time) = &review.submitted_at { (reader.moment(time)) }
            }
            @if let Some(body) = review.body.as_deref().map(str::trim).filter(|body| !body.is_empty()) {
                (prose(Some(body)))
            }
        }
    }
}

/// Who was asked for a review and has not given one.
pub(crate) fn awaited(pull: &Pull) -> Markup {
    let awaited = pull.requested_reviewers.as_deref().unwrap_or_default();
    html! {
        @if !awaited.is_empty() {
            section class="forge-box" aria-labelledby="awaited-title" {
                h2 id="awaited-title" { "Awaited reviews" }
                ul { @for account in awaited { li { (account.login) } } }
            }
        }
    }
}

/// The form for a review.
pub(crate) fn review_form(reader: &Reader, notice: &Notice, pull: &Pull) -> Markup {
    let chosen = match notice.typed.get("event") {
        "" => "COMMENT",
        event => event,
    };
    let choices = [
        ("COMMENT", "Comment", "Say something without a verdict."),
        ("APPROVE", "Approve", "It may be merged as it is."),
        ("REQUEST_CHANGES", "Request changes", "It must not be merged as it is."),
    ];
    html! {
        form method="post" class="forge-form forge-box" id="review" {
            (reader.field())
            input type="hidden" name="sha" value=(pull.head.sha);
            h2 { "Review" }
            (notice.at(Spot::Review))
            label for="review-body" { "What you think of it" }
            textarea id="review-body" name="review" rows="4" { (notice.typed.text("review")) }
            fieldset {
                legend { "Verdict" }
                @for (value, word, meaning) in choices {
                    label class="forge-choice" {
                        input type="radio" name="event" value=(value) checked[value == chosen];
                        span { strong { (word) } " " span class="quiet" { (meaning) } }
                    }
                }
            }
            button name="order" value="review" { "Submit review" }
        }
    }
}
