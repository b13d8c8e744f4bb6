//! Connections: a page of a list, with cursors.

use apollo_compiler::resolvers::ResolvedValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Bound, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use crate::db::keyset::{Key, Range};

/// What stands for an entry of a list: its place, counted from one, or the key that the list is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cursor {
    Place(i64),
    Key(Key),
}

impl Cursor {
    pub(crate) fn text(self) -> String {
        STANDARD.encode(match self {
            Self::Place(at) => format!("cursor:{at}"),
            Self::Key(Key { at, id }) => format!("cursor:{at}:{id}"),
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let decoded = String::from_utf8(STANDARD.decode(text).ok()?).ok()?;
        let numbers = decoded.strip_prefix("cursor:")?;
        Some(match numbers.split_once(':') {
            None => Self::Place(numbers.parse().ok()?),
            Some((at, id)) => Self::Key(Key { at: at.parse().ok()?, id: id.parse().ok()? }),
        })
    }

    /// Reads the kind of cursor that a list has; `argument` is where it was given.
    pub(crate) fn read<C: Mark>(text: &str, argument: &str) -> Result<C, GraphError> {
        Self::parse(text).and_then(C::of).ok_or_else(|| {
            let message = format!("`{text}` does not appear to be a valid cursor.");
            GraphError::new("INVALID_CURSOR_ARGUMENTS", format!("{message} ({argument})"))
        })
    }
}

/// What the cursors of one kind of list mean.
pub(crate) trait Mark: Copy {
    fn of(cursor: Cursor) -> Option<Self>;
}

impl Mark for i64 {
    fn of(cursor: Cursor) -> Option<Self> {
        if let Cursor::Place(at) = cursor { Some(at) } else { None }
    }
}

impl Mark for Key {
    fn of(cursor: Cursor) -> Option<Self> {
        if let Cursor::Key(key) = cursor { Some(key) } else { None }
    }
}

/// Which page was asked for, of a list whose cursors are places or keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paging<C = i64> {
    pub(crate) size: i64,
    /// Whether the page is the last of what matches instead of the first.
    pub(crate) from_end: bool,
    pub(crate) after: Option<C>,
    pub(crate) before: Option<C>,
}

impl<C: Mark> Paging<C> {
    pub(crate) fn of(ask: &Ask<'_>) -> Result<Self, GraphError> {
        let cursor = |name: &str| {
            ask.str(name).filter(|text| !text.is_empty()).map(|text| Cursor::read(text, name)).transpose()
        };
        let (first, last) = (ask.i64("first"), ask.i64("last"));
        Ok(Self {
            // The weight of the document was checked before: where neither is there, only the count is asked for.
            size: first.or(last).unwrap_or(0).clamp(0, 100),
            from_end: first.is_none() && last.is_some(),
            after: cursor("after")?,
            before: cursor("before")?,
        })
    }
}

impl Paging<i64> {
    /// The part of a list of `total` entries that this page is, where cursors are places in the list, counted from one.
    pub(crate) fn window(&self, total: i64) -> Window {
        let start = self.after.unwrap_or(0).clamp(0, total);
        let end = self.before.map_or(total, |before| (before - 1).clamp(start, total));
        let (from, to) = match self.from_end {
            false => (start, end.min(start + self.size)),
            true => (start.max(end - self.size), end),
        };
        Window { offset: from, limit: to - from, has_next: to < total, has_previous: from > 0 }
    }
}

impl Paging<Key> {
    /// Reads the page of a list of `total` entries that is ordered by keys, upwards or `descending`. `read` returns what a
    /// range holds, in the range's direction.
    pub(crate) fn page<R>(
        &self,
        total: i64,
        descending: bool,
        read: impl Fn(&Range) -> rusqlite::Result<Vec<R>>,
        key: impl Fn(&R) -> Key,
    ) -> rusqlite::Result<Keyed<R>> {
        let range = |after: Option<Key>, before: Option<Key>, from_end: bool, limit: i64| {
            let (above, below) = if descending { (before, after) } else { (after, before) };
            Range { above, below, descending: descending != from_end, limit }
        };
        let mut rows = read(&range(self.after, self.before, self.from_end, self.size))?;
        if self.from_end {
            rows.reverse();
        }
        let entries: Vec<(Key, R)> = rows.into_iter().map(|row| (key(&row), row)).collect();
        let (has_previous, has_next) = match (entries.first(), entries.last()) {
            (Some((first, _)), Some((last, _))) => (
                !read(&range(None, Some(*first), true, 1))?.is_empty(),
                !read(&range(Some(*last), None, false, 1))?.is_empty(),
            ),
            // Whatever there is lies beyond the cursors.
            _ => (total > 0 && self.after.is_some(), total > 0 && (self.before.is_some() || self.size == 0)),
        };
        Ok(Keyed { entries, has_previous, has_next })
    }
}

/// A page of a list that is ordered by keys.
pub(crate) struct Keyed<R> {
    pub(crate) entries: Vec<(Key, R)>,
    pub(crate) has_previous: bool,
    pub(crate) has_next: bool,
}

impl<R> Keyed<R> {
    pub(crate) fn try_map<E>(
        self,
        mut make: impl FnMut(R) -> Result<E, GraphError>,
    ) -> Result<Keyed<E>, GraphError> {
        let Self { entries, has_previous, has_next } = self;
        let entries = entries.into_iter().map(|(key, row)| Ok((key, make(row)?)));
        Ok(Keyed { entries: entries.collect::<Result<_, GraphError>>()?, has_previous, has_next })
    }
}

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) offset: i64,
    pub(crate) limit: i64,
    pub(crate) has_next: bool,
    pub(crate) has_previous: bool,
}

