//! Pages of lists by key instead of by place: what leaves a list or joins it moves no other entry into or out of a page.

/// Where an entry stands in the order of a list: by a number of its own, and by its id among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) at: i64,
    pub(crate) id: i64,
}

impl Key {
    const FIRST: Self = Self { at: i64::MIN, id: i64::MIN };
    const LAST: Self = Self { at: i64::MAX, id: i64::MAX };

    /// The key of an entry in a list that is ordered by ids alone.
    pub(crate) fn of_row(id: i64) -> Self {
        Self { at: id, id }
    }
}

/// Which keys are wanted, how many, and from which end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) above: Option<Key>,
    pub(crate) below: Option<Key>,
    /// Whether it goes from the highest key to the lowest.
    pub(crate) descending: bool,
    pub(crate) limit: i64,
}

impl Range {
    /// Everything, from the lowest key on.
    pub(crate) const WHOLE: Self = Self { above: None, below: None, descending: false, limit: i64::MAX };

    /// The numbers that a statement compares `(at, id)` with: greater than the first two, less than the others.
    pub(crate) fn bounds(&self) -> [i64; 4] {
        let (above, below) = (self.above.unwrap_or(Key::FIRST), self.below.unwrap_or(Key::LAST));
        [above.at, above.id, below.at, below.id]
    }

    /// The direction in SQL.
    pub(crate) fn direction(&self) -> &'static str {
        if self.descending { "DESC" } else { "ASC" }
    }

    /// Picks what is wanted from a list that was read whole, in the order of its keys.
    pub(crate) fn pick<T: Clone>(&self, list: &[T], key: impl Fn(&T) -> Key) -> Vec<T> {
        let is_wanted = |entry: &&T| {
            let key = key(entry);
            self.above.is_none_or(|above| key > above) && self.below.is_none_or(|below| key < below)
        };
        let limit = usize::try_from(self.limit).unwrap_or(0);
        match self.descending {
            false => list.iter().filter(is_wanted).take(limit).cloned().collect(),
            true => list.iter().rev().filter(is_wanted).take(limit).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_picks_from_either_end_between_its_keys() {
        let list = [1, 2, 3, 4, 5];
        let pick = |above: Option<i64>, below: Option<i64>, descending| {
            let (above, below) = (above.map(Key::of_row), below.map(Key::of_row));
            Range { above, below, descending, limit: 2 }.pick(&list, |id| Key::of_row(*id))
        };
        assert_eq!(pick(None, None, false), [1, 2]);
        assert_eq!(pick(Some(2), None, false), [3, 4]);
        assert_eq!(pick(None, Some(4), true), [3, 2]);
        assert_eq!(pick(Some(4), Some(5), false), [0; 0]);
        assert_eq!(Range::WHOLE.pick(&list, |id| Key::of_row(*id)), list);
    }
}
