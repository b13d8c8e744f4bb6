//! Where an issue is on projects, which are told as they are configured. Places that were archived are on no board.

use baton_core::config::ProjectRef;
use baton_core::tracker::Placement;

use super::voices::Room;
use crate::client::Answer;
use crate::graphql::issue::{PlacementWire, ValueWire};
use crate::graphql::page::Connection;
use crate::graphql::{MORE_PLACEMENTS, MORE_VALUES};

pub(super) async fn placements(
    room: &Room<'_>,
    id: &str,
    first: Connection<PlacementWire>,
) -> Answer<Vec<Placement>> {
    let mut placements = Vec::new();
    for wire in room.github.whole(room.repo, &MORE_PLACEMENTS, id, first).await? {
        if wire.is_archived {
            continue;
        }
        let values = room.github.whole(room.repo, &MORE_VALUES, &wire.id, wire.field_values).await?;
        let options = values.into_iter().filter_map(choice).collect();
        let board = ProjectRef { owner: wire.project.owner.login, number: wire.project.number };
        placements.push(Placement { board: board.to_string(), place: wire.id, options });
    }
    Ok(placements)
}

fn choice(value: ValueWire) -> Option<(String, String)> {
    Some((value.field.name?, value.name?))
}
