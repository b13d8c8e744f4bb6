//! Every set of controlling labels, in every column, with the facts that matter: there is one step, its trail tells the
//! same, and no agent is let near an issue that is not to be worked on.
//!
//! The whole product is walked with `cargo xtask test --full`; otherwise every set of labels in every column meets a
//! share of the facts, another one each time.

use std::time::Duration;

use baton_core::pipeline::checks::{Checks, Conclusion, Health};
use baton_core::pipeline::item::{Item, LinkedPull, MergeState, ReviewState};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::stage::ApprovalWay;
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::trail::Answer;
use baton_core::pipeline::{Effect, StageKind, Step, View};
use baton_core::tracker::PullState;

use crate::pipeline::liveness::{Habit, check_still, live};
use crate::pipeline::world::{World, check, comment, issue_in, pull, request, review, thread};

/// The columns: all stages, and one that is none.
pub(crate) const COLUMNS: [&str; 8] =
    ["Specify", "Research", "Plan", "Implement", "Review", "Validate", "Done", "Backlog"];

/// The labels that change what is done, for an issue in this column.
fn controlling_labels(world: &World, column: &str) -> Vec<String> {
    let names = world.policy.names;
    let flags = [
        Flag::Paused,
        Flag::AwaitingInput,
        Flag::AwaitingReview,
        Flag::AwaitingCi,
        Flag::RebaseNeeded,
        Flag::Blocked,
        Flag::Editing,
        Flag::BotReprompted,
        Flag::Yolo,
        Flag::Cruise,
    ];
    let marks = [StageMark::InProgress, StageMark::Complete, StageMark::Failed];
    let mut labels: Vec<_> = flags.iter().map(|flag| names.flag(*flag)).collect();
    labels.extend(marks.iter().map(|mark| names.stage(column, *mark)));
    labels.extend([world.policy.own_lock.clone(), names.lock("zoe")]);
    labels.extend(["do-not-pickup".to_owned(), "agent:plan-pending-approval".to_owned()]);
    labels
}

/// Things that are the case besides labels, each in all its ways.
#[derive(Debug, Clone, Copy)]
struct Facts {
    is_closed: bool,
    is_running: bool,
    is_blocked: bool,
    is_cooling: bool,
    comment: usize,
    pull: usize,
}

impl Facts {
    const ALL: usize = 2 * 2 * 2 * 2 * 3 * 4;

    fn nth(number: usize) -> Self {
        let mut rest = number;
        let mut pick = |ways: usize| {
            let way = rest % ways;
            rest /= ways;
            way
        };
        Self {
            is_closed: pick(2) == 1,
            is_running: pick(2) == 1,
            is_blocked: pick(2) == 1,
            is_cooling: pick(2) == 1,
            comment: pick(3),
            pull: pick(4),
        }
    }

    fn set(self, item: &mut Item, parts: &Parts) {
        item.is_closed = self.is_closed;
        item.runner = self.is_running.then(|| "coder".to_owned());
        item.blockers.clone_from(if self.is_blocked {
            &parts.blocked.item.blockers
        } else {
            &parts.plain.item.blockers
        });
        item.memory.clone_from(if self.is_cooling { &parts.cooling } else { &parts.plain.item.memory });
        item.comments.clone_from(&parts.comments[self.comment]);
        item.pull.clone_from(&parts.pulls[self.pull]);
    }
}

/// What facts are made of.
struct Parts {
    plain: World,
    blocked: World,
    cooling: baton_core::slot::ItemMemory,
    comments: [Vec<baton_core::pipeline::item::Comment>; 3],
    pulls: [Option<LinkedPull>; 4],
}

impl Parts {
    fn of(column: &str) -> Self {
        let plain = issue_in(column);
        let mut cooling = plain.item.memory.clone();
        cooling.cooldowns.insert(column.to_owned(), plain.now.store.plus(Duration::from_mins(5)));
        let by_bot = comment(2, "acme-bot", "Found something.");
        Self {
            blocked: plain.clone().blocker("acme/web#1", true),
            cooling,
            comments: [Vec::new(), vec![comment(1, "rob", "And this?")], vec![by_bot]],
            pulls: [None, Some(pull()), Some(troubled_pull()), Some(merged_pull())],
            plain,
        }
    }
}

