//! Pushes that the server refuses unless every ref is where the pusher knows it to be.
//!
//! The expectation is always written out. Left to git, it would be whatever was fetched last, and that may be a
//! successor's work. A fenced push also carries a heartbeat on the claim ref, from the tip that the lease knows, in the
//! same atomic transaction: a holder whose claim was taken over moves nothing, whatever its own clock says.
//!
//! Deliberately absent: whether the lease still has time, and what is done about a refusal.

use crate::checkout::{Checkout, check_ref, check_remote, found};
use crate::error::GitError;
use crate::oid::Oid;
use crate::program::{self, Said};
use crate::report::{RefReport, find_ref, read_push};

/// Where a branch goes, and from where.
#[derive(Debug, Clone)]
pub struct BranchMove<'a> {
    /// The full name: `refs/heads/…`.
    pub name: &'a str,
    /// The commit that it shall be at.
    pub new: Oid,
    /// The commit that it must be at before; nothing if it must not exist.
    pub expected: Option<Oid>,
    /// Whether commits may be lost from the branch.
    pub allows_rewrite: bool,
}

/// What binds a push to a claim.
#[derive(Debug, Clone)]
pub struct Heartbeat<'a> {
    /// The ref that decides who holds the issue.
    pub claim_ref: &'a str,
    /// Its tip, as the lease knows it.
    pub claim_tip: Oid,
    /// The message of the heartbeat.
    pub message: &'a str,
}

/// A push that only the holder of a claim can make.
#[derive(Debug, Clone)]
pub struct FencedPush<'a> {
    /// Where the commits are.
    pub checkout: Checkout<'a>,
    /// Where they go: the name of a remote, or an address.
    pub remote: &'a str,
    /// The claim.
    pub heartbeat: Heartbeat<'a>,
    /// The branch.
    pub branch: BranchMove<'a>,
    /// Whether the repository's pre-push hook is passed over.
    pub skips_hooks: bool,
}

/// A push that nothing binds to a claim: only the branch is where it is expected.
#[derive(Debug, Clone)]
pub struct UnfencedPush<'a> {
    /// Where the commits are.
    pub checkout: Checkout<'a>,
    /// Where they go: the name of a remote, or an address.
    pub remote: &'a str,
    /// The branch.
    pub branch: BranchMove<'a>,
    /// Whether the repository's pre-push hook is passed over.
    pub skips_hooks: bool,
}

/// What became of a push. Unless it was pushed, nothing has moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// All of it.
    Pushed {
        /// The heartbeat, which is the tip of the claim ref now; nothing if the push was not fenced.
        claim_tip: Option<Oid>,
    },
    /// The claim ref is not where the lease knows it: someone else holds the issue, or it was released.
    Stale {
        /// The claim ref.
        name: String,
    },
    /// The branch is not where it was expected.
    BranchMoved {
        /// The branch.
        name: String,
    },
    /// The branch would lose commits; nothing was sent.
    NotFastForward {
        /// The branch.
        name: String,
    },
    /// A hook or the server said no, in these words.
    Rejected(String),
}

