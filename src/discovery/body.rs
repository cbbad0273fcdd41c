//! The request body: which media types are usable, which is best, and which argument feeds it.

use serde_json::{Map, Value};

use super::choice;
use super::defs::Definitions;
use super::keys;
use super::settings::BodyShape;
use super::takes::takes;
use crate::openapi::{MediaType, Operation, RequestBody};
use crate::tool::{self, is_json_lines, is_json_sequence};

/// A body with everything settled but the keys.
#[derive(Debug)]
pub(super) struct PlannedBody<'a> {
    pub(super) source: &'a RequestBody,
    /// The argument's key; empty until keys are assigned.
    pub(super) key: String,
    /// The name the key is made of.
    pub(super) wish: String,
    pub(super) required: bool,
    /// Best first; several only where the caller may choose.
    pub(super) media: Vec<Usable<'a>>,
    /// The key of the argument that chooses, where there is a choice.
    pub(super) choice: Option<String>,
    /// With flat bodies: a field for each property.
    pub(super) fields: Option<Vec<Field<'a>>>,
}

/// A body property that is an argument of its own.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) property: &'a str,
    pub(super) schema: &'a Value,
    /// A call has to give it.
    pub(super) required: bool,
    /// A body cannot be without it.
    pub(super) needed: bool,
    /// Empty until keys are assigned.
    pub(super) key: String,
}

/// A media type that can be written.
#[derive(Debug, Clone)]
pub(super) struct Usable<'a> {
    pub(super) media: &'a MediaType,
    /// What is sent as `Content-Type`.
    pub(super) sent: String,
    pub(super) form: Form,
    /// Types with the same number take the same argument; the best type's is 0.
    pub(super) group: usize,
    rank: u8,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    JsonLines,
    Urlencoded,
    Multipart,
    Text,
    Binary,
    Xml,
}

impl Form {
    /// Forms of one class take the same argument for the same schema.
    pub(super) fn class(self) -> u8 {
        match self {
            Self::Json | Self::Urlencoded | Self::Xml | Self::Multipart => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::JsonLines => 3,
        }
    }
}

/// The media type of forms (WHATWG URL, section 5).
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// Why an operation whose body has no fields is no tool.
pub(super) const WITHOUT_FIELDS: &str =
    "the schema of its form or multipart body takes no objects, so there are no fields to send";

/// Whether every call would fail, because the body must be there and cannot be sent.
pub(super) fn is_unsendable<'a>(operation: &'a Operation, definitions: &Definitions<'a>) -> bool {
    operation.request_body.as_ref().is_some_and(|body| {
        body.required && !body.content.is_empty() && choose(&body.content, definitions).is_empty()
    })
}

/// Plans the operation's body.
pub(super) fn plan<'a>(
    operation: &'a Operation,
    shape: BodyShape,
    definitions: &Definitions<'a>,
    notes: &mut Vec<String>,
) -> Option<PlannedBody<'a>> {
    let source = operation.request_body.as_ref()?;
    let mut media = choose(&source.content, definitions);
    if shape == BodyShape::Flat {
        keep_one_kind(&mut media, operation, definitions, notes);
    }
    let Some(best) = media.first() else {
        if !source.content.is_empty() {
            let place = super::overrides::place(operation);
            notes.push(format!("{place}: the body is left out: {WITHOUT_FIELDS}"));
        }
        return None;
    };
    // RFC 9110, sections 9.3.1, 9.3.2 and 9.3.7: content means nothing by itself there.
    let means_nothing = matches!(operation.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let required = source.required && !means_nothing;
    let fields = match shape {
        BodyShape::Whole => None,
        BodyShape::Flat => {
            let alone = operation.parameters.is_empty() && media.len() == 1 && required;
            let several = media.iter().any(|one| one.group > 0);
            let fields = fields(best, source.required, alone, definitions).filter(|_| !several);
            if fields.is_none() {
                notes.push(format!(
                    "{}: the body is no plain object with properties: it stays one argument",
                    super::overrides::place(operation)
                ));
            }
            fields
        }
    };
    let name = source.name.as_deref();
    Some(PlannedBody {
        key: String::new(),
        wish: name.unwrap_or("body").to_owned(),
        required,
        media,
        choice: None,
        fields,
        source,
    })
}

