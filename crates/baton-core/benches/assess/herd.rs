//! Many issues as a board has them: most rest, some wait at a gate, few are to be worked on.

use baton_core::config::{PipelineDialect, stages};
use baton_core::pipeline::item::{Blocker, Comment, Repository, Usage};
use baton_core::pipeline::{Item, Moment, Pipeline, Policy, Step, enact, next_step};
use baton_core::slot::ItemMemory;
use baton_core::time::{ServerTime, StoreTime};

use crate::dice::Dice;
use crate::pull;

pub(crate) const NOW_S: i64 = 1_780_000_000;
/// The sizes of comments, in bytes.
const BODY_BYTES: (u64, u64) = (50, 3000);
/// How many of a hundred comments carry our sign already.
const ROCKETED: u64 = 95;

const WORDS: &str = "The filter is lost after a reload because the address does not carry it. Keep it there, so that it can be \
                     shared, and read it before the list is drawn; the test should begin with an address. ";

/// What an issue is doing, and how many of a hundred do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Backlog,
    Done,
    AwaitingMove,
    Paused,
    Blocked,
    Running,
    CoolingDown,
    AwaitingReview,
    AwaitingChecks,
    AwaitingMerge,
    New,
    Answered,
    Failing,
    Ready,
}

const MIX: [(Sort, usize); 14] = [
    (Sort::Backlog, 18),
    (Sort::Done, 22),
    (Sort::AwaitingMove, 14),
    (Sort::Paused, 8),
    (Sort::Blocked, 6),
    (Sort::Running, 4),
    (Sort::CoolingDown, 3),
    (Sort::AwaitingReview, 9),
    (Sort::AwaitingChecks, 6),
    (Sort::AwaitingMerge, 4),
    (Sort::New, 2),
    (Sort::Answered, 2),
    (Sort::Failing, 1),
    (Sort::Ready, 1),
];

/// The issues, and what decides about them.
pub(crate) struct Herd {
    items: Vec<Item>,
    pub(crate) pipeline: Pipeline,
    pub(crate) policy: Policy,
    pub(crate) now: Moment,
}

impl Herd {
    pub(crate) fn new(count: usize) -> Self {
        let mut dice = Dice::new();
        let sorts: Vec<_> = MIX.iter().flat_map(|(sort, share)| vec![*sort; *share]).collect();
        let items = (0..count).map(|number| item(number as u64 + 1, dice.one_of(&sorts), &mut dice));
        Self {
            items: items.collect(),
            pipeline: stages::shipped(PipelineDialect::Baton).pipeline,
            policy: Policy::default(),
            now: Moment { server: ServerTime(NOW_S), store: StoreTime { ms: NOW_S * 1000 } },
        }
    }

    fn step(&self, item: &Item) -> Step {
        next_step(item, &self.pipeline, &self.policy, self.now)
    }

    pub(crate) fn all(&self) -> Vec<&Item> {
        self.items.iter().collect()
    }

    /// The issues about which nothing is to be done.
    pub(crate) fn idle(&self) -> Vec<&Item> {
        let is_idle =
            |item: &&Item| enact(&self.step(item), item, &self.pipeline, &self.policy, self.now).is_empty();
        self.items.iter().filter(is_idle).collect()
    }

    /// Those of them for which all guards were asked, and gates.
    pub(crate) fn at_gates(&self) -> Vec<&Item> {
        let waits = |step: Step| {
            use baton_core::pipeline::step::{Hold, Rest};
            let is_early = matches!(step, Step::HoldAtGate(Hold::Dependencies));
            matches!(step, Step::HoldAtGate(_) | Step::Rest(Rest::AwaitingMove | Rest::AwaitingMerge))
                && !is_early
        };
        self.idle().into_iter().filter(|item| waits(self.step(item))).collect()
    }
}

fn item(number: u64, sort: Sort, dice: &mut Dice) -> Item {
    let column = column(sort, dice);
    let mut item = Item {
        issue: format!("acme/web#{number}").parse().expect("a reference"),
        title: body(dice.between(20, 80) as usize),
        url: String::new(),
        column: column.to_owned(),
        is_closed: sort == Sort::Done,
        is_pull: false,
        labels: plain_labels(column, dice),
        labelled_at: std::collections::BTreeMap::new(),
        comments: (0..dice.between(5, 30)).map(|place| comment(number * 100 + place, sort, dice)).collect(),
        blockers: Vec::new(),
        pull: pull::of(column, number, dice),
        approval: None,
        foreign_claim: None,
        runner: None,
        repository: Repository::Ready,
        has_worktree: sort != Sort::Backlog,
        usage: Usage { issue_runs: dice.between(0, 9), ..Usage::default() },
        agent_spending: Vec::new(),
        memory: ItemMemory::default(),
    };
    remember(&mut item, dice);
    make(&mut item, sort, dice);
    item
}

fn column(sort: Sort, dice: &mut Dice) -> &'static str {
    match sort {
        Sort::Backlog => "Backlog",
        Sort::Done => "Done",
        Sort::AwaitingReview => "Review",
        Sort::AwaitingChecks | Sort::AwaitingMerge | Sort::Failing => "Validate",
        _ => dice.one_of(&["Specify", "Research", "Plan", "Implement"]),
    }
}

