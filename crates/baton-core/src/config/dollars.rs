//! Amounts of US dollars as people write them, kept in millionths so that sums stay exact.
//!
//! Deliberately absent: other currencies, signs, and separators of thousands.

/// What an amount looks like, for errors.
pub(super) const ALLOWED: &str =
    "an amount of US dollars such as 12.5, more than 0, with at most six digits after the point";

const DIGITS: usize = 6;
const MICROS: u64 = 1_000_000;

/// Reads an amount in millionths of a dollar.
pub(super) fn parse_micros(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || fraction.len() > DIGITS {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<DIGITS$}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(MICROS)?.checked_add(fraction)
}

/// Writes an amount without zeros that say nothing.
pub(super) fn format_micros(micros: u64) -> String {
    let text = format!("{}.{:0DIGITS$}", micros / MICROS, micros % MICROS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_read_to_the_millionth() {
        for (text, micros, shown) in [
            ("12.5", 12_500_000, "12.5"),
            ("12.50", 12_500_000, "12.5"),
            ("0.000001", 1, "0.000001"),
            ("100", 100_000_000, "100"),
            ("0", 0, "0"),
        ] {
            assert_eq!((parse_micros(text), format_micros(micros).as_str()), (Some(micros), shown), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "$5",
            "1,5",
            "1e3",
            "0.0000001",
            "1.2.3",
            "٣",
            "18446744073709551615",
        ] {
            assert_eq!(parse_micros(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(micros: u64) {
            prop_assert_eq!(parse_micros(&format_micros(micros)), Some(micros));
        }
    }
}