impl FencedPush<'_> {
    /// Makes the heartbeat and pushes.
    pub fn send(&self) -> Result<PushOutcome, GitError> {
        check_ref(self.heartbeat.claim_ref)?;
        if let Some(refusal) = check_branch(&self.checkout, self.remote, &self.branch)? {
            return Ok(refusal);
        }
        if !self.fetch_claim_tip()? {
            return Ok(PushOutcome::Stale { name: self.heartbeat.claim_ref.to_owned() });
        }
        let heartbeat = self.write_heartbeat()?;
        let claim = RefMove {
            name: self.heartbeat.claim_ref,
            new: &heartbeat,
            expected: Some(&self.heartbeat.claim_tip),
        };
        let push = Push {
            checkout: &self.checkout,
            remote: self.remote,
            branch: RefMove::of(&self.branch),
            claim: Some(claim),
            skips_hooks: self.skips_hooks,
        };
        push.send()
    }

    /// Brings the tip of the claim here, if it is not. Returns whether there is such a tip.
    fn fetch_claim_tip(&self) -> Result<bool, GitError> {
        if self.checkout.has_commit(&self.heartbeat.claim_tip)? {
            return Ok(true);
        }
        let tried = "fetching the claim ref";
        // An empty refmap keeps git from moving any local ref on the way.
        let options = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap=", "--"];
        let said =
            self.checkout.git(tried, &[&options[..], &[self.remote, self.heartbeat.claim_ref]].concat())?;
        if !said.is_success() && said.stderr.contains("couldn't find remote ref") {
            return Ok(false);
        }
        said.or_failed(tried)?;
        // A ref that was deleted and made anew has another history: what the lease knows is not part of it.
        self.checkout.has_commit(&self.heartbeat.claim_tip)
    }

    fn write_heartbeat(&self) -> Result<Oid, GitError> {
        let tip = &self.heartbeat.claim_tip;
        let tree = format!("{tip}^{{tree}}");
        let arguments = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", &tree, "-p", tip.as_str()];
        let tried = "writing the heartbeat";
        let said = program::run(&self.checkout, tried, &arguments, Some(self.heartbeat.message))?;
        found(&said.or_failed(tried)?)
    }
}

impl UnfencedPush<'_> {
    /// Pushes.
    pub fn send(&self) -> Result<PushOutcome, GitError> {
        if let Some(refusal) = check_branch(&self.checkout, self.remote, &self.branch)? {
            return Ok(refusal);
        }
        let push = Push {
            checkout: &self.checkout,
            remote: self.remote,
            branch: RefMove::of(&self.branch),
            claim: None,
            skips_hooks: self.skips_hooks,
        };
        push.send()
    }
}

/// Looks before anything is sent whether the branch can go where it shall. An expected commit makes git take a rewrite for
/// meant, so this is the only place where it is refused.
fn check_branch(
    checkout: &Checkout<'_>,
    remote: &str,
    branch: &BranchMove<'_>,
) -> Result<Option<PushOutcome>, GitError> {
    check_remote(remote)?;
    check_ref(branch.name)?;
    if !branch.name.starts_with("refs/heads/") {
        return Err(GitError::Input(format!("`{}` is not a branch: write refs/heads/NAME", branch.name)));
    }
    for oid in [Some(&branch.new), branch.expected.as_ref()].into_iter().flatten() {
        if !checkout.has_commit(oid)? {
            let place = checkout.repository.display();
            return Err(GitError::Input(format!("there is no commit {oid} in {place}; fetch it first")));
        }
    }
    match &branch.expected {
        Some(expected) if !branch.allows_rewrite && !checkout.is_fast_forward(expected, &branch.new)? => {
            Ok(Some(PushOutcome::NotFastForward { name: branch.name.to_owned() }))
        }
        _ => Ok(None),
    }
}

/// One ref of a push.
struct RefMove<'a> {
    name: &'a str,
    new: &'a Oid,
    expected: Option<&'a Oid>,
}

impl<'a> RefMove<'a> {
    fn of(branch: &'a BranchMove<'_>) -> Self {
        Self { name: branch.name, new: &branch.new, expected: branch.expected.as_ref() }
    }

    fn lease(&self) -> String {
        let expected = self.expected.map(Oid::as_str).unwrap_or_default();
        format!("--force-with-lease={}:{expected}", self.name)
    }

    fn refspec(&self) -> String {
        format!("{}:{}", self.new, self.name)
    }
}

/// A push whose refs are known.
struct Push<'a> {
    checkout: &'a Checkout<'a>,
    remote: &'a str,
    branch: RefMove<'a>,
    claim: Option<RefMove<'a>>,
    skips_hooks: bool,
}

