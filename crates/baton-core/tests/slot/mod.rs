//! The rules of the one slot of an issue, each in every branch, and what must hold after any of them.
//!
//! Every step that a test takes goes through a [`world::World`], which applies the changes one by one and checks the
//! invariants after each; so a scenario tests more than it says. Stores are not tested here.

mod checks;
mod steps;
mod world;

mod counting;
mod deciding;
mod finishing;
mod freeing;
mod healing;
mod random;
mod removals;
mod retrying;
mod starting;
mod steering;
mod users;
mod waking;
