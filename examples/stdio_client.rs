//! A client that starts the bridge as its child and speaks MCP over stdin and stdout.
//!
//! `cargo build && cargo run --example stdio_client -- target/debug/mcpinvoke`

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let binary = std::env::args().nth(1).ok_or("name the mcpinvoke binary")?;
    for line in run(&binary)? {
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

/// Starts `mcpinvoke demo --stdio`, lists the tools and calls one; the tools' names and the answer.
pub fn run(binary: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut client = Client::start(binary)?;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "example", "version": "1"}});
    client.request("initialize", &hello)?;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;

    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().ok_or("no tools")?;
    let mut lines: Vec<String> = tools.iter().map(|tool| tool["name"].to_string()).collect();

    let call = json!({"name": "getPet", "arguments": {"petId": 1}});
    let result = client.request("tools/call", &call)?;
    lines.push(result["structuredContent"].to_string());
    client.finish()?;
    Ok(lines)
}

struct Client {
    child: Child,
    input: ChildStdin,
    output: std::io::Lines<BufReader<std::process::ChildStdout>>,
    last: u64,
}

impl Client {
    #[expect(
        clippy::disallowed_methods,
        reason = "starting the bridge is what this shows"
    )]
    fn start(binary: &str) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(binary)
            .args(["demo", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no stdin")?;
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
        Ok(Self {
            child,
            input,
            output,
            last: 0,
        })
    }

    fn send(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}))?;
        for line in self.output.by_ref() {
            let message: Value = serde_json::from_str(&line?)?;
            if message["id"] == self.last {
                return match message.get("error") {
                    Some(error) => Err(error.to_string().into()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
        Err("the bridge closed its output".into())
    }

    /// Closing stdin is how a client says goodbye.
    fn finish(mut self) -> Result<(), Box<dyn Error>> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}
