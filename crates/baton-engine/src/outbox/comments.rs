//! Comments, once in effect: each carries a hidden mark, by which it is found again and later copies are removed.

use std::time::Duration;

use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::slot::effect::{self, Effect, Tried};
use baton_core::time::ServerTime;
use baton_core::tracker::Comment;
use baton_ports::{Clock, Store, Tracker};

use super::arbiter::Arbiter;
use super::attempt::Attempt;
use super::leases::Leases;
use super::{Outbox, refusals};

/// How far the store's and the tracker's clocks may be apart. A mark that is older than its effect by more is one of
/// another store, whose numbers began at one as well.
const CLOCKS_APART_MAX: Duration = Duration::from_secs(3600);

impl<S: Store, T: Tracker, C: Clock, L: Leases, A: Arbiter> Outbox<S, T, C, L, A> {
    pub(super) async fn comment(&self, attempt: &Attempt<'_>, body: &str) -> Result<(), Tried> {
        if attempt.is_unclear() && self.was_posted(attempt).await? {
            return Ok(());
        }
        self.clear_to_write(attempt).await?;
        let text = format!("{}\n\n{}", body.trim_end(), effect::marker(attempt.effect.id));
        let posted = self.tracker.post_comment(attempt.place, &text).await;
        let posted = posted.map_err(|error| refusals::of_write(&error))?.value;
        // Its heading says as well that it is ours, so a sign that is missing does no harm.
        let repo = &attempt.issue.repo;
        if let Err(error) = self.tracker.react(repo, Place::Issue, posted.id, Reaction::Rocket).await {
            tracing::debug!(issue = %attempt.issue, %error, "a comment of ours has no sign");
        }
        if attempt.is_unclear() {
            self.remove_copies(attempt).await;
        }
        Ok(())
    }

    /// Looks for what an earlier try may have posted, until it must be visible. Later copies of it are removed.
    async fn was_posted(&self, attempt: &Attempt<'_>) -> Result<bool, Tried> {
        let visible_at = attempt.visible_at();
        let mut found = self.find(attempt).await?;
        if found.is_empty() && self.clock.boot_now() < visible_at {
            attempt.may_write(visible_at)?;
            self.clock.sleep_until(visible_at).await;
            found = self.find(attempt).await?;
        }
        self.keep_first(attempt, &found).await?;
        Ok(!found.is_empty())
    }

    /// Removes later copies of what has been posted. It is tried once: what it leaves behind is untidy, not wrong.
    pub(super) async fn remove_copies(&self, attempt: &Attempt<'_>) {
        let removed = match self.find(attempt).await {
            Ok(found) => self.keep_first(attempt, &found).await,
            Err(tried) => Err(tried),
        };
        if let Err(why) = removed {
            tracing::warn!(issue = %attempt.issue, effect = %attempt.effect.id, ?why, "copies may be left");
        }
    }

    /// Returns the comments of this account that carry the effect's mark, first come first.
    async fn find(&self, attempt: &Attempt<'_>) -> Result<Vec<Comment>, Tried> {
        let of_read = |error| refusals::of_read(&error);
        let viewer = self.tracker.viewer().await.map_err(of_read)?;
        let since = earliest(attempt.effect);
        let comments = self.tracker.comments(attempt.place, Some(since)).await.map_err(of_read)?;
        Ok(marked(comments.value, attempt.effect, &viewer))
    }

    async fn keep_first(&self, attempt: &Attempt<'_>, found: &[Comment]) -> Result<(), Tried> {
        for copy in found.iter().skip(1) {
            attempt.may_write(self.clock.boot_now())?;
            match self.tracker.delete_comment(&attempt.issue.repo, copy.id).await {
                Ok(()) => tracing::info!(issue = %attempt.issue, comment = copy.id, "removed a copy"),
                Err(error) if error.is_retryable() => return Err(Tried::Later(error.to_string(), None)),
                // The comment stands; that a copy stands too is no reason to call it unsaid.
                Err(error) => tracing::warn!(issue = %attempt.issue, %error, "a copy cannot be removed"),
            }
        }
        Ok(())
    }
}

fn earliest(effect: &Effect) -> ServerTime {
    effect.created_at.seconds().minus(CLOCKS_APART_MAX.as_secs())
}

/// The mark must be the last thing a comment says: one that quotes another carries the other's mark too, but before its own.
fn marked(comments: Vec<Comment>, effect: &Effect, viewer: &str) -> Vec<Comment> {
    let mark = effect::marker(effect.id);
    let is_it = |comment: &Comment| {
        comment.author.login.eq_ignore_ascii_case(viewer)
            && comment.body.trim_end().ends_with(&mark)
            && comment.created_at >= earliest(effect)
    };
    let mut found: Vec<_> = comments.into_iter().filter(is_it).collect();
    found.sort_by_key(|comment| comment.id);
    found
}

#[cfg(test)]
mod tests {
    use baton_core::slot::effect::{Deed, EffectKey, EffectStatus};
    use baton_core::slot::{EffectId, ItemId};
    use baton_core::time::StoreTime;
    use baton_core::tracker::Author;

    use super::*;

    fn effect() -> Effect {
        Effect {
            id: EffectId(7),
            key: EffectKey { item: ItemId(1), version: 1, step: 0 },
            deed: Deed::CloseIssue,
            lease: None,
            fence: 1,
            status: EffectStatus::Sending,
            attempts: 2,
            not_before: StoreTime { ms: 0 },
            sending_at: None,
            created_at: StoreTime { ms: 10_000_000 },
            finished_at: None,
            error: None,
        }
    }

    fn comment(id: u64, login: &str, at_s: i64, body: &str) -> Comment {
        let author = Author { login: login.to_owned(), app_id: None };
        let at = ServerTime(at_s);
        Comment { id, author, created_at: at, updated_at: at, body: body.to_owned() }
    }

    #[test]
    fn a_comment_is_known_by_its_author_and_by_the_mark_at_its_end() {
        let mark = effect::marker(EffectId(7));
        let comments = vec![
            comment(9, "Baton", 10_001, &format!("said\n\n{mark}\n")),
            comment(8, "baton", 10_000, &format!("said\n\n{mark}")),
            comment(10, "eve", 10_001, &format!("said\n\n{mark}")),
            comment(11, "baton", 10_002, &format!("> said\n> {mark}\n\n<!-- baton:effect=8 -->")),
            comment(12, "baton", 10_002, "<!-- baton:effect=77 -->"),
            comment(3, "baton", 6_399, &format!("of another store\n\n{mark}")),
        ];
        let found: Vec<_> = marked(comments, &effect(), "baton").iter().map(|it| it.id).collect();
        assert_eq!(found, [8, 9]);
    }
}
