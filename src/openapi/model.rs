//! A document in its one normal form. Whatever reads this knows no OpenAPI version.
//!
//! Structure (operations, parameters, bodies, responses) is typed and free of references; schemas
//! stay raw JSON Schema 2020-12, so that no keyword is lost. A schema's references point into
//! [`Schemas`].

use std::sync::Arc;

use http::Method;
use serde_json::{Map, Value};
use url::Url;

use super::written::Written;

/// A loaded document.
#[derive(Debug, Clone)]
pub struct Document {
    /// How people name it: its path, masked URL or `-`.
    pub name: String,
    /// `info.title`.
    pub title: String,
    /// `info.version`.
    pub version: String,
    /// `info.description`.
    pub description: Option<String>,
    /// References brought in something that was read from a URL.
    pub holds_remote: bool,
    /// The operations that could be understood, in the document's order.
    pub operations: Vec<Operation>,
    /// Faults that did not stop the rest: operations left out, references that lead nowhere, ...
    pub findings: Vec<Finding>,
    /// What schema references point into.
    pub schemas: Schemas,
    /// `components.securitySchemes`, references resolved, in the document's order.
    pub security_schemes: Vec<SecurityScheme>,
}

/// One fault of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable kebab-case name of the rule.
    pub rule: &'static str,
    /// JSON pointer into the document as written.
    pub pointer: String,
    /// What was expected and what was found; lower case.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is lost.
    Note,
    /// Something was guessed or ignored.
    Warning,
    /// An operation is missing.
    Error,
}

/// One method of one path.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The request method; in OpenAPI 3.2 it may be any token.
    pub method: Method,
    /// The path template as written, for instance `/pets/{petId}`.
    pub path: String,
    /// JSON pointer of the operation in the document as written.
    pub pointer: String,
    /// `operationId`, if it is a non-empty text.
    pub operation_id: Option<String>,
    /// `summary`, the path item's where the operation has none.
    pub summary: Option<String>,
    /// `description`, the path item's where the operation has none.
    pub description: Option<String>,
    /// `tags`.
    pub tags: Vec<String>,
    /// `deprecated`.
    pub deprecated: bool,
    /// `externalDocs` as written.
    pub external_docs: Option<Value>,
    /// The security that applies: alternatives, each a set of schemes with scopes. `None` where
    /// the document says nothing; an empty list where it says "none".
    pub security: Option<Vec<Vec<SecurityRequirement>>>,
    /// Path-item parameters overridden and followed by the operation's own, one per name and place.
    pub parameters: Vec<Parameter>,
    /// The request body.
    pub request_body: Option<RequestBody>,
    /// Responses in the document's order.
    pub responses: Vec<Response>,
    /// Absolute base URLs that apply, best first: operation, path item, document. Variables have
    /// their defaults. Empty where the document gives none that can be made absolute.
    pub servers: Vec<Url>,
    /// The `servers` array as written at operation or path-item level, for the metadata.
    pub own_servers: Option<Value>,
    /// Every `x-` member of the operation, over those of its path item.
    pub extensions: Map<String, Value>,
    /// The `x-mcp` of path items that a nearer one in `extensions` stands before, the nearest first: they
    /// count member by member.
    pub farther_mcp: Vec<Value>,
}

/// A parameter, references resolved.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The wire name.
    pub name: String,
    /// `path`, `query`, `querystring`, `header` or `cookie`.
    pub location: ParameterLocation,
    /// Always true for path parameters unless the path marks the segment optional (`{id?}`).
    pub required: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `description`.
    pub description: Option<String>,
    /// JSON Schema 2020-12 of the value; `true` where the document gives none.
    pub schema: Value,
    /// The style, defaults applied.
    pub style: ParameterStyle,
    /// Defaults applied.
    pub explode: bool,
    /// `allowReserved`.
    pub allow_reserved: bool,
    /// `allowEmptyValue`.
    pub allow_empty_value: bool,
    /// The media type, where `content` is used instead of `schema`.
    pub content: Option<String>,
    /// That media type's `encoding`.
    pub encoding: Vec<(String, Encoding)>,
    /// Example values, for descriptions.
    pub example: Option<Value>,
    /// Every `x-` member.
    pub extensions: Map<String, Value>,
}

