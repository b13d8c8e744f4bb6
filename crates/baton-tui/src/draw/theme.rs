//! Styles, and the marks that say the same without them. Only the sixteen colours that every terminal has.

use baton_view::{CardState, CheckState, RunState, Tone};
use ratatui::style::{Color, Modifier, Style};

#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    pub(super) is_coloured: bool,
}

impl Theme {
    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn colour(self, colour: Color) -> Style {
        if self.is_coloured { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(super) fn warn(self) -> Style {
        self.colour(Color::Yellow)
    }

    pub(super) fn bad(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn state(self, state: CardState) -> Style {
        match state {
            CardState::Asking => self.colour(Color::Magenta).add_modifier(Modifier::BOLD),
            CardState::Paused => self.warn().add_modifier(Modifier::BOLD),
            CardState::Running => self.good().add_modifier(Modifier::BOLD),
            CardState::Queued | CardState::Waiting => self.colour(Color::Cyan),
            CardState::Blocked => self.colour(Color::Red),
            CardState::Held => self.colour(Color::Blue),
            CardState::Idle | CardState::Done => self.dim(),
        }
    }

    pub(super) fn run(self, state: RunState) -> Style {
        match state {
            RunState::Running => self.good().add_modifier(Modifier::BOLD),
            RunState::Succeeded => self.good(),
            RunState::Failed | RunState::TimedOut => self.bad(),
            RunState::Interrupted | RunState::ScheduledRetry => self.warn(),
            RunState::Queued => self.colour(Color::Cyan),
            RunState::Cancelled => self.dim(),
        }
    }

    pub(super) fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => self.plain(),
            Tone::Good => self.good(),
            Tone::Warn => self.warn(),
            Tone::Bad => self.bad(),
        }
    }

    pub(super) fn check(self, state: CheckState) -> Style {
        match state {
            CheckState::Passed => self.good(),
            CheckState::Failed => self.bad(),
            CheckState::Running => self.colour(Color::Cyan),
            CheckState::Missing => self.warn(),
        }
    }
}

/// Returns the mark of a state and its word.
pub(super) fn state(state: CardState) -> (&'static str, &'static str) {
    match state {
        CardState::Asking => ("?", "asks you"),
        CardState::Paused => ("‖", "paused"),
        CardState::Running => ("●", "running"),
        CardState::Queued => ("◌", "queued"),
        CardState::Waiting => ("◔", "waiting"),
        CardState::Blocked => ("×", "blocked"),
        CardState::Held => ("■", "held"),
        CardState::Idle => ("○", "idle"),
        CardState::Done => ("✓", "done"),
    }
}

pub(super) fn run_mark(state: RunState) -> &'static str {
    match state {
        RunState::Running => "●",
        RunState::Queued => "◌",
        RunState::ScheduledRetry => "↻",
        RunState::Succeeded => "✓",
        RunState::Failed => "✗",
        RunState::TimedOut => "◷",
        RunState::Cancelled => "–",
        RunState::Interrupted => "!",
    }
}

pub(super) fn check_mark(state: CheckState) -> &'static str {
    match state {
        CheckState::Passed => "✓",
        CheckState::Failed => "✗",
        CheckState::Running => "●",
        CheckState::Missing => "?",
    }
}

pub(super) fn tone_mark(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "·",
        Tone::Good => "✓",
        Tone::Warn => "!",
        Tone::Bad => "✗",
    }
}
