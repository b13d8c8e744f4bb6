//! What a run is for, as its context says: a stage, a job, and what is to be answered.
//!
//! A context is free JSON that people may write by hand, so it is read with care. One without a stage is a bare wake: the
//! agent is told what woke it, and no more.

use serde_json::{Map, Value, json};

use super::order::{AgentOrder, Desk, Told};
use crate::pipeline::Stage;
use crate::pipeline::effect::{Job, Wake};
use crate::pipeline::names::modifier;
use crate::pipeline::outcome::{Effort, End, Outcome, Workplace};
use crate::pipeline::turns::Budget;
use crate::slot::context::{COMMENT_IDS, Context, ContextError};
use crate::slot::start::Started;

const STAGE: &str = "stage";
const JOB: &str = "job";
const RESUME: &str = "resume";
const THREADS: &str = "threads";
const THREAD_COMMENTS: &str = "thread_comments";
const SETTLED: &str = "settled";

/// The keys that only the pipeline writes. Comments may be pointed out by anybody.
const RESERVED: [&str; 6] = [STAGE, JOB, RESUME, THREADS, THREAD_COMMENTS, SETTLED];

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// The stage; nothing for a bare wake.
    pub stage: Option<String>,
    /// What is to be done in it.
    pub job: Job,
    /// Whether the agent goes on where it stopped.
    pub resume: bool,
    /// The comments to be answered.
    pub comments: Vec<u64>,
    /// The review threads to be answered.
    pub threads: Vec<String>,
    /// What was said in them.
    pub thread_comments: Vec<u64>,
    /// Whether the pipeline asked for it, and settles what comes of it.
    pub is_settled: bool,
}

/// A context says something that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` in the context must be {allowed}, and not {found}")]
pub struct ErrandError {
    /// The key.
    pub key: &'static str,
    /// What it may be.
    pub allowed: String,
    /// What it is.
    pub found: String,
}

impl Errand {
    /// Reads what a context says.
    pub fn read(context: &Context) -> Result<Self, ErrandError> {
        Ok(Self {
            stage: text(context, STAGE)?,
            job: job(context)?,
            resume: flag(context, RESUME)?,
            comments: context.comment_ids(),
            threads: list(context, THREADS, "a list of texts", |item| item.as_str().map(str::to_owned))?,
            thread_comments: list(context, THREAD_COMMENTS, "a list of whole numbers", Value::as_u64)?,
            is_settled: flag(context, SETTLED)?,
        })
    }

    /// Returns the first of some keys by which the pipeline says what a run is for. Whoever only wakes an agent may not use them: a
    /// run for a stage would begin with none of the stage's gates passed.
    pub fn reserved<'a>(keys: impl IntoIterator<Item = &'a String>) -> Option<&'a str> {
        keys.into_iter().map(String::as_str).find(|key| RESERVED.contains(key))
    }

    /// Returns the context of a wake that the pipeline wants.
    pub fn context(wake: &Wake) -> Result<Context, ContextError> {
        let mut map = Map::new();
        map.insert(STAGE.to_owned(), json!(wake.stage));
        map.insert(JOB.to_owned(), json!(wake.job.as_str()));
        map.insert(RESUME.to_owned(), json!(wake.resume));
        if !wake.comments.is_empty() {
            map.insert(COMMENT_IDS.to_owned(), json!(wake.comments));
        }
        map.insert(THREADS.to_owned(), json!(wake.threads));
        map.insert(THREAD_COMMENTS.to_owned(), json!(wake.thread_comments));
        map.insert(SETTLED.to_owned(), json!(true));
        Context::parse(&Value::Object(map).to_string())
    }

    /// Returns whether a run goes on with the session of an earlier one: when it is asked to, when it is another try, and when
    /// it is about what the stage has already done.
    pub fn goes_on(&self, started: &Started) -> bool {
        let run = &started.run;
        let is_another_try = run.attempt > 0 || run.interruptions > 0 || run.retry_of.is_some();
        self.resume || is_another_try || self.job != Job::Stage
    }

    /// Returns whether the branch is brought up to date first: only before a stage's own work, and only the first time.
    pub fn updates_branch(&self, started: &Started) -> bool {
        self.stage.is_some() && !self.goes_on(started)
    }

    /// Returns the order for one invocation, without a session and without words.
    pub fn order(
        &self,
        desk: Desk<'_>,
        stage: Option<&Stage>,
        labels: &[String],
        budget: Budget,
    ) -> AgentOrder {
        let Desk { mut agent, started, cwd, git_dir, is_unrestricted } = desk;
        // An agent's own model outranks that of a stage, which may be another program's; what a person put on the issue
        // outranks both, as far as the program can be asked for it.
        if modifier(labels, "model").is_some() {
            agent.model = None;
        }
        AgentOrder {
            run: started.run.id,
            item: started.item.key.clone(),
            stage: self.stage.clone(),
            cwd,
            git_dir,
            told: Told::default(),
            session: None,
            model: stage.and_then(|stage| stage.model_for(labels)).map(str::to_owned),
            effort: stage.and_then(|stage| stage.effort_for(labels)),
            disable_adaptive_thinking: stage.is_some_and(|stage| stage.disable_adaptive_thinking),
            allowed_tools: stage.and_then(|stage| stage.allowed_tools.clone()),
            max_turns: budget.turns,
            is_read_only: stage.is_some_and(|stage| stage.read_only),
            is_unrestricted,
            max_wall_time: stage.and_then(|stage| stage.max_wall_time),
            kill_grace: stage.map(|stage| stage.kill_grace).unwrap_or_default(),
            agent,
        }
    }

    /// Returns what a run came to.
    pub fn outcome(&self, end: End, text: String, workplace: Option<Workplace>, effort: Effort) -> Outcome {
        Outcome {
            job: self.job,
            end,
            text,
            comments: self.comments.clone(),
            threads: self.threads.clone(),
            thread_comments: self.thread_comments.clone(),
            workplace,
            effort,
        }
    }
}

