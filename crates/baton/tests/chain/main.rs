//! Chains of pull requests: the real binary, the real forge, real pushes; with deaths at every request, people who edit
//! bodies meanwhile, and wrong commands.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, and fails where it stands"
)]

mod crashes;
mod gate;
mod mistakes;
mod opening;
mod people;
#[expect(dead_code, reason = "it strikes in more ways than are needed here")]
#[path = "../claims/proxy.rs"]
mod proxy;
#[expect(dead_code, reason = "claims need more of it")]
#[path = "../claims/seat.rs"]
mod seat;
mod siblings;
#[path = "../support/mod.rs"]
mod support;
mod until;
#[expect(dead_code, reason = "others wait for more")]
#[path = "../claims/waiting.rs"]
mod waiting;
mod world;
