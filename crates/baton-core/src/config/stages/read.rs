//! From the texts of stage files to stages.
//!
//! With `dialect: fabrik`, what Fabrik reads is read: keys that it would overlook are warnings instead of errors, and empty
//! texts and lists count as not set.

use serde_saphyr::Spanned;

use super::super::choice::PipelineDialect;
use super::super::edit_distance::nearest;
use super::super::error::{ConfigError, ConfigErrors, suggestion};
use super::super::node::{self, Node, place};
use super::super::resolve::TextFile;
use super::super::source::Source;
use super::super::value::RawValue;
use super::super::yaml::not_yaml;
use super::clash::clashes;
use super::draft::Draft;
use super::table::{STAGE_KEYS, StageKey, groups, stage_key};
use super::value::parse;
use super::{EffectiveStage, StageSet};
use crate::pipeline::{Pipeline, Stage};

/// Reads stage files, or tells everything that is wrong with them, within files and among them.
pub fn read_stages(files: &[TextFile], dialect: PipelineDialect) -> Result<StageSet, ConfigErrors> {
    let mut reader = Reader { dialect, drafts: Vec::new(), warnings: Vec::new(), errors: Vec::new() };
    files.iter().for_each(|file| reader.file(file));
    reader.errors.extend(clashes(&reader.drafts));
    match reader.errors.is_empty() {
        true => Ok(reader.finish()),
        false => Err(ConfigErrors(reader.errors)),
    }
}

struct Reader {
    dialect: PipelineDialect,
    drafts: Vec<Draft>,
    warnings: Vec<String>,
    errors: Vec<ConfigError>,
}

impl Reader {
    fn file(&mut self, file: &TextFile) {
        let root = match node::parse(&file.text) {
            Ok(root) => root,
            Err(error) => return self.errors.push(not_yaml(&file.path, &error)),
        };
        let (mut draft, at) = (Draft::new(&file.path), place(&file.path, root.referenced));
        match root.value {
            Node::Null => {}
            Node::Map(entries) => {
                entries.into_iter().for_each(|(key, node)| self.entry(&mut draft, &key, node));
            }
            Node::Text(_) | Node::List(_) => return self.errors.push(no_stage(&at)),
        }
        self.errors.extend(draft.holes());
        self.drafts.push(draft);
    }

    fn entry(&mut self, draft: &mut Draft, key: &Spanned<String>, node: Spanned<Node>) {
        let (name, at) = (key.value.as_str(), place(&draft.path, node.referenced));
        match (stage_key(name), groups().find(|group| *group == name)) {
            (Some(row), _) => self.value(draft, row, node),
            (None, Some(group)) => match node.value {
                Node::Null => {}
                Node::Map(entries) => {
                    entries.into_iter().for_each(|(key, node)| self.member(draft, group, &key, node));
                }
                Node::Text(_) | Node::List(_) => self.errors.push(no_group(group, at)),
            },
            (None, None) => self.unknown(name.to_owned(), place(&draft.path, key.referenced), ""),
        }
    }

    fn member(&mut self, draft: &mut Draft, group: &str, key: &Spanned<String>, node: Spanned<Node>) {
        let name = format!("{group}.{}", key.value);
        match stage_key(&name) {
            Some(row) => self.value(draft, row, node),
            None => self.unknown(name, place(&draft.path, key.referenced), group),
        }
    }

    fn unknown(&mut self, key: String, at: Source, group: &str) {
        let nearest = nearest_key(&key, group);
        match self.dialect {
            PipelineDialect::Baton => self.errors.push(ConfigError::UnknownKey { key, at, nearest }),
            PipelineDialect::Fabrik => self.warnings.push(format!(
                "{at}: `{key}` is no key of stages here and is not used{}",
                suggestion(nearest.as_deref())
            )),
        }
    }

    fn value(&mut self, draft: &mut Draft, row: &'static StageKey, node: Spanned<Node>) {
        let at = place(&draft.path, node.referenced);
        let Some(raw) = node.value.into_raw().filter(|raw| !self.overlooks(row, raw)) else { return };
        let value = parse(row.kind, &raw).map_err(|allowed| {
            let (key, value, at) = (row.key.into(), raw.to_string(), at.clone());
            self.errors.push(ConfigError::BadValue { key, value, at, allowed });
        });
        draft.said(row, value.ok().map(|value| (value, at)));
    }

    /// Fabrik cannot tell an empty text from none, nor an empty list of tools.
    fn overlooks(&self, row: &StageKey, raw: &RawValue) -> bool {
        let is_empty = match raw {
            RawValue::Text(text) => text.is_empty(),
            RawValue::List(items) => items.is_empty() && row.key == "allowed_tools",
            RawValue::Mapping => false,
        };
        self.dialect == PipelineDialect::Fabrik && is_empty
    }

    fn finish(self) -> StageSet {
        let stages: Vec<Stage> = self.drafts.iter().map(Draft::stage).collect();
        let mut effective: Vec<EffectiveStage> = self.drafts.iter().map(Draft::effective).collect();
        let pipeline = Pipeline::new(stages);
        let place = |name: &str| pipeline.stages().iter().position(|stage| stage.name == name);
        effective.sort_by_key(|stage| place(&stage.name));
        StageSet { pipeline, stages: effective, warnings: self.warnings }
    }
}

/// Compares names within the group, or those at the top.
fn nearest_key(key: &str, group: &str) -> Option<String> {
    let prefix = if group.is_empty() { String::new() } else { format!("{group}.") };
    let known = STAGE_KEYS.iter().filter_map(|row| row.key.strip_prefix(&prefix));
    let known = known.filter(|key| !key.contains('.')).chain(groups().filter(|_| group.is_empty()));
    let bare = key.strip_prefix(&prefix).unwrap_or(key);
    nearest(bare, known).map(|near| format!("{prefix}{near}"))
}

fn no_stage(at: &Source) -> ConfigError {
    ConfigError::Conflict(format!(
        "{at}: a stage file holds keys, such as `name: Plan`, and below it `order: 2`"
    ))
}

fn no_group(group: &str, at: Source) -> ConfigError {
    let example = STAGE_KEYS.iter().find_map(|row| row.key.strip_prefix(&format!("{group}.")));
    ConfigError::NotAGroup {
        key: group.to_owned(),
        at,
        example: format!("{}: …", example.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
