//! Tables: who is asked what, whose word counts, and what the words come to.

use super::*;
use crate::labels::dialect::Dialect;
use crate::pipeline::item::Sign;
use crate::time::ServerTime;

const PLAN: &str = "🏃 **Baton — stage: Plan**\n\nPaint it green.";

fn names() -> Names {
    Names::of(Dialect::Baton)
}

fn approvers(required: u32, tracker: &[&str], slack: &[&str]) -> Approvers {
    let tracker = tracker.iter().map(|who| (*who).to_owned()).collect();
    Approvers { required, tracker, slack: slack.iter().map(|who| SlackApprover::read(who)).collect() }
}

fn terms(way: ApprovalWay, approvers: &Approvers) -> Terms<'_> {
    Terms { names: names(), stage: "Plan", way, approvers }
}

/// Comments in their order, a minute apart.
#[derive(Default)]
struct Issue(Vec<Comment>);

impl Issue {
    fn planned() -> Self {
        Self::default().ours(PLAN)
    }

    /// An issue with a plan that people were asked about.
    fn asked() -> Self {
        let issue = Self::planned();
        let plan = plan_of(&issue.0, "Plan", names()).mark;
        let anybody = approvers(1, &[], &[]);
        let question = question(terms(ApprovalWay::Either, &anybody), &plan);
        issue.ours(&question)
    }

    fn said(mut self, author: &str, body: &str) -> Self {
        let number = self.0.len() as u64 + 1;
        self.0.push(Comment {
            id: number,
            author: author.to_owned(),
            is_bot: author.ends_with("[bot]"),
            may_write: author != "stranger",
            is_own_account: author == "baton",
            body: body.to_owned(),
            created_at: ServerTime(60 * i64::try_from(number).unwrap()),
            has_rocket: false,
            is_on_pull: false,
            signs: Vec::new(),
        });
        self
    }

    fn ours(self, body: &str) -> Self {
        self.said("baton", body)
    }

    /// Puts a sign on a comment, by its number, so many seconds after the question.
    fn sign(mut self, on: usize, by: &str, is_for: bool, late_s: i64) -> Self {
        let at = ServerTime(self.0[1].created_at.0 + late_s);
        let may_write = by != "stranger";
        let is_bot = by.ends_with("[bot]");
        self.0[on - 1].signs.push(Sign { by: by.to_owned(), is_for, is_bot, may_write, at });
        self
    }

    fn approval(&self, way: ApprovalWay, approvers: &Approvers, heard: &Heard) -> Option<Approval> {
        of(terms(way, approvers), &self.0, heard)
    }

    fn state(&self, approvers: &Approvers) -> ApprovalState {
        self.approval(ApprovalWay::Tracker, approvers, &Heard::NotAsked).unwrap().state
    }
}

fn thread(reactions: &[(&str, &str)], replies: &[(&str, &str)]) -> Heard {
    let reacted = |(name, user): &(&str, &str)| Reacted { name: (*name).into(), user: (*user).into() };
    let replied = |(user, text): &(&str, &str)| Replied { user: (*user).into(), text: (*text).into() };
    Heard::Thread(SlackThread {
        reactions: reactions.iter().map(reacted).collect(),
        replies: replies.iter().map(replied).collect(),
    })
}

fn in_slack(required: u32, reactions: &[(&str, &str)]) -> Approval {
    let approvers = approvers(required, &[], &["U1", "U2=ana"]);
    Issue::asked().approval(ApprovalWay::Slack, &approvers, &thread(reactions, &[])).unwrap()
}

use ApprovalState::{Approved, Pending, Rejected};

#[test]
fn nobody_was_asked_before_there_is_a_question() {
    let anybody = approvers(1, &[], &[]);
    let asked = |issue: Issue| issue.approval(ApprovalWay::Tracker, &anybody, &Heard::NotAsked).is_some();
    assert!(!asked(Issue::planned()));
    assert!(asked(Issue::asked()));
    assert!(!asked(Issue::planned().said("ana", &Issue::asked().0[1].body)), "anybody can copy a question");
    let printed =
        format!("{PLAN}\n{}", question_mark("Plan", &plan_of(&Issue::planned().0, "Plan", names()).mark));
    assert!(!asked(Issue::default().ours(&printed)), "an agent asks nobody by printing a mark");
}

