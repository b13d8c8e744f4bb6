//! A simulated world: the engine's own code on a paused clock, with a tracker, a store, machines, agents and people that
//! are all made up from one seed.
//!
//! There is one thread, no blocking pool and no real I/O; every wait goes through the runtime's paused clock, all chance comes
//! from [`Dice`], and maps are ordered. So a seed lives the same life twice, and a life that broke an invariant can be looked
//! at as often as it takes.
//!
//! Deliberately absent: rules. What an issue needs is decided by the engine alone; the world only notices.

mod alive;
mod campaign;
mod clock;
mod deliveries;
mod dice;
mod engine;
mod finale;
mod knobs;
mod life;
mod local_memory;
mod log;
mod machine;
mod mortal;
mod people;
mod plant;
mod programs;
mod scene;
mod script;
mod store;
mod tracker;
mod workspaces;

pub use campaign::{Tally, campaign, try_seed};
pub use clock::SimClock;
pub use dice::Dice;
pub use knobs::{AgentLuck, Knobs};
pub use life::{Life, live, live_without};
pub use local_memory::SimMemory;
pub use log::EventLog;
pub use machine::Machine;
pub use plant::{PLANTS, Plant, UnknownPlant};
pub use programs::{SimProgram, SimPrograms};
pub use scene::Scene;
pub use store::SimStore;
pub use tracker::{CheckLuck, Hub, SimTracker};
pub use workspaces::SimWorkspaces;
