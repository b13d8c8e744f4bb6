//! What holds the table of variables and what templates see to each other.

use std::collections::BTreeSet;

use minijinja::value::{Value, ValueKind};

use super::variables::{Shape, VARIABLES};
use super::{Purpose, block, example, view};
use crate::config::PipelineDialect;

/// Returns the names of everything within a value, with what it is. Of a list only the first member counts.
fn names(name: &str, value: &Value, found: &mut BTreeSet<(String, &'static str)>) {
    let shape = match value.kind() {
        _ if value.downcast_object_ref::<block::Block>().is_some() => Shape::Data,
        ValueKind::Bool => Shape::Flag,
        ValueKind::Number => Shape::Number,
        ValueKind::String => Shape::Text,
        ValueKind::Seq => {
            let first = value.get_item_by_index(0).expect("the example has one of everything");
            return names(&format!("{name}[]"), &first, found);
        }
        ValueKind::Map => {
            for key in value.try_iter().expect("it is a map") {
                let inner = value.get_item(&key).expect("it has its keys");
                names(&format!("{name}.{key}"), &inner, found);
            }
            return;
        }
        other => panic!("{name} is {other}"),
    };
    found.insert((name.to_owned(), shape.as_str()));
}

#[test]
fn the_table_of_variables_is_what_templates_see() {
    let mut found = BTreeSet::new();
    let mut material = example::full(Purpose::Stage);
    material.notes.retain(|note| note.by.is_some());
    for (name, value) in view::view(&material, PipelineDialect::Baton) {
        names(name, &value, &mut found);
    }
    // These two depend on the instruction, and are added when it is known.
    found.extend([("instruction".to_owned(), "text"), ("teaches_marks".to_owned(), "flag")]);
    let told: BTreeSet<_> =
        VARIABLES.iter().map(|it| (it.name.replace('?', ""), it.shape.as_str())).collect();
    assert_eq!(found, told);
}

/// Returns the names of everything within a value that is nothing.
fn missing(name: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value.kind() {
        ValueKind::None => drop(found.insert(name.to_owned())),
        ValueKind::Map => {
            for key in value.try_iter().expect("it is a map") {
                let inner = value.get_item(&key).expect("it has its keys");
                missing(&format!("{name}.{key}"), &inner, found);
            }
        }
        _ => (),
    }
}

#[test]
fn the_table_of_variables_tells_what_may_be_nothing() {
    let mut found = BTreeSet::new();
    for (name, value) in view::view(&example::sparse(Purpose::Wake), PipelineDialect::Baton) {
        missing(name, &value, &mut found);
    }
    let marked = |name: &str| {
        let (owner, _) = name.split_once('?')?;
        Some(owner.to_owned()).filter(|owner| !owner.contains("[]"))
    };
    let told: BTreeSet<_> = VARIABLES.iter().filter_map(|it| marked(it.name)).collect();
    assert_eq!(found, told);
}

#[test]
fn the_templates_name_nothing_that_is_not_there() {
    for dialect in PipelineDialect::ALL.iter().copied() {
        let templates = super::Templates::built_in(dialect);
        for purpose in Purpose::ALL.iter().copied() {
            super::templates::check("built in", &templates.text(purpose), dialect).unwrap();
        }
        for (name, text) in super::environment::PARTS {
            super::templates::check(name, text, dialect).unwrap();
        }
    }
}
