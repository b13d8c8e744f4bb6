//! The shell: reads keys and the clock, asks the lookout, and paints. What is decided is decided in [`App`].
//!
//! Fetches run beside each other and beside the keys, so that a slow server never holds a key back. The terminal is given
//! back as it was on every way out.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_view::{Lookout, RunQuery, Stamp};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event, EventStream};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use ratatui::DefaultTerminal;

use crate::Settings;
use crate::app::{App, Ask, Msg};
use crate::draw;

const TICK_EVERY: Duration = Duration::from_secs(1);
/// How many runs are listed.
const RUNS_MAX: u32 = 200;

/// Why the terminal could not be used.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// It could not be prepared.
    #[error("the terminal could not be prepared for the board; is this an interactive terminal?")]
    Prepare(#[source] io::Error),
    /// It could not be drawn on.
    #[error("the terminal could not be drawn on")]
    Draw(#[source] io::Error),
    /// Keys could not be read.
    #[error("keys could not be read from the terminal")]
    Keys(#[source] io::Error),
}

/// Shows the board until it is left.
pub async fn run<L: Lookout>(lookout: L, settings: Settings) -> Result<(), TuiError> {
    let mut screen = ScreenGuard::take()?;
    let size = screen.terminal.size().map_err(TuiError::Prepare)?;
    let app = App::new(settings, (size.width, size.height), now());
    Shell { lookout: &lookout, app, fetches: FuturesUnordered::new() }.show(&mut screen.terminal).await
}

/// Reads what one frame of the board shows, and returns the screen with it. What could not be read is told on it.
pub async fn look<L: Lookout>(lookout: L, settings: Settings, size: (u16, u16)) -> App {
    let app = App::new(settings, size, now());
    let mut shell = Shell { lookout: &lookout, app, fetches: FuturesUnordered::new() };
    shell.take(Msg::Started);
    while let Some(msg) = shell.fetches.next().await {
        shell.app.update(now(), msg);
    }
    shell.app
}

/// The terminal in raw mode on its other screen; given back when dropped. A panic gives it back too, before it is told.
struct ScreenGuard {
    terminal: DefaultTerminal,
}

impl ScreenGuard {
    fn take() -> Result<Self, TuiError> {
        let terminal = ratatui::try_init().map_err(TuiError::Prepare)?;
        let guard = Self { terminal };
        crossterm::execute!(io::stdout(), EnableBracketedPaste).map_err(TuiError::Prepare)?;
        Ok(guard)
    }
}

impl Drop for ScreenGuard {
    fn drop(&mut self) {
        // Nobody is left to be told when the terminal is gone.
        let _ = crossterm::execute!(io::stdout(), DisableBracketedPaste);
        let _ = ratatui::try_restore();
    }
}

struct Shell<'a, L> {
    lookout: &'a L,
    app: App,
    fetches: FuturesUnordered<BoxFuture<'a, Msg>>,
}

impl<'a, L: Lookout> Shell<'a, L> {
    async fn show(mut self, terminal: &mut DefaultTerminal) -> Result<(), TuiError> {
        let mut events = EventStream::new();
        let mut end = std::pin::pin!(asked_to_end()?);
        let mut ticks = tokio::time::interval(TICK_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut seen = 0;
        let mut change = Box::pin(self.lookout.changed(seen));
        self.take(Msg::Started);
        loop {
            terminal.draw(|frame| draw::draw(frame, &self.app)).map_err(TuiError::Draw)?;
            let msg = tokio::select! {
                event = events.next() => match event {
                    Some(Ok(event)) => message(event),
                    Some(Err(error)) => return Err(TuiError::Keys(error)),
                    // The terminal was closed.
                    None => return Ok(()),
                },
                Some(msg) = self.fetches.next() => Some(msg),
                version = &mut change => {
                    seen = version;
                    change.set(self.lookout.changed(seen));
                    Some(Msg::Changed)
                }
                _ = ticks.tick() => Some(Msg::Ticked),
                // Left like by a key, so that the terminal is given back.
                () = &mut end => return Ok(()),
            };
            if msg.is_some_and(|msg| self.take(msg)) {
                return Ok(());
            }
        }
    }

    /// Tells the app, begins what it asks for, and returns whether to leave.
    fn take(&mut self, msg: Msg) -> bool {
        let asks = self.app.update(now(), msg);
        let is_left = asks.contains(&Ask::Quit);
        for ask in asks {
            self.begin(ask);
        }
        is_left
    }

    fn begin(&mut self, ask: Ask) {
        let lookout = self.lookout;
        let by = self.app.settings.by.clone();
        let fetch: BoxFuture<'a, Msg> = match ask {
            Ask::Board => Box::pin(async { Msg::BoardRead(lookout.board().await) }),
            Ask::Fleet => Box::pin(async { Msg::FleetRead(lookout.fleet().await) }),
            Ask::Runs => Box::pin(async {
                let query = RunQuery { limit: Some(RUNS_MAX), ..RunQuery::default() };
                Msg::RunsRead(lookout.runs(&query).await)
            }),
            Ask::Issue(issue) => Box::pin(async move {
                let answer = lookout.issue(&issue).await;
                Msg::IssueRead(issue, Box::new(answer))
            }),
            Ask::Log { run, from } => {
                Box::pin(async move { Msg::LogRead(run, lookout.log(run, from).await) })
            }
            Ask::Order(issue, order) => Box::pin(async move {
                let answer = lookout.order(&issue, &order, &by).await;
                Msg::Ordered(issue, order.kind(), answer)
            }),
            Ask::Quit => return,
        };
        self.fetches.push(fetch);
    }
}

/// Waits until the process is asked to end, or its terminal is gone.
#[cfg(unix)]
fn asked_to_end() -> Result<impl Future<Output = ()>, TuiError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut end = signal(SignalKind::terminate()).map_err(TuiError::Prepare)?;
    let mut gone = signal(SignalKind::hangup()).map_err(TuiError::Prepare)?;
    Ok(async move {
        tokio::select! {
            _ = end.recv() => {}
            _ = gone.recv() => {}
        }
    })
}

/// Elsewhere nobody asks.
#[cfg(not(unix))]
fn asked_to_end() -> Result<impl Future<Output = ()>, TuiError> {
    Ok(std::future::pending())
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Some(Msg::Key(key)),
        Event::Paste(text) => Some(Msg::Pasted(text)),
        Event::Resize(width, height) => Some(Msg::Resized(width, height)),
        Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
    }
}

fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
