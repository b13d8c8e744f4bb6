//! From what the pipeline decides to what is committed: the effects in the outbox's words, bound to a lease where more than
//! one engine could do them.
//!
//! Labels can be set twice without harm. What cannot be done twice, such as a comment, a merge or an agent's work, is done
//! only by whoever holds the issue's lease on the tracker; an issue that nobody holds is taken first and given back after.
//!
//! Deliberately absent: deciding, and performing.

use crate::labels::{self, IN_FLIGHT, PR_OPEN};
use crate::pipeline::Item;
use crate::pipeline::effect::{Effect, Settlement};
use crate::pipeline::names::{Flag, Said};
use crate::pipeline::policy::Policy;
use crate::pipeline::step::Step;
use crate::slot::effect::{Deed, Leaving, NewEffect};
use crate::slot::{Gates, ItemMemory};
use crate::tracker::{IssueKey, PullState};

/// The outcome that is told when the relay gives an issue back.
const HANDED_ON: &str = "success";

/// What is committed because of a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// What the outbox performs, in order.
    pub effects: Vec<NewEffect>,
    /// Whether a lease is to be taken first, under a fresh token.
    pub takes_lease: bool,
    /// What is to be remembered, if that changes.
    pub memory: Option<ItemMemory>,
    /// Whether the work tree on this machine is to be removed.
    pub removes_worktree: bool,
}

impl Course {
    /// Returns whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty() && self.memory.is_none()
    }
}

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// From this step of an assessment.
    Step(&'a Step),
    /// From the end of a run, or a repair: nothing can have changed that would undo it.
    Certain,
}

/// Returns what a decision about an issue comes to. `has_lease` says whether the installation holds the issue.
pub fn plot(settlement: Settlement, item: &Item, origin: Origin<'_>, has_lease: bool) -> Course {
    let takes_lease = !has_lease && settlement.effects.iter().any(is_for_one);
    let wakes = settlement.effects.iter().any(|effect| matches!(effect, Effect::Wake(_)));
    let leaving = leaving(&settlement.effects, item);
    let mut course = Course { takes_lease, memory: settlement.memory, ..Course::default() };
    if takes_lease {
        course.effects.push(NewEffect::free(take(origin, item)));
    }
    let is_leased = has_lease || takes_lease;
    for effect in settlement.effects {
        course.add(effect, item, is_leased, &leaving);
    }
    if takes_lease && !wakes && !course.gives_back() {
        course.give_back(leaving);
    }
    course
}

/// Returns whether an effect must not be had twice.
fn is_for_one(effect: &Effect) -> bool {
    match effect {
        Effect::Comment { .. }
        | Effect::EditComment { .. }
        | Effect::UpdateIssue { .. }
        | Effect::CreateDraftPull { .. }
        | Effect::AskReviewersAgain { .. }
        | Effect::MergePull { .. }
        | Effect::AskApproval { .. }
        | Effect::CreateSubIssues { .. }
        | Effect::Wake(_) => true,
        Effect::AddLabel { .. }
        | Effect::RemoveLabel { .. }
        | Effect::React { .. }
        | Effect::ResolveThreads { .. }
        | Effect::MoveTo { .. }
        | Effect::MarkPullReady
        | Effect::TellOnSlack { .. }
        | Effect::PushBranch
        | Effect::RemoveWorktree
        | Effect::Release => false,
    }
}

/// Taking a lease takes time, in which another engine may have done what was decided; so it is looked again.
fn take(origin: Origin<'_>, item: &Item) -> Deed {
    let step = match origin {
        Origin::Step(step) => Some(step.key()),
        Origin::Certain => None,
    };
    let before = step.as_ref().map(|_| Box::new(item.memory.clone()));
    Deed::TakeLease { step, column: item.column.clone(), before }
}

