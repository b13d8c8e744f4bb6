//! How chains are shown, to people and as JSON.

use baton_core::chain::{ChainState, Deed, PartState, PartStatus, PlannedPart};
use baton_engine::chain::{Did, PartReport, Trouble};
use serde_json::{Value, json};

/// Says how a part stands, in one line.
pub(super) fn standing(at: usize, part: &PartState) -> String {
    let PartState { repo, head, .. } = part;
    let said = match &part.status {
        PartStatus::Pending => format!("{repo}  pending, from `{head}`"),
        PartStatus::Failed { why, at } => format!("{repo}  failed at {at}: {why}"),
        PartStatus::Open { number, url } => format!("{repo}#{number}  open  {url}"),
        PartStatus::Merged { number, url } => format!("{repo}#{number}  merged  {url}"),
        PartStatus::Closed { number, url } => format!("{repo}#{number}  closed without a merge  {url}"),
    };
    format!("  {}. {said}", at + 1)
}

/// Says how a chain stands.
pub(super) fn print_chain(chain: &ChainState) {
    let count = chain.parts.iter().filter(|part| part.status.number().is_some()).count();
    let (feature, all) = (&chain.feature, chain.parts.len());
    say!("{feature}: {count} of {all} pull requests, to be merged in this order");
    chain.parts.iter().enumerate().for_each(|(at, part)| say!("{}", standing(at, part)));
}

/// Says what was done about a part, if anything was.
pub(super) fn deed(report: &PartReport) -> Option<String> {
    let repo = &report.repo;
    let did = match report.did {
        Did::Opened => Some("opened"),
        Did::Adopted => Some("found by its branch"),
        Did::Found | Did::Nothing => None,
    };
    let refreshed = report.is_refreshed.then_some("body brought up to date");
    let deeds: Vec<_> = did.into_iter().chain(refreshed).collect();
    (!deeds.is_empty()).then(|| format!("{repo}: {}", deeds.join(", ")))
}

/// Says what would be done about a part.
pub(super) fn planned(at: usize, part: &PlannedPart) -> String {
    let PlannedPart { repo, head, .. } = part;
    let said = match &part.deed {
        Deed::Open { base } => format!("{repo}  would be opened from `{head}` to `{base}`"),
        Deed::Adopt(pull) => format!("{repo}#{}  would be taken in ({})", pull.number, pull.state),
        Deed::Follow(pull) => format!("{repo}#{}  is there ({})", pull.number, pull.state),
        Deed::Refuse(why) => format!("{repo}  cannot be opened: {why}"),
    };
    let refreshed = if part.refreshes { ", and its body brought up to date" } else { "" };
    format!("  {}. {said}{refreshed}", at + 1)
}

pub(super) fn planned_shape(part: &PlannedPart) -> Value {
    let (word, base, why) = match &part.deed {
        Deed::Open { base } => ("open", Some(base), None),
        Deed::Adopt(pull) => ("adopt", Some(&pull.base_branch), None),
        Deed::Follow(pull) => ("follow", Some(&pull.base_branch), None),
        Deed::Refuse(why) => ("refuse", None, Some(why)),
    };
    let pull = match &part.deed {
        Deed::Adopt(pull) | Deed::Follow(pull) => Some(pull),
        Deed::Open { .. } | Deed::Refuse(_) => None,
    };
    json!({
        "repo": part.repo,
        "head": part.head,
        "base": base,
        "do": word,
        "number": pull.map(|pull| pull.number),
        "url": pull.map(|pull| &pull.url),
        "refresh": part.refreshes,
        "why": why,
    })
}

pub(super) fn chain_shape(chain: &ChainState) -> Value {
    let parts = chain.parts.iter().map(|part| {
        let why = match &part.status {
            PartStatus::Failed { why, .. } => Some(why),
            _ => None,
        };
        json!({
            "repo": part.repo,
            "head": part.head,
            "base": part.base,
            "depends_on": part.depends_on,
            "status": part.status.word(),
            "number": part.status.number(),
            "url": part.status.pull().map(|(_, url)| url),
            "why": why,
        })
    });
    json!({ "feature": chain.feature.as_str(), "title": chain.title, "parts": parts.collect::<Vec<_>>() })
}

pub(super) fn report_shape(report: &PartReport) -> Value {
    let did = match report.did {
        Did::Opened => "opened",
        Did::Adopted => "adopted",
        Did::Found => "found",
        Did::Nothing => "nothing",
    };
    let trouble = report.trouble.as_ref().map(|trouble| &trouble.why);
    json!({ "repo": report.repo, "did": did, "refreshed": report.is_refreshed, "trouble": trouble })
}

/// Returns whether all that stood in the way is the network or the tracker, so that the same may work later.
pub(super) fn is_out_of_reach<'a>(troubles: impl IntoIterator<Item = &'a Trouble>) -> bool {
    let mut troubles = troubles.into_iter().peekable();
    troubles.peek().is_some() && troubles.all(|trouble| trouble.is_transient)
}
