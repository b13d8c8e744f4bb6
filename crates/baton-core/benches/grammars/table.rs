//! The figures, as they are printed and kept.

use std::fmt::Write as _;

use crate::pace::Pace;

/// From here on, a byte of a long text costs so much more than one of a short text that it is no chance.
const GROWTH_MAX: f64 = 2.0;
/// What copying a text may cost, in plain passes.
const COPYING: f64 = 4.0;
/// How many families of a grammar are printed, those that grow most; all are kept.
const SHOWN: usize = 3;

/// A family at three lengths.
pub(crate) struct Row {
    pub(crate) family: String,
    pub(crate) measured: [Pace; 3],
}

impl Row {
    fn growth(&self) -> f64 {
        self.measured[2].beside_plain / self.measured[0].beside_plain
    }

    /// What costs no more than a few plain passes is copied at most, and then memory alone makes the difference.
    fn is_steep(&self) -> bool {
        self.growth() > GROWTH_MAX && self.measured[2].beside_plain > COPYING
    }

    fn text(&self, grammar: &str) -> String {
        let [short, middle, long] = self.measured.map(|pace| pace.beside_plain);
        let verdict = if self.is_steep() { "**steep**" } else { "" };
        format!(
            "| {grammar} | {} | {short:.1} | {middle:.1} | {long:.1} | {:.2} | {:.2} | {verdict} |\n",
            self.family,
            self.measured[2].byte_ns,
            self.growth(),
        )
    }
}

/// The table so far.
pub(crate) struct Table {
    all: String,
    steep: usize,
    rows: usize,
}

impl Table {
    pub(crate) fn new(shortest: usize) -> Self {
        let [short, middle, long] = [1, 4, 16].map(|times| times * shortest / 1024);
        let head = format!(
            "Time to read a text, in plain passes over it: at {short}, {middle} and {long} KiB. Growth is the last of them beside the first.\n\n\
             | grammar | family | {short} KiB | {middle} KiB | {long} KiB | ns per byte | growth | |\n|---|---|---|---|---|---|---|---|\n"
        );
        print!("{head}");
        Self { all: head, steep: 0, rows: 0 }
    }

    /// Adds a grammar: all of it to what is kept, and the steepest to what is shown.
    pub(crate) fn grammar(&mut self, name: &str, mut rows: Vec<Row>) {
        rows.sort_by(|one, other| other.growth().total_cmp(&one.growth()));
        for (place, row) in rows.iter().enumerate() {
            let text = row.text(name);
            if place < SHOWN || row.is_steep() {
                print!("{text}");
            }
            self.all.push_str(&text);
        }
        self.steep += rows.iter().filter(|row| row.is_steep()).count();
        self.rows += rows.len();
    }

    pub(crate) fn end(&mut self) {
        let mut words = String::new();
        let _ = writeln!(
            words,
            "\n{} families; in {} of them a byte costs more than {GROWTH_MAX} times as much in the longest text.",
            self.rows, self.steep
        );
        print!("{words}");
        self.all.push_str(&words);
    }

    pub(crate) fn all(&self) -> &str {
        &self.all
    }
}
