//! Stories of a few runs, and what is told of them.

use baton_core::pipeline::{Stage, StageKind};
use baton_core::slot::effect::EffectKey;
use baton_core::slot::{EffectId, ItemId};

use super::*;
use crate::watchtower::rows::{FROM_MS as FROM, run};

fn at(ms: i64) -> StoreTime {
    StoreTime { ms }
}

fn issue(number: u64) -> ItemKey {
    format!("acme/web#{number}").parse().unwrap()
}

fn effect(deed: Deed, status: EffectStatus, finished_ms: i64) -> Effect {
    Effect {
        id: EffectId(1),
        key: EffectKey { item: ItemId(1), version: 1, step: 0 },
        deed,
        lease: None,
        fence: 0,
        status,
        attempts: 1,
        not_before: at(0),
        sending_at: None,
        created_at: at(0),
        finished_at: Some(at(finished_ms)),
        error: None,
    }
}

fn pipeline() -> Pipeline {
    let stage = |name: &str, order, kind| Stage { name: name.to_owned(), order, kind, ..Stage::default() };
    Pipeline::new(vec![
        stage("Plan", 1, StageKind::Working),
        stage("Implement", 2, StageKind::Working),
        stage("Review", 3, StageKind::Working),
        stage("Done", 4, StageKind::Cleanup),
    ])
}

fn story(chapters: Vec<(ItemKey, Chapter)>) -> Story {
    let chapters = chapters.into_iter().collect();
    Story { from: at(FROM), to: at(FROM + DAY_MS / 2), chapters, titles: BTreeMap::new() }
}

#[test]
fn shares_are_values_that_occurred() {
    assert_eq!(share(&[], 50), 0);
    assert_eq!(share(&[7], 90), 7);
    assert_eq!(share(&[1, 2, 3, 4], 50), 2);
    assert_eq!(share(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), 9);
}

#[test]
fn an_issue_is_merged_by_whoever_merged_it() {
    use EffectStatus::{Dead, Done};
    let merge = || Deed::MergePull { number: 4, head_sha: "abc".to_owned() };
    let label = |label: &str| Deed::AddLabels { labels: vec![label.to_owned()] };
    let to = |to: &str| Deed::MoveTo { from: "Validate".to_owned(), to: to.to_owned() };
    let pull = || Deed::OpenDraftPull { summary: None };
    let apart = || Deed::CreateSubIssues { issues: Vec::new() };
    for (effects, has_pull, expected) in [
        (vec![effect(merge(), Done, 5)], true, Some(5)),
        (vec![effect(merge(), Dead, 5)], true, None),
        (vec![effect(label("agent:done"), Done, 9)], false, Some(9)),
        (vec![effect(merge(), Done, 5), effect(label("agent:done"), Done, 9)], true, Some(5)),
        (vec![effect(label("stage:Done:complete"), Done, 9)], true, None),
        (vec![effect(to("Done"), Done, 7)], true, Some(7)),
        (vec![effect(to("Done"), Done, 7)], false, None),
        (vec![effect(pull(), Done, 1), effect(to("Done"), Done, 7)], false, Some(7)),
        (vec![effect(to("Review"), Done, 7)], true, None),
        (vec![effect(apart(), Done, 6), effect(to("Done"), Done, 7)], true, None),
    ] {
        let told = merged_at(&effects, has_pull, &pipeline());
        assert_eq!(told.map(|at| at.ms), expected, "{effects:?}");
    }
}

#[test]
fn the_time_to_a_merge_begins_with_the_first_run_of_all_and_counts_every_issue() {
    // Those that cost nothing are beyond the list, and their cycles count all the same.
    let chapter = |number: u64, cycle_s: i64| {
        let mut row = run(&issue(number), Some("Implement"), -cycle_s, 0);
        row.run.cost_micros = if number <= 60 { 100 } else { 0 };
        (issue(number), Chapter { runs: vec![row], merged_at: Some(at(FROM)) })
    };
    let cheap = (61..=200).map(|number| chapter(number, 500));
    let told = story((1..=60).map(|number| chapter(number, 10)).chain(cheap).collect()).report(&pipeline());
    assert_eq!((told.totals.merged, told.totals.cycle_s), (200, Some(500)));
    assert_eq!((told.issues.len(), told.hidden), (50, 150));
    let mut early = run(&issue(1), Some("Plan"), -4_000, -3_900);
    early.run.cost_micros = 77;
    let late = run(&issue(1), Some("Implement"), 100, 200);
    let chapter = Chapter { runs: vec![late, early], merged_at: Some(at(FROM + 300_000)) };
    let told = story(vec![(issue(1), chapter)]).report(&pipeline());
    assert_eq!(told.issues[0].cycle_s, Some(4_300));
    assert_eq!((told.totals.runs, told.totals.cost_micros), (1, 10), "what ended before is not counted");
    assert_eq!(told.stages.iter().map(|line| line.stage.as_str()).collect::<Vec<_>>(), ["Implement"]);
}

#[test]
fn a_stage_takes_from_its_first_run_on_though_that_was_before_the_period() {
    let rows = [
        run(&issue(1), Some("Implement"), -1_000, -900),
        run(&issue(1), Some("Implement"), 50, 100),
        run(&issue(2), None, 10, 20),
    ];
    let chapter = |number: u64| {
        let runs = rows.iter().filter(|row| row.item == issue(number)).cloned().collect();
        (issue(number), Chapter { runs, merged_at: None })
    };
    let told = story(vec![chapter(1), chapter(2)]).report(&pipeline());
    let lines: Vec<_> =
        told.stages.iter().map(|line| (line.stage.as_str(), line.runs, line.median_s)).collect();
    assert_eq!(lines, [("Implement", 1, 1_100), ("by hand", 1, 10)]);
    assert_eq!(told.days.iter().map(|day| day.runs).sum::<u64>(), 2);
}
