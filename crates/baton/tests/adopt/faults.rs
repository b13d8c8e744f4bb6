//! Every fault that the doctor knows, planted for real in a repository that is well, and found with what helps.

use baton_core::doctor::{CHECKS, CheckId};

use crate::adopt::checkout::Checkout;
use crate::adopt::planted::{self, Planted};

/// Plants, asks the doctor, and looks whether it tells.
#[track_caller]
fn assert_found(checkout: &Checkout, planted: &Planted, check: CheckId, status: &str, words: &str) {
    let arguments: Vec<_> = planted.arguments.iter().map(String::as_str).collect();
    let diagnosis = checkout.doctor(&arguments);
    let told = diagnosis.of(check.as_str());
    let line = told.iter().find(|line| line.status == status && line.found.contains(words));
    let line = line.unwrap_or_else(|| panic!("{check} does not tell {status} `{words}`:\n{diagnosis:#?}"));
    assert!(line.fix.as_ref().is_some_and(|fix| !fix.is_empty()), "it does not say what helps: {line:?}");
    if status == "fail" {
        assert!(diagnosis.code == 1 || diagnosis.code == 3, "{diagnosis:#?}");
    }
    if let Some(code) = planted.code {
        assert_eq!(diagnosis.code, code, "{diagnosis:#?}");
    }
}

macro_rules! faults {
    ($($name:ident: $check:ident, $status:literal, $words:literal;)+) => {
        /// The checks that a fault is planted for.
        const PLANTED: &[CheckId] = &[$(CheckId::$check),+];

        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let mut checkout = Checkout::set_up().await;
                let planted = planted::$name(&mut checkout).await;
                assert_found(&checkout, &planted, CheckId::$check, $status, $words);
            }
        )+
    };
}

faults! {
    a_setting_that_is_misspelt: Config, "fail", "claims.tll";
    a_missing_configuration: Config, "warn", "no baton.yaml";
    a_stage_whose_agent_nobody_knows: Stages, "fail", "nobody";
    a_git_that_is_too_old: GitVersion, "fail", "too old";
    a_machine_without_git: GitVersion, "fail", "cannot be run";
    a_git_without_an_identity: GitIdentity, "fail", "user.email is not set";
    an_identity_that_is_no_address: GitIdentity, "warn", "no address";
    an_agent_whose_program_is_missing: Agents, "fail", "there is no program `no-such-program`";
    an_agent_that_fails_to_start: Agents, "fail", "failed: exit status: 3: broken";
    an_agent_that_hangs: Agents, "fail", "did not end within 10 s";
    no_agent_at_all: Agents, "fail", "no agent is configured";
    an_agent_with_a_bad_script: Agents, "fail", "its script cannot be used";
    little_room: Disk, "fail", "are free in";
    a_tracker_out_of_reach: Tracker, "fail", "cannot be used";
    a_tracker_that_is_none: Tracker, "fail", "cannot be used";
    a_missing_token: Token, "fail", "there is no token";
    a_token_that_is_refused: Token, "fail", "refuses the token";
    a_command_that_prints_no_token: Token, "fail", "locked";
    a_token_that_may_only_read: Scopes, "fail", "has not repo";
    a_repository_that_is_not_there: Repository, "fail", "admin/none is not there";
    a_spent_budget: RateBudget, "fail", "0 of 1 requests";
    a_clock_that_is_wrong: Clock, "fail", "behind the tracker";
    a_missing_label: Labels, "warn", "lacks agent:implement";
    a_label_of_another_colour: Labels, "warn", "another colour";
    a_missing_first_column: Board, "fail", "lacks stage:Specify";
    a_missing_later_column: Board, "warn", "lacks stage:Plan";
    a_project_without_the_columns: Board, "fail", "has no column for Specify";
    an_endpoint_that_is_taken: Webhooks, "fail", "cannot be listened on";
    a_forwarder_that_is_missing: Webhooks, "fail", "unknown command";
    a_repository_that_delivers_to_nobody: Webhooks, "warn", "has no active hook";
    a_repository_that_delivers_to_somebody_else: Webhooks, "warn", "has 1 active hook, and none of them";
    a_store_out_of_reach: Store, "fail", "cannot be reached";
    a_store_that_is_none: Store, "fail", "cannot be reached";
    a_store_of_a_newer_program: Schema, "fail", "version 99";
    a_store_of_an_older_program: Schema, "warn", "version 1";
    a_claim_that_is_over: Claims, "warn", "has a claim that is over";
    a_wakeup_that_nobody_follows: Wakeups, "fail", "no worker is alive";
    an_issue_that_nobody_moves: Wakers, "fail", "has no waker";
    an_issue_that_waits_for_an_engine: Wakers, "warn", "none is alive";
    a_run_that_lost_its_worker: Wakers, "fail", "lost its worker";
    fewer_approvers_than_must_approve: Approvals, "fail", "Plan needs 2 approvals (`approvals_required`), and 1 may decide";
    slack_without_its_settings: Slack, "fail", "BATON_SLACK_TOKEN";
    slack_that_refuses_the_token: Slack, "fail", "invalid_auth";
    socket_mode_without_its_token: Slack, "fail", "BATON_SLACK_APP_TOKEN is not set";
    notices_to_slack_without_their_address: Slack, "fail", "BATON_SLACK_WEBHOOK_URL is not set";
}

#[test]
fn every_check_has_a_fault_that_was_planted() {
    let missing: Vec<_> =
        CHECKS.iter().map(|check| check.id).filter(|check| !PLANTED.contains(check)).collect();
    assert!(missing.is_empty(), "no fault is planted for {missing:?}: add one to the table in this file");
}
