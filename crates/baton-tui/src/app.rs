//! What is on the screen, and what a key, an answer or the passing of time changes about it.
//!
//! Pure: times and sizes come in as values, and what is to be fetched or ordered goes out as [`Ask`]s. The terminal and
//! the lookout are the shell's.

mod cursor;
mod follow;
mod keys;
mod menu;
mod read;

use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_view::{
    Board, Card, Column, Fleet, IssueView, LogPage, LookoutError, Order, OrderKind, Reply, RunLine, Stamp,
    Warning,
};
use crossterm::event::KeyEvent;

pub use cursor::Cursor;
pub use follow::Follow;
pub use keys::KEYS;
pub use menu::{Menu, Step, columns, obstacle, offers, question};
pub use read::Read;

use crate::Settings;

/// The narrowest screen with columns side by side.
pub const COLUMNS_FROM: u16 = 80;

/// How long good news stays.
const NOTICE_FOR: Duration = Duration::from_secs(8);

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Msg {
    /// The board was opened.
    Started,
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted.
    Pasted(String),
    /// The terminal has a size, in cells.
    Resized(u16, u16),
    /// A second passed.
    Ticked,
    /// There may be something new.
    Changed,
    /// The board was read.
    BoardRead(Answer<Board>),
    /// The fleet was read.
    FleetRead(Answer<Fleet>),
    /// The runs were read.
    RunsRead(Answer<Vec<RunLine>>),
    /// An issue was read.
    IssueRead(IssueKey, Box<Answer<IssueView>>),
    /// A part of a log was read.
    LogRead(i64, Answer<LogPage>),
    /// An order was answered.
    Ordered(IssueKey, OrderKind, Answer<Reply>),
}

/// What a lookout answers.
pub type Answer<T> = Result<T, LookoutError>;

/// What the shell is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Read the board.
    Board,
    /// Read the fleet.
    Fleet,
    /// Read the runs.
    Runs,
    /// Read an issue.
    Issue(IssueKey),
    /// Read a log from a place on.
    Log {
        /// The run.
        run: i64,
        /// The place, in bytes.
        from: u64,
    },
    /// Give an order.
    Order(IssueKey, Order),
    /// Leave.
    Quit,
}

/// What fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// Columns of cards, with active runs and warnings below.
    Board,
    /// The runs, newest first.
    Runs,
    /// What a person should know.
    Warnings,
    /// An issue from near.
    Issue,
    /// What an agent prints.
    Log,
}

/// A part of the board's screen that takes keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The cards.
    Cards,
    /// The runs that are not over.
    Active,
    /// The warnings.
    Warnings,
}

/// A part of an issue that is shown at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Why it moves or not.
    Why,
    /// Its pull request.
    Pull,
    /// What happened.
    History,
    /// What was said.
    Comments,
    /// Its runs.
    Runs,
}

impl Section {
    /// All of them, in the order that people read.
    pub const ALL: [Self; 5] = [Self::Why, Self::Pull, Self::History, Self::Comments, Self::Runs];
}

/// An issue that is looked at from near.
#[derive(Debug, Clone)]
pub struct Near {
    /// Which.
    pub issue: IssueKey,
    /// What was read of it.
    pub read: Read<IssueView>,
    /// The part that is shown.
    pub section: Section,
    /// How many lines are scrolled away.
    pub scroll: usize,
}

/// Something that was said to the person at the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What.
    pub words: String,
    /// Whether something did not go as wanted.
    pub is_bad: bool,
    /// When.
    pub at: Stamp,
}

/// Everything that is on the screen, or could be.
#[derive(Debug, Clone)]
pub struct App {
    /// How it is shown.
    pub settings: Settings,
    /// The size of the screen, in cells.
    pub size: (u16, u16),
    /// The time, by the clock of this machine.
    pub now: Stamp,
    /// The board.
    pub board: Read<Board>,
    /// The fleet.
    pub fleet: Read<Fleet>,
    /// The runs, newest first.
    pub runs: Read<Vec<RunLine>>,
    /// The issue that is looked at from near.
    pub near: Option<Near>,
    /// The log that is followed.
    pub log: Option<Follow>,
    /// What is open, the last on top.
    pub screens: Vec<Screen>,
    /// The part of the board's screen that takes keys.
    pub pane: Pane,
    /// The card that is chosen.
    pub cursor: Cursor,
    /// The run that is chosen.
    pub run: Option<i64>,
    /// The warning that is chosen.
    pub warning: usize,
    /// What must occur in what is shown.
    pub filter: String,
    /// Whether the filter is being typed.
    pub is_typing: bool,
    /// Whether the keys are explained.
    pub is_help: bool,
    /// How many lines of that are scrolled away.
    pub help_scroll: usize,
    /// The orders that may be given.
    pub menu: Option<Menu>,
    /// The last thing that was said.
    pub notice: Option<Notice>,
}

