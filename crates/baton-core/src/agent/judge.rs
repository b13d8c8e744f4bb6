//! What an invocation came to, by what its program reported and how its process ended.
//!
//! The result that a program prints counts most: success is a result without an error, and never an exit code, except for
//! programs that print no results. Then comes what the engine itself did to it, and last how it died. Only fields are read
//! for this, never words: an agent may quote an error without having had one. Denied tools are no error, since the agent
//! may have found another way.
//!
//! Deliberately absent: markers ([`crate::pipeline::markers`]), and who counts: the pipeline counts the ends of stages other
//! than [`End::Failed`], the slot counts [`RunEnd::Failed`] and [`RunEnd::TimedOut`].

use std::time::Duration;

use super::exit::{AgentExit, Limit};
use crate::agent_lines::{AgentError, Program, Report};
use crate::pipeline::outcome::End;
use crate::slot::RunEnd;
use crate::time::StoreTime;

/// What an invocation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// For the pipeline.
    pub end: End,
    /// For the slot, if this was the last invocation of its run.
    pub run_end: RunEnd,
    /// What becomes of the session.
    pub session: SessionFate,
    /// What the agent said: its answer, or without one, everything. A marker in it counts, also one that was said before the
    /// agent was killed.
    pub text: String,
}

/// What becomes of the session of an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionFate {
    /// The reported one may be gone on with.
    Keep,
    /// The program does not know the one that it was to go on with. Nothing was done: the same order can be given again at
    /// once, without a session.
    Forget,
    /// None was reported, so what was kept before is as good as it was.
    Unknown,
}

/// The exit code by which Gemini says that it came to its limit of turns, also where it printed no result.
const GEMINI_TURN_LIMIT: i32 = 53;

/// The most of a program's last words that is repeated.
const LAST_WORDS_CHARS_MAX: usize = 300;

/// Judges an invocation; `last_error` is the last that its program printed to its standard error.
pub fn judge(program: Program, report: &Report, exit: &AgentExit, last_error: &str) -> Judgement {
    let (end, run_end) = outcome(program, report, exit, last_error);
    let session = match (&report.error, &report.session) {
        (Some(AgentError::SessionUnknown), _) => SessionFate::Forget,
        (_, Some(_)) => SessionFate::Keep,
        (_, None) => SessionFate::Unknown,
    };
    Judgement { text: words(end, report), end, run_end, session }
}

fn outcome(program: Program, report: &Report, exit: &AgentExit, last_error: &str) -> (End, RunEnd) {
    match exit {
        // What is stopped is taken up again, whatever it managed to report, so that a cancelled run never succeeds.
        AgentExit::Stopped => (End::Stopped, RunEnd::Stopped),
        // The lease has not been renewed. Whoever may still write gives the run back.
        AgentExit::DeadlinePassed => (End::Stopped, RunEnd::GivenBack),
        AgentExit::NotRun(why) => (End::NotStarted, RunEnd::Failed(one_line(why))),
        _ => match (&report.error, gemini_status(program, exit)) {
            _ if is_success(program, report, exit) => (End::Finished, RunEnd::Succeeded),
            // Claude Code reports an error of no kind when it is interrupted, and that was our doing.
            (Some(AgentError::Other(_)), _) if matches!(exit, AgentExit::TimedOut(_)) => {
                by_exit(program, exit, last_error)
            }
            (Some(AgentError::Other(_)), status @ Some(_)) => {
                by_error(&AgentError::ApiError { status }, report.saw_result)
            }
            (Some(error), _) => by_error(error, report.saw_result),
            (None, _) => by_exit(program, exit, last_error),
        },
    }
}

/// Gemini ends with the status of HTTP that its model refused with, of which a process keeps the last eight bits. Its result
/// says so in prose alone.
fn gemini_status(program: Program, exit: &AgentExit) -> Option<u16> {
    const STATUSES: [u16; 10] = [400, 401, 403, 404, 408, 429, 500, 502, 503, 504];
    let AgentExit::Exited(code) = exit else { return None };
    let is_told = |status: &u16| program == Program::Gemini && i32::from(status % 256) == *code;
    STATUSES.into_iter().find(is_told)
}

