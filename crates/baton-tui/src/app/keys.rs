//! What keys do. The table that people read is [`KEYS`]; a test holds it to what is done.

use baton_core::tracker::IssueKey;
use baton_view::RunLine;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{App, Ask, Follow, Pane, Screen, Section, menu};

/// How far a page goes when the screen does not tell.
const PAGE: isize = 10;

/// The keys, and what they do.
pub const KEYS: [(&str, &str); 16] = [
    ("↑ ↓ k j", "up and down"),
    ("← → H L", "column, part of an issue"),
    ("Tab", "next pane or part"),
    ("Enter", "why an issue moves or not"),
    ("a", "actions on the issue"),
    ("l", "log of its run"),
    ("t", "unfold tools in a log"),
    ("r", "runs, newest first"),
    ("w", "warnings"),
    ("/", "filter; Esc drops it"),
    ("g G", "first, last; G follows"),
    ("PgUp PgDn", "a page up, down"),
    ("R", "read everything again"),
    ("?", "these keys"),
    ("q Esc", "back; on the board, quit"),
    ("Ctrl-C", "quit"),
];

/// Where a key leads among lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    By(isize),
    First,
    Last,
}

pub(super) fn press(app: &mut App, key: KeyEvent) -> Vec<Ask> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_control && key.code == KeyCode::Char('c') {
        return vec![Ask::Quit];
    }
    if app.is_help {
        read_help(app, key.code);
        return Vec::new();
    }
    if app.menu.is_some() {
        return menu::press(app, key);
    }
    if app.is_typing {
        type_filter(app, key, is_control);
        return Vec::new();
    }
    app.notice = None;
    if is_control { Vec::new() } else { command(app, key.code) }
}

fn read_help(app: &mut App, code: KeyCode) {
    match motion(code) {
        Some(motion) => app.help_scroll = moved(app.help_scroll, KEYS.len(), motion),
        None => app.is_help = !matches!(code, KeyCode::Char('?' | 'q') | KeyCode::Esc | KeyCode::Enter),
    }
}

pub(super) fn paste(app: &mut App, text: &str) -> Vec<Ask> {
    if app.menu.is_some() {
        menu::paste(app, text);
    } else if app.is_typing {
        app.filter.extend(text.chars().filter(|it| !it.is_control()));
        let names = names(app);
        app.cursor.seek(&names);
    }
    Vec::new()
}

fn type_filter(app: &mut App, key: KeyEvent, is_control: bool) {
    match key.code {
        KeyCode::Enter => app.is_typing = false,
        KeyCode::Esc => {
            app.is_typing = false;
            app.filter.clear();
        }
        KeyCode::Backspace => {
            app.filter.pop();
        }
        KeyCode::Char('u') if is_control => app.filter.clear(),
        KeyCode::Char(character) if !is_control => app.filter.push(character),
        _ => {}
    }
    let names = names(app);
    app.cursor.seek(&names);
}

fn command(app: &mut App, code: KeyCode) -> Vec<Ask> {
    if let Some(motion) = motion(code) {
        go(app, motion);
        return Vec::new();
    }
    match code {
        KeyCode::Left | KeyCode::Char('H' | 'h') => sideways(app, false),
        KeyCode::Right | KeyCode::Char('L') => sideways(app, true),
        KeyCode::Tab => next_pane(app, true),
        KeyCode::BackTab => next_pane(app, false),
        KeyCode::Char('?') => {
            app.is_help = true;
            app.help_scroll = 0;
        }
        KeyCode::Char('/') => app.is_typing = true,
        KeyCode::Char('r') => toggle(app, Screen::Runs),
        KeyCode::Char('w') => toggle(app, Screen::Warnings),
        KeyCode::Char('t') => unfold(app),
        KeyCode::Enter => return open_issue(app),
        KeyCode::Char('a') => return open_menu(app),
        KeyCode::Char('l') => return open_log(app),
        KeyCode::Char('R') => return app.refresh(),
        KeyCode::Char('q') | KeyCode::Esc => return back(app, code == KeyCode::Esc),
        _ => {}
    }
    Vec::new()
}

