//! The figures, printed and kept in a file.

use std::fmt::Write as _;

pub(crate) struct Table {
    text: String,
    ratios: Vec<(String, f64)>,
}

impl Table {
    pub(crate) fn new() -> Self {
        let text = "| request | body | forge /s | bare axum /s | ratio |\n|---|---|---|---|---|\n".to_owned();
        Self { text, ratios: Vec::new() }
    }

    pub(crate) fn note(&mut self, note: &str) {
        println!("{note}");
        self.text = format!("{note}\n\n{}", self.text);
    }

    pub(crate) fn row(&mut self, what: &str, bytes: usize, ours: f64, theirs: f64) {
        let line =
            format!("| {what} | {bytes} B | {ours:.0} | {theirs:.0} | {:.0} % |", 100.0 * ours / theirs);
        println!("{line}");
        let _ = writeln!(self.text, "{line}");
        self.ratios.push((what.to_owned(), ours / theirs));
    }

    /// A rate beside a yardstick of its own.
    pub(crate) fn beside(&mut self, what: &str, ours: f64, yardstick: &str, theirs: f64) {
        let line = format!("{what}: {ours:.0}/s beside {yardstick}: {theirs:.0}/s ({:.2}×)", ours / theirs);
        println!("{line}");
        let _ = writeln!(self.text, "\n{line}");
    }

    pub(crate) fn ratio(&self, what: &str) -> f64 {
        self.ratios.iter().find(|(known, _)| known == what).map_or(f64::NAN, |(_, ratio)| *ratio)
    }

    pub(crate) fn aim(&mut self, what: &str, found: f64, wanted: f64, at_least: bool) {
        let met = if at_least { found >= wanted } else { found <= wanted };
        let (sign, verdict) = (if at_least { "≥" } else { "≤" }, if met { "met" } else { "missed" });
        let line = format!("aim: {what}: {found:.2} ({sign} {wanted:.2}): {verdict}");
        println!("{line}");
        let _ = writeln!(self.text, "\n{line}");
    }

    pub(crate) fn finish(self) {
        if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
            std::fs::write(&path, &self.text).expect("the figures are written");
        }
    }
}
