//! The commands as data: what each is for, its arguments, its examples, and what its exit codes mean.
//!
//! It is read from the same tree that parses arguments, so that help, manual pages, the reference and the tests of the
//! surface cannot differ. A command tells its examples and exit codes in its `after_help`, in two blocks:
//!
//! ```text
//! Examples:
//!   baton check acme/web#42  who holds it
//!
//! Exit codes:
//!   0  it could be claimed
//! ```
//!
//! Two spaces divide what is typed from what it is for. Deliberately absent: any form in which this is shown.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use serde::Serialize;

/// The heading of the examples.
const EXAMPLES: &str = "Examples:";
/// The heading of the exit codes.
const EXIT_CODES: &str = "Exit codes:";

/// What is known of a command.
#[derive(Debug, Serialize)]
pub(crate) struct CommandPage {
    /// Its names from the program on, such as `baton repo pause`.
    pub(crate) path: String,
    pub(crate) about: String,
    /// How it is called, without the word "Usage".
    pub(crate) usage: String,
    /// Whether it only holds other commands.
    pub(crate) is_group: bool,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) examples: Vec<Example>,
    pub(crate) exit_codes: Vec<ExitCodeMeaning>,
    /// What its help says at the end.
    pub(crate) notes: Vec<String>,
}

/// Something that can be given to a command.
#[derive(Debug, Serialize)]
pub(crate) struct Argument {
    /// As it is written: `REF`, `--ttl <DURATION>`.
    pub(crate) form: String,
    pub(crate) help: String,
    pub(crate) is_required: bool,
    pub(crate) defaults: Vec<String>,
    /// The values that there are, if they can be listed.
    pub(crate) values: Vec<String>,
    /// The variable of the environment that is read when it is not given.
    pub(crate) variable: Option<String>,
}

/// A command line, and what it is for.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Example {
    pub(crate) line: String,
    pub(crate) meaning: String,
}

/// What one exit code of one command says.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ExitCodeMeaning {
    pub(crate) code: u8,
    pub(crate) meaning: String,
}

/// Lists all commands that are not hidden, each before those it holds.
pub(crate) fn pages(root: Command) -> Vec<CommandPage> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect(&root, root.get_name(), &mut pages);
    pages
}

fn collect(command: &Command, path: &str, pages: &mut Vec<CommandPage>) {
    pages.push(page(command, path));
    for sub in shown(command) {
        collect(sub, &format!("{path} {}", sub.get_name()), pages);
    }
}

/// Lists the commands that a command holds and shows.
pub(crate) fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set())
}

fn page(command: &Command, path: &str) -> CommandPage {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let arguments = command.get_arguments().filter(|argument| !is_common(argument));
    CommandPage {
        path: path.to_owned(),
        about: sentence(command.get_about()),
        usage: usage.trim_start_matches("Usage:").split_whitespace().collect::<Vec<_>>().join(" "),
        is_group: shown(command).next().is_some(),
        arguments: arguments.map(argument).collect(),
        examples: block(&after, EXAMPLES).map(example).collect(),
        exit_codes: block(&after, EXIT_CODES).filter_map(exit_code).collect(),
        notes: notes(&after),
    }
}

/// What every command has, and what is nobody's business.
fn is_common(argument: &Arg) -> bool {
    argument.is_hide_set()
        || matches!(argument.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::Version)
}

fn argument(argument: &Arg) -> Argument {
    let takes_values = argument.get_action().takes_values();
    let values = argument.get_possible_values().into_iter().filter(|_| takes_values);
    let defaults = argument.get_default_values().iter().filter(|_| takes_values);
    Argument {
        form: form(argument),
        help: sentence(argument.get_help()),
        is_required: argument.is_required_set(),
        defaults: defaults.map(|value| value.to_string_lossy().into_owned()).collect(),
        values: values.map(|value| value.get_name().to_owned()).collect(),
        variable: argument.get_env().map(|name| name.to_string_lossy().into_owned()),
    }
}

/// The parser takes the full stop off; in a text it belongs there.
fn sentence(text: Option<&StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    if text.is_empty() || text.ends_with(['.', '…']) { text } else { format!("{text}.") }
}

fn form(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let several =
        if argument.get_num_args().is_some_and(|count| count.max_values() > 1) { "…" } else { "" };
    let values: Vec<_> = names.iter().map(|name| format!("{name}{several}")).collect();
    let flag = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    };
    let values = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
    format!("{flag} {values}").trim().to_owned()
}

/// Returns the indented lines under a heading.
fn block<'a>(text: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    let after = text.lines().skip_while(move |line| line.trim_end() != heading).skip(1);
    after.take_while(|line| line.starts_with("  ")).map(str::trim)
}

fn example(line: &str) -> Example {
    let (line, meaning) = line.split_once("  ").unwrap_or((line, ""));
    Example { line: line.to_owned(), meaning: meaning.trim().to_owned() }
}

fn exit_code(line: &str) -> Option<ExitCodeMeaning> {
    let (code, meaning) = line.split_once("  ")?;
    Some(ExitCodeMeaning { code: code.parse().ok()?, meaning: meaning.trim().to_owned() })
}

fn notes(text: &str) -> Vec<String> {
    let is_note =
        |line: &&str| !line.is_empty() && !line.starts_with(' ') && ![EXAMPLES, EXIT_CODES].contains(line);
    text.lines().filter(is_note).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_is_taken_apart_into_examples_exit_codes_and_notes() {
        let text =
            "Examples:\n  baton a b   what it does\n  baton c\n\nExit codes:\n  0  yes\n  1  no\n\nA note.";
        let command = Command::new("baton").about("Does it.").after_help(text);
        let page = page(&command, "baton");
        let line = |line: &str, meaning: &str| Example { line: line.into(), meaning: meaning.into() };
        assert_eq!(page.examples, [line("baton a b", "what it does"), line("baton c", "")]);
        let codes: Vec<_> = page.exit_codes.iter().map(|it| (it.code, it.meaning.as_str())).collect();
        assert_eq!(codes, [(0, "yes"), (1, "no")]);
        assert_eq!(page.notes, ["A note."]);
    }

    #[test]
    fn arguments_are_written_as_they_are_given() {
        let command = Command::new("baton")
            .arg(Arg::new("ref").value_name("REF").required(true))
            .arg(Arg::new("follow").short('f').long("follow").action(ArgAction::SetTrue))
            .arg(Arg::new("ttl").long("ttl").value_name("DURATION").default_value("4h"))
            .arg(Arg::new("secret").long("secret").hide(true));
        let page = page(&command, "baton");
        let forms: Vec<_> = page.arguments.iter().map(|it| it.form.as_str()).collect();
        assert_eq!(forms, ["REF", "-f, --follow", "--ttl DURATION"]);
        assert!(page.arguments[0].is_required);
        assert!(page.arguments[1].values.is_empty(), "{:?}", page.arguments[1]);
        assert_eq!(page.arguments[2].defaults, ["4h"]);
    }

    #[test]
    fn hidden_commands_are_left_out() {
        let root = Command::new("baton")
            .subcommand(Command::new("one").subcommand(Command::new("two")))
            .subcommand(Command::new("__own").hide(true));
        let paths: Vec<_> = pages(root).into_iter().map(|page| (page.path, page.is_group)).collect();
        assert_eq!(
            paths,
            [("baton".to_owned(), true), ("baton one".to_owned(), true), ("baton one two".to_owned(), false)]
        );
    }
}
