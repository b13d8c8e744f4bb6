//! `baton config show`: every setting, those of agents and stages included, its value, and where that came from.
//!
//! Stages have many keys that their files seldom mention, so the table lists only what the files say; JSON has all.
//! Secrets are not settings. Of the token, only its origin is told, and no command is run to get it.

use std::fmt::Write as _;
use std::io::Write as _;

use baton_core::config::stages::EffectiveStage;
use baton_core::config::{Effective, Source};
use clap::Args;
use serde_json::{Value, json};

use super::{ConfigArgument, Loaded, Surroundings};
use crate::command_error::CommandError;
use crate::stages::{self, load::Stages};

/// What stands for a setting that is not set.
const UNSET: &str = "–";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton config show         every setting, and where its value came from
  baton config show --json  for programs

Exit codes:
  0  shown

What is not valid is a usage error: exit code 2, with file, line and column.")]
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
        let stages = stages::load::load(&loaded, &surroundings);
        loaded.print_warnings();
        stages.iter().for_each(Stages::print_warnings);
        let known = stages.as_ref().ok();
        let text = match self.json {
            true => format!("{:#}\n", as_json(&loaded, known, &surroundings)),
            false => as_text(&loaded, known, &surroundings),
        };
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = std::io::stdout().write_all(text.as_bytes());
        // What is wrong with the stages hides nothing of the rest.
        stages.map(drop)
    }
}

fn as_text(loaded: &Loaded, stages: Option<&Stages>, surroundings: &Surroundings) -> String {
    let row = |key: String, setting: &Effective| {
        let value = if setting.value.is_empty() { UNSET } else { setting.value.as_str() };
        (key, value.to_owned(), setting.source.to_string())
    };
    let settings = loaded.resolved.settings.iter().map(|it| row(it.key.to_owned(), it));
    let agents = loaded.resolved.agents.iter().flat_map(|agent| {
        agent.settings.iter().map(move |it| row(format!("agents.{}.{}", agent.name, it.key), it))
    });
    let stages = stages.into_iter().flat_map(|stages| &stages.set.stages).flat_map(|stage| {
        let said = stage.settings.iter().filter(|it| it.source != Source::Default && it.key != "name");
        said.map(move |it| {
            (format!("stages.{}.{}", stage.name, it.key), stages::shown(&it.value), it.source.to_string())
        })
    });
    let token = ("(token)".to_owned(), UNSET.to_owned(), loaded.origin(surroundings).to_string());
    table(&settings.chain(agents).chain(stages).chain([token]).collect::<Vec<_>>())
}

fn table(rows: &[(String, String, String)]) -> String {
    let key_width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
    let value_width = rows.iter().map(|row| row.1.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, value, source) in rows {
        let _ = writeln!(text, "{key:key_width$}  {value:value_width$}  {source}");
    }
    text
}

fn as_json(loaded: &Loaded, stages: Option<&Stages>, surroundings: &Surroundings) -> Value {
    let agents = loaded.resolved.agents.iter().map(|agent| {
        json!({ "name": agent.name, "key": agent.key, "settings": settings_as_json(&agent.settings) })
    });
    let of_stages = stages.into_iter().flat_map(|stages| &stages.set.warnings);
    json!({
        "file": loaded.file,
        "directory": loaded.directory,
        "token": loaded.origin(surroundings).to_string(),
        "settings": settings_as_json(&loaded.resolved.settings),
        "agents": agents.collect::<Vec<_>>(),
        "stages": stages.map(|stages| stages.set.stages.iter().map(stage_as_json).collect::<Vec<_>>()),
        "warnings": loaded.resolved.warnings.iter().chain(of_stages).collect::<Vec<_>>(),
    })
}

/// Returns a stage with the sources of its values.
pub(crate) fn stage_as_json(stage: &EffectiveStage) -> Value {
    json!({ "name": stage.name, "file": stage.path, "settings": settings_as_json(&stage.settings) })
}

