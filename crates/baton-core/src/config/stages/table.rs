//! Every key of a stage file, as data.

/// One key of a stage file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageKey {
    /// Where it is in the file: `kill_grace.sigint` is `sigint` under `kill_grace`.
    pub key: &'static str,
    /// What it may be.
    pub kind: KeyKind,
    /// What it is when the file does not say; empty for nothing.
    pub default: &'static str,
    /// What it is for, in one line.
    pub description: &'static str,
}

/// What the value of a key may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// The name of a column.
    Name,
    /// A whole number, also below zero.
    Order,
    /// Text of any number of lines.
    Prose,
    /// Text on one line.
    Line,
    /// The name of an agent.
    Agent,
    /// Names of tools, at least one.
    Tools,
    /// Handles of reviewers; an empty list says that there are none.
    Reviewers,
    /// A whole number of turns.
    Turns,
    /// How long something may take.
    Time,
    /// Yes or no.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The keys that say what kind of stage it is; at most one of them is true.
pub const KINDS: [&str; 3] = ["cleanup_worktree", "holding_stage", "unmanaged"];

/// Returns the key of this name.
pub fn stage_key(key: &str) -> Option<&'static StageKey> {
    STAGE_KEYS.iter().find(|row| row.key == key)
}

/// Returns the groups, which are keys that hold keys.
pub fn groups() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    let group = |row: &StageKey| row.key.split_once('.').map(|(group, _)| group);
    STAGE_KEYS.iter().filter_map(group).filter(move |group| std::mem::replace(&mut last, group) != *group)
}

const fn row(key: &'static str, kind: KeyKind, default: &'static str, description: &'static str) -> StageKey {
    StageKey { key, kind, default, description }
}

const fn switch(key: &'static str, description: &'static str) -> StageKey {
    row(key, KeyKind::Switch, "false", description)
}

