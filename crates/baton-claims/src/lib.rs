//! Claims for programs: the fleet's functions under their known names, wired to GitHub and to this machine.
//!
//! Deliberately absent: rules (they are in `baton-core`) and printing (that is the binary's).

#![expect(
    clippy::disallowed_methods,
    reason = "it owns the clock, the randomness, the state files and the locks of this machine"
)]

pub mod machine;
