//! From what `baton.yaml` says under `agents:` to agents, or to everything that is wrong with them.

use std::collections::BTreeMap;

use serde_saphyr::Spanned;

use super::super::choice::{Adapter, Sandbox};
use super::super::edit_distance::nearest;
use super::super::error::ConfigError;
use super::super::node::{Node, place};
use super::super::resolve::Effective;
use super::super::source::Source;
use super::super::value::{RawValue, Value, parse, shown};
use super::table::{AGENT_SETTINGS, AgentSetting, GROUP, agent_setting};
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
                let (key, example) = (format!("{GROUP}.{}", self.name), "adapter: claude".to_owned());
                return self.errors.push(ConfigError::NotAGroup { key, at, example });
            }
        }
        self.for_the_adapter();
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
                let (key, value) = (self.full_key(setting.key).into(), shown(setting.kind, raw));
                self.errors.push(ConfigError::BadValue { key, value, at, allowed });
                None
            }
        };
        self.values.insert(setting.key, value);
    }

    /// What an agent cannot do without, and what it has no use for, depends on its adapter, so there is nothing to say about
    /// that as long as the adapter is wrong.
    fn for_the_adapter(&mut self) {
        let adapter = match self.values.get("adapter") {
            Some(Some((value, _))) => known::<Adapter>(value),
            Some(None) => return,
            None => return self.errors.push(self.missing(&AGENT_SETTINGS[0])),
        };
        let is_there = |setting: &&AgentSetting| self.values.contains_key(setting.key);
        let missing = AGENT_SETTINGS.iter().filter(|it| it.is_needed_by(adapter) && !is_there(it));
        let useless = AGENT_SETTINGS.iter().filter(|it| !it.is_for(adapter) && is_there(it));
        let errors: Vec<_> = missing
            .map(|setting| self.missing(setting))
            .chain(useless.map(|setting| self.useless(setting, adapter)))
            .collect();
        self.errors.extend(errors);
    }

    fn missing(&self, setting: &AgentSetting) -> ConfigError {
        let (key, at) = (self.full_key(setting.key), self.at.clone());
        ConfigError::Missing { key, at, example: setting.example }
    }

    fn useless(&self, setting: &AgentSetting, adapter: Adapter) -> ConfigError {
        let said = self.values.get(setting.key).and_then(Option::as_ref);
        let others: Vec<_> = setting.adapters.iter().map(|other| format!("`{other}`")).collect();
        let is_in_command = setting.key == "args" && adapter == Adapter::Command;
        ConfigError::Useless {
            key: self.full_key(setting.key),
            at: said.map_or_else(|| self.at.clone(), |(_, at)| at.clone()),
            adapter,
            others: others.join(", "),
            hint: is_in_command.then_some(", and write the arguments into `command`"),
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
        let own_sandbox = take("sandbox").map(|word| known::<Sandbox>(&word));
        AgentConfig {
            adapter: known(&take("adapter").expect("an agent without an adapter is refused")),
            command: list(take("command")),
            args: list(take("args")),
            model: take("model").map(|model| model.to_string()),
            effort: take("effort").map(|word| known(&word)),
            max_turns: number(take("max_turns")).map(|turns| u32::try_from(turns).unwrap_or(u32::MAX)),
            allowed_tools: take("allowed_tools").map(|tools| list(Some(tools))),
            plugin_dir: take("plugin_dir").map(|path| path.to_string().into()),
            script: take("script").map(|path| path.to_string().into()),
            sandbox: own_sandbox.unwrap_or_default(),
            own_sandbox,
            workspace: take("workspace").map(|word| known(&word)).unwrap_or_default(),
            max_concurrent: number(take("max_concurrent")),
            runs_per_day: number(take("runs_per_day")),
            cost_per_day_micros: number(take("cost_per_day")),
            env: list(take("env")),
            name: self.name,
            key,
        }
    }
}

/// The table and the type know the same words; a test compares them.
fn known<T: std::str::FromStr>(word: &Value) -> T {
    word.to_string().parse().unwrap_or_else(|_| panic!("the table allows `{word}`, and its type does not"))
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
    use super::super::super::choice::WorkspaceKind;
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
            args: Vec::new(),
            model: None,
            effort: None,
            max_turns: None,
            allowed_tools: None,
            plugin_dir: None,
            script: None,
            sandbox: Sandbox::None,
            own_sandbox: None,
            workspace: WorkspaceKind::Worktree,
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
        assert_eq!(row(14), ("cost_per_day", "12.5".to_owned(), "b.yaml:7:19".to_owned()));
        assert_eq!(
            (reviewer.settings[14].value.as_str(), &reviewer.settings[14].source),
            ("", &Source::Default)
        );
    }

    #[test]
    fn nothing_under_agents_is_no_agent() {
        for yaml in ["agents:\n", "agents: {}\n", ""] {
            assert!(resolved(yaml).unwrap().config.agents.is_empty());
        }
    }

    const MANY: &str = "agent: {env: [SSL_CERT_FILE, PATH], sandbox: bubblewrap}
