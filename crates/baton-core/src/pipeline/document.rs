//! The page about the state machine, made from the lists that decide.
//!
//! Rules, reasons, labels and settings come from where they are used. What happens between two looks is told by a table
//! of moves, which tests hold to the steps that there are.

mod diagrams;

use std::fmt::Write as _;

use super::explanation::pause;
use super::gates::GATES;
use super::guards::GUARDS;
use super::label_table::{LABELS, Row};
use super::names::Names;
use super::policy::Budget;
use super::stage::Pipeline;
use super::step::{Cause, Hold, Pause, Repair, Rest, Step};
use super::trail::Rule;
use super::upkeep::UPKEEP;
use crate::config::table::setting;
use crate::labels::dialect::Dialect;

/// The steps, each with what it is.
const STEPS: [(Step, &str); 11] = [
    (Step::Rest(Rest::Paused), "Nothing is done, for one of the reasons [below](#why-an-issue-rests)."),
    (Step::RepairLabels(Repair::Stale), "Labels are made to say what is the case."),
    (Step::ClearFailure, "A failure that a person has looked at is forgotten, with all its counters."),
    (
        Step::ProcessComments { resumes: false },
        "The agent answers new comments. After a pause this resumes the work.",
    ),
    (Step::Invoke { resume: false }, "The agent works on the stage, or goes on with it."),
    (
        Step::HoldAtGate(Hold::Checks),
        "A finished stage [waits](#why-an-issue-waits-at-a-gate) before it is left.",
    ),
    (
        Step::Reinvoke(Cause::CiFix),
        "The agent is sent back to a finished stage: reviews, failing checks, a rebase.",
    ),
    (Step::Pause(Pause::CiTimeout), "The work stops, and a person is [asked](#why-an-issue-is-paused)."),
    (Step::Merge, "The pull request is merged, if its head is still the one that was judged."),
    (Step::Advance { to: String::new() }, "The issue is handed on to the next stage."),
    (Step::CleanUp, "The work tree is removed: the end of the relay."),
];

/// The pauses, and the settings that have a say in each.
const PAUSES: [(Pause, &[&str]); 13] = [
    (Pause::ReviewTimeout { reprompted: false }, &["review_wait_timeout"]),
    (Pause::ReviewTimeout { reprompted: true }, &["review_wait_timeout"]),
    (Pause::ReviewCycles, &["max_review_cycles"]),
    (Pause::CiTimeout, &["ci_wait_timeout", "ci_backstop_timeout"]),
    (Pause::ChecksFailed, &["ci_wait_timeout", "ci_backstop_timeout"]),
    (Pause::CiFixCycles, &["max_ci_fix_cycles"]),
    (Pause::RebaseCycles, &["max_rebase_cycles"]),
    (Pause::CommentCycles, &["max_comment_cycles", "comment_cycle_window"]),
    (
        Pause::BudgetSpent(Budget::IssueRuns),
        &[
            "budget.issue_runs_per_day",
            "budget.issue_cost_per_day",
            "budget.repo_runs_per_day",
            "budget.repo_cost_per_day",
        ],
    ),
    (Pause::PullClosed, &[]),
    (Pause::NoPull, &[]),
    (Pause::MergeRefused, &[]),
    (Pause::ApprovalTimeout, &["approval_timeout"]),
];

/// Further settings that rules look at.
const SETTINGS: [&str; 8] = [
    "dialect",
    "yolo",
    "poll",
    "max_retries",
    "max_slices",
    "post_push_dwell",
    "ci.accept_states",
    "ci.required_checks",
];

