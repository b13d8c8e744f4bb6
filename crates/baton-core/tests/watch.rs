//! What the watch over a board keeps, tells and forgets.

use baton_core::RepoSlug;
use baton_core::board::{Changes, Happening, News, Subject, Touched, Watch};
use baton_core::time::ServerTime;
use baton_core::tracker::{BoardRow, IssueKey, Survey};
use proptest::prelude::*;

fn repo() -> RepoSlug {
    RepoSlug::new("acme", "web").unwrap()
}

fn issue(number: u64) -> IssueKey {
    IssueKey { repo: repo(), number }
}

fn row(number: u64, labels: &[&str]) -> BoardRow {
    BoardRow {
        issue: issue(number),
        node_id: format!("I_{number}"),
        title: format!("Issue {number}"),
        column: Some("Plan".to_owned()),
        is_closed: false,
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        updated_at: ServerTime(100),
    }
}

fn complete(rows: Vec<BoardRow>) -> Survey {
    Survey { rows, is_complete: true }
}

fn partial(rows: Vec<BoardRow>) -> Survey {
    Survey { rows, is_complete: false }
}

fn news(number: u64, what: Happening) -> News {
    News { about: Subject::Issue(issue(number)), what }
}

fn watch_of(rows: Vec<BoardRow>) -> Watch {
    let mut watch = Watch::default();
    assert!(watch.survey(&complete(rows)).untold.is_empty(), "the first survey has nothing to compare with");
    watch
}

fn worth(touched: &Touched) -> Vec<u64> {
    touched.worth_a_look().map(|issue| issue.number).collect()
}

#[test]
fn a_survey_tells_which_facts_changed_and_nothing_of_the_rest() {
    let mut watch = watch_of(vec![row(1, &["a"]), row(2, &[]), row(3, &[])]);
    let mut moved = row(2, &["b"]);
    moved.column = Some("Done".to_owned());
    let mut later = row(3, &[]);
    later.updated_at = ServerTime(101);
    let touched = watch.survey(&complete(vec![row(1, &["a"]), moved, later]));
    let expected = [(issue(2), Changes::COLUMN | Changes::LABELS), (issue(3), Changes::TOUCHED)];
    assert_eq!(touched.issues, expected);
    assert_eq!(touched.untold, expected);
    assert!(touched.has_drift());
    assert_eq!(worth(&touched), [2, 3]);
}

#[test]
fn a_column_that_a_survey_does_not_tell_stays_as_it_was() {
    let mut watch = watch_of(vec![row(1, &[])]);
    let mut without = row(1, &[]);
    without.column = None;
    assert_eq!(watch.survey(&partial(vec![without])), Touched::default());
    assert_eq!(watch.known(&issue(1)).unwrap().column.as_deref(), Some("Plan"));
}

#[test]
fn a_complete_survey_removes_what_it_does_not_show_and_a_partial_one_does_not() {
    let mut watch = watch_of(vec![row(1, &[]), row(2, &[])]);
    assert_eq!(watch.survey(&partial(vec![row(2, &[])])), Touched::default());
    assert_eq!(watch.issues().count(), 2);
    let touched = watch.survey(&complete(vec![row(2, &[])]));
    assert_eq!(touched.issues, [(issue(1), Changes::REMOVED)]);
    assert_eq!(worth(&touched), [0u64; 0], "there is nothing to look at");
    assert!(touched.has_drift());
    assert_eq!(watch.known(&issue(1)), None);
}

#[test]
fn news_of_what_is_known_are_no_news() {
    let mut watch = watch_of(vec![row(1, &["a"])]);
    for (what, expected) in [
        (Happening::Labelled("A".to_owned()), Changes::NONE),
        (Happening::Labelled("b".to_owned()), Changes::LABELS),
        (Happening::Labelled("b".to_owned()), Changes::NONE),
        (Happening::Unlabelled("c".to_owned()), Changes::NONE),
        (Happening::Unlabelled("a".to_owned()), Changes::LABELS),
        (Happening::Unlabelled("a".to_owned()), Changes::NONE),
        (Happening::Reopened, Changes::NONE),
        (Happening::Closed, Changes::CLOSED),
        (Happening::Closed, Changes::NONE),
        (Happening::Reopened, Changes::CLOSED),
        (Happening::Appeared, Changes::NONE),
        (Happening::Commented, Changes::COMMENTS),
        (Happening::Edited, Changes::TEXT),
        (Happening::Assigned, Changes::ASSIGNEES),
        (Happening::Moved, Changes::COLUMN),
        (Happening::Relinked, Changes::LINKS),
        (Happening::PullChanged, Changes::PULL),
        (Happening::Checked, Changes::CHECKS),
        (Happening::Removed, Changes::REMOVED),
        (Happening::Removed, Changes::NONE),
    ] {
        let changes = watch.hear(&news(1, what.clone())).issues.first().map_or(Changes::NONE, |(_, it)| *it);
        assert_eq!(changes, expected, "{what:?}");
    }
}

