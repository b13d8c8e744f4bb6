//! An issue from near: why it moves or not, its pull request, what happened, what was said, its runs.

use baton_view::{IssueView, PullView, Stamp};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::{self, Theme};
use super::{instead, put};
use crate::app::{App, Near, Section};
use crate::text;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let (width, rows) = (usize::from(area.width), usize::from(area.height));
    let Some(near) = &app.near else { return };
    let theme = super::theme(app);
    let mut lines = head(app, near, theme, width);
    let mut section = section(app, near, theme, width);
    let room = rows.saturating_sub(lines.len());
    let hidden = section.len().saturating_sub(near.scroll + room);
    section.drain(..near.scroll.min(section.len()));
    section.truncate(room);
    if hidden > 0 && room > 0 {
        section.truncate(room - 1);
        section.push(Line::styled(format!("  ↓ {} more lines", hidden + 1), theme.dim()));
    }
    lines.extend(section);
    put(frame, area, lines);
}

/// What stays while the rest is scrolled: what it is, how it is with it, and the parts.
pub(super) fn head(app: &App, near: &Near, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let Some(view) = &near.read.value else {
        return vec![Line::styled(text::fit(&format!(" {}", near.issue), width), theme.strong())];
    };
    let card = &view.card;
    let (mark, word) = theme::state(card.state);
    let now = near.read.there(app.now, view.now);
    let age = format!("{} ", text::short(now.since(card.since)));
    let place = format!(" {mark} {} · {} · {word}", card.issue, card.column);
    let mut lines = vec![Line::styled(text::ends(&place, &age, width), theme.state(card.state))];
    let title = text::fit(&card.title, width.saturating_sub(2));
    lines.push(Line::styled(format!(" {title}"), theme.strong()));
    lines.push(tabs(near.section, theme, width));
    lines
}

fn tabs(section: Section, theme: Theme, width: usize) -> Line<'static> {
    let is_narrow = width < 60;
    let mut spans = vec![Span::raw(" ")];
    for it in Section::ALL {
        let name = name(it, is_narrow);
        let (words, style) = if it == section {
            (format!("[{name}]"), theme.strong())
        } else {
            (format!(" {name} "), theme.dim())
        };
        spans.push(Span::styled(words, style));
    }
    Line::from(spans)
}

fn name(section: Section, is_narrow: bool) -> &'static str {
    match section {
        Section::Why => "Why",
        Section::Pull if is_narrow => "Pull",
        Section::Pull => "Pull request",
        Section::History => "History",
        Section::Comments if is_narrow => "Said",
        Section::Comments => "Comments",
        Section::Runs => "Runs",
    }
}

/// The part that is open, in lines.
pub(super) fn section(app: &App, near: &Near, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let Some(view) = &near.read.value else {
        let words = match &near.read.failure {
            Some(failure) => format!("{} could not be read: {failure}", near.issue),
            None => "Reading …".to_owned(),
        };
        return instead(&words, theme, width);
    };
    let mut page =
        Page { lines: vec![Line::default()], theme, width, now: near.read.there(app.now, view.now) };
    match near.section {
        Section::Why => why(&mut page, view),
        Section::Pull => match &view.pull {
            Some(pull) => self::pull(&mut page, pull),
            None => page.text(2, "There is no pull request yet.", theme.dim()),
        },
        Section::History => history(&mut page, view),
        Section::Comments => comments(&mut page, view),
        Section::Runs => runs(&mut page, view),
    }
    page.lines
}

/// Lines that grow.
struct Page {
    lines: Vec<Line<'static>>,
    theme: Theme,
    width: usize,
    now: Stamp,
}

impl Page {
    fn heading(&mut self, words: &str) {
        if self.lines.len() > 1 {
            self.lines.push(Line::default());
        }
        self.text(1, words, self.theme.strong());
    }

    fn text(&mut self, indent: usize, words: &str, style: Style) {
        for line in text::wrap(words, self.width.saturating_sub(indent + 1)) {
            self.lines.push(Line::styled(format!("{}{line}", " ".repeat(indent)), style));
        }
    }

    /// A text after a mark, whose further lines stand under the first.
    fn item(&mut self, mark: &str, words: &str, style: Style) {
        let indent = text::width(mark) + 2;
        for (at, line) in text::wrap(words, self.width.saturating_sub(indent + 1)).into_iter().enumerate() {
            let lead = if at == 0 { format!(" {mark} ") } else { " ".repeat(indent) };
            self.lines.push(Line::styled(format!("{lead}{line}"), style));
        }
    }

    fn ago(&self, at: Stamp) -> String {
        text::short(self.now.since(at))
    }
}

