use std::{ffi::OsString, fmt, future::Future, path::PathBuf, pin::Pin, sync::Arc};
use tokio::io::DuplexStream;

/// How the executor of one generation comes to run.
#[derive(Clone)]
pub enum ExecutorCommand {
    /// A direct child that speaks the executor's protocol on standard input and output.
    Program(Program),
    /// A task of this process that speaks it over pipes. Killing it aborts the task.
    Embedded(Arc<Embedded>),
}

/// A program, its arguments and what is added to this process's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
}

/// Serves one generation: the reader is the executor's input, the writer its output.
pub type Embedded = dyn Fn(DuplexStream, DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

impl ExecutorCommand {
    /// `<path> executor`, the executor inside surehand's own program.
    pub fn program(path: impl Into<PathBuf>) -> Self {
        Self::Program(Program { path: path.into(), arguments: vec!["executor".into()], environment: Vec::new() })
    }

    pub fn embedded<F, Served>(serve: F) -> Self
    where
        F: Fn(DuplexStream, DuplexStream) -> Served + Send + Sync + 'static,
        Served: Future<Output = ()> + Send + 'static,
    {
        Self::Embedded(Arc::new(move |input, output| Box::pin(serve(input, output))))
    }
}

impl fmt::Debug for ExecutorCommand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(program) => program.fmt(out),
            Self::Embedded(_) => out.write_str("Embedded"),
        }
    }
}
