//! The explanation on one screen: 80 columns, and about 40 lines.
//!
//! A rule that passed has one line, whatever it looked at; the one that decided is told in full; those that were not
//! asked share a line. What others wrote, such as a title, is shown as one line that no terminal obeys.

use std::fmt::Write as _;

use super::super::budget::Spending;
use super::super::effect::Effect;
use super::super::trail::{Answer, Entry, Fact, List};
use super::{Explanation, words};

const COLUMNS_MAX: usize = 80;
/// Where the sign of a rule stands, its name, and its facts.
const SIGN_AT: usize = 8;
const NAME_AT: usize = SIGN_AT + 2;
const FACTS_AT: usize = NAME_AT + 21;
/// How much of one effect or fact is told.
const TOLD_CHARS_MAX: usize = 200;

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// Draws the screen.
pub(super) fn draw(explanation: &Explanation<'_>, is_coloured: bool) -> String {
    let mut screen = Screen { text: String::new(), is_coloured };
    screen.head(explanation);
    screen.effects(&explanation.effects);
    screen.budgets(&explanation.budgets);
    screen.line("", None);
    screen.line("Why", Some(BOLD));
    for (list, name) in [(List::Upkeep, "upkeep"), (List::Guards, "guards"), (List::Gates, "gates")] {
        let entries: Vec<_> =
            explanation.assessment.trail.entries.iter().filter(|it| it.list == list).collect();
        screen.list(name, &entries);
    }
    screen.text
}

struct Screen {
    text: String,
    is_coloured: bool,
}

impl Screen {
    /// Writes a line, cut at the edge.
    fn line(&mut self, line: &str, paint: Option<&str>) {
        let line = cut(line, COLUMNS_MAX);
        let line = line.trim_end();
        let _ = match paint.filter(|_| self.is_coloured) {
            Some(paint) => writeln!(self.text, "{paint}{line}{PLAIN}"),
            None => writeln!(self.text, "{line}"),
        };
    }

    /// Writes words from a column on, over as many lines as they need.
    fn wrapped(&mut self, first: &str, words: &str, from: usize, paint: Option<&str>) {
        let mut line = format!("{first:from$}");
        let mut is_empty = true;
        for word in words.split(' ') {
            let is_full = line.chars().count() + 1 + word.chars().count() > COLUMNS_MAX;
            if is_full && !is_empty {
                self.line(&line, paint);
                line = " ".repeat(from);
                is_empty = true;
            }
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(word);
            is_empty = false;
        }
        self.line(&line, paint);
    }

    fn head(&mut self, explanation: &Explanation<'_>) {
        let item = explanation.item;
        let place = match explanation.stage {
            Some(stage) => format!("in {}", one_line(stage)),
            None => format!("in the column {}", one_line(&item.column)),
        };
        self.line(&format!("{} {place}, {}", item.issue, explanation.now.server), Some(BOLD));
        if !item.title.is_empty() {
            self.line(&one_line(&item.title), None);
        }
        self.line("", None);
        self.wrapped("●", &one_line(&explanation.sentence()), 2, Some(BOLD));
        self.line("", None);
    }

    fn effects(&mut self, effects: &[Effect]) {
        self.line("Then", Some(BOLD));
        if effects.is_empty() {
            self.line("  nothing is done until something changes", None);
        }
        let added = effects.iter().filter_map(|effect| match effect {
            Effect::AddLabel { label } => Some(label.as_str()),
            _ => None,
        });
        self.labels("add", &added.collect::<Vec<_>>());
        let removed = effects.iter().filter_map(|effect| match effect {
            Effect::RemoveLabel { label } => Some(label.as_str()),
            _ => None,
        });
        self.labels("remove", &removed.collect::<Vec<_>>());
        for told in effects.iter().filter_map(words::effect) {
            self.wrapped("", &cut(&one_line(&told), TOLD_CHARS_MAX), 2, None);
        }
    }

    fn budgets(&mut self, budgets: &[Spending]) {
        if budgets.is_empty() {
            return;
        }
        self.line("", None);
        self.line("Budgets", Some(BOLD));
        budgets.iter().for_each(|spending| self.line(&format!("  {}", spending.words()), None));
    }

    fn labels(&mut self, verb: &str, labels: &[&str]) {
        let noun = if labels.len() == 1 { "label" } else { "labels" };
        if !labels.is_empty() {
            let labels = one_line(&labels.join(", "));
            self.wrapped("", &format!("{verb} the {noun} {labels}"), 2, None);
        }
    }