impl Push<'_> {
    fn send(&self) -> Result<PushOutcome, GitError> {
        if program::is_time_up(self.checkout) {
            return Err(GitError::TooLate { tried: "the push" });
        }
        let refs: Vec<&RefMove<'_>> = self.claim.iter().chain([&self.branch]).collect();
        let (leases, refspecs): (Vec<String>, Vec<String>) =
            refs.iter().map(|it| (it.lease(), it.refspec())).unzip();
        // Exactly these refs, whatever is configured: what is not in the transaction is not fenced.
        let mut arguments =
            vec!["push", "--porcelain", "--atomic", "--no-follow-tags", "--no-recurse-submodules"];
        if self.skips_hooks {
            arguments.push("--no-verify");
        }
        arguments.extend(leases.iter().map(String::as_str));
        arguments.extend(["--", self.remote]);
        arguments.extend(refspecs.iter().map(String::as_str));
        match self.checkout.git("the push", &arguments) {
            Ok(said) => self.judge(&said),
            Err(GitError::TooLate { .. }) => Err(self.unclear("the time was up".to_owned())),
            Err(error) => Err(error),
        }
    }

    fn judge(&self, said: &Said) -> Result<PushOutcome, GitError> {
        let reports = read_push(&said.stdout);
        let is_stale = |name: &str| reports.iter().any(|report| report.name == name && report.is_stale());
        match &self.claim {
            _ if said.is_success() => Ok(self.pushed()),
            Some(claim) if is_stale(claim.name) => Ok(PushOutcome::Stale { name: claim.name.to_owned() }),
            _ if is_stale(self.branch.name) => Ok(self.branch_moved()),
            _ => self.look(said, &reports),
        }
    }

    /// Finds out what a failure means by what is on the remote now: the words for it differ between servers, and an answer
    /// that was lost has none.
    fn look(&self, said: &Said, reports: &[RefReport]) -> Result<PushOutcome, GitError> {
        let claim_name = self.claim.as_ref().map(|claim| claim.name);
        let names: Vec<&str> = claim_name.into_iter().chain([self.branch.name]).collect();
        let arguments = [&["ls-remote", "--quiet", "--", self.remote][..], &names].concat();
        let seen = match self.checkout.git("looking at the remote", &arguments) {
            Ok(seen) if seen.is_success() => seen.stdout,
            // Git ends like this before it sends anything when it cannot even read the remote's refs.
            Ok(_) if said.code == Some(128) && reports.is_empty() => {
                return Err(GitError::Failed { tried: "the push", said: said.complaint() });
            }
            _ => return Err(self.unclear(said.complaint())),
        };
        let at = |name: &str| find_ref(&seen, name);
        let branch = at(self.branch.name);
        if let Some(claim) = &self.claim {
            match at(claim.name) {
                Some(tip) if tip == *claim.new => return Ok(self.pushed()),
                tip if tip.as_ref() != claim.expected => {
                    return Ok(PushOutcome::Stale { name: claim.name.to_owned() });
                }
                _ => {}
            }
        } else if branch.as_ref() == Some(self.branch.new) {
            return Ok(self.pushed());
        }
        if branch.as_ref() != self.branch.expected && branch.as_ref() != Some(self.branch.new) {
            return Ok(self.branch_moved());
        }
        refusal(said, reports)
    }

    fn pushed(&self) -> PushOutcome {
        PushOutcome::Pushed { claim_tip: self.claim.as_ref().map(|claim| claim.new.clone()) }
    }

    fn branch_moved(&self) -> PushOutcome {
        PushOutcome::BranchMoved { name: self.branch.name.to_owned() }
    }

    fn unclear(&self, said: String) -> GitError {
        GitError::Unclear { heartbeat: self.claim.as_ref().map(|claim| claim.new.clone()), said }
    }
}

/// Nothing moved although everything is where it was expected: a hook or the server has said no, or git broke off.
fn refusal(said: &Said, reports: &[RefReport]) -> Result<PushOutcome, GitError> {
    let broke_off = said.code != Some(1) || (reports.is_empty() && said.stderr.contains("fatal:"));
    match broke_off {
        true => Err(GitError::Failed { tried: "the push", said: said.complaint() }),
        false => {
            let refused = reports.iter().filter(|report| report.is_refused);
            let words = refused.map(|report| format!("{}: {}\n", report.name, report.summary));
            Ok(PushOutcome::Rejected(words.collect::<String>() + &said.complaint()))
        }
    }
}
