//! Judging the tracker: whether it answers, whom it takes us for, and whether what the relay needs is there.

use super::setup::{one_line, plural};
use super::{CheckId, Finding};
use crate::config::ProjectRef;
use crate::labels::column_label;

/// Judges whether the tracker answered.
pub fn contact(api_url: &str, answered: Result<(), &str>) -> Finding {
    match answered {
        Ok(()) => Finding::ok(CheckId::Tracker, format!("{api_url} answers")),
        Err(why) => {
            let found = format!("{api_url} cannot be used: {}", one_line(why));
            let fix = "check the network, and `tracker.api_url` in baton.yaml (BATON_GITHUB_API_URL)";
            Finding::fail(CheckId::Tracker, found, fix).out_of_reach()
        }
    }
}

/// What is known of the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenFacts {
    /// There is none.
    Missing,
    /// It cannot be had, for this reason.
    NotHad(String),
    /// The tracker refuses it, in these words.
    Refused {
        /// Where it is from.
        origin: String,
        /// What the tracker said.
        said: String,
    },
    /// The tracker takes it for this account's.
    Accepted {
        /// Where it is from.
        origin: String,
        /// Whose it is.
        login: String,
    },
}

/// Judges the token.
pub fn token(facts: &TokenFacts) -> Finding {
    let check = CheckId::Token;
    let set = "put `BATON_TOKEN=…` into .env, or `token_command: gh auth token` into baton.yaml";
    match facts {
        TokenFacts::Missing => Finding::fail(check, "there is no token, so nothing can be written", set),
        TokenFacts::NotHad(why) => Finding::fail(
            check,
            one_line(why),
            "run `token_command` by hand; or put `BATON_TOKEN=…` into .env",
        ),
        TokenFacts::Refused { origin, said } => {
            let found = format!("the tracker refuses the token ({origin}): {}", one_line(said));
            Finding::fail(check, found, "make a new token (`gh auth login`), and set it where the old one is")
        }
        TokenFacts::Accepted { origin, login } => Finding::ok(check, format!("{login}, by {origin}")),
    }
}

/// Judges the scopes that the tracker told; fine-grained tokens and apps have none.
pub fn scopes(told: Option<&[String]>, is_project_needed: bool) -> Finding {
    let check = CheckId::Scopes;
    let Some(told) = told else {
        return Finding::ok(check, "the token tells none; what it may do is seen at the repository");
    };
    let has = |scope: &str| told.iter().any(|it| it == scope);
    let wanted = [("repo", true), ("project", is_project_needed)];
    let missing: Vec<_> = wanted
        .into_iter()
        .filter(|(scope, is_needed)| *is_needed && !has(scope))
        .map(|(scope, _)| scope)
        .collect();
    let there = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
    let fix = format!("gh auth refresh -s {}; or make a token with them", missing.join(","));
    match missing.as_slice() {
        [] => Finding::ok(check, there),
        ["repo"] if has("public_repo") => {
            Finding::warn(check, "public_repo alone: private repositories are out of sight", fix)
        }
        missing => {
            Finding::fail(check, format!("the token has not {} (it has {there})", missing.join(" and ")), fix)
        }
    }
}

/// A repository, as the token sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryFacts {
    /// It cannot be read, for this reason.
    Unread(String),
    /// It is not there, or hidden.
    Unseen,
    /// It is there.
    Seen {
        /// Whether the token may write; nothing when the tracker does not say.
        may_write: Option<bool>,
        /// Whether it is archived.
        is_archived: bool,
        /// Whether it has issues.
        has_issues: bool,
    },
}

/// Judges a repository.
pub fn repository(repo: &str, facts: &RepositoryFacts) -> Finding {
    let check = CheckId::Repository;
    match facts {
        RepositoryFacts::Unread(why) => Finding::fail(
            check,
            format!("{repo} cannot be read: {}", one_line(why)),
            "see `tracker` and `token`",
        ),
        RepositoryFacts::Unseen => Finding::fail(
            check,
            format!("{repo} is not there, or the token may not see it"),
            "correct `repos:` in baton.yaml or the remote `origin`; or give the account access to it",
        ),
        RepositoryFacts::Seen { is_archived: true, .. } => {
            Finding::fail(check, format!("{repo} is archived"), format!("gh repo unarchive {repo}"))
        }
        RepositoryFacts::Seen { has_issues: false, .. } => Finding::fail(
            check,
            format!("{repo} has no issues"),
            format!("gh repo edit {repo} --enable-issues"),
        ),
        RepositoryFacts::Seen { may_write: Some(false), .. } => {
            let fix = format!("give the account write access to {repo}, or use a token that may write");
            Finding::fail(check, format!("the token may not write to {repo}"), fix)
        }
        RepositoryFacts::Seen { .. } => Finding::ok(check, format!("{repo} can be written")),
    }
}

