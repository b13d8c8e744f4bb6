//! The reference page of the commands, in Markdown.

use std::fmt::Write as _;

use super::surface::{Argument, CommandPage};

const HEAD: &str = "\
# Commands

This page is made from the code by `baton docs commands`; `baton COMMAND --help` and the manual pages (`baton docs man`) say the
same. Exit codes are the same everywhere: 0 yes, 1 no, 2 usage (arguments or configuration that cannot be meant), 3 out of
reach (the tracker, the store, or whatever else must be there). What they mean for a command stands with it; 2 is not
repeated. With `--json`, a command answers with one JSON value on standard output; everything else is told on standard error.

";

/// Writes the page.
pub(crate) fn markdown(pages: &[CommandPage]) -> String {
    let mut text = String::from(HEAD);
    text.push_str(&contents(pages));
    for page in pages {
        section(&mut text, page);
    }
    text
}

fn contents(pages: &[CommandPage]) -> String {
    let mut text = String::from("| command | what it does |\n|---|---|\n");
    for page in pages.iter().filter(|page| !page.is_group) {
        let anchor = page.path.replace(' ', "-");
        line(&mut text, &format!("| [`{}`](#{anchor}) | {} |", page.path, cell(&page.about)));
    }
    text
}

fn section(text: &mut String, page: &CommandPage) {
    line(text, &format!("\n## `{}`\n\n{}\n", page.path, page.about));
    line(text, &format!("```text\n{}\n```", page.usage));
    if !page.arguments.is_empty() {
        line(text, "\n| argument | meaning |\n|---|---|");
        page.arguments.iter().for_each(|argument| line(text, &row(argument)));
    }
    if !page.exit_codes.is_empty() {
        line(text, "\n| exit code | meaning |\n|---|---|");
        page.exit_codes.iter().for_each(|it| line(text, &format!("| {} | {} |", it.code, cell(&it.meaning))));
    }
    if !page.examples.is_empty() {
        line(text, &format!("\n```text\n{}\n```", examples(page)));
    }
    for note in &page.notes {
        line(text, &format!("\n{note}"));
    }
}

fn row(argument: &Argument) -> String {
    let mut meaning = cell(&argument.help);
    if argument.is_required {
        meaning.push_str(" Required.");
    }
    if !argument.values.is_empty() {
        let values: Vec<_> = argument.values.iter().map(|value| format!("`{value}`")).collect();
        let _ = write!(meaning, " One of {}.", values.join(", "));
    }
    if !argument.defaults.is_empty() {
        let _ = write!(meaning, " Default: `{}`.", argument.defaults.join(" "));
    }
    if let Some(variable) = &argument.variable {
        let _ = write!(meaning, " Variable: `{variable}`.");
    }
    format!("| `{}` | {} |", argument.form, meaning.trim())
}

fn examples(page: &CommandPage) -> String {
    let one = |it: &super::surface::Example| match it.meaning.as_str() {
        "" => it.line.clone(),
        meaning => format!("{}  # {meaning}", it.line),
    };
    page.examples.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// A text that may stand in a cell of a table: one line, and a sentence.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    // What looks like a tag would be taken for one.
    text.replace('<', "&lt;")
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
