//! Whoever acts in the model: workers and a sweeper, each running the machines of the product.
//!
//! A worker acquires, holds, perhaps renews, and hands back. What it has asked and not yet heard is part of its state,
//! so that it can be late or die with a request decided, sent or answered.

use baton_core::claim::bid::Bid;
use baton_core::claim::handback::{Handback, HandedBack};
use baton_core::claim::renewal::{Renewal, Renewed};
use baton_core::claim::step::{Acquired, Answer, Ask, Machine, Step};
use baton_core::claim::swap::Swap;
use baton_core::claim::sweep::Sweep;
use baton_core::claim::{Lease, Protocol};

use crate::claims_model::server::Tick;
use crate::claims_model::setup::Setup;

/// One of the machines at work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    Bid(Bid),
    Swap(Swap),
    Renewal(Renewal),
    Handback(Handback),
    Sweep(Sweep),
}

/// What a machine wants, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Next {
    Ask(Ask),
    /// Won, renewed, or not renewed and still held until the deadline.
    Held(Lease),
    Over(End),
}

/// How an actor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Lost,
    Refused,
    Failed,
    Released,
    Swept,
    /// Its own deadline came.
    Stopped,
    Crashed,
}

impl Program {
    /// A worker's attempt, or the sweep.
    pub(crate) fn first(setup: &Setup, actor: usize, now: Tick) -> Self {
        let terms = setup.terms.clone();
        if actor >= setup.workers {
            return Self::Sweep(Sweep::new(terms, setup.sweep_rules()));
        }
        Self::claim(setup, actor, now)
    }

    /// An attempt to acquire.
    pub(crate) fn claim(setup: &Setup, worker: usize, now: Tick) -> Self {
        let (terms, claimant) = (setup.terms.clone(), setup.claimant(worker));
        match setup.protocol {
            Protocol::Comment => Self::Bid(Bid::new(terms, claimant, now.boot())),
            Protocol::Ref if setup.guesses => {
                Self::Swap(Swap::guessing(terms, claimant, now.boot(), now.server()))
            }
            Protocol::Ref => Self::Swap(Swap::new(terms, claimant, now.boot())),
        }
    }

    pub(crate) fn begin(&mut self, now: Tick) -> Next {
        let now = now.boot();
        match self {
            Self::Bid(machine) => acquired(machine.begin(now)),
            Self::Swap(machine) => acquired(machine.begin(now)),
            Self::Renewal(machine) => renewed(machine.begin(now)),
            Self::Handback(machine) => handed_back(machine.begin(now)),
            Self::Sweep(machine) => swept(machine.begin(now)),
        }
    }

    pub(crate) fn answered(&mut self, sent_at: Tick, now: Tick, answer: Answer) -> Next {
        let (sent_at, now) = (sent_at.boot(), now.boot());
        match self {
            Self::Bid(machine) => acquired(machine.answered(sent_at, now, answer)),
            Self::Swap(machine) => acquired(machine.answered(sent_at, now, answer)),
            Self::Renewal(machine) => renewed(machine.answered(sent_at, now, answer)),
            Self::Handback(machine) => handed_back(machine.answered(sent_at, now, answer)),
            Self::Sweep(machine) => swept(machine.answered(sent_at, now, answer)),
        }
    }
}

fn acquired(step: Step<Acquired>) -> Next {
    match step {
        Step::Ask(ask) => Next::Ask(ask),
        Step::Done(Acquired::Won(lease)) => Next::Held(lease),
        Step::Done(Acquired::Lost { .. }) => Next::Over(End::Lost),
        Step::Done(Acquired::Refused(_)) => Next::Over(End::Refused),
        Step::Done(Acquired::Failed(why)) => over_failed(&why),
    }
}

fn renewed(step: Step<Renewed>) -> Next {
    match step {
        Step::Ask(ask) => Next::Ask(ask),
        Step::Done(Renewed::Held(lease) | Renewed::Failed { lease, .. }) => Next::Held(lease),
        Step::Done(Renewed::Lost { .. }) => Next::Over(End::Lost),
    }
}