agents:
  ann:
    adapter: claude
    command: [npx, claude]
    args: ['--add-dir', '../docs', '', 1.50]
    model: opus
    effort: max
    max_turns: 40
    allowed_tools: [Read, 'Bash(git log, x)']
    plugin_dir: plugins/flow
    env: [PATH]
  bob: {adapter: codex, sandbox: none, workspace: directory}
  demo: {adapter: script, script: demo.yaml, max_turns: 9}
";

    #[test]
    fn every_adapter_has_settings_of_its_own() {
        let config = resolved(MANY).unwrap().config;
        let ann = &config.agents["ann"];
        assert_eq!(
            (ann.adapter, ann.model.as_deref(), ann.max_turns),
            (Adapter::Claude, Some("opus"), Some(40))
        );
        assert_eq!(ann.command, ["npx", "claude"]);
        assert_eq!(ann.args, ["--add-dir", "../docs", "", "1.50"]);
        assert_eq!(ann.effort.map(|effort| effort.as_str()), Some("max"));
        assert_eq!(ann.allowed_tools.as_deref().unwrap(), ["Read", "Bash(git log, x)"]);
        assert_eq!(ann.plugin_dir.as_deref(), Some("plugins/flow".as_ref()));
        let demo = &config.agents["demo"];
        assert_eq!((demo.script.as_deref(), demo.max_turns), (Some("demo.yaml".as_ref()), Some(9)));
        assert!(demo.command.is_empty());
    }

    #[test]
    fn what_is_said_for_all_agents_is_part_of_each() {
        let agents = resolved(MANY).unwrap().config.agents;
        assert_eq!(agents["ann"].env, ["PATH", "SSL_CERT_FILE"]);
        assert_eq!(agents["demo"].env, ["SSL_CERT_FILE", "PATH"]);
        let (ann, bob) = (&agents["ann"], &agents["bob"]);
        assert_eq!((ann.sandbox, ann.workspace), (Sandbox::Bubblewrap, WorkspaceKind::Worktree));
        assert_eq!((bob.sandbox, bob.workspace), (Sandbox::None, WorkspaceKind::Directory));
    }

    #[test]
    fn an_unknown_adapter_is_refused_with_those_that_there_are() {
        check_errors(
            "agents: {a: {adapter: cluade, script: x}}\n",
            &[
                "b.yaml:1:23: `agents.a.adapter` cannot be `cluade`: write one of claude, codex, gemini, command, script",
            ],
        );
    }

    #[test]
    fn a_setting_that_the_adapter_has_no_use_for_is_refused() {
        check_errors(
            "agents: {a: {adapter: claude, script: x.yaml}}\n",
            &[
                "b.yaml:1:39: `agents.a.script` means nothing to the adapter `claude`, only to `script`: remove it",
            ],
        );
        check_errors(
            "agents: {a: {adapter: command, command: [x], args: [y]}}\n",
            &[
                "b.yaml:1:52: `agents.a.args` means nothing to the adapter `command`, only to `claude`, `codex`, `gemini`: remove it, and write the arguments into `command`",
            ],
        );
        assert!(resolved("agents: {a: {adapter: claude, script: }}\n").is_ok(), "nothing was said");
    }

    #[test]
    fn a_scripted_agent_needs_its_script() {
        check_errors(
            "agents: {a: {adapter: script}}\n",
            &["b.yaml:1:10: `agents.a.script` is missing: write `script: scripts/demo.yaml`"],
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
            &["b.yaml:2:3: `agents.a.adapter` is missing: write `adapter: claude`"],
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
        check_errors(
            "agent: {sanbox: none}\n",
            &["b.yaml:1:9: there is no setting `agent.sanbox`; did you mean `agent.sandbox`?"],
        );
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
                "b.yaml:1:17: `agents.coder` must hold settings, such as `agents.coder:` and below it, indented, `adapter: claude`",
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
            resolved("agents: {a: {adapter: codx, env: [1x]}, -b: {}, c: 3}\nkill_grace: x\n").unwrap_err();
        assert_eq!(errors.len(), 5, "{errors:?}");
    }
}