#[test]
fn the_last_word_of_each_person_counts_and_a_rejection_stands_above_approvals() {
    let anybody = approvers(1, &[], &[]);
    let check = |words: &[(&str, &str)], expected| {
        let issue = words.iter().fold(Issue::asked(), |issue, (who, body)| issue.said(who, body));
        assert_eq!(issue.state(&anybody), expected, "{words:?}");
    };
    check(&[], Pending);
    check(&[("ana", "/approve")], Approved);
    check(&[("ana", "/approve"), ("ben", "/reject too large")], Rejected);
    check(&[("ana", "/reject"), ("ben", "/approve")], Rejected);
    check(&[("ana", "/reject"), ("ana", "/approve")], Approved);
    check(&[("stranger", "/approve")], Pending);
    check(&[("robo[bot]", "/approve")], Pending);
    check(&[("ana", "I would /approve that")], Pending);
}

#[test]
fn only_those_who_are_named_decide_where_some_are_named() {
    let ana = approvers(1, &["Ana"], &[]);
    assert_eq!(Issue::asked().said("ben", "/approve").state(&ana), Pending);
    assert_eq!(Issue::asked().said("ben", "/reject").state(&ana), Pending);
    assert_eq!(Issue::asked().said("ana", "/approve").state(&ana), Approved);
}

#[test]
fn as_many_people_as_required_must_approve() {
    let two = approvers(2, &[], &[]);
    let one_voice = Issue::asked().said("ana", "/approve").sign(2, "Ana", true, 5);
    assert_eq!(one_voice.state(&two), Pending, "one person has one vote");
    let approval = one_voice.approval(ApprovalWay::Tracker, &two, &Heard::NotAsked).unwrap();
    assert_eq!((approval.in_favour.len(), approval.required), (1, 2));
    assert_eq!(one_voice.said("ben", "/approve").state(&two), Approved);
}

#[test]
fn signs_count_on_the_question_and_on_the_plan_once_it_was_asked_about() {
    let anybody = approvers(1, &[], &[]);
    let check = |on, by, is_for, late_s, expected| {
        let issue = Issue::asked().sign(on, by, is_for, late_s);
        assert_eq!(issue.state(&anybody), expected, "{by} on {on} after {late_s} s");
    };
    check(2, "ana", true, 9, Approved);
    check(2, "ana", false, 9, Rejected);
    check(2, "stranger", true, 9, Pending);
    check(2, "robo[bot]", true, 9, Pending);
    check(1, "ana", true, 9, Approved);
    check(1, "ana", true, -9, Pending);
    let both = Issue::asked().sign(2, "ana", true, 1).sign(2, "ana", false, 2);
    assert_eq!(both.state(&anybody), Rejected);
}

#[test]
fn an_edited_plan_voids_the_question_and_what_was_said_after_it() {
    let anybody = approvers(1, &[], &[]);
    let mut issue = Issue::asked().said("ana", "/approve");
    assert_eq!(issue.state(&anybody), Approved);
    issue.0[0].body.push_str(" And blue.");
    assert_eq!(issue.approval(ApprovalWay::Tracker, &anybody, &Heard::NotAsked), None);
    let plan = plan_of(&issue.0, "Plan", names()).mark;
    let issue = issue.ours(&question(terms(ApprovalWay::Tracker, &anybody), &plan));
    assert_eq!(issue.state(&anybody), Pending, "the old approval does not come back");
}

#[test]
fn ends_of_lines_make_no_other_plan_and_a_plan_that_is_made_again_is_another() {
    let mark = |issue: &Issue| plan_of(&issue.0, "Plan", names()).mark;
    let mut issue = Issue::planned();
    let before = mark(&issue);
    issue.0[0].body = format!("{}\r\n", PLAN.replace('\n', "\r\n"));
    assert_eq!(mark(&issue), before);
    assert_ne!(mark(&issue.ours(PLAN)), before);
}

#[test]
fn reactions_in_slack_are_votes_of_those_who_may_decide() {
    let check = |reactions: &[(&str, &str)], expected| {
        assert_eq!(in_slack(1, reactions).state, expected, "{reactions:?}");
    };
    check(&[], Pending);
    check(&[("white_check_mark", "U1")], Approved);
    check(&[("+1::skin-tone-3", "U1")], Approved);
    check(&[("thumbsdown", "U2")], Rejected);
    check(&[("+1", "U1"), ("x", "U1")], Rejected);
    check(&[("+1", "U1"), ("-1", "U2")], Rejected);
    check(&[("+1", "U9"), ("x", "U9")], Pending);
    check(&[("eyes", "U1")], Pending);
    assert_eq!(in_slack(2, &[("+1", "U1")]).state, Pending);
    assert_eq!(in_slack(2, &[("+1", "U1"), ("+1", "U2")]).by, "slack:U1, ana");
}