/// What is left of one kind of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Which kind.
    pub resource: String,
    /// How many there are in a window.
    pub limit: u64,
    /// How many are left.
    pub left: u64,
    /// In how many seconds the next window begins.
    pub renewed_in_s: u64,
}

/// Judges the budgets of requests.
pub fn rate_budget(budgets: &[Budget]) -> Finding {
    let check = CheckId::RateBudget;
    let share = |budget: &Budget| budget.left.saturating_mul(1000).checked_div(budget.limit).unwrap_or(1000);
    let Some(lowest) = budgets.iter().min_by_key(|budget| share(budget)) else {
        return Finding::ok(check, "the tracker tells no budget");
    };
    let Budget { resource, limit, left, renewed_in_s } = lowest;
    let found = format!("{left} of {limit} requests are left ({resource})");
    let fix = format!(
        "wait {} min until they are renewed; raise `poll`, or use an app or another account",
        renewed_in_s.div_ceil(60)
    );
    match share(lowest) {
        0..10 => Finding::fail(check, found, fix),
        10..200 => Finding::warn(check, found, fix),
        _ => Finding::ok(check, found),
    }
}

/// From how many seconds on a difference of clocks is suspicious, and from how many on it is wrong.
const SKEW_WARN_S: u64 = 30;
const SKEW_FAIL_S: u64 = 300;

/// Judges how far this machine's clock is ahead of the tracker's, in seconds.
pub fn clock(ahead_s: i64) -> Finding {
    let check = CheckId::Clock;
    let apart = ahead_s.unsigned_abs();
    let side = if ahead_s > 0 { "ahead of" } else { "behind" };
    let found = format!("this machine is {apart} s {side} the tracker");
    let fix = "set the clock of this machine: timedatectl set-ntp true";
    match apart {
        0..=1 => Finding::ok(check, "in step with the tracker"),
        _ if apart > SKEW_FAIL_S => Finding::fail(check, found, fix),
        _ if apart > SKEW_WARN_S => Finding::warn(check, found, fix),
        _ => Finding::ok(check, found),
    }
}

/// Judges the labels of a repository: those that are missing, and those that look different.
pub fn labels(repo: &str, missing: &[String], different: &[String], all: usize) -> Finding {
    let check = CheckId::Labels;
    let parts = [("lacks", missing), ("has another colour or description of", different)];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(verb, names)| format!("{verb} {}", names.join(", ")))
        .collect();
    match parts.is_empty() {
        true => Finding::ok(check, format!("{repo} has all {all}")),
        false => Finding::warn(
            check,
            format!("{repo} {}", parts.join("; ")),
            format!("baton labels sync --repo {repo}"),
        ),
    }
}

/// Judges a board of labels by the labels that a repository has.
pub fn label_board(repo: &str, stages: &[String], labels: &[String]) -> Finding {
    let check = CheckId::Board;
    let has = |stage: &String| labels.iter().any(|label| label.eq_ignore_ascii_case(&column_label(stage)));
    let missing: Vec<_> =
        stages.iter().filter(|stage| !has(stage)).map(|stage| column_label(stage)).collect();
    let fix = format!("baton labels sync --board --repo {repo}");
    let is_first_there = stages.first().is_none_or(has);
    let found = format!("{repo} lacks {}", missing.join(", "));
    match (missing.is_empty(), is_first_there) {
        (true, _) => {
            Finding::ok(check, format!("{repo} has a label for each of {}", plural(stages.len(), "stage")))
        }
        // Those behind the first are made when an issue gets there.
        (false, true) => Finding::warn(check, found, fix),
        (false, false) => {
            Finding::fail(check, format!("{found}, so nobody can put an issue onto the board"), fix)
        }
    }
}

