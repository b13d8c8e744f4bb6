//! The protocol: lists the tools, hands calls to them, and serves one client until it goes away.
//!
//! Calls run on threads of their own, because a tool may wait for the tracker. A call that the client gives up is carried out
//! to its end, so that a hold that it takes is remembered.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as Listed,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};

use super::session::Session;
use super::tool::Entry;
use super::{check, claim, comment, explain, release, renew, request_approval, wake};
use crate::command_error::CommandError;

/// What a model is told before it calls anything.
const INSTRUCTIONS: &str = "Baton coordinates agents on the issues of a tracker: an issue has one runner at a time. Claim an \
     issue before you work on it, and work on nothing that you do not hold. Renew the claim well before `deadline_in_s` is \
     over; when an answer says that it is lost, stop working and push nothing. Release it when you are done or give up, with \
     how it went. Issues are named as OWNER/REPO#7. An `outcome` tells what came of a call; a result that is marked as an \
     error was not carried out and says what to do.";

/// Serves one client.
pub(super) async fn serve(session: Session) -> Result<(), CommandError> {
    let session = Arc::new(session);
    let server = Server { session: Arc::clone(&session), tools: tools().into() };
    let running = match server.serve(stdio_pipes()).await {
        Ok(running) => running,
        // A client that leaves before it has said who it is has asked for nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(CommandError::OutOfReach(format!("no client could be served: {error}")));
        }
    };
    let ended = running.waiting().await;
    for (issue, token) in session.holds() {
        eprintln!(
            "{issue} stays claimed until its ttl is over; a session that knows the token {token} can go on"
        );
    }
    ended.map(|_| ()).map_err(|error| CommandError::OutOfReach(format!("the server stopped: {error}")))
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::of::<claim::Claim>(),
        Entry::of::<renew::Renew>(),
        Entry::of::<release::Release>(),
        Entry::of::<check::Check>(),
        Entry::of::<explain::Explain>(),
        Entry::of::<wake::Wake>(),
        Entry::of::<comment::Comment>(),
        Entry::of::<request_approval::RequestApproval>(),
    ]
}

struct Server {
    session: Arc<Session>,
    tools: Arc<[Entry]>,
}

impl Server {
    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().find(|entry| entry.listed.name == name)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("baton", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.tools.iter().map(|entry| entry.listed.clone()).collect();
        Ok(ListToolsResult::with_all_items(listed))
    }

    fn get_tool(&self, name: &str) -> Option<Listed> {
        self.entry(name).map(|entry| entry.listed.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.entry(&request.name) else {
            return Err(unknown(&request.name, &self.tools));
        };
        let (call, session) = (entry.call, Arc::clone(&self.session));
        let arguments = request.arguments.unwrap_or_default();
        let called = tokio::task::spawn_blocking(move || call(&session, arguments)).await;
        let result = called.unwrap_or_else(|stopped| {
            CallToolResult::error(vec![ContentBlock::text(format!(
                "{}: this is a defect of Baton: {stopped}; `check` tells how the issue stands",
                request.name
            ))])
        });
        Ok(result.into())
    }
}

fn unknown(name: &str, tools: &[Entry]) -> ErrorData {
    let known: Vec<_> = tools.iter().map(|entry| entry.listed.name.as_ref()).collect();
    let message: Cow<'static, str> =
        format!("there is no tool `{name}`; the tools are {}", known.join(", ")).into();
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}
