//! The client: the layers put together, and the ways to ask through them.
//!
//! It knows addresses, pages and dates. What is asked and what an answer means to the relay is in `tracker/`.

pub(crate) mod graph;
mod pages;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::Dated;
use baton_ports::{TrackerError, TrackerErrorKind};
use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::{ServiceBuilder, ServiceExt as _};

use crate::address::{BaseUrl, fill};
use crate::call::{Call, Identity, Repeat, Reply};
use crate::layers::authorize::{Authorize, AuthorizeLayer, Credential};
use crate::layers::budget::{BudgetLayer, Budgeted, Budgets, RateBudget};
use crate::layers::conditional::{Conditional, ConditionalLayer};
use crate::layers::meter::{Meter, MeterLayer, MeterRow, Metered};
use crate::layers::redirect::{Redirect, RedirectLayer};
use crate::layers::retry::{Retry, RetryLayer};
use crate::links::Links;
use crate::pace::{MachinePace, SharedPace};
use crate::refusal::Tried;
use crate::rulesets::Rulesets;
use crate::settings::{MergeMethod, Settings, SetupError};
use crate::transport::Transport;
use crate::writers::Writers;

/// What a question gives.
pub(crate) type Answer<T> = Result<T, TrackerError>;

type Stack = Authorize<Conditional<Retry<Redirect<Budgeted<Metered<Transport>>>>>>;

/// A client of one GitHub. Cloning it is cheap, and the clones share connections, counters and budgets.
#[derive(Clone)]
pub struct GitHub {
    shared: Arc<Shared>,
}

struct Shared {
    base: BaseUrl,
    stack: Stack,
    meter: Arc<Meter>,
    budgets: Arc<Budgets>,
    credential: Arc<Credential>,
    pages_max: u32,
    writers: Writers,
    rulesets: Rulesets,
    links: Links,
    pace: SharedPace,
    merge_method: MergeMethod,
    /// Set by boards that are projects: others may have no right to read them.
    reads_placements: AtomicBool,
    /// Trees that stand in for the empty one, where a server does not have it.
    trees: Mutex<BTreeMap<RepoSlug, String>>,
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub").field("api_url", &self.shared.base.as_str()).finish_non_exhaustive()
    }
}

