//! The configuration file as written: everything optional, unknown keys refused with their path.

use std::collections::BTreeMap;
use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use schemars::transform::{RecursiveTransform, Transform as _};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::access::AccessRules;
use super::commands::Commands;
use super::confirm::Confirm;
use super::credentials::{CredentialEntry, SecretEntry};
use super::faults::{self, Rest};
use super::outbound::{Answers, Outbound, Tls};
use super::policy::{Audit, Rates, Redact};
use super::server::Server;
use crate::discovery::{BodyShape, OutputSchemas, Override, Rule, SchemaProfile};

/// The whole file. The same shape is what `mcpinvoke config` prints, with every value filled in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "mcpinvoke configuration", deny_unknown_fields)]
pub struct File {
    /// The documents to serve, in the order in which their tools are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<DocumentEntry>,
    /// OpenAPI Overlays that change every document before it is read: paths or URLs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
    /// Send all calls here instead of to the documents' own servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Serve stdin and stdout instead of HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdio: Option<bool>,
    /// Where to listen, for instance `127.0.0.1:8080`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
    /// The path of the MCP endpoint, for instance `/mcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Host headers to accept besides loopback names and the listen address; `*` accepts any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may call and read the answers, besides the endpoint's own; `*` accepts any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_origins: Vec<String>,
    /// What upstreams are shown, by the name of the security scheme. They go to every document that has a
    /// scheme of this name; give a document `credentials` of its own where that is too wide.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub credentials: BTreeMap<String, CredentialEntry>,
    /// Certificates towards upstreams and where documents are fetched.
    pub tls: Tls,
    /// Where requests may go.
    pub outbound: Outbound,
    /// What is done to texts of upstreams.
    pub answers: Answers,
    /// Headers of a client's request that are handed on to the upstream.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forward_headers: Vec<String>,
    /// Who may use the bridge, and which tools.
    pub access: AccessRules,
    /// What is masked.
    pub redact: Redact,
    /// What is recorded of each call, beside the log.
    pub audit: Audit,
    /// How many calls are allowed.
    pub rate: Rates,
    /// Whether `/metrics` is served, to those who may use the endpoint.
    pub metrics: bool,
    /// How the server introduces itself.
    pub server: Server,
    /// Which operations become tools, and how they look.
    pub tools: Tools,
    /// Programs that documents may run on this machine.
    pub commands: Commands,
    /// When and how a human has to agree to a call.
    pub confirm: Confirm,
    /// Sizes and counts that are never exceeded.
    pub limits: Limits,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// Logging, on stderr.
    pub log: Log,
}

/// A document: its place alone, or with settings of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DocumentEntry {
    /// A path, a URL or `-`.
    Place(String),
    /// With settings.
    Full(DocumentSettings),
}

/// A document with settings of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentSettings {
    /// A path, a URL or `-`.
    pub source: String,
    /// Put before the names of its tools, with an underscore between: `shop` makes `shop_getPet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Send calls here instead of to the document's own servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// OpenAPI Overlays that change this document, after those for every document: paths or URLs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
    /// Headers of the requests that fetch the document, by name: shown to its own place and to no other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretEntry>,
    /// What its upstream is shown, by the name of the security scheme; wins over the ones for all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub credentials: BTreeMap<String, CredentialEntry>,
}

/// Which operations become tools, and how they look.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Tools {
    /// The longest tool name, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_name_length: Option<usize>,
    /// Tools on one page of `tools/list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<usize>,
    /// One argument for the whole body, or one for each of its properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyShape>,
    /// Whether output schemas are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schemas: Option<OutputSchemas>,
    /// Whose rules the published input schemas keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_profile: Option<SchemaProfile>,
    /// Whether tools are listed, or found by searching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolsMode>,
    /// What a list may cost a model, in tokens; in mode `auto` a longer one is cut or replaced by a
    /// search. 0 is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// Where given, only operations that match one of these become tools; at least one where it is given.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "super::access::some"
    )]
    #[schemars(length(min = 1))]
    pub include: Vec<Rule>,
    /// Operations that match one of these do not become tools; members as in `include`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Rule>,
    /// Whether deprecated operations become tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<bool>,
    /// Changes to single operations, by operationId or `METHOD /path`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, Override>,
}

/// Whether tools are listed, or found by searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ToolsMode {
    /// Listed in the fullest form that the budget allows, searched where it allows none
    Auto,
    /// Listed, whatever it costs
    List,
    /// Three tools find, describe and call the others
    Search,
}

impl From<ToolsMode> for crate::mcp::ToolsMode {
    fn from(mode: ToolsMode) -> Self {
        match mode {
            ToolsMode::Auto => Self::Auto,
            ToolsMode::List => Self::List,
            ToolsMode::Search => Self::Search,
        }
    }
}

impl From<crate::mcp::ToolsMode> for ToolsMode {
    fn from(mode: crate::mcp::ToolsMode) -> Self {
        match mode {
            crate::mcp::ToolsMode::Auto => Self::Auto,
            crate::mcp::ToolsMode::List => Self::List,
            crate::mcp::ToolsMode::Search => Self::Search,
        }
    }
}

