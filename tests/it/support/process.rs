//! Processes that are started or treated in other ways than usual.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use super::bridge::binary;

/// Runs a command in this folder to its end.
pub fn run_below(folder: &Path, arguments: &[&str]) -> Output {
    binary()
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Starts a command under `nohup`, which has it ignore hangups.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests start the binary they test"
)]
pub fn start_ignoring_hangups(arguments: &[&str]) -> Child {
    Command::new("nohup")
        .arg(env!("CARGO_BIN_EXE_mcpinvoke"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends a signal to a process.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests signal the binary they started"
)]
pub fn signal(id: u32, name: &str) {
    assert!(
        Command::new("kill")
            .args([&format!("-{name}"), &id.to_string()])
            .status()
            .unwrap()
            .success()
    );
}