impl App {
    /// Returns a screen on which nothing was read yet.
    pub fn new(settings: Settings, size: (u16, u16), now: Stamp) -> Self {
        Self {
            settings,
            size,
            now,
            board: Read::default(),
            fleet: Read::default(),
            runs: Read::default(),
            near: None,
            log: None,
            screens: vec![Screen::Board],
            pane: Pane::Cards,
            cursor: Cursor::default(),
            run: None,
            warning: 0,
            filter: String::new(),
            is_typing: false,
            is_help: false,
            help_scroll: 0,
            menu: None,
            notice: None,
        }
    }

    /// Changes what happened changes, and returns what is to be done about it.
    pub fn update(&mut self, now: Stamp, msg: Msg) -> Vec<Ask> {
        self.now = now;
        let asks = match msg {
            Msg::Started | Msg::Changed => self.refresh(),
            Msg::Key(key) => keys::press(self, key),
            Msg::Pasted(text) => keys::paste(self, &text),
            Msg::Resized(width, height) => {
                self.size = (width, height);
                Vec::new()
            }
            Msg::Ticked => self.tick(),
            Msg::BoardRead(answer) => again(self.board.take(now, answer), Ask::Board),
            Msg::FleetRead(answer) => again(self.fleet.take(now, answer), Ask::Fleet),
            Msg::RunsRead(answer) => again(self.runs.take(now, answer), Ask::Runs),
            Msg::IssueRead(issue, answer) => self.on_issue(issue, *answer),
            Msg::LogRead(run, answer) => self.on_log(run, answer),
            Msg::Ordered(issue, kind, answer) => menu::on_ordered(self, &issue, kind, answer),
        };
        self.settle();
        asks
    }

    /// Returns what is on top.
    pub fn screen(&self) -> Screen {
        self.screens.last().copied().unwrap_or(Screen::Board)
    }

    /// Returns whether cards are shown as one list, for want of width.
    pub fn is_list(&self) -> bool {
        self.size.0 < COLUMNS_FROM
    }

    /// Asks for everything that is shown.
    pub(crate) fn refresh(&mut self) -> Vec<Ask> {
        let mut asks = Vec::new();
        asks.extend(self.board.ask(self.now).then_some(Ask::Board));
        asks.extend(self.fleet.ask(self.now).then_some(Ask::Fleet));
        asks.extend(self.runs.ask(self.now).then_some(Ask::Runs));
        asks.extend(self.ask_near());
        asks.extend(self.ask_log());
        asks
    }

    /// Asks for the issue that is looked at from near, as long as anybody sees it: reading one costs more than all the rest.
    pub(crate) fn ask_near(&mut self) -> Option<Ask> {
        let is_seen = self.screen() == Screen::Issue || self.menu.is_some();
        let now = self.now;
        let near = self.near.as_mut().filter(|_| is_seen)?;
        near.read.ask(now).then(|| Ask::Issue(near.issue.clone()))
    }

    fn ask_log(&mut self) -> Option<Ask> {
        let is_seen = self.screen() == Screen::Log;
        let now = self.now;
        self.log.as_mut().filter(|_| is_seen)?.ask(now)
    }

    /// Asks again for what has become old, so that a change that nobody told of is seen in the end.
    fn tick(&mut self) -> Vec<Ask> {
        let now = self.now;
        // What did not go as wanted stays until a key is pressed.
        let is_busy = self.menu.is_some();
        self.notice.take_if(|notice| !notice.is_bad && !is_busy && now.since(notice.at) >= NOTICE_FOR);
        let mut asks = Vec::new();
        asks.extend((self.board.is_due(now) && self.board.ask(now)).then_some(Ask::Board));
        asks.extend((self.fleet.is_due(now) && self.fleet.ask(now)).then_some(Ask::Fleet));
        asks.extend((self.runs.is_due(now) && self.runs.ask(now)).then_some(Ask::Runs));
        if self.near.as_ref().is_some_and(|near| near.read.is_due(now)) {
            asks.extend(self.ask_near());
        }
        asks.extend(self.ask_log());
        asks
    }

