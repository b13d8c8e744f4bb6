//! Work trees of a simulated machine: a branch for each issue, pushed to the tracker's repositories.

use std::path::PathBuf;
use std::sync::Arc;

use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::names::issue_branch;
use baton_core::workspace::{
    CloseAsk, Closed, OpenAsk, Opened, PushTerms, Pushed, Removal, Standing, Update,
};
use baton_ports::{WorkspaceError, Workspaces};

use super::clock::pass;
use super::dice::Dice;
use super::machine::{Machine, Place};
use super::tracker::people_side::{Push, PushAnswer};

/// The work trees of one machine.
#[derive(Clone)]
pub struct SimWorkspaces {
    machine: Arc<Machine>,
    dice: Dice,
}

impl SimWorkspaces {
    /// Returns the work trees of a machine.
    pub fn new(machine: &Arc<Machine>) -> Self {
        let dice = Dice::new(machine.scene.seed, &format!("git {}", machine.name));
        Self { machine: Arc::clone(machine), dice }
    }

    async fn reach(&self, tried: &str) -> Result<(), WorkspaceError> {
        pass(self.dice.millis(10, 2_000)).await;
        let scene = &self.machine.scene;
        if scene.are_faults_on() && self.dice.per_mille(scene.knobs.error_before / 2) {
            scene.count("git errors");
            return Err(WorkspaceError {
                is_transient: true,
                tried: tried.to_owned(),
                answer: "the simulated network failed".to_owned(),
                advice: "try again".to_owned(),
            });
        }
        Ok(())
    }

    fn place(&self, issue: &IssueKey, is_new: &mut bool) -> Place {
        let branch = issue_branch(PipelineDialect::Baton, issue.number);
        let remote = self.machine.hub.branch(&issue.repo, &branch);
        let base = self.machine.hub.branch(&issue.repo, "main").unwrap_or_default();
        let mut disk = self.machine.disk();
        *is_new = !disk.places.contains_key(issue);
        let fresh = Place { branch, head: base, seen: None, is_dirty: false };
        let place = disk.places.entry(issue.clone()).or_insert(fresh);
        // What others have pushed is taken over, unless there is something here that they do not have.
        if let Some(remote) = remote {
            let is_behind = place.seen.as_ref() == Some(&place.head) || *is_new;
            if is_behind || self.machine.hub.descends(&remote, &place.head) {
                place.head.clone_from(&remote);
            }
            place.seen = Some(remote);
        }
        place.clone()
    }
}

impl Workspaces for SimWorkspaces {
    async fn open(&self, ask: &OpenAsk) -> Result<Opened, WorkspaceError> {
        self.reach(&format!("open {}", ask.issue)).await?;
        let mut is_new = false;
        let place = self.place(&ask.issue, &mut is_new);
        let base_commit = self.machine.hub.branch(&ask.issue.repo, "main").unwrap_or_default();
        let path = PathBuf::from(format!("/sim/{}/{}", self.machine.name, ask.issue.number));
        Ok(Opened {
            git_dir: path.join(".git"),
            path,
            branch: place.branch,
            head: place.head,
            base: "main".to_owned(),
            base_commit,
            missing_base: None,
            is_new,
            update: if ask.updates { Update::Unneeded } else { Update::NotTried },
        })
    }

    async fn standing(&self, issue: &IssueKey) -> Result<Standing, WorkspaceError> {
        self.reach(&format!("look at {issue}")).await?;
        let disk = self.machine.disk();
        let place = disk.places.get(issue).ok_or_else(|| nowhere(issue))?;
        Ok(Standing { head: place.head.clone(), is_dirty: place.is_dirty })
    }

    async fn close(&self, ask: &CloseAsk) -> Result<Closed, WorkspaceError> {
        self.reach(&format!("push {}", ask.issue)).await?;
        let (place, rest_committed) = {
            let mut disk = self.machine.disk();
            let place = disk.places.get_mut(&ask.issue).ok_or_else(|| nowhere(&ask.issue))?;
            let commits_rest = place.is_dirty && ask.commit_rest_as.is_some();
            if commits_rest {
                place.head = self.machine.hub.commit_on(&place.head, "the rest");
            }
            if commits_rest || ask.is_read_only {
                place.is_dirty = false;
            }
            (place.clone(), commits_rest)
        };
        let push = self.push(ask, &place).await?;
        Ok(Closed { head: place.head, rest_committed, push, kept_aside: None })
    }

    async fn remove(&self, issue: &IssueKey) -> Result<Removal, WorkspaceError> {
        self.reach(&format!("remove {issue}")).await?;
        let removed = self.machine.disk().places.remove(issue);
        self.machine.scene.tell(&format!("{}: work tree of {issue} removed", self.machine.name));
        Ok(removed.map_or(Removal::Absent, |_| Removal::Removed { rescued: Vec::new() }))
    }

    async fn has_place(&self, issue: &IssueKey) -> bool {
        self.machine.disk().places.contains_key(issue)
    }
}

impl SimWorkspaces {
    async fn push(&self, ask: &CloseAsk, place: &Place) -> Result<Pushed, WorkspaceError> {
        let claim = match &ask.push {
            PushTerms::Withheld => return Ok(Pushed::Withheld),
            PushTerms::Lease => None,
            PushTerms::Fenced(claim) => Some(claim.clone()),
        };
        let base = self.machine.hub.branch(&ask.issue.repo, "main").unwrap_or_default();
        let has_nothing = self.machine.hub.descends(&base, &place.head);
        if has_nothing || (place.seen.as_ref() == Some(&place.head) && claim.is_none()) {
            return Ok(Pushed::Unneeded);
        }
        let push = Push {
            repo: ask.issue.repo.clone(),
            branch: place.branch.clone(),
            expected: place.seen.clone(),
            head: place.head.clone(),
            resolves: self.machine.hub.descends(&place.head, &base),
            claim,
        };
        let answer = self.machine.hub.push(&self.machine.name, &push);
        // The answer may be lost on its way, when the branch was moved already.
        self.reach(&format!("hear of the push of {}", ask.issue)).await?;
        Ok(match answer {
            PushAnswer::Done { claim_tip } => {
                let mut disk = self.machine.disk();
                if let Some(kept) = disk.places.get_mut(&ask.issue) {
                    kept.seen = Some(place.head.clone());
                }
                Pushed::Done { claim_tip }
            }
            PushAnswer::Moved => {
                Pushed::BranchMoved { rescued_as: format!("refs/baton/rescued/{}", place.head) }
            }
            PushAnswer::ClaimLost => Pushed::ClaimLost,
        })
    }
}

fn nowhere(issue: &IssueKey) -> WorkspaceError {
    WorkspaceError {
        is_transient: false,
        tried: format!("look at the work tree of {issue}"),
        answer: "there is none".to_owned(),
        advice: "open it first".to_owned(),
    }
}
