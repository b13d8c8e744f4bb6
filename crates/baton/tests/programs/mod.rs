//! The real programs of agents, Claude Code, Codex and Gemini, against a model server of our own on loopback: through our
//! command lines, our supervisor, our reader of lines and our judge.
//!
//! They know nothing of Baton, so they cannot share its mistakes about their options, their lines, their signals and their
//! sessions. Nothing leaves this machine, and no key is a real one.

mod claude;
mod codex;
mod gemini;
mod model_server;
mod program_home;
