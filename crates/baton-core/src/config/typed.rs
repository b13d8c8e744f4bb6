//! The settings as the rest of the program uses them.

mod people;
mod pipeline;
mod sources;

pub use people::{ApprovalsConfig, Notice, NotifyConfig, SlackConfig};
pub use pipeline::{BudgetConfig, CiConfig, DailyBudget, PipelineConfig};
pub use sources::{ProjectRef, ProjectRefError, SourcesConfig};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::agents::{AgentConfig, agent_key};
use super::choice::{HookFail, PauseScope};
use super::store_address::StoreAddress;
use super::value::Value;
use crate::claim::Protocol;
use crate::labels::dialect::Dialect;

/// A value of the right kind for every setting.
pub(super) type Values = BTreeMap<&'static str, Value>;

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The operator.
    pub user: Option<String>,
    /// Where the tracker's API is, without a slash at the end.
    pub api_url: String,
    /// A command that prints a token.
    pub token_command: Option<String>,
    /// How long one request may take.
    pub request_timeout: Duration,
    /// Where this machine's state is kept, as it was written; relative to the directory of `baton.yaml`.
    pub state_dir: PathBuf,
    /// How issues are claimed.
    pub claims: ClaimsConfig,
    /// What the pre-push hook does when the tracker cannot be reached.
    pub hook_fail: HookFail,
    /// Where wakeups, runs and slots are kept.
    pub store: StoreAddress,
    /// Runs at one time in all.
    pub max_concurrent: u64,
    /// Runs at one time in one repository; nothing for no limit.
    pub max_per_repo: Option<u64>,
    /// How often a failed run is tried again; nothing for no limit, which is written as 0.
    pub max_retries: Option<u64>,
    /// How long retries wait.
    pub retry: RetryConfig,
    /// How long an agent may take to stop before it is stopped harder.
    pub kill_grace: Duration,
    /// How long an agent may print nothing.
    pub inactivity_timeout: Duration,
    /// How long a run may take; nothing for no limit.
    pub max_wall_time: Option<Duration>,
    /// The leases of workers.
    pub workers: WorkersConfig,
    /// How long a wakeup may be deferred before people are told.
    pub deferred_alarm: Duration,
    /// How issues move from stage to stage.
    pub pipeline: PipelineConfig,
    /// Who decides about plans.
    pub approvals: ApprovalsConfig,
    /// How Slack is reached.
    pub slack: SlackConfig,
    /// What people are told of, and how.
    pub notify: NotifyConfig,
    /// Where issues and news of them come from.
    pub sources: SourcesConfig,
    /// The agent of stages that name none.
    pub default_agent: Option<String>,
    /// Where agents work.
    pub workspaces: WorkspacesConfig,
    /// Where templates are that replace those for prompts, as it was written; relative to the directory of `baton.yaml`.
    pub prompts: PathBuf,
    /// Where the output of runs is kept, as it was written; relative to the directory of `baton.yaml`.
    pub log_dir: PathBuf,
    /// How much of the output of one run is kept.
    pub log_cap_bytes: u64,
    /// The agents by key; see [`agent_key`]. What holds for all of them is in each already.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The app to act as when there is no token.
    pub app: Option<AppConfig>,
}

/// How long retries wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryConfig {
    /// The first wait.
    pub base: Duration,
    /// The longest wait; never shorter than the first.
    pub cap: Duration,
}

/// The leases of workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkersConfig {
    /// How often a lease is renewed.
    pub heartbeat: Duration,
    /// How long a lease holds without a heartbeat; more than twice as long.
    pub ttl: Duration,
}

impl WorkersConfig {
    /// Returns the longest that an agent may be given to stop after one signal: it must be dead before the lease is over.
    pub fn longest_grace(&self) -> Duration {
        self.ttl.saturating_sub(self.heartbeat) / 2
    }
}