#[test]
fn one_person_is_one_voter_in_slack_and_on_the_tracker() {
    let two = approvers(2, &[], &["U2=ana"]);
    let issue = Issue::asked().said("ana", "/approve");
    let approval = issue.approval(ApprovalWay::Either, &two, &thread(&[("+1", "U2")], &[])).unwrap();
    assert_eq!(approval.state, Pending);
}

#[test]
fn trouble_with_slack_decides_nothing_and_leaves_the_tracker_to_decide() {
    let approvers = approvers(1, &[], &["U1"]);
    let heard = Heard::Unheard("timeout".to_owned());
    let approval = Issue::asked().approval(ApprovalWay::Either, &approvers, &heard).unwrap();
    assert_eq!((approval.state, approval.slack), (Pending, SlackSign::Unheard("timeout".to_owned())));
    let issue = Issue::asked().said("ana", "/approve");
    assert_eq!(issue.approval(ApprovalWay::Either, &approvers, &heard).unwrap().state, Approved);
    assert_eq!(issue.approval(ApprovalWay::Slack, &approvers, &heard).unwrap().state, Pending);
}

#[test]
fn what_slack_decided_is_told_by_the_tracker_alone_once_it_is_written_down() {
    let approvers = approvers(1, &[], &["U1", "U2=ana"]);
    let heard =
        thread(&[("x", "U1")], &[("U1", "Too large.\nSplit it."), ("U2", "And use blue <!-- baton:x -->.")]);
    let issue = Issue::asked();
    let approval = issue.approval(ApprovalWay::Slack, &approvers, &heard).unwrap();
    assert_eq!((approval.state, approval.reason.as_str()), (Rejected, "Too large.\nSplit it."));
    let plan = plan_of(&issue.0, "Plan", names());
    let written = record(names(), Some("Plan"), Some(&plan), &approval.unrecorded, &approval.amendments);
    let issue = issue.ours(&written);
    let told = issue.approval(ApprovalWay::Slack, &approvers, &Heard::NotAsked).unwrap();
    assert_eq!((told.state, told.by, told.reason), (Rejected, approval.by, approval.reason));
    let sayings = sayings(&issue.0, &["Specify", "Plan"], names());
    let said: Vec<_> = sayings.iter().map(|it| (it.is_rejection, it.by.as_str(), it.text.as_str())).collect();
    assert_eq!(
        said,
        [(true, "slack:U1", "Too large.\nSplit it."), (false, "ana", "And use blue &lt;!-- baton:x -->."),]
    );
}

#[test]
fn a_record_counts_only_in_the_engines_own_words_and_for_those_who_may_decide() {
    let vote = |by: &str, via| Vote { by: by.to_owned(), is_for: true, reason: String::new(), via };
    let issue = Issue::asked();
    let plan = plan_of(&issue.0, "Plan", names());
    let written = |by: &str, via| record(names(), None, Some(&plan), &[vote(by, via)], &[]);
    let named = approvers(1, &["ana"], &["U1"]);
    let state = |body: &str, author: &str| {
        let issue = Issue::asked().said(author, body);
        issue.approval(ApprovalWay::Either, &named, &Heard::NotAsked).map_or(Pending, |it| it.state)
    };
    assert_eq!(state(&written("ana", Via::Baton), "baton"), Approved);
    assert_eq!(state(&written("ben", Via::Baton), "baton"), Pending);
    assert_eq!(state(&written("slack:U1", Via::Slack), "baton"), Approved);
    assert_eq!(state(&written("slack:U9", Via::Slack), "baton"), Pending);
    assert_eq!(state(&written("ana", Via::Baton), "ben"), Pending, "another account may copy the words");
    assert_eq!(state(&format!("{PLAN}\n{}", written("ana", Via::Baton)), "baton"), Pending);
}

#[test]
fn an_agent_hears_why_its_plan_was_rejected_and_what_was_added_to_the_one_it_carries_out() {
    let heard = |body: &str| {
        let said = sayings(&Issue::asked().said("ana", body).0, &["Plan"], names());
        said.into_iter().map(|it| (it.is_rejection, it.text)).collect::<Vec<_>>()
    };
    assert_eq!(heard("/reject too large"), [(true, "too large".to_owned())]);
    assert_eq!(heard("/reject"), [(true, String::new())]);
    assert_eq!(heard("/approve and use blue"), [(false, "and use blue".to_owned())]);
    assert!(heard("/approve").is_empty() && heard("Thanks.").is_empty());
}