fn troubled_pull() -> LinkedPull {
    let red = check(2, "test", Some(Conclusion::Failure));
    LinkedPull {
        mergeable: Some(false),
        checks: Some(vec![red].into()),
        threads: vec![thread("T1", "src/lib.rs", 4)],
        ..pull()
    }
}

fn merged_pull() -> LinkedPull {
    LinkedPull { state: PullState::Merged, ..pull() }
}

/// Says what must hold of a step, whatever led to it.
pub(crate) fn check_step(world: &World, step: &Step) {
    let view = world.view();
    let item = view.item;
    let is_foreign = view.signs.foreign_lock.is_some() || item.foreign_claim.is_some();
    if step.is_invocation() {
        assert!(!item.is_closed, "an agent was sent to a closed issue: {item:#?}");
        assert!(!is_foreign && item.runner.is_none() && view.signs.held_by.is_none(), "{step:?} {item:#?}");
        assert!(!view.has(Flag::Editing) && view.stage.kind == StageKind::Working, "{step:?} {item:#?}");
        assert!(view.open_blockers().next().is_none(), "{step:?} {item:#?}");
        assert!(!view.has(Flag::Paused) || is_resumed(&view, step), "{step:?} {item:#?}");
    }
    if let Step::Invoke { .. } = step {
        assert!(!view.signs.is_complete && !view.signs.is_plan_pending, "{item:#?}");
        assert!(item.memory.is_cool(&view.stage.name, view.now.store), "{item:#?}");
    }
    if *step == Step::Merge {
        let pull = view.open_pull().expect("what is merged is open");
        let is_asked = view.has(Flag::Yolo) || view.policy.yolo;
        assert!(is_asked && pull.mergeable == Some(true) && !pull.is_draft && !item.is_closed, "{item:#?}");
        assert!(view.signs.is_complete && view.new_threads().next().is_none(), "{item:#?}");
        assert!(view.new_comments().next().is_none() && is_checked(&view, pull), "{item:#?}");
        assert!(
            !view.stage.wait_for_reviews || !pull.reviews.is_empty() && pull.requests.is_empty(),
            "{item:#?}"
        );
    }
    if is_foreign {
        assert!(matches!(step, Step::Rest(_)), "somebody else's issue was touched: {step:?} {item:#?}");
    }
}

/// What is merged was checked, or has nothing that checks it.
fn is_checked(view: &View<'_>, pull: &LinkedPull) -> bool {
    let Some(checks) = &pull.checks else { return false };
    let is_accepted = view.policy.accept_states.contains(&pull.merge_state);
    !checks.any(Health::Running) && (is_accepted || !checks.any(Health::Failed))
}

/// A person's comment ends a pause.
fn is_resumed(view: &View<'_>, step: &Step) -> bool {
    *step == Step::ProcessComments { resumes: true }
        && view.resuming_comment().is_some()
        && view.has(Flag::Paused)
}

/// Says what must hold of what a step comes to.
pub(crate) fn check_effects(world: &World, step: &Step) {
    let settlement = world.settlement(step);
    for effect in &settlement.effects {
        match effect {
            Effect::RemoveLabel { label } => {
                assert!(!label.ends_with(":complete"), "{step:?} takes back what is for good: {label}");
            }
            Effect::Comment { body, .. } => assert!(body.starts_with(world.policy.names.heading()), "{body}"),
            _ => {}
        }
    }
    if matches!(step, Step::Rest(_)) {
        assert!(settlement.effects.is_empty(), "a rest did something: {settlement:?}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test program: it asks the environment for its size")]
fn is_full() -> bool {
    std::env::var_os("BATON_TEST_FULL").is_some()
}

/// Walks all sets of labels in one column.
fn walk_column(column: &str) {
    let parts = Parts::of(column);
    let mut world = parts.plain.clone();
    let labels = controlling_labels(&world, column);
    let share = if is_full() { Facts::ALL } else { 12 };
    for set in 0_usize..1 << labels.len() {
        world.item.labels = subset(&labels, set);
        for nth in 0..share {
            // A prime between the numbers of facts makes every set meet others than its neighbours.
            Facts::nth((set * 31 + nth * 17) % Facts::ALL).set(&mut world.item, &parts);
            let step =
                baton_core::pipeline::next_step(&world.item, &world.pipeline, &world.policy, world.now);
            check_step(&world, &step);
            if (set + nth) % 61 == 0 {
                check_trail(&world, &step);
                check_effects(&world, &step);
            }
        }
    }
}

fn subset(labels: &[String], set: usize) -> Vec<String> {
    labels
        .iter()
        .enumerate()
        .filter(|(bit, _)| set & (1 << bit) != 0)
        .map(|(_, label)| label.clone())
        .collect()
}

fn check_trail(world: &World, step: &Step) {
    let assessment = world.assessment();
    assert_eq!(assessment.step, *step);
    let decided = assessment.trail.entries.iter().filter(|entry| entry.answer == Answer::Decided).count();
    assert_eq!(decided, 1, "{assessment:#?}");
}

macro_rules! columns {
    ($($name:ident: $column:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            assert!(COLUMNS.contains(&$column));
            walk_column($column);
        })+
    };
}

