//! GitHub's published examples of webhooks, and what can become of them on the way, at the endpoint and at the decoder.
//!
//! No example and no mutation of one may end in a panic, wake anybody whom its own facts do not name, or leave memory behind.

mod facts;
mod mutations;
mod site;

use std::collections::BTreeMap;

use baton_core::board::News;
use baton_fixtures::contract_dir;
use baton_github::webhooks::{REPOSITORY_EVENTS, decode};
use serde_json::Value;

use facts::{branch_issue, named, whom};
use mutations::{Mutator, without_nesting};

/// How many examples GitHub has published.
const EXAMPLES: usize = 329;
const BOARD_EVENT: &str = "projects_v2_item";

/// One example.
struct Example {
    event: String,
    payload: Value,
}

fn examples() -> Vec<Example> {
    let package = contract_dir().join("node/node_modules/@octokit/webhooks-examples");
    let text = std::fs::read_to_string(package.join("api.github.com/index.json")).unwrap();
    let index: Vec<Value> = serde_json::from_str(&text).unwrap();
    let of_event = |entry: &Value| {
        let event = entry["name"].as_str().unwrap().to_owned();
        let payloads = entry["examples"].as_array().unwrap().clone();
        payloads.into_iter().map(move |payload| Example { event: event.clone(), payload })
    };
    let examples: Vec<_> = index.iter().flat_map(of_event).collect();
    assert_eq!(examples.len(), EXAMPLES);
    examples
}

/// Reads a payload and sees that nobody is woken whom it does not name.
fn read(event: &str, payload: &[u8]) -> Option<Vec<News>> {
    let news = decode(event, payload, &branch_issue).ok()?;
    if news.is_empty() {
        return Some(news);
    }
    let value: Value =
        serde_json::from_slice(&without_nesting(payload)).expect("only what is JSON can be news");
    let named = named(event, &value);
    for one in &news {
        assert!(named.contains(&whom(&one.about)), "{event}: {one:?} is not one of {named:?} in {value}");
    }
    Some(news)
}

#[test]
fn every_published_example_is_read_and_wakes_only_whom_it_names() {
    let mut told: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for Example { event, payload } in examples() {
        let news = read(&event, payload.to_string().as_bytes());
        let news = news.unwrap_or_else(|| panic!("an example of {event} cannot be read: {payload}"));
        let (seen, woken) = told.entry(event).or_default();
        *seen += 1;
        *woken += news.len();
    }
    for (event, (seen, woken)) in &told {
        let is_of_interest = REPOSITORY_EVENTS.contains(&event.as_str()) || event == BOARD_EVENT;
        println!("{event}: {seen} examples, {woken} news");
        assert!(is_of_interest || *woken == 0, "{event} is no news");
    }
    for event in ["issues", "issue_comment", "pull_request", "pull_request_review", "check_run", "status"] {
        assert!(told[event].1 > 0, "{event} is news of nobody");
    }
}

#[test]
fn whatever_becomes_of_an_example_wakes_only_whom_it_names_and_leaves_no_memory_behind() {
    const EACH: u64 = 24;
    let mut counts = [0_usize; 3];
    for (at, Example { event, payload }) in examples().into_iter().enumerate() {
        for seed in 0..EACH {
            let mutated = Mutator::new(u64::try_from(at).unwrap() * EACH + seed).mutate(&payload);
            let read = read(&event, &mutated);
            counts[read.map_or(0, |news| if news.is_empty() { 1 } else { 2 })] += 1;
            let used = allocation_counter::measure(|| drop(decode(&event, &mutated, &branch_issue)));
            assert_eq!(used.bytes_current, 0, "{event} leaves memory behind");
            let most = 16 * 1024 + 2 * u64::try_from(mutated.len()).unwrap();
            assert!(used.bytes_max < most, "{event} of {} bytes took {}", mutated.len(), used.bytes_max);
        }
    }
    let [refused, silent, telling] = counts;
    println!("{refused} refused, {silent} no news, {telling} news");
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}
