//! The forge's configuration file: what its own CI runs on each push.
//!
//! ```yaml
//! ci:
//!   - repo: acme/web
//!     command: make test
//!     name: test          # the name of the check; "ci" when absent
//!     time_limit: 10m     # ten minutes when absent
//!     branches: ["*"]     # every branch when absent
//! ```

use std::path::Path;
use std::time::Duration;

use baton_core::config::duration::parse_duration;
use baton_core::repo_slug::RepoSlug;
use baton_forge::CiRule;
use serde::Deserialize;

use crate::command_error::CommandError;

/// How long a command may take when nobody says so.
const TIME_LIMIT: Duration = Duration::from_mins(10);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    ci: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    repo: String,
    command: String,
    name: Option<String>,
    time_limit: Option<String>,
    #[serde(default)]
    branches: Vec<String>,
}

/// Reads the rules of a file.
pub(super) fn read(path: &Path) -> Result<Vec<CiRule>, CommandError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::OutOfReach(format!("cannot read {}: {error}", path.display())))?;
    parse(&text).map_err(|why| CommandError::Usage(format!("{}: {why}", path.display())))
}

fn parse(text: &str) -> Result<Vec<CiRule>, String> {
    let file: File = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    let rule = |(at, rule): (usize, Rule)| rule.read().map_err(|why| format!("ci[{at}].{why}"));
    file.ci.into_iter().enumerate().map(rule).collect()
}

impl Rule {
    /// A complaint begins with the key that it is about.
    fn read(self) -> Result<CiRule, String> {
        let repo: RepoSlug = self.repo.parse().map_err(|error| format!("repo: {error}"))?;
        if self.command.trim().is_empty() {
            return Err("command: it is empty".to_owned());
        }
        let time_limit = match &self.time_limit {
            None => TIME_LIMIT,
            Some(text) => parse_duration(text)
                .filter(|limit| !limit.is_zero())
                .ok_or_else(|| format!("time_limit: `{text}` is not a duration such as 10m"))?,
        };
        let name = self.name.unwrap_or_else(|| "ci".to_owned());
        Ok(CiRule { repo, name, command: self.command, time_limit, branches: self.branches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_with_what_is_usual_where_nothing_is_said() {
        let rules = parse("ci:\n  - repo: acme/web\n    command: make test\n  - repo: a/b\n    command: x\n    name: test\n    time_limit: 90s\n    branches: [\"v*\"]\n").unwrap();
        assert_eq!((rules[0].name.as_str(), rules[0].time_limit), ("ci", Duration::from_secs(600)));
        assert_eq!((rules[1].name.as_str(), rules[1].time_limit), ("test", Duration::from_secs(90)));
        assert_eq!(rules[1].branches, ["v*"]);
        assert!(parse("{}").unwrap().is_empty());
    }

    #[test]
    fn a_mistake_names_the_key() {
        for (text, key) in [
            ("cy: []", "cy"),
            ("ci:\n  - repo: a/b\n    command: x\n    timeout: 3", "timeout"),
            ("ci:\n  - repo: a/b", "command"),
            ("ci:\n  - repo: ab\n    command: x", "repo"),
            ("ci:\n  - repo: a/b\n    command: x\n    time_limit: soon", "time_limit"),
        ] {
            let complaint = parse(text).unwrap_err();
            assert!(complaint.contains(key), "{text}: {complaint}");
        }
    }
}