/// How issues are claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimsConfig {
    /// How long a claim holds without a heartbeat.
    pub ttl: Duration,
    /// How long a bid blocks others.
    pub bid_ttl: Duration,
    /// The longest claim that anyone may hold.
    pub max_ttl: Duration,
    /// The least time between a holder's own deadline and the end of its claim, and from there to a takeover.
    pub margin: Duration,
    /// How long a bidder waits for rival bids.
    pub settle: Duration,
    /// How soon one's own bid must be visible.
    pub visible_within: Duration,
    /// How often expired claims are swept.
    pub sweep_every: Duration,
    /// How long an issue may be in flight without a claim.
    pub missing_claim_grace: Duration,
    /// Failed attempts after which a person must look.
    pub attempts_max: u64,
    /// Whether only issues with the eligible label are claimed.
    pub require_eligible: bool,
    /// Further labels that keep an issue from being claimed.
    pub blocking_labels: Vec<String>,
    /// The protocol that a new repository gets.
    pub protocol: Protocol,
    /// Where claims are kept as refs, with a slash at the end.
    pub ref_prefix: String,
    /// Other tools that claim in the same repositories; never our own dialect.
    pub foreign: Vec<Dialect>,
    /// Whose labels are used.
    pub dialect: Dialect,
    /// Where pauses of repositories are kept.
    pub pause_scope: PauseScope,
}

/// Where agents work. Directories are relative to that of `baton.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspacesConfig {
    /// Where repositories are, with `{repo}` for `OWNER/NAME`; nothing for where the tracker has them.
    pub remote: Option<String>,
    /// Whether hooks of a repository run.
    pub run_hooks: bool,
    /// Where the mirrors are.
    pub mirrors: PathBuf,
    /// Where the work trees are.
    pub worktrees: PathBuf,
}

/// A GitHub App.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppConfig {
    /// Its id.
    pub id: u64,
    /// The file with its private key; relative to the directory of `baton.yaml`.
    pub private_key_file: PathBuf,
    /// Its installation, if it is stated.
    pub installation_id: Option<u64>,
}

impl Config {
    /// # Panics
    ///
    /// Panics when a value is missing or of another kind than the table says, which the tests of the table rule out.
    pub(super) fn new(values: &Values, agents: BTreeMap<String, AgentConfig>) -> Self {
        let read = Reader(values);
        Self {
            user: read.text("user"),
            api_url: read.text("tracker.api_url").expect("it has a default"),
            token_command: read.text("token_command"),
            request_timeout: read.duration("request_timeout"),
            state_dir: read.text("state_dir").expect("it has a default").into(),
            claims: ClaimsConfig::new(read),
            hook_fail: read.choice("hook.fail"),
            store: read.store("store"),
            max_concurrent: read.count("max_concurrent").expect("it has a default"),
            max_per_repo: read.count("max_per_repo"),
            max_retries: read.count("max_retries").filter(|count| *count > 0),
            retry: RetryConfig { base: read.duration("retry.base"), cap: read.duration("retry.cap") },
            kill_grace: read.duration("kill_grace"),
            inactivity_timeout: read.duration("inactivity_timeout"),
            max_wall_time: read.duration_if_set("max_wall_time"),
            workers: WorkersConfig {
                heartbeat: read.duration("workers.heartbeat"),
                ttl: read.duration("workers.ttl"),
            },
            deferred_alarm: read.duration("deferred_alarm"),
            pipeline: PipelineConfig::new(read),
            approvals: ApprovalsConfig::new(read),
            slack: SlackConfig::new(read),
            notify: NotifyConfig::new(read),
            sources: SourcesConfig::new(read),
            default_agent: read.text("agent.default"),
            workspaces: WorkspacesConfig {
                remote: read.text("git.remote"),
                run_hooks: read.switch("git.run_hooks"),
                mirrors: read.text("mirrors").expect("it has a default").into(),
                worktrees: read.text("worktrees").expect("it has a default").into(),
            },
            prompts: read.text("prompts").expect("it has a default").into(),
            log_dir: read.text("log_dir").expect("it has a default").into(),
            log_cap_bytes: read.count("log_cap_bytes").expect("it has a default"),
            agents: with_general(agents, read),
            app: AppConfig::new(read),
        }
    }

    /// Returns the agent of stages that name none: the one that is named for that, or the only one there is.
    pub fn usual_agent(&self) -> Option<&AgentConfig> {
        match (&self.default_agent, self.agents.len()) {
            (Some(name), _) => self.agent(name),
            (None, 1) => self.agents.values().next(),
            (None, _) => None,
        }
    }