/// Sizes and counts that are never exceeded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Limits {
    /// A document, for instance `64MiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// A client's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// An upstream's answer in a result; a longer one is cut with a notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// The text of an answer in a result; a longer one is shortened with a notice, JSON so that it stays JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What is received of an answer that is too long for a result, and kept for a while to be read as a
    /// resource; 0 keeps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_reply: Option<String>,
    /// All kept answers together; the oldest go first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_total: Option<String>,
    /// Kept answers at a time; the oldest go first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_count: Option<usize>,
    /// Connections at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<usize>,
}

/// How long things may take, for instance `30s`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Timeouts {
    /// Reading one document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Connecting to an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect: Option<String>,
    /// A whole call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Gathering an answer that is a stream; what has come by then is the answer. As long as `call` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// How long an answer that was too long for a result can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Finishing calls under way at shutdown, 5 seconds by default; one more signal ends it at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<String>,
}

/// Logging, on stderr.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Log {
    /// A level, or a filter such as `info,mcpinvoke::call=off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The form of a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<LogForm>,
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogForm {
    /// One readable line.
    Text,
    /// One JSON object a line.
    Json,
}

/// A configuration file that cannot be read, with every fault found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFaults(pub Vec<String>);

impl fmt::Display for FileFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl File {
    /// Reads a file's text; an empty one is an empty configuration.
    ///
    /// # Errors
    /// [`FileFaults`] with the place of a syntax fault, or with everything else that is wrong.
    pub fn parse(text: &str) -> Result<Self, FileFaults> {
        Self::read(text).map_err(|(faults, _)| faults)
    }

    /// The same, with what is left of a faulty file.
    pub(super) fn read(text: &str) -> Result<Self, (FileFaults, Option<Rest>)> {
        if text
            .lines()
            .all(|line| line.trim_start().starts_with('#') || line.trim().is_empty())
        {
            return Ok(Self::default());
        }
        let unread = |error: serde_yaml::Error| {
            let fault = without_value(&error.to_string());
            (FileFaults(vec![fault]), None)
        };
        let plain: serde_yaml::Value = serde_yaml::from_str(text).map_err(unread)?;
        if plain.is_null() {
            return Ok(Self::default());
        }
        let schema = Self::schema().to_value();
        let (faults, rest) = faults::of(text, plain, &schema);
        if !faults.is_empty() {
            return Err((FileFaults(faults), rest));
        }
        // From the text once more: there a version or a number is still as it was written.
        serde_yaml::from_str(text).map_err(unread)
    }

    /// The JSON Schema of the file. Everything may be left out, and nothing may stand there without a value.
    pub(super) fn schema() -> schemars::Schema {
        let mut schema = schemars::schema_for!(Self);
        RecursiveTransform(without_null).transform(&mut schema);
        schema
    }
}

/// Takes `null` from what a setting may be: that is how options are described, and left out is what they mean by it.
fn without_null(schema: &mut schemars::Schema) {
    if let Some(Json::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &mut kinds[..] {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Json::Array(several)) = schema.get_mut("anyOf") {
        several.retain(|one| one["type"] != "null");
        if let [Json::Object(only)] = &mut several[..] {
            let only = std::mem::take(only);
            schema.remove("anyOf");
            for (keyword, value) in only {
                schema.ensure_object().entry(keyword).or_insert(value);
            }
        }
    }
}

/// The value in the wrong place may be a secret.
fn without_value(message: &str) -> String {
    let kind = "invalid type: ";
    match (message.find(kind), message.rfind(", expected")) {
        (Some(start), Some(end)) if start + kind.len() < end => {
            let (head, rest) = message.split_at(start + kind.len());
            let word = rest.split(' ').next().unwrap_or_default();
            format!("{head}{word}{}", &message[end..])
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unknown_key_is_named() {
        let faults =
            File::parse("listen: 127.0.0.1:1\nlisten_on: x\nlimits: {reply: 1MiB, replies: 2}\n")
                .unwrap_err();
        assert_eq!(faults.0.len(), 2, "{faults}");
        assert!(faults.0[0].contains("`listen_on`") && faults.0[1].contains("`limits.replies`"));
    }

    #[test]
    fn a_syntax_fault_has_a_place() {
        let faults = File::parse("listen: [\n").unwrap_err();
        assert!(faults.0[0].contains("line"), "{faults}");
        let faults = File::parse("credentials: {key: topsecret}").unwrap_err();
        assert!(!faults.0[0].contains("topsecret"), "{faults}");
        for empty in ["# nothing\n\n", "---\n", "--- # nothing\n..."] {
            assert_eq!(File::parse(empty).unwrap(), File::default());
        }
    }

    #[test]
    fn a_document_is_a_place_or_more() {
        let file = File::parse("documents: [a.yaml, {source: b.yaml, prefix: shop}]").unwrap();
        assert_eq!(file.documents.len(), 2);
        assert!(
            matches!(&file.documents[1], DocumentEntry::Full(d) if d.prefix.as_deref() == Some("shop"))
        );
    }
}