impl Window {
    /// The part of a list that was read whole.
    pub(crate) fn of<T>(self, list: Vec<T>) -> impl Iterator<Item = T> {
        let at = |number: i64| usize::try_from(number).unwrap_or(0);
        list.into_iter().skip(at(self.offset)).take(at(self.limit))
    }
}

/// A page: `FooConnection` of `FooEdge` of `Foo`.
pub(crate) struct Connection<E> {
    /// The names of its type and of its edges' type.
    names: (&'static str, &'static str),
    total: i64,
    has_next: bool,
    has_previous: bool,
    /// Each with its cursor.
    entries: Vec<(Cursor, E)>,
}

impl<E> Connection<E> {
    pub(crate) fn new(
        names: (&'static str, &'static str),
        total: i64,
        window: Window,
        entities: impl IntoIterator<Item = E>,
    ) -> Self {
        let entries = entities
            .into_iter()
            .zip(window.offset + 1..)
            .map(|(entity, at)| (Cursor::Place(at), entity))
            .collect();
        Self { names, total, has_next: window.has_next, has_previous: window.has_previous, entries }
    }

    /// A page of a list that was read whole, which is right for short ones.
    pub(crate) fn whole(names: (&'static str, &'static str), paging: Paging, entities: Vec<E>) -> Self {
        let total = i64::try_from(entities.len()).unwrap_or(i64::MAX);
        let window = paging.window(total);
        Self::new(names, total, window, window.of(entities))
    }

    /// A page of a list that is ordered by keys.
    pub(crate) fn keyed<R>(
        names: (&'static str, &'static str),
        total: i64,
        page: Keyed<R>,
        make: impl Fn(R) -> E,
    ) -> Self {
        let Keyed { entries, has_previous, has_next } = page;
        let entries = entries.into_iter().map(|(key, row)| (Cursor::Key(key), make(row))).collect();
        Self { names, total, has_next, has_previous, entries }
    }
}

/// A connection borrows its entries out, so entries are shared by reference.
struct Borrowed<'e, E>(&'e E);

impl<E: Entity> Entity for Borrowed<'_, E> {
    fn type_name(&self) -> &'static str {
        self.0.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.0.field(context, ask)
    }
}

