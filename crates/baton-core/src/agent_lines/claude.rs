//! The lines of Claude Code.
//!
//! A result is judged by `is_error`: a failure of the API comes with `subtype: success`. Messages of the model `<synthetic>`
//! are the program's own words, and those with a parent are of agents that the agent started. A run that reached the limit of
//! its turns counts the one that it could not take. Costs cover the whole session, tokens the run.

use super::fields::Fields;
use super::report::{AgentError, Usage};
use super::tally::{Tail, Tally};
use super::{LineEvent, Scope};

const SYNTHETIC: &str = "<synthetic>";
/// The only sign of a session that does not exist is the beginning of this entry in the list of errors.
const NO_SESSION: &str = "No conversation found with session ID";

/// The kinds of lines that tell something. What tools said, in lines of the kind `user`, does not.
pub(super) const KINDS: [&str; 5] = ["system", "assistant", "stream_event", "rate_limit_event", "result"];

/// What must be remembered from line to line.
#[derive(Debug, Clone, Default)]
pub(super) struct Claude {
    /// The message that was heard last: a message comes in several lines, one for each of its blocks.
    message: Option<String>,
    /// Text that came in parts and not yet as a whole.
    partial: Tail,
    /// The last try to reach the model again, if nothing came after it.
    retrying: Option<Option<u16>>,
    /// When the account may do more, after it was told that it may not.
    rejected: Option<Option<u64>>,
}

impl Claude {
    pub(super) fn read(&mut self, line: Fields<'_>, tally: &mut Tally) {
        let is_own = line.text("parent_tool_use_id").is_none();
        match line.text("type") {
            Some("system") => self.system(line, tally),
            Some("assistant") => self.assistant(line, is_own, tally),
            Some("stream_event") if is_own => self.stream_event(line, tally),
            Some("rate_limit_event") => self.rate_limit(line.object("rate_limit_info").unwrap_or(line)),
            Some("result") => self.result(line, tally),
            _ => {}
        }
    }

    fn system(&mut self, line: Fields<'_>, tally: &mut Tally) {
        match line.text("subtype") {
            Some("init") => tally.session(line.text("session_id")),
            Some("api_retry") => {
                let status = line.status("error_status");
                self.retrying = Some(status);
                tally.tell(LineEvent::ApiRetry {
                    attempt: line.number("attempt").unwrap_or_default(),
                    attempts_max: line.number("max_retries").unwrap_or_default(),
                    delay_ms: line.number("retry_delay_ms").unwrap_or_default(),
                    status,
                });
            }
            Some("permission_denied") => {
                line.text("tool_name").into_iter().for_each(|name| tally.denied(name));
            }
            _ => {}
        }
    }

    fn assistant(&mut self, line: Fields<'_>, is_own: bool, tally: &mut Tally) {
        let Some(message) = line.object("message") else { return };
        if message.text("model") == Some(SYNTHETIC) {
            return;
        }
        if is_own && self.heard(message.text("id"), tally) {
            let told = message.object("usage").map(usage).unwrap_or_default();
            let so_far = &mut tally.usage_so_far;
            so_far.input = so_far.input.saturating_add(told.input);
            so_far.output = so_far.output.saturating_add(told.output);
        }
        for block in message.objects("content") {
            match block.text("type") {
                Some("text") => self.said(block.text("text").unwrap_or_default(), is_own, tally),
                Some("tool_use") => tally.tool(block.text("name").unwrap_or("tool")),
                _ => {}
            }
        }
    }

    /// Notes that the model answers; the first line of a message begins a turn. Returns whether this was it.
    fn heard(&mut self, message: Option<&str>, tally: &mut Tally) -> bool {
        self.retrying = None;
        let is_new = message.is_none() || self.message.as_deref() != message;
        if is_new {
            self.message = message.map(str::to_owned);
            tally.next_turn();
        }
        is_new
    }

    fn said(&mut self, text: &str, is_own: bool, tally: &mut Tally) {
        if is_own {
            self.partial.clear();
            tally.say_line(text);
        } else {
            tally.tell(LineEvent::Text(text.to_owned()));
        }
    }

