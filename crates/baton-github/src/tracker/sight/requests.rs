//! Whose reviews of a pull request are waited for.
//!
//! A team is named over REST, which takes no right over the organization. One that cannot be named is waited for all the
//! same: a request that vanished would let a pull request pass that somebody still has to see.

use baton_core::pipeline::item::ReviewRequest;
use baton_ports::TrackerErrorKind;
use http::Method;
use serde::Deserialize;

use super::voices::Room;
use crate::client::Answer;
use crate::graphql::MORE_REQUESTS;
use crate::graphql::page::{ActorWire, Connection, list};
use crate::graphql::pull::RequestWire;
use crate::tracker::relay::REVIEWERS;

/// What stands for the name of a team that cannot be read. No team can have it.
pub(in crate::tracker) const HIDDEN_TEAM: &str = "(hidden team)";

/// Who is asked, as REST tells it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AskedWire {
    #[serde(deserialize_with = "list")]
    teams: Vec<TeamWire>,
}

#[derive(Debug, Deserialize)]
struct TeamWire {
    slug: String,
}

/// Reads who is asked for a review.
pub(super) async fn of_pull(
    room: &Room<'_>,
    id: &str,
    number: u64,
    first: Connection<RequestWire>,
) -> Answer<Vec<ReviewRequest>> {
    let asked = room.github.whole_as_seen(room.repo, &MORE_REQUESTS, id, first).await?;
    let (mut requests, mut unnamed) = (Vec::new(), asked.hidden);
    for wire in asked.items {
        match wire.requested_reviewer.filter(|reviewer| reviewer.kind != "Team") {
            Some(reviewer) => requests.push(of_actor(&reviewer)),
            None => unnamed += 1,
        }
    }
    if unnamed > 0 {
        requests.extend(of_teams(room.repo.owner(), teams(room, number).await?, unnamed));
    }
    Ok(requests)
}

fn of_actor(reviewer: &ActorWire) -> ReviewRequest {
    ReviewRequest { login: reviewer.login(), is_bot: reviewer.is_bot() }
}

/// Names as many teams as are asked, those without a name by what stands for it.
fn of_teams(owner: &str, teams: Vec<TeamWire>, asked: u64) -> impl Iterator<Item = ReviewRequest> {
    let is_short = (teams.len() as u64) < asked;
    let names = teams.into_iter().map(|team| team.slug).chain(is_short.then(|| HIDDEN_TEAM.to_owned()));
    // Only teams of the organization that has the repository can be asked.
    names.map(move |name| ReviewRequest { login: format!("{owner}/{name}"), is_bot: false })
}

/// Returns the teams that are asked, as far as they may be read.
async fn teams(room: &Room<'_>, number: u64) -> Answer<Vec<TeamWire>> {
    let draft = room.github.call(Method::GET, room.repo, REVIEWERS, &[&number.to_string()])?;
    match room.github.ask(draft).await {
        Ok(sent) => Ok(sent.parse::<AskedWire>()?.teams),
        Err(refusal) if is_hidden(refusal.kind) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}

fn is_hidden(kind: TrackerErrorKind) -> bool {
    matches!(kind, TrackerErrorKind::Forbidden | TrackerErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_that_cannot_be_named_is_waited_for_all_the_same() {
        let check = |teams: &[&str], asked: u64, expected: &[&str]| {
            let teams = teams.iter().map(|slug| TeamWire { slug: (*slug).to_owned() }).collect();
            let logins: Vec<_> = of_teams("acme", teams, asked).map(|request| request.login).collect();
            assert_eq!(logins, expected);
        };
        check(&["core"], 1, &["acme/core"]);
        check(&["core"], 3, &["acme/core", "acme/(hidden team)"]);
        check(&[], 1, &["acme/(hidden team)"]);
    }
}
