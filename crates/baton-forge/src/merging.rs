//! Everything that decides about the merge of a pull request, and the merge itself.
//!
//! * [`state`] decides, from plain values: what a pull request's merge state is, what stands in its way, what its reviews
//!   amount to.
//! * [`standing`] reads those values from the tables.
//! * [`referee`] makes the trial merges, and merges what waits to be merged by itself.
//! * [`carry_out`] merges, and [`recovery`] finishes what a crash interrupted.
//!
//! Whether two branches can be merged is not decided while somebody waits for an answer: a reader sees the last trial if it
//! is still about the two tips, and otherwise nothing, and thereby orders a new one.

pub(crate) mod auto_merge;
pub(crate) mod carry_out;
pub(crate) mod facts;
pub(crate) mod recovery;
pub(crate) mod referee;
pub(crate) mod standing;
pub(crate) mod state;