/// What people put on, and what the stages before have left.
fn plain_labels(column: &str, dice: &mut Dice) -> Vec<String> {
    let mut labels: Vec<String> = vec![dice.one_of(&["bug", "feature", "documentation"]).to_owned()];
    for kind in ["area", "priority", "team"] {
        if dice.chance(50) {
            labels.push(format!("{kind}:{}", dice.one_of(&["search", "basket", "high", "low", "web"])));
        }
    }
    const STAGES: [&str; 6] = ["Specify", "Research", "Plan", "Implement", "Review", "Validate"];
    let passed = STAGES.iter().take_while(|stage| **stage != column);
    labels.extend(passed.filter(|_| column != "Backlog").map(|stage| format!("stage:{stage}:complete")));
    labels
}

/// What the engine remembers of an issue that was worked on for a while.
fn remember(item: &mut Item, dice: &mut Dice) {
    if item.column == "Backlog" {
        return;
    }
    let rocketed = item.comments.iter().filter(|comment| comment.has_rocket);
    item.memory.processed_comments = rocketed.map(|comment| comment.id).collect();
    item.memory.checked_pulls = item.pull.iter().map(|pull| pull.number).collect();
    if dice.chance(20) {
        item.memory.cycles.insert("review:Review".to_owned(), 1);
    }
}

fn comment(id: u64, sort: Sort, dice: &mut Dice) -> Comment {
    let (author, body) = words(dice);
    let is_by_person = ["ana", "bo", "cy"].contains(&author);
    // What people said is answered, but for the few whose turn it is; the others' signs may be missing for good.
    let has_rocket =
        dice.chance(ROCKETED) || (is_by_person && sort != Sort::Answered && !body.starts_with('<'));
    Comment {
        id,
        author: author.to_owned(),
        is_bot: author.ends_with("[bot]"),
        may_write: true,
        body,
        created_at: ServerTime(NOW_S - dice.between(600, 9_000_000) as i64),
        has_rocket,
        is_own_account: false,
        is_on_pull: dice.chance(30),
        signs: Vec::new(),
    }
}

/// Who says what: the engine, people, claims of people, and a program about its own service.
fn words(dice: &mut Dice) -> (&'static str, String) {
    // Most comments are short, and few are very long: the logarithm of the length is spread evenly.
    let (least, most) = BODY_BYTES;
    let spread = dice.between(0, 1000) as f64 / 1000.0;
    let text = body((least as f64 * (most as f64 / least as f64).powf(spread)) as usize);
    let person = dice.one_of(&["ana", "bo", "cy"]);
    match dice.between(1, 100) {
        1..=35 => ("acme-baton[bot]", format!("🏃 **Baton — stage: Plan**\n{text}")),
        36..=40 => (person, format!("<!-- claim run={person} -->\n{text}")),
        41..=43 => ("gemini-code-assist[bot]", format!("You have reached your daily quota limit. {text}")),
        _ => (person, text),
    }
}

fn body(length: usize) -> String {
    WORDS.bytes().cycle().take(length).map(char::from).collect()
}

/// Makes an issue do what its sort does.
fn make(item: &mut Item, sort: Sort, dice: &mut Dice) {
    let own = format!("stage:{}:complete", item.column);
    match sort {
        Sort::Backlog | Sort::New | Sort::Answered => {}
        Sort::Done | Sort::AwaitingMove => item.labels.push(own),
        Sort::AwaitingMerge => item.labels.extend([own, "baton:cruise".to_owned()]),
        Sort::Ready => item.labels.extend([own, "baton:yolo".to_owned()]),
        Sort::Paused => item.labels.extend(["baton:paused", "baton:awaiting-input"].map(str::to_owned)),
        Sort::Blocked => {
            item.labels.push("baton:blocked".to_owned());
            item.blockers =
                vec![Blocker { issue: "acme/web#1".parse().expect("a reference"), is_open: true }];
        }
        Sort::Running => item.runner = Some("run 17 of coder".to_owned()),
        Sort::CoolingDown => {
            let until = StoreTime { ms: (NOW_S + dice.between(10, 300) as i64) * 1000 };
            item.memory.cooldowns.insert(item.column.clone(), until);
            item.memory.attempts.insert(item.column.clone(), 1);
        }
        Sort::AwaitingReview => {
            item.labels.push(own);
            flag(item, "baton:awaiting-review", dice.between(10, 800));
            pull::ask_reviewer(item, dice);
        }
        Sort::AwaitingChecks | Sort::Failing => {
            flag(item, "baton:awaiting-ci", dice.between(10, 1500));
            pull::begin_checks(item, sort == Sort::Failing);
        }
    }
}

fn flag(item: &mut Item, label: &str, seconds: u64) {
    item.labels.push(label.to_owned());
    item.labelled_at.insert(label.to_owned(), ServerTime(NOW_S - seconds as i64));
}
