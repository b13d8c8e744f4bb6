//! How a decision came about: every rule in order, what it said, and the facts that it looked at.
//!
//! The list that decides is the list that explains: rules note their facts while they decide, and when nobody wants to
//! know, noting costs nothing.

use serde::Serialize;

use super::step::Step;

/// Something that a rule looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What.
    pub name: &'static str,
    /// How it was.
    pub value: String,
}

/// Where a rule writes down what it looks at.
#[derive(Debug, Default)]
pub struct Notes {
    facts: Option<Vec<Fact>>,
}

impl Notes {
    /// Returns notes that are kept.
    pub(super) fn kept() -> Self {
        Self { facts: Some(Vec::new()) }
    }

    /// Writes down a fact, if anybody wants to know.
    pub(super) fn fact<V: ToString>(&mut self, name: &'static str, value: impl FnOnce() -> V) {
        if let Some(facts) = &mut self.facts {
            facts.push(Fact { name, value: value().to_string() });
        }
    }

    fn take(&mut self) -> Vec<Fact> {
        self.facts.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// What a rule said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Go on to the next rule.
    Pass,
    /// Do this.
    Decide(Step),
    /// The stage is finished: go on at its gates.
    Gates,
}

/// One rule.
pub struct Rule {
    /// Its name in one word.
    pub id: &'static str,
    /// What it asks; yes decides.
    pub asks: &'static str,
    /// What happens then.
    pub then: &'static str,
    pub(super) check: fn(&super::view::View<'_>, &mut Notes) -> Verdict,
}

/// A list of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum List {
    /// Labels that must be put right before anything else.
    Upkeep,
    /// Whether the issue may be worked on.
    Guards,
    /// Whether a finished stage may be left.
    Gates,
}

/// What one rule said about one issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The list that it is in.
    pub list: List,
    /// The rule.
    pub rule: &'static str,
    /// What it asks.
    pub asks: &'static str,
    /// What it said.
    pub answer: Answer,
    /// What it looked at.
    pub facts: Vec<Fact>,
}

/// What a rule said, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It had nothing against it.
    Passed,
    /// It sent the issue to the gates.
    ToGates,
    /// It decided.
    Decided,
    /// It was not asked, since an earlier one had decided.
    NotAsked,
}

/// How a decision came about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Trail {
    /// The rules, in order.
    pub entries: Vec<Entry>,
}

impl Trail {
    pub(super) fn note(&mut self, list: List, rule: &Rule, verdict: &Verdict, notes: &mut Notes) {
        let answer = match verdict {
            Verdict::Pass => Answer::Passed,
            Verdict::Gates => Answer::ToGates,
            Verdict::Decide(_) => Answer::Decided,
        };
        self.entries.push(Entry { list, rule: rule.id, asks: rule.asks, answer, facts: notes.take() });
    }

    pub(super) fn not_asked(&mut self, list: List, rules: &[Rule]) {
        self.entries.extend(rules.iter().map(|rule| Entry {
            list,
            rule: rule.id,
            asks: rule.asks,
            answer: Answer::NotAsked,
            facts: Vec::new(),
        }));
    }

    /// Returns the entry that decided.
    pub fn decided(&self) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.answer == Answer::Decided)
    }
}
