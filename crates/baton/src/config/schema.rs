//! `baton config schema`: the JSON schema of `baton.yaml`, for editors.
//!
//! Deliberately absent: what the schema says, which is made from the tables of the core.

use std::io::Write as _;

use baton_core::config::schema::schema;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton config schema > baton.schema.json

Exit codes:
  0  printed")]
pub(crate) struct Schema {}

impl Schema {
    pub(crate) fn run(&self) {
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = std::io::stdout().write_all(text().as_bytes());
    }
}

fn text() -> String {
    format!("{:#}\n", schema())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use baton_core::config::agents::table::AGENT_SETTINGS;
    use baton_core::config::table::{Kind, SETTINGS};
    use baton_core::config::{Layers, TextFile, resolve};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_schema_for_editors_is_that_of_the_tables() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/baton.schema.json");
        if std::env::var_os("BATON_BLESS").is_some() {
            return std::fs::write(&path, text()).expect("the schema can be written");
        }
        assert_eq!(
            text(),
            std::fs::read_to_string(&path).unwrap_or_default(),
            "docs/reference/baton.schema.json is stale: run `BATON_BLESS=1 cargo xtask test the_schema_for_editors` and commit it"
        );
    }

    #[test]
    fn the_schema_is_one() {
        jsonschema::draft202012::meta::validate(&schema()).expect("it follows its own draft");
    }

    fn is_valid(document: &Value) -> bool {
        static VALIDATOR: LazyLock<jsonschema::Validator> =
            LazyLock::new(|| jsonschema::draft202012::new(&schema()).expect("it is a schema"));
        VALIDATOR.is_valid(document)
    }

    /// Whether Baton reads the document; JSON is YAML.
    fn is_read(document: &Value) -> bool {
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: document.to_string() });
        resolve(&Layers { file, ..Layers::default() }).is_ok()
    }

    /// Puts a value where a setting is.
    fn with(key: &str, value: &Value) -> Value {
        match key.split_once('.') {
            Some((group, key)) => json!({ group: { key: value } }),
            None => json!({ key: value }),
        }
    }

    #[test]
    fn good_documents_are_good_for_both() {
        for document in [
            json!({}),
            json!(null),
            json!({ "user": "ann", "poll": 30, "yolo": true, "dialect": "fabrik" }),
            json!({ "user": 42, "claims": null, "poll": null, "stages": "steps" }),
            json!({ "poll": "1h 30min", "post_push_dwell": 0, "max_retries": 0, "yolo": "Yes" }),
            json!({ "max_concurrent": "4", "claims": { "ttl": "2h", "blocking_labels": "a, b" } }),
            json!({ "ci": { "accept_states": [], "required_checks": ["build", 3] }, "merge_method": "squash" }),
            json!({ "budget": { "issue_cost_per_day": 12.5, "repo_cost_per_day": "0.000001" } }),
            json!({ "store": "postgresql://me@host/db", "tracker": { "api_url": "http://[::1]:8080/api/v3" } }),
            json!({ "slack": { "approvers": ["ann"] }, "ci": { "accept_states": "clean , has_hooks" } }),
            json!({ "agents": { "Coder 2": { "adapter": "command", "command": ["sh", "-c", 1], "env": ["PATH"] } } }),
        ] {
            assert!(is_valid(&document) && is_read(&document), "{document}");
        }
    }

    #[test]
    fn bad_documents_are_bad_for_both() {
        for document in [
            json!([]),
            json!({ "usr": "ann" }),
            json!({ "token": "ghp_1" }),
            json!({ "claims": { "tll": "4h" } }),
            json!({ "claims": "4h" }),
            json!({ "user": { "name": "ann" } }),
            json!({ "user": " " }),
            json!({ "poll": 0 }),
            json!({ "poll": "0s" }),
            json!({ "poll": "soon" }),
            json!({ "poll": 1.5 }),
            json!({ "max_slices": 0 }),
            json!({ "max_retries": -1 }),
            json!({ "yolo": "maybe" }),
            json!({ "dialect": "alfred" }),
            json!({ "ci": { "accept_states": ["dirty"] } }),
            json!({ "ci": { "accept_states": "clean, dirty" } }),
            json!({ "budget": { "issue_cost_per_day": 0 } }),
            json!({ "store": "baton.db" }),
            json!({ "tracker": { "api_url": "https://me:pw@host" } }),
            json!({ "claims": { "ref_prefix": "baton/" } }),
            json!({ "agents": { "coder": { "adapter": "command" } } }),
            json!({ "agents": { "coder": { "adapter": "command", "command": [] } } }),
            json!({ "agents": { "a/b": { "adapter": "command", "command": ["x"] } } }),
            json!({ "agents": { "a": { "adapter": "command", "command": ["x"], "env": ["A=b"] } } }),
        ] {
            assert!(!is_valid(&document) && !is_read(&document), "{document}");
        }
    }

    #[test]
    fn every_setting_can_be_its_default_and_nothing() {
        for setting in &SETTINGS {
            let default = with(setting.key, &json!(setting.default));
            assert!(setting.default.is_empty() || is_valid(&default), "{default}");
            assert!(is_valid(&with(setting.key, &Value::Null)), "{}", setting.key);
        }
    }

    #[test]
    fn every_word_of_a_choice_is_proposed() {
        let words = SETTINGS.iter().map(|it| (it.key.to_owned(), it.kind));
        let of_agents = AGENT_SETTINGS.iter().map(|it| (format!("agents.x.{}", it.key), it.kind));
        let text = text();
        for (key, kind) in words.chain(of_agents) {
            if let Kind::Choice(words) | Kind::Choices(words) = kind {
                assert!(words.iter().all(|word| text.contains(&format!("\"{word}\""))), "{key}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_duration_is_refused_by_the_schema_alone(text in "( ?[0-9]{1,3} ?(ms|s|sec|min|minutes|h|d|x)?){1,3}") {
            for key in ["poll", "post_push_dwell", "request_timeout"] {
                let document = with(key, &json!(text));
                prop_assert!(!is_read(&document) || is_valid(&document), "{}", document);
            }
        }

        #[test]
        fn a_value_that_is_read_is_allowed_by_the_schema(at in 0..SETTINGS.len(), value in values()) {
            let document = with(SETTINGS[at].key, &value);
            prop_assert!(!is_read(&document) || is_valid(&document), "{}", document);
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let texts = [
            "",
            " ",
            "a",
            "0",
            "1",
            " 7 ",
            "+3",
            "007",
            "true",
            "OFF",
            "1.50",
            "90s",
            "1h30m",
            "500ms",
            "a, b",
            "ref",
            "clean, unstable",
            "sqlite:x.db",
            "postgres://h/d",
            "https://h/p/",
            "refs/x/",
            "fabrik",
        ];
        prop_oneof![
            prop::sample::select(texts.to_vec()).prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            (-2_i64..100).prop_map(Value::from),
            (0.0_f64..9.0).prop_map(Value::from),
            prop::sample::select(vec![
                json!([]),
                json!(["a", 1]),
                json!(["fabrik"]),
                json!(["clean"]),
                json!({}),
                json!([["a"]])
            ]),
        ]
    }
}
