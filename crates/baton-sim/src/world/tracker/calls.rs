//! One call of a client: how long it takes, and how it goes wrong.

use std::sync::Arc;
use std::time::Duration;

use baton_core::tracker::Dated;
use baton_ports::{TrackerError, TrackerErrorKind};
use tokio::sync::oneshot;

use super::client::SimTracker;
use super::state::{Change, Objects, State};
use crate::world::clock::pass;
use crate::world::plant::Plant;

pub(super) type Answer<T> = Result<T, TrackerError>;

/// How a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Luck {
    Fine,
    /// It fails, and nothing was done.
    Before,
    /// It fails after it was done.
    After,
    /// It fails, and is done a moment later.
    DoneLate,
    /// It fails in a way that tells nothing, and was not done.
    NotDone,
    /// There were too many calls.
    Limited(Duration),
    /// The account may not do it, and is told so for good.
    Forbidden,
}

impl SimTracker {
    /// Reads something.
    pub(super) async fn read<T>(
        &self,
        what: String,
        is_fresh: bool,
        show: impl FnOnce(&State, &Objects) -> Answer<T>,
    ) -> Answer<Dated<T>> {
        self.hub.scene.count("reads");
        pass(self.latency()).await;
        let answer = match self.luck() {
            Luck::Fine => self.hub.look(is_fresh, show),
            luck => Err(self.failed(luck, &what, false)),
        };
        let date = self.hub.date();
        pass(self.latency()).await;
        if let Err(error) = &answer {
            self.hub.say(&self.client, &format_args!("{what} → {:?}", error.kind));
        }
        answer.map(|value| Dated { value, date, pages: 1 })
    }

    /// Writes something. What was sent is not called back: it takes effect although its sender is dead by then.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        what: String,
        make: impl FnOnce(&mut Change<'_>) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.hub.scene.count("writes");
        let (sender, receiver) = oneshot::channel();
        let client = self.clone();
        tokio::spawn(async move { client.serve(&what, make, sender).await });
        receiver.await.unwrap_or_else(|_| Err(unavailable("a write", "the world ended")))
    }

    async fn serve<T>(
        &self,
        what: &str,
        make: impl FnOnce(&mut Change<'_>) -> Answer<T>,
        sender: oneshot::Sender<Answer<T>>,
    ) {
        pass(self.latency()).await;
        let luck = self.luck_of_a_write();
        let is_done = matches!(luck, Luck::Fine | Luck::After);
        let say = |answer: &Answer<T>| {
            let word = answer.as_ref().map_or_else(|error| format!("{:?}", error.kind), |_| "ok".to_owned());
            self.hub.say(&self.client, &format_args!("{what} → {word} ({luck:?})"));
        };
        if is_done {
            let made = self.hub.change(make);
            let answer = if luck == Luck::Fine { made } else { Err(self.failed(luck, what, true)) };
            say(&answer);
            pass(self.latency()).await;
            // Nobody may be waiting any more.
            let _ = sender.send(answer);
            return;
        }
        let answer = Err(self.failed(luck, what, true));
        say(&answer);
        pass(self.latency()).await;
        let _ = sender.send(answer);
        if luck == Luck::DoneLate {
            pass(self.hub.dice.millis(10, 3_000)).await;
            let is_made = self.hub.change(make).is_ok();
            self.hub.say(&self.client, &format_args!("{what} takes effect late: {is_made}"));
        }
    }

    fn latency(&self) -> Duration {
        self.hub.dice.millis(5, self.hub.scene.knobs.latency_ms)
    }

    fn luck_of_a_write(&self) -> Luck {
        let scene = &self.hub.scene;
        match scene.are_faults_on() && scene.knobs.is_forbidden(scene.now_ms()) {
            true => Luck::Forbidden,
            false => self.luck(),
        }
    }

    fn luck(&self) -> Luck {
        let (scene, dice) = (&self.hub.scene, &self.hub.dice);
        if !scene.are_faults_on() {
            return Luck::Fine;
        }
        if let Some(wait) = scene.knobs.limited(scene.now_ms()) {
            return Luck::Limited(wait);
        }
        if dice.per_mille(scene.knobs.error_before) {
            return Luck::Before;
        }
        if dice.per_mille(scene.knobs.error_after) {
            return *dice
                .pick(&[Luck::After, Luck::After, Luck::DoneLate, Luck::NotDone])
                .unwrap_or(&Luck::After);
        }
        Luck::Fine
    }

    fn failed(&self, luck: Luck, what: &str, is_write: bool) -> TrackerError {
        let treats_as_undone = self.hub.scene.has_planted(Plant::UnclearIsUnavailable);
        let (counted, kind) = match luck {
            Luck::Limited(wait) => {
                ("calls refused by a limit", TrackerErrorKind::RateLimited { retry_after: Some(wait) })
            }
            Luck::Forbidden => ("writes that were forbidden", TrackerErrorKind::Forbidden),
            Luck::Before | Luck::Fine => ("errors before the write", TrackerErrorKind::Unavailable),
            Luck::After | Luck::DoneLate | Luck::NotDone if !is_write || treats_as_undone => {
                ("errors before the write", TrackerErrorKind::Unavailable)
            }
            Luck::After | Luck::DoneLate | Luck::NotDone => {
                ("errors after the write", TrackerErrorKind::Unclear)
            }
        };
        self.hub.scene.count(counted);
        TrackerError::new(kind, what, "the simulated network failed")
    }
}

fn unavailable(what: &str, why: &str) -> TrackerError {
    TrackerError::new(TrackerErrorKind::Unavailable, what, why)
}

pub(super) fn missing(what: &str) -> TrackerError {
    TrackerError::new(TrackerErrorKind::NotFound, what, "404")
}

pub(super) fn invalid(what: &str, why: &str) -> TrackerError {
    TrackerError::new(TrackerErrorKind::Invalid, what, why)
}

impl SimTracker {
    /// Returns another client of the same server, with an account and a name of its own.
    pub fn client(&self, login: &str, client: &str) -> Self {
        Self {
            hub: Arc::clone(&self.hub),
            login: login.to_owned(),
            client: client.to_owned(),
            surveyed: Arc::default(),
        }
    }
}
