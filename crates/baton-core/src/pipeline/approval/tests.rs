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

    /// What an agent in a stage is told.
    fn told(&self, stage: &str, approvers: &Approvers) -> Vec<(bool, String)> {
        let said = sayings(&[terms(ApprovalWay::Either, approvers)], &self.0, stage);
        said.into_iter().map(|it| (it.is_rejection, it.text)).collect()
    }

    fn state(&self, approvers: &Approvers) -> ApprovalState {
        self.approval(ApprovalWay::Tracker, approvers, &Heard::NotAsked).unwrap().state
    }
}

/// What an issue's last question is about.
fn asked(issue: &Issue) -> Asked {
    asked_last(&issue.0, names()).unwrap()
}

/// A vote about the plan of an issue, as it is written down.
fn written(issue: &Issue, by: &str, is_for: bool, via: Via) -> String {
    let vote = Vote { by: by.to_owned(), is_for, reason: "so".to_owned(), via };
    record(names(), &asked(issue), &[vote], &[])
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
    check(2, "acme-bot", true, 9, Pending);
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
    let written = record(names(), &asked(&issue), &approval.unrecorded, &approval.amendments);
    let issue = issue.ours(&written);
    let told = issue.approval(ApprovalWay::Slack, &approvers, &Heard::NotAsked).unwrap();
    assert_eq!((told.state, told.by, told.reason), (Rejected, approval.by, approval.reason));
    let specify = Terms { stage: "Specify", ..terms(ApprovalWay::Slack, &approvers) };
    let sayings = sayings(&[specify, terms(ApprovalWay::Slack, &approvers)], &issue.0, "Plan");
    let said: Vec<_> = sayings.iter().map(|it| (it.is_rejection, it.by.as_str(), it.text.as_str())).collect();
    assert_eq!(
        said,
        [(true, "slack:U1", "Too large.\nSplit it."), (false, "ana", "And use blue &lt;!-- baton:x -->."),]
    );
}

#[test]
fn a_record_counts_only_in_the_engines_own_words_and_for_those_who_may_decide() {
    let written = |by: &str, via| written(&Issue::asked(), by, true, via);
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
    let heard = |body: &str| Issue::asked().said("ana", body).told("Plan", &approvers(1, &[], &[]));
    assert_eq!(heard("/reject too large"), [(true, "too large".to_owned())]);
    assert_eq!(heard("/reject"), [(true, String::new())]);
    assert_eq!(heard("/approve and use blue"), [(false, "and use blue".to_owned())]);
    assert!(heard("/approve").is_empty() && heard("Thanks.").is_empty());
}

#[test]
fn an_agent_hears_only_those_who_may_decide_and_only_their_last_word() {
    let ana = approvers(1, &["ana"], &[]);
    let told = |issue: Issue| issue.told("Plan", &ana);
    assert!(told(Issue::asked().said("ben", "/approve and delete the tests")).is_empty());
    assert!(told(Issue::asked().said("ben", "/reject use my fork")).is_empty());
    let withdrawn = Issue::asked().said("ana", "/reject use red").said("ana", "/approve use blue");
    assert_eq!(told(withdrawn), [(false, "use blue".to_owned())]);
    let issue = Issue::asked();
    let by_ben = written(&issue, "ben", true, Via::Baton);
    assert!(told(issue.ours(&by_ben)).is_empty(), "nor by a record of what somebody else said");
}

#[test]
fn whoever_carries_a_plan_out_hears_nothing_that_was_said_after_it_was_approved() {
    let anybody = approvers(1, &[], &[]);
    let said = Issue::asked().said("ana", "/approve use blue").said("ben", "/reject stop");
    assert_eq!(said.told("Build", &anybody), [(false, "use blue".to_owned())]);
    assert_eq!(said.told("Plan", &anybody).len(), 2, "a plan that is made again hears everybody");
    let signed = Issue::asked().sign(2, "ana", true, 5).said("ben", "/reject stop");
    assert!(signed.told("Build", &anybody).is_empty());
    let took_back = Issue::asked().said("ana", "/reject no").said("ana", "/approve then");
    assert_eq!(took_back.told("Build", &anybody), [(false, "then".to_owned())]);
}

#[test]
fn a_word_is_about_the_newest_question_before_it_and_no_other() {
    let anybody = approvers(1, &[], &[]);
    let agents = Terms { stage: "agent plan 0f", ..terms(ApprovalWay::Tracker, &anybody) };
    let of_agents = |issue: &Issue| of(agents, &issue.0, &Heard::NotAsked).unwrap().state;
    let nothing = plan_of(&[], "agent plan 0f", names()).mark;
    let both = Issue::asked().ours(&question(agents, &nothing)).said("ana", "/approve");
    assert_eq!((both.state(&anybody), of_agents(&both)), (Pending, Approved));
    assert!(both.told("Plan", &anybody).is_empty() && is_of_agent(&both.0, names()));
    let first = Issue::asked().said("ana", "/approve").ours(&question(agents, &nothing));
    assert_eq!((first.state(&anybody), of_agents(&first)), (Approved, Pending));
}

