//! The tool `explain`: why an issue is moving or not, as the engine sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::session::{Session, as_argument, named};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::naming::Naming;
use crate::explain::live::Looked;

pub(super) struct Explain;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    issue: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The issue.
    issue: String,
    /// Its title.
    title: String,
    /// The stage that it is in, if its column has one.
    stage: Option<String>,
    /// What the engine would do next, in one sentence.
    sentence: String,
    /// The whole explanation, as `baton explain --json` prints it: the step, what it comes to, and the trail of rules.
    explanation: Map<String, Value>,
}

impl Tool for Explain {
    const NAME: &'static str = "explain";
    const TITLE: &'static str = "Explain an issue";
    const DESCRIPTION: &'static str = "Tells why an issue is moving or not: what the engine would do next and the rules that lead \
         to it. It changes nothing. Call it when an issue cannot be claimed, seems stuck, or waits and you want to know for \
         what.";
    const MANNER: Manner = Manner::READS;
    const WHEN_UNCLEAR: &'static str = "Nothing was changed; try again in a minute.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        let desk = session.desk()?;
        let naming = Naming { api_url: &desk.config().api_url, surroundings: &desk.surroundings };
        let issue = as_argument("issue", naming.issue(&named(&input.issue)?))?;
        let looked = Looked::at(desk, &issue)?;
        let Value::Object(explanation) = looked.shape() else {
            unreachable!("an explanation is an object");
        };
        let text = |name: &str| explanation[name].as_str().map(str::to_owned);
        let shape = Output {
            issue: issue.to_string(),
            title: text("title").unwrap_or_default(),
            stage: text("stage"),
            sentence: explanation["step"]["sentence"].as_str().unwrap_or_default().to_owned(),
            explanation,
        };
        Ok(Told { shape, words: looked.screen(false) })
    }
}