#[test]
fn what_news_have_told_is_no_drift_and_not_worth_a_second_look() {
    let mut watch = watch_of(vec![row(1, &[]), row(2, &[])]);
    assert_eq!(worth(&watch.hear(&news(1, Happening::Labelled("b".to_owned())))), [1]);
    assert_eq!(watch.survey(&complete(vec![row(1, &["b"]), row(2, &[])])), Touched::default());
    let _ = watch.hear(&news(2, Happening::Commented));
    let mut later = row(2, &[]);
    later.updated_at = ServerTime(120);
    let touched = watch.survey(&complete(vec![row(1, &["b"]), later]));
    assert_eq!(touched.issues, [(issue(2), Changes::TOUCHED)]);
    assert!(!touched.has_drift(), "it was told, although not when");
}

#[test]
fn what_a_look_has_seen_is_known() {
    let mut watch = watch_of(vec![row(1, &[])]);
    let mut seen = row(1, &["locked"]);
    seen.updated_at = ServerTime(120);
    assert_eq!(watch.saw(&seen), Touched::default());
    assert_eq!(watch.hear(&news(1, Happening::Labelled("locked".to_owned()))), Touched::default());
    let mut shown = seen.clone();
    shown.updated_at = ServerTime(110);
    assert_eq!(watch.survey(&complete(vec![shown])), Touched::default(), "an earlier time is nothing new");
    let touched = watch.missed(&issue(1));
    assert_eq!(touched.issues, [(issue(1), Changes::REMOVED)]);
}

#[test]
fn a_look_that_does_not_tell_the_time_makes_no_drift_of_what_was_told() {
    let mut watch = watch_of(vec![row(1, &[])]);
    let _ = watch.hear(&news(1, Happening::Commented));
    let seen = BoardRow { node_id: String::new(), updated_at: ServerTime(i64::MIN), ..row(1, &[]) };
    let _ = watch.saw(&seen);
    let later = BoardRow { updated_at: ServerTime(120), ..row(1, &[]) };
    let touched = watch.survey(&complete(vec![later.clone()]));
    assert_eq!((worth(&touched), touched.has_drift()), (vec![1], false));
    let latest = BoardRow { updated_at: ServerTime(130), ..later };
    assert!(watch.survey(&complete(vec![latest])).has_drift(), "of this one nobody has told");
}

#[test]
fn columns_alone_are_no_drift() {
    let mut watch = watch_of(vec![row(1, &[])]);
    let mut moved = row(1, &[]);
    moved.column = Some("Done".to_owned());
    let touched = watch.survey(&complete(vec![moved]));
    assert_eq!(worth(&touched), [1]);
    assert!(!touched.has_drift());
}

#[test]
fn a_closed_blocker_frees_those_that_wait_for_it_whoever_tells() {
    let closed = |number| BoardRow { is_closed: true, ..row(number, &[]) };
    type Way = fn(&mut Watch, BoardRow) -> Touched;
    let ways: [(&str, Way); 5] = [
        ("news of the end", |watch, _| watch.hear(&news(1, Happening::Closed))),
        ("news of its removal", |watch, _| watch.hear(&news(1, Happening::Removed))),
        ("a survey", |watch, closed| watch.survey(&partial(vec![closed]))),
        ("a survey without it", |watch, _| watch.survey(&complete(vec![row(2, &[]), row(3, &[])]))),
        ("a look", |watch, closed| watch.saw(&closed)),
    ];
    for (name, way) in ways {
        let mut watch = watch_of(vec![row(1, &[]), row(2, &[]), row(3, &[])]);
        watch.waits_for(&issue(2), &[issue(1), issue(9)]);
        watch.waits_for(&issue(3), &[issue(1)]);
        watch.waits_for(&issue(3), &[]);
        let touched = way(&mut watch, closed(1));
        assert!(touched.issues.contains(&(issue(2), Changes::UNBLOCKED)), "{name}: {touched:?}");
        assert!(!worth(&touched).contains(&3), "{name}: it does not wait any more");
    }
}

