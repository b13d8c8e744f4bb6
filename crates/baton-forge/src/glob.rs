//! Patterns of branch names.
//!
//! `*` stands for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of a set. In the patterns of protected branches
//! a `*` ends at a slash, as on GitHub, and `**` does not.

/// Whether `*` and `?` stop at slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slashes {
    Apart,
    Alike,
}

pub(crate) fn matches(pattern: &str, text: &str, slashes: Slashes) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Which ends of the text the pattern up to here can reach; so a pattern of many stars costs no more than their product.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let (token, next) = token(&pattern, at);
        reached = step(&token, &reached, &text, slashes);
        at = next;
    }
    reached[text.len()]
}

enum Token {
    One(char),
    Any,
    Set { negated: bool, ranges: Vec<(char, char)> },
    Many { crossing: bool },
}

impl Token {
    fn takes(&self, character: char, slashes: Slashes) -> bool {
        let is_apart = character == '/' && slashes == Slashes::Apart;
        match self {
            Self::One(wanted) => *wanted == character,
            Self::Any => !is_apart,
            Self::Set { negated, ranges } => {
                !is_apart && *negated != ranges.iter().any(|(low, high)| (*low..=*high).contains(&character))
            }
            Self::Many { crossing } => *crossing || !is_apart,
        }
    }
}

fn step(token: &Token, reached: &[bool], text: &[char], slashes: Slashes) -> Vec<bool> {
    let many = matches!(token, Token::Many { .. });
    let mut next = vec![false; reached.len()];
    for end in 0..reached.len() {
        let before = end.checked_sub(1);
        let taken = before.is_some_and(|before| token.takes(text[before], slashes));
        next[end] = match many {
            true => reached[end] || before.is_some_and(|before| taken && next[before]),
            false => before.is_some_and(|before| taken && reached[before]),
        };
    }
    next
}

/// Reads one token and where the next one begins.
fn token(pattern: &[char], at: usize) -> (Token, usize) {
    match pattern[at] {
        '*' => {
            let stars = pattern[at..].iter().take_while(|character| **character == '*').count();
            (Token::Many { crossing: stars > 1 }, at + stars)
        }
        '?' => (Token::Any, at + 1),
        '\\' if at + 1 < pattern.len() => (Token::One(pattern[at + 1]), at + 2),
        '[' => set(pattern, at).unwrap_or((Token::One('['), at + 1)),
        other => (Token::One(other), at + 1),
    }
}

/// Reads a set; without its end it is a plain bracket.
fn set(pattern: &[char], at: usize) -> Option<(Token, usize)> {
    let negated = matches!(pattern.get(at + 1), Some('!' | '^'));
    let start = at + 1 + usize::from(negated);
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|character| *character == ']')?;
    let inside = &pattern[start..end];
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        match inside.get(at + 1..at + 3) {
            Some(['-', high]) => {
                ranges.push((inside[at], *high));
                at += 3;
            }
            _ => {
                ranges.push((inside[at], inside[at]));
                at += 1;
            }
        }
    }
    Some((Token::Set { negated, ranges }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_what_it_says_and_nothing_else() {
        let apart = |pattern: &str, text: &str| matches(pattern, text, Slashes::Apart);
        for (pattern, text) in [
            ("main", "main"),
            ("release/*", "release/1.2"),
            ("*", "main"),
            ("**", "a/b/c"),
            ("release/**", "release/1/x"),
            ("v[0-9].?", "v2.x"),
            ("v[!0-9]", "vx"),
            ("a*b*c", "aXXbYYc"),
            ("[", "["),
            ("\\*", "*"),
            ("", ""),
        ] {
            assert!(apart(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("main", "main2"),
            ("*", "a/b"),
            ("release/*", "release/1/x"),
            ("v[0-9]", "vx"),
            ("?", "/"),
            ("a*b", "ac"),
            ("", "a"),
            ("a", ""),
        ] {
            assert!(!apart(pattern, text), "{pattern} {text}");
        }
        assert!(matches("*", "a/b", Slashes::Alike));
    }

    #[test]
    fn many_stars_take_no_longer_than_few() {
        assert!(!matches(&"*a".repeat(200), &"b".repeat(2_000), Slashes::Alike));
    }
}