/// Returns the page for a pipeline.
pub fn document(pipeline: &Pipeline) -> String {
    let mut page = String::from(HEAD);
    let _ = write!(page, "\n## The shipped pipeline\n\n{PIPELINE}\n{}", diagrams::pipeline(pipeline));
    let _ = write!(page, "\n## Within a stage\n\n{STAGE}\n{}", diagrams::stage());
    page +=
        "\n## Steps\n\nEvery look at an issue ends in one of these.\n\n| step | what happens |\n|---|---|\n";
    for (step, what) in &STEPS {
        let _ = writeln!(page, "| `{}` | {what} |", step.word());
    }
    for (heading, intro, rules) in [
        ("Upkeep", UPKEEP_INTRO, &UPKEEP[..]),
        ("Guards", GUARDS_INTRO, &GUARDS),
        ("Gates", GATES_INTRO, &GATES),
    ] {
        let _ = write!(page, "\n## {heading}\n\n{intro}\n{}", rules_table(rules));
    }
    page += &reasons();
    page += &pauses();
    page += &labels();
    page + &settings()
}

fn rules_table(rules: &[Rule]) -> String {
    let mut table = String::from("| | rule | asks | if so |\n|---|---|---|---|\n");
    for (place, rule) in (1..).zip(rules) {
        let _ = writeln!(table, "| {place} | `{}` | {} | {} |", rule.id, rule.asks, rule.then);
    }
    table
}

fn reasons() -> String {
    let mut text = String::new();
    let mut list = |heading: &str, reasons: Vec<&str>| {
        let _ = write!(text, "\n## {heading}\n\n");
        reasons.iter().for_each(|reason| {
            let _ = writeln!(text, "- {reason}");
        });
    };
    list("Why an issue rests", Rest::ALL.iter().map(|it| it.as_str()).collect());
    list("Why an issue waits at a gate", Hold::ALL.iter().map(|it| it.as_str()).collect());
    list("Why labels are put right", Repair::ALL.iter().map(|it| it.as_str()).collect());
    text
}

fn pauses() -> String {
    let mut text = format!(
        "\n## Why an issue is paused\n\n{PAUSES_INTRO}\n\n| pause | why | settings |\n|---|---|---|\n"
    );
    for (why, keys) in &PAUSES {
        let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
        let keys = if keys.is_empty() { "–".to_owned() } else { keys.join(", ") };
        let told = match why {
            Pause::BudgetSpent(_) => {
                "the budget of the day is spent: of the issue, of the repository, or of the agent \
                                      (its `runs_per_day` and `cost_per_day`)"
                    .to_owned()
            }
            why => pause(*why),
        };
        let _ = writeln!(text, "| `{}` | {told} | {keys} |", why.word());
    }
    text
}

fn labels() -> String {
    let names = Names::of(Dialect::Baton);
    let mut text = format!(
        "\n## Labels\n\n{LABELS_INTRO}\n\n| label | stays | added by | removed by |\n|---|---|---|---|\n"
    );
    for row in &LABELS {
        let Row { label, lasting, added, removed, .. } = row;
        let _ = writeln!(text, "| `{}` | {} | {added} | {removed} |", label.shown(names), lasting.word());
    }
    text
}

fn settings() -> String {
    let mut text = format!(
        "\n## Settings\n\n{SETTINGS_INTRO}\n\n| setting | default | what it is for |\n|---|---|---|\n"
    );
    let mut keys: Vec<_> = PAUSES.iter().flat_map(|(_, keys)| keys.iter()).chain(&SETTINGS).collect();
    keys.sort_unstable();
    keys.dedup();
    for setting in keys.into_iter().filter_map(|key| setting(key)) {
        let default =
            if setting.default.is_empty() { "–".to_owned() } else { format!("`{}`", setting.default) };
        let _ = writeln!(text, "| `{}` | {default} | {} |", setting.key, setting.description);
    }
    text
}

const HEAD: &str = "# The state machine

Made from the lists in the code: `baton docs state-machine` prints this page. A test fails when it is stale;
`BATON_BLESS=1 cargo xtask test the_page_of_the_state_machine` writes it again.

