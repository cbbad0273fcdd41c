//! What lies beyond the bridge, as written: certificates, where requests may go, and what is done to the texts
//! that come back.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Certificates towards upstreams and where documents are fetched, as PEM files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Tls {
    /// Authorities to trust besides the machine's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The client certificate; needs `key`. Of the places of documents, the one that the configuration names is
    /// shown it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PathBuf>,
    /// The client certificate's private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
}

/// Where requests may go, of calls and for documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Outbound {
    /// Where given, calls go to no other hosts, whatever a document says: `api.example.com`, `*.example.com`,
    /// `api.example.com:8443`; at least one where it is given.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "super::access::some"
    )]
    #[schemars(length(min = 1))]
    pub hosts: Vec<String>,
    /// Whether redirects of calls are followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirects: Option<Redirects>,
    /// Networks that are reached although they are link-local, or private and named by a document of another
    /// host: `10.1.0.0/16`, `fd00::/8`, `192.168.1.7`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

/// Whether redirects of calls are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Redirects {
    /// They are answers.
    None,
    /// Within the same scheme, host and port, by requests that change nothing.
    SameHost,
}

/// What is done to texts of upstreams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Answers {
    /// Whether control characters, terminal escapes, Unicode tags and others that nobody sees stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controls: Option<Hidden>,
    /// Whether characters that turn the reading direction stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directions: Option<Hidden>,
    /// Whether answers are marked as words of somebody else, who gives no orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<Untrusted>,
}

/// What becomes of characters that nobody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// They are handed on.
    Keep,
    /// They are left out.
    Remove,
}

/// Whether answers are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Untrusted {
    /// They are handed on alone.
    Plain,
    /// Between two lines that say whose words they are.
    Mark,
}
