//! A run of the binary whose memory is watched.

use std::time::Duration;

use super::bridge::binary;

/// Runs a command to its end; also the most memory it held, in bytes, where the system tells.
pub fn run_measured(arguments: &[&str]) -> (std::process::Output, Option<u64>) {
    let mut child = binary()
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id();
    // Both pipes are read while it runs, or it would wait for that.
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let read = |source: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            source.unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        })
    };
    let stdout = read(stdout.map(|pipe| Box::new(pipe) as Box<_>));
    let stderr = read(stderr.map(|pipe| Box::new(pipe) as Box<_>));
    let mut peak = None;
    let status = loop {
        // Only grows, and is gone with the process.
        peak = peak_memory(id).or(peak);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    let output = std::process::Output {
        status,
        stdout,
        stderr,
    };
    (output, peak)
}

/// The most memory a running process has held, in bytes (proc_pid_status(5), `VmHWM`).
fn peak_memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
