//! Every setting of an agent, as data.

use super::super::choice::Adapter::{self, Claude, Codex, Command, Gemini, Script};
use super::super::table::Kind;

/// Where agents are in `baton.yaml`.
pub const GROUP: &str = "agents";

/// One setting of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentSetting {
    /// Its key under the agent's name.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// The adapters that it means something to.
    pub adapters: &'static [Adapter],
    /// Those of them that cannot do without it.
    pub needed_by: &'static [Adapter],
    /// What could be written.
    pub example: &'static str,
    /// What it is for, in one line.
    pub description: &'static str,
}

impl AgentSetting {
    /// Returns whether it means something to an adapter.
    pub fn is_for(&self, adapter: Adapter) -> bool {
        self.adapters.contains(&adapter)
    }

    /// Returns whether an adapter cannot do without it.
    pub fn is_needed_by(&self, adapter: Adapter) -> bool {
        self.needed_by.contains(&adapter)
    }
}

/// Every setting of an agent, in the order in which people read them.
pub const AGENT_SETTINGS: [AgentSetting; 15] = [
    AgentSetting {
        needed_by: Adapter::ALL,
        example: "adapter: claude",
        ..row(
            "adapter",
            Kind::Choice(&["claude", "codex", "gemini", "command", "script"]),
            "How the agent is run: `command` is any program, `script` the agent that is built in.",
        )
    },
    AgentSetting {
        adapters: &[Claude, Codex, Gemini, Command],
        needed_by: &[Command],
        example: "command: [my-agent, --some-option]",
        ..row(
            "command",
            Kind::Command,
            "The program and its arguments, which reach it as they are, instead of the program that the adapter is named after.",
        )
    },
    AgentSetting {
        adapters: &[Claude, Codex, Gemini],
        ..row("args", Kind::Arguments, "Arguments besides those that the adapter gives.")
    },
    AgentSetting {
        adapters: &[Claude, Codex, Gemini],
        ..row("model", Kind::Text, "The model; it comes before that of a stage.")
    },
    AgentSetting {
        adapters: &[Claude, Codex],
        ..row(
            "effort",
            Kind::Choice(&["low", "medium", "high", "max"]),
            "How hard the model thinks where neither the stage nor a label says.",
        )
    },
    AgentSetting {
        adapters: &[Claude, Script],
        ..row("max_turns", Kind::Count, "How many turns a run may take where the stage does not say.")
    },
    AgentSetting {
        adapters: &[Claude, Gemini],
        ..row(
            "allowed_tools",
            Kind::List,
            "The tools that it may use instead of the usual ones; a stage of its own list comes first.",
        )
    },
    AgentSetting {
        adapters: &[Claude],
        ..row("plugin_dir", Kind::Path, "A directory with a plugin, such as one with skills.")
    },
    AgentSetting {
        adapters: &[Script],
        needed_by: &[Script],
        example: "script: scripts/demo.yaml",
        ..row("script", Kind::Path, "What a scripted agent does.")
    },
    row(
        "env",
        Kind::Variables,
        "The variables of Baton's environment that reach it besides those of `agent.env`; tokens do not unless they are named.",
    ),
    row(
        "sandbox",
        Kind::Choice(&["none", "bubblewrap"]),
        "What keeps it from writing where it should not; without it, `agent.sandbox`.",
    ),
    row(
        "workspace",
        Kind::Choice(&["worktree", "directory"]),
        "Where it works: in a `worktree` of the issue's repository, unless the `directory` of `baton.yaml` is chosen.",
    ),
    row("max_concurrent", Kind::Count, "Its runs at one time; without it, only the limits for all hold."),
    row("runs_per_day", Kind::Count, "Its runs in a day; without it, there is no limit."),
    row("cost_per_day", Kind::Dollars, "What it may cost in a day; without it, there is no limit."),
];

const fn row(key: &'static str, kind: Kind, description: &'static str) -> AgentSetting {
    AgentSetting { key, kind, adapters: Adapter::ALL, needed_by: &[], example: "", description }
}

/// Returns the setting of this key.
pub fn agent_setting(key: &str) -> Option<&'static AgentSetting> {
    AGENT_SETTINGS.iter().find(|setting| setting.key == key)
}

#[cfg(test)]
mod tests {
    use super::super::super::choice::{Sandbox, WorkspaceKind};
    use super::*;
    use crate::pipeline::stage::Effort;

    fn words(key: &str) -> Vec<&'static str> {
        let Some(Kind::Choice(words)) = agent_setting(key).map(|it| it.kind) else { panic!("no choice") };
        words.to_vec()
    }

    #[test]
    fn every_word_that_the_table_allows_has_its_meaning() {
        assert_eq!(words("adapter"), Adapter::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>());
        assert_eq!(words("effort"), Effort::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>());
        assert_eq!(words("sandbox"), Sandbox::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>());
        assert_eq!(words("workspace"), WorkspaceKind::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>());
    }

    #[test]
    fn every_description_is_one_sentence() {
        for setting in AGENT_SETTINGS {
            assert!(setting.description.ends_with('.') && !setting.description.contains(['\n', '|']));
        }
    }

    #[test]
    fn what_an_adapter_needs_means_something_to_it_and_has_an_example_of_the_right_key() {
        for setting in AGENT_SETTINGS {
            assert!(setting.needed_by.iter().all(|adapter| setting.is_for(*adapter)), "{}", setting.key);
            let begins = setting.example.starts_with(&format!("{}: ", setting.key));
            assert!(setting.needed_by.is_empty() || begins, "{}", setting.key);
        }
    }
}