/// Arguments of their own are the properties of one kind of body. Others stay out, unless one of them
/// has files, which nothing else can send.
fn keep_one_kind<'a>(
    media: &mut Vec<Usable<'a>>,
    operation: &Operation,
    definitions: &Definitions<'a>,
    notes: &mut Vec<String>,
) {
    let uploads = |one: &Usable<'a>| one.group > 0 && choice::has_files(one, definitions);
    if media.iter().any(uploads) {
        return;
    }
    let others = media.iter().filter(|one| one.group > 0);
    let names: Vec<String> = others.map(|one| format!("`{}`", one.sent)).collect();
    if !names.is_empty() {
        notes.push(format!(
            "{}: the body's properties are arguments, so it cannot be sent as {}, which takes another body",
            super::overrides::place(operation),
            names.join(", ")
        ));
        media.retain(|one| one.group == 0);
    }
}

fn fields<'a>(
    best: &Usable<'a>,
    body_required: bool,
    alone: bool,
    definitions: &Definitions<'a>,
) -> Option<Vec<Field<'a>>> {
    if best.form.class() > 0 {
        return None;
    }
    let view = definitions.object(&best.media.schema)?;
    // Conditions on the body as a whole hold only where the body is all there is, as it stands.
    let verbatim = alone
        && best.form != Form::Multipart
        && view.fields.iter().all(|(name, _)| keys::fits(name));
    let counted = !body_required || view.at_least > view.required.len() as u64;
    let bound = view.conditional || view.bound || view.at_least > 0 && counted;
    if (bound || definitions.has_heirs(&best.media.schema)) && !verbatim {
        return None;
    }
    let required = view.required;
    (!view.fields.is_empty()).then(|| {
        let fields = view.fields.iter().map(|&(property, schema)| Field {
            property,
            schema,
            required: body_required && required.contains(&property),
            needed: required.contains(&property),
            key: String::new(),
        });
        fields.collect()
    })
}

/// The media types among which the caller may choose, best first.
fn choose<'a>(content: &'a [MediaType], definitions: &Definitions<'a>) -> Vec<Usable<'a>> {
    let mut usable: Vec<Usable<'a>> = content
        .iter()
        .map(|media| classify(media, definitions))
        .filter(|one| {
            let fields = matches!(one.form, Form::Urlencoded | Form::Multipart);
            // Parts that are told apart by their places alone cannot be written.
            let placed = one.form == Form::Multipart && one.media.item_schema.is_some();
            !fields || !placed && takes(&one.media.schema, "object", definitions)
        })
        .collect();
    usable.sort_by_key(|one| one.rank);
    choice::offered(usable, definitions)
}

fn classify<'a>(media: &'a MediaType, definitions: &Definitions<'a>) -> Usable<'a> {
    let essence = essence(&media.name);
    let shape = shape(&media.schema, definitions);
    let plain = |form, rank| (media.name.trim().to_owned(), form, rank);
    let sent = |name: &str, form, rank| (name.to_owned(), form, rank);
    let (sent, form, rank) = match essence.as_str() {
        "application/json" => plain(Form::Json, 0),
        // Fields that the document does not name.
        FORM if shape == Shape::Text => plain(Form::Text, 5),
        FORM => plain(Form::Urlencoded, 2),
        "multipart/form-data" => sent("multipart/form-data", Form::Multipart, 3),
        lines if is_json_lines(lines) => {
            let list = media.item_schema.is_some() || shape == Shape::Structured;
            plain(if list { Form::JsonLines } else { Form::Text }, 4)
        }
        sequence
            if is_json_sequence(sequence)
                && (media.item_schema.is_some() || shape == Shape::Structured) =>
        {
            plain(Form::JsonLines, 4)
        }
        // Without a slash it is no media type at all.
        name if matches!(name, "*/*" | "application/*") || !name.contains('/') => match shape {
            Shape::Structured | Shape::Scalar => sent("application/json", Form::Json, 4),
            Shape::Text => sent("text/plain", Form::Text, 5),
            Shape::Bytes | Shape::Unknown => sent("application/octet-stream", Form::Binary, 7),
        },
        name if name.ends_with("json") && name.contains('*') => {
            sent("application/json", Form::Json, 1)
        }
        name if name.ends_with("+json") || name == "text/json" => plain(Form::Json, 1),
        name if name.ends_with("xml") => match shape {
            Shape::Structured => plain(Form::Xml, 6),
            _ => plain(Form::Text, 6),
        },
        // JSON is YAML.
        name if name.ends_with("yaml") && shape == Shape::Structured => plain(Form::Json, 6),
        "text/*" => sent("text/plain", Form::Text, 5),
        name if name.starts_with("text/") || is_text(name) => plain(Form::Text, 5),
        name if name.starts_with("multipart/") => sent(name, Form::Multipart, 8),
        _ => plain(Form::Binary, 7),
    };
    Usable {
        media,
        sent,
        form,
        group: 0,
        rank,
    }
}

