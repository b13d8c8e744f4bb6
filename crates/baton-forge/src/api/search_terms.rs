//! The language of issue search: words and `key:value` terms, quoted where they hold spaces, negated by `-`.

/// One term of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Term {
    Word(String),
    Qualified { key: String, value: String, negated: bool },
}

/// Keys that are qualifiers; anything else with a colon is text, as on GitHub.
const KEYS: [&str; 21] = [
    "repo",
    "user",
    "org",
    "label",
    "state",
    "is",
    "type",
    "author",
    "assignee",
    "mentions",
    "milestone",
    "no",
    "in",
    "sort",
    "archived",
    "involves",
    "commenter",
    "review-requested",
    "draft",
    "head",
    "base",
];

pub(super) fn parse(text: &str) -> Vec<Term> {
    split(text).into_iter().map(|piece| term(&piece)).collect()
}

/// Parentheses group terms, and `AND` stands between them. As everything must hold anyway, neither says more.
fn is_joint(piece: &str) -> bool {
    matches!(piece, "(" | ")" | "AND")
}

/// Splits at spaces outside quotes; the quotes themselves fall away.
fn split(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut quoted = false;
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => pieces.push(std::mem::take(&mut piece)),
            c => piece.push(c),
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty() && !is_joint(piece));
    pieces
}

fn term(piece: &str) -> Term {
    let (negated, bare) = match piece.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, piece),
    };
    match bare.split_once(':') {
        Some((key, value)) if KEYS.contains(&key.to_ascii_lowercase().as_str()) && !value.is_empty() => {
            Term::Qualified { key: key.to_ascii_lowercase(), value: value.to_owned(), negated }
        }
        _ => Term::Word(piece.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |term: Term| match term {
            Term::Word(word) => word,
            Term::Qualified { key, value, negated } => {
                format!("{}{key}={value}", if negated { "!" } else { "" })
            }
        };
        parse(text).into_iter().map(show).collect()
    }

    #[test]
    fn words_qualifiers_quotes_and_negation_are_told_apart() {
        assert_eq!(
            shown(r#"repo:a/b label:"good first issue" -label:stage:ready is:open "two words" x:y"#),
            ["repo=a/b", "label=good first issue", "!label=stage:ready", "is=open", "two words", "x:y"]
        );
    }

    #[test]
    fn groups_of_the_advanced_search_are_read_through() {
        assert_eq!(shown("( two words in:title ) repo:a/b AND is:open"), ["two", "words", "in=title", "repo=a/b", "is=open"]);
        assert_eq!(shown("f(x) (y"), ["f(x)", "(y"]);
    }

    #[test]
    fn an_empty_qualifier_and_an_open_quote_are_text() {
        assert_eq!(shown(r#"label: "open"#), ["label:", "open"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,200}") {
            parse(&text);
        }
    }
}