columns! {
    no_set_of_labels_misleads_in_specify: "Specify",
    no_set_of_labels_misleads_in_research: "Research",
    no_set_of_labels_misleads_in_plan: "Plan",
    no_set_of_labels_misleads_in_implement: "Implement",
    no_set_of_labels_misleads_in_review: "Review",
    no_set_of_labels_misleads_in_validate: "Validate",
    no_set_of_labels_misleads_in_done: "Done",
    no_set_of_labels_misleads_in_a_column_that_is_no_stage: "Backlog",
}

/// The labels that matter at the gates.
const GATE_FLAGS: [Flag; 8] = [
    Flag::AwaitingReview,
    Flag::BotReprompted,
    Flag::AwaitingCi,
    Flag::RebaseNeeded,
    Flag::Yolo,
    Flag::Cruise,
    Flag::Paused,
    Flag::AwaitingInput,
];

/// What matters at the gates, in all its ways; see [`at_the_gates`].
const GATE_WAYS: [usize; 12] = [1 << GATE_FLAGS.len(), 2, 2, 5, 7, 6, 5, 3, 2, 2, 3, 2];

/// Returns the issue of this number among all that stand at the gates.
fn at_the_gates(number: usize) -> World {
    let mut rest = number;
    let mut ways = GATE_WAYS.iter();
    let mut pick = move || {
        let ways = ways.next().expect("a way for each choice");
        let way = rest % ways;
        rest /= ways;
        way
    };
    let (flags, is_complete, is_plan_pending, stage) = (pick(), pick(), pick(), pick());
    let (state, checks, reviews, late, cycles) = (pick(), pick(), pick(), pick(), pick());
    let (is_closed, auto_advance, is_yolo) = (pick() == 1, pick(), pick() == 1);
    let mut world = in_gated_stage(stage);
    world.item.pull = pull_in_state(state, checks, reviews);
    for (_, flag) in GATE_FLAGS.iter().enumerate().filter(|(bit, _)| flags & (1 << bit) != 0) {
        world = world.flag(*flag);
    }
    if is_complete == 1 {
        world = world.mark(StageMark::Complete);
    }
    if is_plan_pending == 1 {
        world = world.label("agent:plan-pending-approval");
    }
    world.item.is_closed = is_closed;
    world = world.stage(|stage| stage.auto_advance = [None, Some(true), Some(false)][auto_advance]);
    world.policy.yolo = is_yolo;
    if cycles == 1 {
        let stage = world.item.column.clone();
        for turn in baton_core::pipeline::Loop::ALL {
            world.item.memory.cycles.insert(turn.key(&stage), 5);
        }
    }
    world.after([Duration::ZERO, Duration::from_mins(40), Duration::from_hours(48)][late])
}

fn in_gated_stage(number: usize) -> World {
    match number {
        0 => issue_in("Plan").stage(|stage| stage.approval = Some(ApprovalWay::Tracker)),
        1 => issue_in("Implement"),
        2 => issue_in("Review"),
        3 => issue_in("Validate"),
        _ => issue_in("Validate").stage(|stage| stage.wait_for_ci = false),
    }
}

