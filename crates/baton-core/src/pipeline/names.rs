//! How the pipeline writes on a tracker: the names of its labels, in our words or in Fabrik's.
//!
//! A label that is read is compared without regard to case, as trackers do. What a label means for an issue is decided
//! elsewhere.

use crate::labels::dialect::Dialect;
use crate::labels::{DO_NOT_PICKUP, NEEDS_HUMAN_SCOPE, PLAN_PENDING_APPROVAL, fitted};
use crate::words::words;

words! {
    /// A label that stands for itself.
    Flag, "a flag" {
        /// Nothing is done until somebody says so.
        Paused = "paused",
        /// It is paused because a person is asked.
        AwaitingInput = "awaiting-input",
        /// Reviewers have to look.
        AwaitingReview = "awaiting-review",
        /// Checks have to pass.
        AwaitingCi = "awaiting-ci",
        /// The branch does not merge any more.
        RebaseNeeded = "rebase-needed",
        /// Another issue comes first.
        Blocked = "blocked",
        /// Comments are being answered.
        Editing = "editing",
        /// Bots were asked for their review once more.
        BotReprompted = "bot-reprompted",
        /// Go on by yourself, and merge.
        Yolo = "yolo",
        /// Go on by yourself, and leave the merge to people.
        Cruise = "cruise",
        /// The agent may do as it likes.
        Unrestricted = "unrestricted",
        /// Twice the turns from the beginning.
        ExtendTurns = "extend-turns",
        /// Made by taking a larger issue apart.
        SubIssue = "sub-issue",
    }
}

words! {
    /// What a label says of one stage.
    StageMark, "a mark of stages" {
        /// An agent works on it.
        InProgress = "in_progress",
        /// It is complete, for good.
        Complete = "complete",
        /// It was tried in vain too often.
        Failed = "failed",
    }
}

/// The names of one dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    /// Whose words are used.
    pub dialect: Dialect,
    prefix: &'static str,
    heading: &'static str,
}

/// What a label says, if it is one of the pipeline's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said<'a> {
    /// It stands for itself.
    Flag(Flag),
    /// Somebody's engine has locked the issue.
    Locked(&'a str),
    /// It says something of a stage.
    Stage(&'a str, StageMark),
    /// A person keeps agents away.
    Held,
    /// A plan waits for a person's word.
    PlanPending,
}

const STAGE_PREFIX: &str = "stage:";
const LOCK: &str = "locked:";

impl Names {
    /// Returns the names that a dialect uses.
    pub fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Fabrik => Self { dialect, prefix: "fabrik:", heading: "🏭 **Fabrik" },
            Dialect::Baton | Dialect::Alfred | Dialect::LabelsAsLocks => {
                Self { dialect, prefix: "baton:", heading: "🏃 **Baton" }
            }
        }
    }

    /// Returns the label of a flag.
    pub fn flag(self, flag: Flag) -> String {
        format!("{}{flag}", self.prefix)
    }

    /// Returns the label by which an operator's engine locks an issue.
    pub fn lock(self, user: &str) -> String {
        fitted(format!("{}{LOCK}{user}", self.prefix))
    }

    /// Returns the label that says something of a stage.
    pub fn stage(self, stage: &str, mark: StageMark) -> String {
        format!("{STAGE_PREFIX}{stage}:{mark}")
    }

    /// Returns how every comment of the engine begins, which is how it knows its own.
    pub fn heading(self) -> &'static str {
        self.heading
    }

    /// Returns whether a label is that of a flag. Most are not, which their lengths tell without a look at their letters.
    pub fn is_flag(self, label: &str, flag: Flag) -> bool {
        let is_as_long = label.len() == self.prefix.len() + flag.as_str().len();
        is_as_long && self.read(label) == Some(Said::Flag(flag))
    }

    /// Returns what a label says, or nothing when it is none of ours.
    pub fn read<'a>(self, label: &'a str) -> Option<Said<'a>> {
        if !self.may_be_read(label) {
            return None;
        }
        if let Some(rest) = strip(label, self.prefix) {
            return own(rest);
        }
        if let Some(rest) = strip(label, STAGE_PREFIX) {
            return of_stage(rest);
        }
        let is = |other: &str| label.eq_ignore_ascii_case(other);
        if is(DO_NOT_PICKUP) || is(NEEDS_HUMAN_SCOPE) {
            return Some(Said::Held);
        }
        is(PLAN_PENDING_APPROVAL).then_some(Said::PlanPending)
    }
}