fn motion(code: KeyCode) -> Option<Motion> {
    match code {
        KeyCode::Up | KeyCode::Char('k') => Some(Motion::By(-1)),
        KeyCode::Down | KeyCode::Char('j') => Some(Motion::By(1)),
        KeyCode::PageUp => Some(Motion::By(-PAGE)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(Motion::By(PAGE)),
        KeyCode::Home | KeyCode::Char('g') => Some(Motion::First),
        KeyCode::End | KeyCode::Char('G') => Some(Motion::Last),
        _ => None,
    }
}

fn moved(at: usize, count: usize, motion: Motion) -> usize {
    let last = count.saturating_sub(1);
    match motion {
        Motion::By(steps) => at.saturating_add_signed(steps).min(last),
        Motion::First => 0,
        Motion::Last => last,
    }
}

fn go(app: &mut App, motion: Motion) {
    match (app.screen(), app.pane) {
        (Screen::Board, Pane::Cards) => go_card(app, motion),
        (Screen::Board, Pane::Active) | (Screen::Runs, _) => {
            let runs = run_numbers(app);
            let at = runs.iter().position(|run| Some(*run) == app.run).unwrap_or(0);
            app.run = runs.get(moved(at, runs.len(), motion)).copied();
        }
        (Screen::Board, Pane::Warnings) | (Screen::Warnings, _) => {
            app.warning = moved(app.warning, app.warnings().len(), motion);
        }
        (Screen::Issue, _) => {
            if let Some(near) = &mut app.near {
                near.scroll = moved(near.scroll, usize::MAX, motion);
            }
        }
        (Screen::Log, _) => {
            if let Some(log) = &mut app.log {
                log.is_at_end = motion == Motion::Last;
                log.scroll = moved(log.scroll, usize::MAX, motion);
            }
        }
    }
}

fn names(app: &App) -> Vec<Vec<String>> {
    let columns = app.visible().into_iter();
    columns.map(|(_, cards)| cards.into_iter().map(|card| card.issue.clone()).collect()).collect()
}

fn go_card(app: &mut App, motion: Motion) {
    let (names, is_list) = (names(app), app.is_list());
    let cards = names.get(app.cursor.column).map_or(0, Vec::len);
    match motion {
        Motion::By(steps) if is_list => app.cursor.walk(&names, steps),
        Motion::First if is_list => app.cursor.walk(&names, isize::MIN),
        Motion::Last if is_list => app.cursor.walk(&names, isize::MAX),
        motion => app.cursor.go(&names, app.cursor.column, moved(app.cursor.row, cards, motion)),
    }
}

fn sideways(app: &mut App, is_forward: bool) {
    match app.screen() {
        Screen::Board if app.pane == Pane::Cards && app.is_list() => app.cursor.leap(&names(app), is_forward),
        Screen::Board if app.pane == Pane::Cards => {
            let column = app.cursor.column.saturating_add_signed(if is_forward { 1 } else { -1 });
            let (names, row) = (names(app), app.cursor.row);
            app.cursor.go(&names, column, row);
        }
        Screen::Issue => next_section(app, is_forward),
        _ => {}
    }
}

fn next_section(app: &mut App, is_forward: bool) {
    let Some(near) = &mut app.near else { return };
    let count = Section::ALL.len();
    let at = Section::ALL.iter().position(|it| *it == near.section).unwrap_or(0);
    near.section = Section::ALL[(at + if is_forward { 1 } else { count - 1 }) % count];
    near.scroll = 0;
}

fn next_pane(app: &mut App, is_forward: bool) {
    if app.screen() == Screen::Issue {
        return next_section(app, is_forward);
    }
    let mut panes = vec![Pane::Cards];
    panes.extend((!app.active().is_empty()).then_some(Pane::Active));
    panes.extend((!app.warnings().is_empty()).then_some(Pane::Warnings));
    let at = panes.iter().position(|it| *it == app.pane).unwrap_or(0);
    app.pane = panes[(at + if is_forward { 1 } else { panes.len() - 1 }) % panes.len()];
}

fn toggle(app: &mut App, screen: Screen) {
    if app.screen() == screen {
        app.screens.pop();
    } else {
        app.screens.retain(|it| *it != screen);
        app.screens.push(screen);
    }
}

fn unfold(app: &mut App) {
    if let Some(log) = app.log.as_mut().filter(|_| app.screens.last() == Some(&Screen::Log)) {
        log.is_unfolded = !log.is_unfolded;
    }
}

fn back(app: &mut App, is_escape: bool) -> Vec<Ask> {
    if app.screens.len() > 1 {
        app.screens.pop();
        // What is in sight again may have changed while it was not.
        return app.ask_near().into_iter().collect();
    }
    if is_escape && !app.filter.is_empty() {
        app.filter.clear();
        return Vec::new();
    }
    vec![Ask::Quit]
}

/// Returns the runs among which one is chosen.
pub(super) fn run_numbers(app: &App) -> Vec<i64> {
    let runs = match app.screen() {
        Screen::Runs => app.listed(),
        _ => app.active(),
    };
    runs.into_iter().map(|run| run.run).collect()
}

fn chosen_run(app: &App) -> Option<&RunLine> {
    let runs = if app.screen() == Screen::Runs { app.listed() } else { app.active() };
    runs.into_iter().find(|run| Some(run.run) == app.run)
}

/// Returns the issue that keys are about.
pub(super) fn target(app: &App) -> Option<String> {
    let of_warning = || app.warnings().get(app.warning).and_then(|warning| warning.issue.clone());
    match (app.screen(), app.pane) {
        (Screen::Board, Pane::Cards) => app.cursor.issue.clone(),
        (Screen::Board, Pane::Active) | (Screen::Runs, _) => chosen_run(app)?.issue.clone(),
        (Screen::Board, Pane::Warnings) | (Screen::Warnings, _) => of_warning(),
        (Screen::Issue, _) => app.near.as_ref().map(|near| near.issue.to_string()),
        (Screen::Log, _) => {
            let run = app.log.as_ref()?.run;
            let runs = app.runs.value.iter().flatten().chain(app.active());
            runs.into_iter().find(|line| line.run == run)?.issue.clone()
        }
    }
}

fn target_key(app: &mut App) -> Option<IssueKey> {
    let Some(name) = target(app) else {
        app.say("nothing is chosen that belongs to an issue", true);
        return None;
    };
    let key = name.parse().ok();
    if key.is_none() {
        app.say(format!("`{name}` is not the name of an issue such as owner/name#42"), true);
    }
    key
}

fn open_issue(app: &mut App) -> Vec<Ask> {
    let Some(key) = target_key(app) else { return Vec::new() };
    if app.screen() != Screen::Issue {
        app.screens.retain(|it| *it != Screen::Issue);
        app.screens.push(Screen::Issue);
    }
    app.approach(key)
}

fn open_menu(app: &mut App) -> Vec<Ask> {
    let Some(key) = target_key(app) else { return Vec::new() };
    app.menu = Some(menu::Menu::new(key.clone()));
    app.approach(key)
}

fn open_log(app: &mut App) -> Vec<Ask> {
    if app.screen() == Screen::Log {
        return Vec::new();
    }
    let Some(run) = run_to_read(app) else {
        let words = match target(app) {
            Some(issue) => format!("no run of {issue} is known: there is no log to read"),
            None => "nothing is chosen that has a log".to_owned(),
        };
        app.say(words, true);
        return Vec::new();
    };
    app.screens.retain(|it| *it != Screen::Log);
    app.screens.push(Screen::Log);
    if app.log.as_ref().is_none_or(|log| log.run != run || log.failure.is_some()) {
        app.log = Some(Follow::new(run));
    }
    let now = app.now;
    app.log.as_mut().and_then(|log| log.ask(now)).into_iter().collect()
}

/// Returns the run that is chosen, or the last one of the issue that is.
fn run_to_read(app: &App) -> Option<i64> {
    if app.screen() == Screen::Runs || app.screen() == Screen::Board && app.pane == Pane::Active {
        return app.run;
    }
    let issue = target(app)?;
    let is_its = |run: &&RunLine| run.issue.as_ref() == Some(&issue);
    let active = app.active().into_iter().find(is_its);
    let near = app.near.as_ref().filter(|near| near.issue.to_string() == issue);
    let near = near.and_then(|near| near.read.value.as_ref()?.runs.first());
    let known = app.runs.value.iter().flatten().find(is_its);
    let held = app.board.value.as_ref()?.cards().find(|card| card.issue == issue);
    let held = held.and_then(|card| card.holder.as_ref()?.run);
    active.or(near).map(|run| run.run).or(held).or(known.map(|run| run.run))
}
