//! `baton stages show`: one stage with the sources of its values, or what its agent is told.

use baton_core::config::Effective;
use baton_core::config::stages::EffectiveStage;
use baton_core::config::stages::prompts::told;
use baton_core::pipeline::Stage;
use baton_core::pipeline::effect::Job;
use baton_core::pipeline::stage::Instruction;
use clap::{Args, ValueEnum};

use super::load::{self, Stages};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Loaded, Surroundings, stage_as_json};
use crate::flow::table::{self, Line, NONE, one_line};

/// The longest value in a table.
const VALUE_LEN_MAX: usize = 60;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton stages show Implement                 its values, and where they came from
  baton stages show Implement --prompt        what its agent is told
  baton stages show Validate --prompt=ci-fix  for failing checks

Exit codes:
  0  shown
  1  there is no such stage, or no agent works in it")]
pub(crate) struct Show {
    /// The stage.
    name: String,
    /// Print what the agent is told: for the stage itself or, as `--prompt=ci-fix`, for something else.
    #[arg(long, value_name = "FOR", num_args = 0..=1, require_equals = true, default_missing_value = "stage")]
    prompt: Option<Work>,
    /// Print JSON.
    #[arg(long, conflicts_with = "prompt")]
    json: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

/// What an agent is called for.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Work {
    /// The stage's own work.
    Stage,
    /// New comments.
    Comment,
    /// Unresolved threads of reviewers.
    Review,
    /// Failing checks.
    CiFix,
    /// A branch that does not merge any more.
    Rebase,
}

impl Show {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let stages = load::load(&loaded, &surroundings)?;
        loaded.print_warnings();
        stages.print_warnings();
        let (stage, effective) = self.find(&stages)?;
        match (self.prompt, self.json) {
            (Some(work), _) => print_told(stage, work, &loaded),
            (None, true) => {
                say!("{:#}", stage_as_json(effective));
                Ok(())
            }
            (None, false) => {
                print(effective);
                Ok(())
            }
        }
    }

    /// Finds the stage. Two stages never differ in case alone, so case is forgiven.
    fn find<'a>(&self, stages: &'a Stages) -> Result<(&'a Stage, &'a EffectiveStage), CommandError> {
        let all = stages.set.pipeline.stages();
        let is_meant = |stage: &&Stage| stage.name.to_lowercase() == self.name.to_lowercase();
        let found = all.iter().find(is_meant).and_then(|it| Some((it, stages.set.stage(&it.name)?)));
        found.ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|stage| stage.name.as_str()).collect();
            let message = format!(
                "there is no stage `{}` in {}: write one of {}",
                self.name,
                stages.origin(),
                names.join(", ")
            );
            CommandError::No(message)
        })
    }
}

fn print(stage: &EffectiveStage) {
    let line = |setting: &Effective| {
        let cells = [setting.key.to_owned(), shown(&setting.value), setting.source.to_string()];
        Line { cells, is_alarming: false }
    };
    let lines: Vec<_> = stage.settings.iter().map(line).collect();
    table::print(["KEY", "VALUE", "SOURCE"], &lines);
}

/// Returns a value for a table, where a prompt is only hinted at.
pub(crate) fn shown(value: &str) -> String {
    let hint = one_line(value.lines().next().unwrap_or_default(), VALUE_LEN_MAX);
    match value.lines().count() {
        0 => NONE.to_owned(),
        1 => hint,
        lines => format!("{hint} ({lines} lines)"),
    }
}

fn print_told(stage: &Stage, work: Work, loaded: &Loaded) -> Result<(), CommandError> {
    if !stage.is_working() {
        return Err(CommandError::No(format!("no agent works in the stage `{}`", stage.name)));
    }
    let dialect = loaded.resolved.config.pipeline.dialect;
    let job = match work {
        Work::Stage => Job::Stage,
        Work::Comment => Job::Comments,
        Work::Review => Job::Review,
        Work::CiFix => Job::CiFix,
        Work::Rebase => Job::Rebase,
    };
    match told(stage, job, dialect) {
        Some(Instruction::Prompt(text)) => {
            say!("{}", text.trim_end());
            Ok(())
        }
        Some(Instruction::Skill(skill)) => Err(CommandError::No(format!(
            "there is no prompt to print: the agent of `{}` follows its skill `{skill}`",
            stage.name
        ))),
        None => Err(CommandError::No(format!("nobody tells the agent of `{}` what to do", stage.name))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_table_is_one_line() {
        assert_eq!(shown(""), NONE);
        assert_eq!(shown("true"), "true");
        assert_eq!(shown("You plan.\nWell.\n\nDone."), "You plan. (4 lines)");
        assert_eq!(shown(&"x".repeat(99)).chars().count(), VALUE_LEN_MAX + 1);
    }
}
