//! The shapes of JSON: which keys there are and of which types, for every command that has `--json`.
//!
//! `shapes.txt` says what is run: `NAME  LINE` runs a line, whatever its exit code, and keeps the shape of what it prints as
//! `snapshots/shapes/NAME.json`; `$ LINE` prepares something and must succeed. A name is that of the command, with
//! what is special about it behind `@`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::surface::checkout::Checkout;
use crate::surface::snapshot::Snapshots;
use crate::surface::tree;

const TABLE: &str = include_str!("shapes.txt");

#[test]
fn every_shape_is_as_it_was() {
    let (checkout, mut snapshots) = (Checkout::new(), Snapshots::of("shapes"));
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(preparation) = line.strip_prefix("$ ") {
            let ran = checkout.run(preparation);
            assert_eq!(ran.code, 0, "{preparation}: {ran:?}");
            continue;
        }
        let (name, command) = line.split_once("  ").unwrap();
        let ran = checkout.run(command.trim());
        let values = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
        let values: Vec<_> =
            values.map(|it| it.unwrap_or_else(|error| panic!("{command}: {error}: {ran:?}"))).collect();
        assert!(!values.is_empty(), "{command} printed nothing: {ran:?}");
        let shape = values.iter().map(shape).reduce(merged).unwrap();
        snapshots.compare(
            &format!("{name}.json"),
            &format!("{}\n", serde_json::to_string_pretty(&shape).unwrap()),
        );
    }
    snapshots.finish();
}

#[test]
fn every_command_that_answers_in_json_has_its_shape() {
    let names = TABLE.lines().filter_map(|line| line.split_once("  "));
    let names: BTreeSet<_> = names.filter_map(|(name, _)| name.split('@').next()).collect();
    let commands = tree::commands();
    let wanted = commands.iter().filter(|it| it.answers_in_json).map(tree::KnownCommand::file_name);
    let missing: Vec<_> = wanted.filter(|name| !names.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "add lines to shapes.txt for {missing:?}");
}

/// Reduces a value to its keys and types.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!("null"),
        Value::Bool(_) => json!("bool"),
        Value::Number(number) if number.is_f64() => json!("number"),
        Value::Number(_) => json!("integer"),
        Value::String(_) => json!("string"),
        Value::Array(items) => Value::Array(items.iter().map(shape).reduce(merged).into_iter().collect()),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
    }
}

/// What two shapes are together: a key that one lacks may be absent, and types that differ are listed.
fn merged(one: Value, two: Value) -> Value {
    match (one, two) {
        (one, two) if one == two => one,
        (Value::Array(one), Value::Array(two)) => {
            Value::Array(one.into_iter().chain(two).reduce(merged).into_iter().collect())
        }
        (Value::Object(one), Value::Object(two)) => Value::Object(merged_fields(one, two)),
        (one, two) => {
            let both: BTreeSet<String> = kinds(&one).into_iter().chain(kinds(&two)).collect();
            json!(both.into_iter().collect::<Vec<_>>().join(" | "))
        }
    }
}

fn merged_fields(one: Map<String, Value>, mut two: Map<String, Value>) -> Map<String, Value> {
    let optional = |key: &str| format!("{}?", key.trim_end_matches('?'));
    let mut all = Map::new();
    for (key, value) in one {
        let (plain, maybe) = (key.trim_end_matches('?').to_owned(), optional(&key));
        match two
            .remove(&plain)
            .map(|it| (it, key.ends_with('?')))
            .or_else(|| two.remove(&maybe).map(|it| (it, true)))
        {
            Some((other, is_optional)) => {
                all.insert(if is_optional { maybe } else { plain }, merged(value, other))
            }
            None => all.insert(maybe, value),
        };
    }
    all.extend(two.into_iter().map(|(key, value)| (optional(&key), value)));
    all
}

fn kinds(shape: &Value) -> Vec<String> {
    match shape {
        Value::String(kinds) => kinds.split(" | ").map(str::to_owned).collect(),
        Value::Array(_) => vec!["array".to_owned()],
        other => vec![other.to_string()],
    }
}

#[test]
fn shapes_tell_types_optional_keys_and_alternatives() {
    let value =
        json!([{ "a": 1, "b": null }, { "a": 2, "b": "x", "c": [] }, { "a": 1.5, "b": "y", "c": [true] }]);
    assert_eq!(shape(&value), json!([{ "a": "integer | number", "b": "null | string", "c?": ["bool"] }]));
}
