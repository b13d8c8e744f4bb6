//! One turn of one actor: it sends what it wants to ask, the tracker does it, and the actor hears of it.
//!
//! A turn depends on nothing but the actor, the second and what it sees of the tracker. The same turn comes up in very
//! many states, so it is taken once and remembered.

use std::collections::HashMap;

use baton_core::claim::step::{Answer, Ask, Failure};
use baton_core::labels;

use crate::claims_model::actor::{Actor, Busy, End};
use crate::claims_model::aftermath;
use crate::claims_model::search::Lowest;
use crate::claims_model::server::{Server, Tick};
use crate::claims_model::setup::Setup;
use crate::claims_model::world::Part;

/// What a read shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum View {
    /// Everything.
    Fresh,
    /// All but what came in the last seconds.
    Old(usize),
    /// The same, but with one's own comments as they are.
    OldButOwn(usize),
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fate {
    /// Done, and heard of at once.
    Heard,
    /// Done, and heard of in a later second.
    HeardLate,
    /// Done, and the answer was lost.
    AnswerLost,
    /// Not done, and nobody knows.
    Lost,
    /// Given up by the one who asked, and done at any later moment.
    Adrift,
}

impl Fate {
    pub(crate) fn is_loss(self) -> bool {
        matches!(self, Self::AnswerLost | Self::Lost | Self::Adrift)
    }
}

/// How a request is sent. After a stall, the clock may have been read before or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Sending {
    pub(crate) view: View,
    pub(crate) is_clock_old: bool,
    pub(crate) fate: Fate,
}

/// A turn that is to be taken.
#[derive(Hash)]
pub(crate) struct Turn<'a> {
    pub(crate) actor: usize,
    pub(crate) now: Tick,
    pub(crate) part: &'a Part<Actor>,
    pub(crate) sending: Sending,
}

/// What came of a turn.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) actor: Part<Actor>,
    /// The tracker, if it was changed.
    pub(crate) server: Option<Part<Server>>,
    pub(crate) adrift: Option<Ask>,
    pub(crate) is_label_unfenced: bool,
    pub(crate) is_finished: bool,
}

/// The turns that were taken before, by their fingerprints.
pub(crate) type Turns = HashMap<u128, Taken, std::hash::BuildHasherDefault<Lowest>>;

impl Turn<'_> {
    pub(crate) fn take(&self, setup: &Setup, seen: &Part<Server>) -> Taken {
        let Actor::Busy(busy) = &*self.part.value else { unreachable!("only who is at work has a turn") };
        let (mut busy, fate) = (busy.clone(), self.sending.fate);
        let is_label = matches!(busy.ask, Ask::AddLabels(_) | Ask::RemoveLabel(_));
        let is_late = busy.stalled_at.is_some() || fate == Fate::Adrift;
        let is_astray = self.actor >= setup.workers
            && aftermath::last_live_second(setup, &seen.value, self.now).is_some();
        let is_label_unfenced = is_label && (is_late || is_astray);
        let adrift = (fate == Fate::Adrift).then(|| busy.ask.clone());
        let (answer, server) = self.perform(setup, &busy.ask, &seen.value);
        let sent_at = if self.sending.is_clock_old { busy.asked_at } else { self.now };
        let (value, is_finished) = if fate == Fate::HeardLate {
            busy.stalled_at = None;
            busy.late = Some((sent_at, self.now, answer));
            (Actor::Busy(busy), false)
        } else {
            go_on(setup, self.now, *busy, sent_at, answer)
        };
        Taken { actor: Part::new(value), server, adrift, is_label_unfenced, is_finished }
    }

    fn perform(&self, setup: &Setup, ask: &Ask, seen: &Server) -> (Answer, Option<Part<Server>>) {
        match self.sending.fate {
            Fate::Lost => return (failed(ask.is_write()), None),
            Fate::Adrift => return (failed(true), None),
            Fate::Heard | Fate::HeardLate | Fate::AnswerLost => {}
        }
        if matches!(ask, Ask::Wait(_)) {
            return (Answer::Done, None);
        }
        if !ask.is_write() {
            return (seen.read(ask, self.now), None);
        }
        let mut server = seen.clone();
        let answer = server.write(ask, setup.name(self.actor), self.now);
        let answer = if self.sending.fate == Fate::AnswerLost { failed(true) } else { answer };
        (answer, Some(Part::new(server)))
    }
}

/// Lets an actor hear an answer; returns where it is then, and whether it has just finished the issue.
pub(crate) fn go_on(setup: &Setup, now: Tick, busy: Busy, sent_at: Tick, answer: Answer) -> (Actor, bool) {
    let busy = Box::new(busy);
    let actor = Actor::Busy(busy);
    let was_working = actor.is_working(setup, now);
    let Actor::Busy(busy) = actor else { unreachable!("it was made above") };
    let Busy { mut program, hold, .. } = *busy;
    let is_for_good = hold.as_ref().is_some_and(|hold| hold.to == Some(labels::PR_OPEN));
    let next = program.answered(sent_at, now, answer);
    let mut value = Actor::continued(program, next, hold, setup, now);
    if let Actor::Holding(hold) = &value
        && setup.has_deadline()
        && hold.lease.is_over(now.boot())
    {
        value = Actor::Over(End::Stopped);
    }
    let is_in_good_order = !matches!(value, Actor::Over(End::Lost | End::Failed | End::Refused));
    let has_ended = was_working && !value.is_working(setup, now);
    (value, is_for_good && has_ended && is_in_good_order)
}

fn failed(may_have_happened: bool) -> Answer {
    Answer::Failed(Failure { why: "no answer".to_owned(), may_have_happened })
}
