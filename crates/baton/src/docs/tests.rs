//! What must hold of all commands, and pages that must be in step with the code.

use std::fs;
use std::path::Path;

use super::*;
use crate::Arguments;

fn pages() -> Vec<surface::CommandPage> {
    surface::pages(Arguments::command())
}

/// Compares a page with its file, or writes the file when BATON_BLESS is set.
#[track_caller]
fn is_in_step(file: &str, page: &str, test: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(&path, page).expect("the page can be written");
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let hint = format!("{file} is stale: run `BATON_BLESS=1 cargo xtask test {test}` and commit it");
    assert_eq!(page, found, "{hint}");
}

#[test]
fn the_page_of_the_state_machine_shows_the_rules_as_they_are() {
    is_in_step("docs/state-machine.md", &state_machine(), "the_page_of_the_state_machine");
}

#[test]
fn the_page_of_the_commands_shows_them_as_they_are() {
    is_in_step("docs/reference/commands.md", &commands::markdown(&pages()), "the_page_of_the_commands");
}

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn every_command_says_what_it_does_in_a_sentence() {
    let is_sentence = |text: &str| text.ends_with('.') && text.starts_with(char::is_uppercase);
    let bad: Vec<_> = pages().into_iter().filter(|page| !is_sentence(&page.about)).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn every_command_has_examples() {
    let without = pages().into_iter().filter(|page| page.examples.is_empty()).map(|page| page.path);
    let without: Vec<_> = without.collect();
    assert!(
        without.is_empty(),
        "give them `#[command(after_help = \"Examples:\\n  …\")]`, as the module `docs::surface` tells: {without:?}"
    );
}

#[test]
fn every_command_that_does_something_says_what_its_exit_codes_mean() {
    let is_silent =
        |page: &surface::CommandPage| !page.is_group && page.exit_codes.iter().all(|it| it.code != 0);
    let silent: Vec<_> = pages().into_iter().filter(is_silent).map(|page| page.path).collect();
    assert!(silent.is_empty(), "add a block `Exit codes:` to the `after_help` of {silent:?}");
}

#[test]
fn every_example_would_be_understood_and_is_about_its_command() {
    for page in pages() {
        let lines = page.examples.iter().map(|example| example.line.as_str());
        let refused: Vec<_> = lines.clone().filter_map(refusal::<Arguments>).collect();
        assert!(refused.is_empty(), "{}: {refused:#?}", page.path);
        assert!(
            lines.clone().any(|line| line.contains(&page.path)),
            "{} is in none of its examples",
            page.path
        );
    }
}

#[test]
fn examples_fit_into_a_hundred_columns() {
    let after_help = |command: &clap::Command| command.get_after_help().map(ToString::to_string);
    let mut commands = vec![Arguments::command()];
    while let Some(command) = commands.pop() {
        let long = after_help(&command).unwrap_or_default();
        let long: Vec<_> = long.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{}: {long:#?}", command.get_name());
        commands.extend(surface::shown(&command).cloned());
    }
}

#[test]
fn a_command_line_with_an_unknown_flag_is_refused() {
    let why = refusal::<Arguments>("baton check acme/web#42 --jsn").unwrap();
    assert!(why.contains("unexpected argument '--jsn'"), "{why}");
    assert_eq!(refusal::<Arguments>("baton check --help"), None);
    assert_eq!(refusal::<Arguments>("git push"), None);
}

#[test]
fn the_readme_lists_every_command_and_no_other() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(path).expect("the README is there");
    let table =
        readme.split("## Commands").nth(1).and_then(|rest| rest.split("## ").next()).unwrap_or_default();
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let named: Vec<_> = cells
        .flat_map(|(first, _)| {
            first.split('`').filter_map(|code| code.strip_prefix("baton ")).collect::<Vec<_>>()
        })
        .filter_map(|code| code.split_whitespace().next())
        .collect();
    let known: Vec<_> = surface::shown(&Arguments::command()).map(|it| it.get_name().to_owned()).collect();
    let missing: Vec<_> = known.iter().filter(|name| !named.contains(&name.as_str())).collect();
    let unknown: Vec<_> = named.iter().filter(|name| !known.contains(&(**name).to_owned())).collect();
    assert!(missing.is_empty(), "the table of commands in README.md lacks {missing:?}");
    assert!(unknown.is_empty(), "the table of commands in README.md has {unknown:?}, which are none");
}
