//! An issue in a small world: what is known of it, and a tracker that does what effects say.
//!
//! A test sets the issue up, looks at it, lets runs end and time pass, and asks what changed. The tracker here is as
//! forgiving as a real one: a label that is there already, or gone, is no mistake.

use std::sync::LazyLock;
use std::time::Duration;

use baton_core::config::{PipelineDialect, stages};
use baton_core::pipeline::checks::{Check, Conclusion};
use baton_core::pipeline::effect::{Effect, Job, Place, Reaction, Wake};
use baton_core::pipeline::item::{
    Approval, Blocker, Comment, LinkedPull, MergeState, Repository, Review, ReviewDecision, ReviewRequest,
    ReviewState, Thread, Usage,
};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::outcome::Effort;
use baton_core::pipeline::trail::{Entry, List};
use baton_core::pipeline::{
    Assessment, End, Item, Moment, Outcome, Pipeline, Policy, Settlement, Stage, Step, View, assess, enact,
    next_step, settle,
};
use baton_core::slot::ItemMemory;
use baton_core::time::{ServerTime, StoreTime};
use baton_core::tracker::PullState;

/// Steps after which an issue must have come to rest.
pub(crate) const STEPS_MAX: usize = 12;

const START_S: i64 = 1_780_000_000;

/// Both are read from texts, and hundreds of thousands of issues need them.
static SHIPPED: LazyLock<Pipeline> = LazyLock::new(|| stages::shipped(PipelineDialect::Baton).pipeline);
static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let policy = Policy { user: Some("ana".to_owned()), ..Policy::default() };
    Policy { own_lock: policy.names.lock("ana"), ..policy }
});

/// One issue and all that decides about it.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) item: Item,
    pub(crate) pipeline: Pipeline,
    pub(crate) policy: Policy,
    pub(crate) now: Moment,
    /// Everything that was performed, in order.
    pub(crate) performed: Vec<Effect>,
}

/// Returns an open issue in a column, with nothing on it, in the shipped pipeline, with `ana` as the operator.
pub(crate) fn issue_in(column: &str) -> World {
    World {
        item: Item {
            issue: "acme/web#42".parse().unwrap(),
            title: "Greet people".to_owned(),
            url: "https://tracker.test/acme/web/issues/42".to_owned(),
            column: column.to_owned(),
            is_closed: false,
            is_pull: false,
            labels: Vec::new(),
            labelled_at: std::collections::BTreeMap::new(),
            comments: Vec::new(),
            blockers: Vec::new(),
            pull: None,
            approval: None,
            foreign_claim: None,
            runner: None,
            repository: Repository::Ready,
            has_worktree: true,
            usage: Usage::default(),
            agent_spending: Vec::new(),
            memory: ItemMemory::default(),
        },
        pipeline: SHIPPED.clone(),
        policy: POLICY.clone(),
        now: Moment { server: ServerTime(START_S), store: StoreTime { ms: START_S * 1000 } },
        performed: Vec::new(),
    }
}

/// Returns an open pull request whose checks have passed, that merges, and that nobody was asked to review.
pub(crate) fn pull() -> LinkedPull {
    LinkedPull {
        number: 7,
        author: "baton-app[bot]".to_owned(),
        state: PullState::Open,
        is_draft: false,
        head_sha: "abc123".to_owned(),
        pushed_at: ServerTime(START_S - 3600),
        mergeable: Some(true),
        merge_state: MergeState::Blocked,
        reviews: Vec::new(),
        requests: Vec::new(),
        decision: ReviewDecision::NoRule,
        threads: Vec::new(),
        checks: Some(vec![check(1, "build", Some(Conclusion::Success))].into()),
        base_failures: Vec::new(),
        required_checks: Vec::new(),
    }
}

pub(crate) fn check(id: u64, name: &str, conclusion: Option<Conclusion>) -> Check {
    Check { id, name: name.to_owned(), conclusion, changed_at: ServerTime(START_S - 600) }
}

/// Returns a new comment by somebody who may write.
pub(crate) fn comment(id: u64, author: &str, body: &str) -> Comment {
    Comment {
        id,
        author: author.to_owned(),
        is_bot: false,
        may_write: true,
        is_own_account: false,
        body: body.to_owned(),
        created_at: ServerTime(START_S - 60),
        has_rocket: false,
        is_on_pull: false,
        signs: Vec::new(),
    }
}

