//! Judging what people have written: the configuration and the stages.

use super::{CheckId, Finding};
use crate::pipeline::Pipeline;
use crate::pipeline::sanity::{self, Severity};

/// Judges a configuration that could be read.
pub fn config(file: Option<&str>, warnings: &[String]) -> Vec<Finding> {
    let mut findings: Vec<_> = warnings.iter().map(|warning| suspicious(CheckId::Config, warning)).collect();
    match file {
        Some(file) if findings.is_empty() => {
            findings.push(Finding::ok(CheckId::Config, format!("{file} is read")))
        }
        Some(_) => {}
        None => findings.push(Finding::warn(
            CheckId::Config,
            "there is no baton.yaml here, so everything is as shipped",
            "baton init",
        )),
    }
    findings
}

/// Judges a configuration that could not be read.
pub fn unreadable_config(why: &str) -> Finding {
    Finding::fail(
        CheckId::Config,
        one_line(why),
        "edit the line that is named; `baton config schema` says what may be there",
    )
}

/// Judges stages that could be read.
pub fn stages(
    origin: &str,
    pipeline: &Pipeline,
    warnings: &[String],
    is_known: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let of_sanity = sanity::check_with_agents(pipeline, is_known).into_iter().map(|it| {
        let stage = it.stage.map_or_else(String::new, |stage| format!("{stage}: "));
        let found = format!("{stage}{}", it.what);
        match it.severity {
            Severity::Error => Finding::fail(CheckId::Stages, found, it.do_this),
            Severity::Warning => Finding::warn(CheckId::Stages, found, it.do_this),
        }
    });
    let mut findings: Vec<_> =
        warnings.iter().map(|warning| suspicious(CheckId::Stages, warning)).chain(of_sanity).collect();
    if findings.is_empty() {
        findings.push(Finding::ok(
            CheckId::Stages,
            format!("{}, {origin}", plural(pipeline.stages().len(), "stage")),
        ));
    }
    findings
}

/// Judges stages that could not be read.
pub fn unreadable_stages(why: &str) -> Finding {
    Finding::fail(
        CheckId::Stages,
        one_line(why),
        "edit the file that is named; `baton stages schema` says what may be there",
    )
}

fn suspicious(check: CheckId, warning: &str) -> Finding {
    Finding::warn(check, one_line(warning), "look at it, and edit what is named")
}

/// A finding is a line.
pub(super) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Returns a count with its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PipelineDialect;
    use crate::config::stages::shipped;
    use crate::doctor::Grade;

    fn grades(findings: &[Finding]) -> Vec<Grade> {
        findings.iter().map(|finding| finding.grade).collect()
    }

    #[test]
    fn a_configuration_is_good_when_it_is_there_and_nothing_is_suspicious() {
        assert_eq!(grades(&config(Some("baton.yaml"), &[])), [Grade::Ok]);
        assert_eq!(grades(&config(None, &[])), [Grade::Warn]);
        assert_eq!(grades(&config(Some("baton.yaml"), &["odd".to_owned()])), [Grade::Warn]);
        let finding = unreadable_config("baton.yaml:2:3: no such setting\n  and more\n");
        assert_eq!((finding.grade, finding.found.lines().count()), (Grade::Fail, 1));
    }

    #[test]
    fn stages_are_judged_as_the_command_that_checks_them_does() {
        let pipeline = shipped(PipelineDialect::Baton).pipeline;
        assert_eq!(grades(&stages("shipped", &pipeline, &[], |_| true)), [Grade::Ok]);
        assert_eq!(grades(&stages("shipped", &Pipeline::new(Vec::new()), &[], |_| true)), [Grade::Fail]);
    }
}
