//! The tool `request_approval`: put a plan before people, and hear what they decided.
//!
//! The plan is posted under the agent's name, and the question under the engine's; so people see whose plan it is, and the
//! answer is read by the same rules as for plans of stages. The question names the plan by its digest: another text is another
//! plan and is asked anew, and what was said before counts for it no more.

use baton_claims::FoundLease;
use baton_core::claim::Outcome as ClaimOutcome;
use baton_core::claim::handback::HandedBack;
use baton_core::labels::{IMPLEMENT, PLAN_PENDING_APPROVAL};
use baton_core::pipeline::Policy;
use baton_core::pipeline::approval::{self, AGENT_PLAN, Heard, Terms};
use baton_core::pipeline::item::{Approval, ApprovalState, Comment};
use baton_core::pipeline::names::Names;
use baton_core::pipeline::stage::ApprovalWay;
use baton_core::pipeline::voice::spoken;
use baton_core::tracker::{IssueKey, Sighting};
use baton_core::workspace::names::issue_branch;
use baton_ports::Tracker as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::comment::check_text;
use super::holding::Holding;
use super::session::{Session, issue_of, of_claims, of_tracker};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::context::Context;
use crate::claims::release::{Ending, give_back};
use crate::command_error::CommandError;

/// How much of the digest is shown: nobody finds another text for it, and people can read it out.
const MARK_BYTES: usize = 8;

pub(super) struct RequestApproval;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue that the plan is for: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    issue: String,
    /// The whole plan, in Markdown; at most 60000 bytes. Give exactly the same text again to hear what was decided.
    plan: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// Nobody has decided yet. Do not carry the plan out; call again later with the same plan.
    Pending,
    /// People agreed: claim the issue again and carry the plan out.
    Approved,
    /// People refused: see `reason`. Change the plan and ask again, or leave it.
    Rejected,
    /// Somebody else holds the issue: see `held_by`. Nothing was asked.
    Held,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// How the plan stands.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// Whether people were asked by this call.
    is_new: bool,
    /// Who decided.
    by: Option<String>,
    /// Why it was rejected, or what was added to the approval.
    reason: Option<String>,
    /// Whether your claim on the issue was released by this call: while people decide, nobody holds it.
    released: bool,
    /// Who holds the issue, when that is somebody else.
    held_by: Option<Holding>,
}

impl Tool for RequestApproval {
    const NAME: &'static str = "request_approval";
    const TITLE: &'static str = "Ask people to approve a plan";
    const DESCRIPTION: &'static str = "Posts your plan on the issue and asks people to approve it. Your claim is released while \
         they decide. Call it again later with exactly the same plan to hear the verdict; a changed plan is asked anew. \
         Outcomes: pending (wait; do not carry it out), approved (claim the issue again and carry it out), rejected (see \
         `reason`), held (somebody else works on the issue; nothing was asked). You cannot approve it yourself.";
    const MANNER: Manner = Manner::WRITES_ONCE;
    const WHEN_UNCLEAR: &'static str =
        "Call again with the same plan: it is asked once, and you are told how it stands.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        check_text("plan", &input.plan)?;
        let context = session.context(Vec::new())?;
        let issue = issue_of(&context, &input.issue)?;
        let plan = session.redacted(&input.plan);
        let policy = Policy::of(&context.config);
        let request =
            Request { session, context: &context, issue: &issue, subject: subject(&plan), plan, policy };
        request.answer()
    }
}

/// What the question is called: by the digest of the plan, so that a question is about one plan alone.
fn subject(plan: &str) -> String {
    let digest = Sha256::digest(plan.replace("\r\n", "\n").trim().as_bytes());
    let mark: String = digest.iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{AGENT_PLAN}{mark}")
}

/// A plan for an issue.
struct Request<'a> {
    session: &'a Session,
    context: &'a Context,
    issue: &'a IssueKey,
    plan: String,
    /// What the question is called.
    subject: String,
    policy: Policy,
}

