//! What a person can put in the way: holding a single issue, pausing a repository for everybody, the labels themselves.

use baton_core::RepoSlug;
use baton_core::claim::text::{self, Marker, ReleaseText};
use baton_core::claim::{Holder, Outcome, Protocol};
use baton_core::labels::{
    DO_NOT_PICKUP, FURTHER_LABELS, IN_FLIGHT, LIFECYCLE_LABELS, PR_OPEN, REPO_PAUSED, lifecycle_state,
};
use baton_core::tracker::{IssueKey, IssueState, LabelDefinition, RefAdvance};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

/// What became of a person's hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldOutcome {
    /// Agents leave the issue alone now, or would in a dry run.
    Held,
    /// They did already.
    AlreadyHeld,
    /// Someone is at work on it.
    InFlight(Holder),
    /// A pull request is open for it.
    PullOpen,
}

/// What became of one label of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSync {
    /// Which.
    pub name: String,
    /// Made, changed, or as it should be.
    pub change: LabelSyncChange,
}

/// What was done to a label of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelSyncChange {
    /// It was missing.
    Made,
    /// Its colour or meaning was another.
    Changed,
    /// Nothing.
    AsItShouldBe,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Keeps agents away from an issue, with a note of who and why.
    pub async fn hold(
        &self,
        key: &IssueKey,
        note: &str,
        is_forced: bool,
        is_dry_run: bool,
    ) -> Result<HoldOutcome, ClaimError> {
        let standing = self.standing(key).await?;
        if standing.issue.has_label(PR_OPEN) {
            return Ok(HoldOutcome::PullOpen);
        }
        if let (Some(holder), false) = (standing.holder, is_forced) {
            return Ok(HoldOutcome::InFlight(holder));
        }
        if standing.issue.has_label(DO_NOT_PICKUP) {
            return Ok(HoldOutcome::AlreadyHeld);
        }
        if !is_dry_run {
            self.tracker.add_labels(key, &[DO_NOT_PICKUP]).await?;
            self.tracker.post_comment(key, note).await?;
        }
        Ok(HoldOutcome::Held)
    }

    /// Lets agents have an issue again. Returns whether anything kept them away.
    pub async fn unhold(&self, key: &IssueKey, note: &str, is_dry_run: bool) -> Result<bool, ClaimError> {
        let issue = self.tracker.issue(key).await?.value;
        let was_held = issue.has_label(DO_NOT_PICKUP);
        if was_held && !is_dry_run {
            self.tracker.remove_label(key, DO_NOT_PICKUP).await?;
            self.tracker.post_comment(key, note).await?;
        }
        Ok(was_held)
    }

    /// Ends whatever claims there are on an issue, alive or not, and puts it back into the queue. A holder that is still at
    /// work notices at its next renewal, and its bound pushes are refused at once. Returns whose claims were ended.
    pub async fn force_release(&self, key: &IssueKey, by: &str) -> Result<Vec<Holder>, ClaimError> {
        let standing = self.standing(key).await?;
        let now = self.clock.wall_now();
        let forced = |release: ReleaseText| ReleaseText { swept_by: Some(by.to_owned()), ..release };
        let mut ended = Vec::new();
        if standing.protocol == Protocol::Ref {
            ended.extend(self.end_ref_claim(key, &forced).await?);
        }
        let open = standing.ledger.claims.iter().filter(|claim| claim.is_believed && claim.ended.is_none());
        for claim in open {
            let release = forced(claim.release(Outcome::Cancelled));
            self.tracker.post_comment(key, &release.write(now)).await?;
            ended.push(claim.text.holder.clone());
        }
        ended.sort();
        ended.dedup();
        if !ended.is_empty() && standing.issue.is_open {
            self.put_back(key, &standing.issue.labels).await?;
        }
        Ok(ended)
    }

    async fn end_ref_claim(
        &self,
        key: &IssueKey,
        forced: &impl Fn(ReleaseText) -> ReleaseText,
    ) -> Result<Option<Holder>, ClaimError> {
        let name = self.settings.claim_ref(key.number);
        let Some(tip) = self.tracker.ref_tip(&key.repo, &name).await?.value else { return Ok(None) };
        let Some(Marker::Claim(claim)) = text::read(&tip.message) else { return Ok(None) };
        let holder = claim.holder.clone();
        let ended = ReleaseText::new(claim.holder, Outcome::Cancelled);
        let release = forced(ReleaseText { nonce: claim.nonce, epoch: claim.epoch, ..ended });
        let message = release.write(self.clock.wall_now());
        let commit = self.tracker.write_commit(&key.repo, &message, Some(&tip.oid)).await?.value;
        let advanced = self.tracker.advance_ref(&key.repo, &name, &commit.oid).await?;
        if advanced != RefAdvance::Advanced {
            let why = format!("{key} changed hands or was renewed just now; try again");
            return Err(ClaimError::Machine(why));
        }
        Ok(Some(holder))
    }

    async fn put_back(&self, key: &IssueKey, labels: &[String]) -> Result<(), ClaimError> {
        let terms = self.settings.terms();
        if lifecycle_state(labels) != Some(IN_FLIGHT) {
            return Ok(());
        }
        let change = terms.labels_on_handing_back(labels, Some(self.settings.eligibility.dialect.eligible()));
        let add: Vec<&str> = change.add.iter().map(String::as_str).collect();
        if !add.is_empty() {
            self.tracker.add_labels(key, &add).await?;
        }
        for label in &change.remove {
            self.tracker.remove_label(key, label).await?;
        }
        Ok(())
    }

    /// Pauses a repository for everybody, by an open issue.
    pub async fn pause_on_tracker(&self, repo: &RepoSlug, note: &str) -> Result<u64, ClaimError> {
        if let Some(issue) =
            self.tracker.issues_labelled(repo, REPO_PAUSED, IssueState::Open).await?.value.first()
        {
            return Ok(issue.number);
        }
        let title = "Agents are paused in this repository";
        Ok(self.tracker.open_issue(repo, title, note, &[REPO_PAUSED]).await?)
    }

    /// Ends a pause for everybody. Returns the issues that were closed for it.
    pub async fn resume_on_tracker(&self, repo: &RepoSlug) -> Result<Vec<u64>, ClaimError> {
        let mut closed = Vec::new();
        for issue in self.tracker.issues_labelled(repo, REPO_PAUSED, IssueState::Open).await?.value {
            self.tracker.close_issue(&IssueKey { repo: repo.clone(), number: issue.number }).await?;
            closed.push(issue.number);
        }
        Ok(closed)
    }

    /// Makes the labels of the catalogue, and gives those that are there their colour and meaning.
    pub async fn sync_labels(&self, repo: &RepoSlug, is_dry_run: bool) -> Result<Vec<LabelSync>, ClaimError> {
        let catalogue = LIFECYCLE_LABELS.into_iter().chain(FURTHER_LABELS);
        let wanted: Vec<_> = catalogue
            .map(|(name, color, description)| LabelDefinition {
                name: name.to_owned(),
                color: color.to_owned(),
                description: description.to_owned(),
            })
            .collect();
        self.define_labels(repo, &wanted, is_dry_run).await
    }

    /// Makes these labels, and gives those that are there their colour and meaning.
    pub async fn define_labels(
        &self,
        repo: &RepoSlug,
        wanted: &[LabelDefinition],
        is_dry_run: bool,
    ) -> Result<Vec<LabelSync>, ClaimError> {
        let there = self.tracker.label_definitions(repo).await?;
        let mut synced = Vec::new();
        for wanted in wanted {
            let existing = there.iter().find(|label| label.name.eq_ignore_ascii_case(&wanted.name));
            let change = match existing {
                None => LabelSyncChange::Made,
                Some(label) if same(label, wanted) => LabelSyncChange::AsItShouldBe,
                Some(_) => LabelSyncChange::Changed,
            };
            if change != LabelSyncChange::AsItShouldBe && !is_dry_run {
                self.tracker.define_label(repo, wanted, existing.is_some()).await?;
            }
            synced.push(LabelSync { name: wanted.name.clone(), change });
        }
        Ok(synced)
    }
}

fn same(label: &LabelDefinition, wanted: &LabelDefinition) -> bool {
    label.color.eq_ignore_ascii_case(&wanted.color) && label.description == wanted.description
}