/// Programs that print no results have nothing but their exit code.
fn is_success(program: Program, report: &Report, exit: &AgentExit) -> bool {
    match program {
        Program::Plain => *exit == AgentExit::Exited(0),
        Program::Claude | Program::Codex | Program::Gemini => report.is_success(),
    }
}

fn by_error(error: &AgentError, saw_result: bool) -> (End, RunEnd) {
    match error {
        AgentError::MaxTurns => (End::TurnLimit, RunEnd::Succeeded),
        AgentError::UsageLimit { resets_at } => (End::Failed, RunEnd::ProviderLimit(resets_at.map(moment))),
        AgentError::ApiError { status } if is_passing(*status) => (End::Failed, RunEnd::ProviderLimit(None)),
        AgentError::ApiError { .. } => (End::Failed, RunEnd::Failed(error.to_string())),
        AgentError::SessionUnknown => (End::NotStarted, RunEnd::Failed(error.to_string())),
        AgentError::MaxBudget | AgentError::Other(_) if saw_result => {
            (End::FinishedWithError, RunEnd::Failed(one_line(&error.to_string())))
        }
        AgentError::MaxBudget | AgentError::Other(_) => {
            (End::Failed, RunEnd::Failed(one_line(&error.to_string())))
        }
    }
}

/// Returns whether trying again later may help: without an answer, when there were too many requests, and when the service
/// itself failed. A request that was refused for another reason is refused the next time too, so it is charged.
fn is_passing(status: Option<u16>) -> bool {
    status.is_none_or(|status| matches!(status, 408 | 425 | 429) || status >= 500)
}

fn by_exit(program: Program, exit: &AgentExit, last_error: &str) -> (End, RunEnd) {
    let failed = |what: String| (End::Failed, RunEnd::Failed(with_last_words(&what, last_error)));
    let timed_out = |what: &str| (End::TimedOut, RunEnd::TimedOut(with_last_words(what, last_error)));
    match (exit, program) {
        (AgentExit::Exited(GEMINI_TURN_LIMIT), Program::Gemini) => (End::TurnLimit, RunEnd::Succeeded),
        (AgentExit::Exited(code), Program::Plain) => failed(format!("exit code {code}")),
        (AgentExit::Exited(code), _) => failed(format!("it ended without a result, with exit code {code}")),
        (AgentExit::Signalled(signal), _) => failed(format!("ended by signal {signal}")),
        (AgentExit::TimedOut(Limit::WallTime), _) => timed_out("it took longer than `max_wall_time`"),
        (AgentExit::TimedOut(Limit::Inactivity), _) => {
            timed_out("it printed nothing for `inactivity_timeout`")
        }
        (AgentExit::NotRun(why), _) => failed(why.clone()),
        (AgentExit::SupervisorLost | AgentExit::Stopped | AgentExit::DeadlinePassed, _) => {
            failed("its supervisor was lost".to_owned())
        }
    }
}

/// After an error, a program's answer is its own words and not the agent's.
fn words(end: End, report: &Report) -> String {
    let answer = report.text.as_deref().filter(|text| end == End::Finished && !text.trim().is_empty());
    answer.unwrap_or(&report.assistant_text).to_owned()
}

fn moment(seconds: u64) -> StoreTime {
    StoreTime::default().plus(Duration::from_secs(seconds))
}

fn with_last_words(what: &str, last_error: &str) -> String {
    match one_line(last_error) {
        said if said.is_empty() => what.to_owned(),
        said => format!("{what}: {said}"),
    }
}

fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LAST_WORDS_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: Option<&str>) -> Report {
        Report {
            session: Some("s".to_owned()),
            text: text.map(str::to_owned),
            assistant_text: "all that was said\nBATON_STAGE_COMPLETE\n".to_owned(),
            saw_result: text.is_some(),
            ..Report::default()
        }
    }

    fn with_error(error: AgentError) -> Report {
        Report { error: Some(error), ..said(Some("API Error")) }
    }

    #[track_caller]
    fn check(program: Program, report: &Report, exit: &AgentExit, end: End, run_end: &RunEnd) -> Judgement {
        let judged = judge(program, report, exit, " last\n words ");
        assert_eq!((judged.end, &judged.run_end), (end, run_end), "{report:?} {exit:?}");
        judged
    }

    const JSON: [Program; 3] = [Program::Claude, Program::Codex, Program::Gemini];

    #[test]
    fn a_result_without_an_error_is_success_however_the_process_ended() {
        for program in JSON {
            for exit in [
                AgentExit::Exited(0),
                AgentExit::Exited(1),
                AgentExit::Signalled(15),
                AgentExit::TimedOut(Limit::Inactivity),
                AgentExit::SupervisorLost,
            ] {
                let judged = check(program, &said(Some("done")), &exit, End::Finished, &RunEnd::Succeeded);
                assert_eq!((judged.text.as_str(), judged.session), ("done", SessionFate::Keep));
            }
        }
    }

    #[test]
    fn an_exit_code_is_no_success_without_a_result() {
        for program in JSON {
            let failed = RunEnd::Failed("it ended without a result, with exit code 0: last words".to_owned());
            let judged = check(program, &said(None), &AgentExit::Exited(0), End::Failed, &failed);
            assert!(judged.text.ends_with("BATON_STAGE_COMPLETE\n"));
        }
    }

    #[test]
    fn a_plain_program_succeeds_by_its_exit_code_alone() {
        let report = Report { text: Some("all".to_owned()), ..Report::default() };
        let judged = check(Program::Plain, &report, &AgentExit::Exited(0), End::Finished, &RunEnd::Succeeded);
        assert_eq!((judged.text.as_str(), judged.session), ("all", SessionFate::Unknown));
        let failed = RunEnd::Failed("exit code 3: last words".to_owned());
        check(Program::Plain, &report, &AgentExit::Exited(3), End::Failed, &failed);
        let signalled = RunEnd::Failed("ended by signal 9: last words".to_owned());
        check(Program::Plain, &report, &AgentExit::Signalled(9), End::Failed, &signalled);
    }

    #[test]
    fn errors_in_the_result_say_how_it_ended() {
        let failed = |text: &str| RunEnd::Failed(text.to_owned());
        let other = AgentError::Other("error: a\nb".to_owned());
        let at = StoreTime { ms: 1_700_000_000_000 };
        let rows = [
            (AgentError::MaxTurns, End::TurnLimit, RunEnd::Succeeded),
            (AgentError::UsageLimit { resets_at: None }, End::Failed, RunEnd::ProviderLimit(None)),
            (
                AgentError::UsageLimit { resets_at: Some(1_700_000_000) },
                End::Failed,
                RunEnd::ProviderLimit(Some(at)),
            ),
            (
                AgentError::MaxBudget,
                End::FinishedWithError,
                failed("the agent reached the limit of what it may cost"),
            ),
            (other, End::FinishedWithError, failed("the agent's program failed: error: a b")),
        ];
        for (error, end, run_end) in rows {
            let judged = check(Program::Claude, &with_error(error), &AgentExit::Exited(1), end, &run_end);
            assert!(judged.text.starts_with("all that was said"), "the program's words are not the agent's");
        }
    }

    #[test]
    fn a_service_that_fails_is_not_charged_and_a_request_that_is_refused_is() {
        for (status, is_charged) in [
            (None, false),
            (Some(429), false),
            (Some(500), false),
            (Some(529), false),
            (Some(401), true),
            (Some(400), true),
        ] {
            let judged = judge(
                Program::Claude,
                &with_error(AgentError::ApiError { status }),
                &AgentExit::Exited(1),
                "",
            );
            assert_eq!(judged.end, End::Failed);
            assert_eq!(judged.run_end != RunEnd::ProviderLimit(None), is_charged, "{status:?}");
        }
    }

    #[test]
    fn a_session_that_is_not_known_is_forgotten_and_nothing_was_done() {
        let report =
            Report { session: None, assistant_text: String::new(), ..with_error(AgentError::SessionUnknown) };
        let judged = judge(Program::Claude, &report, &AgentExit::Exited(1), "");
        assert_eq!((judged.end, judged.session), (End::NotStarted, SessionFate::Forget));
    }

    #[test]
    fn what_was_said_before_it_was_killed_counts() {
        for (limit, words) in [
            (Limit::WallTime, "it took longer than `max_wall_time`: last words"),
            (Limit::Inactivity, "it printed nothing for `inactivity_timeout`: last words"),
        ] {
            let timed_out = RunEnd::TimedOut(words.to_owned());
            let exit = AgentExit::TimedOut(limit);
            let judged = check(Program::Claude, &said(None), &exit, End::TimedOut, &timed_out);
            assert!(judged.text.contains("BATON_STAGE_COMPLETE") && judged.session == SessionFate::Keep);
        }
    }

    #[test]
    fn one_that_reports_our_own_interruption_has_run_out_of_time() {
        let report = with_error(AgentError::Other("error_during_execution".to_owned()));
        let timed_out = RunEnd::TimedOut("it took longer than `max_wall_time`: last words".to_owned());
        let exit = AgentExit::TimedOut(Limit::WallTime);
        let judged = check(Program::Claude, &report, &exit, End::TimedOut, &timed_out);
        assert!(judged.text.contains("BATON_STAGE_COMPLETE"));
    }

    #[test]
    fn one_that_is_killed_while_it_waits_for_its_model_is_not_charged() {
        let report = Report { error: Some(AgentError::ApiError { status: Some(500) }), ..said(None) };
        let exit = AgentExit::TimedOut(Limit::Inactivity);
        check(Program::Claude, &report, &exit, End::Failed, &RunEnd::ProviderLimit(None));
    }

    #[test]
    fn what_is_stopped_is_stopped_whatever_it_reports() {
        for report in [said(Some("done")), said(None), with_error(AgentError::MaxTurns)] {
            check(Program::Claude, &report, &AgentExit::Stopped, End::Stopped, &RunEnd::Stopped);
            check(Program::Codex, &report, &AgentExit::DeadlinePassed, End::Stopped, &RunEnd::GivenBack);
        }
    }

    #[test]
    fn one_that_never_ran_and_one_whose_supervisor_was_lost_have_failed() {
        let not_run = AgentExit::NotRun("no\nsuch program".to_owned());
        let failed = |text: &str| RunEnd::Failed(text.to_owned());
        let none = Report::default();
        check(Program::Claude, &none, &not_run, End::NotStarted, &failed("no such program"));
        check(
            Program::Claude,
            &none,
            &AgentExit::SupervisorLost,
            End::Failed,
            &failed("its supervisor was lost: last words"),
        );
    }

    #[test]
    fn gemini_tells_its_limit_of_turns_by_its_exit_code() {
        let exit = AgentExit::Exited(53);
        check(Program::Gemini, &said(None), &exit, End::TurnLimit, &RunEnd::Succeeded);
        let failed = RunEnd::Failed("it ended without a result, with exit code 53: last words".to_owned());
        check(Program::Claude, &said(None), &exit, End::Failed, &failed);
    }

    #[test]
    fn gemini_tells_the_status_of_its_model_by_its_exit_code() {
        let report = with_error(AgentError::Other("unknown: [API Error: refused]".to_owned()));
        let judged = |program, code| judge(program, &report, &AgentExit::Exited(code), "");
        for (code, is_charged) in [(173, false), (244, false), (247, false), (145, true), (144, true)] {
            let judged = judged(Program::Gemini, code);
            assert_eq!(judged.end, End::Failed, "{code}");
            assert_eq!(judged.run_end != RunEnd::ProviderLimit(None), is_charged, "{code}");
        }
        assert_eq!(judged(Program::Gemini, 1).end, End::FinishedWithError);
        assert_eq!(judged(Program::Codex, 173).end, End::FinishedWithError);
    }

    #[test]
    fn denied_tools_are_no_error() {
        let report = Report { denied_tools: vec!["Bash".to_owned()], ..said(Some("done")) };
        check(Program::Claude, &report, &AgentExit::Exited(0), End::Finished, &RunEnd::Succeeded);
    }
}
