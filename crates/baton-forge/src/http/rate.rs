//! Primary rate limits: so many requests per hour and token (searches: per minute), by resource.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::sync::lock;

/// Windows are dropped once they have ended; this bounds how many strangers' can pile up in between.
const WINDOWS_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Resource {
    Core,
    Search,
    Graphql,
}

impl Resource {
    /// How long a budget lasts.
    fn window_s(self) -> i64 {
        match self {
            Self::Search => 60,
            Self::Core | Self::Graphql => 3_600,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Search => "search",
            Self::Graphql => "graphql",
        }
    }
}

/// Where a token stands in one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) limit: u64,
    pub(crate) used: u64,
    pub(crate) reset: i64,
    pub(crate) resource: Resource,
}

impl Standing {
    pub(crate) fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: i64,
    used: u64,
}

/// Windows by token; requests without one share token 0.
#[derive(Debug, Default)]
pub(crate) struct RateLimits {
    windows: Mutex<BTreeMap<(i64, Resource), Window>>,
}

impl RateLimits {
    /// Takes one request from the budget; `Err` is an empty budget.
    pub(crate) fn take(
        &self,
        token: i64,
        resource: Resource,
        limit: u64,
        now: i64,
    ) -> Result<Standing, Standing> {
        self.take_points((token, resource), limit, now, 1)
    }

    /// Takes so many points at once, or none: `Err` is a budget that holds less.
    pub(crate) fn take_points(
        &self,
        (token, resource): (i64, Resource),
        limit: u64,
        now: i64,
        points: u64,
    ) -> Result<Standing, Standing> {
        let mut windows = lock(&self.windows);
        let window = current(&mut windows, token, resource, now);
        let allowed = window.used.saturating_add(points) <= limit;
        window.used += if allowed { points } else { 0 };
        let standing = Standing { limit, used: window.used, reset: window.ends, resource };
        if allowed { Ok(standing) } else { Err(standing) }
    }

    /// Gives a request back: GitHub does not count an answer of 304.
    pub(crate) fn give_back(&self, token: i64, standing: &mut Standing) {
        let mut windows = lock(&self.windows);
        if let Some(window) = windows.get_mut(&(token, standing.resource)) {
            window.used = window.used.saturating_sub(1);
            standing.used = window.used;
        }
    }

    pub(crate) fn standing(&self, token: i64, resource: Resource, limit: u64, now: i64) -> Standing {
        let mut windows = lock(&self.windows);
        let window = current(&mut windows, token, resource, now);
        Standing { limit, used: window.used.min(limit), reset: window.ends, resource }
    }
}

fn current(
    windows: &mut BTreeMap<(i64, Resource), Window>,
    token: i64,
    resource: Resource,
    now: i64,
) -> &mut Window {
    if windows.len() >= WINDOWS_MAX {
        windows.retain(|_, window| now < window.ends);
    }
    let fresh = Window { ends: now + resource.window_s(), used: 0 };
    let window = windows.entry((token, resource)).or_insert(fresh);
    // A clock that was moved back leaves a window that ends too late; it starts anew as well.
    if now >= window.ends || window.ends > now + resource.window_s() {
        *window = fresh;
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_given_back_and_renewed() {
        let limits = RateLimits::default();
        let take = |now| limits.take(7, Resource::Core, 2, now).map_err(|standing| standing.remaining());
        assert!(take(100).is_ok());
        let mut second = take(101).unwrap();
        assert_eq!(take(102), Err(0));
        limits.give_back(7, &mut second);
        assert_eq!(second.remaining(), 1);
        assert!(take(103).is_ok());
        assert_eq!(take(104), Err(0));
        assert_eq!(take(3_700).unwrap().remaining(), 1);
    }

    #[test]
    fn points_are_taken_together_or_not_at_all() {
        let limits = RateLimits::default();
        let take = |points| limits.take_points((7, Resource::Graphql), 10, 100, points).map(|all| all.used);
        assert_eq!(take(6), Ok(6));
        assert!(take(5).is_err());
        assert_eq!(take(4), Ok(10));
        assert!(take(1).is_err());
    }

    #[test]
    fn a_clock_moved_back_does_not_strand_a_spent_budget() {
        let limits = RateLimits::default();
        assert!(limits.take(7, Resource::Core, 1, 1_000_000).is_ok());
        assert!(limits.take(7, Resource::Core, 1, 1_000).is_ok());
    }
}
