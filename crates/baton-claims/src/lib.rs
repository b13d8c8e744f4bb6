//! Claims for programs: the fleet's functions under their known names, wired to GitHub and to this machine.
//!
//! Deliberately absent: rules (they are in `baton-core`) and printing (that is the binary's).
