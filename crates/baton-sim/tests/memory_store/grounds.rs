//! Memory stores to stand on.

use std::time::Duration;

use baton_sim::conformance::Ground;
use baton_sim::{HandClock, MemoryStore};

macro_rules! ground {
    ($name:ident, $make:expr) => {
        pub(crate) struct $name {
            store: MemoryStore,
            clock: HandClock,
        }

        impl Ground for $name {
            type Store = MemoryStore;

            async fn fresh() -> Self {
                let clock = HandClock::default();
                Self { store: $make(clock.clone()), clock }
            }

            fn store(&self) -> MemoryStore {
                self.store.clone()
            }

            async fn advance(&self, by: Duration) {
                self.clock.advance(by);
            }
        }
    };
}

ground!(InMemory, MemoryStore::new);
ground!(InMemoryWithoutRowLock, |clock| MemoryStore::new(clock).without_row_lock());
