//! The dashboard as a whole: pages, the API, and what keeps strangers out, over one [`Lookout`].

use std::sync::Arc;

use axum::{Router, middleware};
use baton_view::Lookout;

use crate::access::Access;
use crate::forge_pages::{self, ForgeDoor};
use crate::live::Feed;
use crate::metrics::{self, Meter};
use crate::{api, health, pages};

/// The dashboard, ready to be served.
#[derive(Debug)]
pub struct Dashboard<L> {
    /// Who sees the relay, and whose orders it follows.
    pub lookout: Arc<L>,
    /// Who may come in.
    pub access: Access,
    /// The forge whose issues and pull requests are shown here, where the tracker has no pages of its own.
    pub forge: Option<ForgeDoor>,
}

/// What the routes of the dashboard share.
pub(crate) struct Site<L> {
    pub(crate) lookout: Arc<L>,
    pub(crate) access: Access,
    pub(crate) forge: Option<ForgeDoor>,
    /// Who tells pages what changed.
    pub(crate) feed: Feed<L>,
}

impl<L: Lookout> Dashboard<L> {
    /// Returns the routes, each behind the checks of [`Access`].
    pub fn routes(self) -> Router {
        let Self { lookout, access, forge } = self;
        let has_forge = forge.is_some();
        let feed = Feed::over(Arc::clone(&lookout));
        let site = Arc::new(Site { lookout, access, forge, feed });
        let mut routes = Router::new().merge(pages::routes(&site)).merge(api::routes(&site));
        if has_forge {
            routes = routes.merge(forge_pages::routes(&site));
        }
        let meter = Meter::default();
        routes = routes.merge(metrics::routes(&site, &meter));
        let guarded = site.access.guard(routes);
        guarded.layer(middleware::from_fn_with_state(meter, metrics::measure)).merge(health::routes(&site))
    }
}
