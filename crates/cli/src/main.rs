//! The `surehand` program.
#![forbid(unsafe_code)]

mod acting;
mod arguments;
mod doctor;
mod failure;
mod listing;
mod looking;
mod private_desktop;
mod remembered;
mod session;

use arguments::{Command, CommandLine, DesktopCommand};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::process::ExitCode;
use surehand_linux::LinuxDesktop;

fn main() -> ExitCode {
    let command = CommandLine::parse().command;
    start_log();
    let as_json = command.wants_json();
    match run(command) {
        Ok(code) => code,
        Err(failure) => failure.report(as_json),
    }
}

/// Diagnostics go to standard error, and only when `SUREHAND_LOG` asks for them.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("SUREHAND_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Desktop { command: DesktopCommand::Run { screen, command } } => private_desktop::run(screen, &command),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut CommandLine::command(), "surehand", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Command::Man { folder } => write_manual(&folder),
        other => {
            let runtime = runtime()?;
            let outcome = runtime.block_on(run_in_runtime(other));
            // Dropping it would wait for calls that block on a display which no longer answers.
            runtime.shutdown_background();
            outcome
        }
    }
}

async fn run_in_runtime(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Mcp => {
            let host = session::start_host()?;
            tokio::select! {
                served = surehand_mcp::serve_stdio(host.clone()) => served?,
                // Told to end, it leaves as little behind as when its client goes away.
                () = told_to_end() => host.shut_down().await,
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Executor => {
            let desktop = LinuxDesktop::new();
            let ended = surehand_executor::serve(desktop, std::io::stdin(), std::io::stdout(), told_to_end()).await?;
            Ok(ExitCode::from(ended.exit_status()))
        }
        Command::Apps { filter, output } => listing::apps(filter, output).await,
        Command::Windows { output } => listing::windows(output).await,
        Command::Launch { application, output } => listing::launch(application, output).await,
        Command::Observe { window, query, screenshot, output } => {
            looking::observe(window, query, screenshot, output).await
        }
        Command::Wait { window, condition, timeout_ms, output } => {
            looking::wait(window, condition, timeout_ms, output).await
        }
        Command::Act { verb } => acting::act(verb).await,
        Command::Doctor { output } => doctor::doctor(output).await,
        Command::Desktop { .. } | Command::Completions { .. } | Command::Man { .. } => {
            unreachable!("these run outside the runtime")
        }
    }
}

/// Without signal handlers the kernel ends the process, which others treat alike.
async fn told_to_end() {
    if surehand_executor::terminated().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Failure::io("the runtime cannot be built"))
}

fn write_manual(folder: &std::path::Path) -> Result<ExitCode, Failure> {
    clap_mangen::generate_to(CommandLine::command(), folder).map_err(Failure::io("the manual cannot be written"))?;
    Ok(ExitCode::SUCCESS)
}
