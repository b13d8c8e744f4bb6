//! `baton docs`: the pages of the documentation that are made from the code.

use std::io::Write as _;

use baton_core::config::{PipelineDialect, stages};
use baton_core::pipeline::document;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum DocsCommand {
    /// Print how issues move: the rules, the labels, and diagrams, in Markdown.
    StateMachine,
}

pub(crate) fn run(command: &DocsCommand) {
    let page = match command {
        DocsCommand::StateMachine => state_machine(),
    };
    // A reader that has seen enough, such as `head`, is no failure.
    let _ = std::io::stdout().write_all(page.as_bytes());
}

fn state_machine() -> String {
    document::document(&stages::shipped(PipelineDialect::Baton).pipeline)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_of_the_state_machine_shows_the_rules_as_they_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/state-machine.md");
        let (page, found) = (state_machine(), fs::read_to_string(&path));
        if std::env::var_os("BATON_BLESS").is_some() {
            fs::write(&path, &page).expect("the page can be written");
        } else {
            assert_eq!(
                page,
                found.unwrap_or_default(),
                "docs/state-machine.md is stale: run `BATON_BLESS=1 cargo xtask test the_page_of_the_state_machine` and commit it"
            );
        }
    }
}
