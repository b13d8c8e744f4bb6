//! What differs between two boards, as events.

use std::collections::HashMap;
use std::fmt::Write as _;

use baton_view::{Board, Card, Column};
use maud::Markup;
use serde_json::{Value, json};

use crate::pages::board::{names_repos, warnings};
use crate::pages::card::card;

/// With more cards than this, reading the page again is cheaper for everybody.
const CARDS_MAX: usize = 200;

/// Where a card is: its column, and the card before it.
type Spot<'a> = (&'a str, Option<&'a str>);

/// Returns the events that make a page of the board `old` one of the board `new`; nothing when they are the same.
pub(super) fn difference(old: &Board, new: &Board) -> String {
    let mut events = String::new();
    let names_repo = names_repos(new);
    let is_other_board = !has_same_columns(old, new) || names_repos(old) != names_repo;
    let changed = changed_cards(old, new);
    if is_other_board || changed.len() > CARDS_MAX {
        push(&mut events, "resync", &json!({}));
        return events;
    }
    push_gone(&mut events, old, new);
    for (item, (column, after)) in changed {
        let html = one_line(card(item, new.now, names_repo));
        let content = json!({ "issue": item.issue, "column": column, "after": after, "html": html });
        push(&mut events, "card", &content);
    }
    push_rest(&mut events, old, new);
    events
}

fn push(events: &mut String, event: &str, content: &Value) {
    // Writing to a string cannot fail.
    let _ = write!(events, "event: {event}\ndata: {content}\n\n");
}

fn one_line(markup: Markup) -> String {
    markup.into_string()
}

fn has_same_columns(old: &Board, new: &Board) -> bool {
    let names = |board: &Board| -> Vec<_> {
        board.columns.iter().map(|column| (column.name.clone(), column.kind)).collect()
    };
    names(old) == names(new)
}

fn push_gone(events: &mut String, old: &Board, new: &Board) {
    let left: HashMap<&str, ()> = new.cards().map(|card| (card.issue.as_str(), ())).collect();
    for gone in old.cards().filter(|card| !left.contains_key(card.issue.as_str())) {
        push(events, "gone", &json!({ "issue": gone.issue }));
    }
}

/// Returns the cards that are new, differ, or are in another column, in the order of the board.
fn changed_cards<'a>(old: &'a Board, new: &'a Board) -> Vec<(&'a Card, Spot<'a>)> {
    let known: HashMap<&str, (&Card, Spot<'_>)> =
        old.columns.iter().flat_map(spots).map(|(card, spot)| (card.issue.as_str(), (card, spot))).collect();
    let differs = |card: &Card, spot: &Spot<'_>| match known.get(card.issue.as_str()) {
        Some((known, (column, _))) => *known != card || *column != spot.0,
        None => true,
    };
    new.columns.iter().flat_map(spots).filter(|(card, spot)| differs(card, spot)).collect()
}

fn spots(column: &Column) -> impl Iterator<Item = (&Card, Spot<'_>)> {
    let before = std::iter::once(None).chain(column.cards.iter().map(|card| Some(card.issue.as_str())));
    column.cards.iter().zip(before).map(|(card, before)| (card, (column.name.as_str(), before)))
}

fn push_rest(events: &mut String, old: &Board, new: &Board) {
    let hidden = |board: &Board| -> Value {
        board.columns.iter().map(|column| (column.name.clone(), Value::from(column.hidden))).collect()
    };
    let (before, after) = (hidden(old), hidden(new));
    if before != after {
        push(events, "counts", &after);
    }
    if old.warnings != new.warnings {
        push(events, "warnings", &json!({ "html": one_line(warnings(&new.warnings, new.now)) }));
    }
}

#[cfg(test)]
mod tests {
    use baton_view::{CardState, example};

    use super::*;

    #[test]
    fn nothing_is_told_of_two_boards_that_are_the_same() {
        assert_eq!(difference(&example::board(), &example::board()), "");
    }

    #[test]
    fn a_card_that_moved_is_told_with_the_one_before_it() {
        let old = example::board();
        let mut new = old.clone();
        let moved = new.columns[4].cards.remove(0);
        new.columns[5].cards.push(moved);
        let events = difference(&old, &new);
        assert_eq!(events.matches("event: ").count(), 1, "{events}");
        assert!(events.starts_with("event: card\ndata: {"), "{events}");
        assert!(events.contains(r#""after":"acme/web#9","column":"Review""#), "{events}");
        assert!(events.ends_with("\"}\n\n"), "{events}");
    }

    #[test]
    fn a_card_that_left_and_one_that_changed_are_told_each() {
        let old = example::board();
        let mut new = old.clone();
        new.columns[0].cards.clear();
        new.columns[7].hidden = 13;
        new.columns[4].cards[1].state = CardState::Idle;
        new.warnings.clear();
        let events = difference(&old, &new);
        for expected in
            [r#"{"issue":"acme/web#17"}"#, r#""issue":"acme/web#16""#, r#""Done":13"#, "Nothing needs you"]
        {
            assert!(events.contains(expected), "{expected} is not in {events}");
        }
    }

    #[test]
    fn other_columns_are_another_board() {
        let old = example::board();
        let mut new = old.clone();
        new.columns.remove(2);
        assert_eq!(difference(&old, &new), "event: resync\ndata: {}\n\n");
    }
}
