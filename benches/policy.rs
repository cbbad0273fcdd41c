//! What all rules together cost a call (keys, limits, redaction of answers, an audit file), as a ratio in one run:
//! `cargo bench --bench policy`. Two bridges take turns in front of one service; what is compared is the processor
//! time of each process for a call, which other work on the machine disturbs little. Linux only; loopback only.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const ROUNDS: usize = 12;
const CALLS: usize = 4000;
const CONNECTIONS: usize = 16;
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
    let quiet = "log: {filter: 'info,mcpinvoke::call=off'}\n";
    std::fs::write(at("off.yaml"), quiet)?;
    let rules = format!(
        "{quiet}access: {{keys: [{{name: ann, hash: {HASH}}}]}}\n\
         rate: {{caller: 1000000/s, tool: 1000000/s, all: 1000000/s, concurrency: 256}}\n\
         redact: {{answers: true}}\naudit: {{file: '{}'}}\n",
        at("audit.jsonl").display()
    );
    std::fs::write(at("on.yaml"), rules)?;
    let off = Bridge::start(&at("pets.yaml"), &at("off.yaml"), &upstream)?;
    let on = Bridge::start(&at("pets.yaml"), &at("on.yaml"), &upstream)?;
    for bridge in [&off, &on] {
        bridge.round().await?;
    }
    let mut ratios = Vec::new();
    let (mut without, mut with) = (0, 0);
    for _ in 0..ROUNDS {
        let (one, other) = (off.round().await?, on.round().await?);
        (without, with) = (without + one, with + other);
        ratios.push(other as f64 / one.max(1) as f64);
    }
    ratios.sort_by(f64::total_cmp);
    let calls = (ROUNDS * CALLS) as f64;
    // A tick of /proc is 10 ms.
    let each = |ticks: u64| ticks as f64 * 10_000.0 / calls;
    writeln!(
        std::io::stdout(),
        "without rules {:.1} us of processor time for a call, with rules {:.1} us: {:+.1} % (rounds from {:+.1} % to {:+.1} %)",
        each(without),
        each(with),
        (with as f64 / without.max(1) as f64 - 1.0) * 100.0,
        (ratios[0] - 1.0) * 100.0,
        (ratios[ROUNDS - 1] - 1.0) * 100.0,
    )?;
    Ok(())
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

    /// The ticks that a round of calls took this process.
    async fn round(&self) -> Result<u64, Box<dyn Error>> {
        let before = self.ticks()?;
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| tokio::spawn(calls(self.host.clone(), CALLS / CONNECTIONS)))
            .collect();
        for client in clients {
            client.await?.map_err(|error| error.to_string())?;
        }
        Ok(self.ticks()? - before)
    }

    /// Processor time so far (proc(5): utime and stime).
    fn ticks(&self) -> Result<u64, Box<dyn Error>> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = text.rsplit_once(')').ok_or("no fields")?;
        let fields = fields.split_whitespace().skip(11).take(2);
        Ok(fields.map(str::parse::<u64>).sum::<Result<u64, _>>()?)
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