impl GitHub {
    /// Makes a client. Nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let base = BaseUrl::parse(&settings.api_url, settings.allow_plain_http)?;
        let pace = MachinePace::start();
        let meter = Arc::new(Meter::default());
        let budgets = Arc::new(Budgets::new(Arc::clone(&pace)));
        let credential = Arc::new(Credential::new(&settings.auth, &base, &pace)?);
        let stack = ServiceBuilder::new()
            .layer(AuthorizeLayer(Arc::clone(&credential)))
            .layer(ConditionalLayer::default())
            .layer(RetryLayer { settings: settings.retry, pace: Arc::clone(&pace) })
            .layer(RedirectLayer)
            .layer(BudgetLayer(Arc::clone(&budgets)))
            .layer(MeterLayer(Arc::clone(&meter)))
            .service(Transport::new(&settings, &base)?);
        let shared = Shared {
            base,
            stack,
            meter,
            budgets,
            credential,
            pages_max: settings.pages_max,
            writers: Writers::default(),
            rulesets: Rulesets::default(),
            links: Links::default(),
            pace,
            merge_method: settings.merge_method,
            reads_placements: AtomicBool::new(false),
            trees: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns how many requests were made so far, the repeated ones included.
    pub fn requests_sent(&self) -> u64 {
        self.shared.meter.total()
    }

    /// Returns how often each thing was asked, and with what result.
    pub fn meter(&self) -> Vec<MeterRow> {
        self.shared.meter.rows()
    }

    /// Returns where the budgets stand, as the last answers said.
    pub fn budgets(&self) -> Vec<RateBudget> {
        self.shared.budgets.all()
    }

    /// Returns how much is left of the budget that is most nearly spent, in thousandths; nothing while none is known.
    pub fn left_permille(&self) -> Option<u32> {
        self.shared.budgets.left_permille()
    }

    /// Returns the server's clock in the last answer.
    pub fn last_date(&self) -> Option<ServerTime> {
        self.shared.budgets.last_date()
    }

    pub(crate) fn is_app(&self) -> bool {
        self.shared.credential.is_app()
    }

    pub(crate) fn pages_max(&self) -> u32 {
        self.shared.pages_max
    }

    pub(crate) fn merge_method(&self) -> MergeMethod {
        self.shared.merge_method
    }

    /// Returns who may write, as far as it is remembered, and the time to judge that by.
    pub(crate) fn writers(&self) -> (&Writers, Duration) {
        (&self.shared.writers, self.shared.pace.now())
    }

    /// Returns what rulesets require, as far as it is remembered, and the time to judge that by.
    pub(crate) fn rulesets(&self) -> (&Rulesets, Duration) {
        (&self.shared.rulesets, self.shared.pace.now())
    }

    pub(crate) fn links(&self) -> &Links {
        &self.shared.links
    }

    pub(crate) fn reads_placements(&self) -> bool {
        self.shared.reads_placements.load(Ordering::Relaxed)
    }

    /// Has every sight from now on tell where issues are on projects.
    pub(crate) fn read_placements(&self) {
        self.shared.reads_placements.store(true, Ordering::Relaxed);
    }

    pub(crate) fn trees(&self) -> &Mutex<BTreeMap<RepoSlug, String>> {
        &self.shared.trees
    }

    /// Starts a call in a repository; the template's first two places are its owner and name.
    pub(crate) fn call(
        &self,
        method: Method,
        repo: &RepoSlug,
        endpoint: &'static str,
        values: &[&str],
    ) -> Answer<Draft> {
        let all = [&[repo.owner(), repo.name()], values].concat();
        let path = fill(endpoint, &all).map_err(|value| {
            let answer = format!("not sent, because `{value}` cannot be part of a path");
            TrackerError::new(TrackerErrorKind::Invalid, format!("{method} {endpoint}"), answer)
        })?;
        let mut call = Call::get(endpoint, self.shared.base.join(&path, &[]), Identity::In(repo.clone()));
        call.method = method;
        Ok(Draft { call })
    }

    /// Starts a question that is not about a repository.
    pub(crate) fn call_itself(&self, endpoint: &'static str) -> Draft {
        Draft { call: Call::get(endpoint, self.shared.base.join(endpoint, &[]), Identity::Itself) }
    }

    /// Sends a call; any answer is fine.
    pub(crate) async fn send(&self, draft: Draft) -> Answer<Sent> {
        let Draft { call } = draft;
        let text = match call.title {
            Some(title) => graph::tried(title),
            None => format!("{} {}", call.method, self.shared.base.shown(&call.url)),
        };
        let tried = Tried { text, is_read: call.is_read() || call.is_question };
        match self.shared.stack.clone().oneshot(call).await {
            Ok(reply) => Ok(Sent { tried, reply }),
            Err(failure) => Err(tried.failed(failure)),
        }
    }

    /// Sends a call, and insists on success.
    pub(crate) async fn ask(&self, draft: Draft) -> Answer<Sent> {
        self.send(draft).await?.succeeded()
    }
}

/// A call that is not sent yet.
pub(crate) struct Draft {
    call: Call,
}

impl Draft {
    pub(crate) fn query(mut self, pairs: &[(&str, &str)]) -> Self {
        self.call.url.query_pairs_mut().extend_pairs(pairs);
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.call.body = Some(body.to_string().into());
        self
    }

    /// Forbids to send it again once it may have been carried out.
    pub(crate) fn once(mut self) -> Self {
        self.call.repeat = Repeat::IfNotDone;
        self
    }
}

/// A call with its answer.
pub(crate) struct Sent {
    pub(crate) tried: Tried,
    pub(crate) reply: Reply,
}

impl Sent {
    pub(crate) fn status(&self) -> u16 {
        self.reply.status.as_u16()
    }

    pub(crate) fn succeeded(self) -> Answer<Self> {
        if self.reply.status.is_success() { Ok(self) } else { Err(self.refused()) }
    }

    pub(crate) fn refused(&self) -> TrackerError {
        self.tried.refused(&self.reply)
    }

    pub(crate) fn date(&self) -> Answer<ServerTime> {
        self.reply.date().ok_or_else(|| self.tried.unreadable("the answer has no Date"))
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Answer<T> {
        serde_json::from_slice(&self.reply.body).map_err(|error| {
            self.tried.unreadable(format!("{} that cannot be read: {error}", self.reply.status.as_u16()))
        })
    }

    pub(crate) fn dated<T: DeserializeOwned>(&self) -> Answer<Dated<T>> {
        Ok(Dated { value: self.parse()?, date: self.date()?, pages: 1 })
    }
}

/// Changes what was asked for, and keeps when.
pub(crate) fn map<T, U>(dated: Dated<T>, change: impl FnOnce(T) -> U) -> Dated<U> {
    Dated { value: change(dated.value), date: dated.date, pages: dated.pages }
}
