//! Agents under their supervisor, with real processes: how they end, what they see and what is kept of them, and that
//! nothing of them is left when the engine or the supervisor is killed or stopped.

mod deaths;
mod endings;
mod engine;
mod floods;
mod logs;
mod remains;
mod reports;
mod sandboxes;
mod starts;
mod stops;
