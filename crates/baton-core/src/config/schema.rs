//! A JSON schema of `baton.yaml` for editors, made from the tables.
//!
//! It must not refuse what Baton accepts; only spaces around a word of a choice, which nobody writes, it does not know.
//! It cannot tell all that Baton refuses: what a repository, a server or another setting has a say in is found by
//! `baton config show`.

use serde_json::{Map, Value, json};

use super::agents::table::{AGENT_SETTINGS, AgentSetting, GROUP};
use super::choice::Adapter;
use super::table::{GROUPS, Kind, SETTINGS, Setting};

const UNITS: &str = "(ms|s|sec|second|seconds|m|min|minutes|h|hour|hours|d)";
const NOT_ZERO: &str = "[1-9]";
const REPOSITORY: &str = "^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$";
const REPOSITORIES: &str = "^[A-Za-z0-9_./-]+(, *[A-Za-z0-9_./-]+)*$";
const VARIABLE: &str = r"^\s*([A-Za-z_][A-Za-z0-9_]*)?\s*$";

/// Returns the schema, in draft 2020-12.
pub fn schema() -> Value {
    let plain = SETTINGS.iter().filter(|setting| !setting.key.contains('.'));
    let mut properties: Map<String, Value> =
        plain.map(|setting| (setting.key.to_owned(), described(setting))).collect();
    properties.extend(GROUPS.iter().map(|group| ((*group).to_owned(), group_of_settings(group))));
    properties.insert(GROUP.to_owned(), agents());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "baton.yaml",
        "description": "Settings of Baton.",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
    })
}

fn group_of_settings(group: &str) -> Value {
    let own = |setting: &Setting| {
        let key = setting.key.strip_prefix(group)?.strip_prefix('.')?;
        Some((key.to_owned(), described(setting)))
    };
    let properties: Map<String, Value> = SETTINGS.iter().filter_map(own).collect();
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

/// Nothing after a key counts as not set, so nothing is allowed everywhere.
fn described(setting: &Setting) -> Value {
    let mut schema = json!({
        "description": setting.description,
        "anyOf": [{ "type": "null" }, of_kind(setting.kind)],
    });
    if let Some(default) = default(setting) {
        schema["default"] = default;
    }
    schema
}

/// The default, as it would be written in the file.
fn default(setting: &Setting) -> Option<Value> {
    let text = Some(setting.default).filter(|text| !text.is_empty())?;
    Some(match setting.kind {
        Kind::Count | Kind::CountFromZero | Kind::Switch => {
            serde_json::from_str(text).expect("a default of a number or a switch is JSON")
        }
        Kind::List | Kind::Choices(_) | Kind::Variables | Kind::Repositories => text.split(", ").collect(),
        _ => json!(text),
    })
}

fn agents() -> Value {
    let property = |setting: &AgentSetting| (setting.key.to_owned(), described_for_agent(setting));
    let properties: Map<String, Value> = AGENT_SETTINGS.iter().map(property).collect();
    let agent = json!({
        "type": "object",
        "properties": properties,
        "required": ["adapter"],
        "allOf": Adapter::ALL.iter().map(|adapter| of_adapter(*adapter)).collect::<Vec<_>>(),
        "additionalProperties": false,
    });
    json!({
        "description": "The agents by name.",
        "type": ["object", "null"],
        "patternProperties": { "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$": agent },
        "additionalProperties": false,
    })
}

fn described_for_agent(setting: &AgentSetting) -> Value {
    let kind = of_kind(setting.kind);
    let is_needed = setting.needed_by == Adapter::ALL;
    let kinds = if is_needed { json!([kind]) } else { json!([{ "type": "null" }, kind]) };
    json!({ "description": setting.description, "anyOf": kinds })
}

/// What an agent of this adapter cannot do without, and what it has no use for. A key with nothing after it is not there.
fn of_adapter(adapter: Adapter) -> Value {
    let needed = AGENT_SETTINGS.iter().filter(|it| it.key != "adapter" && it.is_needed_by(adapter));
    let useless = AGENT_SETTINGS.iter().filter(|it| !it.is_for(adapter));
    let needed_keys: Vec<_> = needed.clone().map(|setting| setting.key).collect();
    let not_null = needed.map(|it| (it.key.to_owned(), json!({ "not": { "type": "null" } })));
    let null = useless.map(|it| (it.key.to_owned(), json!({ "type": "null" })));
    let properties: Map<String, Value> = not_null.chain(null).collect();
    json!({
        "if": { "properties": { "adapter": { "const": adapter.as_str() } }, "required": ["adapter"] },
        "then": { "properties": properties, "required": needed_keys },
    })
}

/// Says what a value may be. A scalar without quotes may look like a number and is a text all the same.
fn of_kind(kind: Kind) -> Value {
    match kind {
        Kind::Text | Kind::Path => {
            json!({ "type": ["string", "number", "boolean"], "pattern": r"^[^\r\n]*[^\s][^\r\n]*$" })
        }
        Kind::Address => text(r#"^\s*https?://[^/\s"<>?#@\\][^\s"<>?#@\\]*\s*$"#),
        Kind::RefPrefix => text(r"^\s*refs/.+/\s*$"),
        Kind::Store => text(r"^\s*(sqlite:|postgres(ql)?://)[^\r\n]+\s*$"),
        Kind::Duration => duration(0),
        Kind::PositiveDuration | Kind::WholeSeconds => duration(1),
        Kind::Count => number(1),
        Kind::CountFromZero => number(0),
        Kind::Switch => switch(),
        Kind::Dollars => json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0 },
            { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]{1,6})?\s*$" },
        ] }),
        Kind::Command => json!({ "type": "array", "items": scalar(), "minItems": 1 }),
        Kind::Arguments => json!({ "type": "array", "items": scalar() }),
        Kind::Repositories => list(&text(REPOSITORY), &text(REPOSITORIES)),
        Kind::Project => text("^[A-Za-z0-9][A-Za-z0-9-]*/[1-9][0-9]*$"),
        Kind::Variables => list(&or_switch(&text(VARIABLE)), &or_switch(&some_of("[A-Za-z_][A-Za-z0-9_]*"))),
        Kind::List => list(&scalar(), &scalar()),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Choices(words) => list(&json!({ "enum": words }), &some_of(&words.join("|"))),
    }
}

