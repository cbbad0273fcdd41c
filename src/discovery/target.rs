//! What a call becomes: the document's parameters and body in the binder's terms.

use http::HeaderName;
use serde_json::Value;
use url::Url;

use super::body::{Form, PlannedBody, Usable, essence};
use super::choice;
use super::defs::Definitions;
use super::multipart::{is_literal_part, part_kind, properties};
use super::parameters::Planned;
use super::path::Cut;
use super::xml;
use crate::openapi::{self, Encoding, Operation, ParameterLocation, ParameterStyle};
use crate::tool::{
    Body, BodyArgument, BodyCodec, BodyMedia, FRAMING_HEADERS, FieldEncoding, FlatField,
    HttpTarget, Location, Parameter, PartKind, Style, XmlNames,
};

/// More headers of an operation's answers are not told of.
const MAX_ANSWER_HEADERS: usize = 24;
/// Headers of answers with which somebody shows who he is, or is asked to.
const NEVER_TOLD: [&str; 8] = [
    "authentication-info",
    "authorization",
    "proxy-authenticate",
    "proxy-authentication-info",
    "proxy-authorization",
    "set-cookie",
    "set-cookie2",
    "www-authenticate",
];

/// The base URL of an operation: the operator's, which replaces every server of the document with
/// its base path, else the document's best.
pub(super) fn base(operator: Option<&Url>, operation: &Operation) -> Option<Url> {
    let mut base = operator.or_else(|| operation.servers.first())?.clone();
    base.set_query(None);
    base.set_fragment(None);
    Some(base)
}

/// The target of an operation.
pub(super) fn target<'a>(
    operation: &Operation,
    base: Url,
    cut: Cut,
    parameters: &[Planned<'_>],
    body: Option<&PlannedBody<'a>>,
    definitions: &Definitions<'a>,
) -> HttpTarget {
    HttpTarget {
        method: operation.method.clone(),
        base,
        path: cut.template,
        parameters: parameters
            .iter()
            .filter_map(|one| parameter(one, definitions))
            .collect(),
        body: body.map(|body| self::body(body, definitions)),
        accept: accept(operation),
        answer_headers: answer_headers(operation),
        promise: None,
        security: Vec::new(),
        keys: Vec::new(),
        corrections: Vec::new(),
    }
}

/// Hidden parameters without a value are never sent.
fn parameter(planned: &Planned<'_>, definitions: &Definitions<'_>) -> Option<Parameter> {
    if planned.hidden && planned.fixed.is_none() && planned.default.is_none() {
        return None;
    }
    let source = &*planned.source;
    Some(Parameter {
        argument: planned.key.clone(),
        name: source.name.clone(),
        location: location(source.location),
        style: style(source.style),
        explode: source.explode,
        allow_reserved: source.allow_reserved,
        allow_empty: source.allow_empty_value,
        required: planned.required,
        content: source.content.clone(),
        encodings: query_encodings(source, definitions),
        // A hidden parameter's default is all it will ever be.
        fixed: planned
            .fixed
            .clone()
            .or_else(|| planned.default.clone().filter(|_| planned.hidden)),
        default: planned.default.clone(),
    })
}

/// How the properties of a query that is one form are written.
fn query_encodings(
    source: &openapi::Parameter,
    definitions: &Definitions<'_>,
) -> Vec<FieldEncoding> {
    if source.location == ParameterLocation::QueryString && !source.encoding.is_empty() {
        fields(
            Form::Urlencoded,
            &source.schema,
            &source.encoding,
            definitions,
        )
    } else {
        Vec::new()
    }
}

/// The location's word for keys.
pub(super) fn location_word(location: ParameterLocation) -> &'static str {
    match location {
        ParameterLocation::Path => "path",
        ParameterLocation::Query => "query",
        ParameterLocation::QueryString => "querystring",
        ParameterLocation::Header => "header",
        ParameterLocation::Cookie => "cookie",
    }
}

pub(super) fn location(location: ParameterLocation) -> Location {
    match location {
        ParameterLocation::Path => Location::Path,
        ParameterLocation::Query => Location::Query,
        ParameterLocation::QueryString => Location::QueryString,
        ParameterLocation::Header => Location::Header,
        ParameterLocation::Cookie => Location::Cookie,
    }
}

fn style(style: ParameterStyle) -> Style {
    match style {
        ParameterStyle::Simple => Style::Simple,
        ParameterStyle::Label => Style::Label,
        ParameterStyle::Matrix => Style::Matrix,
        ParameterStyle::Form => Style::Form,
        ParameterStyle::SpaceDelimited => Style::SpaceDelimited,
        ParameterStyle::PipeDelimited => Style::PipeDelimited,
        ParameterStyle::TabDelimited => Style::TabDelimited,
        ParameterStyle::DeepObject => Style::DeepObject,
    }
}

fn body<'a>(planned: &PlannedBody<'a>, definitions: &Definitions<'a>) -> Body {
    let argument = match &planned.fields {
        None => BodyArgument::Whole(planned.key.clone()),
        Some(fields) => {
            let fields = fields.iter().map(|field| FlatField {
                argument: field.key.clone(),
                property: field.property.to_owned(),
                needed: field.needed,
            });
            BodyArgument::Flat(fields.collect())
        }
    };
    Body {
        argument,
        required: planned.required,
        media: planned
            .media
            .iter()
            .map(|usable| BodyMedia {
                media_type: usable.sent.clone(),
                codec: codec(usable, definitions),
            })
            .collect(),
        choice: planned.choice.clone(),
        files_apart: choice::files_apart(planned, definitions),
        by_type: choice::by_type(planned, definitions),
    }
}