/// Returns an unresolved thread with one new comment by `rob`.
pub(crate) fn thread(id: &str, path: &str, line: u64) -> Thread {
    let number = 900 + line;
    Thread {
        id: id.to_owned(),
        is_resolved: false,
        path: path.to_owned(),
        line: Some(line),
        comments: vec![comment(number, "rob", "Please rename this.")],
    }
}

pub(crate) fn review(author: &str, state: ReviewState) -> Review {
    Review { author: author.to_owned(), state }
}

pub(crate) fn request(login: &str, is_bot: bool) -> ReviewRequest {
    ReviewRequest { login: login.to_owned(), is_bot }
}

/// Returns the end of a run with what the agent said.
pub(crate) fn ended(job: Job, end: End, text: &str) -> Outcome {
    Outcome {
        job,
        end,
        text: text.to_owned(),
        comments: Vec::new(),
        threads: Vec::new(),
        thread_comments: Vec::new(),
        workplace: None,
        effort: Effort::default(),
    }
}

/// Setting up.
impl World {
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn flag(self, flag: Flag) -> Self {
        let label = self.policy.names.flag(flag);
        self.label(&label)
    }

    /// Puts on a label of the stage that the issue is in.
    pub(crate) fn mark(self, mark: StageMark) -> Self {
        let label = self.policy.names.stage(&self.item.column, mark);
        self.label(&label)
    }

    /// Puts on a label, now.
    pub(crate) fn label(mut self, label: &str) -> Self {
        self.put_on(label);
        self
    }

    pub(crate) fn locked(self) -> Self {
        let lock = self.policy.own_lock.clone();
        self.label(&lock).mark(StageMark::InProgress)
    }

    pub(crate) fn closed(mut self) -> Self {
        self.item.is_closed = true;
        self
    }

    pub(crate) fn pull(mut self, change: impl FnOnce(&mut LinkedPull)) -> Self {
        change(self.item.pull.get_or_insert_with(pull));
        self
    }

    pub(crate) fn comment(mut self, comment: Comment) -> Self {
        self.item.comments.push(comment);
        self
    }

    pub(crate) fn blocker(mut self, issue: &str, is_open: bool) -> Self {
        self.item.blockers.push(Blocker { issue: issue.parse().unwrap(), is_open });
        self
    }

    pub(crate) fn policy(mut self, change: impl FnOnce(&mut Policy)) -> Self {
        change(&mut self.policy);
        self
    }

    /// Changes the stage that the issue is in.
    pub(crate) fn stage(mut self, change: impl FnOnce(&mut Stage)) -> Self {
        let mut stages = self.pipeline.stages().to_vec();
        change(stages.iter_mut().find(|stage| stage.name == self.item.column).unwrap());
        self.pipeline = Pipeline::new(stages);
        self
    }

    /// Lets time pass by both clocks.
    pub(crate) fn after(mut self, wait: Duration) -> Self {
        self.wait(wait);
        self
    }
}

/// What happens.
impl World {
    pub(crate) fn wait(&mut self, wait: Duration) {
        self.now.server.0 += i64::try_from(wait.as_secs()).unwrap();
        self.now.store = self.now.store.plus(wait);
    }