impl Request<'_> {
    fn answer(&self) -> Result<Told<Output>, Trouble> {
        let seen = self.sight()?;
        let is_waiting =
            seen.issue.labels.iter().any(|label| label.eq_ignore_ascii_case(PLAN_PENDING_APPROVAL));
        match self.verdict(&seen.comments) {
            // Nobody decides about what waits no longer: its time was over, or another plan came in between.
            Some(approval) if is_waiting || approval.state != ApprovalState::Pending => {
                let last = approval::asked_last(&seen.comments, self.names());
                let is_own = last.is_some_and(|asked| asked.stage == self.subject);
                self.told(&approval, is_waiting && is_own)
            }
            _ if is_waiting && !approval::is_of_agent(&seen.comments, self.names()) => Err(self.must_wait()),
            _ => self.ask(&seen.comments),
        }
    }

    /// One word must not decide about two plans.
    fn must_wait(&self) -> Trouble {
        let why = format!(
            "a plan of the engine waits for approval on {}, so people cannot be asked about another one; nothing was asked. \
             Wait until {PLAN_PENDING_APPROVAL} is off (`explain` tells), and call again",
            self.issue
        );
        CommandError::No(why).into()
    }

    fn sight(&self) -> Result<Sighting, Trouble> {
        let dialect = self.context.config.pipeline.dialect;
        let branch = issue_branch(dialect, self.issue.number);
        let sight = self.context.fleet.claims.tracker.sight(self.issue, &branch);
        Ok(self.context.block_on(sight).map_err(|error| of_tracker(self.issue, &error))?.value)
    }

    fn names(&self) -> Names {
        self.policy.names
    }

    fn terms(&self) -> Terms<'_> {
        let (names, approvers) = (self.names(), &self.policy.approvers);
        Terms { names, stage: &self.subject, way: ApprovalWay::Tracker, approvers }
    }

    /// What was said about the plan, if it is the one that was asked about last.
    fn verdict(&self, comments: &[Comment]) -> Option<Approval> {
        let begin = format!("{} — approval: {AGENT_PLAN}", self.names().heading());
        let latest =
            comments.iter().rfind(|comment| comment.is_own_account && comment.body.starts_with(&begin))?;
        let own = format!("{} — approval: {}**", self.names().heading(), self.subject);
        latest
            .body
            .starts_with(&own)
            .then(|| approval::of(self.terms(), comments, &Heard::NotAsked))
            .flatten()
    }

    fn ask(&self, comments: &[Comment]) -> Result<Told<Output>, Trouble> {
        let claims = &self.context.fleet.claims;
        let hold = self.session.hold(self.context, self.issue, None)?;
        if hold.is_none() {
            let standing = self.context.block_on(claims.standing(self.issue));
            let standing = standing.map_err(|error| of_claims(self.issue, &error))?;
            if let Some(holding) = Holding::of(self.session, &standing) {
                return Ok(self.held(holding));
            }
        }
        self.post(&spoken(&self.session.holder.codename, &self.plan))?;
        let mark = approval::plan_of(comments, &self.subject, self.names()).mark;
        self.post(&approval::question(self.terms(), &mark))?;
        let released = self.let_go(hold)?;
        self.relabel(PLAN_PENDING_APPROVAL, IMPLEMENT)?;
        let shape = Output { is_new: true, released, ..self.output(Outcome::Pending) };
        let words = format!(
            "People were asked on {} whether they agree to your plan. Do not carry it out yet; call again with the same plan to \
             hear what they decided.",
            self.issue
        );
        Ok(Told { shape, words })
    }

    fn post(&self, body: &str) -> Result<(), Trouble> {
        let posted = self.context.block_on(self.context.fleet.claims.tracker.post_comment(self.issue, body));
        posted.map(drop).map_err(|error| of_tracker(self.issue, &error))
    }

    /// While people decide, the label alone keeps others away. A claim that is lost meanwhile is nobody's.
    fn let_go(&self, hold: Option<FoundLease>) -> Result<bool, Trouble> {
        let Some(found) = hold else { return Ok(false) };
        let to = Some(PLAN_PENDING_APPROVAL.to_owned());
        let ending = Ending { outcome: ClaimOutcome::PlanPending, to, pr: None };
        let (dialect, handover) = ending.handover(self.context, self.issue, &found)?;
        let end = give_back(self.context, self.issue, found, dialect, handover)?;
        let is_over = matches!(end, HandedBack::Released | HandedBack::Lost { .. });
        if is_over {
            self.session.forget(self.issue);
        }
        Ok(is_over)
    }

    /// Puts one label on and takes another off; either may be so already.
    fn relabel(&self, on: &str, off: &str) -> Result<(), Trouble> {
        let tracker = &self.context.fleet.claims.tracker;
        let changed = self.context.block_on(async {
            tracker.add_labels(self.issue, &[on]).await?;
            tracker.remove_label(self.issue, off).await
        });
        changed.map_err(|error| of_tracker(self.issue, &error))
    }

    /// Tells what was decided, and lets the issue be claimed again once something is, if the label is there for this plan.
    fn told(&self, approval: &Approval, has_own_label: bool) -> Result<Told<Output>, Trouble> {
        let issue = self.issue;
        let (outcome, words) = match approval.state {
            ApprovalState::Pending => (
                Outcome::Pending,
                format!("Nobody has decided about your plan for {issue} yet. Call again later."),
            ),
            ApprovalState::Approved => {
                let by = &approval.by;
                (Outcome::Approved, format!("{by} approved your plan. Claim {issue} again and carry it out."))
            }
            ApprovalState::Rejected => {
                let (by, why) = (&approval.by, &approval.reason);
                let words = format!(
                    "{by} rejected your plan for {issue}: {why}. Change it and ask again, or leave it."
                );
                (Outcome::Rejected, words)
            }
        };
        if outcome != Outcome::Pending && has_own_label {
            self.relabel(IMPLEMENT, PLAN_PENDING_APPROVAL)?;
        }
        let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let shape = Output { by: said(&approval.by), reason: said(&approval.reason), ..self.output(outcome) };
        Ok(Told { shape, words })
    }

    fn held(&self, holding: Holding) -> Told<Output> {
        let words = format!(
            "{} is held by {}; nothing was asked. Choose another issue.",
            self.issue,
            holding.words()
        );
        Told { shape: Output { held_by: Some(holding), ..self.output(Outcome::Held) }, words }
    }

    fn output(&self, outcome: Outcome) -> Output {
        Output {
            outcome,
            issue: self.issue.to_string(),
            is_new: false,
            by: None,
            reason: None,
            released: false,
            held_by: None,
        }
    }
}
