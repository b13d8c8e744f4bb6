//! Both stores against real databases. What every store must do is in the conformance suite; here is what is special to
//! databases: schemas, indexes, locks, clocks, connections and nudges.

mod locks;
mod migrations;
mod nudges;
mod reach;
mod refusals;
mod relay;
mod support;
