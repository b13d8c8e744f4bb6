//! People: they open issues, comment, answer, pause, edit labels by hand, move cards, review, close and merge.

use std::sync::Arc;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::pipeline::item::ReviewState;
use baton_core::tracker::{IssueKey, PullState};

use super::clock::pass;
use super::dice::Dice;
use super::tracker::Hub;
use super::tracker::state::{Repo, label_of_column};

/// The columns that people move issues to.
const COLUMNS: [&str; 8] =
    ["Backlog", "Specify", "Research", "Plan", "Implement", "Review", "Validate", "Done"];
/// The labels that people put on and take off, whatever they mean.
const LABELS: [&str; 14] = [
    "baton:paused",
    "baton:paused",
    "baton:awaiting-input",
    "baton:awaiting-ci",
    "baton:awaiting-review",
    "baton:blocked",
    "baton:editing",
    "baton:cruise",
    "baton:rebase-needed",
    "do-not-pickup",
    "stage:Plan:in_progress",
    "stage:Implement:failed",
    "stage:Research:complete",
    "bug",
];
const TEAM: [&str; 2] = ["ana", "ben"];
const ANYBODY: [&str; 5] = ["ana", "ana", "ben", "eve", "coderabbitai[bot]"];
/// How often somebody looks after the questions that were left, when all else is over.
const ROUNDS: u64 = 4;
const ROUND: Duration = Duration::from_secs(30 * 60);

/// The people of a world.
#[derive(Clone)]
pub(crate) struct People {
    hub: Arc<Hub>,
    dice: Dice,
}

