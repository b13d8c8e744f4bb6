//! `baton config show`: every setting, its value, and where that came from.
//!
//! Secrets are not settings. Of the token, only its origin is told, and no command is run to get it.

use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::{ConfigArgument, Loaded, Surroundings};
use crate::command_error::CommandError;

/// What stands for a setting that is not set.
const UNSET: &str = "–";

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    config: ConfigArgument,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        loaded.print_warnings();
        let text = match self.json {
            true => format!("{:#}\n", as_json(&loaded, &surroundings)),
            false => as_text(&loaded, &surroundings),
        };
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(())
    }
}

fn as_text(loaded: &Loaded, surroundings: &Surroundings) -> String {
    let rows = loaded.resolved.effective();
    let rows = rows.into_iter().map(|(key, value, source)| {
        (key, if value.is_empty() { UNSET } else { value }.to_owned(), source.to_string())
    });
    let token = ("(token)", UNSET.to_owned(), loaded.origin(surroundings).to_string());
    table(&rows.chain([token]).collect::<Vec<_>>())
}

fn table(rows: &[(&str, String, String)]) -> String {
    let key_width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
    let value_width = rows.iter().map(|row| row.1.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, value, source) in rows {
        let _ = writeln!(text, "{key:key_width$}  {value:value_width$}  {source}");
    }
    text
}

fn as_json(loaded: &Loaded, surroundings: &Surroundings) -> Value {
    let settings = loaded.resolved.effective().into_iter().map(|(key, value, source)| {
        let value = Some(value).filter(|value| !value.is_empty());
        json!({ "key": key, "value": value, "source": source.kind(), "at": source.to_string() })
    });
    json!({
        "file": loaded.file,
        "directory": loaded.directory,
        "token": loaded.origin(surroundings).to_string(),
        "settings": settings.collect::<Vec<_>>(),
        "warnings": loaded.resolved.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{load, surroundings};
    use super::*;

    const VARIABLES: [(&str, &str); 2] = [("BATON_CLAIMS_TTL", "2h"), ("GH_TOKEN", "ghp_1")];

    fn loaded() -> (tempfile::TempDir, Loaded, Surroundings) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("baton.yaml"), "user: ann\nstages: []\n").unwrap();
        let loaded = load(directory.path(), &VARIABLES).unwrap();
        let surroundings = surroundings(directory.path(), &VARIABLES);
        (directory, loaded, surroundings)
    }

    #[test]
    fn a_line_has_key_value_and_source_and_no_secret() {
        let (_directory, loaded, surroundings) = loaded();
        let text = as_text(&loaded, &surroundings);
        let line = |key: &str| {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap();
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(line("user"), ["user", "ann", "baton.yaml:1:7"]);
        assert_eq!(line("claims.ttl"), ["claims.ttl", "2h", "BATON_CLAIMS_TTL in the environment"]);
        assert_eq!(line("token_command"), ["token_command", UNSET, "default"]);
        assert_eq!(line("(token)"), ["(token)", UNSET, "GH_TOKEN in the environment"]);
        assert!(!text.contains("ghp_1"));
    }

    #[test]
    fn the_json_has_the_documented_shape() {
        let (directory, loaded, surroundings) = loaded();
        let shown = as_json(&loaded, &surroundings);
        assert_eq!(shown["file"], json!(directory.path().join("baton.yaml")));
        assert_eq!(shown["token"], "GH_TOKEN in the environment");
        assert_eq!(shown["warnings"].as_array().unwrap().len(), 1);
        let user = json!({ "key": "user", "value": "ann", "source": "file", "at": "baton.yaml:1:7" });
        assert_eq!(shown["settings"][0], user);
        assert_eq!(shown["settings"][2]["value"], Value::Null);
        assert!(!shown.to_string().contains("ghp_1"));
    }
}