    /// Parts of messages are kept only until the whole comes, for the case that it never does.
    fn stream_event(&mut self, line: Fields<'_>, tally: &mut Tally) {
        let Some(event) = line.object("event") else { return };
        match event.text("type") {
            Some("message_start") => {
                let message = event.object("message").and_then(|message| message.text("id"));
                self.heard(message, tally);
            }
            Some("content_block_delta") => {
                let part = event.object("delta").and_then(|delta| delta.text("text"));
                self.partial.push(part.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn rate_limit(&mut self, info: Fields<'_>) {
        self.rejected = (info.text("status") == Some("rejected")).then(|| info.number("resetsAt"));
    }

    fn result(&mut self, line: Fields<'_>, tally: &mut Tally) {
        self.retrying = None;
        tally.cost_micros = line.micros("total_cost_usd").or(tally.cost_micros);
        tally.usage = line.object("usage").map(usage).unwrap_or(tally.usage);
        tally.usage_scope = Scope::Run;
        for denial in line.objects("permission_denials") {
            denial.text("tool_name").into_iter().for_each(|name| tally.note_denied(name));
        }
        let error = is_error(line).then(|| self.error(line));
        // The id of a session that does not exist is told as well, and nobody should keep it.
        match error {
            Some(AgentError::SessionUnknown) => tally.session = None,
            _ => tally.session(line.text("session_id")),
        }
        let beyond = u64::from(error == Some(AgentError::MaxTurns));
        tally.turns = line.number("num_turns").map_or(tally.turns, |turns| turns.saturating_sub(beyond));
        tally.end(line.text("result"), error);
    }

    fn error(&self, line: Fields<'_>) -> AgentError {
        let (subtype, reason) = (line.text("subtype"), line.text("terminal_reason"));
        let has_no_session = || line.texts("errors").any(|error| error.starts_with(NO_SESSION));
        match (subtype, reason) {
            (Some("error_max_turns"), _) => AgentError::MaxTurns,
            (Some("error_max_budget_usd"), _) => AgentError::MaxBudget,
            (_, Some("blocking_limit")) => AgentError::UsageLimit { resets_at: self.rejected.flatten() },
            _ if is_api_error(line) => match (line.status("api_error_status"), self.rejected) {
                (Some(429), Some(resets_at)) => AgentError::UsageLimit { resets_at },
                (status, _) => AgentError::ApiError { status },
            },
            (Some("error_during_execution"), _) if has_no_session() => AgentError::SessionUnknown,
            _ => AgentError::Other(told(line)),
        }
    }

    /// Ends without another line. Text that came only in parts counts, and so does the cause of a retry that nothing came
    /// after: then the program was stopped while it waited for its model.
    pub(super) fn finish(self, tally: &mut Tally) {
        if !self.partial.is_empty() {
            tally.say_line(&self.partial.into_text());
        }
        if let Some(status) = self.retrying.filter(|_| !tally.saw_result) {
            tally.error = Some(AgentError::ApiError { status });
        }
    }
}

fn is_error(line: Fields<'_>) -> bool {
    let by_subtype = || line.text("subtype").is_some_and(|subtype| subtype.starts_with("error"));
    line.flag("is_error").unwrap_or_else(by_subtype)
}

/// Older versions tell only the status, newer ones the reason too; a cut connection has no status.
fn is_api_error(line: Fields<'_>) -> bool {
    line.text("terminal_reason") == Some("api_error") || line.status("api_error_status").is_some()
}

/// What the program says went wrong.
fn told(line: Fields<'_>) -> String {
    let errors: Vec<&str> = line.texts("errors").collect();
    let reason = line.text("terminal_reason").or(line.text("subtype")).unwrap_or("error");
    if errors.is_empty() { reason.to_owned() } else { format!("{reason}: {}", errors.join("; ")) }
}

/// Here, what came from the cache and what went into it is not part of the input.
fn usage(fields: Fields<'_>) -> Usage {
    let number = |key| fields.number(key).unwrap_or_default();
    let cached = number("cache_read_input_tokens");
    let input = number("input_tokens").saturating_add(number("cache_creation_input_tokens"));
    Usage { input: input.saturating_add(cached), output: number("output_tokens"), cached }
}
