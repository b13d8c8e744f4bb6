//! The words by which a board's items are filtered, as far as the forge knows them.
//!
//! `is:issue`, `is:pr`, `is:draft`, `is:open`, `is:closed`, `label:`, `assignee:`, `repo:`, `no:` and any field of the
//! board by its name; a comma means or, a minus before a word means not, and a bare word is looked for in the title.

use super::items::content_type;
use crate::db::issues;
use crate::db::keyset::Range;
use crate::db::labels;
use crate::db::project_fields::{self, Field, FieldKind};
use crate::db::project_items::{self, Item};
use crate::db::project_values::{self, Content};
use crate::db::projects::Project;
use crate::db::repos;
use crate::wire::Render;

/// What every item must fulfil.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    terms: Vec<Term>,
}

#[derive(Debug, PartialEq, Eq)]
struct Term {
    is_negated: bool,
    /// In lower case, with spaces for hyphens; empty for a bare word.
    key: String,
    /// In lower case; any of them fulfils the term.
    values: Vec<String>,
}

impl Filter {
    /// Reads a filter; nothing for one that asks for nothing.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let terms: Vec<Term> = words(text).iter().map(|word| Term::parse(word)).collect();
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// Returns the items of a board that fulfil it and that the reader may see, in their order.
    pub(crate) fn apply(&self, render: &Render<'_>, project: &Project) -> rusqlite::Result<Vec<Item>> {
        let fields = project_fields::list(render.conn, project.id)?;
        let mut found = Vec::new();
        for item in project_items::stretch(render.conn, project.id, &Range::WHOLE)? {
            let subject = Subject::load(render, &fields, &item)?;
            if subject.is_some_and(|subject| self.terms.iter().all(|term| term.holds(&subject))) {
                found.push(item);
            }
        }
        Ok(found)
    }
}

/// Splits at spaces outside of quotes; the quotes go.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

impl Term {
    fn parse(word: &str) -> Self {
        let (is_negated, rest) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
        let (key, values) = rest.split_once(':').unwrap_or(("", rest));
        let values = values.split(',').map(str::to_lowercase).collect();
        Self { is_negated, key: key.to_lowercase().replace('-', " "), values }
    }

    fn holds(&self, subject: &Subject) -> bool {
        let holds = self.values.iter().any(|value| match self.key.as_str() {
            "" => subject.title.contains(value.as_str()),
            "is" => subject.is.contains(&value.as_str()),
            "no" => !subject.facts.iter().any(|(key, _)| *key == value.replace('-', " ")),
            key => subject.facts.iter().any(|(known, fact)| known == key && fact == value),
        });
        holds != self.is_negated
    }
}

/// What is known of an item, in lower case.
struct Subject {
    title: String,
    is: Vec<&'static str>,
    facts: Vec<(String, String)>,
}

impl Subject {
    fn load(render: &Render<'_>, fields: &[Field], item: &Item) -> rusqlite::Result<Option<Self>> {
        let mut facts = Vec::new();
        let mut fact = |key: &str, value: &str| facts.push((key.to_lowercase(), value.to_lowercase()));
        let mut is = vec![match content_type(item) {
            "Issue" => "issue",
            "PullRequest" => "pr",
            _ => "draft",
        }];
        if let Some(issue) = &item.issue {
            let Some(repo) = repos::by_id(render.conn, issue.repo_id)? else { return Ok(None) };
            if !render.may_see(&repo)? {
                return Ok(None);
            }
            is.push(if issue.is_open() { "open" } else { "closed" });
            fact("repo", &repo.full_name());
            for label in labels::of_issue(render.conn, issue.id)? {
                fact("label", &label.name);
            }
            for id in issues::assignees(render.conn, issue.id)? {
                fact("assignee", &render.account(id)?.login);
            }
            if let Some(id) = issue.milestone_id {
                fact("milestone", &render.milestone_by_id(id)?.title);
            }
        }
        for value in project_values::of_item(render.conn, item.id)? {
            let Some(field) = fields.iter().find(|field| field.id == value.field_id) else { continue };
            fact(&field.name.replace('-', " "), &text_of(field, &value.content));
        }
        let title = item.issue.as_ref().map(|issue| &issue.title).or(item.draft_title.as_ref());
        Ok(Some(Self { title: title.map(|title| title.to_lowercase()).unwrap_or_default(), is, facts }))
    }
}

fn text_of(field: &Field, content: &Content) -> String {
    match content {
        Content::Text(text) | Content::Date(text) => text.clone(),
        Content::Number(number) => number.to_string(),
        Content::Option(id) if field.kind == FieldKind::SingleSelect => {
            field.option(id).map(|choice| choice.name.clone()).unwrap_or_default()
        }
        Content::Option(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            title: "repair the door".to_owned(),
            is: vec!["issue", "open"],
            facts: vec![("status".into(), "in progress".into()), ("label".into(), "bug".into())],
        }
    }

    #[test]
    fn words_hold_or_do_not() {
        let holds = |text: &str| {
            Filter::parse(text).is_none_or(|filter| filter.terms.iter().all(|term| term.holds(&subject())))
        };
        for text in
            ["", "is:issue", "status:\"In Progress\"", "label:bug,docs door", "-is:closed", "no:assignee"]
        {
            assert!(holds(text), "{text}");
        }
        for text in ["is:pr", "status:Todo", "-label:bug", "window", "no:status", "is:open is:closed"] {
            assert!(!holds(text), "{text}");
        }
    }
}
