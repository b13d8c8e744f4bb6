//! `label-state sweep-claims`: end claims that nobody is behind any more, repository by repository.
//!
//! What is stale is decided by the sweep's own rules; claims that are alive are never touched. A repository that cannot
//! be read does not keep the others waiting, and makes the exit code 3.

use std::collections::BTreeMap;
use std::process::ExitCode;

use baton_claims::{StaleClaim, find_stale_claims, force_release_stale_claim};
use baton_ports::Clock as _;
use clap::Args;

use super::super::context::{Context, TrackerArguments};
use super::{open, words};
use crate::command_error::CommandError;

/// The variable with the repositories that are swept when none is named.
const REPOS_VARIABLE: &str = "LABEL_STATE_SWEEP_REPOS";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state sweep-claims --repo acme/web
  LABEL_STATE_SWEEP_REPOS='web api' baton label-state sweep-claims --dry-run

Exit codes:
  0  swept
  2  no repository was named
  3  a repository could not be swept")]
pub(crate) struct SweepClaims {
    /// Claims that name no ttl count as dead after this many hours.
    #[arg(long, value_name = "N", default_value_t = 4)]
    max_age_hours: u64,
    /// The only repository to sweep; by default those of LABEL_STATE_SWEEP_REPOS.
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

/// What a sweep came to.
#[derive(Debug, Default)]
struct Tally {
    found: usize,
    swept: usize,
    has_failed: bool,
}

impl SweepClaims {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = open(&self.tracker)?;
        let listed = context.surroundings.variable(REPOS_VARIABLE);
        let repos = repos(self.repo.as_deref(), listed);
        if repos.is_empty() {
            eprintln!("{}", words::NOTHING_TO_SWEEP);
            return Err(CommandError::SaidWith(ExitCode::from(2)));
        }
        let sweep_id = format!("{}-manual", context.fleet.claims.clock.wall_now().compact());
        let mut tally = Tally::default();
        for name in &repos {
            let slug = context.repo(Some(name))?.to_string();
            self.sweep(&context, name, &slug, &sweep_id, &mut tally);
        }
        match self.dry_run {
            true => say!("{}", words::dry_run(tally.found, repos.len())),
            false => say!("{}", words::swept(tally.swept, tally.found, repos.len())),
        }
        if tally.has_failed { Err(CommandError::SaidWith(ExitCode::from(3))) } else { Ok(()) }
    }

    fn sweep(&self, context: &Context, name: &str, slug: &str, sweep_id: &str, tally: &mut Tally) {
        let found = context.block_on(find_stale_claims(&context.fleet, slug, self.max_age_hours));
        let stale = match found {
            Ok(stale) => stale,
            Err(error) => {
                eprintln!("{}", words::probe_failed(name, &error.to_string()));
                tally.has_failed = true;
                return;
            }
        };
        if stale.is_empty() {
            return;
        }
        tally.found += stale.len();
        say!("{}", words::stale_in(name, stale.len()));
        // One issue can carry several dead claims, and all of them end together.
        let mut ended = BTreeMap::new();
        for claim in &stale {
            say!("{}", words::stale(claim));
            if self.dry_run {
                continue;
            }
            let end = || self.end(context, claim, sweep_id);
            match ended.entry(claim.number).or_insert_with(end) {
                Ok(()) => tally.swept += 1,
                Err(why) => {
                    eprintln!("{}", words::sweep_failed(why));
                    tally.has_failed = true;
                }
            }
        }
    }

    fn end(&self, context: &Context, claim: &StaleClaim, sweep_id: &str) -> Result<(), String> {
        let hours = Some(self.max_age_hours);
        let release = force_release_stale_claim(&context.fleet, &claim.repo, claim.number, sweep_id, hours);
        match context.block_on(release) {
            Ok(true) => Ok(()),
            Ok(false) => Err("the tracker did not take every change; sweep again".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The repositories to sweep: the one that was named, or those that the environment lists.
fn repos(named: Option<&str>, listed: Option<&str>) -> Vec<String> {
    let names = named.or(listed).into_iter().flat_map(|text| text.split(','));
    names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_repository_replaces_the_listed_ones() {
        assert_eq!(repos(None, Some(" web, api ,,acme/mobile")), ["web", "api", "acme/mobile"]);
        assert_eq!(repos(Some("web"), Some("api")), ["web"]);
        assert!(repos(None, Some(" , ")).is_empty() && repos(None, None).is_empty());
    }
}
