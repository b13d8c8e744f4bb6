//! The figures, as they are printed and kept.

use std::fmt::Write as _;

use crate::plan::{Plan, Work, median};

/// What is aimed at, as a share.
pub(crate) enum Aim {
    AtLeast(f64),
    Under(f64),
}

impl Aim {
    fn is_met(&self, ratio: f64) -> bool {
        match self {
            Self::AtLeast(bound) => ratio >= *bound,
            Self::Under(bound) => ratio < *bound,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::AtLeast(bound) => format!("≥ {bound:.2}"),
            Self::Under(bound) => format!("< {bound:.2}"),
        }
    }
}

/// The table so far.
pub(crate) struct Table {
    text: String,
}

impl Table {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut table = Self { text: String::new() };
        table.say(&format!(
            "Every commit is written through to the disk. Medians of {} rounds of {} s, which take turns; a ratio is the median of those of neighbouring \
             rounds.\n\n\
             | what | ours | beside | ratio | aim | |\n|---|---|---|---|---|---|\n",
            plan.rounds,
            plan.round.as_secs()
        ));
        table
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn say(&mut self, more: &str) {
        print!("{more}");
        self.text.push_str(more);
    }

    /// Adds a row; the values are shown with their unit.
    pub(crate) fn row(&mut self, what: &str, (ours, beside): (f64, f64), unit: &str, aim: &Aim) {
        self.row_with_ratio(what, (ours, beside), ours / beside, unit, aim);
    }

    /// Adds a row of rounds that took turns. The ratio is the middle one of those of neighbours, which saw the same
    /// machine.
    fn rounds(&mut self, what: &str, (ours, beside): (&[f64], &[f64]), aim: &Aim) {
        let ratios = ours.iter().zip(beside).map(|(ours, beside)| ours / beside).collect();
        let middles = (median(ours.to_vec()), median(beside.to_vec()));
        self.row_with_ratio(what, middles, median(ratios), "/s", aim);
    }

    fn row_with_ratio(&mut self, what: &str, (ours, beside): (f64, f64), ratio: f64, unit: &str, aim: &Aim) {
        let verdict = if aim.is_met(ratio) { "met" } else { "**missed**" };
        let mut row = format!("| {what} | {ours:.0} {unit} | {beside:.0} {unit} | {ratio:.2} | ");
        let _ = writeln!(row, "{} | {verdict} |", aim.text());
        self.say(&row);
    }
}

impl Table {
    /// Adds what was found on a database: beside the bare SQL, and with a long history beside empty tables.
    pub(crate) fn compared(
        &mut self,
        database: &str,
        (work, clients): (Work, usize),
        [ours, bare, ours_full, bare_full]: &[Vec<f64>; 4],
        plan: &Plan,
    ) {
        let plural = if clients == 1 { "" } else { "s" };
        let what = format!("{database}, {}, {clients} client{plural}", work.name());
        self.rounds(&format!("{what}: beside bare SQL"), (ours, bare), &Aim::AtLeast(0.6));
        if !ours_full.is_empty() {
            let runs = plan.finished_runs;
            let beside = format!("{what}, {runs} finished runs: beside bare SQL");
            self.rounds(&beside, (ours_full, bare_full), &Aim::AtLeast(0.6));
            let beside = format!("{what}, {runs} finished runs: beside empty tables");
            self.rounds(&beside, (ours_full, ours), &Aim::AtLeast(0.8));
        }
    }
}
