//! The pull requests of the herd: reviews, threads and checks.

use baton_core::pipeline::Item;
use baton_core::pipeline::checks::{Check, Conclusion};
use baton_core::pipeline::item::{
    Comment, LinkedPull, MergeState, Review, ReviewDecision, ReviewRequest, ReviewState, Thread,
};
use baton_core::time::ServerTime;
use baton_core::tracker::PullState;

use crate::dice::Dice;
use crate::herd::NOW_S;

/// Returns the pull request of an issue in a column, if issues have one there. All of it is well.
pub(crate) fn of(column: &str, issue: u64, dice: &mut Dice) -> Option<LinkedPull> {
    let state = match column {
        "Done" => PullState::Merged,
        "Review" | "Validate" => PullState::Open,
        _ => return None,
    };
    let ago = |dice: &mut Dice, most| ServerTime(NOW_S - dice.between(100, most) as i64);
    Some(LinkedPull {
        number: issue + 1_000_000,
        author: "acme-baton[bot]".to_owned(),
        state,
        is_draft: false,
        head_sha: format!("{:040x}", issue),
        pushed_at: ago(dice, 3000),
        mergeable: Some(true),
        merge_state: MergeState::Clean,
        reviews: vec![Review { author: "bo".to_owned(), state: ReviewState::Approved }],
        requests: Vec::new(),
        decision: ReviewDecision::Approved,
        threads: (0..dice.between(0, 8)).map(|place| thread(issue, place, dice)).collect(),
        checks: Some(
            (0..dice.between(2, 12)).map(|place| check(place, ago(dice, 1500))).collect::<Vec<_>>().into(),
        ),
        base_failures: Vec::new(),
        required_checks: vec!["check 0".to_owned()],
    })
}

fn check(place: u64, changed_at: ServerTime) -> Check {
    Check { id: place + 1, name: format!("check {place}"), conclusion: Some(Conclusion::Success), changed_at }
}

/// A thread that is settled.
fn thread(issue: u64, place: u64, dice: &mut Dice) -> Thread {
    let comment = Comment {
        id: issue * 100 + 50 + place,
        author: "bo".to_owned(),
        is_bot: false,
        may_write: true,
        body: "Why is this read twice? The list is the same as above.".to_owned(),
        created_at: ServerTime(NOW_S - 50_000),
        has_rocket: true,
        is_own_account: false,
        is_on_pull: true,
        signs: Vec::new(),
    };
    Thread {
        id: format!("PRRT_{issue}_{place}"),
        is_resolved: dice.chance(90),
        path: "src/search/list.ts".to_owned(),
        line: Some(dice.between(1, 400)),
        comments: vec![comment],
    }
}

/// Somebody was asked for a review and has not answered.
pub(crate) fn ask_reviewer(item: &mut Item, dice: &mut Dice) {
    let login = dice.one_of(&["cy", "copilot-pull-request-reviewer", "gemini-code-assist"]).to_owned();
    if let Some(pull) = &mut item.pull {
        pull.requests = vec![ReviewRequest { is_bot: false, login }];
        pull.merge_state = MergeState::Blocked;
    }
}

/// A check has begun and not ended, or it has failed.
pub(crate) fn begin_checks(item: &mut Item, has_failed: bool) {
    let Some(pull) = &mut item.pull else { return };
    pull.merge_state = MergeState::Blocked;
    let mut checks = pull.checks.take().map(|checks| checks.as_slice().to_vec()).unwrap_or_default();
    if let Some(first) = checks.first_mut() {
        first.conclusion = has_failed.then_some(Conclusion::Failure);
    }
    pull.checks = Some(checks.into());
}
