//! Claims as people and machines mistreat them: the real binary against the real forge, with deaths and stops at every
//! request, tracker faults at every request, forged claims, labels changed by hand, and wrong commands.

mod by_hand;
mod commands;
mod deaths;
mod faults;
mod held;
mod mistakes;
mod overrides;
pub(crate) mod setup;
mod standing;
mod stops;
mod strangers;
mod victim;
