//! Every setting, as data. The reader, the errors, `baton config show` and the reference page are made from these rows.

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Where it is in `baton.yaml`: `claims.ttl` is `ttl` under `claims`.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when nobody says; empty for nothing.
    pub default: &'static str,
    /// What it is when nobody says under `dialect: fabrik`, where that is something else.
    pub default_in_fabrik: Option<&'static str>,
    /// The variable, where it is not made from the key.
    pub variable: Option<&'static str>,
    /// The command and flag that set it.
    pub flag: Option<&'static str>,
    /// What it is for, in one line.
    pub description: &'static str,
}

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text on one line.
    Text,
    /// The address of a server.
    Address,
    /// A file or directory; relative to the directory of `baton.yaml`.
    Path,
    /// The beginning of names of refs.
    RefPrefix,
    /// Where the store is.
    Store,
    /// Any duration.
    Duration,
    /// A duration longer than nothing.
    PositiveDuration,
    /// A duration in whole seconds, at least one.
    WholeSeconds,
    /// A whole number, at least one.
    Count,
    /// A whole number.
    CountFromZero,
    /// Yes or no.
    Switch,
    /// US dollars, more than nothing.
    Dollars,
    /// A program and its arguments.
    Command,
    /// Arguments, to the letter.
    Arguments,
    /// Names of variables of the environment.
    Variables,
    /// Texts.
    List,
    /// Repositories, each with its owner.
    Repositories,
    /// A project of a person or an organization, by its number.
    Project,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words.
    Choices(&'static [&'static str]),
}

impl Setting {
    /// Returns the variable that sets it.
    pub fn variable(&self) -> String {
        let made = || format!("BATON_{}", self.key.to_ascii_uppercase().replace('.', "_"));
        self.variable.map_or_else(made, str::to_owned)
    }
}

/// The parts of `baton.yaml` that hold nothing but settings of this table, so that any other key there is a mistake.
pub const GROUPS: [&str; 15] = [
    "agent",
    "app",
    "board",
    "budget",
    "ci",
    "claims",
    "dashboard",
    "git",
    "hook",
    "notify",
    "retry",
    "slack",
    "tracker",
    "webhooks",
    "workers",
];

/// Returns the setting of this key.
pub fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

const fn row(key: &'static str, kind: Kind, default: &'static str, description: &'static str) -> Setting {
    Setting { key, kind, default, default_in_fabrik: None, variable: None, flag: None, description }
}

