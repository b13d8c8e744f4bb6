//! The card that is chosen. It is remembered by its name, so that it stays chosen when the board moves around it.

/// Where the cursor is among the cards that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The column.
    pub column: usize,
    /// The card in it.
    pub row: usize,
    /// The issue there, if there is one.
    pub issue: Option<String>,
}

impl Cursor {
    /// Finds the chosen issue again, or whatever is in its place.
    pub(super) fn settle(&mut self, columns: &[Vec<String>]) {
        if let Some(place) = self.issue.as_ref().and_then(|issue| find(columns, issue)) {
            (self.column, self.row) = place;
            return;
        }
        // At first the cursor is on a card rather than in a column without any.
        if self.issue.is_none()
            && self.column == 0
            && columns.first().is_some_and(Vec::is_empty)
            && self.row == 0
        {
            self.column = columns.iter().position(|cards| !cards.is_empty()).unwrap_or(0);
        }
        self.go(columns, self.column, self.row);
    }

    /// Goes to a place, or as near to it as there is one.
    pub(super) fn go(&mut self, columns: &[Vec<String>], column: usize, row: usize) {
        self.column = column.min(columns.len().saturating_sub(1));
        let cards = columns.get(self.column).map_or(&[][..], Vec::as_slice);
        self.row = row.min(cards.len().saturating_sub(1));
        self.issue = cards.get(self.row).cloned();
    }

    /// Goes to the first card that there is, unless the cursor is on one. A filter leaves most columns empty.
    pub(super) fn seek(&mut self, columns: &[Vec<String>]) {
        self.settle(columns);
        if self.issue.is_none() {
            let column = columns.iter().position(|cards| !cards.is_empty()).unwrap_or(self.column);
            self.go(columns, column, 0);
        }
    }

    /// Goes so many cards on through all columns, as a list shows them.
    pub(super) fn walk(&mut self, columns: &[Vec<String>], steps: isize) {
        let places: Vec<_> = (0..columns.len())
            .flat_map(|column| (0..columns[column].len()).map(move |row| (column, row)))
            .collect();
        let here = places.iter().position(|place| *place == (self.column, self.row)).unwrap_or(0);
        let there = here.saturating_add_signed(steps).min(places.len().saturating_sub(1));
        if let Some((column, row)) = places.get(there) {
            self.go(columns, *column, *row);
        }
    }

    /// Goes to the next column in a direction that has cards, if there is one.
    pub(super) fn leap(&mut self, columns: &[Vec<String>], is_forward: bool) {
        let has_cards = |column: &usize| !columns[*column].is_empty();
        let column = if is_forward {
            (self.column + 1..columns.len()).find(has_cards)
        } else {
            (0..self.column.min(columns.len())).rev().find(has_cards)
        };
        if let Some(column) = column {
            self.go(columns, column, 0);
        }
    }
}

fn find(columns: &[Vec<String>], issue: &str) -> Option<(usize, usize)> {
    columns.iter().enumerate().find_map(|(column, cards)| {
        let row = cards.iter().position(|card| card == issue)?;
        Some((column, row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&[&str]]) -> Vec<Vec<String>> {
        names.iter().map(|column| column.iter().map(|it| (*it).to_owned()).collect()).collect()
    }

    #[test]
    fn the_chosen_card_stays_chosen_when_it_moves() {
        let mut cursor = Cursor::default();
        cursor.settle(&columns(&[&[], &["a", "b"], &["c"]]));
        assert_eq!(cursor, Cursor { column: 1, row: 0, issue: Some("a".to_owned()) });
        cursor.settle(&columns(&[&[], &["b"], &["c", "a"]]));
        assert_eq!(cursor, Cursor { column: 2, row: 1, issue: Some("a".to_owned()) });
        cursor.settle(&columns(&[&[], &["b"], &["c"]]));
        assert_eq!(cursor, Cursor { column: 2, row: 0, issue: Some("c".to_owned()) });
        cursor.settle(&[]);
        assert_eq!(cursor, Cursor::default());
    }

    #[test]
    fn a_walk_goes_through_all_columns_and_a_leap_over_empty_ones() {
        let columns = columns(&[&["a"], &[], &["b", "c"]]);
        let mut cursor = Cursor::default();
        cursor.settle(&columns);
        for (steps, wanted) in [(1, "b"), (1, "c"), (1, "c"), (-2, "a"), (-1, "a")] {
            cursor.walk(&columns, steps);
            assert_eq!(cursor.issue.as_deref(), Some(wanted));
        }
        for (is_forward, wanted) in [(true, "b"), (true, "b"), (false, "a"), (false, "a")] {
            cursor.leap(&columns, is_forward);
            assert_eq!(cursor.issue.as_deref(), Some(wanted));
        }
    }
}
