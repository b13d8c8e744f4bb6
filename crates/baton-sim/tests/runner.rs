//! The memory store and the simulated worlds, in one program.

mod memory_store;
mod world;
