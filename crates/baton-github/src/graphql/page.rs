//! What all answers have in common: lists in pages, people, moments, and numbers that come as texts.

use baton_core::time::ServerTime;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// What GitHub calls an account that is gone.
const GHOST: &str = "ghost";

/// Where a list goes on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PageInfo {
    pub(crate) has_next_page: bool,
    pub(crate) end_cursor: Option<String>,
    pub(crate) has_previous_page: bool,
    pub(crate) start_cursor: Option<String>,
}

/// A page of a list. What the token may not see is null.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Connection<T> {
    #[serde(default = "Vec::new", deserialize_with = "nodes", bound(deserialize = "T: Deserialize<'de>"))]
    pub(crate) nodes: Vec<Option<T>>,
    #[serde(default)]
    pub(crate) page_info: PageInfo,
    #[serde(default)]
    pub(crate) total_count: u64,
}

impl<T> Default for Connection<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), page_info: PageInfo::default(), total_count: 0 }
    }
}

impl<T> Connection<T> {
    /// A page of which nothing may be seen.
    pub(crate) fn unseen() -> Self {
        Self { nodes: vec![None], ..Self::default() }
    }

    /// Returns what is on this page.
    pub(crate) fn into_items(self) -> impl Iterator<Item = T> {
        self.nodes.into_iter().flatten()
    }
}

/// A further page, under the name that all documents for further pages give it.
#[derive(Debug, Deserialize)]
pub(crate) struct NodePage<T> {
    pub(crate) node: Option<Paged<T>>,
}

/// What a node holds of a further page.
#[derive(Debug, Deserialize)]
pub(crate) struct Paged<T> {
    pub(crate) page: Option<Connection<T>>,
}

/// Something in a repository.
#[derive(Debug, Deserialize)]
pub(crate) struct InRepository<T> {
    pub(crate) repository: Option<T>,
}

/// Somebody.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ActorWire {
    #[serde(rename = "__typename", default)]
    pub(crate) kind: String,
    pub(crate) login: Option<String>,
}

impl ActorWire {
    pub(crate) fn is_bot(&self) -> bool {
        self.kind == "Bot"
    }

    /// Returns the login as the rest of the API writes it: GraphQL leaves the ending of programs away.
    pub(crate) fn login(&self) -> String {
        match self.login.as_deref() {
            None => GHOST.to_owned(),
            Some(login) if self.is_bot() && !login.ends_with("[bot]") => format!("{login}[bot]"),
            Some(login) => login.to_owned(),
        }
    }
}

/// Returns somebody's login.
pub(crate) fn login_of(actor: Option<&ActorWire>) -> String {
    actor.map_or_else(|| GHOST.to_owned(), ActorWire::login)
}

/// Returns whether a login stands for an account that is gone.
pub(crate) fn is_ghost(login: &str) -> bool {
    login == GHOST
}

pub(crate) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ServerTime, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// A number that GraphQL writes as a text because it may be large.
pub(crate) fn big<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u64),
        Text(String),
    }
    match Either::deserialize(deserializer)? {
        Either::Number(number) => Ok(number),
        Either::Text(text) => text.parse().map_err(D::Error::custom),
    }
}

/// A list that may be null.
pub(crate) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Entries that may be null, all together or each; what may not be seen is not nothing.
fn nodes<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Option<T>>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(|| Connection::unseen().nodes))
}

/// A page that may be null.
pub(crate) fn page<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Connection<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn programs_are_named_as_elsewhere_in_the_api() {
        let login = |kind: &str, login: Option<&str>| {
            ActorWire { kind: kind.to_owned(), login: login.map(str::to_owned) }.login()
        };
        assert_eq!(login("Bot", Some("dependabot")), "dependabot[bot]");
        assert_eq!(login("Bot", Some("relay[bot]")), "relay[bot]");
        assert_eq!(login("User", Some("ann")), "ann");
        assert_eq!(login("User", None), "ghost");
        assert_eq!(login_of(None), "ghost");
    }

    #[test]
    fn a_page_with_holes_and_unknown_fields_is_read() {
        let value =
            json!({ "nodes": [1, null, 2], "pageInfo": { "hasNextPage": true, "endCursor": "c" }, "new": 1 });
        let page: Connection<u8> = serde_json::from_value(value).unwrap();
        assert_eq!(page.page_info.end_cursor.as_deref(), Some("c"));
        assert_eq!(page.into_items().collect::<Vec<_>>(), [1, 2]);
        let page: Connection<u8> = serde_json::from_value(json!({ "nodes": null })).unwrap();
        assert_eq!(page.nodes, [None], "what may not be seen is not nothing");
    }

    #[test]
    fn large_numbers_are_read_as_texts_and_as_numbers() {
        #[derive(Deserialize)]
        struct Wire {
            #[serde(deserialize_with = "big")]
            id: u64,
        }
        let read = |value| serde_json::from_value::<Wire>(json!({ "id": value })).map(|wire| wire.id).ok();
        assert_eq!(read(json!("4294967296123")), Some(4_294_967_296_123));
        assert_eq!(read(json!(7)), Some(7));
        assert_eq!(read(json!("x")), None);
    }
}
