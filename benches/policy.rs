//! What all rules together cost a call (keys, limits, redaction of answers, an audit file), as a ratio in one run:
//! `cargo bench --bench policy`. Two bridges with default settings otherwise, so that both log each call, take turns
//! in front of one service, called by one client and by many;
//! what is compared is the processor time of each process for a call, which other work on the machine disturbs
//! little, and how long a call takes. Linux only; loopback only.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::ops::AddAssign;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const ROUNDS: usize = 12;
/// Connections that call at the same time, and the calls of a round.
const LOADS: [(usize, usize); 2] = [(1, 1000), (16, 4000)];
/// Of `printf %s key-of-ann | sha256sum`.
const HASH: &str = "ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2";

const DOCUMENT: &str = r#"
openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}
"#;

const PET: &str = r#"{"id":7,"name":"Rex","status":"available","category":{"id":3,"name":"dogs"},"tags":["old","brown"],"note":"likes walks"}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let upstream = spawn().await?;
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("pets.yaml"), DOCUMENT)?;
    std::fs::write(at("off.yaml"), "{}\n")?;
    let rules = format!(
        "access: {{keys: [{{name: ann, hash: {HASH}}}]}}\n\
         rate: {{caller: 1000000/s, tool: 1000000/s, all: 1000000/s, concurrency: 256}}\n\
         redact: {{answers: true}}\naudit: {{file: '{}'}}\n",
        at("audit.jsonl").display()
    );
    std::fs::write(at("on.yaml"), rules)?;
    let off = Bridge::start(&at("pets.yaml"), &at("off.yaml"), &upstream)?;
    let on = Bridge::start(&at("pets.yaml"), &at("on.yaml"), &upstream)?;
    for bridge in [&off, &on] {
        bridge.round(LOADS[1]).await?;
    }
    for load in LOADS {
        compare(&off, &on, load).await?;
    }
    Ok(())
}

/// Rounds in turns, and what they say.
async fn compare(off: &Bridge, on: &Bridge, load: (usize, usize)) -> Result<(), Box<dyn Error>> {
    let (mut without, mut with) = (Round::default(), Round::default());
    for _ in 0..ROUNDS {
        without += off.round(load).await?;
        with += on.round(load).await?;
    }
    let (connections, calls) = load;
    let calls = (ROUNDS * calls) as f64;
    let line = |what: &str, without: f64, with: f64| {
        let more = (with / without - 1.0) * 100.0;
        format!("{what} {without:.1} us without rules, {with:.1} us with: {more:+.1} %")
    };
    let each = |busy: Duration| busy.as_secs_f64() * 1e6 / calls;
    let time = |time: Duration| time.as_secs_f64() * 1e6 * connections as f64 / calls;
    let mut out = std::io::stdout();
    writeln!(out, "{connections} at a time:")?;
    let processor = line("  processor time", each(without.busy), each(with.busy));
    writeln!(out, "{processor}")?;
    writeln!(
        out,
        "{}",
        line("  a call takes", time(without.time), time(with.time))
    )?;
    Ok(())
}

/// What calls took.
#[derive(Default)]
struct Round {
    /// Processor time.
    busy: Duration,
    time: Duration,
}

impl AddAssign for Round {
    fn add_assign(&mut self, other: Self) {
        self.busy += other.busy;
        self.time += other.time;
    }
}

/// A bridge in a process of its own; ends with the value.
struct Bridge {
    child: Child,
    host: String,
}

impl Bridge {
    #[expect(
        clippy::disallowed_methods,
        reason = "processor time is counted for each process"
    )]
    fn start(document: &Path, config: &Path, upstream: &str) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcpinvoke"))
            .arg("serve")
            .arg(document)
            .arg("--config")
            .arg(config)
            .args(["--base-url", upstream, "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()?;
        let log = child.stderr.take().ok_or("no log")?;
        let (mut host, mut ready) = (None, false);
        let mut lines = BufReader::new(log).lines();
        while host.is_none() || !ready {
            let line = lines.next().ok_or("the bridge ended")??;
            if let Some(at) = line.find("listening on http://") {
                let rest = &line[at + "listening on http://".len()..];
                host = rest.split('/').next().map(str::to_owned);
            }
            ready |= line.contains("tools are ready");
        }
        let host = host.ok_or("no address")?;
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, host })
    }

    /// Calls by so many connections, so many together.
    async fn round(&self, (connections, count): (usize, usize)) -> Result<Round, Box<dyn Error>> {
        let (before, start) = (self.busy()?, Instant::now());
        let clients: Vec<_> = (0..connections)
            .map(|_| tokio::spawn(calls(self.host.clone(), count / connections)))
            .collect();
        for client in clients {
            client.await?.map_err(|error| error.to_string())?;
        }
        Ok(Round {
            busy: self.busy()?.saturating_sub(before),
            time: start.elapsed(),
        })
    }

    /// Processor time so far of all threads there are (proc(5), `schedstat`: in nanoseconds, where `stat` counts
    /// hundredths of a second).
    fn busy(&self) -> Result<Duration, Box<dyn Error>> {
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let first = text.split_whitespace().next().ok_or("no fields")?;
            nanoseconds += first.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn calls(host: String, count: usize) -> std::io::Result<()> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getPet","arguments":{"id":7}}}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\nauthorization: Bearer key-of-ann\r\n\
         mcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await?;
    let mut buffer = vec![0; 16 * 1024];
    for _ in 0..count {
        stream.write_all(request.as_bytes()).await?;
        let mut read = 0;
        // The answer ends with the brace that closes it.
        while !buffer[..read].ends_with(b"}}") {
            let more = stream.read(&mut buffer[read..]).await?;
            if more == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            read += more;
        }
        let text = String::from_utf8_lossy(&buffer[..read]);
        if !text.starts_with("HTTP/1.1 200") || !text.contains("Rex") {
            return Err(std::io::Error::other(text.into_owned()));
        }
    }
    Ok(())
}

async fn spawn() -> Result<String, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let pet = get(async || ([("content-type", "application/json")], PET));
    let service = Router::new().route("/pets/{id}", pet);
    tokio::spawn(async move { axum::serve(listener, service).await });
    Ok(format!("http://{address}"))
}
