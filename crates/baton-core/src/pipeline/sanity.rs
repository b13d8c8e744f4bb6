//! Whether stages make a pipeline that can work: every stage is reached, nothing ends but at the end, and every gate can be
//! passed.
//!
//! What follows what is asked of [`Pipeline::after`], which moves issues, and never read off names or orders. Deliberately
//! absent: whether a stage file says what it may, which is configuration.

mod gates;

use super::{Pipeline, Stage, StageKind};
use crate::words::words;

words! {
    /// How grave a finding is.
    Severity, "a severity" {
        /// The pipeline cannot work like that.
        Error = "error",
        /// It works, and probably not as somebody thinks.
        Warning = "warning",
    }
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How grave it is.
    pub severity: Severity,
    /// The stage; nothing when it is about all of them.
    pub stage: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub do_this: String,
}

impl Finding {
    fn new(severity: Severity, stage: &Stage, what: impl Into<String>, do_this: impl Into<String>) -> Self {
        Self { severity, stage: Some(stage.name.clone()), what: what.into(), do_this: do_this.into() }
    }

    fn error(stage: &Stage, what: impl Into<String>, do_this: impl Into<String>) -> Self {
        Self::new(Severity::Error, stage, what, do_this)
    }

    fn warning(stage: &Stage, what: impl Into<String>, do_this: impl Into<String>) -> Self {
        Self::new(Severity::Warning, stage, what, do_this)
    }
}

/// Returns everything that is not as it should be, errors first.
pub fn check(pipeline: &Pipeline) -> Vec<Finding> {
    let course = course(pipeline);
    let mut findings = unreached(pipeline, &course);
    findings.extend(dead_end(pipeline, &course));
    for place in 0..course.len() {
        findings.extend(gates::findings(&course[..=place]));
    }
    findings.extend(pipeline.stages().iter().flat_map(out_of_place));
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// Returns the same, with the stages that name an agent whom nobody knows.
pub fn check_with_agents(pipeline: &Pipeline, is_known: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = check_agents(pipeline, is_known);
    findings.extend(check(pipeline));
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn check_agents(pipeline: &Pipeline, is_known: impl Fn(&str) -> bool) -> Vec<Finding> {
    let unknown = |stage: &Stage| {
        let agent = stage.agent.as_deref().filter(|agent| stage.is_working() && !is_known(agent))?;
        let what = format!("its agent `{agent}` is not under `agents` in the configuration");
        let do_this = format!("add `{agent}` there, or name another agent");
        Some(Finding::error(stage, what, do_this))
    };
    pipeline.stages().iter().filter_map(unknown).collect()
}

/// Returns the way of an issue that begins in the first working stage, as the relay would move it.
fn course(pipeline: &Pipeline) -> Vec<&Stage> {
    let mut course: Vec<&Stage> = Vec::new();
    let mut next = pipeline.stages().iter().find(|stage| stage.is_working());
    // Two stages of one name would lead in a circle.
    while let Some(stage) = next.filter(|stage| !course.contains(stage)) {
        course.push(stage);
        next = pipeline.after(stage).filter(|_| stage.kind != StageKind::Cleanup);
    }
    course
}

fn unreached(pipeline: &Pipeline, course: &[&Stage]) -> Vec<Finding> {
    let is_unreached = |stage: &&Stage| stage.is_working() && !course.contains(stage);
    let end = pipeline.cleanup().filter(|end| course.contains(end));
    let finding = |stage: &Stage| match end {
        Some(end) if end.order <= stage.order => {
            let what = format!("no issue gets here: it comes after `{}`, where the pipeline ends", end.name);
            let do_this = format!("give it an `order` below {}, or remove it", end.order);
            Finding::error(stage, what, do_this)
        }
        _ => Finding::error(stage, "no issue gets here", "give every stage a name of its own"),
    };
    pipeline.stages().iter().filter(is_unreached).map(finding).collect()
}

fn dead_end(pipeline: &Pipeline, course: &[&Stage]) -> Option<Finding> {
    let Some(last) = course.last() else { return Some(no_work()) };
    match pipeline.cleanup() {
        _ if last.kind == StageKind::Cleanup => None,
        Some(end) => {
            let what = format!("issues end here and never get to `{}`, which cleans up after them", end.name);
            Some(Finding::error(last, what, format!("give `{}` an `order` above {}", end.name, last.order)))
        }
        None => {
            let what = "issues end here: no stage cleans up after them";
            let do_this =
                "add a stage with `cleanup_worktree: true` and a higher `order`, such as `name: Done`";
            Some(Finding::error(last, what, do_this))
        }
    }
}

fn no_work() -> Finding {
    Finding {
        severity: Severity::Error,
        stage: None,
        what: "no agent works in any stage".to_owned(),
        do_this: "add a stage with a `prompt` or a `skill`".to_owned(),
    }
}

/// What only agents and their gates can use, in a stage without an agent.
fn out_of_place(stage: &Stage) -> Vec<Finding> {
    if stage.is_working() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if stage.approval.is_some() {
        let what = "`approval` is asked for where no agent works, so nobody is ever asked";
        findings.push(Finding::error(stage, what, "set `approval` on the working stage before it"));
    }
    if stage.auto_advance.is_some() {
        let what = "`auto_advance` means nothing here: no work ends in this stage";
        findings.push(Finding::warning(stage, what, "remove `auto_advance`"));
    }
    let unused = unused_keys(stage);
    if !unused.is_empty() {
        let what = format!("no agent works here, so these mean nothing: {}", unused.join(", "));
        findings.push(Finding::warning(stage, what, "remove them"));
    }
    findings
}

fn unused_keys(stage: &Stage) -> Vec<&'static str> {
    let is_set = [
        ("prompt or skill", stage.instruction.is_some()),
        ("comment_prompt or comment_skill", stage.comment_instruction.is_some()),
        ("ci_fix_skill", stage.ci_fix_skill.is_some()),
        ("rebase_skill", stage.rebase_skill.is_some()),
        ("agent", stage.agent.is_some()),
        ("model", stage.model.is_some()),
        ("effort_level", stage.effort.is_some()),
        ("allowed_tools", stage.allowed_tools.is_some()),
        ("max_turns", stage.max_turns.is_some()),
        ("comment_max_turns", stage.comment_max_turns.is_some()),
        ("max_wall_time", stage.max_wall_time.is_some()),
        ("kill_grace", stage.kill_grace.sigint.is_some() || stage.kill_grace.sigterm.is_some()),
        ("read_only", stage.read_only),
        ("post_to_pr", stage.post_to_pr),
        ("create_draft_pr", stage.create_draft_pr),
        ("mark_pr_ready_on_complete", stage.mark_pr_ready),
        ("wait_for_reviews", stage.wait_for_reviews),
        ("wait_for_ci", stage.wait_for_ci),
        ("expected_reviewers", stage.expected_reviewers.is_some()),
        ("review_authority", stage.review_authority != Default::default()),
    ];
    is_set.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests;