fn handed_back(step: Step<HandedBack>) -> Next {
    match step {
        Step::Ask(ask) => Next::Ask(ask),
        Step::Done(HandedBack::Released) => Next::Over(End::Released),
        Step::Done(HandedBack::Lost { .. }) => Next::Over(End::Lost),
        Step::Done(HandedBack::Refused(_)) => Next::Over(End::Refused),
        Step::Done(HandedBack::Failed(why)) => over_failed(&why),
    }
}

fn swept<V>(step: Step<V>) -> Next {
    match step {
        Step::Ask(ask) => Next::Ask(ask),
        Step::Done(_) => Next::Over(End::Swept),
    }
}

fn over_failed(why: &str) -> Next {
    assert!(!why.contains("not asked for"), "the model answered wrongly: {why}");
    Next::Over(End::Failed)
}

/// A hold as its worker knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Hold {
    pub(crate) lease: Lease,
    pub(crate) renewals_left: u8,
    /// Where it is being handed back to.
    pub(crate) to: Option<&'static str>,
}

/// An actor with a machine at work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Busy {
    pub(crate) program: Program,
    pub(crate) ask: Ask,
    pub(crate) asked_at: Tick,
    /// When it was stalled, before the ask took effect.
    pub(crate) stalled_at: Option<Tick>,
    /// An answer that is late: when it was asked for, when it was given, and what it says.
    pub(crate) late: Option<(Tick, Tick, Answer)>,
    /// The hold that is being renewed or handed back.
    pub(crate) hold: Option<Hold>,
    /// Whether its work on the issue is over, up to the release.
    pub(crate) is_done_working: bool,
}

/// Where an actor is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Actor {
    Unborn,
    Busy(Box<Busy>),
    Holding(Box<Hold>),
    Over(End),
}

impl Actor {
    /// Starts a machine.
    pub(crate) fn start(mut program: Program, hold: Option<Hold>, setup: &Setup, now: Tick) -> Self {
        let next = program.begin(now);
        Self::continued(program, next, hold, setup, now)
    }

    /// Goes on after a machine's step.
    pub(crate) fn continued(
        program: Program,
        next: Next,
        hold: Option<Hold>,
        setup: &Setup,
        now: Tick,
    ) -> Self {
        match next {
            Next::Ask(ask) => {
                let is_done_working =
                    matches!(&program, Program::Handback(machine) if machine.is_letting_go());
                Self::Busy(Box::new(Busy {
                    program,
                    ask,
                    asked_at: now,
                    stalled_at: None,
                    late: None,
                    hold,
                    is_done_working,
                }))
            }
            Next::Held(lease) => {
                let renewals_left = hold.map_or(setup.renewals, |hold| hold.renewals_left);
                Self::Holding(Box::new(Hold { lease, renewals_left, to: None }))
            }
            Next::Over(end) => Self::Over(end),
        }
    }

    /// The hold, if this one believes to have one.
    pub(crate) fn hold(&self) -> Option<&Hold> {
        match self {
            Self::Holding(hold) => Some(hold),
            Self::Busy(busy) => busy.hold.as_ref(),
            Self::Unborn | Self::Over(_) => None,
        }
    }

    /// Returns whether someone works on the issue now. By its own deadline that has ended; without one it goes on
    /// whenever the worker is awake.
    pub(crate) fn is_working(&self, setup: &Setup, now: Tick) -> bool {
        let Some(hold) = self.hold() else { return false };
        let (is_done, is_stalled) = match self {
            Self::Busy(busy) => (busy.is_done_working, busy.stalled_at.is_some() || busy.late.is_some()),
            _ => (false, false),
        };
        let is_stopped = if setup.has_deadline() { hold.lease.is_over(now.boot()) } else { is_stalled };
        !is_done && !is_stopped
    }
}
