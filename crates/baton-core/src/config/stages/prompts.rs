//! The built-in texts for what is not a stage's own work: comments, review threads, failing checks, rebases.
//!
//! They are instructions alone. The issue, the comments and the reports are added to them as material, elsewhere.

use std::borrow::Cow;

use super::super::choice::PipelineDialect;
use crate::pipeline::Stage;
use crate::pipeline::effect::Job;
use crate::pipeline::stage::Instruction;
use crate::words::words;

words! {
    /// What an agent is called for, besides a stage's own work.
    Purpose, "a purpose" {
        /// New comments, in a stage whose words go to the issue.
        Comment = "comment",
        /// New comments, in a stage whose words go to the pull request.
        CommentOnPr = "comment_on_pr",
        /// Unresolved threads of reviewers.
        Review = "review",
        /// Failing checks.
        CiFix = "ci_fix",
        /// A branch that does not merge any more.
        Rebase = "rebase",
    }
}

/// What an agent is told about new comments.
pub const COMMENT: &str = include_str!("prompts/comment.md");
/// What it is told about new comments on a pull request.
pub const COMMENT_ON_PR: &str = include_str!("prompts/comment_on_pr.md");
/// What it is told about unresolved threads of reviewers.
pub const REVIEW: &str = include_str!("prompts/review.md");
/// What it is told about failing checks.
pub const CI_FIX: &str = include_str!("prompts/ci_fix.md");
/// What it is told about a branch that does not merge any more.
pub const REBASE: &str = include_str!("prompts/rebase.md");

impl Purpose {
    /// Returns the built-in text, in our words.
    pub fn built_in(self) -> &'static str {
        match self {
            Self::Comment => COMMENT,
            Self::CommentOnPr => COMMENT_ON_PR,
            Self::Review => REVIEW,
            Self::CiFix => CI_FIX,
            Self::Rebase => REBASE,
        }
    }
}

/// Returns a text of ours in the words of a dialect: its markers, and its directory of context.
pub fn in_dialect(text: &str, dialect: PipelineDialect) -> Cow<'_, str> {
    match dialect {
        PipelineDialect::Baton => Cow::Borrowed(text),
        PipelineDialect::Fabrik => {
            Cow::Owned(text.replace("BATON_", "FABRIK_").replace(".baton-context", ".fabrik-context"))
        }
    }
}

/// Returns what the agent of a stage is told for a job; nothing where no agent works.
pub fn told(stage: &Stage, job: Job, dialect: PipelineDialect) -> Option<Instruction> {
    let purpose = match job {
        Job::Stage => return stage.instruction.clone(),
        Job::Comments if stage.post_to_pr => Purpose::CommentOnPr,
        Job::Comments => Purpose::Comment,
        Job::Review => Purpose::Review,
        Job::CiFix => Purpose::CiFix,
        Job::Rebase => Purpose::Rebase,
    };
    stage.is_working().then(|| instruction(stage, purpose, dialect))
}

/// Returns what the agent of a stage is told for a purpose: what its file says, or the built-in text.
///
/// A skill for failing checks or rebases falls back to that for comments; a prompt for comments does not, since it was
/// not written for them.
pub fn instruction(stage: &Stage, purpose: Purpose, dialect: PipelineDialect) -> Instruction {
    let of_comments = stage.comment_instruction.clone();
    let skill_of_comments = of_comments.clone().filter(|it| matches!(it, Instruction::Skill(_)));
    let said = match purpose {
        Purpose::Comment | Purpose::CommentOnPr | Purpose::Review => of_comments,
        Purpose::CiFix => stage.ci_fix_skill.clone().map(Instruction::Skill).or(skill_of_comments),
        Purpose::Rebase => stage.rebase_skill.clone().map(Instruction::Skill).or(skill_of_comments),
    };
    said.unwrap_or_else(|| Instruction::Prompt(in_dialect(purpose.built_in(), dialect).into_owned()))
}