fn is_text(essence: &str) -> bool {
    essence.ends_with("yaml")
        || [
            "application/javascript",
            "application/graphql",
            "application/sql",
            "application/jwt",
            "application/toml",
        ]
        .contains(&essence)
}

/// A media type without its parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    tool::essence(media_type).to_ascii_lowercase()
}

/// What values of a schema are, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Structured,
    Scalar,
    Text,
    Bytes,
    Unknown,
}

/// Whether a text stands for other bytes than its own. Of the encodings of RFC 2045, section 6, to which
/// JSON Schema refers (validation, section 8.3), three change nothing.
pub(super) fn is_encoded(schema: &Map<String, Value>) -> bool {
    let encoding = schema.get("contentEncoding").and_then(Value::as_str);
    encoding.is_some_and(|name| {
        let same = ["binary", "7bit", "8bit"];
        !same.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Whether bytes stand in a text as themselves: `contentEncoding: binary` and nothing beside it that
/// says they are no text.
pub(super) fn is_literal<'d: 's, 's>(schema: &'s Value, definitions: &Definitions<'d>) -> bool {
    let Some(Value::Object(map)) = definitions.resolve(schema) else {
        return false;
    };
    let binary = ["format", "contentMediaType"];
    map.contains_key("contentEncoding")
        && !is_encoded(map)
        && !binary.iter().any(|keyword| map.contains_key(*keyword))
}

/// What values of `schema` are, references and simple compositions followed.
pub(super) fn shape<'d: 's, 's>(schema: &'s Value, definitions: &Definitions<'d>) -> Shape {
    shape_within(schema, definitions, &mut 200)
}

/// `left` is how many more schemas may be looked at.
fn shape_within<'d: 's, 's>(
    schema: &'s Value,
    definitions: &Definitions<'d>,
    left: &mut usize,
) -> Shape {
    let Some(Value::Object(map)) = definitions.resolve(schema) else {
        return Shape::Unknown;
    };
    let types: Vec<&str> = match map.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let encoding = map.get("contentEncoding").and_then(Value::as_str);
    let binary = map.get("format").is_some_and(|format| format == "binary")
        || encoding.is_some_and(|name| name.eq_ignore_ascii_case("binary"))
        || map.contains_key("contentMediaType") && !is_encoded(map);
    if types.iter().any(|name| ["object", "array"].contains(name)) || map.contains_key("properties")
    {
        return Shape::Structured;
    }
    if types.contains(&"file") || binary && (types.is_empty() || types.contains(&"string")) {
        return Shape::Bytes;
    }
    if types.contains(&"string") {
        return Shape::Text;
    }
    if types.iter().any(|name| *name != "null") {
        return Shape::Scalar;
    }
    if *left > 0 {
        *left -= 1;
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let members = map.get(keyword).and_then(Value::as_array);
            let mut shapes = members
                .into_iter()
                .flatten()
                .map(|member| shape_within(member, definitions, left));
            if let Some(known) = shapes.find(|shape| *shape != Shape::Unknown) {
                return known;
            }
        }
    }
    match map.get("enum").and_then(Value::as_array) {
        Some(values) if values.iter().any(Value::is_string) => Shape::Text,
        _ => Shape::Unknown,
    }
}
