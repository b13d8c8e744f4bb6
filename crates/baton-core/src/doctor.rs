//! What a doctor concludes: one list of checks, and for each a judgement over facts that somebody else has gathered.
//!
//! Every judgement is a function from facts to findings, and a finding names the command or the edit that helps. The list
//! [`CHECKS`] is what `baton doctor` walks, what the page in the documentation shows, and what the tests plant faults for.
//!
//! Deliberately absent: looking. Files, programs, the tracker and the store are asked by the binary.

mod document;
mod finding;
pub mod machine;
pub mod people;
pub mod setup;
pub mod store;
pub mod tracker;
pub mod wakers;
pub mod webhooks;

pub use document::table;
pub use finding::{Finding, Grade, Report};

use crate::words::words;

words! {
    /// What a check is called.
    CheckId, "a check" {
        /// `baton.yaml` and the variables.
        Config = "config",
        /// The stages.
        Stages = "stages",
        /// The git program.
        GitVersion = "git-version",
        /// Whose commits they are.
        GitIdentity = "git-identity",
        /// The programs of agents.
        Agents = "agents",
        /// Room on disks.
        Disk = "disk",
        /// The address of the tracker.
        Tracker = "tracker",
        /// The token.
        Token = "token",
        /// What the token may do.
        Scopes = "scopes",
        /// The repositories.
        Repository = "repository",
        /// The requests that are left.
        RateBudget = "rate-budget",
        /// The clock of this machine.
        Clock = "clock",
        /// The labels of the relay.
        Labels = "labels",
        /// The columns of the board.
        Board = "board",
        /// How news arrive.
        Webhooks = "webhooks",
        /// The store.
        Store = "store",
        /// The version of its schema.
        Schema = "schema",
        /// Claims that are over.
        Claims = "claims",
        /// Wakeups that nobody follows.
        Wakeups = "wakeups",
        /// Issues and what moves them.
        Wakers = "wakers",
        /// Whether enough people may approve.
        Approvals = "approvals",
        /// Slack.
        Slack = "slack",
    }
}

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// What it is called.
    pub id: CheckId,
    /// What is looked at.
    pub looks_at: &'static str,
    /// What is wrong when it warns or fails.
    pub complains_when: &'static str,
    /// What helps.
    pub fix: &'static str,
}

const fn check(
    id: CheckId,
    looks_at: &'static str,
    complains_when: &'static str,
    fix: &'static str,
) -> Check {
    Check { id, looks_at, complains_when, fix }
}

/// The checks, in the order in which they are told.
pub static CHECKS: [Check; 22] = [
    check(
        CheckId::Config,
        "`baton.yaml`, `.env` and the variables",
        "fail: a setting cannot be read; warn: there is no file, or something in it is suspicious",
        "edit the line that is named; `baton init`",
    ),
    check(
        CheckId::Stages,
        "the stage files, as `baton stages check` does",
        "fail: issues cannot get through them; warn: they probably do not do what somebody thinks",
        "edit the stage that is named",
    ),
    check(
        CheckId::GitVersion,
        "`git --version`",
        "fail: git is missing, or older than 2.39",
        "install a newer git",
    ),
    check(
        CheckId::GitIdentity,
        "`user.name` and `user.email` of git",
        "fail: one is not set; warn: the address is none",
        "`git config --global user.name` and `user.email`",
    ),
    check(
        CheckId::Agents,
        "the program of each agent, with a dry start (`--version`, ten seconds at most)",
        "fail: there is no agent, or its program is missing, fails or hangs",
        "install it, or name another `command` under `agents:`",
    ),
    check(
        CheckId::Disk,
        "the free room where the store, mirrors, work trees, logs and state are",
        "fail: less than `--disk-min` (500 MB); warn: less than four times that",
        "`baton worktrees prune`, or another disk",
    ),
    check(
        CheckId::Tracker,
        "whether `tracker.api_url` answers like a GitHub API",
        "fail: it does not; the exit code is 3",
        "`tracker.api_url`, BATON_GITHUB_API_URL, the network",
    ),
    check(
        CheckId::Token,
        "where the token comes from, and whom the tracker takes it for",
        "fail: there is none, it cannot be had, or it is refused",
        "BATON_TOKEN, `token_command: gh auth token`",
    ),
    check(
        CheckId::Scopes,
        "the scopes that the tracker tells with its answers",
        "fail: `repo` is missing, or `project` although the board is one",
        "`gh auth refresh -s repo,project`, or another token",
    ),
    check(
        CheckId::Repository,
        "each repository: seen, writable, not archived, with issues",
        "fail: one of these is not so",
        "`repos:`, the rights of the account, the settings of the repository",
    ),
    check(
        CheckId::RateBudget,
        "what is left of the requests that the tracker allows",
        "fail: less than a hundredth; warn: less than a fifth",
        "wait until it is renewed, or raise `poll`",
    ),
    check(
        CheckId::Clock,
        "this machine's clock beside the `Date` of the tracker",
        "fail: more than five minutes apart; warn: more than thirty seconds",
        "`timedatectl set-ntp true`",
    ),
    check(
        CheckId::Labels,
        "the labels that `baton labels sync` makes",
        "warn: one is missing, or has another colour or description",
        "`baton labels sync`",
    ),
    check(
        CheckId::Board,
        "the columns of the board beside the stages",
        "fail: a stage has no column, or the first one no label; warn: a later one has no label",
        "`baton labels sync --board`, or the field of the project",
    ),
    check(
        CheckId::Webhooks,
        "the endpoint, `gh webhook forward`, and the hooks of the repositories",
        "fail: what is configured cannot work; warn: nobody delivers, or deliveries fail",
        "`webhooks.listen`, `gh extension install cli/gh-webhook`, `gh api …/hooks`",
    ),
    check(
        CheckId::Store,
        "whether the store can be reached and written",
        "fail: it cannot; the exit code is 3 when it cannot be reached",
        "`store:`, BATON_STORE, the rights of the file",
    ),
    check(
        CheckId::Schema,
        "the version of the store's schema",
        "fail: a newer program made it; warn: the next start brings it up to date",
        "a newer baton; `baton runs`",
    ),
    check(CheckId::Claims, "claims that are over and were not swept", "warn: there is one", "`baton sweep`"),
    check(
        CheckId::Wakeups,
        "wakeups that wait for longer than `deferred_alarm`",
        "fail: nobody would ever follow one; warn: one waits for long",
        "`baton up`, `baton cancel RUN`",
    ),
    check(
        CheckId::Wakers,
        "what moves each open issue on the board: a run, a timer, the tracker or a person, and exactly one of them",
        "fail: an issue has none, or two; warn: it waits for an engine, and none is alive",
        "`baton up`, `baton explain REF`",
    ),
    check(
        CheckId::Approvals,
        "who may approve in stages with `approval`, beside `approvals_required`",
        "fail: fewer are named than must approve; warn: fewer are named in Slack, where alone is asked",
        "`approvers`, `slack.approvers`, `approvals_required`",
    ),
    check(
        CheckId::Slack,
        "what stages with `approval: slack` or `either` need, `slack.socket_mode`, and `notify.slack`",
        "fail: BATON_SLACK_TOKEN, `slack.channel` or `slack.approvers` is missing, or Slack refuses the token; \
         BATON_SLACK_APP_TOKEN or BATON_SLACK_WEBHOOK_URL is missing",
        "`.env`, `slack:` in `baton.yaml`",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_in_the_list_once_and_in_the_order_of_its_name() {
        let listed: Vec<_> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(listed, CheckId::ALL);
    }
}
