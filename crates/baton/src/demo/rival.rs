//! The other worker of the demo: it has an account, a name and a state of its own, wants an issue that the engine holds, and
//! loses.

use std::path::Path;

use baton_claims::{Fleet, FleetSettings};
use baton_core::claim::step::Acquired;
use baton_core::claim::text::ReleaseText;
use baton_core::claim::{Holder, Outcome};
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimRequest;
use baton_github::Auth;
use baton_ports::{Clock as _, Tracker as _};

use super::ground::{Ground, RIVAL, WANTED};
use super::score::Score;
use crate::claims::context::{claim_settings, github_settings};
use crate::command_error::CommandError;
use crate::flow::context::Flow;

/// Tries to claim the issue, and says on the tracker what came of it.
pub(super) async fn compete(
    ground: &Ground,
    flow: &Flow,
    directory: &Path,
    issue: &IssueKey,
    score: &Score,
) -> Result<(), CommandError> {
    let fleet = fleet(ground, flow, directory)?;
    let holder = fleet.holder(RIVAL, &fleet.new_firing().to_string());
    let holder = holder.map_err(|error| CommandError::out_of_reach(&error))?;
    let request = ClaimRequest { holder: holder.clone(), label: None, nonce: None };
    match fleet.claims.claim(issue, &request).await?.acquired {
        Acquired::Lost { to: Some(winner) } => {
            yielded(&fleet, issue, holder, &winner).await?;
            score.note(WANTED, &format!("{RIVAL} wants it too, and loses the claim to {}", winner.codename));
            Ok(())
        }
        other => Err(CommandError::OutOfReach(format!(
            "{RIVAL} should have lost {issue} to the engine that holds it, but: {other:?}"
        ))),
    }
}

fn fleet(ground: &Ground, flow: &Flow, directory: &Path) -> Result<Fleet, CommandError> {
    let desk = &flow.desk;
    let mut claims = claim_settings(desk.config(), None, &desk.surroundings);
    RIVAL.clone_into(&mut claims.user);
    claims.eligibility.is_decided = true;
    let mut github = github_settings(&desk.loaded, &desk.surroundings)?;
    github.auth = Auth::token(&ground.rival_token);
    let settings = FleetSettings { github, claims, state_dir: directory.join(RIVAL) };
    Fleet::new(settings).map_err(|error| CommandError::Usage(error.to_string()))
}

/// A lost claim leaves nothing but the winner's on a claim ref; people see it by this comment, in the words of claims.
async fn yielded(
    fleet: &Fleet,
    issue: &IssueKey,
    holder: Holder,
    winner: &Holder,
) -> Result<(), CommandError> {
    let release = ReleaseText::new(holder, Outcome::RaceYieldedTo(winner.codename.to_string()));
    let text = release.write(fleet.claims.clock.wall_now());
    let posted = fleet.claims.tracker.post_comment(issue, &text).await;
    posted.map(drop).map_err(|error| CommandError::out_of_reach(&error))
}
