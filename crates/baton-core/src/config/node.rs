//! YAML as a tree of texts with their places.
//!
//! The reader of YAML makes numbers of what looks like one, and the way it was written is lost: `1.50` becomes 1.5 and
//! `0x10` becomes 16. What a scalar means is a question of the setting, and an argument of a command is meant to the
//! letter, so scalars are put back as they stand in the file.
//!
//! Deliberately absent: what keys there may be.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use super::source::Source;
use super::value::RawValue;

/// Reads a file into a tree.
pub(crate) fn parse(text: &str) -> Result<Spanned<Node>, serde_saphyr::Error> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let root = serde_saphyr::from_str_with_options::<Spanned<Node>>(text, options)?;
    Ok(as_written(root, text))
}

/// Returns where something is in the file of this name.
pub(crate) fn place(path: &str, location: Location) -> Source {
    Source::File { path: path.to_owned(), line: location.line(), column: location.column() }
}

fn as_written(node: Spanned<Node>, source: &str) -> Spanned<Node> {
    let value = match node.value {
        Node::Null => Node::Null,
        Node::Text(text) => Node::Text(plain(node.defined, source).map_or(text, str::to_owned)),
        Node::List(items) => Node::List(items.into_iter().map(|item| as_written(item, source)).collect()),
        Node::Map(entries) => {
            Node::Map(entries.into_iter().map(|(key, value)| (key, as_written(value, source))).collect())
        }
    };
    Spanned { value, ..node }
}

/// Returns a scalar as it stands in the file, if it is one without quotes, tag or anchor and on one line.
fn plain(location: Location, source: &str) -> Option<&str> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
    let written = source.get(start..end)?.trim();
    let is_plain = !written.starts_with(['\'', '"', '|', '>', '&', '!', '*']) && !written.contains('\n');
    (is_plain && !written.is_empty()).then_some(written)
}

/// A YAML value whose scalars are texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Nothing.
    Null,
    /// A scalar.
    Text(String),
    /// A sequence.
    List(Vec<Spanned<Node>>),
    /// A mapping, in the order of the file.
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

impl Node {
    /// Returns the value of a setting; nothing for nothing.
    pub(crate) fn into_raw(self) -> Option<RawValue> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(RawValue::Text(text)),
            Self::Map(_) => Some(RawValue::Mapping),
            Self::List(nodes) => Some(list(nodes)),
        }
    }
}

/// A list of texts; one with something else in it is as wrong as a mapping.
fn list(nodes: Vec<Spanned<Node>>) -> RawValue {
    let text = |node: Spanned<Node>| match node.value {
        Node::Text(text) => Some(text),
        Node::Null | Node::List(_) | Node::Map(_) => None,
    };
    nodes.into_iter().map(text).collect::<Option<_>>().map_or(RawValue::Mapping, RawValue::List)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(yaml: &str) -> Vec<String> {
        let Node::List(items) = parse(yaml).unwrap().value else { panic!("no list") };
        let text = |item: Spanned<Node>| match item.value {
            Node::Text(text) => text,
            other => panic!("{other:?} is no text"),
        };
        items.into_iter().map(text).collect()
    }

    #[test]
    fn a_scalar_is_what_stands_in_the_file() {
        let written =
            ["1.50", "0x10", "007", "1_000", "1e3", "-0", "+5", "True", "no", "4h", ".5", "ä b", "é1.0"];
        assert_eq!(texts(&format!("[{}]", written.join(", "))), written);
        let lines: String = written.iter().map(|text| format!("-   {text}   # ñ\n")).collect();
        assert_eq!(texts(&lines), written);
    }

    #[test]
    fn a_mark_of_byte_order_and_ends_of_lines_from_elsewhere_move_nothing() {
        assert_eq!(texts("\u{feff}- 1.50\r\n- ab\r\n- 2.50"), ["1.50", "ab", "2.50"]);
        assert_eq!(texts("\u{feff}[1.50, ab]"), ["1.50", "ab"]);
    }

    #[test]
    fn quotes_and_folds_and_anchors_mean_what_yaml_says() {
        assert_eq!(texts("['1.50', \"a\\tb\", 'it''s', \"\"]"), ["1.50", "a\tb", "it's", ""]);
        assert_eq!(texts("- a\n  b\n- |\n  c\n  d\n- >-\n  e\n  f\n"), ["a b", "c\nd\n", "e f"]);
        assert_eq!(texts("[&x a1, *x, &y 1.50, *y, !!str 2.50]"), ["a1", "a1", "1.50", "1.50", "2.50"]);
    }
}