How an issue moves is decided by one function without any I/O. It is shown everything that is known of an issue and answers
with exactly one step. Three lists of rules are asked from top to bottom, and the first rule that says something decides:
[upkeep](#upkeep) puts labels right, [guards](#guards) say whether the issue may be worked on, [gates](#gates) whether a
finished stage may be left.

`baton explain` shows the same lists for one issue: which rules passed, which one decided, what each of them looked at, and
what would be done ([recorded examples](examples/items)):

```sh
baton explain --from docs/examples/items/waiting-for-ci.json
```
";

const PIPELINE: &str = "An issue enters at the left and leaves at the right. A repository with stage files of its own has a pipeline of its own.
";

const STAGE: &str = "Runs end between two looks. What a run says decides as well: that the stage is complete, that the issue was taken apart, that a
person has to answer, or nothing at all.
";

const UPKEEP_INTRO: &str = "Labels that say what is not the case any more, whether or not the issue may be worked on. While an agent works on the issue, or
somebody else has it, its labels are theirs.
";

const GUARDS_INTRO: &str = "Whether the issue may be worked on.
";

const GATES_INTRO: &str =
    "Whether a finished stage may be left. Guards send an issue here; otherwise gates are not asked.
";

const PAUSES_INTRO: &str = "A pause comes with a comment that says why and what to do. What was counted towards it is forgotten, so that it does not come
back at the next look. A reply by a person who may write resumes the work. A run that asks a question (`blocked_on_input`) and
a stage that was tried in vain too often (`stage_failed`) pause as well, and so does a run that a person cancels (`cancelled`).";

const LABELS_INTRO: &str = "Labels tell people; what must not be lost is in the store. With `dialect: fabrik` the prefix is `fabrik:`, and no `agent:` label
is added. Capitals stand for what differs.";

const SETTINGS_INTRO: &str = "The settings that the rules look at; [all settings](reference/config.md).";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PipelineDialect, stages};

    fn page() -> String {
        document(&stages::shipped(PipelineDialect::Baton).pipeline)
    }

    #[test]
    fn every_step_and_every_pause_is_on_the_page() {
        let place = |step: &Step| match step {
            Step::Rest(_) => 0,
            Step::RepairLabels(_) => 1,
            Step::ClearFailure => 2,
            Step::ProcessComments { .. } => 3,
            Step::Invoke { .. } => 4,
            Step::HoldAtGate(_) => 5,
            Step::Reinvoke(_) => 6,
            Step::Pause(_) => 7,
            Step::Merge => 8,
            Step::Advance { .. } => 9,
            Step::CleanUp => 10,
        };
        assert!((0..).zip(&STEPS).all(|(at, (step, _))| place(step) == at));
        let place = |pause: &Pause| match pause {
            Pause::ReviewTimeout { reprompted: false } => 0,
            Pause::ReviewTimeout { reprompted: true } => 1,
            Pause::ReviewCycles => 2,
            Pause::CiTimeout => 3,
            Pause::ChecksFailed => 4,
            Pause::CiFixCycles => 5,
            Pause::RebaseCycles => 6,
            Pause::CommentCycles => 7,
            Pause::BudgetSpent(_) => 8,
            Pause::PullClosed => 9,
            Pause::NoPull => 10,
            Pause::MergeRefused => 11,
            Pause::ApprovalTimeout => 12,
        };
        assert!((0..).zip(&PAUSES).all(|(at, (pause, _))| place(pause) == at));
    }

    #[test]
    fn every_setting_that_is_named_exists() {
        for key in PAUSES.iter().flat_map(|(_, keys)| keys.iter()).chain(&SETTINGS) {
            assert!(setting(key).is_some(), "{key}");
        }
    }

    #[test]
    fn every_rule_and_every_label_has_a_row() {
        let page = page();
        for rule in UPKEEP.iter().chain(&GUARDS).chain(&GATES) {
            let row = format!("| `{}` | {} | {} |", rule.id, rule.asks, rule.then);
            assert!(page.contains(&row), "{row}");
        }
        for row in &LABELS {
            assert!(page.contains(&format!("| `{}` |", row.label.shown(Names::of(Dialect::Baton)))));
        }
    }

    #[test]
    fn no_cell_breaks_its_table() {
        let is_row = |line: &&str| line.starts_with('|');
        let page = page();
        let mut width = None;
        for line in page.lines() {
            let cells = Some(line.matches('|').count()).filter(|_| is_row(&line));
            assert!(width.is_none() || cells.is_none() || cells == width, "{line}");
            width = cells;
        }
    }
}