#[test]
fn a_blocker_that_is_not_on_the_board_frees_too() {
    let mut watch = watch_of(vec![row(2, &[])]);
    watch.waits_for(&issue(2), &[issue(9)]);
    assert_eq!(worth(&watch.hear(&news(9, Happening::Closed))), [9, 2]);
    assert_eq!(worth(&watch.hear(&news(9, Happening::Reopened))), [9], "only an end frees");
}

#[test]
fn names_of_the_tracker_and_numbers_of_pulls_lead_to_the_issue() {
    let mut watch = watch_of(vec![row(7, &[])]);
    let by_node = News { about: Subject::Node("I_7".to_owned()), what: Happening::Moved };
    assert_eq!(worth(&watch.hear(&by_node)), [7]);
    let by_pull = News { about: Subject::Pull { repo: repo(), number: 12 }, what: Happening::Commented };
    assert_eq!(watch.hear(&by_pull), Touched::default());
    watch.has_pull(&issue(7), 12);
    assert_eq!(worth(&watch.hear(&by_pull)), [7]);
    assert_eq!(watch.hear(&news(12, Happening::Commented)), Touched::default(), "12 is not on the board");
    let _ = watch.hear(&news(7, Happening::Removed));
    assert_eq!(watch.hear(&by_pull), Touched::default());
}

#[test]
fn what_has_no_known_name_asks_for_a_survey() {
    let mut watch = watch_of(vec![row(7, &[])]);
    let stranger = |what| News { about: Subject::Node("I_8".to_owned()), what };
    assert!(watch.hear(&stranger(Happening::Appeared)).asks_for_survey);
    assert!(!watch.hear(&stranger(Happening::Removed)).asks_for_survey);
    let all = News { about: Subject::Repository(repo()), what: Happening::Edited };
    assert!(watch.hear(&all).asks_for_survey);
}

#[test]
fn strangers_get_a_look_for_what_may_bring_them_onto_the_board() {
    let mut watch = watch_of(vec![]);
    assert_eq!(worth(&watch.hear(&news(5, Happening::Appeared))), [5]);
    assert_eq!(worth(&watch.hear(&news(5, Happening::Labelled("x".to_owned())))), [5]);
    assert_eq!(worth(&watch.hear(&news(5, Happening::Commented))), [0u64; 0]);
    assert_eq!(watch.issues().count(), 0, "news alone put nothing on the board");
}

#[test]
fn a_repository_is_the_same_however_it_is_spelled() {
    let mut watch = watch_of(vec![row(7, &[])]);
    watch.has_pull(&issue(7), 12);
    let shouted = RepoSlug::new("ACME", "Web").unwrap();
    let by_number = Subject::Issue(IssueKey { repo: shouted.clone(), number: 7 });
    for about in [by_number, Subject::Pull { repo: shouted, number: 12 }] {
        let touched = watch.hear(&News { about, what: Happening::PullChanged });
        assert_eq!(touched.issues, [(issue(7), Changes::PULL)]);
    }
    let shouted = IssueKey { repo: RepoSlug::new("ACME", "Web").unwrap(), number: 7 };
    let seen = BoardRow { issue: shouted.clone(), ..row(7, &["seen"]) };
    assert_eq!(watch.saw(&seen), Touched::default());
    assert_eq!(watch.issues().count(), 1);
    assert!(watch.known(&shouted).unwrap().has_label("SEEN"));
    assert_eq!(watch.survey(&complete(vec![seen])), Touched::default());
}

