//! From what `baton.yaml` says under `agents:` to agents, or to everything that is wrong with them.

use std::collections::BTreeMap;

use serde_saphyr::Spanned;

use super::super::edit_distance::nearest;
use super::super::error::ConfigError;
use super::super::node::{Node, place};
use super::super::resolve::Effective;
use super::super::source::Source;
use super::super::value::{RawValue, Value, parse, shown};
use super::table::{AGENT_SETTINGS, AgentSetting, GROUP, LATER_ADAPTERS, agent_setting};
use super::{AgentConfig, EffectiveAgent, NAME_ALLOWED, agent_key, is_agent_name};

/// The agents of a file.
#[derive(Debug, Default)]
pub(in super::super) struct Agents {
    /// Those in which nothing is wrong, by key.
    pub(in super::super) configs: BTreeMap<String, AgentConfig>,
    /// The same as text with their sources, in the order of the file.
    pub(in super::super) effective: Vec<EffectiveAgent>,
    /// What is wrong with the others.
    pub(in super::super) errors: Vec<ConfigError>,
    /// The names that were met, by key.
    names: BTreeMap<String, (String, Source)>,
}

/// Reads what is under `agents:` in the file of this name.
pub(in super::super) fn read(path: &str, node: Spanned<Node>) -> Agents {
    let mut agents = Agents::default();
    let at = place(path, node.referenced);
    match node.value {
        Node::Null => {}
        Node::Map(entries) => entries.into_iter().for_each(|(name, node)| agents.agent(path, &name, node)),
        Node::Text(_) | Node::List(_) => {
            let example = "coder: {adapter: command, command: [my-agent]}".to_owned();
            agents.errors.push(ConfigError::NotAGroup { key: GROUP.to_owned(), at, example });
        }
    }
    agents
}

impl Agents {
    fn agent(&mut self, path: &str, name: &Spanned<String>, node: Spanned<Node>) {
        let (name, at) = (name.value.clone(), place(path, name.referenced));
        if !is_agent_name(&name) {
            let allowed = NAME_ALLOWED;
            return self.errors.push(ConfigError::AgentName { name, at, allowed });
        }
        let key = agent_key(&name);
        if let Some((first, first_at)) = self.names.insert(key.clone(), (name.clone(), at.clone())) {
            return self.errors.push(ConfigError::SameAgent {
                name,
                at,
                first,
                first_at: Box::new(first_at),
            });
        }
        let mut agent = Agent { path, name, at, values: BTreeMap::new(), errors: Vec::new() };
        agent.settings(node);
        match agent.errors.is_empty() {
            true => {
                self.effective.push(agent.effective(&key));
                self.configs.insert(key.clone(), agent.config(key));
            }
            false => self.errors.append(&mut agent.errors),
        }
    }
}

/// One agent while it is read.
struct Agent<'a> {
    path: &'a str,
    name: String,
    at: Source,
    /// What was said; nothing where it was wrong.
    values: BTreeMap<&'static str, Option<(Value, Source)>>,
    errors: Vec<ConfigError>,
}

impl Agent<'_> {
    fn settings(&mut self, node: Spanned<Node>) {
        let at = place(self.path, node.referenced);
        match node.value {
            Node::Null => {}
            Node::Map(entries) => entries.into_iter().for_each(|(key, node)| self.setting(&key, node)),
            Node::Text(_) | Node::List(_) => {
                let (key, example) = (format!("{GROUP}.{}", self.name), "adapter: command".to_owned());
                return self.errors.push(ConfigError::NotAGroup { key, at, example });
            }
        }
        self.missing();
    }

    fn setting(&mut self, key: &Spanned<String>, node: Spanned<Node>) {
        let at = place(self.path, node.referenced);
        match (agent_setting(&key.value), node.value.into_raw()) {
            (Some(setting), Some(raw)) => self.value(setting, &raw, at),
            (Some(_), None) => {}
            (None, _) => {
                let near = nearest(&key.value, AGENT_SETTINGS.iter().map(|setting| setting.key));
                self.errors.push(ConfigError::UnknownKey {
                    nearest: near.map(|near| self.full_key(near)),
                    key: self.full_key(&key.value),
                    at: place(self.path, key.referenced),
                });
            }
        }
    }

    fn value(&mut self, setting: &'static AgentSetting, raw: &RawValue, at: Source) {
        let value = match parse(setting.kind, raw) {
            Ok(value) => Some((value, at)),
            Err(allowed) => {
                self.errors.push(self.bad_value(setting, raw, at, allowed));
                None
            }
        };
        self.values.insert(setting.key, value);
    }

    fn bad_value(&self, setting: &AgentSetting, raw: &RawValue, at: Source, allowed: String) -> ConfigError {
        let (key, value) = (self.full_key(setting.key).into(), shown(setting.kind, raw));
        match setting.key == "adapter" && LATER_ADAPTERS.contains(&value.trim()) {
            true => ConfigError::NotYet { key, value, at, allowed },
            false => ConfigError::BadValue { key, value, at, allowed },
        }
    }

    /// What an agent cannot do without depends on its adapter, so there is nothing to say as long as that is wrong.
    fn missing(&mut self) {
        if self.values.get("adapter").is_some_and(Option::is_none) {
            return;
        }
        for setting in AGENT_SETTINGS.iter().filter(|setting| !self.values.contains_key(setting.key)) {
            if let Some(example) = setting.needed {
                let (key, at) = (self.full_key(setting.key), self.at.clone());
                self.errors.push(ConfigError::Missing { key, at, example });
            }
        }
    }

    fn full_key(&self, key: &str) -> String {
        format!("{GROUP}.{}.{key}", self.name)
    }

    fn effective(&self, key: &str) -> EffectiveAgent {
        let settings = AGENT_SETTINGS.iter().map(|setting| match self.values.get(setting.key) {
            Some(Some((value, at))) => {
                Effective { key: setting.key, value: value.to_string(), source: at.clone() }
            }
            Some(None) | None => {
                Effective { key: setting.key, value: String::new(), source: Source::Default }
            }
        });
        EffectiveAgent { name: self.name.clone(), key: key.to_owned(), settings: settings.collect() }
    }

    /// Makes the agent of values that were all allowed.
    ///
    /// # Panics
    ///
    /// Panics when a value is missing or of another kind than the table says, which the tests of the table rule out.
    fn config(mut self, key: String) -> AgentConfig {
        let mut take = |key: &str| self.values.remove(key).flatten().map(|(value, _)| value);
        let adapter = take("adapter").expect("an agent without an adapter is refused").to_string();
        AgentConfig {
            adapter: adapter.parse().expect("the table and the type know the same words"),
            command: list(take("command")),
            max_concurrent: number(take("max_concurrent")),
            runs_per_day: number(take("runs_per_day")),
            cost_per_day_micros: number(take("cost_per_day")),
            env: list(take("env")),
            name: self.name,
            key,
        }
    }
}