/// Every key, in the order in which people read them.
pub const STAGE_KEYS: [StageKey; 32] = [
    row("name", KeyKind::Name, "", "The stage, which is the column of the board, in the column's own case."),
    row("order", KeyKind::Order, "0", "Its place among the stages; issues go from low to high."),
    row("prompt", KeyKind::Prose, "", "What the agent is told."),
    row("skill", KeyKind::Line, "", "A skill that the agent knows; it wins over `prompt`."),
    row(
        "comment_prompt",
        KeyKind::Prose,
        "",
        "What it is told about new comments, instead of the built-in text.",
    ),
    row("comment_skill", KeyKind::Line, "", "A skill for new comments; it wins over `comment_prompt`."),
    row("ci_fix_skill", KeyKind::Line, "", "A skill for failing checks; otherwise `comment_skill`."),
    row("rebase_skill", KeyKind::Line, "", "A skill for rebases; otherwise `comment_skill`."),
    row(
        "agent",
        KeyKind::Agent,
        "",
        "The agent, by its name under `agents`; needed where there are several.",
    ),
    row("model", KeyKind::Line, "", "The model, in the agent's own words; otherwise the agent's choice."),
    row(
        "effort_level",
        KeyKind::Choice(&["low", "medium", "high", "max"]),
        "high",
        "How hard the model thinks, where the agent can be told.",
    ),
    row(
        "disable_adaptive_thinking",
        KeyKind::Switch,
        "true",
        "Whether the model is kept from thinking less on its own account.",
    ),
    row("allowed_tools", KeyKind::Tools, "", "The tools that the agent may use, instead of the usual ones."),
    row("max_turns", KeyKind::Turns, "0", "How many turns a run may take; 0 for any number."),
    row(
        "comment_max_turns",
        KeyKind::Turns,
        "",
        "How many turns a run over comments may take; otherwise `max_turns`, and 50 without that.",
    ),
    row("max_wall_time", KeyKind::Time, "", "How long a run may take; otherwise as `baton.yaml` says."),
    row(
        "kill_grace.sigint",
        KeyKind::Time,
        "",
        "How long the agent has after SIGINT; 0 leaves the signal out.",
    ),
    row(
        "kill_grace.sigterm",
        KeyKind::Time,
        "",
        "How long the agent has after SIGTERM; 0 leaves the signal out.",
    ),
    switch("read_only", "Whether the work tree stays as it is: what a run changes is not kept."),
    switch(
        "post_to_pr",
        "Whether the agent's report goes to the pull request, and a short note to the issue.",
    ),
    switch("create_draft_pr", "Whether a draft of the pull request is opened."),
    switch(
        "mark_pr_ready_on_complete",
        "Whether the pull request is declared ready when the stage is complete.",
    ),
    row(
        "auto_advance",
        KeyKind::Switch,
        "",
        "Whether issues go on by themselves; otherwise as labels and `baton.yaml` say.",
    ),
    switch("wait_for_reviews", "Whether issues go on only after reviewers have looked."),
    row(
        "review_authority",
        KeyKind::Choice(&["advisory", "authoritative"]),
        "advisory",
        "Whether a review has to be there, or has to approve.",
    ),
    row(
        "expected_reviewers",
        KeyKind::Reviewers,
        "",
        "The bots that review without being asked, as bare handles; `[]` says that nobody reviews. Without it, any reviewer is waited for.",
    ),
    switch("wait_for_ci", "Whether the stage is complete only when the checks have passed."),
    row(
        "approval",
        KeyKind::Choice(&["slack", "tracker", "either"]),
        "",
        "Where a person has to agree before issues go on; otherwise nobody has to.",
    ),
    switch("cleanup_worktree", "Whether this is the end: the work tree is removed, and no agent works here."),
    switch("holding_stage", "Whether issues only wait here; none is moved here, and no agent works here."),
    switch("unmanaged", "Whether the column is left to people."),
    row(
        "completion.type",
        KeyKind::Choice(&["marker", "claude"]),
        "marker",
        "How the end of a stage is told: by a marker in the agent's last message. `claude` means the same.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::value::RawValue;
    use super::super::value::parse;
    use super::*;
    use crate::pipeline::stage::{ApprovalWay, Effort, ReviewAuthority};

    #[test]
    fn keys_are_unique_and_groups_stand_together() {
        let keys: BTreeSet<_> = STAGE_KEYS.iter().map(|row| row.key).collect();
        assert_eq!(keys.len(), STAGE_KEYS.len());
        assert_eq!(groups().collect::<Vec<_>>(), ["kill_grace", "completion"]);
    }

    #[test]
    fn every_default_is_a_value_that_is_allowed() {
        for row in STAGE_KEYS.iter().filter(|row| !row.default.is_empty()) {
            let value = parse(row.kind, &RawValue::Text(row.default.to_owned()));
            assert!(value.is_ok(), "{}: {value:?}", row.key);
        }
    }

    #[test]
    fn every_description_is_one_line() {
        for row in STAGE_KEYS {
            assert!(row.description.ends_with('.') && !row.description.contains(['\n', '|']), "{}", row.key);
        }
    }

    #[test]
    fn words_of_the_table_are_those_of_the_types() {
        let words = |key| match stage_key(key).map(|row| row.kind) {
            Some(KeyKind::Choice(words)) => words.to_vec(),
            other => panic!("{key} is {other:?}"),
        };
        let all = |words: &[&'static str]| words.to_vec();
        assert_eq!(words("effort_level"), all(&Effort::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>()));
        assert_eq!(
            words("approval"),
            all(&ApprovalWay::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>())
        );
        let authorities: Vec<_> = ReviewAuthority::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(words("review_authority"), authorities);
    }

    #[test]
    fn keys_that_say_the_kind_are_switches() {
        assert!(KINDS.iter().all(|key| stage_key(key).is_some_and(|row| row.kind == KeyKind::Switch)));
    }
}
