//! The real binary, started for one test and ended with it, and the requests a client makes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A bridge serving HTTP on a free port.
pub struct Bridge {
    child: Child,
    /// Everything on stderr so far.
    log: Arc<Mutex<String>>,
    /// The endpoint, for instance `http://127.0.0.1:40001/mcp`.
    pub url: String,
    client: reqwest::Client,
}

impl Bridge {
    /// `mcpinvoke serve ARGUMENTS --listen 127.0.0.1:0`, waited for until it listens.
    pub fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self::start_in(&[], arguments)
    }

    /// The same with these environment variables.
    pub fn start_in<S: AsRef<OsStr>>(
        environment: &[(&str, &str)],
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::start_until("tools are ready", environment, arguments)
    }

    /// The same, waited for only until it listens: the documents may never come.
    pub fn start_early<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self::start_until("listening", &[], arguments)
    }

    fn start_until<S: AsRef<OsStr>>(
        sign: &'static str,
        environment: &[(&str, &str)],
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut child = binary()
            .envs(environment.iter().copied())
            .arg("serve")
            .args(arguments)
            .args(["--listen", "127.0.0.1:0"])
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let (log, address) = follow(&mut child, sign);
        let url = address
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("the bridge did not start: {}", log.lock().unwrap()));
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            child,
            log,
            url,
            client: reqwest::Client::builder()
                .no_proxy()
                .timeout(PATIENCE)
                .build()
                .unwrap(),
        }
    }

    /// The endpoint's origin, for instance `http://127.0.0.1:40001`.
    pub fn origin(&self) -> &str {
        self.url.trim_end_matches("/mcp")
    }

    /// What was logged so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// What was logged, once this text is in it.
    pub async fn logged(&self, text: &str) -> String {
        for _ in 0..400 {
            let log = self.log();
            if log.contains(text) {
                return log;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("`{text}` is not in the log: {}", self.log());
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// A client without anything set.
    pub fn http(&self) -> &reqwest::Client {
        &self.client
    }

    /// A request that posts a body as it is.
    pub fn request(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let request = self.client.post(&self.url);
        request
            .header("content-type", "application/json")
            .body(body)
    }

    /// Posts a body as it is, with these headers besides the content type; status and text.
    pub async fn post(
        &self,
        body: impl Into<reqwest::Body>,
        headers: &[(&str, &str)],
    ) -> (u16, String) {
        let mut request = self.request(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// One request of revision 2025-11-25 without a session; the whole answer.
    pub async fn legacy(&self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (status, text) = self
            .post(
                message.to_string(),
                &[("mcp-protocol-version", "2025-11-25")],
            )
            .await;
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not json: {text}"))
    }

    /// One request of revision 2026-07-28; status and answer.
    pub async fn modern(&self, method: &str, mut params: Value) -> (u16, Value) {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        let (status, text) = self.post(message.to_string(), &headers).await;
        let answer = serde_json::from_str(&text).unwrap_or_else(|_| panic!("not json: {text}"));
        (status, answer)
    }

    /// `tools/call`; the result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self
            .legacy("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// `tools/list`, all pages.
    pub async fn tools(&self) -> Vec<Value> {
        let (mut tools, mut cursor) = (Vec::new(), json!({}));
        loop {
            let result = self.legacy("tools/list", cursor).await["result"].clone();
            tools.extend(result["tools"].as_array().unwrap().iter().cloned());
            let Some(next) = result.get("nextCursor") else {
                return tools;
            };
            cursor = json!({ "cursor": next });
        }
    }

    /// Waits for the process to end; the exit code.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Whether the process still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A bridge serving its stdin and stdout.
pub struct Stdio {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Stdio {
    /// `mcpinvoke serve ARGUMENTS --stdio`.
    pub fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self::start_as(None, arguments)
    }

    /// The same by somebody whose environment holds this key.
    pub fn start_as<S: AsRef<OsStr>>(
        key: Option<&str>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut child = binary()
            .envs(key.map(|key| ("MCPINVOKE_KEY", key)))
            .arg("serve")
            .args(arguments)
            .arg("--stdio")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = lines(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the process to end although its input is open; the exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let input = self.input.take();
        let code = self.child.wait().unwrap().code();
        drop(input);
        code
    }

    /// Writes one line.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next line, parsed.
    pub fn receive(&self) -> Value {
        let line = self
            .output
            .recv_timeout(PATIENCE)
            .expect("a line on stdout");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not json: {line}"))
    }

    /// Closes stdin.
    pub fn close(&mut self) {
        drop(self.input.take());
    }

    /// Closes stdin and waits; the exit code and the lines that still came.
    pub fn finish(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        let code = self.child.wait().unwrap().code();
        (code, self.output.iter().collect())
    }
}

fn lines(output: ChildStdout) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

/// Collects stderr and reports the address in it once the sign is there as well.
fn follow(child: &mut Child, sign: &'static str) -> (Arc<Mutex<String>>, Receiver<String>) {
    let errors = child.stderr.take().unwrap();
    let log = Arc::new(Mutex::new(String::new()));
    let (send, receive) = channel();
    let kept = log.clone();
    std::thread::spawn(move || {
        let (mut address, mut ready) = (None, false);
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            if let Some(at) = line.find("http://127.0.0.1:")
                && line.contains("listening")
            {
                let url: String = line[at..]
                    .chars()
                    .take_while(|c| !c.is_whitespace() && *c != '"')
                    .collect();
                address = Some(url);
            }
            // A test's document may be gone a moment after the bridge was started.
            ready |= line.contains(sign);
            if ready && let Some(url) = address.take() {
                let _ = send.send(url);
            }
            let mut log = kept.lock().unwrap();
            log.push_str(&line);
            log.push('\n');
        }
    });
    (log, receive)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tests start the binary they test"
)]
pub(super) fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcpinvoke"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MCPINVOKE_")) {
        command.env_remove(name);
    }
    command
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> std::process::Output {
    run_in(&[], arguments)
}

/// The same with these environment variables.
pub fn run_in(environment: &[(&str, &str)], arguments: &[&str]) -> std::process::Output {
    binary()
        .envs(environment.iter().copied())
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

/// Starts a command and leaves it running.
pub fn start(arguments: &[&str]) -> Child {
    binary()
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// The same as [`run`] with a text on stdin.
pub fn run_with_input(arguments: &[&str], input: &str) -> std::process::Output {
    let mut child = binary()
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Sends SIGTERM to a process.
pub fn terminate(id: u32) {
    super::process::signal(id, "TERM");
}
