//! The server side of a simulated tracker: one state, everything that happens to it, and everybody who is told.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_core::RepoSlug;
use baton_core::board::{Happening, News, Subject};
use baton_core::claim::Protocol;
use baton_core::claim::lease::PROTOCOL_REF;
use baton_core::time::ServerTime;
use baton_core::tracker::{IssueKey, Permission};

use super::later::{CheckLuck, Later};
use super::state::{Change, Objects, Repo, Rules, State};
use crate::world::alive::Alive;
use crate::world::clock::{NOON_S, pass};
use crate::world::dice::Dice;
use crate::world::scene::Scene;

/// Somebody who is told news.
type Listener = Arc<dyn Fn(u64, &News) + Send + Sync>;

/// The server of a tracker.
pub struct Hub {
    /// The world that it is in.
    pub(crate) scene: Arc<Scene>,
    inner: Mutex<Inner>,
    pub(crate) dice: Dice,
    luck: CheckLuck,
    alive: Alive,
}

struct Inner {
    state: Arc<State>,
    objects: Objects,
    /// What was, for reads that lag.
    past: VecDeque<(u64, Arc<State>)>,
    listeners: Vec<Listener>,
}

impl Hub {
    /// Makes an empty one.
    pub fn new(scene: &Arc<Scene>) -> Arc<Self> {
        let inner = Inner {
            state: Arc::default(),
            objects: Objects::default(),
            past: VecDeque::new(),
            listeners: Vec::new(),
        };
        let dice = Dice::new(scene.seed, "tracker");
        let luck = scene.knobs.checks;
        Arc::new(Self {
            scene: Arc::clone(scene),
            inner: Mutex::new(inner),
            dice,
            luck,
            alive: Alive::default(),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the agents that are alive anywhere.
    pub(crate) fn alive(&self) -> &Alive {
        &self.alive
    }

    /// Returns the server's clock.
    pub(crate) fn date(&self) -> ServerTime {
        ServerTime(NOON_S + i64::try_from(self.scene.now_ms() / 1000).unwrap_or(i64::MAX))
    }

    /// Tells somebody of everything that happens from now on, as far as webhooks do.
    pub(crate) fn listen(&self, listener: Listener) {
        self.inner().listeners.push(listener);
    }

    /// Shows the state as it is now.
    pub(crate) fn truth(&self) -> Arc<State> {
        Arc::clone(&self.inner().state)
    }

    /// Shows something as it is now, or as it was a moment ago.
    pub(crate) fn look<T>(&self, is_fresh: bool, show: impl FnOnce(&State, &Objects) -> T) -> T {
        let lag = match is_fresh || !self.scene.are_faults_on() {
            true => 0,
            false => self.dice.below(self.scene.knobs.lag_ms + 1),
        };
        let then = self.scene.now_ms().saturating_sub(lag);
        let inner = self.inner();
        let was = inner.past.iter().rev().find(|(at, _)| *at <= then).or_else(|| inner.past.front());
        let state = if lag == 0 { &inner.state } else { was.map_or(&inner.state, |(_, state)| state) };
        show(state, &inner.objects)
    }

    /// Changes something at once, and lets happen what follows from it.
    pub(crate) fn change<T>(self: &Arc<Self>, make: impl FnOnce(&mut Change<'_>) -> T) -> T {
        let now = self.date();
        let (made, news, later) = {
            let mut inner = self.inner();
            let Inner { state, objects, .. } = &mut *inner;
            let mut change =
                Change { state: Arc::make_mut(state), objects, now, news: Vec::new(), later: Vec::new() };
            let made = make(&mut change);
            let (news, later) = (change.news, change.later);
            inner.keep_past(self.scene.now_ms(), self.scene.knobs.lag_ms);
            (made, news, later)
        };
        later.into_iter().for_each(|later| self.schedule(later));
        news.into_iter().for_each(|(issue, what)| self.announce(&issue, &what));
        made
    }

    fn schedule(self: &Arc<Self>, later: Later) {
        let hub = Arc::clone(self);
        tokio::spawn(async move {
            pass(later.after).await;
            hub.say("tracker", &format_args!("{:?}", later.what));
            let (dice, luck) = (hub.dice.clone(), hub.luck);
            hub.change(|change| later.what.happen(change, &dice, luck));
        });
    }

    /// Sends webhooks: some are lost, some come twice, and none comes at once.
    fn announce(self: &Arc<Self>, issue: &IssueKey, what: &Happening) {
        let listeners = self.inner().listeners.clone();
        let (knobs, is_on) = (&self.scene.knobs, self.scene.are_faults_on());
        for listener in listeners {
            if is_on && self.dice.per_mille(knobs.hooks_lost) {
                self.scene.count("webhooks lost");
                continue;
            }
            let copies = if is_on && self.dice.per_mille(knobs.hooks_doubled) { 2 } else { 1 };
            if copies == 2 {
                self.scene.count("webhooks doubled");
            }
            let id = self.dice.bits64();
            for _ in 0..copies {
                let delay = self.dice.millis(20, if is_on { knobs.hooks_delay_ms.max(20) } else { 500 });
                let (listener, about) = (Arc::clone(&listener), Subject::Issue(issue.clone()));
                let news = News { about, what: what.clone() };
                tokio::spawn(async move {
                    pass(delay).await;
                    listener(id, &news);
                });
            }
        }
    }

    /// Writes a line into the log.
    pub(crate) fn say(&self, who: &str, what: &impl Display) {
        self.scene.tell(&format!("{who}: {what}"));
    }

    /// Makes a repository with one commit.
    pub(crate) fn make_repo(self: &Arc<Self>, slug: &RepoSlug, rules: Rules) {
        self.change(|change| {
            let root = change.objects.commit("the beginning", Vec::new(), change.now);
            let declared = change.objects.commit(&Protocol::Ref.declaration(), Vec::new(), change.now);
            let repo = Repo {
                default_branch: "main".to_owned(),
                issues: std::collections::BTreeMap::new(),
                pulls: std::collections::BTreeMap::new(),
                comments: std::collections::BTreeMap::new(),
                refs: [("refs/heads/main".to_owned(), root.oid), (PROTOCOL_REF.to_owned(), declared.oid)]
                    .into(),
                checks: std::collections::BTreeMap::new(),
                labels: std::collections::BTreeMap::new(),
                rules,
                last_number: 0,
            };
            change.state.repos.insert(slug.clone(), repo);
        });
    }
}

impl Inner {
    /// Keeps the state as one that reads may still show for a while.
    fn keep_past(&mut self, now_ms: u64, lag_ms: u64) {
        if self.past.back().is_some_and(|(at, _)| *at == now_ms) {
            self.past.pop_back();
        }
        self.past.push_back((now_ms, Arc::clone(&self.state)));
        // The newest that is older than the longest lag is still shown.
        while self.past.len() > 1 && self.past[1].0 + lag_ms < now_ms {
            self.past.pop_front();
        }
    }
}

/// Returns what somebody may do: engines and people of the team write, strangers read.
pub(crate) fn permission(login: &str) -> Permission {
    match login {
        "eve" => Permission::Read,
        _ => Permission::Write,
    }
}
