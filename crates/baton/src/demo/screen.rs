//! How the demo is shown: a bar for each issue on a terminal, lines elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::score::Row;
use crate::flow::table::one_line;

/// The columns in their order; a bar is as long.
const COLUMNS: [&str; 7] = ["Specify", "Research", "Plan", "Implement", "Review", "Validate", "Done"];
const DOING_CHARS_MAX: usize = 60;

/// Where the demo is shown.
pub(super) enum Screen {
    /// A bar for each issue.
    Bars(MultiProgress, Vec<ProgressBar>),
    /// A line for each change.
    Lines,
}

impl Screen {
    pub(super) fn new(rows: &[Row]) -> Self {
        if !std::io::stderr().is_terminal() || !std::io::stdout().is_terminal() {
            return Self::Lines;
        }
        let all = MultiProgress::new();
        let style = ProgressStyle::with_template("{prefix:22} {bar:14.green/dim} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━─");
        let bar = |row: &Row| {
            let bar = all.add(ProgressBar::new(COLUMNS.len() as u64 - 1).with_style(style.clone()));
            bar.set_prefix(format!("#{} {}", row.number, row.title));
            bar.tick();
            bar
        };
        let bars = rows.iter().map(bar).collect();
        Self::Bars(all, bars)
    }

    /// Shows where an issue is.
    pub(super) fn show(&self, row: &Row, elapsed: Duration) {
        let doing = one_line(&row.doing, DOING_CHARS_MAX);
        match self {
            Self::Bars(_, bars) => {
                let Some(bar) = bars.get(usize::try_from(row.number).unwrap_or(0).wrapping_sub(1)) else {
                    return;
                };
                let column = COLUMNS.iter().position(|name| *name == row.stage).unwrap_or(0);
                bar.set_position(column as u64);
                match row.took {
                    Some(took) => bar.finish_with_message(format!(
                        "{:9} merged after {:.1} s",
                        row.stage,
                        took.as_secs_f64()
                    )),
                    None => bar.set_message(format!("{:9} {doing}", row.stage)),
                }
            }
            Self::Lines => match row.took {
                Some(took) => line(
                    elapsed,
                    row.number,
                    &format!(
                        "{:9}  merged, and everything is tidy, after {:.1} s",
                        row.stage,
                        took.as_secs_f64()
                    ),
                ),
                None => line(elapsed, row.number, &format!("{:9}  {doing}", row.stage)),
            },
        }
    }

    /// Tells something special.
    pub(super) fn tell(&self, number: u64, what: &str, elapsed: Duration) {
        match self {
            Self::Bars(all, _) => {
                let _ = all.println(format!("{:5.1} s  #{number}  {what}", elapsed.as_secs_f64()));
            }
            Self::Lines => line(elapsed, number, &format!("*          {what}")),
        }
    }

    /// Leaves the bars as they are.
    pub(super) fn close(&self) {
        if let Self::Bars(_, bars) = self {
            bars.iter().filter(|bar| !bar.is_finished()).for_each(ProgressBar::abandon);
        }
    }
}

fn line(elapsed: Duration, number: u64, what: &str) {
    say!("{:5.1} s  #{number}  {what}", elapsed.as_secs_f64());
}