fn why(page: &mut Page, view: &IssueView) {
    let theme = page.theme;
    page.text(1, &view.why.sentence, theme.strong());
    // The rule that decided is often the last of many, out of sight.
    for line in view.why.trail.iter().filter(|line| line.is_decisive) {
        page.item("▶", &format!("decided by {}: {}", line.rule, line.found), theme.plain());
    }
    for effect in &view.why.effects {
        page.item("→", effect, theme.plain());
    }
    let open: Vec<_> = view.blockers.iter().filter(|it| it.is_open).map(|it| it.issue.as_str()).collect();
    if !open.is_empty() {
        page.item("×", &format!("after {}", open.join(", ")), theme.warn());
    }
    page.heading("Rules, in the order they were asked");
    for line in &view.why.trail {
        let words = format!("{}: {}", line.rule, line.found);
        if line.is_decisive {
            page.item("▶", &format!("{words} — decides"), theme.strong());
        } else {
            page.item("·", &words, theme.plain());
        }
        page.text(3, &line.about, theme.dim());
    }
    if !view.effects.is_empty() {
        page.heading("Decided, and not done");
    }
    for effect in &view.effects {
        let error = effect.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        page.item("!", &format!("{} ({}){error}", effect.deed, effect.status), theme.warn());
    }
    if !view.labels.is_empty() {
        page.heading("Labels");
        page.text(1, &view.labels.join(", "), theme.plain());
    }
}

fn pull(page: &mut Page, pull: &PullView) {
    let theme = page.theme;
    let draft = if pull.is_draft { ", draft" } else { "" };
    let head: String = pull.head_sha.chars().take(7).collect();
    let pushed = page.ago(pull.pushed_at);
    page.text(
        1,
        &format!("#{} {}{draft} by {}, {head} pushed {pushed} ago", pull.number, pull.state, pull.author),
        theme.strong(),
    );
    page.text(1, &format!("To merge: {}", pull.merging), theme.plain());
    page.heading("Checks");
    for check in &pull.checks {
        let required = if check.is_required { ", required" } else { "" };
        let words = format!("{}: {}{required}", check.name, check.words);
        page.item(theme::check_mark(check.state), &words, theme.check(check.state));
    }
    if !pull.has_checks {
        page.text(1, "The checks could not be read.", theme.warn());
    } else if pull.checks.is_empty() {
        page.text(1, "There are none.", theme.dim());
    }
    page.heading("Reviews");
    for review in &pull.reviews {
        let at = review.at.map(|at| format!(" {} ago", page.ago(at))).unwrap_or_default();
        page.item("·", &format!("{}: {}{at}", review.who, review.state.replace('_', " ")), theme.plain());
    }
    for thread in &pull.threads {
        let state = if thread.is_resolved { "✓" } else { "!" };
        let path = thread.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
        page.item(state, &format!("{path}{}", thread.words), theme.plain());
    }
    if pull.reviews.is_empty() && pull.threads.is_empty() {
        page.text(1, "There are none.", theme.dim());
    }
    if let Some(url) = &pull.url {
        page.heading("Where");
        page.text(1, url, theme.plain());
    }
}

fn history(page: &mut Page, view: &IssueView) {
    let theme = page.theme;
    for event in &view.timeline {
        let words = format!("{:>4}  {}", page.ago(event.at), event.title);
        page.item(theme::tone_mark(event.tone), &words, theme.tone(event.tone));
        if let Some(detail) = &event.detail {
            page.text(9, detail, theme.dim());
        }
    }
    if view.timeline.is_empty() {
        page.text(1, "Nothing has happened yet.", theme.dim());
    }
}

fn comments(page: &mut Page, view: &IssueView) {
    let theme = page.theme;
    for comment in view.comments.iter().rev() {
        let kind = if comment.is_bot { " (program)" } else { "" };
        let on = if comment.is_on_pull { ", on the pull request" } else { "" };
        let state = if comment.is_answered { ", answered" } else { "" };
        let ago = page.ago(comment.at);
        page.heading(&format!("{}{kind}, {ago} ago{on}{state}", comment.author));
        page.text(1, text::without_marks(&comment.body).trim(), theme.plain());
    }
    if view.comments.is_empty() {
        page.text(1, "Nobody has said anything yet.", theme.dim());
    }
}

fn runs(page: &mut Page, view: &IssueView) {
    let theme = page.theme;
    for run in &view.runs {
        let begun = run.started_at.unwrap_or(run.created_at);
        let took = text::short(run.finished_at.unwrap_or(page.now).since(begun));
        let turns = run.numbers.as_ref().and_then(|it| super::cards::counted(it.turns, it.turns_max, 20));
        let turns = turns.map(|turns| format!(" {turns}")).unwrap_or_default();
        let ago = page.ago(begun);
        let lasted = match run.state.is_active() {
            true => format!("for {took}"),
            false => format!("{ago} ago, took {took}"),
        };
        let words = format!("{} {} · {}{turns} · {lasted}", run.run, run.errand, run.state.words());
        page.item(theme::run_mark(run.state), &words, theme.run(run.state));
        if let Some(error) = &run.error {
            page.text(3, error, theme.bad());
        }
    }
    if view.runs.is_empty() {
        page.text(1, "No agent has worked on it yet.", theme.dim());
    } else {
        page.lines.push(Line::default());
        page.text(1, "`l` opens the log of the newest; `r` lists the runs of all issues.", theme.dim());
    }
}
