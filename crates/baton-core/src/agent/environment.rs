//! What an agent's environment has in it besides what it may inherit: a home of its own, and a git that reaches nobody.
//!
//! An agent gets no credentials that can push or write to the tracker, helpers of git and agents of SSH included, unless its
//! configuration names the variables. What a variable is set to here therefore gives way to one that is named.
//!
//! Deliberately absent: the variables of the engine, which come in elsewhere, and making the home.

use crate::config::{Adapter, AgentConfig};

/// Variables that keep git from asking for credentials, from looking for them, and from reading other people's settings.
const SEALS: [(&str, &str); 6] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];

/// Returns the variables that every run of an agent gets, but for those that its configuration names.
pub fn seals(agent: &AgentConfig) -> Vec<(&'static str, &'static str)> {
    SEALS.into_iter().filter(|(name, _)| !is_named(agent, name)).collect()
}

/// Returns whether an agent has a home of its own: unless its configuration names `HOME`.
pub fn has_own_home(agent: &AgentConfig) -> bool {
    !is_named(agent, "HOME")
}

/// Returns what an adapter's program needs of the real home: where it keeps its login, its settings and its sessions.
pub fn needed_of_home(adapter: Adapter) -> &'static [&'static str] {
    match adapter {
        Adapter::Claude => &[".claude", ".claude.json"],
        Adapter::Codex => &[".codex"],
        Adapter::Gemini => &[".gemini"],
        Adapter::Command | Adapter::Script => &[],
    }
}

fn is_named(agent: &AgentConfig, name: &str) -> bool {
    agent.env.iter().any(|own| own == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layers, TextFile, resolve};

    fn agent(env: &str) -> AgentConfig {
        let text = format!("agents: {{a: {{adapter: claude, env: [{env}]}}}}\n");
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text });
        resolve(&Layers { file, ..Layers::default() }).unwrap().config.agents["a"].clone()
    }

    #[test]
    fn what_the_configuration_names_is_not_sealed() {
        let names = |env| seals(&agent(env)).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(""), SEALS.map(|(name, _)| name));
        assert!(!names("GIT_SSH_COMMAND").contains(&"GIT_SSH_COMMAND"));
        assert_eq!(names("GIT_SSH_COMMAND, GIT_ASKPASS").len(), SEALS.len() - 2);
    }

    #[test]
    fn a_home_is_private_unless_it_is_named() {
        assert!(has_own_home(&agent("PATH")) && !has_own_home(&agent("HOME")));
    }
}
