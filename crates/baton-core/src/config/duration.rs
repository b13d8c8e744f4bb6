//! Durations as people write them: `90s`, `15min`, `4h`, `1h30m`, `500ms`; a bare number is seconds.
//!
//! Deliberately absent: fractions, and units whose length is not always the same.

use std::time::Duration;

/// What a duration looks like, for errors.
pub const ALLOWED: &str = "a duration such as 90s, 15min or 4h";

const UNITS: [(&str, u64); 12] = [
    ("ms", 1),
    ("s", 1000),
    ("sec", 1000),
    ("second", 1000),
    ("seconds", 1000),
    ("m", 60_000),
    ("min", 60_000),
    ("minutes", 60_000),
    ("h", 3_600_000),
    ("hour", 3_600_000),
    ("hours", 3_600_000),
    ("d", 86_400_000),
];

/// Reads a duration.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = digits(text).and_then(|()| text.parse::<u64>().map_err(drop)) {
        return seconds.checked_mul(1000).map(Duration::from_millis);
    }
    let (mut rest, mut total_ms) = (text, 0_u64);
    while !rest.is_empty() {
        let (part_ms, after) = part(rest)?;
        total_ms = total_ms.checked_add(part_ms)?;
        rest = after.trim_start();
    }
    (!text.is_empty()).then(|| Duration::from_millis(total_ms))
}

/// Reads one number with its unit from the front, in milliseconds.
fn part(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let rest = rest.trim_start();
    let (unit, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
    let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some((number.parse::<u64>().ok()?.checked_mul(*unit_ms)?, rest))
}

fn digits(text: &str) -> Result<(), ()> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all { Ok(()) } else { Err(()) }
}

/// Writes a duration in the largest unit that keeps it whole. Anything below a millisecond is left out.
pub fn format_duration(duration: Duration) -> String {
    let ms = crate::time::millis(duration);
    let units = [("h", 3_600_000), ("min", 60_000), ("s", 1000)];
    let whole = units.into_iter().find(|(_, unit_ms)| ms > 0 && ms.is_multiple_of(*unit_ms));
    match whole {
        Some((unit, unit_ms)) => format!("{}{unit}", ms / unit_ms),
        None if ms == 0 => "0s".to_owned(),
        None => format!("{ms}ms"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        let table = [
            ("4h", 14_400_000),
            ("15min", 900_000),
            ("90s", 90_000),
            ("2m", 120_000),
            ("45", 45_000),
            ("0", 0),
            ("0s", 0),
            (" 1 h ", 3_600_000),
            ("1h30m", 5_400_000),
            ("1h 30min 5s", 5_405_000),
            ("500ms", 500),
            ("1d", 86_400_000),
            ("10 seconds", 10_000),
        ];
        for (text, ms) in table {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(ms)), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            " ",
            "h",
            "4x",
            "4H",
            "-1s",
            "+1s",
            "1.5h",
            "4h5",
            "1e3",
            "4h,",
            "99999999999999999999",
            "٣s",
        ] {
            assert_eq!(parse_duration(text), None, "{text:?}");
        }
        assert_eq!(parse_duration(&format!("{}h", u64::MAX)), None);
        assert_eq!(parse_duration(&u64::MAX.to_string()), None);
    }

    #[test]
    fn durations_are_written_in_the_largest_whole_unit() {
        let table = [(14_400_000, "4h"), (120_000, "2min"), (90_000, "90s"), (0, "0s"), (1500, "1500ms")];
        for (ms, text) in table {
            assert_eq!(format_duration(Duration::from_millis(ms)), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(ms in 0..u64::MAX / 2) {
            let duration = Duration::from_millis(ms);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Some(duration));
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in ".*") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn no_text_of_parts_makes_the_reader_fail(text in "([0-9]{0,22} ?(ms|s|m|h|d|min|x)?){0,4}") {
            let _ = parse_duration(&text);
        }
    }
}