    pub(crate) fn view(&self) -> View<'_> {
        View::new(&self.item, &self.pipeline, &self.policy, self.now)
    }

    /// Returns the next step; both ways to ask for it must agree.
    pub(crate) fn step(&self) -> Step {
        let step = next_step(&self.item, &self.pipeline, &self.policy, self.now);
        assert_eq!(step, self.assessment().step, "the trail tells of another step");
        step
    }

    pub(crate) fn assessment(&self) -> Assessment {
        assess(&self.item, &self.pipeline, &self.policy, self.now)
    }

    /// Returns what a step comes to, without doing it.
    pub(crate) fn settlement(&self, step: &Step) -> Settlement {
        enact(step, &self.item, &self.pipeline, &self.policy, self.now)
    }

    /// Takes one step and returns it.
    pub(crate) fn look(&mut self) -> Step {
        self.look_closely().0
    }

    /// Takes one step and returns it with what it came to.
    pub(crate) fn look_closely(&mut self) -> (Step, Settlement) {
        let step = self.step();
        let settlement = self.settlement(&step);
        self.perform(settlement.clone());
        (step, settlement)
    }

    /// Takes steps until one changes nothing, and returns them all.
    pub(crate) fn look_until_rest(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            let step = self.step();
            let settlement = self.settlement(&step);
            let is_over = settlement.is_empty();
            steps.push(step);
            if is_over {
                return steps;
            }
            assert!(steps.len() < STEPS_MAX, "it does not come to rest: {steps:#?}\n{:#?}", self.item);
            self.perform(settlement);
        }
    }

    /// Lets the run end that works on the issue in its column, and returns what that comes to.
    pub(crate) fn end_run(&mut self, outcome: &Outcome) -> Settlement {
        let stage = self.woken().map_or_else(|| self.item.column.clone(), |wake| wake.stage.clone());
        let settlement = settle(&self.item, &stage, outcome, &self.pipeline, &self.policy, self.now);
        self.item.runner = None;
        self.perform(settlement.clone());
        settlement
    }

    /// Lets the stage's run end with a word and a sentence.
    pub(crate) fn end_stage(&mut self, text: &str) -> Settlement {
        self.end_run(&ended(Job::Stage, End::Finished, text))
    }

    pub(crate) fn perform(&mut self, settlement: Settlement) {
        for effect in settlement.effects {
            self.perform_one(&effect);
            self.performed.push(effect);
        }
        if let Some(memory) = settlement.memory {
            self.item.memory = memory;
        }
    }

    #[expect(clippy::match_same_arms, reason = "what is not seen here is listed by name")]
    fn perform_one(&mut self, effect: &Effect) {
        match effect {
            Effect::AddLabel { label } => self.put_on(label),
            Effect::RemoveLabel { label } => self.take_off(label),
            Effect::Comment { on, body } => self.post(*on, body),
            Effect::EditComment { id, body } => {
                let comment = self.item.comments.iter_mut().find(|comment| comment.id == *id);
                comment.unwrap().body.clone_from(body);
            }
            Effect::React { on, comments, with } => self.react(*on, comments, *with),
            Effect::ResolveThreads { threads } => self.resolve(threads),
            Effect::MoveTo { column } => self.item.column.clone_from(column),
            Effect::CreateDraftPull { .. } => {
                self.item.pull.get_or_insert_with(|| LinkedPull { is_draft: true, ..pull() });
            }
            Effect::MarkPullReady => self.item.pull.iter_mut().for_each(|pull| pull.is_draft = false),
            Effect::MergePull { .. } => self.merge(),
            Effect::AskApproval { stage, plan } => {
                self.item.approval = Some(Approval::asked(stage, plan, self.now.server));
            }
            Effect::TellOnSlack { .. } => {}
            Effect::RemoveWorktree => self.item.has_worktree = false,
            Effect::Wake(_) => self.item.runner = Some("coder".to_owned()),
            Effect::AskReviewersAgain { .. } | Effect::CreateSubIssues { .. } => {}
            Effect::UpdateIssue { .. } | Effect::PushBranch | Effect::Release => {}
        }
    }

    fn put_on(&mut self, label: &str) {
        if !self.has_label(label) {
            self.item.labels.push(label.to_owned());
        }
        self.item.labelled_at.insert(label.to_owned(), self.now.server);
    }

    fn take_off(&mut self, label: &str) {
        self.item.labels.retain(|own| own != label);
        self.item.labelled_at.remove(label);
    }

    fn post(&mut self, on: Place, body: &str) {
        assert!(
            on == Place::Issue || self.item.pull.is_some(),
            "there is no pull request to say this on: {body}"
        );
        let id = 10_000 + u64::try_from(self.performed.len()).unwrap();
        let mut posted = comment(id, "baton-app[bot]", body);
        posted.created_at = self.now.server;
        posted.is_on_pull = on == Place::Pull;
        (posted.has_rocket, posted.is_own_account) = (true, true);
        self.item.comments.push(posted);
    }

    fn react(&mut self, on: Place, ids: &[u64], with: Reaction) {
        let of_threads = self.item.pull.iter_mut().flat_map(|pull| &mut pull.threads);
        let of_threads = of_threads.flat_map(|thread| &mut thread.comments);
        let comments: Vec<_> = match on {
            Place::Issue => self.item.comments.iter_mut().collect(),
            Place::Pull => of_threads.collect(),
        };
        for comment in comments.into_iter().filter(|comment| ids.contains(&comment.id)) {
            comment.has_rocket |= with == Reaction::Rocket;
        }
    }

    fn resolve(&mut self, ids: &[String]) {
        let threads = self.item.pull.iter_mut().flat_map(|pull| &mut pull.threads);
        threads.filter(|thread| ids.contains(&thread.id)).for_each(|thread| thread.is_resolved = true);
    }

    /// The pull request says that it closes the issue, so a merge does.
    fn merge(&mut self) {
        self.item.pull.iter_mut().for_each(|pull| pull.state = PullState::Merged);
        self.item.is_closed = true;
    }
}

