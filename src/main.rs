//! The process: arguments, runtime, run, exit code.

use std::process::ExitCode;

use mcpinvoke::cli::Cli;
use mimalloc::MiMalloc;
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::read();
    // On a single core (a small container) several threads would only pass work to each other.
    let several = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let mut builder = if several {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    match builder.enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(cli.run());
            // A blocked read of stdin must not keep the process alive.
            runtime.shutdown_background();
            code
        }
        Err(error) => mcpinvoke::cli::fail(&format!("cannot start the runtime: {error}")),
    }
}
