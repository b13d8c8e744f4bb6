//! The pipeline: how an issue moves from stage to stage until its pull request is merged, as pure functions.
//!
//! [`assess`] is shown everything that is known of one issue and answers with exactly one step, and with the trail of
//! rules that led to it. [`enact`] says what a step comes to, [`settle`] what the end of a run comes to: effects to be
//! performed and what is to be remembered. [`repairs`] says what a crash may have left behind.
//!
//! | list | where | what it decides |
//! |---|---|---|
//! | upkeep | [`upkeep`] | labels that say what is not the case any more |
//! | guards | [`guards`] | whether the issue may be worked on |
//! | gates | [`gates`] | whether a finished stage may be left |
//!
//! A rule is one function and one row of its list. The list that decides is the list that explains and the list that
//! the documentation is made of.
//!
//! Deliberately absent: reading the tracker, performing effects, and running agents; and any clock.

pub mod approval;
mod assess;
pub mod authors;
pub mod budget;
pub mod checks;
pub mod comments;
pub mod document;
mod draft;
pub mod effect;
mod enact;
pub mod explanation;
pub mod gates;
pub mod guards;
pub mod item;
pub mod label_table;
pub mod markers;
mod memory;
pub mod names;
pub mod notice;
pub mod outcome;
pub mod policy;
pub mod record;
mod repairs;
pub mod report;
pub mod sanity;
mod say;
mod settle;
pub mod stage;
pub mod step;
pub mod trail;
pub mod turns;
pub mod upkeep;
pub mod view;
pub mod voice;

pub use assess::{Assessment, assess, next_step};
pub use effect::{Effect, Settlement};
pub use enact::enact;
pub use explanation::Explanation;
pub use item::{Item, Moment};
pub use memory::Loop;
pub use outcome::{End, Outcome};
pub use policy::Policy;
pub use record::{Record, RecordError};
pub use repairs::{can_repair, repairs};
pub use settle::settle;
pub use stage::{Pipeline, Stage, StageKind};
pub use step::Step;
pub use trail::Trail;
pub use view::View;
