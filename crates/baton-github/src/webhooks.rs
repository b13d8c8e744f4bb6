//! What GitHub's webhooks say, as news.
//!
//! Whom an event is about comes from its facts alone: the number of the issue, the branch of the same repository that a pull
//! request comes from, or GitHub's own name of the issue. No text is ever read. Anything that is not known, and any event
//! that cannot make a difference to the relay, is no news.
//!
//! Payloads come from outside. They are read in place, without building a tree of them, and what is nested too deeply is
//! refused, so that neither memory nor the stack depends on what they contain.

mod events;
mod object;
mod payload;
mod signature;

use baton_core::board::News;

use events::Reader;
use payload::Payload;

pub use events::REPOSITORY_EVENTS;
pub use signature::is_signed;

/// The longest name of a label or of GitHub's own for an issue that is taken in, in bytes. GitHub's labels have at most 50
/// characters.
const NAME_BYTES_MAX: usize = 255;

/// A payload is not what its event promises.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It is not even text.
    #[error("the payload is not UTF-8 text")]
    NotUtf8(#[from] std::str::Utf8Error),
    /// It is not an object of JSON.
    #[error("the payload is not an object of JSON")]
    NotJson(#[source] serde_json::Error),
    /// A field is not of the kind that it should be.
    #[error("the field `{field}` of the payload cannot be read")]
    Field {
        /// Which.
        field: &'static str,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// A field is missing.
    #[error("the payload has no `{0}`")]
    Missing(&'static str),
    /// A name is not one.
    #[error("the field `{field}` of the payload is no valid name: it has {bytes} bytes")]
    Name {
        /// Which.
        field: &'static str,
        /// How long it is.
        bytes: usize,
    },
}

/// Reads what a webhook says. `branch_issue` tells which issue is worked on in a branch, from the branch's name.
pub fn decode(
    event: &str,
    payload: &[u8],
    branch_issue: &dyn Fn(&str) -> Option<u64>,
) -> Result<Vec<News>, DecodeError> {
    if !events::is_of_interest(event) {
        return Ok(Vec::new());
    }
    let payload = Payload::read(std::str::from_utf8(payload)?)?;
    Reader { payload: &payload, branch_issue }.news_of(event)
}
