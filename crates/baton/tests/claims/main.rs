//! Claims as people and machines mistreat them: the real binary against the real forge, with deaths and stops at every
//! request, tracker faults at every request, forged claims, labels changed by hand, and wrong commands.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test program: it starts and ends processes, waits for what they do, and fails where it stands"
)]

mod by_hand;
mod commands;
mod deaths;
mod faults;
mod held;
mod mistakes;
mod overrides;
#[expect(dead_code, reason = "others ask for more")]
mod proxy;
mod seat;
mod standing;
mod stops;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod victim;
mod waiting;
mod world;