impl Parameter {
    /// A text in the path, for a template's braces that the document declares no parameter for.
    #[must_use]
    pub fn undeclared(name: String, required: bool) -> Self {
        Self {
            name,
            location: ParameterLocation::Path,
            required,
            deprecated: false,
            description: None,
            schema: serde_json::json!({"type": "string"}),
            style: ParameterStyle::Simple,
            explode: false,
            allow_reserved: false,
            allow_empty_value: false,
            content: None,
            encoding: Vec::new(),
            example: None,
            extensions: Map::new(),
        }
    }
}

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParameterLocation {
    /// A piece of the path.
    Path,
    /// A part of the query.
    Query,
    /// The whole query (OpenAPI 3.2).
    QueryString,
    /// A request header.
    Header,
    /// A cookie.
    Cookie,
}

/// OpenAPI's styles, and Swagger 2.0's `tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are OpenAPI's own")]
pub enum ParameterStyle {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    TabDelimited,
    DeepObject,
}

/// A request body, references resolved.
#[derive(Debug, Clone)]
pub struct RequestBody {
    /// `required`.
    pub required: bool,
    /// `description`.
    pub description: Option<String>,
    /// Media types in the document's order; never empty.
    pub content: Vec<MediaType>,
    /// `x-bodyName`: the author's word on the argument's name.
    pub name: Option<String>,
    /// Every `x-` member.
    pub extensions: Map<String, Value>,
}

/// One media type of a body or response.
#[derive(Debug, Clone)]
pub struct MediaType {
    /// For instance `application/json`, as written.
    pub name: String,
    /// JSON Schema 2020-12; `true` where the document gives none.
    pub schema: Value,
    /// `itemSchema` of OpenAPI 3.2 (streams).
    pub item_schema: Option<Value>,
    /// `encoding`: property name to Encoding Object, defaults applied.
    pub encoding: Vec<(String, Encoding)>,
    /// The first example, if any.
    pub example: Option<Value>,
}

/// How one property of a form or multipart body is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// `contentType`.
    pub content_type: Option<String>,
    /// `style`, where it or another word on the form of the value is written.
    pub style: Option<ParameterStyle>,
    /// `explode`, its default applied.
    pub explode: bool,
    /// `allowReserved`.
    pub allow_reserved: bool,
    /// The required `headers` of a part, with the one value that each can have.
    pub headers: Vec<(String, String)>,
}

/// One response, references resolved.
#[derive(Debug, Clone)]
pub struct Response {
    /// `200`, `2XX`, `default`, ...
    pub status: String,
    /// `description`.
    pub description: Option<String>,
    /// Media types in the document's order.
    pub content: Vec<MediaType>,
    /// The names of its headers.
    pub headers: Vec<String>,
}

/// A security scheme and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityScheme {
    /// The key under `securitySchemes`.
    pub name: String,
    /// What kind it is.
    pub kind: SecurityKind,
}

/// The kinds of security schemes.
#[derive(Debug, Clone, PartialEq)]
pub enum SecurityKind {
    /// A key in a header, query parameter or cookie.
    ApiKey {
        /// Where.
        location: ParameterLocation,
        /// The parameter's name.
        parameter: String,
    },
    /// `http`; the scheme in lower case (`basic`, `bearer`, ...).
    Http {
        /// The authentication scheme.
        scheme: String,
    },
    /// `oauth2`, its flows as written.
    OAuth2 {
        /// The flows object.
        flows: Value,
    },
    /// `openIdConnect`.
    OpenIdConnect {
        /// The discovery URL.
        url: String,
    },
    /// `mutualTLS`.
    MutualTls,
    /// Anything else, by its `type`.
    Other(String),
}

/// One scheme of a security requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityRequirement {
    /// The scheme's name.
    pub scheme: String,
    /// The scopes or roles.
    pub scopes: Vec<String>,
}

/// The document's normal form as a whole, which schema references point into.
///
/// References are local JSON pointers (`#/components/schemas/Pet`); whatever stood in another
/// file was brought in before. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schemas {
    root: Arc<Value>,
    written: Arc<Written>,
}

impl Schemas {
    /// Over a normalised document.
    #[must_use]
    pub fn new(root: Arc<Value>) -> Self {
        Self {
            root,
            written: Arc::default(),
        }
    }

    pub(super) fn told_as(&mut self, written: Written) {
        self.written = Arc::new(written);
    }

    /// The schema a reference names, `None` where it leads nowhere. Does not follow a further
    /// reference found there.
    #[must_use]
    pub fn get(&self, reference: &str) -> Option<&Value> {
        super::reference::lookup(&self.root, reference)
    }

    /// A sentence with references in quotes, as their author knows them: `other.yaml#/Pet` for what was brought in.
    #[must_use]
    pub fn as_written(&self, sentence: &str) -> String {
        self.written.sentence(sentence)
    }
}