fn settings_as_json(settings: &[Effective]) -> Vec<Value> {
    let setting = |it: &Effective| {
        let value = Some(&it.value).filter(|value| !value.is_empty());
        json!({ "key": it.key, "value": value, "source": it.source.kind(), "at": it.source.to_string() })
    };
    settings.iter().map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{load, surroundings};
    use super::*;

    const VARIABLES: [(&str, &str); 3] = [
        ("BATON_CLAIMS_TTL", "2h"),
        ("GH_TOKEN", "ghp_1"),
        ("BATON_STORE", "postgres://baton:hunter2@db/baton"),
    ];

    const YAML: &str =
        "user: ann\nslack: {}\nagents:\n  Coder: {adapter: command, command: [my agent, -p]}\n";

    const STAGE: &str = "name: Plan\norder: 2\nprompt: |\n  Plan it.\n  Well.\n";

    fn loaded() -> (tempfile::TempDir, Loaded, Stages, Surroundings) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("baton.yaml"), YAML).unwrap();
        std::fs::create_dir_all(directory.path().join(".baton/stages")).unwrap();
        std::fs::write(directory.path().join(".baton/stages/plan.yaml"), STAGE).unwrap();
        let loaded = load(directory.path(), &VARIABLES).unwrap();
        let surroundings = surroundings(directory.path(), &VARIABLES);
        let stages = stages::load::load(&loaded, &surroundings).unwrap();
        (directory, loaded, stages, surroundings)
    }

    #[test]
    fn a_line_has_key_value_and_source_and_no_secret() {
        let (_directory, loaded, stages, surroundings) = loaded();
        let text = as_text(&loaded, Some(&stages), &surroundings);
        let line = |key: &str| {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap();
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(line("user"), ["user", "ann", "baton.yaml:1:7"]);
        assert_eq!(line("claims.ttl"), ["claims.ttl", "2h", "BATON_CLAIMS_TTL in the environment"]);
        assert_eq!(line("token_command"), ["token_command", UNSET, "default"]);
        assert_eq!(line("(token)"), ["(token)", UNSET, "GH_TOKEN in the environment"]);
        let shown = ["store", "postgres://baton:***@db/baton", "BATON_STORE in the environment"];
        assert_eq!(line("store"), shown);
        let shown = ["agents.Coder.command", r#"["my agent", "-p"]"#, "baton.yaml:4:38"];
        assert_eq!(line("agents.Coder.command"), shown);
        assert_eq!(line("agents.Coder.env"), ["agents.Coder.env", UNSET, "default"]);
        let place = |line: u64, column: u64| format!(".baton/stages/plan.yaml:{line}:{column}");
        assert_eq!(line("stages.Plan.order"), ["stages.Plan.order", "2", place(2, 8).as_str()]);
        assert_eq!(
            line("stages.Plan.prompt"),
            ["stages.Plan.prompt", "Plan it. (2 lines)", place(4, 3).as_str()]
        );
        assert!(!text.contains("stages.Plan.model"), "what nobody said is listed");
        assert!(!text.contains("ghp_1") && !text.contains("hunter2"));
    }

    #[test]
    fn the_json_has_the_documented_shape() {
        let (directory, loaded, stages, surroundings) = loaded();
        let shown = as_json(&loaded, Some(&stages), &surroundings);
        assert_eq!(shown["file"], json!(directory.path().join("baton.yaml")));
        assert_eq!(shown["token"], "GH_TOKEN in the environment");
        assert_eq!(shown["warnings"], json!([]));
        let user = json!({ "key": "user", "value": "ann", "source": "file", "at": "baton.yaml:1:7" });
        assert_eq!(shown["settings"][0], user);
        assert_eq!(shown["settings"][2]["value"], Value::Null);
        let [coder] = shown["agents"].as_array().unwrap().as_slice() else { panic!("{}", shown["agents"]) };
        assert_eq!((&coder["name"], &coder["key"]), (&json!("Coder"), &json!("coder")));
        let adapter =
            json!({ "key": "adapter", "value": "command", "source": "file", "at": "baton.yaml:4:20" });
        assert_eq!(coder["settings"][0], adapter);
        let plan = &shown["stages"][0];
        assert_eq!((&plan["name"], &plan["file"]), (&json!("Plan"), &json!(".baton/stages/plan.yaml")));
        let order =
            json!({ "key": "order", "value": "2", "source": "file", "at": ".baton/stages/plan.yaml:2:8" });
        assert_eq!(plan["settings"][1], order);
        assert_eq!(plan["settings"][2]["value"], "Plan it.\nWell.");
        let text = shown.to_string();
        assert!(!text.contains("ghp_1") && !text.contains("hunter2"));
    }
}