fn error(key: &'static str, allowed: impl Into<String>, found: &Value) -> ErrandError {
    let found: String = found.to_string().chars().take(60).collect();
    ErrandError { key, allowed: allowed.into(), found }
}

fn text(context: &Context, key: &'static str) -> Result<Option<String>, ErrandError> {
    match context.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(other) => Err(error(key, "a text", other)),
    }
}

fn job(context: &Context) -> Result<Job, ErrandError> {
    let Some(word) = text(context, JOB)? else { return Ok(Job::Stage) };
    let allowed = || Job::ALL.iter().map(|job| job.as_str()).collect::<Vec<_>>().join(", ");
    word.parse().map_err(|_| error(JOB, format!("one of {}", allowed()), &Value::String(word)))
}

fn flag(context: &Context, key: &'static str) -> Result<bool, ErrandError> {
    match context.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(error(key, "true or false", other)),
    }
}

fn list<T>(
    context: &Context,
    key: &'static str,
    allowed: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, ErrandError> {
    let items = match context.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(error(key, allowed, other)),
    };
    let read: Option<Vec<_>> = items.iter().map(read).collect();
    read.ok_or_else(|| error(key, allowed, &Value::Array(items.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Errand, String> {
        Errand::read(&Context::parse(json).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_context_without_a_stage_is_a_bare_wake() {
        let errand = read(r#"{"comment_ids":[7],"note":"x"}"#).unwrap();
        assert_eq!((errand.stage, errand.job, errand.comments), (None, Job::Stage, vec![7]));
        assert!(!errand.resume && errand.threads.is_empty());
    }

    #[test]
    fn what_the_pipeline_wants_is_read_as_it_was_written() {
        let wake = Wake {
            job: Job::Review,
            agent: None,
            stage: "Review".to_owned(),
            resume: true,
            comments: vec![1, 2],
            threads: vec!["T".to_owned()],
            thread_comments: vec![9],
        };
        let errand = Errand::read(&Errand::context(&wake).unwrap()).unwrap();
        assert_eq!((errand.stage.as_deref(), errand.job, errand.resume), (Some("Review"), Job::Review, true));
        assert_eq!((errand.comments, errand.threads), (vec![1, 2], vec!["T".to_owned()]));
        assert_eq!(errand.thread_comments, [9]);
    }

    #[test]
    fn every_key_that_the_pipeline_writes_is_its_own_but_for_comments() {
        let wake = Wake {
            job: Job::Stage,
            agent: None,
            stage: "Plan".to_owned(),
            resume: false,
            comments: vec![1],
            threads: Vec::new(),
            thread_comments: Vec::new(),
        };
        let Value::Object(written) = Errand::context(&wake).unwrap().as_value() else { unreachable!() };
        for key in written.keys().filter(|key| *key != COMMENT_IDS) {
            assert_eq!(Errand::reserved([key]), Some(key.as_str()));
        }
        assert_eq!(Errand::reserved(&["note".to_owned(), COMMENT_IDS.to_owned()]), None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_its_key() {
        let refused = |json| read(json).unwrap_err();
        assert_eq!(refused(r#"{"stage":7}"#), "`stage` in the context must be a text, and not 7");
        assert_eq!(
            refused(r#"{"job":"sleep"}"#),
            "`job` in the context must be one of stage, comments, review, ci_fix, rebase, and not \"sleep\""
        );
        assert_eq!(refused(r#"{"resume":1}"#), "`resume` in the context must be true or false, and not 1");
        assert!(refused(r#"{"threads":[1]}"#).contains("a list of texts"));
        assert!(refused(r#"{"thread_comments":"x"}"#).contains("a list of whole numbers"));
    }
}
