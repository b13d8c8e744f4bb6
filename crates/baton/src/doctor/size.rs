//! Sizes as people write them: `500MB`, `2 GB`, `1000`.

use std::str::FromStr;

/// A count of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

const UNITS: [(&str, u64); 6] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1), ("", 1)];

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("`{text}` is no size: write a number with B, kB, MB, GB or TB, such as 500MB");
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim())).ok_or_else(error)?;
        let number: u64 = number.parse().map_err(|_| error())?;
        number.checked_mul(unit.1).map(Self).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_number_and_may_have_a_unit() {
        for (text, bytes) in
            [("0", 0), ("500MB", 500_000_000), ("2 gb", 2_000_000_000), ("7B", 7), ("3kB", 3_000)]
        {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "MB", "-1", "1.5GB", "1PB", "99999999999TB", "1 G B"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