fn pull_in_state(state: usize, checks: usize, reviews: usize) -> Option<LinkedPull> {
    let mut pull = match state {
        0 => return None,
        1 => pull(),
        2 => LinkedPull { is_draft: true, ..pull() },
        3 => LinkedPull { mergeable: Some(false), merge_state: MergeState::Dirty, ..pull() },
        4 => LinkedPull { mergeable: None, merge_state: MergeState::Unknown, ..pull() },
        5 => LinkedPull { state: PullState::Closed, ..pull() },
        _ => merged_pull(),
    };
    let runs = |conclusion| Some(Checks::from(vec![check(1, "build", conclusion)]));
    match checks {
        0 => pull.checks = runs(Some(Conclusion::Success)),
        1 => pull.checks = runs(Some(Conclusion::Failure)),
        2 => pull.checks = runs(None),
        3 => pull.checks = Some(Checks::default()),
        4 => pull.checks = None,
        _ => pull.merge_state = MergeState::Unstable,
    }
    match reviews {
        0 => {}
        1 => pull.reviews = vec![review("rob", ReviewState::Approved)],
        2 => pull.requests = vec![request("rob", false)],
        3 => pull.requests = vec![request("copilot-review", true)],
        _ => pull.threads = vec![thread("T1", "src/lib.rs", 4)],
    }
    Some(pull)
}

/// Returns so many numbers, spread evenly over all of the product: the step between them has no factor in common with it.
/// With `--full` there are more of them, up to the whole product.
fn spread(all: usize, wanted: usize, full: usize) -> impl Iterator<Item = usize> {
    const STRIDE: usize = 1_000_003;
    let count = if is_full() { full } else { wanted };
    (0..count.min(all)).map(move |nth| (nth * STRIDE) % all)
}

fn gate_product() -> usize {
    GATE_WAYS.iter().product()
}

#[test]
fn at_the_gates_no_facts_mislead() {
    for number in spread(gate_product(), 400_000, 5_000_000) {
        let world = at_the_gates(number);
        let step = world.step();
        check_step(&world, &step);
        check_effects(&world, &step);
    }
}

#[test]
fn at_the_gates_every_issue_comes_to_rest_in_a_few_steps() {
    for number in spread(gate_product(), 100_000, 2_000_000) {
        let mut world = at_the_gates(number);
        let steps = world.look_until_rest();
        let last = steps.last().expect("there is a step");
        assert!(!last.is_invocation(), "an agent was woken and nothing shows it: {steps:?}");
    }
}

#[test]
fn any_set_of_labels_comes_to_rest_in_a_few_steps() {
    for column in COLUMNS {
        let parts = Parts::of(column);
        let labels = controlling_labels(&parts.plain, column);
        let all = (1 << labels.len()) * Facts::ALL;
        for number in spread(all, 12_000, 1_000_000) {
            let mut world = parts.plain.clone();
            world.item.labels = subset(&labels, number / Facts::ALL);
            Facts::nth(number % Facts::ALL).set(&mut world.item, &parts);
            world.look_until_rest();
        }
    }
}

#[test]
fn an_issue_that_rests_says_the_same_when_it_is_asked_again() {
    for number in spread(gate_product(), 20_000, 200_000) {
        let mut world = at_the_gates(number);
        let last = world.look_until_rest().pop();
        assert_eq!(world.look_until_rest(), [last.expect("there is a step")]);
    }
}

#[test]
fn a_paused_issue_stays_paused_however_much_time_passes() {
    for number in spread(gate_product(), 20_000, 200_000) {
        let mut world = at_the_gates(number).flag(Flag::Paused);
        world.item.is_closed = false;
        world.look_until_rest();
        world.wait(Duration::from_hours(400));
        world.look_until_rest();
        assert!(matches!(world.step(), Step::Rest(Rest::Paused | Rest::AwaitingInput)), "{:?}", world.step());
    }
}

#[test]
fn nothing_goes_on_for_ever_and_where_it_ends_a_person_sees_why() {
    for number in spread(gate_product(), 10_000, 200_000) {
        for habit in Habit::ALL {
            let mut world = at_the_gates(number);
            live(&mut world, habit);
            check_still(&world);
        }
    }
}
