//! What people are told of beside the tracker, from what was performed: the comments by which the engine pauses an issue, asks
//! something or gives a stage up, and the question whether a plan is agreed to.
//!
//! Each follows from one effect, which is performed once; so each is told once. Deliberately absent: telling anybody.

use super::names::Names;
use crate::config::Notice;
use crate::slot::effect::Deed;
use crate::words::words;

words! {
    /// What a comment of the engine is about, as its heading says; by it a notice is told from the rest.
    About, "a subject" {
        /// The issue is paused, and why.
        Paused = "paused",
        /// A person ended the run.
        Cancelled = "cancelled",
        /// The agent asks something.
        Question = "a question",
        /// A stage is given up.
        StageFailed = "stage failed",
        /// Other issues come first.
        Blocked = "blocked on dependencies",
        /// Reviewers are reminded.
        Review = "review",
    }
}

/// Something that people should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// What it is about.
    pub kind: Notice,
    /// What was said on the issue, without its heading.
    pub text: String,
}

/// Returns what people should know of something that was done.
pub fn of(deed: &Deed, names: Names) -> Option<Noticed> {
    match deed {
        Deed::AskApproval { stage, .. } => {
            let text = format!("The plan of {stage} waits for a person's word.");
            Some(Noticed { kind: Notice::Approval, text })
        }
        Deed::Comment { body, .. } => of_comment(body, names),
        _ => None,
    }
}

fn of_comment(body: &str, names: Names) -> Option<Noticed> {
    let rest = body.strip_prefix(names.heading())?.strip_prefix(" — ")?;
    let (about, text) = rest.split_once("**")?;
    let about = About::ALL.iter().find(|known| known.as_str() == about)?;
    let kind = match about {
        About::Paused | About::Cancelled => Notice::Pause,
        About::Question => Notice::Input,
        About::StageFailed => Notice::Failure,
        About::Blocked | About::Review => return None,
    };
    Some(Noticed { kind, text: text.trim().replace("**", "") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::dialect::Dialect;
    use crate::pipeline::effect::Place;

    fn noticed(body: &str, dialect: Dialect) -> Option<(Notice, String)> {
        let deed = Deed::Comment { on: Place::Issue, body: body.to_owned() };
        of(&deed, Names::of(dialect)).map(|noticed| (noticed.kind, noticed.text))
    }

    #[test]
    fn people_are_told_of_what_waits_for_them_and_of_nothing_else() {
        let table = [
            ("🏃 **Baton — paused**\n\n@ann: The budget is spent.", Some(Notice::Pause)),
            ("🏃 **Baton — cancelled**\n\nThe run of **Plan** was cancelled.", Some(Notice::Pause)),
            ("🏃 **Baton — a question**\n\nawaiting your input", Some(Notice::Input)),
            ("🏃 **Baton — stage failed**\n\n**Plan** failed", Some(Notice::Failure)),
            ("🏃 **Baton — blocked on dependencies**\n\n- acme/web#1", None),
            ("🏃 **Baton — review**\n\n@ann just checking in", None),
            ("🏃 **Baton — stage: Plan**\n\n🏃 **Baton — paused**", None),
            ("🏭 **Fabrik — paused**\n\nanother engine's", None),
            ("paused", None),
        ];
        for (body, expected) in table {
            assert_eq!(noticed(body, Dialect::Baton).map(|(kind, _)| kind), expected, "{body}");
        }
        assert!(noticed("🏭 **Fabrik — paused**\n\nx", Dialect::Fabrik).is_some());
    }

    #[test]
    fn the_words_are_those_of_the_issue_without_heading_and_emphasis() {
        let (_, text) = noticed("🏃 **Baton — stage failed**\n\n**Plan** failed", Dialect::Baton).unwrap();
        assert_eq!(text, "Plan failed");
    }

    #[test]
    fn a_question_about_a_plan_names_its_stage() {
        let deed: Deed = serde_json::from_str(r#"{"do":"ask_approval","stage":"Plan","plan":"ab"}"#).unwrap();
        let noticed = of(&deed, Names::of(Dialect::Baton)).unwrap();
        assert_eq!((noticed.kind, noticed.text.contains("Plan")), (Notice::Approval, true));
    }

    #[test]
    fn labels_and_merges_are_no_news() {
        let names = Names::of(Dialect::Baton);
        assert_eq!(of(&Deed::CloseIssue, names), None);
        assert_eq!(of(&Deed::AddLabels { labels: vec!["baton:paused".to_owned()] }, names), None);
    }
}