/// With the allocator's own overhead left out, which is about 16 bytes for each of ten or so small blocks.
#[test]
fn ten_thousand_issues_take_far_less_than_a_kibibyte_each() {
    const ISSUES: u64 = 10_000;
    let labels =
        ["agent:ready", "stage:Plan:complete", "stage:Specify:complete", "baton:yolo", "priority:high"];
    let mut watch = Watch::default();
    let mut kept = None;
    let used = allocation_counter::measure(|| {
        for number in 1..=ISSUES {
            let mut row = row(number, &labels);
            row.node_id = format!("I_kwDOABCDEF{number:08}");
            let _ = watch.survey(&partial(vec![row]));
            watch.has_pull(&issue(number), ISSUES + number);
        }
        kept = Some(std::mem::take(&mut watch));
    });
    let each = used.bytes_current / i64::try_from(ISSUES).unwrap();
    assert!((1..512).contains(&each), "{each} bytes");
    assert_eq!(kept.map(|watch| watch.issues().count()), Some(10_000));
}

/// A fact and what news say of it. Different facts may be told in any order.
fn any_fact() -> impl Strategy<Value = (u64, u8)> {
    (1_u64..5, 0_u8..5)
}

fn told((number, fact): (u64, u8), is_on: bool) -> News {
    let label = format!("label-{fact}");
    let what = match (fact, is_on) {
        (0, true) => Happening::Closed,
        (0, false) => Happening::Reopened,
        (1, _) => Happening::Commented,
        (_, true) => Happening::Labelled(label),
        (_, false) => Happening::Unlabelled(label),
    };
    news(number, what)
}

fn state(watch: &Watch) -> Vec<(IssueKey, bool, Vec<String>)> {
    watch
        .issues()
        .map(|(issue, known)| {
            (issue.clone(), known.is_closed, known.labels.iter().map(|label| label.to_string()).collect())
        })
        .collect()
}

fn ground() -> Vec<BoardRow> {
    vec![row(1, &[]), row(2, &["label-2"]), row(3, &["label-2", "label-3", "other"])]
}

proptest! {
    #[test]
    fn the_order_of_news_of_different_facts_does_not_matter(
        facts in proptest::collection::btree_map(any_fact(), any::<bool>(), 0..12),
        rotation in 0_usize..12,
    ) {
        let all: Vec<News> = facts.into_iter().map(|(fact, is_on)| told(fact, is_on)).collect();
        let mut turned = all.clone();
        if !turned.is_empty() {
            let by = rotation % turned.len();
            turned.rotate_left(by);
            turned[..by].reverse();
        }
        let [mut one, mut other] = [watch_of(ground()), watch_of(ground())];
        all.iter().for_each(|news| drop(one.hear(news)));
        turned.iter().for_each(|news| drop(other.hear(news)));
        prop_assert_eq!(state(&one), state(&other));
    }

    #[test]
    fn a_survey_after_any_news_leaves_what_the_survey_alone_leaves(
        heard in proptest::collection::vec((any_fact(), any::<bool>()), 0..20),
        removed in proptest::option::of(1_u64..4),
    ) {
        let mut watch = watch_of(ground());
        for (fact, is_on) in heard {
            drop(watch.hear(&told(fact, is_on)));
        }
        if let Some(number) = removed {
            drop(watch.hear(&news(number, Happening::Removed)));
        }
        let survey = complete(vec![row(1, &["label-4"]), row(3, &[])]);
        drop(watch.survey(&survey));
        let mut alone = watch_of(ground());
        drop(alone.survey(&survey));
        prop_assert!(watch.issues().eq(alone.issues()));
        prop_assert_eq!(watch.survey(&survey), Touched::default());
    }

    #[test]
    fn hearing_twice_is_hearing_once(heard in proptest::collection::vec((any_fact(), any::<bool>()), 0..20)) {
        let [mut once, mut twice] = [watch_of(ground()), watch_of(ground())];
        for (fact, is_on) in heard {
            let news = told(fact, is_on);
            drop(once.hear(&news));
            drop(twice.hear(&news));
            let again = twice.hear(&news);
            // What is not kept cannot be recognised, and what is not on the board is not kept.
            let is_kept = news.what != Happening::Commented && fact.0 < 4;
            prop_assert!(!is_kept || again.issues.is_empty(), "{:?}", again);
        }
        prop_assert_eq!(state(&once), state(&twice));
    }
}
