//! The first line, which tells what is open, and the last, which tells how fresh it is and which keys help.

use baton_view::CardState;
use ratatui::text::{Line, Span};

use super::theme;
use crate::app::{App, Screen, Step};
use crate::text;

pub(super) fn head(app: &App, width: usize) -> Line<'static> {
    let title = match app.screen() {
        Screen::Board if width < 60 => format!("baton  {}", summary(app)),
        Screen::Board => format!("baton board  {}", summary(app)),
        Screen::Runs => "baton board › runs".to_owned(),
        Screen::Warnings => "baton board › warnings".to_owned(),
        Screen::Issue => "baton board › issue".to_owned(),
        Screen::Log => "baton board › log".to_owned(),
    };
    let right = if width >= 80 { app.settings.source.as_str() } else { "" };
    Line::styled(text::ends(&format!(" {title}"), &format!("{right} "), width), theme(app).chosen())
}

/// How it is with everything, in a few words.
fn summary(app: &App) -> String {
    let Some(board) = &app.board.value else { return String::new() };
    let count = |wanted: &[CardState]| board.cards().filter(|card| wanted.contains(&card.state)).count();
    let issues = board.cards().filter(|card| card.state != CardState::Done).count();
    let mut words = vec![if issues == 1 { "1 issue".to_owned() } else { format!("{issues} issues") }];
    let running = count(&[CardState::Running]);
    words.extend((running > 0).then(|| format!("{running} running")));
    let asking = count(&[CardState::Asking, CardState::Paused]);
    words.extend((asking > 0).then(|| format!("{asking} need{} you", if asking == 1 { "s" } else { "" })));
    words.join(" · ")
}

pub(super) fn foot(app: &App, width: usize) -> Line<'static> {
    let theme = theme(app);
    if app.is_typing {
        let typed = format!(" /{}▏", app.filter);
        return Line::styled(text::ends(&typed, "Enter keep · Esc drop ", width), theme.strong());
    }
    // What there is to say needs the line more than the keys do.
    let is_telling = app.notice.is_some() || trouble(app, theme).is_some();
    let hints = if is_telling && app.menu.is_none() { "? keys" } else { hints(app, width) };
    let room = width.saturating_sub(text::width(hints) + 2);
    let (words, style) = said(app, theme);
    let words = text::pad(&format!(" {words}"), room);
    Line::from(vec![Span::styled(words, style), Span::styled(format!(" {hints} "), theme.dim())])
}

fn said(app: &App, theme: super::Theme) -> (String, ratatui::style::Style) {
    if let Some(notice) = &app.notice {
        let mark = if notice.is_bad { "✗ " } else { "" };
        let style = if notice.is_bad { theme.bad() } else { theme.strong() };
        return (format!("{mark}{}", notice.words), style);
    }
    if let Some((words, style)) = trouble(app, theme) {
        return (words, style);
    }
    let filter = if app.filter.is_empty() { String::new() } else { format!("filter: {} · ", app.filter) };
    match app.board.good_at {
        Some(good_at) => {
            let age = text::short(app.now.since(good_at));
            (format!("● {filter}live, seen {age} ago"), theme.good())
        }
        None => (format!("… reading from {}", app.settings.source), theme.plain()),
    }
}

/// What could not be read, and how old is what is shown instead.
fn trouble(app: &App, theme: super::Theme) -> Option<(String, ratatui::style::Style)> {
    let near = app.near.as_ref().filter(|_| app.screen() == Screen::Issue);
    let log = app.log.as_ref().filter(|_| app.screen() == Screen::Log);
    let reads = [
        ("the board", &app.board.failure, app.board.good_at),
        ("the fleet", &app.fleet.failure, app.fleet.good_at),
        ("the runs", &app.runs.failure, app.runs.good_at),
    ];
    let of_near = near.map(|near| ("the issue", &near.read.failure, near.read.good_at));
    let of_log = log.map(|log| ("the log", &log.failure, None));
    let (what, failure, good_at) =
        reads.into_iter().chain(of_near).chain(of_log).find(|(_, failure, _)| failure.is_some())?;
    let age = good_at.map(|at| format!("{} old: ", text::short(app.now.since(at)))).unwrap_or_default();
    Some((
        format!("✗ {age}{what} could not be read: {}", failure.as_deref().unwrap_or_default()),
        theme.bad(),
    ))
}

fn hints(app: &App, width: usize) -> &'static str {
    if app.is_help {
        return "Esc close";
    }
    if let Some(menu) = &app.menu {
        return match menu.step {
            Step::Pick | Step::Column => "Enter choose · Esc close",
            Step::Type => "Enter send · Esc back",
            Step::Confirm => "y yes · n no",
            Step::Sent => "Esc close",
        };
    }
    match (app.screen(), width) {
        (_, 0..60) => "? keys",
        (Screen::Board, _) => "Enter why · a act · l log · ? keys · q quit",
        (Screen::Issue, _) => "Tab next part · a act · l log · q back",
        (Screen::Log, _) => "t tools · G follow · q back",
        (Screen::Runs | Screen::Warnings, _) => "Enter issue · l log · q back",
    }
}
