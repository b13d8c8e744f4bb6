//! The memory store keeps the rules that it is the specification of; and the checks notice when a rule is left out.

mod grounds;
mod model;

use grounds::InMemory;

baton_sim::conformance_suite!(InMemory);