    fn on_issue(&mut self, issue: IssueKey, answer: Answer<IssueView>) -> Vec<Ask> {
        let now = self.now;
        let Some(near) = self.near.as_mut().filter(|near| near.issue == issue) else { return Vec::new() };
        again(near.read.take(now, answer), Ask::Issue(issue))
    }

    fn on_log(&mut self, run: i64, answer: Answer<LogPage>) -> Vec<Ask> {
        let now = self.now;
        let Some(log) = self.log.as_mut().filter(|log| log.run == run) else { return Vec::new() };
        log.take(now, answer).into_iter().collect()
    }

    /// Looks at an issue from near.
    pub(crate) fn approach(&mut self, issue: IssueKey) -> Vec<Ask> {
        if self.near.as_ref().is_none_or(|near| near.issue != issue) {
            let read = Read::default();
            self.near = Some(Near { issue: issue.clone(), read, section: Section::Why, scroll: 0 });
        }
        let now = self.now;
        let is_asked = self.near.as_mut().is_some_and(|near| near.read.ask(now));
        again(is_asked, Ask::Issue(issue))
    }

    /// Says something to the person at the screen.
    pub(crate) fn say(&mut self, words: impl Into<String>, is_bad: bool) {
        self.notice = Some(Notice { words: words.into(), is_bad, at: self.now });
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> &[Warning] {
        self.board.value.as_ref().map_or(&[], |board| &board.warnings)
    }

    /// Returns the runs that are not over.
    pub fn active(&self) -> Vec<&RunLine> {
        let fleet = self.fleet.value.as_ref();
        let runs = fleet.into_iter().flat_map(|fleet| fleet.running.iter().chain(&fleet.queued));
        runs.filter(|run| self.matches_run(run)).collect()
    }

    /// Returns the runs that the filter lets through.
    pub fn listed(&self) -> Vec<&RunLine> {
        let runs = self.runs.value.as_deref().unwrap_or_default();
        runs.iter().filter(|run| self.matches_run(run)).collect()
    }

    /// Returns the columns with the cards that the filter lets through.
    pub fn visible(&self) -> Vec<(&Column, Vec<&Card>)> {
        let columns = self.board.value.as_ref().map_or(&[][..], |board| &board.columns);
        let cards = |column: &'_ Column| -> Vec<usize> {
            (0..column.cards.len()).filter(|at| self.matches_card(&column.cards[*at])).collect()
        };
        columns
            .iter()
            .map(|column| (column, cards(column).into_iter().map(|at| &column.cards[at]).collect()))
            .collect()
    }

    fn matches_card(&self, card: &Card) -> bool {
        let holder = card.holder.as_ref().map_or("", |holder| &holder.name);
        let words = [&card.issue, &card.title, &card.words, &card.column].map(String::as_str);
        let badges = card.badges.iter().map(|badge| badge.words.as_str());
        let labels = card.labels.iter().map(String::as_str);
        self.matches(words.into_iter().chain([holder]).chain(badges).chain(labels))
    }

    fn matches_run(&self, run: &RunLine) -> bool {
        let names = [&run.issue, &run.task, &run.stage].into_iter().flatten().map(String::as_str);
        self.matches(names.chain([run.agent.as_str(), run.errand.as_str(), run.state.words()]))
    }

    fn matches<'a>(&self, mut texts: impl Iterator<Item = &'a str>) -> bool {
        let wanted = self.filter.to_lowercase();
        wanted.is_empty() || texts.any(|text| text.to_lowercase().contains(&wanted))
    }

    /// Keeps what is chosen among what there is.
    fn settle(&mut self) {
        let names: Vec<Vec<String>> = self
            .visible()
            .into_iter()
            .map(|(_, cards)| cards.into_iter().map(|card| card.issue.clone()).collect())
            .collect();
        self.cursor.settle(&names);
        self.warning = self.warning.min(self.warnings().len().saturating_sub(1));
        if self.screen() == Screen::Board && self.pane == Pane::Active && self.active().is_empty()
            || self.pane == Pane::Warnings && self.warnings().is_empty()
        {
            self.pane = Pane::Cards;
        }
        let runs = keys::run_numbers(self);
        if !self.run.is_some_and(|run| runs.contains(&run)) {
            self.run = runs.first().copied();
        }
        crate::draw::clamp(self);
    }
}

fn again(is_asked: bool, ask: Ask) -> Vec<Ask> {
    if is_asked { vec![ask] } else { Vec::new() }
}
