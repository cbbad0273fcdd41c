//! Who may use the bridge, as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// Who may use the bridge. Over HTTP anybody may where there are neither keys nor `oauth`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct AccessRules {
    /// Keys, sent as `Authorization: Bearer KEY`; at least one where it is given.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "some")]
    #[schemars(length(min = 1))]
    pub keys: Vec<AccessKey>,
    /// Access tokens of OAuth 2.1 issuers, sent the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuth>,
    /// Whoever started the bridge with stdio, unless MCPINVOKE_KEY holds one of the keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdio: Option<StdioCaller>,
}

/// What is wanted of a list that must not be empty.
pub(super) const AT_LEAST_ONE: &str = "expected at least one entry: an empty list restricts nothing; leave the setting out where everything is to be allowed";

/// A list with something in it: an empty one means the same as none, and whoever writes it means the opposite.
///
/// # Errors
/// It is no list of these, or empty.
pub(super) fn some<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list = Vec::deserialize(deserializer)?;
    if list.is_empty() {
        return Err(de::Error::custom(AT_LEAST_ONE));
    }
    Ok(list)
}

/// A key, who it stands for and what it may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AccessKey {
    /// Who it stands for, in records and limits.
    pub name: String,
    /// The SHA-256 of a long random key, in hex: `printf %s KEY | sha256sum`.
    pub hash: String,
    /// Names of the tools it may see and call, `*` for any text and `?` for one character; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Calls it may make, for instance `60/m`, instead of `rate.caller`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
}

/// The caller over stdio.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct StdioCaller {
    /// Who it is, in records and limits; `anonymous` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Names of the tools it may see and call; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Calls it may make, for instance `60/m`, instead of `rate.caller`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
}

/// Access tokens of OAuth 2.1 issuers, as MCP's authorization chapter has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OAuth {
    /// The endpoint's address as clients know it, for instance `https://tools.example.com/mcp`: tokens have to
    /// be made for it.
    pub resource: String,
    /// Whose tokens are taken.
    pub issuers: Vec<Issuer>,
    /// How far clocks may differ; `30s` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leeway: Option<String>,
    /// Names of the tools that may be seen and called with a token; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What the scopes of a token have to do with tools.
    #[serde(default)]
    pub scopes: Scopes,
}

/// An issuer of tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Issuer {
    /// Its identifier exactly as tokens have it in `iss`, for instance `https://id.example.com`.
    pub issuer: String,
    /// Put before its subjects in records and limits; its host by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its keys are; its own metadata says so by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    /// Audiences that are taken besides `resource`, for issuers that know no resource indicators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audiences: Vec<String>,
    /// How its tokens may be signed, for instance `ES256`; with any private key by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithms: Option<Vec<String>>,
}

/// What the scopes of a token have to do with tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Scopes {
    /// Whether a call takes the scopes that the document's `security` names for the operation; yes by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<bool>,
    /// Put before a scope of the document to get the token's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Scopes that tools take besides, by patterns of their names; `*` for every tool.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Vec<String>>,
    /// Scopes that a broader one stands for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub implied: BTreeMap<String, Vec<String>>,
    /// What a client is told to ask for at first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<String>,
    /// The claims that hold scopes; `scope` and `scp` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<String>>,
    /// Which tools are listed for a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListedTools>,
}

/// Which tools are listed for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListedTools {
    /// Those that its scopes allow.
    Granted,
    /// Also those that it could call with more scopes, so that a client can ask for them.
    All,
}