fn codec<'a>(usable: &Usable<'a>, definitions: &Definitions<'a>) -> BodyCodec {
    let media = usable.media;
    let all = || fields(usable.form, &media.schema, &media.encoding, definitions);
    match usable.form {
        Form::Json => BodyCodec::Json,
        Form::JsonLines => BodyCodec::JsonLines,
        Form::Text => BodyCodec::Text,
        Form::Binary => BodyCodec::Binary,
        Form::Xml => BodyCodec::Xml(xml::names(&usable.media.schema, definitions)),
        Form::Urlencoded => BodyCodec::Form(all()),
        Form::Multipart => BodyCodec::Multipart(all()),
    }
}

/// The properties that need more than their codec's usual treatment.
fn fields(
    form: Form,
    schema: &Value,
    encodings: &[(String, Encoding)],
    definitions: &Definitions<'_>,
) -> Vec<FieldEncoding> {
    let mut fields: Vec<FieldEncoding> = Vec::new();
    for (name, schema) in properties(schema, definitions) {
        let encoding = encodings.iter().find(|(known, _)| known == name);
        let encoding = encoding.map(|(_, encoding)| encoding);
        let content_type = encoding.and_then(|one| one.content_type.as_deref());
        let kind = match form {
            Form::Multipart => part_kind(schema, content_type, definitions),
            _ => PartKind::Value,
        };
        let own = (kind != PartKind::Value && content_type.is_none())
            .then(|| media_type_of(schema, definitions))
            .flatten();
        if encoding.is_some() || kind != PartKind::Value {
            fields.push(FieldEncoding {
                content_type: content_type.or(own).map(str::to_owned),
                xml: part_xml(form, name, schema, content_type, definitions),
                literal: kind != PartKind::Value && is_literal_part(schema, definitions),
                ..field(name, encoding, kind)
            });
        }
    }
    // Properties that only `encoding` knows.
    for (name, encoding) in encodings {
        if !fields.iter().any(|field| field.property == *name) {
            let content_type = encoding.content_type.as_deref();
            fields.push(FieldEncoding {
                xml: part_xml(form, name, &Value::Bool(true), content_type, definitions),
                ..field(name, Some(encoding), PartKind::Value)
            });
        }
    }
    fields
}

/// The names in a part that is XML; a list's items are parts of their own.
fn part_xml(
    form: Form,
    name: &str,
    schema: &Value,
    content_type: Option<&str>,
    definitions: &Definitions<'_>,
) -> Option<XmlNames> {
    let is_xml = content_type.is_some_and(|name| essence(name).ends_with("xml"));
    if form != Form::Multipart || !is_xml {
        return None;
    }
    let items = definitions.resolve(schema)?.get("items");
    let mut names = xml::names(items.unwrap_or(schema), definitions);
    if names.name.is_empty() {
        name.clone_into(&mut names.name);
    }
    Some(names)
}

/// What a file's schema says of its bytes.
fn media_type_of<'d: 's, 's>(schema: &'s Value, definitions: &Definitions<'d>) -> Option<&'s str> {
    let schema = definitions.resolve(schema)?;
    let own = schema.get("contentMediaType");
    let of_items = || {
        let items = definitions.resolve(schema.get("items")?)?;
        items.get("contentMediaType")
    };
    own.or_else(of_items)?.as_str()
}

fn field(name: &str, encoding: Option<&Encoding>, kind: PartKind) -> FieldEncoding {
    FieldEncoding {
        property: name.to_owned(),
        style: encoding.and_then(|one| one.style).map(style),
        explode: encoding.is_none_or(|one| one.explode),
        allow_reserved: encoding.is_some_and(|one| one.allow_reserved),
        content_type: encoding.and_then(|one| one.content_type.clone()),
        kind,
        literal: false,
        xml: None,
        headers: encoding.map_or_else(Vec::new, |one| one.headers.clone()),
    }
}

/// The headers that the operation's answers are described with, but for those that frame a message and those
/// that hold credentials.
fn answer_headers(operation: &Operation) -> Vec<HeaderName> {
    let mut names: Vec<HeaderName> = Vec::new();
    let described = operation.responses.iter().flat_map(|one| &one.headers);
    for name in described.filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok()) {
        let is_told = !NEVER_TOLD.contains(&name.as_str())
            && !FRAMING_HEADERS.contains(&name.as_str())
            && !names.contains(&name);
        if is_told && names.len() < MAX_ANSWER_HEADERS {
            names.push(name);
        }
    }
    names
}

/// What the service is asked for: JSON first, then the rest in the document's order, then anything:
/// an error may come in another form.
fn accept(operation: &Operation) -> String {
    let mut types: Vec<String> = Vec::new();
    let successes = operation
        .responses
        .iter()
        .filter(|response| response.status.starts_with('2') || response.status == "default");
    for media in successes.flat_map(|response| &response.content) {
        let name = essence(&media.name);
        let sendable = !name.is_empty()
            && name.contains('/')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b',');
        if sendable && name != "*/*" && !types.contains(&name) {
            types.push(name);
        }
    }
    if types.is_empty() {
        return "*/*".to_owned();
    }
    types.sort_by_key(|name| match name.as_str() {
        "application/json" => 0,
        name if name.ends_with("+json") => 1,
        _ => 2,
    });
    types.truncate(12);
    format!("{}, */*;q=0.1", types.join(", "))
}
