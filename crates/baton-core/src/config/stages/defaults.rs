//! The stages for those who have no stage files.
//!
//! They are stage files themselves, and go through the same reader, so that one can be copied and changed.

use super::super::choice::PipelineDialect;
use super::super::resolve::TextFile;
use super::prompts::in_dialect;
use super::{StageSet, read_stages};

/// Where their values come from, as people see it.
const DIRECTORY: &str = "built-in";

/// The files, in the order of the pipeline.
pub const FILES: [(&str, &str); 7] = [
    ("specify.yaml", include_str!("defaults/specify.yaml")),
    ("research.yaml", include_str!("defaults/research.yaml")),
    ("plan.yaml", include_str!("defaults/plan.yaml")),
    ("implement.yaml", include_str!("defaults/implement.yaml")),
    ("review.yaml", include_str!("defaults/review.yaml")),
    ("validate.yaml", include_str!("defaults/validate.yaml")),
    ("done.yaml", include_str!("defaults/done.yaml")),
];

/// Returns the shipped stages, in the words of a dialect.
///
/// # Panics
///
/// Panics when a shipped file is wrong, which a test rules out.
pub fn shipped(dialect: PipelineDialect) -> StageSet {
    let file = |(name, text): (&str, &str)| TextFile {
        path: format!("{DIRECTORY}/{name}"),
        text: in_dialect(text, dialect).into_owned(),
    };
    read_stages(&FILES.map(file), dialect).expect("the shipped stages can be read")
}

#[cfg(test)]
mod tests {
    use super::super::prompts::examples;
    use super::*;
    use crate::labels::dialect::Dialect;
    use crate::pipeline::markers;
    use crate::pipeline::stage::{Instruction, ReviewAuthority, Stage};
    use crate::pipeline::{StageKind, sanity};

    /// Name, order, read only, to the pull request, draft, ready, reviews, checks, cleanup.
    const TABLE: [(&str, i64, [bool; 7]); 7] = [
        ("Specify", 0, [true, false, false, false, false, false, false]),
        ("Research", 1, [true, false, false, false, false, false, false]),
        ("Plan", 2, [true, false, false, false, false, false, false]),
        ("Implement", 3, [false, true, true, true, false, false, false]),
        ("Review", 4, [false, true, false, true, true, false, false]),
        ("Validate", 5, [false, true, false, false, true, true, false]),
        ("Done", 99, [false, false, false, false, false, false, true]),
    ];

    #[test]
    fn the_shipped_stages_have_the_flags_of_the_specification() {
        let set = shipped(PipelineDialect::Baton);
        let flags = |stage: &Stage| {
            [
                stage.read_only,
                stage.post_to_pr,
                stage.create_draft_pr,
                stage.mark_pr_ready,
                stage.wait_for_reviews,
                stage.wait_for_ci,
                stage.kind == StageKind::Cleanup,
            ]
        };
        let found: Vec<_> = set
            .pipeline
            .stages()
            .iter()
            .map(|stage| (stage.name.as_str(), stage.order, flags(stage)))
            .collect();
        assert_eq!(found, TABLE);
        assert!(set.warnings.is_empty());
    }

    #[test]
    fn the_shipped_stages_leave_the_model_to_the_agent_and_bound_its_turns() {
        for stage in
            shipped(PipelineDialect::Baton).pipeline.stages().iter().filter(|stage| stage.is_working())
        {
            assert_eq!((&stage.model, stage.max_turns), (&None, Some(50)), "{}", stage.name);
            assert_eq!(stage.review_authority, ReviewAuthority::Advisory);
            assert!(stage.disable_adaptive_thinking && stage.agent.is_none());
        }
    }

    #[test]
    fn the_shipped_stages_are_sane() {
        let findings = sanity::check(&shipped(PipelineDialect::Baton).pipeline);
        assert!(findings.is_empty(), "{findings:?}");
    }

    /// Returns the names and prompts of the stages in which agents work.
    fn prompts(dialect: PipelineDialect) -> Vec<(String, String)> {
        let prompt = |stage: &Stage| match &stage.instruction {
            Some(Instruction::Prompt(text)) => Some((stage.name.clone(), text.clone())),
            _ => None,
        };
        shipped(dialect).pipeline.stages().iter().filter_map(prompt).collect()
    }

    #[test]
    fn every_prompt_says_how_to_end_and_what_not_to_do() {
        let prompts = prompts(PipelineDialect::Baton);
        assert_eq!(prompts.len(), 6);
        for (name, prompt) in &prompts {
            for needed in [
                "    BATON_STAGE_COMPLETE\n",
                "    BATON_BLOCKED_ON_INPUT",
                "    BATON_SUMMARY_BEGIN\n",
                "    BATON_SUMMARY_END\n",
                ".baton-context/issue.md",
                "are not to be followed",
                "Never wait for",
                "token; look for none",
                "alone on",
                "outside code",
            ] {
                let unbroken = prompt.replace("\n  ", " ").replace('\n', " ");
                assert!(prompt.contains(needed) || unbroken.contains(needed), "{name} lacks {needed:?}");
            }
            let lines = prompt.lines().count();
            assert!((30..=70).contains(&lines), "{name} has {lines} lines");
        }
    }

    #[test]
    fn only_the_stage_that_may_says_a_special_word() {
        for (word, stage) in [
            ("BATON_DECOMPOSED", "Plan"),
            ("BATON_SUB_ISSUE_BEGIN", "Plan"),
            ("BATON_ISSUE_UPDATE_BEGIN", "Specify"),
        ] {
            let prompts = prompts(PipelineDialect::Baton);
            let saying: Vec<_> = prompts
                .iter()
                .filter(|(_, text)| text.contains(word))
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(saying, [stage], "{word}");
        }
    }

    #[test]
    fn what_the_prompts_teach_is_what_is_read() {
        for (pipeline_dialect, dialect) in
            [(PipelineDialect::Baton, Dialect::Baton), (PipelineDialect::Fabrik, Dialect::Fabrik)]
        {
            for (name, prompt) in prompts(pipeline_dialect) {
                let marks = markers::read(&examples(&prompt), dialect);
                assert_eq!(marks.problems().count(), 0, "{name}: {:?}", marks.mentions);
                assert!(marks.complete && marks.blocked && marks.summary.is_some(), "{name}: {marks:?}");
                assert_eq!(marks.decomposed, name == "Plan");
                let repos: Vec<_> = marks.sub_issues.iter().map(|it| it.repo.is_some()).collect();
                assert_eq!(repos, vec![true; usize::from(name == "Plan")]);
                assert_eq!(marks.issue_update.is_some(), name == "Specify");
            }
        }
    }

    #[test]
    fn in_another_dialect_the_prompts_say_its_words() {
        for (name, prompt) in prompts(PipelineDialect::Fabrik) {
            assert!(prompt.contains("    FABRIK_STAGE_COMPLETE\n"), "{name}");
            assert!(!prompt.to_lowercase().contains("baton"), "{name}");
        }
    }
}
