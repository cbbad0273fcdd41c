//! The load by which a release build learns what calls are like: a pet store that answers from memory, bridges in front
//! of it, and clients that list and call. Made by `rustc` alone, run by `release/build`: `load BINARY DOCUMENT FOLDER`.
//! Loopback only; ends by itself.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Connections at the same time, and the calls each makes.
const LOADS: [(usize, usize); 3] = [(1, 4_000), (32, 1_000), (300, 30)];
/// Of `printf %s key-of-ann | sha256sum`.
const HASH: &str = "ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2";
/// Plain, and with what texts can hold besides: escapes, quotes, other alphabets.
const PETS: [&str; 2] = [
    r#"{"id":3,"name":"Bella","species":"dog","status":"available","price":249.5,"tags":["young","brown"],"categoryId":2,"bornOn":"2024-03-01"}"#,
    r#"{"id":4,"name":"Größe \"XL\"","species":"cat","status":"sold","price":1e2,"tags":[],"note":"caf\u00e9 – naïve\n\tlikes 🐕 and 日本","photo":null,"home":{"city":"Čáslav","at":[49.9,15.39]},"ok":true}"#,
];

/// What clients ask for, the most frequent several times: a tool and its arguments, or the list where there is none.
const REQUESTS: [(&str, &str); 16] = [
    ("getPet", r#"{"petId":3}"#),
    ("getPet", r#"{"petId":4}"#),
    ("getPet", r#"{"petId":5}"#),
    (
        "listPets",
        r#"{"status":["available","sold"],"tags":["calm","größer"],"limit":20}"#,
    ),
    (
        "createPet",
        r#"{"body":{"name":"Bella","species":"dog","price":249.5,"tags":["young"],"categoryId":2}}"#,
    ),
    ("getPet", r#"{"petId":6}"#),
    (
        "searchPets",
        r#"{"filter":{"species":"dog","maxPrice":300},"sort":["name","-price"]}"#,
    ),
    ("updatePet", r#"{"petId":3,"body":{"status":"sold"}}"#),
    ("listCategories", "{}"),
    ("getPet", r#"{"petId":404}"#),
    ("getPet", r#"{"petId":"three"}"#),
    ("getPet", r#"{"petId":7}"#),
    ("getPetPhoto", r#"{"petId":3,"photoId":1}"#),
    ("getInventory", "{}"),
    ("getPet", r#"{"petId":500}"#),
    ("", ""),
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [binary, document, folder] = arguments.as_slice() else {
        return Err("expected: load BINARY DOCUMENT FOLDER".into());
    };
    let store = TcpListener::bind("127.0.0.1:0")?;
    let base = format!("http://{}/api/v1", store.local_addr()?);
    thread::spawn(move || {
        for stream in store.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
    let rules = format!(
        "access: {{keys: [{{name: ann, hash: {HASH}}}]}}\n\
         rate: {{caller: 1000000/s, tool: 1000000/s, all: 1000000/s, concurrency: 256}}\n\
         credentials: {{apiKey: {{value: a-key-for-the-store}}}}\n\
         redact: {{answers: true}}\naudit: {{file: '{folder}/audit.jsonl'}}\n"
    );
    for settings in ["{}\n", &rules] {
        let file = format!("{folder}/settings.yaml");
        fs::write(&file, settings)?;
        let bridge = Bridge::start(binary, &[document, "--config", &file, "--base-url", &base])?;
        for load in LOADS {
            bridge.load(load)?;
        }
        bridge.end()?;
    }
    Ok(())
}

/// A bridge in a process of its own, which writes what it has learned when it ends.
struct Bridge {
    child: Child,
    host: String,
}

impl Bridge {
    fn start(binary: &str, arguments: &[&str]) -> Outcome<Self> {
        let mut child = Command::new(binary)
            .arg("serve")
            .args(arguments)
            .args(["--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()?;
        let log = child.stderr.take().ok_or("no log")?;
        let (mut host, mut ready) = (None, false);
        let mut lines = BufReader::new(log).lines();
        while host.is_none() || !ready {
            let line = lines.next().ok_or("the bridge ended")??;
            if let Some((_, rest)) = line.split_once("listening on http://") {
                host = rest.split('/').next().map(str::to_owned);
            }
            ready |= line.contains("tools are ready");
        }
        thread::spawn(move || lines.for_each(drop));
        let host = host.ok_or("no address")?;
        Ok(Self { child, host })
    }

    fn load(&self, (connections, calls): (usize, usize)) -> Outcome<()> {
        let clients: Vec<_> = (0..connections)
            .map(|client| {
                let host = self.host.clone();
                thread::spawn(move || call(&host, client, calls))
            })
            .collect();
        for client in clients {
            client.join().map_err(|_| "a client failed")??;
        }
        Ok(())
    }

    /// Asks it to end, so that it does in order.
    fn end(mut self) -> Outcome<()> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        let status = self.child.wait()?;
        status
            .success()
            .then_some(())
            .ok_or_else(|| format!("the bridge ended with {status}").into())
    }
}

/// So many requests by one connection, each answered by something that is no fault of the bridge.
fn call(host: &str, client: usize, calls: usize) -> Outcome<()> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    for number in 0..calls {
        let (tool, arguments) = REQUESTS[(client + number) % REQUESTS.len()];
        stream.write_all(request(host, number, tool, arguments).as_bytes())?;
        let (start, answer) = message(&mut reader)?.ok_or("no answer")?;
        if !start.contains(" 200 ") || !answer.contains("\"result\"") {
            return Err(format!("{tool} {arguments} was answered by {start}: {answer}").into());
        }
    }
    Ok(())
}

/// In the newest revision, and in the one before.
fn request(host: &str, number: usize, tool: &str, arguments: &str) -> String {
    let mut headers = String::new();
    let mut members = Vec::new();
    let method = if tool.is_empty() {
        "tools/list"
    } else {
        "tools/call"
    };
    if !tool.is_empty() {
        members.push(format!(r#""name":"{tool}","arguments":{arguments}"#));
    }
    if number.is_multiple_of(2) {
        headers += "MCP-Protocol-Version: 2025-11-25\r\n";
    } else {
        headers += &format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
        if !tool.is_empty() {
            headers += &format!("Mcp-Name: {tool}\r\n");
        }
        members.push(
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
                .to_owned(),
        );
    }
    let parameters = members.join(",");
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{{{parameters}}}}}"#
    );
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Authorization: Bearer key-of-ann\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The store's side of one connection.
fn serve(mut stream: TcpStream) -> Outcome<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let json = "application/json";
    let list = format!(
        r#"{{"items":[{}],"total":400}}"#,
        vec![PETS.join(","); 200].join(",")
    );
    let lines = "{\r\n  \"name\": \"Dogs \\/ Hunde\",\r\n  \"parent\": null\r\n}";
    let categories = format!("[\r\n{}\r\n]\r\n", vec![lines; 20].join(",\r\n"));
    let inventory = "available: 12 – größtenteils\r\nsold: 3\r\n".repeat(50);
    let picture = format!("\u{89}PNG\r\n{}", "\u{1}\u{7f}picture".repeat(300));
    let page = format!("<html><body>{}</body></html>", "<p>it broke</p>".repeat(50));
    while let Some((start, _)) = message(&mut reader)? {
        let has = |part: &str| start.contains(part);
        let (status, kind, body) = match () {
            () if has("/pets/404") => (
                "404 Not Found",
                "application/problem+json",
                r#"{"title":"no such pet","status":404}"#,
            ),
            () if has("/pets/500") => (
                "500 Internal Server Error",
                "text/html; charset=utf-8",
                page.as_str(),
            ),
            () if has("/photos/") => ("200 OK", "image/png", picture.as_str()),
            () if has("/pets?") => ("200 OK", json, list.as_str()),
            () if has("/pets/search") => ("200 OK", json, r#"{"items":[],"total":0}"#),
            () if has("/categories") => ("200 OK", json, categories.as_str()),
            () if has("/inventory") => ("200 OK", "text/plain; charset=utf-8", inventory.as_str()),
            () if has("POST ") => ("201 Created\r\nLocation: /api/v1/pets/8", json, PETS[0]),
            () if has("/pets/4") => ("200 OK", json, PETS[1]),
            () => ("200 OK", json, PETS[0]),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nServer: store\r\nDate: Sun, 01 Mar 2026 10:00:00 GMT\r\nContent-Type: {kind}\r\n\
             Content-Length: {}\r\nConnection: keep-alive\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// One HTTP message: its first line and its body. Nothing at the end of the connection.
fn message(reader: &mut BufReader<TcpStream>) -> Outcome<Option<(String, String)>> {
    let (mut start, mut length) = (String::new(), 0);
    if reader.read_line(&mut start)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((start, String::from_utf8_lossy(&body).into_owned())))
}