    /// Returns the agent of this name; case, and spaces around the name, do not count.
    pub fn agent(&self, name: &str) -> Option<&AgentConfig> {
        self.agents.get(&agent_key(name))
    }
}

impl ClaimsConfig {
    fn new(read: Reader<'_>) -> Self {
        Self {
            ttl: read.duration("claims.ttl"),
            bid_ttl: read.duration("claims.bid_ttl"),
            max_ttl: read.duration("claims.max_ttl"),
            margin: read.duration("claims.margin"),
            settle: read.duration("claims.settle"),
            visible_within: read.duration("claims.visible_within"),
            sweep_every: read.duration("claims.sweep_every"),
            missing_claim_grace: read.duration("claims.missing_claim_grace"),
            attempts_max: read.count("claims.attempts_max").expect("it has a default"),
            require_eligible: read.switch("claims.require_eligible"),
            blocking_labels: read.list("claims.blocking_labels").to_vec(),
            protocol: read.choice("claims.protocol"),
            ref_prefix: read.text("claims.ref_prefix").expect("it has a default"),
            foreign: read.list("claims.foreign").iter().map(|word| known(word)).collect(),
            dialect: read.choice("claims.dialect"),
            pause_scope: read.choice("claims.pause_scope"),
        }
    }
}

impl AppConfig {
    fn new(read: Reader<'_>) -> Option<Self> {
        Some(Self {
            id: read.count("app.id")?,
            private_key_file: read.text("app.private_key_file")?.into(),
            installation_id: read.count("app.installation_id"),
        })
    }
}

/// What is said for all agents becomes part of each: variables besides its own, and the sandbox unless it has its own.
fn with_general(
    mut agents: BTreeMap<String, AgentConfig>,
    read: Reader<'_>,
) -> BTreeMap<String, AgentConfig> {
    let (env, sandbox) = (read.list("agent.env"), read.choice("agent.sandbox"));
    for agent in agents.values_mut() {
        agent.sandbox = agent.own_sandbox.unwrap_or(sandbox);
        let further = env.iter().filter(|name| !agent.env.contains(name)).cloned().collect::<Vec<_>>();
        agent.env.extend(further);
    }
    agents
}

/// Takes values out by the kind that the table gives them.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a Values);

impl Reader<'_> {
    pub(super) fn text(self, key: &str) -> Option<String> {
        match &self.0[key] {
            Value::Unset => None,
            Value::Text(text) => Some(text.clone()),
            other => panic!("`{key}` is a text, and not {other:?}"),
        }
    }

    pub(super) fn duration(self, key: &str) -> Duration {
        self.duration_if_set(key).expect("it has a default")
    }

    fn duration_if_set(self, key: &str) -> Option<Duration> {
        match &self.0[key] {
            Value::Unset => None,
            Value::Duration(duration) => Some(*duration),
            other => panic!("`{key}` is a duration, and not {other:?}"),
        }
    }

    pub(super) fn count(self, key: &str) -> Option<u64> {
        match &self.0[key] {
            Value::Unset => None,
            Value::Count(count) => Some(*count),
            other => panic!("`{key}` is a number, and not {other:?}"),
        }
    }

    fn dollars(self, key: &str) -> Option<u64> {
        match &self.0[key] {
            Value::Unset => None,
            Value::Dollars(micros) => Some(*micros),
            other => panic!("`{key}` is an amount of dollars, and not {other:?}"),
        }
    }

    fn store(self, key: &str) -> StoreAddress {
        match &self.0[key] {
            Value::Store(address) => address.clone(),
            other => panic!("`{key}` is an address of a store, and not {other:?}"),
        }
    }

    fn switch(self, key: &str) -> bool {
        match &self.0[key] {
            Value::Switch(switch) => *switch,
            other => panic!("`{key}` is yes or no, and not {other:?}"),
        }
    }

    pub(super) fn list(&self, key: &str) -> &[String] {
        match &self.0[key] {
            Value::List(items) => items,
            other => panic!("`{key}` is a list, and not {other:?}"),
        }
    }

    fn choice<T: FromStr>(self, key: &str) -> T {
        known(&self.text(key).expect("it has a default"))
    }
}

