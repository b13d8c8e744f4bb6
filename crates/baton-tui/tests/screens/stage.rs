//! An app over the example relay that is driven by keys. Asks are answered at once, from the example's values.

use std::task::{Context, Poll, Waker};

use baton_tui::Settings;
use baton_tui::app::{App, Ask, Msg};
use baton_view::example::{self, ExampleLookout};
use baton_view::{Board, Lookout, LookoutError, Reply, RunQuery};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) struct Stage {
    pub(crate) app: App,
    /// Everything that was asked for.
    pub(crate) asks: Vec<Ask>,
    /// What is answered instead, as long as it is there.
    pub(crate) outage: Option<LookoutError>,
    /// What orders are answered.
    pub(crate) reply: Result<Reply, LookoutError>,
    pub(crate) board: Board,
}

impl Stage {
    /// Nothing was read yet.
    pub(crate) fn dark(width: u16, height: u16) -> Self {
        let settings = Settings {
            is_coloured: false,
            source: "http://127.0.0.1:8477".to_owned(),
            by: "dana".to_owned(),
        };
        let reply = Reply { is_done: true, outcome: "done".to_owned(), said: "it was done".to_owned() };
        let app = App::new(settings, (width, height), example::NOW);
        Self { app, asks: Vec::new(), outage: None, reply: Ok(reply), board: example::board() }
    }

    /// Everything was read.
    pub(crate) fn lit(width: u16, height: u16) -> Self {
        let mut stage = Self::dark(width, height);
        stage.tell(Msg::Started);
        stage
    }

    pub(crate) fn tell(&mut self, msg: Msg) {
        let mut asks = self.app.update(self.app.now, msg);
        while !asks.is_empty() {
            let answers: Vec<_> = asks.iter().filter_map(|ask| self.answer(ask)).collect();
            self.asks.append(&mut asks);
            for answer in answers {
                asks.extend(self.app.update(self.app.now, answer));
            }
        }
    }

    fn answer(&self, ask: &Ask) -> Option<Msg> {
        let or_outage = self.outage.clone().map_or(Ok(()), Err);
        Some(match ask {
            Ask::Board => Msg::BoardRead(or_outage.map(|()| self.board.clone())),
            Ask::Fleet => Msg::FleetRead(or_outage.and_then(|()| now(ExampleLookout.fleet()))),
            Ask::Runs => {
                Msg::RunsRead(or_outage.and_then(|()| now(ExampleLookout.runs(&RunQuery::default()))))
            }
            Ask::Issue(issue) => {
                let answer = or_outage.and_then(|()| now(ExampleLookout.issue(issue)));
                Msg::IssueRead(issue.clone(), Box::new(answer))
            }
            Ask::Log { run, from } => {
                Msg::LogRead(*run, or_outage.and_then(|()| now(ExampleLookout.log(*run, *from))))
            }
            Ask::Order(issue, order) => Msg::Ordered(issue.clone(), order.kind(), self.reply.clone()),
            Ask::Quit => return None,
        })
    }

    /// Presses keys: characters, and `<Enter>` and the like by name.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let (key, length) = match rest.strip_prefix('<').and_then(|it| it.split_once('>')) {
                Some((name, _)) => (named(name), name.len() + 2),
                None => (KeyEvent::new(KeyCode::Char(first), KeyModifiers::NONE), first.len_utf8()),
            };
            self.tell(Msg::Key(key));
            rest = &rest[length..];
        }
        self
    }

    pub(crate) fn shown(&self) -> String {
        baton_tui::once(&self.app)
    }
}

fn named(name: &str) -> KeyEvent {
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Backspace" => KeyCode::Backspace,
        "Ctrl-C" => return KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
        other => panic!("no key is called {other}"),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// The example answers at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the example keeps nobody waiting"),
    }
}
