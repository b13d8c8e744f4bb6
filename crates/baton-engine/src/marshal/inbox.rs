//! The inbox: deliveries that were committed are read, and say which issues deserve a look.

use baton_core::board::{News, Subject};
use baton_core::tracker::IssueKey;
use baton_ports::{Store as _, StoreError};

use super::{Marshal, Parts, folded};

/// How many deliveries are read at one time.
const READ_AT_ONCE: u32 = 256;

impl<P: Parts> Marshal<P> {
    /// Reads what has come in. Returns how many deliveries there were.
    pub(super) async fn read_inbox(&self) -> Result<usize, StoreError> {
        let deliveries = self.relay.store.unread(READ_AT_ONCE).await?;
        for delivery in &deliveries {
            for news in (self.decode)(delivery) {
                self.hear_news(&news);
            }
        }
        if !deliveries.is_empty() {
            self.desk().has_heard = true;
        }
        let ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id.clone()).collect();
        self.relay.store.mark_all_read(&ids).await?;
        Ok(deliveries.len())
    }

    /// Takes in news, and rings for those whom they concern. What only a survey can tell hastens the next one.
    fn hear_news(&self, news: &News) {
        let touched = self.desk().watch.hear(&folded_news(news));
        // An organization's webhooks tell of all its repositories. What is closed elsewhere may free an issue of ours, but
        // nothing there is ours to work on.
        let ours = touched.worth_a_look().filter(|issue| self.is_ours(&issue.repo));
        ours.for_each(|issue| self.bell.ring(issue.clone()));
        let is_elsewhere = matches!(&news.about, Subject::Repository(repo) if !self.is_ours(repo));
        if touched.asks_for_survey && !is_elsewhere {
            self.desk().asks_for_survey = true;
        }
    }
}

fn folded_news(news: &News) -> News {
    let about = match &news.about {
        Subject::Issue(issue) => Subject::Issue(folded(issue)),
        Subject::Pull { repo, number } => {
            let issue = folded(&IssueKey { repo: repo.clone(), number: *number });
            Subject::Pull { repo: issue.repo, number: issue.number }
        }
        other => other.clone(),
    };
    News { about, what: news.what.clone() }
}
