//! The engine in a storm: several engines at one board, engines that are killed at every write, and a tracker that fails.
//! Everything is real: the binary, the forge, git, the stores and the agents' processes; only the agents' words are scripted.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, and fails where it stands"
)]

#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod desk;
#[expect(dead_code, reason = "others throw in more ways")]
#[path = "../fleet/dice.rs"]
mod dice;
mod end_state;
mod faults;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod journal;
mod kills;
#[expect(dead_code, reason = "it strikes in more ways than are needed here")]
#[path = "../claims/proxy.rs"]
mod proxy;
#[path = "../support/mod.rs"]
mod support;
mod together;
#[expect(dead_code, reason = "others wait for more")]
#[path = "../claims/waiting.rs"]
mod waiting;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod world;