/// The table and the type know the same words; a test tries them all.
fn known<T: FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("the table allows `{word}`, and its type does not"))
}

#[cfg(test)]
mod tests {
    use super::super::resolve::{Layers, TextFile, resolve};
    use super::super::table::{Kind, SETTINGS};
    use super::*;

    pub(super) fn config(yaml: &str) -> Result<Config, String> {
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: yaml.to_owned() });
        let resolved = resolve(&Layers { file, ..Layers::default() });
        resolved.map(|resolved| resolved.config).map_err(|errors| errors.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_documents() {
        let config = config("").unwrap();
        let seconds = Duration::from_secs;
        assert_eq!(config.claims.ttl, seconds(4 * 3600));
        assert_eq!(config.claims.bid_ttl, seconds(120));
        assert_eq!(config.claims.max_ttl, seconds(24 * 3600));
        assert_eq!(config.claims.margin, seconds(30));
        assert_eq!((config.claims.settle, config.claims.visible_within), (seconds(1), seconds(10)));
        assert_eq!(
            (config.claims.sweep_every, config.claims.missing_claim_grace),
            (seconds(900), seconds(600))
        );
        assert_eq!((config.claims.attempts_max, config.claims.require_eligible), (3, false));
        assert_eq!((config.claims.protocol, config.claims.dialect), (Protocol::Ref, Dialect::Baton));
        assert_eq!((config.claims.pause_scope, config.hook_fail), (PauseScope::Local, HookFail::Open));
        assert_eq!(config.claims.ref_prefix, "refs/baton/claims/");
        assert_eq!((config.request_timeout, config.state_dir), (seconds(20), ".baton/state".into()));
        assert_eq!((config.user, config.token_command, config.app), (None, None, None));
        assert!(config.claims.foreign.is_empty() && config.claims.blocking_labels.is_empty());
    }

    #[test]
    fn the_defaults_of_runs_are_those_of_the_documents() {
        let config = config("").unwrap();
        let seconds = Duration::from_secs;
        assert_eq!(config.store, StoreAddress::Sqlite(".baton/baton.db".into()));
        assert_eq!((config.max_concurrent, config.max_per_repo, config.max_retries), (5, None, Some(3)));
        assert_eq!(config.retry, RetryConfig { base: seconds(60), cap: seconds(1800) });
        assert_eq!((config.kill_grace, config.inactivity_timeout), (seconds(10), seconds(900)));
        assert_eq!((config.max_wall_time, config.deferred_alarm), (None, seconds(3600)));
        assert_eq!(config.workers, WorkersConfig { heartbeat: seconds(10), ttl: seconds(45) });
        assert_eq!((config.log_dir, config.log_cap_bytes), (".baton/logs".into(), 50 * 1024 * 1024));
    }

    #[test]
    fn limits_can_be_set_and_left_out() {
        let set = config("max_retries: 0\nmax_per_repo: 2\nmax_wall_time: 90min\n").unwrap();
        assert_eq!((set.max_retries, set.max_per_repo), (None, Some(2)));
        assert_eq!(set.max_wall_time, Some(Duration::from_secs(5400)));
        assert_eq!(config("max_wall_time:\n").unwrap().max_wall_time, None);
        assert!(config("max_wall_time: 0\n").is_err() && config("max_concurrent: 0\n").is_err());
    }

    #[test]
    fn every_word_that_the_table_allows_has_its_meaning() {
        for setting in SETTINGS {
            let (words, is_list) = match setting.kind {
                Kind::Choice(words) => (words, false),
                Kind::Choices(words) => (words, true),
                _ => continue,
            };
            for word in words {
                let value = if is_list { format!("[{word}]") } else { (*word).to_owned() };
                let yaml = match setting.key.split_once('.') {
                    Some((group, key)) => format!("{group}: {{{key}: {value}}}\n"),
                    None => format!("{}: {value}\n", setting.key),
                };
                config(&yaml).unwrap();
            }
        }
    }

    #[test]
    fn an_app_has_an_id_and_a_key_and_perhaps_an_installation() {
        let app = config("app: {id: 7, private_key_file: k.pem}\n").unwrap().app.unwrap();
        assert_eq!(app, AppConfig { id: 7, private_key_file: "k.pem".into(), installation_id: None });
    }
}
