//! The orders that may be given about an issue: one is picked, completed where it needs words, and sent.
//!
//! What was typed stays until the order is done: a server that does not answer must not cost anybody their words.

use baton_core::tracker::IssueKey;
use baton_view::{Offer, Order, OrderKind, Reply};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Answer, App, Ask};

/// The orders that may be given about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    /// The issue.
    pub issue: IssueKey,
    /// How far the choice is.
    pub step: Step,
    /// The order that is chosen, by its place among [`OrderKind::ALL`].
    pub row: usize,
    /// The column that is chosen, for a move.
    pub column: usize,
    /// What was typed.
    pub text: String,
}

/// How far a choice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An order is picked.
    Pick,
    /// Words are typed for it.
    Type,
    /// A column is picked for it.
    Column,
    /// It is asked whether it is meant.
    Confirm,
    /// It was sent.
    Sent,
}

impl Menu {
    pub(super) fn new(issue: IssueKey) -> Self {
        Self { issue, step: Step::Pick, row: 0, column: 0, text: String::new() }
    }

    /// Returns the order that is chosen.
    pub fn kind(&self) -> OrderKind {
        OrderKind::ALL[self.row.min(OrderKind::ALL.len() - 1)]
    }
}

/// Returns what is asked for when words are typed, and whether there must be some.
pub fn question(kind: OrderKind) -> Option<(&'static str, bool)> {
    match kind {
        OrderKind::Pause => Some(("Why? (may be empty)", false)),
        OrderKind::Wake => Some(("What should the agent be told? (may be empty)", false)),
        OrderKind::Approve => Some(("What else is there to say? (may be empty)", false)),
        OrderKind::Reject => Some(("What is wrong with the plan?", true)),
        OrderKind::Comment => Some(("What do you want to say?", true)),
        OrderKind::Resume | OrderKind::Cancel | OrderKind::Hold | OrderKind::Unhold | OrderKind::Move => None,
    }
}

/// Returns what is offered for the issue of a menu; nothing as long as the issue was not read.
pub fn offers<'a>(app: &'a App, menu: &Menu) -> Option<&'a [Offer]> {
    let near = app.near.as_ref().filter(|near| near.issue == menu.issue)?;
    near.read.value.as_ref().map(|view| view.offers.as_slice())
}

/// Returns the columns that an issue may be moved to.
pub fn columns<'a>(app: &'a App, menu: &Menu) -> &'a [String] {
    let near = app.near.as_ref().filter(|near| near.issue == menu.issue);
    near.and_then(|near| near.read.value.as_ref()).map_or(&[], |view| &view.columns)
}

/// Returns why an order cannot be given; nothing when it can.
pub fn obstacle(app: &App, menu: &Menu, kind: OrderKind) -> Option<String> {
    let Some(offers) = offers(app, menu) else { return Some("the issue was not read yet".to_owned()) };
    match offers.iter().find(|offer| offer.order == kind) {
        Some(offer) => offer.why_not.clone(),
        None => Some("it is not offered".to_owned()),
    }
}

pub(super) fn press(app: &mut App, key: KeyEvent) -> Vec<Ask> {
    let Some(mut menu) = app.menu.take() else { return Vec::new() };
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match menu.step {
        Step::Pick => pick(app, menu, key.code),
        Step::Column => pick_column(app, menu, key.code),
        Step::Confirm => confirm(app, menu, key.code),
        Step::Type => match key.code {
            KeyCode::Enter => complete(app, menu),
            code => {
                let is_left = edit(&mut menu, code, is_control);
                if is_left {
                    menu.step = Step::Pick;
                }
                keep(app, menu)
            }
        },
        Step::Sent if key.code == KeyCode::Esc => Vec::new(),
        Step::Sent => keep(app, menu),
    }
}

pub(super) fn paste(app: &mut App, text: &str) {
    if let Some(menu) = app.menu.as_mut().filter(|menu| menu.step == Step::Type) {
        menu.text.push_str(text);
    }
}

fn keep(app: &mut App, menu: Menu) -> Vec<Ask> {
    app.menu = Some(menu);
    Vec::new()
}

fn pick(app: &mut App, mut menu: Menu, code: KeyCode) -> Vec<Ask> {
    let last = OrderKind::ALL.len() - 1;
    match code {
        KeyCode::Up | KeyCode::Char('k') => menu.row = menu.row.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => menu.row = (menu.row + 1).min(last),
        KeyCode::Home | KeyCode::Char('g') => menu.row = 0,
        KeyCode::End | KeyCode::Char('G') => menu.row = last,
        KeyCode::Esc | KeyCode::Char('q' | 'a') => return Vec::new(),
        KeyCode::Enter => return begin(app, menu),
        _ => {}
    }
    keep(app, menu)
}