impl Course {
    fn add(&mut self, effect: Effect, item: &Item, is_leased: bool, leaving: &Leaving) {
        let deed = match effect {
            Effect::AddLabel { label } => return self.add_label(label, is_leased),
            // The leg has pushed the branch before it told its end.
            Effect::PushBranch => return,
            Effect::RemoveWorktree => {
                self.removes_worktree = true;
                return;
            }
            Effect::Release if is_leased => return self.give_back(leaving.clone()),
            Effect::Release => return,
            Effect::RemoveLabel { label } => Deed::RemoveLabel { label },
            Effect::Comment { on, body } => Deed::Comment { on, body },
            Effect::EditComment { id, body } => Deed::EditComment { id, body },
            Effect::React { on, comments, with } => Deed::React { on, comments, with },
            Effect::UpdateIssue { body } => Deed::UpdateIssue { body },
            Effect::ResolveThreads { threads } => Deed::ResolveThreads { threads },
            Effect::MoveTo { column } => Deed::MoveTo { from: item.column.clone(), to: column },
            Effect::CreateDraftPull { summary } => Deed::OpenDraftPull { summary },
            Effect::MarkPullReady => Deed::MarkPullReady,
            Effect::AskReviewersAgain { pull, logins } => Deed::AskReviewersAgain { pull, logins },
            Effect::MergePull { pull, head_sha } => Deed::MergePull { number: pull, head_sha },
            Effect::AskApproval { stage, plan } => Deed::AskApproval { stage, plan },
            Effect::TellOnSlack { message, said } => Deed::TellOnSlack { message, said },
            Effect::CreateSubIssues { issues } => Deed::CreateSubIssues { issues },
            Effect::Wake(wake) => Deed::Wake(wake),
        };
        self.effects.push(NewEffect { deed, needs_lease: is_leased });
    }

    /// Labels that follow one another are put on with one request.
    fn add_label(&mut self, label: String, is_leased: bool) {
        if let Some(NewEffect { deed: Deed::AddLabels { labels }, .. }) = self.effects.last_mut() {
            labels.push(label);
            return;
        }
        let deed = Deed::AddLabels { labels: vec![label] };
        self.effects.push(NewEffect { deed, needs_lease: is_leased });
    }

    fn give_back(&mut self, leaving: Leaving) {
        let deed = Deed::ReleaseLease { outcome: HANDED_ON.to_owned(), leaving };
        self.effects.push(NewEffect::leased(deed));
    }

    fn gives_back(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect.deed, Deed::ReleaseLease { .. }))
    }
}

/// Returns which label tells where the issue is, once it was given back: what the decision puts on, what is there already
/// beside the sign of the lease itself, or that there is an open pull request.
fn leaving(effects: &[Effect], item: &Item) -> Leaving {
    let mut after: Vec<&str> = item.labels.iter().map(String::as_str).collect();
    for effect in effects {
        match effect {
            Effect::AddLabel { label } => after.push(label),
            Effect::RemoveLabel { label } => after.retain(|own| !own.eq_ignore_ascii_case(label)),
            _ => {}
        }
    }
    let told =
        labels::lifecycle_labels(&after).into_iter().rfind(|label| *label != IN_FLIGHT && *label != PR_OPEN);
    let opens = effects.iter().any(|effect| matches!(effect, Effect::CreateDraftPull { .. }));
    let has_pull = opens || item.pull.as_ref().is_some_and(|pull| pull.state == PullState::Open);
    match told {
        Some(label) => Leaving::With(label.to_owned()),
        None if has_pull => Leaving::With(PR_OPEN.to_owned()),
        None => Leaving::Without,
    }
}

