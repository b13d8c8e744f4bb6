//! A team adopts the relay: `baton init` and `baton doctor` in a fresh repository against a forge, by flags and by a person
//! before a real terminal; and every fault that the doctor knows, planted for real and found.

mod adopting;
mod checkout;
mod faults;
mod mistakes;
mod people;
mod planted;
mod terminal;
