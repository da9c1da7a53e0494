//! The MCP server: the host's sessions as tools, for the current protocol revision and the older ones that clients
//! still speak. The only crate that names the MCP SDK.
#![forbid(unsafe_code)]

mod arguments;
mod calling;
mod definitions;
mod server;
mod verdict;

use rmcp::{
    RoleServer, ServiceExt,
    service::ServerInitializeError,
    transport::{IntoTransport, io::stdio_pipes},
};
use server::Server;
use surehand_host::Host;

/// The connection could not be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the client did not begin the protocol")]
    Begin(#[source] Box<ServerInitializeError>),
    #[error("the server's task ended abnormally")]
    Task(#[source] tokio::task::JoinError),
}

/// Serves one client on standard input and output until it goes away, then ends the host's executor. Nothing but the
/// protocol is written to standard output.
pub async fn serve_stdio(host: Host) -> Result<(), ServeError> {
    // Initialize does not wait for it.
    host.start_executor();
    let served = serve(host.clone(), stdio_pipes()).await;
    host.shut_down().await;
    served
}

/// Serves one client on any transport until it goes away. Its session ends with it.
pub async fn serve<T, E, A>(host: Host, transport: T) -> Result<(), ServeError>
where
    T: IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let running = match Server::new(host).serve(transport).await {
        Ok(running) => running,
        // A client that connects and leaves has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Begin(Box::new(error))),
    };
    running.waiting().await.map_err(ServeError::Task)?;
    Ok(())
}
