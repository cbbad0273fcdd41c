//! Processes that are started or treated in other ways than usual.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::bridge::{Bridge, binary};

/// How long a command that ends by itself may take.
const PATIENCE: Duration = Duration::from_secs(20);

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

/// The same key stroke, heard twice, would be one: so the second comes a while later.
pub async fn interrupt_twice(bridge: &Bridge) {
    signal(bridge.id(), "INT");
    bridge.logged("stopping").await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    signal(bridge.id(), "INT");
    bridge.logged("ending at once").await;
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

/// Runs a command to its end with a text on stdin, which stays open until the command has ended by itself.
pub fn run_with_open_input(arguments: &[&str], input: &str) -> Output {
    let mut child = binary()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}