/// Returns what a text shows as examples of last messages, as an agent would write it.
#[cfg(test)]
pub(super) fn examples(text: &str) -> String {
    text.lines().filter_map(|line| line.strip_prefix("    ")).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::dialect::Dialect;
    use crate::pipeline::markers;

    #[test]
    fn what_the_texts_teach_is_what_is_read() {
        for purpose in Purpose::ALL {
            let marks = markers::read(&examples(purpose.built_in()), Dialect::Baton);
            assert_eq!(marks.problems().count(), 0, "{purpose}: {:?}", marks.mentions);
            assert!(marks.blocked && marks.summary.is_some(), "{purpose}: {marks:?}");
            assert_eq!(marks.complete, !matches!(purpose, Purpose::CiFix | Purpose::Rebase), "{purpose}");
            let may_update = matches!(purpose, Purpose::Comment | Purpose::CommentOnPr);
            assert_eq!(marks.issue_update.is_some(), may_update, "{purpose}");
        }
    }

    #[test]
    fn every_text_says_what_not_to_do_and_where_questions_go() {
        for purpose in Purpose::ALL {
            let text = purpose.built_in();
            let unbroken = text.replace("\n  ", " ").replace('\n', " ");
            for needed in [
                "BATON_BLOCKED_ON_INPUT",
                "BATON_SUMMARY_BEGIN",
                ".baton-context/issue.md",
                "Never wait for",
                "token; look for none",
                "outside code fences",
            ] {
                assert!(unbroken.contains(needed), "{purpose} lacks {needed:?}");
            }
            assert!(text.lines().count() <= 70, "{purpose} is too long to be obeyed");
        }
    }

    #[test]
    fn checks_and_the_tracker_decide_whether_repairs_and_rebases_are_done() {
        for purpose in Purpose::ALL {
            let is_decided_elsewhere = matches!(purpose, Purpose::CiFix | Purpose::Rebase);
            let text = purpose.built_in();
            assert_eq!(!text.contains("BATON_STAGE_COMPLETE"), is_decided_elsewhere, "{purpose}");
            assert_eq!(
                text.contains("Do not print any word of completion"),
                is_decided_elsewhere,
                "{purpose}"
            );
        }
    }

    #[test]
    fn a_text_in_another_dialect_says_its_words_and_no_others() {
        for purpose in Purpose::ALL {
            let text = in_dialect(purpose.built_in(), PipelineDialect::Fabrik);
            assert!(text.contains("FABRIK_BLOCKED_ON_INPUT") && text.contains(".fabrik-context/issue.md"));
            assert!(!text.to_lowercase().contains("baton"), "{purpose}");
            assert_eq!(in_dialect(purpose.built_in(), PipelineDialect::Baton), purpose.built_in());
        }
    }

    #[test]
    fn no_text_means_anything_to_a_template() {
        for purpose in Purpose::ALL {
            assert!(!["{{", "{%", "{#"].iter().any(|mark| purpose.built_in().contains(mark)), "{purpose}");
        }
    }

    #[test]
    fn what_a_stage_file_says_wins_over_the_built_in_text() {
        let skill = |name: &str| Instruction::Skill(name.to_owned());
        let told = |stage: &Stage, purpose| instruction(stage, purpose, PipelineDialect::Baton);
        let built_in = |purpose: Purpose| Instruction::Prompt(purpose.built_in().to_owned());
        let plain = Stage::default();
        let with_skill = Stage { comment_instruction: Some(skill("c")), ..Stage::default() };
        let with_prompt =
            Stage { comment_instruction: Some(Instruction::Prompt("p".to_owned())), ..Stage::default() };
        let with_own = Stage {
            ci_fix_skill: Some("ci".to_owned()),
            rebase_skill: Some("re".to_owned()),
            ..with_skill.clone()
        };
        for purpose in Purpose::ALL.iter().copied() {
            assert_eq!(told(&plain, purpose), built_in(purpose));
            assert_eq!(told(&with_skill, purpose), skill("c"));
        }
        assert_eq!(told(&with_prompt, Purpose::Review), Instruction::Prompt("p".to_owned()));
        assert_eq!(told(&with_prompt, Purpose::CiFix), built_in(Purpose::CiFix));
        assert_eq!(told(&with_prompt, Purpose::Rebase), built_in(Purpose::Rebase));
        assert_eq!(
            (told(&with_own, Purpose::CiFix), told(&with_own, Purpose::Rebase)),
            (skill("ci"), skill("re"))
        );
    }
}
