//! The process: arguments, runtime, run, exit code.

use std::process::ExitCode;

use clap::Parser;
use mcpinvoke::cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => {
            let code = runtime.block_on(cli.run());
            // A blocked read of stdin must not keep the process alive.
            runtime.shutdown_background();
            code
        }
        Err(error) => mcpinvoke::cli::fail(&format!("cannot start the runtime: {error}")),
    }
}
