//! The commands that people watch and steer an engine with, as they use them: the real binary, a forge, and the scripted agent.

mod boards;
mod endings;
mod looks;
mod pauses;
mod reloads;
mod setup;
