//! JSON values that borrow from their line, and have in them only what somebody asks for.
//!
//! Most of what agents print is what their tools said. Keys that no grammar asks for are passed over without a copy and without
//! a look at what they hold, and so are whole lines of kinds that tell nothing, see [`kind`].

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value.
#[derive(Debug)]
pub(super) enum Lean<'a> {
    /// Nothing, and whatever nobody can ask for.
    Null,
    Flag(bool),
    Whole(u64),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Lean<'a>>),
    Object(Object<'a>),
}

/// An object; of a key that is there twice, the last counts.
#[derive(Debug, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Lean<'a>)>);

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Lean<'a>> {
        self.0.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value)
    }
}

/// Every key that a grammar asks for.
fn is_wanted(key: &str) -> bool {
    matches!(
        key,
        "type"
            | "subtype"
            | "session_id"
            | "thread_id"
            | "parent_tool_use_id"
            | "message"
            | "id"
            | "model"
            | "role"
            | "content"
            | "text"
            | "name"
            | "tool"
            | "tool_name"
            | "tool_id"
            | "item"
            | "event"
            | "delta"
            | "error"
            | "errors"
            | "error_status"
            | "attempt"
            | "max_retries"
            | "retry_delay_ms"
            | "rate_limit_info"
            | "status"
            | "resetsAt"
            | "is_error"
            | "terminal_reason"
            | "api_error_status"
            | "num_turns"
            | "result"
            | "total_cost_usd"
            | "permission_denials"
            | "usage"
            | "stats"
            | "input_tokens"
            | "output_tokens"
            | "cached"
            | "cached_input_tokens"
            | "cache_read_input_tokens"
            | "cache_creation_input_tokens"
    )
}

/// Returns the kind of a line, if the line begins with it, as the programs print most of them.
pub(super) fn kind(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    // Kinds are short and plain; anything else is read in full.
    let end = rest.iter().take(40).position(|byte| matches!(byte, b'"' | b'\\'))?;
    (rest[end] == b'"').then(|| &rest[..end])
}

impl<'de: 'a, 'a> Deserialize<'de> for Lean<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LeanVisitor)
    }
}

struct LeanVisitor;

impl<'de> Visitor<'de> for LeanVisitor {
    type Value = Lean<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Lean<'de>, E> {
        Ok(Lean::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Lean<'de>, E> {
        Ok(Lean::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Lean<'de>, E> {
        Ok(Lean::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Lean<'de>, E> {
        Ok(u64::try_from(number).map_or(Lean::Number(number as f64), Lean::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Lean<'de>, E> {
        Ok(Lean::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Lean<'de>, E> {
        Ok(Lean::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Lean<'de>, E> {
        Ok(Lean::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Lean<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Lean::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Lean<'de>, A::Error> {
        let mut object = Object::default();
        while let Some(Key(key)) = map.next_key()? {
            if is_wanted(&key) {
                object.0.push((key, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Lean::Object(object))
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_line_is_what_it_begins_with() {
        for (line, expected) in [
            (r#"{"type":"user","message":"#, Some("user")),
            (r#"{"type":"us\u0065r"}"#, None),
            (r#"{"x":1,"type":"user"}"#, None),
            (r#"{"type":"user"#, None),
            (r#"{"type":7}"#, None),
            ("", None),
        ] {
            assert_eq!(kind(line.as_bytes()), expected.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn what_nobody_asks_for_is_not_kept() {
        let line = br#"{"type":"x","input":{"text":"y"},"te\u0078t":"a","text":"b","num_turns":-1}"#;
        let Ok(Lean::Object(object)) = serde_json::from_slice(line) else { panic!("no object") };
        assert_eq!(object.0.len(), 4);
        assert!(matches!(object.get("text"), Some(Lean::Text(Cow::Borrowed("b")))));
        assert!(object.get("input").is_none());
    }
}
