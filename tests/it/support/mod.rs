//! What the tests stand on: a recording upstream, the real binary, and a client that shares no
//! code with the bridge.

mod bridge;
pub mod issuer;
mod measured;
mod process;
pub mod recorded;
#[cfg(unix)]
pub mod replay;
#[cfg(unix)]
pub mod replayed_calls;
pub mod shown;
mod tls;
#[cfg(unix)]
pub mod toolset;
mod upstream;

pub use bridge::{Bridge, Stdio, run, run_in, run_with_input, start, terminate};
pub use issuer::{Issuer, Signer};
pub use measured::run_measured;
pub use process::{
    interrupt_twice, run_below, run_with_open_input, signal, start_ignoring_hangups,
};
pub use tls::{Authority, Identity, TlsUpstream};
pub use upstream::{Answer, Seen, Upstream};

use std::io::Write;
use std::path::PathBuf;

use sha2::Digest as _;

/// A document in a temporary file that lives as long as the value.
#[derive(Debug)]
pub struct DocumentFile {
    file: tempfile::NamedTempFile,
}

impl DocumentFile {
    /// Writes `text` to a file with this ending.
    pub fn new(text: &str, ending: &str) -> Self {
        let mut file = tempfile::Builder::new().suffix(ending).tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Self { file }
    }

    /// JSON of 200 MB: more than is read of any document.
    pub fn too_large() -> Self {
        let empty = r#"{"openapi":"3.0.3","paths":{},"x":[0"#;
        let mut document = Self::new(empty, ".json");
        let block = b",0".repeat(1 << 20);
        for _ in 0..100 {
            document.file.write_all(&block).unwrap();
        }
        document.file.write_all(b"]}").unwrap();
        document
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }
}

/// A document that ships.
pub fn spec(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("specs")
        .join(name)
}

/// A bridge in front of an upstream that answers `{"ok":true}`, for a document with these paths
/// (YAML, indented by two) and components.
pub async fn serve(paths: &str, components: &str) -> (Upstream, Bridge) {
    serve_answering(paths, components, |_| Answer::json(r#"{"ok":true}"#)).await
}

/// The same with an upstream that answers as told.
pub async fn serve_answering(
    paths: &str,
    components: &str,
    respond: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
) -> (Upstream, Bridge) {
    let upstream = Upstream::start(respond).await;
    let document = document(paths, components);
    let bridge = Bridge::start([
        document.path().into_os_string(),
        "--base-url".into(),
        upstream.url().into(),
    ]);
    (upstream, bridge)
}

/// A bridge with these settings (YAML) in front of the upstream at `base`.
pub fn configured(document: &DocumentFile, base: &str, settings: &str) -> Bridge {
    let settings = DocumentFile::new(settings, ".yaml");
    Bridge::start([
        document.path().into_os_string(),
        "--base-url".into(),
        base.into(),
        "--config".into(),
        settings.path().into_os_string(),
    ])
}

/// A 3.0 document with these paths and components.
pub fn document(paths: &str, components: &str) -> DocumentFile {
    let head = "openapi: 3.0.3\ninfo: {title: Test, version: '1'}\n";
    let components = match components {
        "" => String::new(),
        schemas => format!("components:\n{schemas}\n"),
    };
    DocumentFile::new(&format!("{head}paths:\n{paths}\n{components}"), ".yaml")
}

/// What a configuration holds of a key: the hex digits of its SHA-256.
pub fn hash(key: &str) -> String {
    let digest = sha2::Sha256::digest(key);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The question that stands in the stream of a call, once it is there.
pub async fn question(stream: &mut reqwest::Response) -> serde_json::Value {
    let mut seen = String::new();
    while !seen.contains("elicitation/create") || !seen.ends_with("\n\n") {
        let chunk = stream.chunk().await.unwrap().expect("a question");
        seen.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    let data = seen
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .find(|data| data.contains("elicitation/create"));
    serde_json::from_str(data.unwrap()).unwrap()
}

/// The text of a result's first block.
pub fn text(result: &serde_json::Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// The one tool of a list that has this name.
pub fn tool<'a>(tools: &'a [serde_json::Value], name: &str) -> &'a serde_json::Value {
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap_or_else(|| panic!("no tool {name} in {tools:#?}"))
}
