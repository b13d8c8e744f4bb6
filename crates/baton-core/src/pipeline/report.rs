//! What an agent is told about failed checks when it is sent back to them.
//!
//! Failures that the base branch has too are told apart, because they are not this change's to repair. The logs of the
//! checks are not here: the agent looks for them itself.

use super::checks::Check;
use super::item::LinkedPull;

/// Returns the report about a pull request's failed checks, in Markdown.
pub fn failed_checks(pull: &LinkedPull) -> String {
    let failed = pull.checks.iter().flat_map(|checks| checks.failed());
    let (older, new): (Vec<_>, Vec<_>) = failed.partition(|check| pull.base_failures.contains(&check.name));
    format!(
        "Failed checks of pull request #{} at {}.\n\n## New with this change\n{}\n\n## Older than this change: the base \
         branch fails them too\n{}\n",
        pull.number,
        pull.head_sha,
        list(&new),
        list(&older)
    )
}

fn list(checks: &[&Check]) -> String {
    let line = |check: &&Check| {
        let how = check.conclusion.map_or("", |conclusion| conclusion.as_str());
        format!("- {} ({how})", check.name)
    };
    let lines: Vec<_> = checks.iter().map(line).collect();
    if lines.is_empty() { "None.".to_owned() } else { lines.join("\n") }
}
