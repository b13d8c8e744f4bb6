//! Chains of pull requests: one feature, one pull request in each of several repositories, each telling of the others.
//!
//! What a chain is ([`ChainRequest`], [`ChainState`]), what would be done about it ([`plan`]), and the part of each body
//! that is ours ([`with_section`]). Deliberately absent: trackers, files, and clocks.

mod body;
mod fences;
mod file;
mod plan;
mod request;
mod section;
mod state;

pub use body::with_section;
pub use file::parse_chain_file;
pub use plan::{Deed, PartSeen, Plan, PlannedPart, judge, plan};
pub use request::{ChainError, ChainRequest, PARTS_MAX, PartRequest, TITLE_CHARS_MAX};
pub use section::{Section, section_for};
pub use state::{ChainState, PartState, PartStatus, STATE_VERSION};