impl Names {
    /// Returns whether a label may say something, by its first letter alone. Most labels are none of ours.
    pub(super) fn may_be_read(self, label: &str) -> bool {
        let first = label.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
        [self.prefix, STAGE_PREFIX, DO_NOT_PICKUP, NEEDS_HUMAN_SCOPE, PLAN_PENDING_APPROVAL]
            .iter()
            .fold(false, |may_be, known| may_be | (known.as_bytes()[0] == first))
    }
}

fn own(rest: &str) -> Option<Said<'_>> {
    if let Some(user) = strip(rest, LOCK) {
        return (!user.is_empty()).then_some(Said::Locked(user));
    }
    Flag::ALL.iter().find(|flag| rest.eq_ignore_ascii_case(flag.as_str())).map(|flag| Said::Flag(*flag))
}

fn of_stage(rest: &str) -> Option<Said<'_>> {
    let (stage, mark) = rest.rsplit_once(':')?;
    let mark = StageMark::ALL.iter().find(|known| mark.eq_ignore_ascii_case(known.as_str()))?;
    (!stage.is_empty()).then_some(Said::Stage(stage, *mark))
}

fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Returns the value of the first label of this kind, such as `opus` of `model:opus`.
pub fn modifier<'a>(labels: &'a [String], kind: &str) -> Option<&'a str> {
    let value = |label: &'a String| strip(label, kind)?.strip_prefix(':').filter(|value| !value.is_empty());
    labels.iter().find_map(value)
}

/// Returns the greatest effort that labels ask for.
pub fn effort(labels: &[String]) -> Option<super::stage::Effort> {
    let asked = |label: &String| strip(label, "effort:")?.to_ascii_lowercase().parse().ok();
    labels.iter().filter_map(asked).max()
}

#[cfg(test)]
mod tests {
    use super::super::stage::Effort;
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written_in_both_dialects() {
        for dialect in [Dialect::Baton, Dialect::Fabrik] {
            let names = Names::of(dialect);
            for flag in Flag::ALL {
                assert_eq!(names.read(&names.flag(*flag)), Some(Said::Flag(*flag)));
            }
            for mark in StageMark::ALL {
                assert_eq!(names.read(&names.stage("In: QA", *mark)), Some(Said::Stage("In: QA", *mark)));
            }
            assert_eq!(names.read(&names.lock("ana")), Some(Said::Locked("ana")));
        }
        assert_eq!(Names::of(Dialect::Fabrik).flag(Flag::AwaitingCi), "fabrik:awaiting-ci");
        assert_eq!(Names::of(Dialect::Fabrik).read("baton:paused"), None);
    }

    #[test]
    fn case_tells_no_labels_apart() {
        let names = Names::of(Dialect::Baton);
        assert_eq!(names.read("Baton:Paused"), Some(Said::Flag(Flag::Paused)));
        assert_eq!(names.read("Stage:Plan:Complete"), Some(Said::Stage("Plan", StageMark::Complete)));
        assert_eq!(names.read("DO-NOT-PICKUP"), Some(Said::Held));
    }

    #[test]
    fn what_is_no_label_of_ours_says_nothing() {
        let names = Names::of(Dialect::Baton);
        for label in
            ["", "bug", "baton:", "baton:locked:", "stage:", "stage:ready", "stage::complete", "batoné"]
        {
            assert_eq!(names.read(label), None, "{label:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_head_and_stays_one_of_a_kind() {
        let names = Names::of(Dialect::Baton);
        let locks = ["a".repeat(39), format!("{}b", "a".repeat(38))].map(|user| names.lock(&user));
        assert!(
            locks.iter().all(|lock| lock.len() == 50 && lock.starts_with("baton:locked:aaaa")),
            "{locks:?}"
        );
        assert_ne!(locks[0], locks[1]);
    }

    #[test]
    fn the_first_modifier_counts_and_the_greatest_effort() {
        let labels = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(modifier(&labels(&["bug", "model:", "model:opus", "model:haiku"]), "model"), Some("opus"));
        assert_eq!(modifier(&labels(&["base:release/1.0"]), "base"), Some("release/1.0"));
        assert_eq!(effort(&labels(&["effort:low", "effort:max", "effort:x"])), Some(Effort::Max));
    }
}