impl People {
    pub(crate) fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub), dice: Dice::new(hub.scene.seed, "people") }
    }

    /// Returns for how long after the storm somebody looks after what was left.
    pub(crate) fn looks_after() -> Duration {
        ROUND * u32::try_from(ROUNDS).unwrap_or(u32::MAX) + Duration::from_secs(1200)
    }

    /// Opens the issues that the world begins with.
    pub(crate) fn open_issues(&self, repos: &[RepoSlug]) {
        let mut last = None;
        for _ in 0..self.hub.scene.knobs.issues {
            let Some(repo) = self.dice.pick(repos) else { continue };
            let blocker = last.take().filter(|_| self.dice.per_mille(250));
            let column = if self.dice.per_mille(300) { "Specify" } else { "Research" };
            let mut labels = vec![label_of_column(column)];
            if self.dice.per_mille(100) {
                labels.push("baton:cruise".to_owned());
            }
            let number = self.hub.open("ana", repo, &labels, blocker);
            last = Some(IssueKey { repo: repo.clone(), number });
        }
    }

    /// Reviews what is ready, once in a while, as a diligent colleague does.
    pub(crate) async fn review(self) {
        loop {
            pass(self.dice.millis(60_000, 40 * 60_000)).await;
            for (repo, number) in self.ready_pulls() {
                match self.dice.below(10) {
                    0 if self.hub.scene.are_faults_on() => self.hub.open_thread("ben", &repo, number),
                    1 => {}
                    _ => self.hub.review("ben", &repo, number, ReviewState::Approved),
                }
            }
        }
    }

    fn ready_pulls(&self) -> Vec<(RepoSlug, u64)> {
        let truth = self.hub.truth();
        let is_waiting = |repo: &RepoSlug, number: &u64| {
            let pull = truth.repos.get(repo).and_then(|row| row.pulls.get(number));
            pull.is_some_and(|pull| {
                !pull.is_draft && !pull.reviews.iter().any(|review| review.author == "ben")
            })
        };
        self.open_pulls().into_iter().filter(|(repo, number)| is_waiting(repo, number)).collect()
    }

    /// Does what people do, for as long as things go wrong; then somebody looks after what was left.
    pub(crate) async fn live(self) {
        let knobs = &self.hub.scene.knobs;
        let mut moments: Vec<_> =
            (0..knobs.doings).map(|_| self.dice.below(knobs.faults_until.as_millis() as u64)).collect();
        moments.sort_unstable();
        for moment in moments {
            pass(Duration::from_millis(moment.saturating_sub(self.hub.scene.now_ms()))).await;
            self.do_something();
        }
        let rest = knobs.faults_until.saturating_sub(Duration::from_millis(self.hub.scene.now_ms()));
        pass(rest + Duration::from_secs(600)).await;
        self.put_right();
        for _ in 0..ROUNDS {
            pass(ROUND).await;
            self.answer_all();
        }
    }

    fn issues(&self) -> Vec<IssueKey> {
        let truth = self.hub.truth();
        let all =
            truth.repos.iter().flat_map(|(repo, row)| row.issues.keys().map(move |number| (repo, *number)));
        all.map(|(repo, number)| IssueKey { repo: repo.clone(), number }).collect()
    }

    fn open_pulls(&self) -> Vec<(RepoSlug, u64)> {
        let truth = self.hub.truth();
        let pulls = |row: &Repo| {
            row.pulls
                .values()
                .filter(|pull| pull.state == PullState::Open)
                .map(|pull| pull.number)
                .collect::<Vec<_>>()
        };
        truth
            .repos
            .iter()
            .flat_map(|(repo, row)| pulls(row).into_iter().map(|number| (repo.clone(), number)))
            .collect()
    }

    fn do_something(&self) {
        let issues = self.issues();
        let Some(issue) = self.dice.pick(&issues).cloned() else { return };
        let who = *self.dice.pick(&TEAM).unwrap_or(&"ana");
        match self.dice.below(20) {
            0..=4 => {
                let anybody = *self.dice.pick(&ANYBODY).unwrap_or(&"ana");
                self.hub.comment(anybody, &issue, &format!("What about number {}?", self.dice.below(100)));
            }
            5 | 6 => self.answer_all(),
            7..=9 => {
                let label = *self.dice.pick(&LABELS).unwrap_or(&"bug");
                self.hub.label(who, &issue, label, true);
            }
            10 | 11 => self.take_a_label_off(who, &issue),
            12 => {
                let column = *self.dice.pick(&COLUMNS).unwrap_or(&"Specify");
                self.hub.drag(who, &issue, column);
            }
            13 => self.hub.close(who, &issue),
            14 => drop(self.hub.open(who, &issue.repo, &[label_of_column("Specify")], None)),
            _ => self.see_to_a_pull(who),
        }
    }

    fn take_a_label_off(&self, who: &str, issue: &IssueKey) {
        let truth = self.hub.truth();
        let row = truth.repos.get(&issue.repo).and_then(|repo| repo.issues.get(&issue.number)).cloned();
        let label = row.as_ref().and_then(|row| self.dice.pick(&row.labels).cloned());
        if let Some(label) = label {
            self.hub.label(who, issue, &label, false);
        }
    }

    fn see_to_a_pull(&self, who: &str) {
        let pulls = self.open_pulls();
        let Some((repo, number)) = self.dice.pick(&pulls) else { return };
        match self.dice.below(8) {
            0 | 1 => self.hub.review(who, repo, *number, ReviewState::Approved),
            2 => self.hub.review(who, repo, *number, ReviewState::ChangesRequested),
            3 => self.hub.review(who, repo, *number, ReviewState::Commented),
            4 | 5 => self.hub.open_thread(who, repo, *number),
            6 => self.hub.request(who, repo, *number, "ben"),
            _ => self.hub.merge_by_hand(who, repo, *number),
        }
    }

    /// Takes back, after the storm, what only people take back: their own pauses, holds and half-written labels.
    fn put_right(&self) {
        for issue in self.issues() {
            let truth = self.hub.truth();
            let row = truth.repos.get(&issue.repo).and_then(|repo| repo.issues.get(&issue.number)).cloned();
            let Some(row) = row else { continue };
            for label in row.labels.iter().filter(|label| {
                let by = row.labelled_by(label).unwrap_or_default();
                TEAM.contains(&by)
                    && (label.starts_with("baton:") || *label == "do-not-pickup")
                    && *label != "baton:cruise"
            }) {
                self.hub.label("ana", &issue, label, false);
            }
        }
        for (repo, number) in self.open_pulls() {
            self.hub.review("ben", &repo, number, ReviewState::Approved);
        }
    }

    /// Answers every question that an issue waits with.
    fn answer_all(&self) {
        for issue in self.issues() {
            let truth = self.hub.truth();
            let row = truth.repos.get(&issue.repo).and_then(|repo| repo.issues.get(&issue.number)).cloned();
            let Some(row) = row.filter(|row| row.is_open) else { continue };
            if row.has("baton:paused") {
                self.hub.comment("ana", &issue, "Please go on.");
            }
            // What was specified goes on only when a person says so.
            if row.has("stage:Specify") && row.has("stage:Specify:complete") {
                self.hub.drag("ana", &issue, "Research");
            }
        }
        for (repo, number) in self.open_pulls() {
            self.hub.review("ben", &repo, number, ReviewState::Approved);
        }
    }
}
