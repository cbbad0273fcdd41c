//! What a call of a tool is turned into: where each argument goes and how it is written there.

use http::{HeaderName, Method};
use serde_json::Value;
use url::Url;

use super::{CommandTarget, Corrections, JsonType, Security, SecurityNeed};

/// The two kinds of things a tool can stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// An operation of an HTTP service.
    Http(Box<HttpTarget>),
    /// A program on this machine.
    Command(Box<CommandTarget>),
}

impl Target {
    /// The operation as records name it: `METHOD /path`.
    #[must_use]
    pub fn operation(&self) -> String {
        match self {
            Self::Http(target) => format!("{} {}", target.method, target.path.template),
            Self::Command(target) => target.operation.clone(),
        }
    }

    /// The request method and the path template, as the document has them.
    #[must_use]
    pub fn endpoint(&self) -> (&str, &str) {
        match self {
            Self::Http(target) => (target.method.as_str(), &target.path.template),
            Self::Command(target) => target
                .operation
                .split_once(' ')
                .unwrap_or(("", &target.operation)),
        }
    }
}

/// An HTTP operation, resolved so far that binding arguments needs no document.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTarget {
    /// The request method.
    pub method: Method,
    /// Scheme, authority and base path; without query and fragment. The base path's trailing
    /// slash is not significant.
    pub base: Url,
    /// The path below the base.
    pub path: PathTemplate,
    /// In the document's order.
    pub parameters: Vec<Parameter>,
    /// The request body, where the operation takes one.
    pub body: Option<Body>,
    /// The `Accept` header's value.
    pub accept: String,
    /// Headers of answers that the document describes, which a caller is told of; few.
    pub answer_headers: Vec<HeaderName>,
    /// What the document says of an answer beside the published schema; absent where none is published, or where
    /// it is not plain JSON that is described.
    pub promise: Option<Promise>,
    /// Which credentials the operation asks for.
    pub security: Security,
    /// Schemes whose key the operation declares as a parameter: sent wherever one is configured, whichever
    /// alternative of `security` is met, since nobody else can give it.
    pub keys: Vec<SecurityNeed>,
    /// What is put right in the arguments before they are checked; mostly nothing.
    pub corrections: Vec<Corrections>,
}

/// What a described answer is, where its published schema says less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The only status that is described so; any success where there is none.
    pub status: Option<u16>,
    /// The members that an answer has.
    pub required: Vec<String>,
    /// The schema is that of the published one's `result`.
    pub is_wrapped: bool,
}

/// A path template cut into its parts, for instance `/pets/{id}` into `/pets/` and `id`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathTemplate {
    /// The template as the document has it, for messages and logs.
    pub template: String,
    /// The parts in order; they begin with a literal that starts with `/`.
    pub parts: Vec<PathPart>,
}

/// A piece of a path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    /// Sent as it stands, already percent-encoded where needed.
    Literal(String),
    /// Replaced by the value of the path parameter of this wire name. Where [`Parameter::required`]
    /// is false and there is no value, the path ends before this part, the slash just before it
    /// included; discovery lets only trailing parameters be optional.
    Parameter {
        /// The parameter's wire name.
        name: String,
        /// A catch-all (`{*slug}`): slashes in the value stay slashes.
        catch_all: bool,
    },
}

/// One parameter: which argument feeds it and how its value is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The key in the tool's arguments.
    pub argument: String,
    /// The name on the wire.
    pub name: String,
    /// Where it goes.
    pub location: Location,
    /// How arrays and objects are written (OpenAPI 3.2, section 4.12.2).
    pub style: Style,
    /// Whether each item or property is written on its own.
    pub explode: bool,
    /// Reserved characters of RFC 3986 stay as they are (query), or percent signs do (cookies).
    pub allow_reserved: bool,
    /// An empty value may be sent as the bare name (query only).
    pub allow_empty: bool,
    /// A call without a value cannot be bound.
    pub required: bool,
    /// The value is serialised as this media type instead of by `style`.
    pub content: Option<String>,
    /// Where that is a form: one entry per property with special treatment.
    pub encodings: Vec<FieldEncoding>,
    /// Always this value; the caller neither sees nor sets it.
    pub fixed: Option<Value>,
    /// Sent when the caller gives none.
    pub default: Option<Value>,
}

/// Headers that frame a message, name its peer or belong to one connection (RFC 9110, sections 7.2, 7.6.1
/// and 8), and cookies: nobody but the bridge itself writes them.
pub const FRAMING_HEADERS: [&str; 13] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A piece of the path.
    Path,
    /// A part of the query.
    Query,
    /// The whole query (OpenAPI 3.2 `querystring`).
    QueryString,
    /// A request header.
    Header,
    /// A part of the `Cookie` header.
    Cookie,
}

/// OpenAPI's parameter styles, and Swagger 2.0's tab-separated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `3,4,5`
    Simple,
    /// `.3.4.5`
    Label,
    /// `;id=3;id=4`
    Matrix,
    /// `id=3&id=4`
    Form,
    /// `id=3%204`
    SpaceDelimited,
    /// `id=3|4`
    PipeDelimited,
    /// `id=3%094`; Swagger's `tsv`
    TabDelimited,
    /// `id[a]=1&id[b]=2`
    DeepObject,
}

