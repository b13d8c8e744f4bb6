//! The engine in a storm: several engines at one board, engines that are killed at every write, and a tracker that fails.
//! Everything is real: the binary, the forge, git, the stores and the agents' processes; only the agents' words are scripted.

mod end_state;
mod faults;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod journal;
mod kills;
mod runs;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod setup;
mod together;
