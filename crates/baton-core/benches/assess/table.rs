//! The figures, as they are printed and kept.

use std::time::Duration;

use crate::herd::Herd;

const IDLE_ITEMS_PER_SECOND: f64 = 2_000_000.0;
const EXPLANATION_MAX: Duration = Duration::from_millis(1);

/// The table so far.
pub(crate) struct Table {
    text: String,
}

impl Table {
    pub(crate) fn new(herd: &Herd) -> Self {
        let mut table = Self { text: String::new() };
        let (all, idle) = (herd.all().len(), herd.idle().len());
        table.line(&format!(
            "{all} issues with 5 to 30 comments each, {idle} of them idle; one core; medians of 7 rounds, which take turns.\n"
        ));
        table.line("| what | figure | aim | |\n|---|---|---|---|");
        table
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What deciding takes, beside reading what must be read, and everything.
    pub(crate) fn pace(&mut self, name: &str, items: usize, bytes: u64, took: [Duration; 3]) {
        let per_second = took.map(|took| items as f64 / took.as_secs_f64());
        let gigabytes = took.map(|took| bytes as f64 / took.as_secs_f64() / 1e9);
        let aim = (name == "idle").then_some((IDLE_ITEMS_PER_SECOND, per_second[0] > IDLE_ITEMS_PER_SECOND));
        let aim = aim.map(|(aim, is_met)| (format!("> {aim:.0} /s"), is_met));
        self.row(&format!("{name}: decisions"), &format!("{:.0} /s", per_second[0]), aim);
        let beside = format!("{:.0} /s, {:.2} times ours", per_second[1], per_second[1] / per_second[0]);
        self.row(&format!("{name}: a plain pass over labels and signs"), &beside, None);
        let average = bytes / items.max(1) as u64;
        self.row(
            &format!("{name}: memory of issues decided, {average} B each"),
            &format!("{:.1} GB/s", gigabytes[0]),
            None,
        );
        self.row(
            &format!("{name}: a plain pass over that memory"),
            &format!("{:.1} GB/s", gigabytes[2]),
            None,
        );
    }

    pub(crate) fn allocations(&mut self, name: &str, items: usize, count: u64, has_aim: bool) {
        let aim = has_aim.then(|| ("0".to_owned(), count == 0));
        let each = count as f64 / items.max(1) as f64;
        self.row(&format!("{name}: allocations for each issue"), &format!("{each:.3}"), aim);
    }

    pub(crate) fn explanations(&mut self, median: Duration, slow: Duration) {
        let aim = ("< 1 ms".to_owned(), slow < EXPLANATION_MAX);
        let figure = format!("{:.1} µs, p99 {:.1} µs", micros(median), micros(slow));
        self.row("an explanation, trail and screen", &figure, Some(aim));
    }

    fn row(&mut self, what: &str, figure: &str, aim: Option<(String, bool)>) {
        let (aim, verdict) = match aim {
            Some((aim, true)) => (aim, "met"),
            Some((aim, false)) => (aim, "**missed**"),
            None => ("–".to_owned(), ""),
        };
        self.line(&format!("| {what} | {figure} | {aim} | {verdict} |"));
    }

    fn line(&mut self, line: &str) {
        println!("{line}");
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