/// The request body: which arguments feed it and the forms it can take.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Where the value comes from.
    pub argument: BodyArgument,
    /// A call without a body cannot be bound.
    pub required: bool,
    /// The document's media types, the best one first; never empty.
    pub media: Vec<BodyMedia>,
    /// The argument by which the caller picks another of `media`, if there is a choice.
    pub choice: Option<String>,
    /// What the multipart type takes for files can be something else for the best type.
    pub files_apart: bool,
    /// The places in `media` for values of these types, which the best type does not take.
    pub by_type: Vec<(JsonType, usize)>,
}

/// Where a body's value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyArgument {
    /// One argument holds the whole body.
    Whole(String),
    /// Each of these arguments is a property of an object body. Where the input schema lets further
    /// arguments through, those that no parameter and not the choice of media type claims are
    /// properties by their own names.
    Flat(Vec<FlatField>),
}

/// A body property that is a top-level argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatField {
    /// The key in the tool's arguments.
    pub argument: String,
    /// The property's name in the body.
    pub property: String,
    /// A body cannot be without it.
    pub needed: bool,
}

/// One media type a body can be sent as.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyMedia {
    /// Sent as `Content-Type` (multipart gets its boundary).
    pub media_type: String,
    /// How the value is written.
    pub codec: BodyCodec,
}

/// How a body's value becomes bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyCodec {
    /// JSON, `+json` included.
    Json,
    /// `application/x-www-form-urlencoded`, one entry per property with special treatment.
    Form(Vec<FieldEncoding>),
    /// `multipart/form-data`, one entry per property with special treatment.
    Multipart(Vec<FieldEncoding>),
    /// The argument is text and is sent as it is.
    Text,
    /// The argument is base64 of the bytes to send.
    Binary,
    /// XML, written by the schema's `xml` objects.
    Xml(XmlNames),
    /// One JSON value a line (NDJSON, JSON Lines, and by the media type JSON text sequences) from an array.
    JsonLines,
}

/// How one property of a form or multipart body is written (OpenAPI's Encoding Object).
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEncoding {
    /// The property's name.
    pub property: String,
    /// A style, where the document gives one (form, or form-style multipart parts).
    pub style: Option<Style>,
    /// With `style`.
    pub explode: bool,
    /// With `style`.
    pub allow_reserved: bool,
    /// The part's or value's media type, where the document gives one.
    pub content_type: Option<String>,
    /// What the value is.
    pub kind: PartKind,
    /// A file that is given as a text has that text for its content, not what it is base64 of.
    pub literal: bool,
    /// How objects are written where `content_type` is XML.
    pub xml: Option<XmlNames>,
    /// Further headers of the property's parts, name and value.
    pub headers: Vec<(String, String)>,
}

/// What a multipart property's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// Text for scalars, JSON for arrays and objects.
    Value,
    /// A file: base64 text (or its content, where [`FieldEncoding::literal`] says so), or an object with `data` (base64) or `text`, `filename`, `contentType`.
    File,
    /// An array of files, each a part of its own.
    Files,
}

/// How text stands in an element (OpenAPI 3.2, section 4.24, `nodeType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlText {
    /// Escaped where it has to be.
    Plain,
    /// In `CDATA` sections.
    Cdata,
}

/// A schema's `xml` names, as a tree that follows the value (OpenAPI 3.2, section 4.24).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct XmlNames {
    /// The element or attribute name; the property's own where empty.
    pub name: String,
    /// A namespace URI.
    pub namespace: Option<String>,
    /// A namespace prefix.
    pub prefix: Option<String>,
    /// Written as an attribute of the parent.
    pub attribute: bool,
    /// Written as text of the parent, without an element of its own.
    pub text: Option<XmlText>,
    /// An array whose items stand inside an element of the array's own.
    pub wrapped: bool,
    /// Properties by their name in the value.
    pub properties: Vec<(String, Self)>,
    /// The items of an array.
    pub items: Option<Box<Self>>,
}

#[cfg(test)]
impl HttpTarget {
    /// An operation that takes nothing and sits at this path of `http://localhost/`.
    pub(crate) fn bare(method: Method, path: &str) -> Self {
        Self {
            method,
            base: "http://localhost/".parse().unwrap(),
            path: PathTemplate {
                template: path.to_owned(),
                parts: Vec::new(),
            },
            parameters: Vec::new(),
            body: None,
            accept: "*/*".to_owned(),
            answer_headers: Vec::new(),
            promise: None,
            security: Vec::new(),
            keys: Vec::new(),
            corrections: Vec::new(),
        }
    }
}

#[cfg(test)]
impl Parameter {
    /// A required parameter in the style of its location, with an argument of its own name.
    pub(crate) fn bare(name: &str, location: Location) -> Self {
        let form = matches!(location, Location::Query | Location::Cookie);
        Self {
            argument: name.to_owned(),
            name: name.to_owned(),
            location,
            style: if form { Style::Form } else { Style::Simple },
            explode: form,
            allow_reserved: false,
            allow_empty: false,
            required: true,
            content: None,
            encodings: Vec::new(),
            fixed: None,
            default: None,
        }
    }
}
