//! Whether a pull request can be merged, why not, and the button that does it.

use maud::{Markup, html};

use super::notice::{Notice, Spot};
use super::parts::person;
use super::pull_reading::Reading;
use super::shell::Reader;
use super::wire::{Pull, Repository};

/// Shows whether it can be merged, and how.
pub(crate) fn show(reader: &Reader, notice: &Notice, reading: &Reading) -> Markup {
    let Reading { pull, repository, .. } = reading;
    html! {
        section class="forge-box" id="merge" aria-labelledby="merge-title" {
            h2 id="merge-title" { "Merge" }
            (notice.at(Spot::Merge))
            @if pull.merged { (merged(reader, pull)) }
            @else if pull.state != "open" { p { "It was closed without being merged." } }
            @else {
                p { (standing(&pull.mergeable_state, pull.mergeable)) }
                @let reasons = reasons(reading);
                @if !reasons.is_empty() { ul { @for reason in reasons { li { (reason) } } } }
                (button(reader, pull, repository))
            }
        }
    }
}

fn merged(reader: &Reader, pull: &Pull) -> Markup {
    html! {
        p {
            "Merged by " (person(pull.merged_by.as_ref()))
            @if let Some(time) = &pull.merged_at { ", " (reader.moment(time)) }
            @if let Some(sha) = &pull.merge_commit_sha { ", as " code { (short(sha)) } }
            "."
        }
    }
}

/// Returns the first letters of a commit's name, by which people know it.
pub(crate) fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

/// What the forge's word means.
fn standing(state: &str, mergeable: Option<bool>) -> &'static str {
    match (state, mergeable) {
        ("dirty", _) | (_, Some(false)) => {
            "It conflicts with its base branch: somebody must resolve that and push."
        }
        ("draft", _) => "It is a draft: it must be marked as ready first.",
        ("blocked", _) => "A rule of the base branch is not met yet, so the forge will refuse to merge it.",
        ("behind", _) => "Its branch is behind the base branch, and the rules want it up to date.",
        ("unstable", _) => "It can be merged, though a check has not passed.",
        ("clean" | "has_hooks", _) => "It can be merged.",
        _ => "The forge is still finding out whether it can be merged. Load the page again.",
    }
}

/// What can be seen from here that may stand in the way.
fn reasons(reading: &Reading) -> Vec<String> {
    let mut found = Vec::new();
    for check in &reading.checks {
        match (check.status.as_str(), check.conclusion.as_deref()) {
            ("completed", Some("success" | "neutral" | "skipped")) => {}
            ("completed", conclusion) => {
                found.push(format!("Check {}: {}", check.name, conclusion.unwrap_or("no conclusion")));
            }
            (status, _) => found.push(format!("Check {}: {}", check.name, status.replace('_', " "))),
        }
    }
    let unmet = reading.statuses.iter().filter(|status| status.state != "success");
    found.extend(unmet.map(|status| format!("Status {}: {}", status.context, status.state)));
    found.extend(objections(reading));
    match reading.threads.iter().filter(|thread| !thread.is_resolved).count() {
        0 => {}
        1 => found.push("One thread is not resolved".to_owned()),
        many => found.push(format!("{many} threads are not resolved")),
    }
    found
}

/// Whoever's last word is that changes are needed.
fn objections(reading: &Reading) -> Vec<String> {
    let mut last: Vec<(&str, &str)> = Vec::new();
    for review in &reading.reviews {
        if ["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].contains(&review.state.as_str()) {
            let who = person(review.user.as_ref());
            last.retain(|(login, _)| *login != who);
            last.push((who, &review.state));
        }
    }
    let asking = last.into_iter().filter(|(_, state)| *state == "CHANGES_REQUESTED");
    asking.map(|(who, _)| format!("{who} requested changes")).collect()
}

fn methods(repository: &Repository) -> Vec<(&'static str, &'static str)> {
    let all = [
        (repository.allow_merge_commit, ("merge", "Merge commit")),
        (repository.allow_squash_merge, ("squash", "Squash")),
        (repository.allow_rebase_merge, ("rebase", "Rebase")),
    ];
    // Only those who may administer a repository are told; the forge refuses what is not allowed in any case.
    all.into_iter().filter(|(allowed, _)| allowed.unwrap_or(true)).map(|(_, method)| method).collect()
}

fn button(reader: &Reader, pull: &Pull, repository: &Repository) -> Markup {
    html! {
        form method="post" class="forge-row" {
            (reader.field())
            // The forge refuses when somebody has pushed since this page was shown.
            input type="hidden" name="sha" value=(pull.head.sha);
            label for="merge-method" { "Method" }
            select id="merge-method" name="method" {
                @for (value, word) in methods(repository) { option value=(value) { (word) } }
            }
            button class="main" name="order" value="merge" { "Merge pull request" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_forge_has_a_meaning() {
        for (state, mergeable, begins) in [
            ("clean", Some(true), "It can be merged."),
            ("unstable", Some(true), "It can be merged, though"),
            ("blocked", Some(true), "A rule of the base branch"),
            ("dirty", Some(false), "It conflicts"),
            ("behind", Some(true), "Its branch is behind"),
            ("draft", Some(true), "It is a draft"),
            ("unknown", None, "The forge is still finding out"),
        ] {
            assert!(standing(state, mergeable).starts_with(begins), "{state}");
        }
    }
}
