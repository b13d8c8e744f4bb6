//! Durations as Go writes them: `1h30m0s`, `1.5h`, `300ms`, `0`. Fabrik's stage files hold such.
//!
//! Deliberately absent: signs, since nothing here lasts less than no time, and bare numbers, which Go has no unit for.

use std::time::Duration;

const UNITS: [(&str, u128); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration in Go's form.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let (mut rest, mut total) = (text, 0_u128);
    while !rest.is_empty() {
        let (nanos, after) = part(rest)?;
        total = total.checked_add(nanos)?;
        rest = after;
    }
    let nanos = u64::try_from(total).ok().filter(|_| !text.is_empty())?;
    Some(Duration::from_nanos(nanos))
}

/// Reads one number with its unit from the front, in nanoseconds.
fn part(text: &str) -> Option<(u128, &str)> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let (number, rest) = text.split_at(text.find(|c| !is_number(c))?);
    let (unit, rest) = rest.split_at(rest.find(is_number).unwrap_or(rest.len()));
    let (_, unit_nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = if whole.is_empty() && !fraction.is_empty() { 0 } else { whole.parse().ok()? };
    Some((u128::checked_mul(whole, *unit_nanos)?.checked_add(below_one(fraction, *unit_nanos)?)?, rest))
}

/// Returns the part of a unit that digits after a point stand for; what is less than a nanosecond is left out.
fn below_one(digits: &str, unit_nanos: u128) -> Option<u128> {
    let kept = &digits[..digits.len().min(15)];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let numerator: u128 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    Some(numerator * unit_nanos / 10_u128.pow(u32::try_from(kept.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, millis) in [
            ("1h30m0s", 5_400_000),
            ("1.5h", 5_400_000),
            ("0h0m.5s", 500),
            ("2m30.25s", 150_250),
            ("300ms", 300),
            ("1000us", 1),
            ("1000µs", 1),
            ("2000000ns", 2),
            ("1.s", 1000),
        ] {
            assert_eq!(parse(text), Some(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_go_does_not_read_is_refused() {
        for text in ["", "5", "h", "-1h", "+1h", "1 h", "1.2.3s", ".s", "1d", "1h30", "9999999999h", "٣s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail(text in "([0-9.]{0,40}(ns|us|µs|ms|s|m|h|x)?){0,4}") {
            let _ = parse(&text);
        }
    }
}