/// Returns what keeps runs of an issue from starting, and ends those that run, as its labels and its repository say.
pub fn gates(item: &Item, policy: &Policy) -> Gates {
    let has = |flag: Flag| item.labels.iter().find(|label| policy.names.is_flag(label, flag)).cloned();
    let held = item.labels.iter().find(|label| policy.names.read(label) == Some(Said::Held)).cloned();
    let paused_repo = match &item.repository {
        crate::pipeline::item::Repository::Paused(by) => Some(by.clone()),
        _ => None,
    };
    let blockers = item.blockers.iter().filter(|blocker| blocker.is_open).map(|blocker| &blocker.issue);
    let blocked: Vec<_> = blockers.map(IssueKey::to_string).collect();
    Gates {
        paused: has(Flag::Paused).map(|label| format!("the label {label}")),
        held: held.map(|label| format!("the label {label}")).or(paused_repo),
        blocked: (!blocked.is_empty()).then(|| blocked.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pipeline::effect::{Job, Place, Wake};
    use crate::pipeline::step::Rest;

    fn item(labels: &[&str]) -> Item {
        serde_json::from_value(json!({ "issue": "acme/web#7", "column": "Plan", "labels": labels })).unwrap()
    }

    fn wake() -> Effect {
        Effect::Wake(Wake {
            job: Job::Stage,
            agent: None,
            stage: "Plan".to_owned(),
            resume: false,
            comments: Vec::new(),
            threads: Vec::new(),
            thread_comments: Vec::new(),
        })
    }

    fn label(label: &str) -> Effect {
        Effect::AddLabel { label: label.to_owned() }
    }

    fn said() -> Effect {
        Effect::Comment { on: Place::Issue, body: "hello".to_owned() }
    }

    fn plotted(effects: Vec<Effect>, has_lease: bool) -> Course {
        let settlement = Settlement { effects, memory: None };
        plot(settlement, &item(&[]), Origin::Step(&Step::Rest(Rest::Paused)), has_lease)
    }

    fn words(course: &Course) -> Vec<(String, bool)> {
        let word = |effect: &NewEffect| {
            let json = serde_json::to_value(&effect.deed).unwrap();
            (json["do"].as_str().unwrap().to_owned(), effect.needs_lease)
        };
        course.effects.iter().map(word).collect()
    }

    fn expected(words: &[(&str, bool)]) -> Vec<(String, bool)> {
        words.iter().map(|(word, is_leased)| ((*word).to_owned(), *is_leased)).collect()
    }

    #[test]
    fn labels_alone_need_no_lease_and_are_put_on_together() {
        let course = plotted(vec![label("a"), label("b")], false);
        assert_eq!(words(&course), expected(&[("add_labels", false)]));
        assert!(!course.takes_lease);
    }

    #[test]
    fn an_agent_is_woken_under_a_lease_that_is_taken_first_and_kept() {
        let course = plotted(vec![label("a"), wake()], false);
        assert!(course.takes_lease);
        assert_eq!(words(&course), expected(&[("take_lease", false), ("add_labels", true), ("wake", true)]));
    }

    #[test]
    fn what_is_said_at_a_gate_is_said_under_a_lease_that_is_given_back() {
        let course = plotted(vec![said()], false);
        assert_eq!(
            words(&course),
            expected(&[("take_lease", false), ("comment", true), ("release_lease", true)])
        );
    }

    #[test]
    fn a_lease_that_is_held_is_not_taken_again_and_is_given_back_when_that_was_decided() {
        let course = plotted(vec![said(), Effect::Release], true);
        assert_eq!(words(&course), expected(&[("comment", true), ("release_lease", true)]));
        assert_eq!(
            words(&plotted(vec![Effect::Release], false)),
            expected(&[]),
            "there is none to give back"
        );
    }

    #[test]
    fn branches_were_pushed_by_the_leg_and_trees_are_removed_on_this_machine() {
        let course = plotted(vec![Effect::PushBranch, Effect::RemoveWorktree], false);
        assert!(course.is_empty() && course.removes_worktree);
    }

    #[test]
    fn what_is_left_tells_where_the_issue_is() {
        let leaves = |labels: &[&str], effects: &[Effect]| leaving(effects, &item(labels));
        let with = |label: &str| Leaving::With(label.to_owned());
        assert_eq!(leaves(&["agent:in-flight"], &[]), Leaving::Without);
        assert_eq!(leaves(&["agent:in-flight"], &[label("agent:done")]), with("agent:done"));
        assert_eq!(leaves(&["agent:implement"], &[]), with("agent:implement"));
        let opens = Effect::CreateDraftPull { summary: None };
        assert_eq!(leaves(&["agent:in-flight"], &[opens]), with("agent:pr-open"));
    }

    #[test]
    fn gates_say_what_keeps_agents_away() {
        let policy = Policy::default();
        assert!(gates(&item(&["bug"]), &policy).are_open());
        let shut = gates(&item(&["baton:paused", "do-not-pickup"]), &policy);
        assert_eq!(shut.paused.as_deref(), Some("the label baton:paused"));
        assert_eq!(shut.held.as_deref(), Some("the label do-not-pickup"));
    }
}
