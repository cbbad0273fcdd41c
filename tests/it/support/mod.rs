//! What the tests stand on: a recording upstream, the real binary, and a client that shares no
//! code with the bridge.

mod bridge;
pub mod issuer;
mod measured;
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
pub use tls::{Authority, Identity, TlsUpstream};
pub use upstream::{Answer, Seen, Upstream};

use std::io::Write;
use std::path::PathBuf;

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

/// A 3.0 document with these paths and components.
pub fn document(paths: &str, components: &str) -> DocumentFile {
    let head = "openapi: 3.0.3\ninfo: {title: Test, version: '1'}\n";
    let components = match components {
        "" => String::new(),
        schemas => format!("components:\n{schemas}\n"),
    };
    DocumentFile::new(&format!("{head}paths:\n{paths}\n{components}"), ".yaml")
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