fn list(value: Option<Value>) -> Vec<String> {
    match value {
        None => Vec::new(),
        Some(Value::List(items) | Value::Command(items)) => items,
        Some(other) => panic!("{other:?} is no list"),
    }
}

fn number(value: Option<Value>) -> Option<u64> {
    match value? {
        Value::Count(number) | Value::Dollars(number) => Some(number),
        other => panic!("{other:?} is no number"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::choice::Adapter;
    use super::super::super::resolve::{Layers, Resolved, TextFile, resolve};
    use super::*;

    fn resolved(yaml: &str) -> Result<Resolved, Vec<String>> {
        let file = Some(TextFile { path: "b.yaml".to_owned(), text: yaml.to_owned() });
        let resolved = resolve(&Layers { file, ..Layers::default() });
        resolved.map_err(|errors| errors.0.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn check_errors(yaml: &str, expected: &[&str]) {
        assert_eq!(resolved(yaml).unwrap_err(), expected, "{yaml}");
    }

    const FULL: &str = "agents:
  Coder 2:
    adapter: command
    command: [sh, -c, 'echo \"$0\"', 1.50, '']
    max_concurrent: 2
    runs_per_day: 40
    cost_per_day: 12.50
    env: [PATH, ANTHROPIC_API_KEY]
  reviewer: {adapter: command, command: [review]}
";

    #[test]
    fn an_agent_has_all_that_was_said() {
        let config = resolved(FULL).unwrap().config;
        let expected = AgentConfig {
            name: "Coder 2".to_owned(),
            key: "coder 2".to_owned(),
            adapter: Adapter::Command,
            command: ["sh", "-c", "echo \"$0\"", "1.50", ""].map(str::to_owned).to_vec(),
            max_concurrent: Some(2),
            runs_per_day: Some(40),
            cost_per_day_micros: Some(12_500_000),
            env: ["PATH", "ANTHROPIC_API_KEY"].map(str::to_owned).to_vec(),
        };
        assert_eq!(config.agent(" CODER 2 "), Some(&expected));
        let reviewer = &config.agents["reviewer"];
        assert_eq!(
            (reviewer.max_concurrent, reviewer.runs_per_day, reviewer.cost_per_day_micros),
            (None, None, None)
        );
        assert!(reviewer.env.is_empty() && config.agent("tester").is_none());
    }

    #[test]
    fn every_setting_of_an_agent_is_listed_with_its_source() {
        let resolved = resolved(FULL).unwrap();
        let [coder, reviewer] = resolved.agents.as_slice() else { panic!("{:?}", resolved.agents) };
        assert_eq!((coder.name.as_str(), coder.key.as_str()), ("Coder 2", "coder 2"));
        let row = |at: usize| {
            let setting = &coder.settings[at];
            (setting.key, setting.value.clone(), setting.source.to_string())
        };
        assert_eq!(row(0), ("adapter", "command".to_owned(), "b.yaml:3:14".to_owned()));
        let shown = r#"["sh", "-c", "echo \"$0\"", "1.50", ""]"#;
        assert_eq!(row(1), ("command", shown.to_owned(), "b.yaml:4:14".to_owned()));
        assert_eq!(row(4), ("cost_per_day", "12.5".to_owned(), "b.yaml:7:19".to_owned()));
        assert_eq!(
            (reviewer.settings[5].value.as_str(), &reviewer.settings[5].source),
            ("", &Source::Default)
        );
    }

    #[test]
    fn nothing_under_agents_is_no_agent() {
        for yaml in ["agents:\n", "agents: {}\n", ""] {
            assert!(resolved(yaml).unwrap().config.agents.is_empty());
        }
    }

    #[test]
    fn an_adapter_of_a_later_version_is_refused_as_such() {
        check_errors(
            "agents: {a: {adapter: claude}}\n",
            &[
                "b.yaml:1:23: `agents.a.adapter` cannot be `claude`: it is not yet in this version; write one of command",
            ],
        );
        check_errors(
            "agents: {a: {adapter: cluade}}\n",
            &["b.yaml:1:23: `agents.a.adapter` cannot be `cluade`: write one of command"],
        );
    }

    #[test]
    fn an_agent_needs_an_adapter_and_a_command() {
        check_errors(
            "agents:\n  a: {adapter: command, command: }\n",
            &["b.yaml:2:3: `agents.a.command` is missing: write `command: [my-agent, --some-option]`"],
        );
        check_errors(
            "agents:\n  a:\n",
            &[
                "b.yaml:2:3: `agents.a.adapter` is missing: write `adapter: command`",
                "b.yaml:2:3: `agents.a.command` is missing: write `command: [my-agent, --some-option]`",
            ],
        );
    }

    #[test]
    fn an_unknown_key_is_an_error_with_the_nearest_one() {
        check_errors(
            "agents: {a: {adapter: command, command: [x], runs_per_dya: 3}}\n",
            &[
                "b.yaml:1:46: there is no setting `agents.a.runs_per_dya`; did you mean `agents.a.runs_per_day`?",
            ],
        );
        assert!(resolved("agent: {}\n").unwrap().warnings[0].ends_with("did you mean `agents`?"));
    }

    #[test]
    fn what_is_no_group_is_an_error() {
        check_errors(
            "agents: [coder]\n",
            &[
                "b.yaml:1:9: `agents` must hold settings, such as `agents:` and below it, indented, `coder: {adapter: command, command: [my-agent]}`",
            ],
        );
        check_errors(
            "agents: {coder: claude}\n",
            &[
                "b.yaml:1:17: `agents.coder` must hold settings, such as `agents.coder:` and below it, indented, `adapter: command`",
            ],
        );
    }

    #[test]
    fn names_are_plain_and_differ_by_more_than_case() {
        check_errors(
            "agents: {a/b: {}}\n",
            &[
                "b.yaml:1:10: `a/b` is no name for an agent: write 1 to 64 letters, digits, spaces, dots, underscores and hyphens, with a letter or a digit first",
            ],
        );
        let agent = "{adapter: command, command: [x]}";
        check_errors(
            &format!("agents:\n  Coder: {agent}\n  'coder ': {agent}\n"),
            &[
                "b.yaml:3:3: `coder ` is the same agent as `Coder` (b.yaml:2:3), since case and spaces around a name do not count: rename one",
            ],
        );
    }

    #[test]
    fn bad_values_are_told_with_their_place_and_without_secrets() {
        let agent = |setting: &str| format!("agents: {{a: {{adapter: command, command: [x], {setting}}}}}\n");
        let at = "b.yaml:1:";
        for (setting, column, problem) in [
            ("max_concurrent: 0", 62, "`agents.a.max_concurrent` cannot be `0`: write a whole number from 1"),
            ("cost_per_day: $5", 60, "`agents.a.cost_per_day` cannot be `$5`: write an amount of US dollars"),
            (
                "cost_per_day: 0.0",
                60,
                "`agents.a.cost_per_day` cannot be `0.0`: write an amount of US dollars",
            ),
            (
                "env: [PATH, KEY=s3cret]",
                51,
                "`agents.a.env` cannot be `[PATH, KEY=***]`: write a list of names",
            ),
            ("env: {KEY: s3cret}", 51, "`agents.a.env` cannot be `{…}`: write a list of names of variables"),
        ] {
            let [error] = resolved(&agent(setting)).unwrap_err().try_into().unwrap();
            assert!(error.starts_with(&format!("{at}{column}: {problem}")), "{error}");
        }
        for command in
            ["[]", "['']", "[' ', x]", "my-agent --print", "[x, {y: z}]", "[x, [y]]", "[\"a\\0b\"]"]
        {
            let yaml = format!("agents: {{a: {{adapter: command, command: {command}}}}}\n");
            let [error] = resolved(&yaml).unwrap_err().try_into().unwrap();
            assert!(error.starts_with("b.yaml:1:41: `agents.a.command` cannot be"), "{error}");
        }
    }

    #[test]
    fn all_complaints_come_at_once() {
        let errors =
            resolved("agents: {a: {adapter: codex, env: [1x]}, -b: {}, c: 3}\nkill_grace: x\n").unwrap_err();
        assert_eq!(errors.len(), 5, "{errors:?}");
    }
}
