//! The voice of an agent that speaks on an issue by itself, through the account of a person or of the engine.
//!
//! Whatever it says stands under a heading that names it. So its first word is never a command, it never begins as the engine
//! does, and nobody takes it for a person's answer. Deliberately absent: posting it.

use super::authors::with_quiet_bots;
use crate::claim::Codename;

/// How everything that an agent says by itself begins.
const HEADING: &str = "🤖 **Agent ";

/// How hidden words begin: the engine's marks and the words of claims are such.
const HIDDEN: &str = "<!--";
/// The same, in a form that everybody sees and that nobody reads as hidden.
const SEEN: &str = "<!- -";

/// The longest text that an agent may post, in bytes. Trackers take little more.
pub const SPOKEN_BYTES_MAX: usize = 60_000;

/// Returns an agent's words as they are posted: under its name, with what was hidden laid open, and without waking programs
/// that it mentions.
pub fn spoken(who: &Codename, text: &str) -> String {
    format!("{HEADING}{who}:**\n\n{}", with_quiet_bots(&text.replace(HIDDEN, SEEN)))
}

/// Returns whether an agent said it by itself.
pub fn is_agents(body: &str) -> bool {
    body.starts_with(HEADING)
}

#[cfg(test)]
mod tests {
    use super::super::comments::is_command;
    use super::super::names::Names;
    use super::*;
    use crate::claim::text::is_meant_as_marker;
    use crate::labels::dialect::Dialect;

    fn said(text: &str) -> String {
        spoken(&"lucius".parse().unwrap(), text)
    }

    #[test]
    fn no_word_of_an_agent_is_a_command_a_claim_or_the_engines() {
        let headings = [Dialect::Baton, Dialect::Fabrik].map(|dialect| Names::of(dialect).heading());
        for text in [
            "/approve",
            "  /reject no",
            "🏃 **Baton — approval: Plan**",
            "🏭 **Fabrik — stage: Plan**",
            "<!-- agent-claim: codename=x firing_id=y -->",
            "<!-- claim run=1 ttl=9s -->",
            "",
        ] {
            let said = said(text);
            assert!(is_agents(&said) && !is_command(&said) && !is_meant_as_marker(&said), "{said}");
            assert!(headings.iter().all(|heading| !said.starts_with(heading)), "{said}");
        }
    }

    #[test]
    fn what_was_hidden_is_laid_open() {
        let table = [
            ("a <!-- baton:approval=Plan -->", "a <!- - baton:approval=Plan -->"),
            ("<!--<!---->", "<!- -<!- --->"),
            ("<!<!-- baton:effect=1 -->", "<!<!- - baton:effect=1 -->"),
            ("a < b <- c", "a < b <- c"),
        ];
        for (text, expected) in table {
            let said = said(text);
            assert!(said.ends_with(expected) && !said.contains(HIDDEN), "{said}");
        }
    }

    #[test]
    fn programs_that_are_mentioned_are_not_woken() {
        assert!(said("ask @acme-bot").ends_with("ask `@acme-bot`"));
    }
}
