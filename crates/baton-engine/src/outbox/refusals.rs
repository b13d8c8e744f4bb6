//! What a tracker's refusal means for an effect: try again, look first, or never.

use baton_core::slot::effect::Tried;
use baton_core::tracker::{Merge, Pull, PullState};
use baton_ports::{TrackerError, TrackerErrorKind};

/// Judges an error of a write.
pub(crate) fn of_write(error: &TrackerError) -> Tried {
    let said = error.to_string();
    match error.kind {
        TrackerErrorKind::RateLimited { retry_after } => Tried::Later(said, retry_after),
        // A token can be renewed, and a tracker comes back.
        TrackerErrorKind::Unavailable | TrackerErrorKind::Unauthorized => Tried::Later(said, None),
        TrackerErrorKind::Unclear | TrackerErrorKind::Malformed => Tried::Unclear(said),
        TrackerErrorKind::NotFound | TrackerErrorKind::Invalid | TrackerErrorKind::Forbidden => {
            Tried::Never(said)
        }
    }
}

/// Judges an error of a read: whatever it was, nothing was written.
pub(crate) fn of_read(error: &TrackerError) -> Tried {
    match of_write(error) {
        Tried::Unclear(said) => Tried::Later(said, None),
        other => other,
    }
}

/// How often a merge is tried in a row that the tracker refuses although the pull request is open.
const MERGE_TRIES_MAX: u32 = 3;

/// Judges a merge that was refused at its `attempts`th try, by what the pull request shows afterwards.
pub(super) fn of_merge(refused: &Merge, pull: &Pull, head_sha: &str, attempts: u32) -> Tried {
    let number = pull.number;
    match (pull.state, refused) {
        (PullState::Merged, _) if pull.head_sha == head_sha => Tried::Done,
        (PullState::Merged, _) => {
            Tried::Never(format!("pull request {number} was merged at another head: {}", pull.head_sha))
        }
        (_, Merge::HeadMoved) => {
            Tried::Never(format!("the head of pull request {number} is no longer {head_sha}"))
        }
        (PullState::Closed, _) => Tried::Never(format!("pull request {number} was closed without a merge")),
        // The tracker may still be working out whether there is a conflict. Not for long, though: while an effect is tried,
        // nobody looks at the issue, and what a person says or a check shows in the meantime is not heard. The gates decide
        // anew, and know when to ask a person.
        (PullState::Open, Merge::NotMergeable(said)) => {
            let said = format!("pull request {number} cannot be merged: {said}");
            match attempts < MERGE_TRIES_MAX {
                true => Tried::Later(said, None),
                false => Tried::Never(said),
            }
        }
        (PullState::Open, Merge::Merged(_)) => Tried::Done,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_kind_of_error_has_its_consequence() {
        use TrackerErrorKind::*;
        let pause = Some(Duration::from_secs(7));
        let word = |tried: Tried| match tried {
            Tried::Done => "done".to_owned(),
            Tried::Later(_, wait) => format!("later {}", wait.unwrap_or_default().as_secs()),
            Tried::Unclear(_) => "unclear".to_owned(),
            Tried::Never(_) | Tried::Moot(_) => "never".to_owned(),
        };
        for (kind, write, read) in [
            (RateLimited { retry_after: pause }, "later 7", "later 7"),
            (RateLimited { retry_after: None }, "later 0", "later 0"),
            (Unavailable, "later 0", "later 0"),
            (Unauthorized, "later 0", "later 0"),
            (Unclear, "unclear", "later 0"),
            (Malformed, "unclear", "later 0"),
            (NotFound, "never", "never"),
            (Invalid, "never", "never"),
            (Forbidden, "never", "never"),
        ] {
            let error = TrackerError::new(kind, "POST /x", "no");
            assert_eq!(
                (word(of_write(&error)), word(of_read(&error))),
                (write.into(), read.into()),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn a_refused_merge_is_judged_by_the_flag() {
        let judged = |refused: Merge, state: PullState, head: &str| {
            let pull = Pull {
                number: 4,
                title: String::new(),
                body: String::new(),
                state,
                author: String::new(),
                head_branch: String::new(),
                head_sha: head.to_owned(),
                base_branch: String::new(),
                url: String::new(),
            };
            of_merge(&refused, &pull, "abc", 1)
        };
        let not_mergeable = || Merge::NotMergeable("405".to_owned());
        assert_eq!(judged(not_mergeable(), PullState::Merged, "abc"), Tried::Done);
        assert_eq!(judged(Merge::HeadMoved, PullState::Merged, "abc"), Tried::Done);
        assert!(matches!(judged(not_mergeable(), PullState::Merged, "def"), Tried::Never(_)));
        assert!(matches!(judged(Merge::HeadMoved, PullState::Open, "def"), Tried::Never(_)));
        assert!(matches!(judged(not_mergeable(), PullState::Closed, "abc"), Tried::Never(_)));
        assert!(matches!(judged(not_mergeable(), PullState::Open, "abc"), Tried::Later(_, None)));
    }

    #[test]
    fn a_merge_that_is_refused_again_and_again_is_left_to_the_gates() {
        let pull = Pull {
            number: 4,
            title: String::new(),
            body: String::new(),
            state: PullState::Open,
            author: String::new(),
            head_branch: String::new(),
            head_sha: "abc".to_owned(),
            base_branch: String::new(),
            url: String::new(),
        };
        let judged = |attempts| of_merge(&Merge::NotMergeable("405".to_owned()), &pull, "abc", attempts);
        assert!(matches!(judged(2), Tried::Later(..)));
        assert!(matches!(judged(3), Tried::Never(_)));
    }
}