fn begin(app: &mut App, mut menu: Menu) -> Vec<Ask> {
    let kind = menu.kind();
    if let Some(why_not) = obstacle(app, &menu, kind) {
        app.say(format!("{} is not possible: {why_not}", kind.word()), true);
        return keep(app, menu);
    }
    app.notice = None;
    menu.step = match kind {
        OrderKind::Move => Step::Column,
        OrderKind::Cancel => Step::Confirm,
        kind if question(kind).is_some() => Step::Type,
        _ => return complete(app, menu),
    };
    if kind == OrderKind::Move {
        let now = app.board.value.as_ref().and_then(|board| {
            let name = menu.issue.to_string();
            board.cards().find(|card| card.issue == name).map(|card| card.column.clone())
        });
        menu.column = columns(app, &menu).iter().position(|it| Some(it) == now.as_ref()).unwrap_or(0);
    }
    keep(app, menu)
}

fn pick_column(app: &mut App, mut menu: Menu, code: KeyCode) -> Vec<Ask> {
    let last = columns(app, &menu).len().saturating_sub(1);
    match code {
        KeyCode::Up | KeyCode::Char('k') => menu.column = menu.column.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => menu.column = (menu.column + 1).min(last),
        KeyCode::Esc | KeyCode::Char('q') => menu.step = Step::Pick,
        KeyCode::Enter => return complete(app, menu),
        _ => {}
    }
    keep(app, menu)
}

fn confirm(app: &mut App, mut menu: Menu, code: KeyCode) -> Vec<Ask> {
    match code {
        KeyCode::Char('y' | 'Y') => return complete(app, menu),
        KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => menu.step = Step::Pick,
        _ => {}
    }
    keep(app, menu)
}

/// Changes what is typed, and returns whether the line is left.
fn edit(menu: &mut Menu, code: KeyCode, is_control: bool) -> bool {
    match code {
        KeyCode::Esc => return true,
        KeyCode::Backspace => {
            menu.text.pop();
        }
        KeyCode::Char('u') if is_control => menu.text.clear(),
        KeyCode::Char(character) if !is_control => menu.text.push(character),
        _ => {}
    }
    false
}

fn complete(app: &mut App, mut menu: Menu) -> Vec<Ask> {
    let kind = menu.kind();
    let is_needed = question(kind).is_some_and(|(_, is_needed)| is_needed);
    if is_needed && menu.text.trim().is_empty() {
        app.say(format!("{} needs some words", kind.word()), true);
        return keep(app, menu);
    }
    let Some(order) = order(app, &menu) else {
        app.say("there is no column to move it to", true);
        return keep(app, menu);
    };
    app.say(format!("{} of {} was sent …", kind.word(), menu.issue), false);
    menu.step = Step::Sent;
    let issue = menu.issue.clone();
    app.menu = Some(menu);
    vec![Ask::Order(issue, order)]
}

fn order(app: &App, menu: &Menu) -> Option<Order> {
    let text = menu.text.trim().to_owned();
    let some = Some(text.clone()).filter(|text| !text.is_empty());
    Some(match menu.kind() {
        OrderKind::Pause => Order::Pause { reason: some },
        OrderKind::Resume => Order::Resume {},
        OrderKind::Wake => Order::Wake { agent: None, note: some },
        OrderKind::Cancel => Order::Cancel {},
        OrderKind::Hold => Order::Hold {},
        OrderKind::Unhold => Order::Unhold {},
        OrderKind::Approve => Order::Approve { note: some, plan: None },
        OrderKind::Reject => Order::Reject { reason: text, plan: None },
        OrderKind::Move => Order::Move { to: columns(app, menu).get(menu.column)?.clone() },
        OrderKind::Comment => Order::Comment { text },
    })
}

pub(super) fn on_ordered(
    app: &mut App,
    issue: &IssueKey,
    kind: OrderKind,
    answer: Answer<Reply>,
) -> Vec<Ask> {
    let is_done = answer.as_ref().is_ok_and(|reply| reply.is_done);
    let words = match answer {
        Ok(reply) => reply.said,
        Err(error) => error.to_string(),
    };
    app.say(format!("{} of {issue}: {words}", kind.word()), !is_done);
    if let Some(menu) = app.menu.as_mut().filter(|it| it.step == Step::Sent && it.issue == *issue) {
        if is_done {
            app.menu = None;
        } else {
            menu.step = if question(kind).is_some() { Step::Type } else { Step::Pick };
        }
    }
    app.refresh()
}