fn text(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

fn scalar() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

/// A list may also be one text with commas.
fn list(item: &Value, text: &Value) -> Value {
    json!({ "anyOf": [{ "type": "array", "items": item }, text] })
}

/// Two names look like yes and no to whoever reads the file as JSON.
fn or_switch(names: &Value) -> Value {
    json!({ "anyOf": [names, { "type": "boolean" }] })
}

fn some_of(words: &str) -> Value {
    text(&format!(r"^\s*({words})?\s*(,\s*({words})?\s*)*$"))
}

fn duration(least: u64) -> Value {
    let pattern = format!(r"^\s*([0-9]+|([0-9]+\s*{UNITS}\s*)+)\s*$");
    number_or_text(least, &pattern)
}

fn number(least: u64) -> Value {
    number_or_text(least, r"^\s*\+?[0-9]+\s*$")
}

fn number_or_text(least: u64, pattern: &str) -> Value {
    let mut text = text(pattern);
    if least > 0 {
        text["allOf"] = json!([{ "pattern": NOT_ZERO }]);
    }
    json!({ "anyOf": [{ "type": "integer", "minimum": least }, text] })
}

fn switch() -> Value {
    let case = |word: &str| [word.to_owned(), word.to_uppercase(), word[..1].to_uppercase() + &word[1..]];
    let words: Vec<String> = ["true", "yes", "on", "false", "no", "off"].into_iter().flat_map(case).collect();
    let texts = words.into_iter().chain(["1".to_owned(), "0".to_owned()]).map(Value::from);
    let values = [json!(true), json!(false), json!(1), json!(0)];
    json!({ "enum": values.into_iter().chain(texts).collect::<Vec<_>>() })
}
