//! Traces in words: what each step of a violation was, for the person who reads it.

use baton_core::claim::step::Ask;
use baton_core::claim::text::{self, ClaimState, Marker};

use crate::claims_model::actor::{Actor, Program};
use crate::claims_model::setup::Setup;
use crate::claims_model::turn::{Fate, Sending, View};
use crate::claims_model::world::{Action, World};

/// Tells one step; what goes without saying is left out.
pub(crate) fn line(setup: &Setup, before: &World, after: &World, action: Action) -> Option<String> {
    let name = |actor: usize| setup.name(actor);
    let what = match action {
        Action::Tick => return None,
        Action::Act(actor, Sending { view, fate, .. }) => {
            let ask = asked(before, actor)?;
            let verdict = verdict(before, after, actor);
            format!("{} {ask}{}{}{verdict}", name(actor), seen(view), fated(fate))
        }
        Action::Hear(actor) => {
            format!("{} hears the answer late{}", name(actor), verdict(before, after, actor))
        }
        Action::Stall(actor) => {
            let ask = asked(before, actor)?;
            format!("{} stalls just before it {ask}", name(actor))
        }
        Action::Crash(actor) => format!("{} dies", name(actor)),
        Action::Renew(actor) => format!("{} begins to renew", name(actor)),
        Action::HandBack(actor, index) => {
            format!("{} begins to hand back to {}", name(actor), setup.handovers[index])
        }
        Action::Land(_) => "a request that was given up arrives".to_owned(),
    };
    Some(format!("  {:>2} s  {what}", before.now.0))
}

fn asked(world: &World, actor: usize) -> Option<String> {
    match &*world.actors[actor].value {
        Actor::Busy(busy) => wording(&busy.ask),
        Actor::Unborn => Some("starts with a first read".to_owned()),
        _ => None,
    }
}

fn wording(ask: &Ask) -> Option<String> {
    Some(match ask {
        Ask::Issue => "reads the issue".to_owned(),
        Ask::Comments => "reads the comments".to_owned(),
        Ask::LabelEvents => "reads the label events".to_owned(),
        Ask::Tip => "reads the claim ref".to_owned(),
        Ask::Post(body) => format!("posts {}", marker(body)),
        Ask::Edit(id, body) => format!("edits comment {id} to {}", marker(body)),
        Ask::AddLabels(labels) => format!("adds {}", labels.join(", ")),
        Ask::RemoveLabel(label) => format!("removes {label}"),
        Ask::Commit { message, .. } => format!("writes a commit: {}", marker(message)),
        Ask::Create(oid) => format!("creates the claim ref at {}", &oid[..6]),
        Ask::Advance(oid) => format!("advances the claim ref to {}", &oid[..6]),
        Ask::Wait(_) => return None,
    })
}

fn marker(body: &str) -> String {
    match text::read(body) {
        Some(Marker::Claim(claim)) if claim.state == ClaimState::Bid => format!("a bid by {}", claim.holder),
        Some(Marker::Claim(claim)) => format!("a hold by {}", claim.holder),
        Some(Marker::Release(release)) => {
            let to = release.to.map(|to| format!(" to {to}")).unwrap_or_default();
            format!("a release of {} ({}){to}", release.holder, release.outcome)
        }
        None => "text".to_owned(),
    }
}

fn seen(view: View) -> &'static str {
    match view {
        View::Fresh => "",
        View::Old(_) => ", as they were earlier",
        View::OldButOwn(_) => ", and sees of others only what is older",
    }
}

fn fated(fate: Fate) -> &'static str {
    match fate {
        Fate::Heard => "",
        Fate::HeardLate => "; the answer is late",
        Fate::AnswerLost => "; the answer is lost",
        Fate::Lost => "; the request is lost",
        Fate::Adrift => "; it gives up, and the request is on its way",
    }
}

fn verdict(before: &World, after: &World, actor: usize) -> String {
    let was_handing_back = matches!(&*before.actors[actor].value,
        Actor::Busy(busy) if matches!(busy.program, Program::Handback(_)));
    match &*after.actors[actor].value {
        Actor::Holding(_) => " => holds".to_owned(),
        Actor::Over(end) => format!(" => {end:?}").to_lowercase(),
        Actor::Busy(busy) if was_handing_back && busy.is_done_working => " => has done its work".to_owned(),
        Actor::Busy(_) | Actor::Unborn => String::new(),
    }
}
