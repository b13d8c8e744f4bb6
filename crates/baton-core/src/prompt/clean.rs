//! Takes out of strangers' text what a reader does not see and a terminal would obey.
//!
//! Removed: sequences that steer terminals, control characters besides line ends and tabs, marks that turn the direction of
//! text around, and characters that have no shape and can carry hidden words. Line ends become `\n`, and those at the end are
//! dropped. Everything that can be seen stays, HTML comments included.

/// Returns the text without what is hidden in it.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\u{1b}' => after_sequence(after),
            '\r' => {
                cleaned.push('\n');
                after.strip_prefix('\n').unwrap_or(after)
            }
            c => {
                cleaned.extend(Some(c).filter(|c| is_shown(*c)));
                after
            }
        };
    }
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    cleaned
}

/// Returns the text on one line, for what stands among other words.
pub(super) fn clean_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

fn is_shown(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        // Separators of lines and paragraphs, and marks of direction.
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => false,
        // What takes no place; joiners stay, since scripts and emoji need them.
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{fff9}'..='\u{fffb}' => false,
        // Tags and the variation selectors that no script uses: whole sentences were hidden in them.
        '\u{e0000}'..='\u{e0fff}' => false,
        c => !c.is_control(),
    }
}

/// Returns what follows a sequence, of which the escape character is taken already. One that does not end on its line is no
/// sequence, so that nobody hides text behind it.
fn after_sequence(rest: &str) -> &str {
    let line = reach(rest).split(['\n', '\r']).next().unwrap_or_default();
    let taken = match line.bytes().next() {
        Some(b'[') => end_of_control(line.as_bytes()),
        Some(b']') => end_of_command(line),
        Some(b'(' | b')') => Some(line.chars().take(2).map(char::len_utf8).sum()),
        _ => None,
    };
    &rest[taken.unwrap_or(0)..]
}

/// Returns as much of a text as one sequence can be. More is not looked at: a text of nothing but beginnings would be read
/// from each of them to its end.
fn reach(rest: &str) -> &str {
    &rest[..rest.floor_char_boundary(SEQUENCE_BYTES_MAX)]
}

/// The longest sequence that is taken for one.
const SEQUENCE_BYTES_MAX: usize = 256;

/// A control sequence has parameters and one last letter.
fn end_of_control(line: &[u8]) -> Option<usize> {
    let parameters = line[1..].iter().take_while(|b| (0x20..=0x3f).contains(*b)).count();
    line.get(1 + parameters).filter(|b| (0x40..=0x7e).contains(*b)).map(|_| parameters + 2)
}

fn end_of_command(line: &str) -> Option<usize> {
    let bell = line.find('\u{7}').map(|at| at + 1);
    let terminator = line.find("\u{1b}\\").map(|at| at + 2);
    bell.into_iter().chain(terminator).min()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_hidden_goes_and_what_is_seen_stays() {
        let table = [
            ("", ""),
            ("one\r\ntwo\rthree\n\n", "one\ntwo\nthree"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never ends", "]0;never ends"),
            ("\u{1b}[1;", "[1;"),
            ("\u{1b}[3é1m", "[3é1m"),
            ("a\u{0}b\u{8}c\u{7f}d\u{9b}e", "abcde"),
            ("x\u{202e}y\u{2066}z\u{200b}", "xyz"),
            ("\u{e0041}\u{e0042}hi", "hi"),
            ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم"),
            ("<!-- look -->\ttab", "<!-- look -->\ttab"),
        ];
        for (text, expected) in table {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(clean_line("a\nb\r\n"), "a b");
    }

    #[test]
    fn a_sequence_is_looked_for_only_as_far_as_one_can_be() {
        let beginnings = "\u{1b}]".repeat(1 << 16);
        for text in [beginnings.clone(), "é".repeat(1 << 16), "\u{1b}[".repeat(1 << 16)] {
            assert!((SEQUENCE_BYTES_MAX - 3..=SEQUENCE_BYTES_MAX).contains(&reach(&text).len()));
        }
        assert_eq!(clean(&beginnings), "]".repeat(1 << 16));
    }

    #[test]
    fn the_longest_sequence_is_taken_and_a_longer_one_is_text() {
        let command = |bytes: usize| format!("]{}\u{7}", "x".repeat(bytes - 2));
        let longest = command(SEQUENCE_BYTES_MAX);
        assert_eq!(clean(&format!("\u{1b}{longest}after")), "after");
        let longer = command(SEQUENCE_BYTES_MAX + 1);
        assert_eq!(clean(&format!("\u{1b}{longer}after")), format!("{}after", longer.replace('\u{7}', "")));
    }

    proptest! {
        #[test]
        fn a_clean_text_is_left_alone(text in any::<String>()) {
            let once = clean(&text);
            prop_assert_eq!(&clean(&once), &once);
            prop_assert!(once.chars().all(is_shown));
        }

        #[test]
        fn plain_text_is_never_changed(text in "([ -~äß漢]|\n){0,80}[a-z]") {
            prop_assert_eq!(clean(&text), text);
        }
    }
}
