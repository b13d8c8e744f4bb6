//! The same events at the same time: what a lock is for.

use std::sync::Arc;

use baton_core::slot::Policy;
use tokio::sync::Mutex;

use super::ops::{Op, WORKERS};
use super::world::{Broken, Tracker, World};
use crate::conformance::Ground;

/// How many events happen at the same time before anybody looks.
const AT_ONCE: usize = 6;

/// Lives through a history in which events happen at the same time, a handful at once; time passes in between.
///
/// The workers of each handful have a world each, so that nothing but the store orders what they do. What they believe is
/// not compared here; what the store holds, and what reached agents and the tracker, is.
pub async fn live_at_once<G: Ground + 'static>(history: &[Op], policy: &Policy) -> Result<(), Broken> {
    let ground = Arc::new(G::fresh().await);
    let tracker = Tracker::default();
    let mut worlds = Vec::new();
    for at in 0..AT_ONCE {
        let shared = Shared(Arc::clone(&ground));
        let mut world = World::<Shared<G>>::new(shared, policy).await?;
        world.tracker = Arc::clone(&tracker);
        world.number_comments_from(1 + 1_000 * u64::try_from(at).unwrap());
        worlds.push(Arc::new(Mutex::new(world)));
    }
    for handful in history.chunks(AT_ONCE) {
        let mut doing = tokio::task::JoinSet::new();
        for (at, op) in handful.iter().enumerate() {
            let (world, op) = (Arc::clone(&worlds[at]), op.clone());
            doing.spawn(async move { world.lock().await.step(&op).await });
        }
        for done in doing.join_all().await {
            done?;
        }
        worlds[0].lock().await.check_rows().await?;
    }
    let mut worlds: Vec<_> =
        worlds.into_iter().map(|world| Arc::into_inner(world).unwrap().into_inner()).collect();
    let mut first = worlds.remove(0);
    for world in worlds {
        first.join(world);
    }
    first.come_to_rest().await?;
    first.check_end().await.map(|_| ())
}

/// One ground that several worlds stand on.
struct Shared<G>(Arc<G>);

impl<G: Ground> Ground for Shared<G> {
    type Store = G::Store;

    async fn fresh() -> Self {
        Self(Arc::new(G::fresh().await))
    }

    fn store(&self) -> G::Store {
        self.0.store()
    }

    async fn advance(&self, by: std::time::Duration) {
        self.0.advance(by).await;
    }
}

impl<G: Ground> World<G> {
    /// Lets no two worlds speak of the same comment.
    fn number_comments_from(&mut self, first: u64) {
        self.next_comment = first;
    }

    /// Takes over what another world has seen. Its workers are as good as dead.
    fn join(&mut self, other: Self) {
        debug_assert_eq!(other.workers.len(), WORKERS);
        self.seen.extend(other.seen);
        self.asked.extend(other.asked);
    }
}
