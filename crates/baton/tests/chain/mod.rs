//! Chains of pull requests: the real binary, the real forge, real pushes; with deaths at every request, people who edit
//! bodies meanwhile, and wrong commands.

mod crashes;
mod gate;
mod mistakes;
mod opening;
mod people;
mod setup;
mod siblings;
mod until;
