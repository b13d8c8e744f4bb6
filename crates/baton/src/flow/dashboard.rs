//! The dashboard of an engine: who may come in, and where its issues are read.

use std::net::SocketAddr;
use std::sync::Arc;

use baton_engine::watchtower::Links;
use baton_github::Secret;
use baton_web::{Access, Dashboard, ForgeDoor};

use super::context::Desk;
use super::lookout::{self, Tower};
use super::station::given;
use crate::command_error::CommandError;

/// The variable with what visitors from other machines must know.
pub(crate) const TOKEN_VARIABLE: &str = "BATON_DASHBOARD_TOKEN";

/// What a dashboard needs beside an engine.
#[derive(Debug, Clone)]
pub(crate) struct DashboardPlan {
    access: Access,
    /// The forge whose pages are shown, where the tracker has none of its own.
    forge: Option<ForgeDoor>,
    links: Option<Links>,
}

impl DashboardPlan {
    /// Plans the dashboard that listens on an address. One that others can reach needs a token.
    pub(crate) fn new(
        desk: &Desk,
        listen: SocketAddr,
        forge: Option<ForgeDoor>,
    ) -> Result<Self, CommandError> {
        let config = desk.config();
        let access = Access {
            token: given(desk, TOKEN_VARIABLE).map(|token| Arc::new(Secret::new(token))),
            hosts: config.sources.dashboard_hosts.clone(),
            listen: Some(listen),
            operator: config.user.clone().unwrap_or_else(|| Access::default().operator),
        };
        access.check(listen).map_err(|error| CommandError::Usage(error.to_string()))?;
        let links = match &forge {
            Some(_) => Some(Links { base: "/forge".to_owned(), pulls: "pulls" }),
            None => lookout::links(&config.api_url),
        };
        Ok(Self { access, forge, links })
    }

    /// Returns where people read issues.
    pub(super) fn links(&self) -> Option<Links> {
        self.links.clone()
    }

    /// Returns the dashboard over a watchtower.
    pub(super) fn over(self, tower: Tower) -> Dashboard<Tower> {
        Dashboard { lookout: Arc::new(tower), access: self.access, forge: self.forge }
    }
}
