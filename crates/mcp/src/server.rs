use crate::{
    calling::{Called, Gives, ToolCall, UnknownTool, refused},
    definitions::{INSTRUCTIONS, tools},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use std::time::{Duration, Instant};
use surehand_host::{ClientInfo, ClientKind, Host, Refusal, Session};
use tokio::sync::{Mutex, mpsc};

/// Progress of a wait is told no more often than this.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// One connection. Its session is opened by the first call that needs one, so that a client which only lists tools
/// holds nothing; every observation id carries the session it belongs to.
pub(crate) struct Server {
    host: Host,
    session: Mutex<Option<Session>>,
}

impl Server {
    pub(crate) fn new(host: Host) -> Self {
        Self { host, session: Mutex::new(None) }
    }

    async fn session(&self, context: &RequestContext<RoleServer>) -> Result<Session, Refusal> {
        let mut open = self.session.lock().await;
        if let Some(session) = &*open {
            return Ok(session.clone());
        }
        let client = context.client_info();
        let (name, version) = client.map(|client| (client.name, client.version)).unwrap_or_default();
        let session = self.host.open_session(&ClientInfo { name, version, kind: ClientKind::Mcp })?;
        *open = Some(session.clone());
        Ok(session)
    }

    /// The next call may open another session, unless a person stands against it.
    async fn forget(&self, session: &Session) {
        let mut open = self.session.lock().await;
        if open.as_ref().is_some_and(|current| current.id() == session.id()) {
            *open = None;
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        gives: Gives,
        context: &RequestContext<RoleServer>,
    ) -> rmcp::model::CallToolResult {
        // The arguments are read and fixed before anything is awaited.
        let call = match ToolCall::read(&request.name, request.arguments, &format!("rpc-{}", context.id)) {
            Ok(call) => call,
            Err(refusal) => return refused(&refusal, gives),
        };
        let session = match self.session(context).await {
            Ok(session) => session,
            Err(refusal) => return refused(&refusal, gives),
        };
        let Called { result, session_is_over } = run_telling_progress(call, &session, context).await;
        if session_is_over {
            self.forget(&session).await;
        }
        result
    }
}

async fn run_telling_progress(call: ToolCall, session: &Session, context: &RequestContext<RoleServer>) -> Called {
    let (tell, mut told) = mpsc::unbounded_channel();
    let longest = call.waits_at_most();
    let mut latest: Option<Instant> = None;
    let running = call.run(session, move |waited| {
        if latest.is_none_or(|latest| latest.elapsed() >= PROGRESS_INTERVAL) {
            latest = Some(Instant::now());
            // Nobody listens when no progress was asked for.
            let _ = tell.send(waited);
        }
    });
    let Some(token) = context.meta.get_progress_token() else {
        return running.await;
    };
    tokio::pin!(running);
    loop {
        tokio::select! {
            called = &mut running => return called,
            Some(waited) = told.recv() => {
                let progress = ProgressNotificationParam::new(token.clone(), waited.as_secs_f64())
                    .with_total(longest.as_secs_f64());
                // A client that went away is seen by the connection itself.
                let _ = context.peer.notify_progress(progress).await;
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("surehand", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let gives = ToolCall::gives(&request.name)
            .map_err(|UnknownTool| ErrorData::invalid_params("There is no such tool; tools/list names them.", None))?;
        let cancelled = context.ct.clone();
        tokio::select! {
            biased;
            // Dropping the call withdraws it, or has the host settle what has left; the client wants no answer.
            () = cancelled.cancelled() => Err(ErrorData::invalid_request("The call was cancelled.", None)),
            result = self.call(request, gives, &context) => Ok(result.into()),
        }
    }
}