/// Judges a board that is a project, by the columns that it has, or by why they are not known.
pub fn project_board(
    project: &ProjectRef,
    field: &str,
    stages: &[String],
    columns: Result<&[String], &str>,
) -> Finding {
    let check = CheckId::Board;
    let columns = match columns {
        Ok(columns) => columns,
        Err(why) => {
            let found = format!("the project {project} cannot be used: {}", one_line(why));
            return Finding::fail(
                check,
                found,
                "correct `board:` in baton.yaml, and see that the token has the scope `project`",
            );
        }
    };
    let missing: Vec<_> = stages
        .iter()
        .filter(|stage| !columns.iter().any(|column| column.eq_ignore_ascii_case(stage)))
        .map(String::as_str)
        .collect();
    match missing.as_slice() {
        [] => Finding::ok(
            check,
            format!("the project {project} has a column for each of {}", plural(stages.len(), "stage")),
        ),
        missing => Finding::fail(
            check,
            format!("the field `{field}` of the project {project} has no column for {}", missing.join(", ")),
            format!(
                "add {} as options of `{field}` in the settings of the project, or rename the stages",
                missing.join(", ")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_tracker_that_does_not_answer_is_out_of_reach() {
        assert_eq!(contact("http://x", Ok(())).grade, Grade::Ok);
        let finding = contact("http://x", Err("refused"));
        assert!(finding.is_out_of_reach && finding.grade == Grade::Fail, "{finding:?}");
    }

    #[test]
    fn only_a_token_that_is_taken_is_good() {
        let text = || "x".to_owned();
        for (facts, grade) in [
            (TokenFacts::Accepted { origin: text(), login: text() }, Grade::Ok),
            (TokenFacts::Refused { origin: text(), said: text() }, Grade::Fail),
            (TokenFacts::NotHad(text()), Grade::Fail),
            (TokenFacts::Missing, Grade::Fail),
        ] {
            assert_eq!(token(&facts).grade, grade, "{facts:?}");
        }
    }

    #[test]
    fn scopes_must_cover_what_is_done() {
        for (told, is_project, grade) in [
            (Some(&["repo"][..]), false, Grade::Ok),
            (Some(&["repo"]), true, Grade::Fail),
            (Some(&["repo", "project"]), true, Grade::Ok),
            (Some(&["public_repo"]), false, Grade::Warn),
            (Some(&["read:org"]), false, Grade::Fail),
            (Some(&[]), false, Grade::Fail),
            (None, true, Grade::Ok),
        ] {
            let told = told.map(texts);
            assert_eq!(scopes(told.as_deref(), is_project).grade, grade, "{told:?}");
        }
    }

    #[test]
    fn a_repository_must_be_seen_and_written_and_have_issues() {
        let seen =
            |may_write, is_archived, has_issues| RepositoryFacts::Seen { may_write, is_archived, has_issues };
        for (facts, grade) in [
            (seen(Some(true), false, true), Grade::Ok),
            (seen(None, false, true), Grade::Ok),
            (seen(Some(false), false, true), Grade::Fail),
            (seen(Some(true), true, true), Grade::Fail),
            (seen(Some(true), false, false), Grade::Fail),
            (RepositoryFacts::Unseen, Grade::Fail),
            (RepositoryFacts::Unread("x".to_owned()), Grade::Fail),
        ] {
            assert_eq!(repository("acme/web", &facts).grade, grade, "{facts:?}");
        }
    }

    #[test]
    fn the_budget_that_is_most_nearly_spent_counts() {
        let budget = |limit, left| Budget { resource: "core".to_owned(), limit, left, renewed_in_s: 61 };
        for (left, grade) in
            [(5000, Grade::Ok), (1000, Grade::Ok), (999, Grade::Warn), (49, Grade::Fail), (0, Grade::Fail)]
        {
            let finding = rate_budget(&[budget(100, 100), budget(5000, left)]);
            assert_eq!(finding.grade, grade, "{left}");
        }
        assert!(rate_budget(&[budget(10, 0)]).fix.unwrap().contains("wait 2 min"));
        assert_eq!(rate_budget(&[]).grade, Grade::Ok);
    }

    #[test]
    fn clocks_may_differ_by_a_little() {
        for (ahead, grade) in [
            (0, Grade::Ok),
            (-30, Grade::Ok),
            (31, Grade::Warn),
            (-300, Grade::Warn),
            (301, Grade::Fail),
            (i64::MIN, Grade::Fail),
        ] {
            assert_eq!(clock(ahead).grade, grade, "{ahead}");
        }
    }

    #[test]
    fn labels_that_are_missing_or_different_are_told_with_the_command() {
        assert_eq!(labels("a/b", &[], &[], 10).grade, Grade::Ok);
        let finding = labels("a/b", &texts(&["x"]), &texts(&["y"]), 10);
        assert_eq!(finding.grade, Grade::Warn);
        assert_eq!(finding.fix.as_deref(), Some("baton labels sync --repo a/b"));
        assert!(finding.found.contains("lacks x") && finding.found.contains("of y"), "{}", finding.found);
    }

    #[test]
    fn every_stage_has_a_column() {
        let stages = texts(&["Specify", "Done"]);
        for (there, grade) in [
            (&["Stage:specify", "stage:Done"][..], Grade::Ok),
            (&["stage:Specify"], Grade::Warn),
            (&["stage:Done"], Grade::Fail),
            (&[], Grade::Fail),
        ] {
            assert_eq!(label_board("a/b", &stages, &texts(there)).grade, grade, "{there:?}");
        }
        let project: ProjectRef = "acme/3".parse().unwrap();
        let columns = texts(&["specify", "DONE", "Backlog"]);
        assert_eq!(project_board(&project, "Status", &stages, Ok(&columns)).grade, Grade::Ok);
        assert_eq!(project_board(&project, "Status", &stages, Ok(&columns[..1])).grade, Grade::Fail);
        assert_eq!(project_board(&project, "Status", &stages, Err("no")).grade, Grade::Fail);
    }
}