/// Every setting, in the order in which people read them.
pub const SETTINGS: [Setting; 85] = [
    row("user", Kind::Text, "", "The operator: who is mentioned, and the identity of locks."),
    Setting {
        variable: Some("BATON_GITHUB_API_URL"),
        ..row("tracker.api_url", Kind::Address, "https://api.github.com", "Where the tracker's API is.")
    },
    row("token_command", Kind::Text, "", "A command that prints a token, such as `gh auth token`."),
    row("request_timeout", Kind::WholeSeconds, "20s", "How long one request to the tracker may take."),
    row("state_dir", Kind::Path, ".baton/state", "Where pauses, locks and caches of this machine are kept."),
    Setting {
        flag: Some("claim --ttl"),
        ..row("claims.ttl", Kind::WholeSeconds, "4h", "How long a claim holds without a heartbeat.")
    },
    row("claims.bid_ttl", Kind::WholeSeconds, "120s", "How long a bid blocks others if its bidder dies."),
    row(
        "claims.max_ttl",
        Kind::WholeSeconds,
        "24h",
        "The longest claim that anyone may hold; older comments are not read.",
    ),
    row(
        "claims.margin",
        Kind::Duration,
        "30s",
        "The least time by which a holder stops before its claim ends, and by which others wait after it.",
    ),
    row("claims.settle", Kind::Duration, "1s", "How long a bidder waits for rival bids to become visible."),
    row(
        "claims.visible_within",
        Kind::Duration,
        "10s",
        "How soon one's own bid must be visible; else the claim fails.",
    ),
    row("claims.sweep_every", Kind::WholeSeconds, "15min", "How often expired claims are swept."),
    row(
        "claims.missing_claim_grace",
        Kind::WholeSeconds,
        "10min",
        "How long an issue may be labelled in flight without a claim before it is swept.",
    ),
    row(
        "claims.attempts_max",
        Kind::Count,
        "3",
        "Failed attempts after which a person must look at an issue.",
    ),
    row(
        "claims.require_eligible",
        Kind::Switch,
        "false",
        "Claim only issues that carry the label for eligible ones.",
    ),
    row("claims.blocking_labels", Kind::List, "", "Further labels that keep an issue from being claimed."),
    row(
        "claims.protocol",
        Kind::Choice(&["ref", "comment"]),
        "ref",
        "The protocol that a new repository is to get; a repository's own is written in the repository.",
    ),
    row("claims.ref_prefix", Kind::RefPrefix, "refs/baton/claims/", "Where claims are kept as refs."),
    row(
        "claims.foreign",
        Kind::Choices(&["alfred", "labels-as-locks", "fabrik"]),
        "",
        "Other tools that claim in the same repositories.",
    ),
    Setting {
        default_in_fabrik: Some("fabrik"),
        ..row(
            "claims.dialect",
            Kind::Choice(&["baton", "fabrik", "alfred", "labels-as-locks"]),
            "baton",
            "Whose labels are used for claims.",
        )
    },
    row(
        "claims.pause_scope",
        Kind::Choice(&["local", "tracker"]),
        "local",
        "Whether a pause of a repository is kept on this machine or on the tracker.",
    ),
    row(
        "hook.fail",
        Kind::Choice(&["open", "closed"]),
        "open",
        "Whether the pre-push hook lets a push go on when the tracker cannot be reached.",
    ),
    row(
        "store",
        Kind::Store,
        "sqlite:.baton/baton.db",
        "Where wakeups, runs and slots are kept: `sqlite:PATH`, or `postgres://…` for fleets on many machines.",
    ),
    row("max_concurrent", Kind::Count, "5", "Runs at one time in all."),
    row(
        "max_per_repo",
        Kind::Count,
        "",
        "Runs at one time in one repository; without it, there is no limit.",
    ),
    row("max_retries", Kind::CountFromZero, "3", "How often a failed run is tried again; 0 for no limit."),
    row(
        "retry.base",
        Kind::PositiveDuration,
        "60s",
        "How long the first retry waits; each further one twice as long.",
    ),
    row("retry.cap", Kind::PositiveDuration, "30min", "The longest that a retry waits."),
    row(
        "kill_grace",
        Kind::Duration,
        "10s",
        "How long an agent may take to stop before it is stopped harder.",
    ),
    row(
        "inactivity_timeout",
        Kind::PositiveDuration,
        "15min",
        "How long an agent may print nothing before it is stopped.",
    ),
    row(
        "max_wall_time",
        Kind::PositiveDuration,
        "",
        "How long a run may take before it is stopped; without it, there is no limit.",
    ),
    row("workers.heartbeat", Kind::PositiveDuration, "10s", "How often a worker renews its lease."),
    row(
        "workers.ttl",
        Kind::PositiveDuration,
        "45s",
        "How long a worker's lease holds without a heartbeat; its agents are stopped before.",
    ),
    row(
        "deferred_alarm",
        Kind::PositiveDuration,
        "1h",
        "How long a wakeup may be deferred before people are told.",
    ),
    row(
        "dialect",
        Kind::Choice(&["baton", "fabrik"]),
        "baton",
        "Whose labels, markers, headings and directories the pipeline uses.",
    ),
    Setting {
        default_in_fabrik: Some(".fabrik/stages"),
        ..row("stages", Kind::Path, ".baton/stages", "Where the files of the stages are.")
    },
    row("yolo", Kind::Switch, "false", "Whether issues go through all stages by themselves, merge included."),
    row("poll", Kind::PositiveDuration, "30s", "How often the tracker is asked for news."),
    row(
        "repos",
        Kind::Repositories,
        "",
        "The repositories whose issues are worked on; without it, that of the checkout.",
    ),
    row(
        "board.project",
        Kind::Project,
        "",
        "The GitHub project whose columns are the stages; without it, labels `stage:NAME` are the board.",
    ),
    row("board.field", Kind::Text, "Status", "The field of the project that holds the column."),
    row(
        "webhooks.listen",
        Kind::Text,
        "",
        "Where webhooks are received, such as `127.0.0.1:8477`; without it, the tracker is only polled.",
    ),
    row(
        "webhooks.forward",
        Kind::Switch,
        "false",
        "Whether `gh webhook forward` brings webhooks to a machine without a public address.",
    ),
    row(
        "dashboard.hosts",
        Kind::List,
        "",
        "The names by which the dashboard may be called from other machines, such as `baton.example.com`.",
    ),
    row(
        "reconcile_every",
        Kind::PositiveDuration,
        "3min",
        "How often everything that is known is compared with the tracker.",
    ),
    row(
        "approval_timeout",
        Kind::PositiveDuration,
        "24h",
        "How long a plan waits for a person's approval before its issue goes back to be worked on.",
    ),
    row(
        "approvals_required",
        Kind::Count,
        "1",
        "How many people must approve a plan before its issue goes on.",
    ),
    row(
        "approvers",
        Kind::List,
        "",
        "The accounts of the tracker that may decide about plans; without it, everybody who may write.",
    ),
    Setting {
        variable: Some("BATON_SLACK_API_URL"),
        ..row("slack.api_url", Kind::Address, "https://slack.com/api", "Where Slack's Web API is.")
    },
    row(
        "slack.channel",
        Kind::Text,
        "",
        "The channel in which people are asked to approve plans, by its id.",
    ),
    row("slack.approvers", Kind::List, "", "The users of Slack that may decide about plans, by their ids."),
    row(
        "slack.socket_mode",
        Kind::Switch,
        "false",
        "Whether Slack tells of reactions at once over a connection of ours; otherwise it is asked every `poll`.",
    ),
    row(
        "notify.on",
        Kind::Choices(&["pause", "input", "approval", "failure"]),
        "pause, input, approval, failure",
        "What people are told of.",
    ),
    row(
        "notify.command",
        Kind::Text,
        "",
        "A command that is run by the shell with each notice, as JSON on its standard input.",
    ),
    row(
        "notify.slack",
        Kind::Switch,
        "false",
        "Whether notices go to the incoming webhook of Slack in `BATON_SLACK_WEBHOOK_URL`.",
    ),
    row(
        "review_wait_timeout",
        Kind::PositiveDuration,
        "15min",
        "How long a finished stage waits for reviews before reviewers are asked again or a person is told.",
    ),
    row("max_review_cycles", Kind::Count, "5", "How often an agent answers reviews before a person is told."),
    row(
        "ci_wait_timeout",
        Kind::PositiveDuration,
        "30min",
        "How long checks may show no progress before a person is told.",
    ),
    row(
        "ci_backstop_timeout",
        Kind::PositiveDuration,
        "240min",
        "How long checks may take in all, whatever progress they show.",
    ),
    row(
        "post_push_dwell",
        Kind::Duration,
        "90s",
        "How old a pushed head must be before the absence of checks is believed.",
    ),
    row("max_ci_fix_cycles", Kind::Count, "5", "How often an agent repairs checks before a person is told."),
    row(
        "ci.accept_states",
        Kind::Choices(&["clean", "unstable", "has_hooks"]),
        "clean, unstable",
        "The merge states of a pull request for which its checks count as passed.",
    ),
    row(
        "ci.required_checks",
        Kind::List,
        "",
        "Checks that must have passed, besides those that the tracker requires.",
    ),
    row("max_rebase_cycles", Kind::Count, "3", "How often an agent rebases before a person is told."),
    row(
        "merge_method",
        Kind::Choice(&["merge", "squash", "rebase"]),
        "merge",
        "How pull requests are merged.",
    ),
    row("max_slices", Kind::Count, "10", "Runs of one stage that may end at their limit of turns."),
    row(
        "max_comment_cycles",
        Kind::Count,
        "10",
        "Runs over comments of one issue within `comment_cycle_window`.",
    ),
    row(
        "comment_cycle_window",
        Kind::PositiveDuration,
        "30min",
        "The time within which runs over comments are counted.",
    ),
    row(
        "budget.issue_runs_per_day",
        Kind::Count,
        "",
        "Runs for one issue in a day; without it, there is no limit.",
    ),
    row(
        "budget.issue_cost_per_day",
        Kind::Dollars,
        "",
        "What one issue may cost in a day; without it, there is no limit.",
    ),
    row(
        "budget.repo_runs_per_day",
        Kind::Count,
        "",
        "Runs in one repository in a day; without it, there is no limit.",
    ),
    row(
        "budget.repo_cost_per_day",
        Kind::Dollars,
        "",
        "What one repository may cost in a day; without it, there is no limit.",
    ),
    row(
        "git.remote",
        Kind::Text,
        "",
        "Where repositories are fetched from and pushed to, with `{repo}` for OWNER/NAME; without it, where the tracker has them.",
    ),
    row("git.run_hooks", Kind::Switch, "false", "Whether hooks of a repository run in work trees of agents."),
    row("mirrors", Kind::Path, ".baton/mirrors", "Where the mirrors of repositories are kept."),
    Setting {
        default_in_fabrik: Some(".fabrik/worktrees"),
        ..row(
            "worktrees",
            Kind::Path,
            ".baton/worktrees",
            "Where agents work, in a directory for each issue.",
        )
    },
    row("prompts", Kind::Path, ".baton/prompts", "Where templates are that replace those for prompts."),
    row(
        "agent.default",
        Kind::Text,
        "",
        "The agent of stages that name none; with a single agent, it is that one.",
    ),
    row(
        "agent.env",
        Kind::Variables,
        "",
        "The variables of Baton's environment that reach every agent; tokens do not unless they are named.",
    ),
    row(
        "agent.sandbox",
        Kind::Choice(&["none", "bubblewrap"]),
        "none",
        "What keeps agents from writing where they should not, unless an agent says otherwise.",
    ),
    row("log_dir", Kind::Path, ".baton/logs", "Where the output of runs is kept."),
    row("log_cap_bytes", Kind::Count, "52428800", "How much of the output of one run is kept, in bytes."),
    row("app.id", Kind::Count, "", "The GitHub App to act as when there is no token."),
    row("app.private_key_file", Kind::Path, "", "The file with the app's private key."),
    row(
        "app.installation_id",
        Kind::Count,
        "",
        "The app's installation; without it, that of the repository.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::value::{RawValue, parse};
    use super::*;

    #[test]
    fn keys_and_variables_are_unique() {
        let keys: BTreeSet<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        let variables: BTreeSet<_> = SETTINGS.iter().map(Setting::variable).collect();
        assert_eq!((keys.len(), variables.len()), (SETTINGS.len(), SETTINGS.len()));
    }

    #[test]
    fn a_variable_is_made_from_the_key_unless_it_is_stated() {
        let variable = |key| setting(key).unwrap().variable();
        assert_eq!(variable("claims.bid_ttl"), "BATON_CLAIMS_BID_TTL");
        assert_eq!(variable("user"), "BATON_USER");
        assert_eq!(variable("tracker.api_url"), "BATON_GITHUB_API_URL");
    }

    #[test]
    fn every_default_is_a_value_that_is_allowed() {
        let defaults = |it: &'static Setting| {
            [it.default].into_iter().chain(it.default_in_fabrik).map(move |default| (it, default))
        };
        for (setting, default) in SETTINGS.iter().flat_map(defaults).filter(|(_, it)| !it.is_empty()) {
            let value = parse(setting.kind, &RawValue::Text(default.to_owned()));
            assert!(value.is_ok(), "{}: {value:?}", setting.key);
        }
    }

    #[test]
    fn every_group_has_settings_and_every_deep_key_a_group() {
        let groups: BTreeSet<_> = SETTINGS.iter().filter_map(|setting| setting.key.split_once('.')).collect();
        let groups: BTreeSet<_> = groups.into_iter().map(|(group, _)| group).collect();
        assert_eq!(groups, BTreeSet::from(GROUPS));
    }

    #[test]
    fn every_description_is_one_sentence() {
        for setting in SETTINGS {
            assert!(setting.description.ends_with('.') && !setting.description.contains(['\n', '|']));
        }
    }
}
