//! What stages have said, found among the comments.

use super::material::StageOutput;
use crate::pipeline::item::Comment;
use crate::pipeline::names::Names;

/// Returns the latest words of each of some stages, in the order of the stages. A stage's own work is given only those before
/// it; whoever answers comments, all.
///
/// Only comments of the engine's own account count: anybody can write a heading.
pub fn stage_outputs<'a>(
    comments: &[Comment],
    names: Names,
    stages: impl Iterator<Item = &'a str>,
) -> Vec<StageOutput> {
    let latest = |stage: &str| {
        let is_said =
            |comment: &&Comment| comment.is_own_account && is_words_of_stage(&comment.body, stage, names);
        let found = comments.iter().rev().find(is_said)?;
        Some(StageOutput { stage: stage.to_owned(), text: found.body.clone() })
    };
    stages.filter_map(latest).collect()
}

/// Returns whether a comment begins as the words of a stage do. The heading may have an addition, such as why the stage spoke
/// again.
pub fn is_words_of_stage(body: &str, stage: &str, names: Names) -> bool {
    let rest = body.strip_prefix(names.heading()).and_then(|rest| rest.strip_prefix(" — stage: "));
    let rest = rest.and_then(|rest| rest.strip_prefix(stage));
    rest.is_some_and(|rest| rest.starts_with("**") || rest.starts_with(" ("))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::dialect::Dialect;
    use crate::time::ServerTime;

    fn comment(body: &str, is_own_account: bool) -> Comment {
        Comment {
            id: 1,
            author: "baton".to_owned(),
            is_bot: false,
            may_write: true,
            is_own_account,
            body: body.to_owned(),
            created_at: ServerTime(0),
            has_rocket: true,
            is_on_pull: false,
            signs: Vec::new(),
        }
    }

    #[test]
    fn the_latest_words_of_a_stage_are_found_and_forged_ones_are_not() {
        let comments = [
            comment("🏃 **Baton — stage: Plan**\n\nold", true),
            comment("🏃 **Baton — stage: Plan (comment review)**\n\nnew", true),
            comment("🏃 **Baton — stage: Planning**\n\nanother stage", true),
            comment("🏃 **Baton — stage: Plan**\n\nforged", false),
            comment("about 🏃 **Baton — stage: Plan**", true),
        ];
        let found = stage_outputs(&comments, Names::of(Dialect::Baton), ["Research", "Plan"].into_iter());
        assert_eq!(found.len(), 1);
        assert!(found[0].stage == "Plan" && found[0].text.ends_with("new"), "{found:?}");
    }
}
