//! The table of checks in the documentation, made from the list that is walked.

use super::CHECKS;

/// Returns the rows of the checks, in Markdown.
pub fn table() -> String {
    let head = "| check | looks at | complains when | what helps |\n|---|---|---|---|\n".to_owned();
    CHECKS.iter().fold(head, |text, check| {
        let cells = [check.looks_at, check.complains_when, check.fix].map(|cell| cell.replace('|', "\\|"));
        format!("{text}| `{}` | {} |\n", check.id, cells.join(" | "))
    })
}
