//! Trouble, thrown by dice: workers are killed or stopped past their lease, connections are cut, and once the server is
//! gone for longer than any lease lasts.

use std::time::{Duration, Instant};

use baton_fixtures::Dice;

use crate::fleet::crew::Crew;
use crate::fleet::ground::Server;
use crate::fleet::season::{KILL_GRACE, TTL};

/// How many workers may stand still at once, of four.
const STOPPED_MAX_OF_FOUR: usize = 1;

/// What was done.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) kills: usize,
    pub(crate) stops: usize,
    pub(crate) cuts: usize,
    pub(crate) sessions_cut: usize,
    pub(crate) outages: usize,
}

pub(crate) struct Trouble<'a> {
    dice: Dice,
    server: Option<Server<'a>>,
    next: Instant,
    outage_at: Instant,
    back_at: Option<Instant>,
    pub(crate) done: Done,
}

impl<'a> Trouble<'a> {
    /// Expects trouble for about so long.
    pub(crate) fn new(dice: Dice, server: Option<Server<'a>>, about: Duration) -> Self {
        let now = Instant::now();
        let (next, outage_at) = (now + Duration::from_secs(1), now + about / 2);
        Self { dice, server, next, outage_at, back_at: None, done: Done::default() }
    }

    /// Does what is due.
    pub(crate) fn strike(&mut self, crew: &mut Crew) {
        let now = Instant::now();
        if self.back_at.is_some_and(|at| at <= now) {
            self.restore();
        }
        if self.server.is_some() && self.done.outages == 0 && self.outage_at <= now {
            self.outage(now);
        }
        if self.next <= now {
            self.next = now + Duration::from_millis(self.dice.between(250, 900));
            self.strike_one(crew);
        }
    }

    fn strike_one(&mut self, crew: &mut Crew) {
        match (self.dice.up_to(99), self.server) {
            (0..20, Some(server)) if self.back_at.is_none() => {
                self.done.cuts += 1;
                self.done.sessions_cut += server.cut();
            }
            (0..60, _) => self.kill(crew),
            _ => self.stop(crew),
        }
    }

    fn kill(&mut self, crew: &mut Crew) {
        if let Some(at) = self.victim(crew) {
            crew.kill(at);
            self.done.kills += 1;
        }
    }

    /// Stops a worker until its lease is over, and for long enough that its runs are another's.
    fn stop(&mut self, crew: &mut Crew) {
        let is_enough = (crew.size() - crew.at_work().len()) * 4 > crew.size() * STOPPED_MAX_OF_FOUR;
        let long = TTL + KILL_GRACE + Duration::from_millis(self.dice.between(200, 3_000));
        if let Some(at) = self.victim(crew).filter(|_| !is_enough) {
            crew.stop(at, long);
            self.done.stops += 1;
        }
    }

    /// Chooses a worker, usually one that has an agent.
    fn victim(&mut self, crew: &Crew) -> Option<usize> {
        let with_agents = if self.dice.percent(85) { crew.with_agents() } else { Vec::new() };
        let chosen = self.dice.choose(&with_agents).copied();
        chosen.or_else(|| self.dice.choose(&crew.at_work()).copied())
    }

    fn outage(&mut self, now: Instant) {
        let long = TTL + Duration::from_millis(self.dice.between(500, 2_000));
        self.server.iter().for_each(|server| server.stop());
        (self.done.outages, self.back_at) = (1, Some(now + long));
    }

    /// Ends an outage, if there is one.
    pub(crate) fn restore(&mut self) {
        if self.back_at.take().is_some() {
            self.server.iter().for_each(|server| server.start_again());
        }
    }
}
