//! The commands, one file each. Data goes to stdout, everything else to stderr.

mod call;
mod check;
mod config;
mod demo;
mod diff;
mod serve;
mod terminal;
mod tools;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::app::{self, AppError};
use crate::config::{Config, ConfigFaults, DocumentFlags, ServeFlags};
use crate::policy;
use crate::telemetry::{self, Logging};

/// Turns OpenAPI (Swagger) documents into MCP tools.
#[derive(Debug, Parser)]
#[command(name = "mcpinvoke", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the operations of documents as MCP tools, over HTTP or stdio
    Serve(serve::Serve),
    /// Try it: a pet-store service and the bridge in front of it, in one process
    Demo(demo::Demo),
    /// List the tools of documents
    Tools(tools::Tools),
    /// Find what is wrong with documents, and what could be better
    Check(check::Check),
    /// Call one tool and print its result
    Call(call::Call),
    /// Print the resolved configuration, secrets masked, or the file's JSON Schema
    Config(config::PrintConfig),
}

/// Why a command ended without doing its work.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The arguments or the configuration are wrong: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The work failed: exit code 1.
    #[error("{0}")]
    Work(String),
    /// The work failed and has said so itself.
    #[error("")]
    Told,
}

impl Cli {
    /// Runs the command. Exit codes: 0 done, 1 the work failed, 2 wrong usage or configuration.
    pub async fn run(self) -> ExitCode {
        let result = match self.command {
            Command::Serve(command) => command.run().await,
            Command::Demo(command) => command.run().await,
            Command::Tools(command) => command.run().await,
            Command::Check(command) => command.run().await,
            Command::Call(command) => command.run().await,
            Command::Config(command) => command.run(),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(Failure::Usage(text)) => {
                fail(&text);
                ExitCode::from(2)
            }
            Err(Failure::Work(text)) => fail(&text),
            Err(Failure::Told) => ExitCode::FAILURE,
        }
    }
}

/// Prints an error for people; the exit code of failed work.
pub fn fail(text: &str) -> ExitCode {
    for (index, line) in policy::mask_line(text).lines().enumerate() {
        let start = if index == 0 { "error: " } else { "       " };
        // Nobody is left to tell when stderr is gone.
        let _ = writeln!(io::stderr(), "{start}{line}");
    }
    ExitCode::FAILURE
}

/// Flags, environment and file to a configuration, and logging set up by it.
fn prepare(documents: &DocumentFlags, serve: &ServeFlags) -> Result<(Config, Logging), Failure> {
    start(Config::resolve(documents, serve)?)
}

/// The same for a command that brings its own documents.
fn prepare_any(
    documents: &DocumentFlags,
    serve: &ServeFlags,
) -> Result<(Config, Logging), Failure> {
    start(Config::resolve_any(documents, serve)?)
}

fn start(config: Config) -> Result<(Config, Logging), Failure> {
    let logging = telemetry::init(&config.telemetry, policy::mask_line)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    Ok((config, logging))
}

/// Writes data to stdout. A reader that left early (`| head`) is no failure.
fn print(data: impl Display) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{data}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Work(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

impl From<ConfigFaults> for Failure {
    fn from(faults: ConfigFaults) -> Self {
        Self::Usage(faults.to_string())
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self::Work(app::chain(&error))
    }
}
