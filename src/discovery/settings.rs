//! What the operator may say about discovery: the settings and the overrides, as plain data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::methods;

/// How to discover.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which operations become tools.
    pub select: Select,
    /// The longest tool name, in characters; held between 16 and 128.
    pub max_name_length: usize,
    /// How an object body becomes arguments, where the operation does not say.
    pub body: BodyShape,
    /// Whether output schemas are published.
    pub output_schemas: OutputSchemas,
    /// Whose rules the published input schemas keep.
    pub schema_profile: SchemaProfile,
    /// A longer output schema is left out, in bytes of JSON.
    pub max_output_schema: usize,
    /// Beyond this an input schema's farther definitions are left out, in bytes of JSON.
    pub max_input_schema: usize,
    /// Which operations a human has to confirm, beside those that say so themselves.
    pub confirm: ConfirmRules,
    /// By operationId, or by `METHOD /path`.
    pub overrides: BTreeMap<String, Override>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            select: Select::default(),
            max_name_length: 64,
            body: BodyShape::Whole,
            output_schemas: OutputSchemas::Relaxed,
            schema_profile: SchemaProfile::Default,
            max_output_schema: 16 * 1024,
            max_input_schema: 512 * 1024,
            confirm: ConfirmRules::default(),
            overrides: BTreeMap::new(),
        }
    }
}

/// Which operations become tools.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    /// Where given, an operation must match one of these.
    pub include: Vec<Rule>,
    /// An operation that matches one of these is left out.
    pub exclude: Vec<Rule>,
    /// Whether deprecated operations become tools.
    pub deprecated: bool,
}

impl Default for Select {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            deprecated: true,
        }
    }
}

/// Matches an operation that fits every member given; of a member's list, one has to fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// Tags, as the document writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Request methods, in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Path globs: `*` is any text within a segment, `**` any text, `?` one character.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// operationId globs: `*` is any text, `?` one character.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
}

impl Rule {
    /// What is wrong with the rule in itself, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        methods::fault(&self.methods).map(|fault| format!("methods: {fault}"))
    }
}

/// How an object body becomes arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BodyShape {
    /// The body is one argument.
    Whole,
    /// Each property of the body is an argument of its own.
    Flat,
}

/// Whether output schemas are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutputSchemas {
    /// In a form that shows the real shape and accepts every object.
    Relaxed,
    /// Not at all.
    Off,
}

/// Whose rules the published input schemas keep. Calls are checked against the whole schema whatever is
/// published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SchemaProfile {
    /// All of JSON Schema 2020-12, nothing composed at the root.
    #[default]
    Default,
    /// The keywords that OpenAI's function calling knows.
    Openai,
    /// The keywords that Gemini's function calling knows, without references.
    Gemini,
    /// Types, properties, items, enums and descriptions alone.
    Simple,
}

/// Which operations a human has to confirm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConfirmRules {
    /// Every tool whose destructive hint is true.
    pub destructive: bool,
    /// What these rules match.
    pub rules: Vec<Rule>,
}

/// What overrides the document's word on one operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Override {
    /// The tool's name, before the document's prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `true` or a text, the reason, leaves the operation out. `false` makes it a tool where the document leaves it out;
    /// `tools.include` and `tools.exclude` still count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Exclude>,
    /// Hints for clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Hints>,
    /// Whether a human has to agree before each call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// Arguments that the user is asked for where a call lacks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// How an object body becomes arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyShape>,
    /// Client capabilities without which the operation may not be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires: Option<Vec<String>>,
    /// By the parameter's name in the document.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, ParameterOverride>,
}

/// Arguments that the user is asked for, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Ask {
    /// All in one form.
    Arguments(Vec<String>),
    /// One form after the other.
    Forms(Vec<Form>),
}

/// One form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Names the form to the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What the user reads above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// Whether an operation is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Exclude {
    /// Yes or no.
    Plain(bool),
    /// Yes, for this reason.
    Reason(String),
}

impl Exclude {
    /// Whether the operation becomes no tool.
    pub(super) fn leaves_out(&self) -> bool {
        *self != Self::Plain(false)
    }
}

/// MCP's tool annotations, each optional.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Hints {
    /// The call changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The call may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling twice has the effect of calling once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The call reaches an open world of things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// What overrides the document's word on one parameter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = with_fixed)]
pub struct ParameterOverride {
    /// The argument's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The argument's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a call has to give it; for a path parameter only where the path may end before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Not an argument. Without a value it is never sent. `false` makes a header an argument that a security scheme
    /// owns, where no credential is configured for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Always sent with this value; never an argument.
    #[serde(alias = "fixed")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Sent when the caller gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Clients repeat the argument's value in the HTTP header `Mcp-Param-<header>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// `fixed` is another name of `value`.
fn with_fixed(schema: &mut schemars::Schema) {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(members) = members
        && let Some(value) = members.get("value").cloned()
    {
        members.insert("fixed".to_owned(), value);
    }
}