impl<E: Entity> Entity for Connection<E> {
    fn type_name(&self) -> &'static str {
        self.names.0
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            // Search counts by kind; here every kind is one list.
            "totalCount" | "issueCount" | "repositoryCount" => leaf(self.total),
            "nodes" => Ok(ResolvedValue::list(
                self.entries
                    .iter()
                    .map(|(_, entity)| ResolvedValue::object(Bound::new(context, Borrowed(entity)))),
            )),
            "edges" => Ok(ResolvedValue::list(self.entries.iter().map(|(at, entity)| {
                ResolvedValue::object(Bound::new(context, Edge { name: self.names.1, at: *at, entity }))
            }))),
            "pageInfo" => object(context, self.page_info()),
            _ => unknown(self.names.0, ask),
        }
    }
}

impl<E> Connection<E> {
    fn page_info(&self) -> PageInfo {
        PageInfo {
            start: self.entries.first().map(|(at, _)| *at),
            end: self.entries.last().map(|(at, _)| *at),
            has_next: self.has_next,
            has_previous: self.has_previous,
        }
    }
}

struct Edge<'e, E> {
    name: &'static str,
    at: Cursor,
    entity: &'e E,
}

impl<E: Entity> Entity for Edge<'_, E> {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.answer(context, ask)
    }
}

impl<'e, E: Entity> Edge<'e, E> {
    fn answer<'a>(&self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a>
    where
        'e: 'a,
    {
        match ask.name() {
            "cursor" => leaf(self.at.text()),
            "node" => object(context, Borrowed(self.entity)),
            _ => self.entity.edge_field(context, ask),
        }
    }
}

/// An edge outside of any page, which the payload of a mutation shows.
pub(crate) struct OwnedEdge<E> {
    pub(crate) name: &'static str,
    pub(crate) at: Cursor,
    pub(crate) entity: E,
}

impl<E: Entity> Entity for OwnedEdge<E> {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        Edge { name: self.name, at: self.at, entity: &self.entity }.answer(context, ask)
    }
}

struct PageInfo {
    start: Option<Cursor>,
    end: Option<Cursor>,
    has_next: bool,
    has_previous: bool,
}

impl Entity for PageInfo {
    fn type_name(&self) -> &'static str {
        "PageInfo"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "startCursor" => optional(self.start.map(Cursor::text)),
            "endCursor" => optional(self.end.map(Cursor::text)),
            "hasNextPage" => leaf(self.has_next),
            "hasPreviousPage" => leaf(self.has_previous),
            _ => unknown("PageInfo", ask),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_what_the_arguments_ask_for() {
        let page = |size, from_end, after, before| {
            let window = Paging { size, from_end, after, before }.window(10);
            (window.offset, window.limit, window.has_previous, window.has_next)
        };
        assert_eq!(page(3, false, None, None), (0, 3, false, true));
        assert_eq!(page(3, false, Some(3), None), (3, 3, true, true));
        assert_eq!(page(5, false, Some(8), None), (8, 2, true, false));
        assert_eq!(page(3, true, None, None), (7, 3, true, false));
        assert_eq!(page(3, true, None, Some(4)), (0, 3, false, true));
        assert_eq!(page(100, false, Some(99), None), (10, 0, true, false));
    }

    #[test]
    fn a_cursor_is_read_back_and_anything_else_is_refused() {
        let key = Key { at: -7, id: 42 };
        let (place, keyed) = (Cursor::Place(42).text(), Cursor::Key(key).text());
        assert_eq!(Cursor::read(&place, "after"), Ok(42));
        assert_eq!(Cursor::read(&keyed, "after"), Ok(key));
        assert!(Cursor::read::<Key>(&place, "after").is_err());
        assert!(Cursor::read::<i64>(&keyed, "after").is_err());
        assert!(Cursor::read::<i64>("42", "after").is_err());
    }
}
