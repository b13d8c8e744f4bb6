//! The known name nearest to one that was mistyped.

/// Returns the nearest of some names, if it is near enough to have been meant.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|known| (distance(name, known), known)).min()?;
    (near.0 <= (name.chars().count() / 3).max(2)).then_some(near.1)
}

/// Counts the letters to insert, remove or replace to make `b` from `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn distances_are_counted_in_letters() {
        for (a, b, expected) in
            [("", "", 0), ("ttl", "ttl", 0), ("tll", "ttl", 1), ("", "abc", 3), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn only_a_near_name_is_suggested() {
        let known = ["claims.ttl", "claims.settle", "claims.sweep_every"];
        for (name, expected) in [
            ("claims.tll", Some("claims.ttl")),
            ("claims.setle", Some("claims.settle")),
            ("claims.sweepEvery", Some("claims.sweep_every")),
            ("x.entirely_different", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_the_same_both_ways(a in "[a-d]{0,8}", b in "[a-d]{0,8}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
        }
    }
}