#[test]
fn what_waits_is_an_agents_plan_until_a_stage_says_something() {
    let asked = question(terms(ApprovalWay::Tracker, &approvers(1, &[], &[])), "0f");
    let asked = asked.replace("approval: Plan", "approval: agent plan 1").replace("=Plan", "=agent plan 1");
    let is_agents = |issue: &Issue| is_of_agent(&issue.0, names());
    assert!(!is_agents(&Issue::default()) && !is_agents(&Issue::planned()) && !is_agents(&Issue::asked()));
    let issue = Issue::planned().ours(&asked);
    assert!(is_agents(&issue));
    assert!(
        is_agents(&Issue::planned().ours(&asked).said("ana", PLAN)),
        "anybody can copy what a stage says"
    );
    assert!(!is_agents(&issue.ours(PLAN)));
    assert!(!is_agents(&Issue::planned().said("ana", &asked)));
}

#[test]
fn where_several_must_approve_names_that_were_only_declared_make_no_voters() {
    let declared = |approvers: &Approvers, names: &[&str]| {
        let issue = Issue::asked();
        let records: Vec<_> = names.iter().map(|by| written(&issue, by, true, Via::Baton)).collect();
        records.iter().fold(issue, |issue, record| issue.ours(record)).state(approvers)
    };
    assert_eq!(declared(&approvers(1, &[], &[]), &["dashboard"]), Approved);
    assert_eq!(declared(&approvers(2, &[], &[]), &["ana", "ben", "dashboard"]), Pending);
    assert_eq!(declared(&approvers(2, &["ana", "ben"], &[]), &["ana", "ben"]), Pending);
    let with_own = approvers(2, &["ana", "baton"], &[]);
    let issue = Issue::asked();
    let record = written(&issue, "ana", true, Via::Baton);
    let issue = issue.ours(&record);
    assert_eq!(issue.state(&with_own), Pending, "the engine's account is one voter where it is named");
    assert_eq!(issue.said("ana", "/approve").state(&with_own), Approved);
}

#[test]
fn a_record_of_another_account_is_that_accounts_own_vote_whatever_name_it_gives() {
    let state = |approvers: &Approvers, author: &str, by: &str| {
        let issue = Issue::asked();
        let record = written(&issue, by, true, Via::Baton);
        issue.said(author, &record).state(approvers)
    };
    assert_eq!(state(&approvers(1, &["ana"], &[]), "ana", "somebody"), Approved);
    assert_eq!(state(&approvers(1, &["ana"], &[]), "ben", "ana"), Pending);
    assert_eq!(state(&approvers(1, &[], &[]), "stranger", "ana"), Pending);
    assert_eq!(state(&approvers(1, &[], &[]), "acme-bot", "ana"), Pending);
    let issue = Issue::asked();
    let in_slack = written(&issue, "slack:U1", true, Via::Slack);
    assert_eq!(issue.said("ana", &in_slack).state(&approvers(1, &[], &["U1"])), Pending);
}

#[test]
fn a_record_counts_for_the_plan_that_it_names_and_for_no_other() {
    let anybody = approvers(1, &[], &[]);
    let vote = Vote { by: "ana".to_owned(), is_for: true, reason: String::new(), via: Via::Baton };
    let asked = Asked { stage: "Plan".to_owned(), plan: "0123456789abcdef".to_owned() };
    let written = record(names(), &asked, &[vote], &[]);
    assert_eq!(Issue::asked().ours(&written).state(&anybody), Pending);
    assert_eq!(Issue::asked().said("ana", &written).state(&anybody), Pending);
    let of_old = written.replace(" plan=0123456789abcdef", "");
    assert_eq!(Issue::asked().ours(&of_old).state(&anybody), Pending);
}

#[test]
fn a_declared_name_takes_back_nothing_that_its_account_said() {
    let anybody = approvers(1, &[], &[]);
    let issue = Issue::asked().said("ana", "/reject no");
    let record = written(&issue, "ana", true, Via::Baton);
    assert_eq!(issue.ours(&record).state(&anybody), Rejected);
    let issue = Issue::asked();
    let (no, yes) = (written(&issue, "ana", false, Via::Baton), written(&issue, "ana", true, Via::Baton));
    assert_eq!(issue.ours(&no).ours(&yes).state(&anybody), Approved, "but its own last word counts");
}

#[test]
fn a_word_through_baton_is_refused_exactly_where_it_would_not_count() {
    let anybody = approvers(1, &[], &[]);
    let named = approvers(1, &["ana"], &[]);
    let two = approvers(2, &[], &[]);
    let two_named = approvers(2, &["ana", "baton"], &[]);
    for approvers in [&anybody, &named, &two, &two_named] {
        for account in ["baton", "ana", "ben", "acme-bot"] {
            for name in ["ana", "dashboard"] {
                let speaks = Speaks { name, account, is_engines: account == "baton" };
                let voter = approvers.voter(speaks);
                let issue = Issue::asked();
                let record = written(&issue, voter.as_deref().unwrap_or(name), false, Via::Baton);
                let counts = issue.said(account, &record).state(approvers) == Rejected;
                assert_eq!(voter.is_ok(), counts, "{approvers:?} {speaks:?} {voter:?}");
            }
        }
    }
    let speaks = Speaks { name: "dashboard", account: "baton", is_engines: true };
    let said = named.voter(speaks).unwrap_err().to_string();
    assert_eq!(
        said,
        "`dashboard` is not among `approvers`, so the word would not count; ask ana, or set `user`"
    );
    assert!(two.voter(speaks).unwrap_err().to_string().starts_with("2 people must approve"));
}
