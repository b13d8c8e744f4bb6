//! Every setting of an agent, as data.

use super::super::table::Kind;

/// Where agents are in `baton.yaml`.
pub const GROUP: &str = "agents";

/// Adapters that a later version will have.
pub const LATER_ADAPTERS: [&str; 4] = ["claude", "codex", "gemini", "script"];

/// One setting of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentSetting {
    /// Its key under the agent's name.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What to write when an agent cannot do without it.
    pub needed: Option<&'static str>,
    /// What it is for, in one line.
    pub description: &'static str,
}

/// Every setting of an agent, in the order in which people read them.
pub const AGENT_SETTINGS: [AgentSetting; 6] = [
    AgentSetting {
        needed: Some("adapter: command"),
        ..row("adapter", Kind::Choice(&["command"]), "How the agent is run: `command` is any program.")
    },
    AgentSetting {
        needed: Some("command: [my-agent, --some-option]"),
        ..row(
            "command",
            Kind::Command,
            "The program and its arguments, which reach it as they are; the prompt is on its standard input.",
        )
    },
    row("max_concurrent", Kind::Count, "Its runs at one time; without it, only the limits for all hold."),
    row("runs_per_day", Kind::Count, "Its runs in a day; without it, there is no limit."),
    row("cost_per_day", Kind::Dollars, "What it may cost in a day; without it, there is no limit."),
    row(
        "env",
        Kind::Variables,
        "The variables of Baton's environment that reach it; tokens do not unless they are named.",
    ),
];

const fn row(key: &'static str, kind: Kind, description: &'static str) -> AgentSetting {
    AgentSetting { key, kind, needed: None, description }
}

/// Returns the setting of this key.
pub fn agent_setting(key: &str) -> Option<&'static AgentSetting> {
    AGENT_SETTINGS.iter().find(|setting| setting.key == key)
}

#[cfg(test)]
mod tests {
    use super::super::super::choice::Adapter;
    use super::*;

    #[test]
    fn every_adapter_that_the_table_allows_has_its_meaning() {
        let Some(Kind::Choice(words)) = agent_setting("adapter").map(|it| it.kind) else {
            panic!("no choice")
        };
        assert!(words.iter().all(|word| word.parse::<Adapter>().is_ok_and(|it| it.to_string() == *word)));
        assert!(!words.iter().any(|word| LATER_ADAPTERS.contains(word)));
    }

    #[test]
    fn every_description_is_one_sentence() {
        for setting in AGENT_SETTINGS {
            assert!(setting.description.ends_with('.') && !setting.description.contains(['\n', '|']));
        }
    }

    #[test]
    fn what_an_error_proposes_is_of_the_right_key() {
        for setting in AGENT_SETTINGS {
            assert!(setting.needed.is_none_or(|example| example.starts_with(&format!("{}: ", setting.key))));
        }
    }
}
