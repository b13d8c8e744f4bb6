//! A witness that records spans of what another witness sees.

use std::sync::Arc;

use baton_core::slot::ItemKey;
use baton_core::slot::effect::Deed;
use baton_engine::marshal::Happened;
use baton_engine::outbox::Performed;
use baton_engine::worker::News;

use super::Spans;
use crate::flow::station::Witness;

/// Records spans of what a witness sees.
pub(crate) struct Traced {
    pub(crate) spans: Spans,
    pub(crate) witness: Arc<dyn Witness>,
}

impl Witness for Traced {
    fn happened(&self, happened: &Happened<'_>) {
        if let Happened::Decided(issue, deeds) = happened {
            self.spans.decided(&issue.to_string(), deeds);
        }
        self.witness.happened(happened);
    }

    fn run(&self, news: &News<'_>) {
        self.spans.run(news);
        self.witness.run(news);
    }

    fn deed(&self, item: &ItemKey, deed: &Deed, performed: &Performed) {
        self.spans.performed(item, performed);
        self.witness.deed(item, deed, performed);
    }
}
