//! The engine in a storm: several engines at one board, engines that are killed at every write, and a tracker that fails.
//! Everything is real: the binary, the forge, git, the stores and the agents' processes; only the agents' words are scripted.

#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod desk;
use crate::fleet::dice;
mod end_state;
mod faults;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod journal;
mod kills;
use crate::claims::proxy;
mod together;
use crate::claims::waiting;
#[expect(dead_code, reason = "the benchmark of the engine asks for more")]
mod world;