/// What is the case.
impl World {
    /// Returns what the agent at work was woken for.
    pub(crate) fn woken(&self) -> Option<&Wake> {
        let wakes = self.performed.iter().rev().filter_map(|effect| match effect {
            Effect::Wake(wake) => Some(wake),
            _ => None,
        });
        let mut wakes = wakes.filter(|_| self.item.runner.is_some());
        wakes.next()
    }

    /// Returns the end of the run at work, with all that it was told.
    pub(crate) fn ended(&self, end: End, text: &str) -> Outcome {
        let Some(wake) = self.woken().cloned() else { return ended(Job::Stage, end, text) };
        let Wake { job, comments, threads, thread_comments, .. } = wake;
        Outcome { comments, threads, thread_comments, ..ended(job, end, text) }
    }

    pub(crate) fn has_label(&self, label: &str) -> bool {
        self.item.labels.iter().any(|own| own == label)
    }

    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.has_label(&self.policy.names.flag(flag))
    }

    /// Returns whether a stage is marked so.
    pub(crate) fn is_marked(&self, stage: &str, mark: StageMark) -> bool {
        self.has_label(&self.policy.names.stage(stage, mark))
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.has_label(&self.policy.own_lock)
    }

    /// Returns what agents were woken for so far.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let job = |effect: &Effect| match effect {
            Effect::Wake(Wake { job, .. }) => Some(*job),
            _ => None,
        };
        self.performed.iter().filter_map(job).collect()
    }

    /// Returns what a rule says, were the issue looked at now.
    pub(crate) fn answer(&self, list: List, rule: &str) -> Entry {
        let mut entries = self.assessment().trail.entries.into_iter();
        entries.find(|entry| entry.list == list && entry.rule == rule).unwrap()
    }

    /// Returns what a rule notes under a name, were the issue looked at now.
    pub(crate) fn fact(&self, list: List, rule: &str, name: &str) -> String {
        let mut facts = self.answer(list, rule).facts.into_iter();
        facts.find(|fact| fact.name == name).unwrap().value
    }
}

/// Returns what a settlement does to labels in one line, in order of the alphabet: `+baton:paused -baton:locked:ana`.
pub(crate) fn relabelled(settlement: &Settlement) -> String {
    let mut added: Vec<_> = added(settlement).iter().map(|label| format!("+{label}")).collect();
    let mut removed: Vec<_> = removed(settlement).iter().map(|label| format!("-{label}")).collect();
    added.sort();
    removed.sort();
    [added, removed].concat().join(" ")
}

/// Returns the labels that a settlement adds.
pub(crate) fn added<'a>(settlement: &'a Settlement) -> Vec<&'a str> {
    let label = |effect: &'a Effect| match effect {
        Effect::AddLabel { label } => Some(label.as_str()),
        _ => None,
    };
    settlement.effects.iter().filter_map(label).collect()
}

/// Returns the labels that a settlement removes.
pub(crate) fn removed<'a>(settlement: &'a Settlement) -> Vec<&'a str> {
    let label = |effect: &'a Effect| match effect {
        Effect::RemoveLabel { label } => Some(label.as_str()),
        _ => None,
    };
    settlement.effects.iter().filter_map(label).collect()
}

/// Returns what a settlement says, and where.
pub(crate) fn said(settlement: &Settlement) -> Vec<(Place, &str)> {
    let comment = |effect| match effect {
        &Effect::Comment { on, ref body } => Some((on, body.as_str())),
        _ => None,
    };
    settlement.effects.iter().filter_map(comment).collect()
}
