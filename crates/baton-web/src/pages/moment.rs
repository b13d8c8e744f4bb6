//! Times, spans, money and counts as people read them.
//!
//! What is relative is kept fresh by `assets/app.js`, which writes it by the same rules.

use baton_view::Stamp;
use maud::{Markup, html};

/// Returns a moment as seen from `now`, with the exact one on hover.
pub(crate) fn time(now: Stamp, at: Stamp) -> Markup {
    html! { time datetime=(at) title=(exact(at)) { (relative(now, at)) } }
}

/// Returns how long ago a moment was, in as few letters as possible.
pub(crate) fn age(now: Stamp, at: Stamp) -> Markup {
    html! { time.age datetime=(at) title=(exact(at)) data-short { (short(now.since(at).as_secs())) } }
}

/// Returns `2026-05-01 11:55:48 UTC`.
pub(crate) fn exact(at: Stamp) -> String {
    let text: String = at.to_string().chars().take(19).collect();
    format!("{} UTC", text.replace('T', " "))
}

/// Returns `4m ago`, `in 40s`, or `now`.
pub(crate) fn relative(now: Stamp, at: Stamp) -> String {
    let (past, future) = (now.since(at).as_secs(), at.since(now).as_secs());
    match (past, future) {
        (0, 0) => "now".to_owned(),
        (0, _) => format!("in {}", short(future)),
        _ => format!("{} ago", short(past)),
    }
}

/// Returns a span in its largest unit.
pub(crate) fn short(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Returns a span in its two largest units.
pub(crate) fn span(seconds: u64) -> String {
    let (large, small) = match seconds {
        0..60 => return short(seconds),
        60..3_600 => (60, 1),
        3_600..86_400 => (3_600, 60),
        _ => (86_400, 3_600),
    };
    match seconds % large / small {
        0 => short(seconds),
        rest => format!("{} {}", short(seconds), short(rest * small)),
    }
}

/// Returns US dollars: cents where there are few, whole ones where there are many.
pub(crate) fn money(micros: i64) -> String {
    let cents = micros.unsigned_abs().saturating_add(5_000) / 10_000;
    let sign = if micros < 0 { "-" } else { "" };
    format!("{sign}${}.{:02}", count(cents / 100), cents % 100)
}

/// Returns a count with its thousands apart.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_money_and_counts_are_written_as_people_read_them() {
        for (seconds, expected) in
            [(0, "0s"), (59, "59s"), (60, "1m"), (252, "4m 12s"), (5_400, "1h 30m"), (90_000, "1d 1h")]
        {
            assert_eq!(span(seconds), expected);
        }
        for (micros, expected) in
            [(0, "$0.00"), (412_000, "$0.41"), (995_000, "$1.00"), (1_234_560_000, "$1,234.56")]
        {
            assert_eq!(money(micros), expected);
        }
        assert_eq!((count(999), count(184_220)), ("999".to_owned(), "184,220".to_owned()));
    }

    #[test]
    fn a_moment_is_told_from_now_in_both_directions() {
        let now = Stamp(1_777_636_800_000);
        for (seconds, expected) in [(0, "now"), (-252, "4m ago"), (40, "in 40s"), (-200_000, "2d ago")] {
            assert_eq!(relative(now, Stamp(now.0 + seconds * 1_000)), expected);
        }
        assert_eq!(exact(now), "2026-05-01 12:00:00 UTC");
    }
}
