//! The JSON schema of a stage file, for editors, made from the table.
//!
//! It says what a file alone can be judged by. Deliberately absent: forms that are read but not recommended, such as `yes`
//! for `true`, so that an editor proposes one way to write a thing.

use serde_json::{Map, Value, json};

use super::table::{KINDS, KeyKind, STAGE_KEYS, StageKey, groups};
use super::value::{NAME_LEN_MAX, parse};
use crate::config::RawValue;

/// Durations: seconds, or numbers with units in a row.
const TIME: &str =
    "^([0-9]+|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+) ?(ns|us|µs|ms|s|sec|seconds?|m|min|minutes|h|hours?|d) ?)+)$";

/// Returns the schema.
pub fn schema() -> Value {
    let mut properties = Map::new();
    for row in STAGE_KEYS.iter().filter(|row| !row.key.contains('.')) {
        properties.insert(row.key.to_owned(), property(row));
    }
    for group in groups() {
        properties.insert(group.to_owned(), of_group(group));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A stage of Baton's pipeline",
        "description": "One file in .baton/stages, made from the table in the code.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": ["name"],
        "if": { "not": { "anyOf": KINDS.map(is_true) } },
        "then": { "anyOf": [{ "required": ["prompt"] }, { "required": ["skill"] }] },
        "not": { "anyOf": pairs().map(|(one, other)| json!({ "allOf": [is_true(one), is_true(other)] })) },
    })
}

fn is_true(key: &str) -> Value {
    json!({ "properties": { key: { "const": true } }, "required": [key] })
}

/// Every two kinds, which no stage can be at once.
fn pairs() -> [(&'static str, &'static str); 3] {
    let [first, second, third] = KINDS;
    [(first, second), (first, third), (second, third)]
}

fn of_group(group: &str) -> Value {
    let mut properties = Map::new();
    for row in &STAGE_KEYS {
        if let Some(key) = row.key.strip_prefix(group).and_then(|key| key.strip_prefix('.')) {
            properties.insert(key.to_owned(), property(row));
        }
    }
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn property(row: &StageKey) -> Value {
    let mut property = of_kind(row.kind);
    property["description"] = json!(row.description);
    if !row.default.is_empty() {
        property["default"] = default(row);
    }
    property
}

/// Returns a default as the type that it has in the file.
fn default(row: &StageKey) -> Value {
    use super::value::StageValue::{List, Order, Switch, Text, Time, Turns};
    match parse(row.kind, &RawValue::Text(row.default.to_owned())) {
        Ok(Order(order)) => json!(order),
        Ok(Turns(turns)) => json!(turns),
        Ok(Switch(switch)) => json!(switch),
        Ok(Text(_) | Time(_) | List(_)) | Err(_) => json!(row.default),
    }
}

fn of_kind(kind: KeyKind) -> Value {
    match kind {
        KeyKind::Name => json!({
            "type": "string", "minLength": 1, "maxLength": NAME_LEN_MAX, "pattern": "^[^./\\\\,:][^/\\\\,:]*$"
        }),
        KeyKind::Order => json!({ "type": "integer" }),
        KeyKind::Prose => json!({ "type": "string", "pattern": "\\S" }),
        KeyKind::Line => json!({ "type": "string", "pattern": "^[^\\n\\r]*\\S[^\\n\\r]*$" }),
        KeyKind::Agent => json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$" }),
        KeyKind::Tools => {
            json!({ "type": "array", "minItems": 1, "items": { "type": "string", "minLength": 1 } })
        }
        KeyKind::Reviewers => json!({
            "type": "array", "uniqueItems": true, "items": { "type": "string", "pattern": "^[A-Za-z0-9._-]+$" }
        }),
        KeyKind::Turns => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        KeyKind::Time => json!({ "type": ["string", "integer"], "pattern": TIME, "minimum": 0 }),
        KeyKind::Switch => json!({ "type": "boolean" }),
        KeyKind::Choice(words) => json!({ "enum": words }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_property() {
        let schema = schema();
        for row in STAGE_KEYS {
            let pointer = match row.key.split_once('.') {
                Some((group, key)) => format!("/properties/{group}/properties/{key}/description"),
                None => format!("/properties/{}/description", row.key),
            };
            assert_eq!(schema.pointer(&pointer), Some(&json!(row.description)), "{pointer}");
        }
    }

    #[test]
    fn defaults_have_the_types_of_their_keys() {
        let schema = schema();
        let default = |key: &str| schema["properties"][key]["default"].clone();
        assert_eq!([default("order"), default("max_turns")], [json!(0), json!(0)]);
        assert_eq!([default("read_only"), default("auto_advance")], [json!(false), Value::Null]);
        assert_eq!(default("effort_level"), json!("high"));
    }
}
