//! `baton stages check`: the stages in a table, and everything that keeps issues from getting through them.

use baton_core::pipeline::sanity::{self, Finding, Severity};
use baton_core::pipeline::{Pipeline, Stage, StageKind};
use clap::Args;
use serde_json::{Value, json};

use super::load::{self, Stages};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Loaded, Surroundings};
use crate::flow::table::{self, Line, NONE};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton stages check
  baton stages check --json  for programs

Exit codes:
  0  issues get through
  1  they do not; the reasons are printed

Files that are not valid are a usage error: exit code 2, with file, line and column.")]
pub(crate) struct Check {
    #[command(flatten)]
    config: ConfigArgument,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let stages = load::load(&loaded, &surroundings)?;
        loaded.print_warnings();
        let findings = findings(&stages, &loaded);
        match self.json {
            true => say!("{:#}", as_json(&stages, &findings, &loaded)),
            false => print(&stages, &findings),
        }
        match findings.iter().any(|finding| finding.severity == Severity::Error) {
            true => Err(CommandError::Said),
            false => Ok(()),
        }
    }
}

/// Returns what is wrong, the gravest first.
fn findings(stages: &Stages, loaded: &Loaded) -> Vec<Finding> {
    let is_known = |name: &str| loaded.resolved.config.agent(name).is_some();
    sanity::check_with_agents(&stages.set.pipeline, is_known)
}

fn print(stages: &Stages, findings: &[Finding]) {
    stages.print_warnings();
    say!("{}\n", stages.origin());
    let pipeline = &stages.set.pipeline;
    let lines: Vec<_> = pipeline.stages().iter().map(|stage| line(pipeline, stage, findings)).collect();
    table::print(["ORDER", "STAGE", "KIND", "AGENT", "GATES", "NEXT"], &lines);
    say!("");
    for finding in findings {
        let stage = finding.stage.as_ref().map_or_else(String::new, |stage| format!("{stage}: "));
        say!("{}: {stage}{}; {}", finding.severity, finding.what, finding.do_this);
    }
    say!("{}", summary(findings));
}

fn line(pipeline: &Pipeline, stage: &Stage, findings: &[Finding]) -> Line<6> {
    let or_none = |text: Option<&str>| text.unwrap_or(NONE).to_owned();
    let gates = gates(stage);
    let gates = if gates.is_empty() { NONE.to_owned() } else { gates.join(", ") };
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    Line {
        cells: [
            stage.order.to_string(),
            stage.name.clone(),
            kind(stage.kind).to_owned(),
            or_none(stage.agent.as_deref()),
            gates,
            or_none(next(pipeline, stage)),
        ],
        is_alarming: findings.iter().any(|it| is_error(it) && it.stage.as_ref() == Some(&stage.name)),
    }
}

fn kind(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Working => "working",
        StageKind::Cleanup => "cleanup",
        StageKind::Holding => "holding",
        StageKind::Unmanaged => "unmanaged",
    }
}

/// Returns what a finished stage waits for, in the order in which it does.
fn gates(stage: &Stage) -> Vec<&'static str> {
    let gates = [
        ("approval", stage.approval.is_some()),
        ("reviews", stage.wait_for_reviews),
        ("ci", stage.wait_for_ci),
    ];
    gates.into_iter().filter(|(_, is_there)| *is_there).map(|(gate, _)| gate).collect()
}

/// Returns where an issue goes from a stage by itself: from where agents work, and from nowhere else.
fn next<'a>(pipeline: &'a Pipeline, stage: &Stage) -> Option<&'a str> {
    let next = pipeline.after(stage).filter(|_| stage.is_working());
    next.map(|next| next.name.as_str())
}

fn summary(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => "every stage is reached, and every gate can be passed".to_owned(),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}

fn as_json(stages: &Stages, findings: &[Finding], loaded: &Loaded) -> Value {
    let pipeline = &stages.set.pipeline;
    let stage = |stage: &Stage| {
        json!({
            "name": stage.name,
            "order": stage.order,
            "kind": kind(stage.kind),
            "agent": stage.agent,
            "gates": gates(stage),
            "next": next(pipeline, stage),
            "file": stages.set.stage(&stage.name).map(|stage| &stage.path),
        })
    };
    let finding = |it: &Finding| json!({ "severity": it.severity, "stage": it.stage, "what": it.what, "do": it.do_this });
    json!({
        "origin": if stages.are_shipped { "shipped" } else { "directory" },
        "directory": stages.directory,
        "dialect": loaded.resolved.config.pipeline.dialect,
        "stages": pipeline.stages().iter().map(stage).collect::<Vec<_>>(),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "warnings": stages.set.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_counted_in_words() {
        let finding =
            |severity| Finding { severity, stage: None, what: String::new(), do_this: String::new() };
        let (error, warning) = (finding(Severity::Error), finding(Severity::Warning));
        assert_eq!(summary(&[error.clone(), warning.clone(), warning.clone()]), "1 error, 2 warnings");
        assert_eq!(summary(&[warning]), "0 errors, 1 warning");
        assert!(summary(&[]).starts_with("every stage"));
    }
}