    fn list(&mut self, name: &str, entries: &[&Entry]) {
        let asked = entries.iter().filter(|entry| entry.answer != Answer::NotAsked);
        let mut margin = name;
        for entry in asked {
            self.entry(margin, entry);
            margin = "";
        }
        let rest = entries.iter().filter(|entry| entry.answer == Answer::NotAsked);
        let rest: Vec<_> = rest.map(|entry| entry.rule).collect();
        if !rest.is_empty() {
            self.line(&format!("{margin:SIGN_AT$}· not asked: {}", rest.join(", ")), Some(DIM));
        }
    }

    fn entry(&mut self, margin: &str, entry: &Entry) {
        let (sign, paint) = match entry.answer {
            Answer::Passed => ("✓", None),
            Answer::ToGates => ("→", None),
            Answer::Decided => ("●", Some(BOLD)),
            Answer::NotAsked => ("·", Some(DIM)),
        };
        let name = format!("{margin:SIGN_AT$}{sign} {}", entry.rule);
        if entry.answer != Answer::Decided {
            return self.line(&format!("{name:FACTS_AT$}{}", told(&entry.facts)), paint);
        }
        self.wrapped(&name, entry.asks, FACTS_AT, paint);
        if !entry.facts.is_empty() {
            self.wrapped("", &told(&entry.facts), FACTS_AT, None);
        }
    }
}

fn told(facts: &[Fact]) -> String {
    let fact = |fact: &Fact| format!("{}: {}", fact.name, cut(&one_line(&fact.value), TOLD_CHARS_MAX));
    facts.iter().map(fact).collect::<Vec<_>>().join("; ")
}

/// Returns a text on one line, without anything that a terminal would obey.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the beginning of a text, with a sign where something is missing.
fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some(_) => text.chars().take(longest - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Item, Moment, Pipeline, Policy, Stage};
    use super::*;
    use crate::time::{ServerTime, StoreTime};

    const NOW: Moment = Moment { server: ServerTime(1_780_000_000), store: StoreTime { ms: 0 } };

    fn item(change: impl FnOnce(&mut Item)) -> Item {
        let mut item: Item =
            serde_json::from_str(r#"{"issue": "acme/web#42", "column": "Plan", "title": "Greet people"}"#)
                .unwrap();
        change(&mut item);
        item
    }

    fn screen(item: &Item, is_coloured: bool) -> String {
        let stage = Stage { name: "Plan".to_owned(), ..Stage::default() };
        Explanation::of(item, &Pipeline::new(vec![stage]), &Policy::default(), NOW).screen(is_coloured)
    }

    #[test]
    fn a_screen_has_eighty_columns_and_says_first_what_happens() {
        let long = "x".repeat(300);
        for item in [
            item(|_| ()),
            item(|item| item.title.clone_from(&long)),
            item(|item| item.column.clone_from(&long)),
            item(|item| item.runner = Some(long.clone())),
            item(|item| item.labels = vec!["baton:paused".to_owned(), format!("baton:locked:{long}")]),
            item(|item| item.labels = vec!["stage:Plan:complete".to_owned()]),
        ] {
            let screen = screen(&item, false);
            assert!(screen.lines().all(|line| line.chars().count() <= COLUMNS_MAX), "{screen}");
            assert!(screen.lines().count() <= 42, "{screen}");
            assert!(screen.lines().nth(3).unwrap().starts_with("● "), "{screen}");
        }
    }

    #[test]
    fn what_others_wrote_cannot_move_the_cursor() {
        let item = item(|item| item.title = "a\u{1b}[2Jb\r\nc\u{9b}1m".to_owned());
        let screen = screen(&item, false);
        assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen:?}");
        assert_eq!(screen.lines().nth(1), Some("a [2Jb c 1m"));
    }

    #[test]
    fn colour_is_there_only_when_it_is_asked_for() {
        let item = item(|_| ());
        assert!(!screen(&item, false).contains('\u{1b}'));
        let painted = screen(&item, true);
        assert!(painted.contains(BOLD) && painted.contains(DIM));
        let plain = [BOLD, DIM, PLAIN].iter().fold(painted, |text, paint| text.replace(paint, ""));
        assert_eq!(plain, screen(&item, false));
    }
}
