//! `baton.yaml`, from text to settings with their places.
//!
//! Unknown keys are mistakes, except those at the top of which it is known that a later version will read them: these
//! are only worth a warning.

use serde_saphyr::Spanned;

use super::agents::{self, read::Agents};
use super::edit_distance::nearest;
use super::error::ConfigError;
use super::node::{self, Node, place};
use super::source::Source;
use super::store_address::holds_password;
use super::table::{GROUPS, Kind, SETTINGS, Setting, setting};
use super::value::RawValue;

/// Keys under which people put tokens.
const SECRETS: [&str; 4] = ["token", "baton_token", "github_token", "gh_token"];

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct FileSettings {
    pub(super) values: Vec<(&'static Setting, RawValue, Source)>,
    pub(super) agents: Agents,
    pub(super) warnings: Vec<String>,
    pub(super) errors: Vec<ConfigError>,
}

/// Reads the file of this name.
pub(super) fn read(path: &str, text: &str) -> FileSettings {
    let mut settings = FileSettings::default();
    match node::parse(text) {
        Ok(root) => settings.top(path, root),
        Err(error) => settings.errors.push(not_yaml(path, &error)),
    }
    settings
}

impl FileSettings {
    fn top(&mut self, path: &str, root: Spanned<Node>) {
        let at = place(path, root.referenced);
        match root.value {
            Node::Null => {}
            Node::Map(entries) => {
                entries.into_iter().for_each(|(key, node)| self.top_entry(path, &key, node))
            }
            Node::Text(_) | Node::List(_) => self.errors.push(not_a_group(path.to_owned(), at)),
        }
    }

    fn top_entry(&mut self, path: &str, key: &Spanned<String>, node: Spanned<Node>) {
        let (name, at) = (key.value.as_str(), place(path, key.referenced));
        if SECRETS.contains(&name.to_ascii_lowercase().as_str()) {
            self.errors.push(ConfigError::Secret { key: name.to_owned(), at });
        } else if let Some(setting) = setting(name) {
            self.value(setting, path, node);
        } else if GROUPS.contains(&name) {
            self.group(path, name, node);
        } else if name == agents::table::GROUP {
            self.agents = agents::read::read(path, node);
            self.errors.append(&mut self.agents.errors);
        } else {
            let (key, nearest) = (name.to_owned(), nearest_key(name, ""));
            self.errors.push(ConfigError::UnknownKey { key, at, nearest });
        }
    }

    fn group(&mut self, path: &str, group: &str, node: Spanned<Node>) {
        let at = place(path, node.referenced);
        match node.value {
            Node::Null => {}
            Node::Map(entries) => {
                entries.into_iter().for_each(|(key, node)| self.group_entry(path, group, &key, node));
            }
            Node::Text(_) | Node::List(_) => self.errors.push(not_a_group(group.to_owned(), at)),
        }
    }

    fn group_entry(&mut self, path: &str, group: &str, key: &Spanned<String>, node: Spanned<Node>) {
        let name = format!("{group}.{}", key.value);
        match setting(&name) {
            Some(setting) => self.value(setting, path, node),
            None => self.errors.push(ConfigError::UnknownKey {
                nearest: nearest_key(&name, group),
                key: name,
                at: place(path, key.referenced),
            }),
        }
    }

    fn value(&mut self, setting: &'static Setting, path: &str, node: Spanned<Node>) {
        let at = place(path, node.referenced);
        match node.value.into_raw() {
            Some(RawValue::Text(text)) if setting.kind == Kind::Store && holds_password(&text) => {
                self.errors.push(ConfigError::Password { key: setting.key, at });
            }
            Some(raw) => self.values.push((setting, raw, at)),
            None => {}
        }
    }
}

/// Compares names within the group, or those at the top.
fn nearest_key(name: &str, group: &str) -> Option<String> {
    let group_of = |key: &'static str| key.split_once('.').map_or("", |(group, _)| group);
    let keys = SETTINGS.iter().map(|setting| setting.key).filter(|key| group_of(key) == group);
    let groups = GROUPS.into_iter().chain([agents::table::GROUP]).filter(|_| group.is_empty());
    // The part that both have in common says nothing about how near they are.
    let bare = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
    let name = name.rsplit('.').next().unwrap_or(name);
    let found = nearest(name, keys.map(bare).chain(groups))?;
    Some(if group.is_empty() { found.to_owned() } else { format!("{group}.{found}") })
}

pub(super) fn not_a_group(key: String, at: Source) -> ConfigError {
    let example = SETTINGS.iter().find_map(|setting| setting.key.strip_prefix(&format!("{key}.")));
    ConfigError::NotAGroup { key, at, example: format!("{}: …", example.unwrap_or("user")) }
}

pub(crate) fn not_yaml(path: &str, error: &serde_saphyr::Error) -> ConfigError {
    let (line, column) = error.location().map_or((0, 0), |location| (location.line(), location.column()));
    let problem = problem(error);
    ConfigError::Yaml { path: path.to_owned(), line, column, problem }
}

/// Says what is wrong. Some of the reader's own words are meant for whoever calls it, and end with the place, which
/// stands before them already.
fn problem(error: &serde_saphyr::Error) -> String {
    match error {
        serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("`{key}` is there twice; remove one")
        }
        serde_saphyr::Error::MultipleDocuments { .. } => "the file has more than one document".to_owned(),
        other => {
            let text = other.to_string();
            text.split(" at line ").next().unwrap_or(&text).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<String> {
        let settings = read("baton.yaml", text);
        assert!(settings.errors.is_empty(), "{:?}", settings.errors);
        let show = |(setting, raw, at): &(&Setting, RawValue, Source)| format!("{}={raw} {at}", setting.key);
        settings.values.iter().map(show).collect()
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let errors: Vec<_> = read("b.yaml", text).errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, [expected]);
    }

    #[test]
    fn values_come_with_their_place() {
        let text = "# comment\nuser: ann\nclaims:\n  ttl: 2h\n  settle: 3\n";
        assert_eq!(
            values(text),
            ["user=ann baton.yaml:2:7", "claims.ttl=2h baton.yaml:4:8", "claims.settle=3 baton.yaml:5:11"]
        );
    }

    #[test]
    fn scalars_are_texts_whatever_yaml_would_make_of_them() {
        for (yaml, text) in [("no", "no"), ("true", "true"), ("12", "12"), ("\"12\"", "12"), ("4h", "4h")] {
            assert_eq!(values(&format!("user: {yaml}\n")), [format!("user={text} baton.yaml:1:7")]);
        }
    }

    #[test]
    fn lists_are_lists() {
        let block = "claims:\n  blocking_labels:\n    - a, b\n    - c\n";
        assert_eq!(values(block), ["claims.blocking_labels=[a, b, c] baton.yaml:3:5"]);
        let empty = read("b", "claims: {blocking_labels: []}\n");
        assert_eq!(empty.values[0].1, RawValue::List(Vec::new()));
        let mixed = read("b", "claims: {blocking_labels: [a, {b: c}]}\n");
        assert_eq!(mixed.values[0].1, RawValue::Mapping);
    }

    #[test]
    fn an_empty_file_and_empty_values_say_nothing() {
        for text in ["", "# nothing\n", "---\n", "claims:\n", "user:\nclaims:\n  ttl: null\n", "{}\n"] {
            assert!(values(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn an_unknown_key_in_a_group_is_an_error_with_the_nearest_one() {
        check_error(
            "claims:\n  tll: 4h\n",
            "b.yaml:2:3: there is no setting `claims.tll`; did you mean `claims.ttl`?",
        );
        check_error(
            "hook: {fial: open}\n",
            "b.yaml:1:8: there is no setting `hook.fial`; did you mean `hook.fail`?",
        );
        check_error("app:\n  something_else: 1\n", "b.yaml:2:3: there is no setting `app.something_else`");
    }

    #[test]
    fn an_unknown_key_at_the_top_is_an_error_with_the_nearest_one() {
        check_error("usr: ann\n", "b.yaml:1:1: there is no setting `usr`; did you mean `user`?");
        check_error("claim: {}\n", "b.yaml:1:1: there is no setting `claim`; did you mean `claims`?");
        check_error("agnets: {}\n", "b.yaml:1:1: there is no setting `agnets`; did you mean `agents`?");
        check_error("\npager: less\n", "b.yaml:2:1: there is no setting `pager`");
    }

    #[test]
    fn a_token_in_the_file_is_an_error_that_does_not_repeat_it() {
        let error = read("b.yaml", "GitHub_Token: ghp_123\n").errors[0].to_string();
        assert!(error.contains("`GitHub_Token` is a secret") && !error.contains("ghp_123"), "{error}");
    }

    #[test]
    fn a_group_that_is_no_mapping_is_an_error() {
        check_error(
            "claims: 4h\n",
            "b.yaml:1:9: `claims` must hold settings, such as `claims:` and below it, indented, `ttl: …`",
        );
        assert_eq!(read("b.yaml", "- a\n").errors.len(), 1);
        assert_eq!(read("b.yaml", "4h\n").errors.len(), 1);
    }

    #[test]
    fn what_is_not_yaml_is_an_error_with_line_and_column() {
        for text in
            ["user: [a\n", "user: 'a\n", "a: b: c\n", "user: a\nuser: b\n", "user: *x\n", "a: 1\n---\nb: 2\n"]
        {
            let error = read("b.yaml", text).errors[0].clone();
            let ConfigError::Yaml { line, column, problem, .. } = &error else { panic!("{text:?}: {error}") };
            assert!(
                *line > 0 && *column > 0 && !problem.is_empty() && !problem.contains('\n'),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn a_key_that_is_there_twice_is_an_error() {
        check_error("user: a\nuser: b\n", "b.yaml:2:1: `user` is there twice; remove one");
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail(text in "((user|claims|ttl|-|:|,|\\[|\\]|\\{|\\}|'|\"|&a|\\*a|!|#|\n|  | ){0,30})") {
            let _ = read("b.yaml", &text);
        }
    }
}
