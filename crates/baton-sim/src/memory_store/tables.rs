//! Rows that the port has no type of its own for.

use baton_core::slot::effect::Effect;
use baton_core::slot::{WorkerId, limits};
use baton_core::time::StoreTime;
use baton_ports::store::Delivery;

/// A counter.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    pub(super) in_use: i64,
    pub(super) max: Option<i64>,
}

impl Counter {
    pub(super) fn has_room(&self) -> bool {
        self.max.is_none_or(|max| self.in_use < max)
    }

    /// Returns whether a change of it is allowed.
    pub(super) fn allows(&self, count: &limits::Count) -> bool {
        !count.needs_room || self.has_room()
    }
}

/// An effect, and who was given it.
#[derive(Debug, Clone)]
pub(super) struct StoredEffect {
    pub(super) effect: Effect,
    pub(super) sender: Option<WorkerId>,
    pub(super) is_unclear: bool,
}

/// A delivery, and what became of it.
#[derive(Debug, Clone)]
pub(super) struct StoredDelivery {
    pub(super) delivery: Delivery,
    pub(super) order: usize,
    pub(super) at: StoreTime,
    pub(super) is_read: bool,
}
