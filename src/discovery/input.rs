//! A tool's input schema: an object with one property per argument.

use serde_json::{Map, Value};

use super::body::{FORM, Field, Form, PlannedBody, Usable, essence};
use super::choice;
use super::convert::At;
use super::defs::Definitions;
use super::extra::Extra;
use super::fragment::{Fragment, Members};
use super::multipart;
use super::parameters::Planned;
use super::text::clean;

/// The text of the input schema, and whether something was left out to keep it within `limit`
/// bytes.
pub(super) fn schema<'a>(
    definitions: &mut Definitions<'a>,
    parameters: &[Planned<'a>],
    body: Option<&PlannedBody<'a>>,
    limit: usize,
) -> (String, bool) {
    let mut root = Fragment::default();
    let mut pins = Vec::new();
    let visible = || parameters.iter().filter(|one| !one.hidden);
    match body.and_then(|body| verbatim(definitions, body)) {
        Some(map) if visible().next().is_none() => {
            definitions.enter(map);
            definitions.write_root(map, &mut root);
            pins = definitions.leave();
        }
        _ => {
            let mut members = Members::open(&mut root);
            members.key("type").raw("\"object\"");
            let mut required: Vec<&str> = Vec::new();
            if visible().next().is_some() || body.is_some() {
                let mut properties = Members::open(members.key("properties"));
                for one in visible() {
                    parameter(definitions, one, properties.key(&one.key));
                    if one.required {
                        required.push(&one.key);
                    }
                }
                if let Some(body) = body {
                    write_body(definitions, body, &mut properties, &mut required);
                }
                properties.close();
            }
            if !required.is_empty() {
                members.key("required").value(&Value::from(required));
            }
            match body.and_then(|body| additional(definitions, body)) {
                Some(schema) => {
                    let out = members.key("additionalProperties");
                    definitions.write(schema, Extra::default(), At::default(), out);
                }
                None => members.key("additionalProperties").raw("false"),
            }
            let conditions = body.map(|body| choice::conditions(body, definitions));
            if let Some(conditions) = conditions.filter(|all| !all.is_empty()) {
                members.key("allOf").value(&Value::Array(conditions));
            }
        }
    }
    definitions.assemble(&root, limit, &pins)
}

/// The object of a flat body that can be the root as it stands: nobody else has arguments, and no
/// property needs another key. Its compositions, conditions and `$defs` stay.
fn verbatim<'a>(
    definitions: &Definitions<'a>,
    body: &PlannedBody<'a>,
) -> Option<&'a Map<String, Value>> {
    let fields = body.fields.as_ref()?;
    let best = body.media.first()?;
    let renamed = fields.iter().any(|field| field.key != field.property);
    if renamed || body.choice.is_some() || best.form == Form::Multipart || !body.required {
        return None;
    }
    definitions.resolve(&best.media.schema)?.as_object()
}

/// What a flat body says of further properties, where it allows them.
fn additional<'a>(definitions: &Definitions<'a>, body: &PlannedBody<'a>) -> Option<&'a Value> {
    body.fields.as_ref()?;
    let view = definitions.object(&body.media.first()?.media.schema)?;
    view.additional
        .filter(|schema| **schema != Value::Bool(false))
}

fn parameter(definitions: &mut Definitions<'_>, one: &Planned<'_>, out: &mut Fragment) {
    let renamed = format!("Sent as `{}`.", one.source.name);
    let mut description = one
        .description
        .clone()
        .filter(|text| !text.trim().is_empty());
    if one.key != one.source.name && !one.key.starts_with(&one.source.name) {
        description = Some(match description {
            Some(text) => format!("{} ({renamed})", text.trim_end()),
            None => renamed,
        });
    }
    let extra = Extra {
        description: description.as_deref(),
        deprecated: one.source.deprecated,
        example: one.source.example.as_ref(),
        default: one.default.as_ref(),
        header: one.header.as_deref(),
    };
    definitions.write_argument(&one.source.schema, extra, out);
}

fn write_body<'b>(
    definitions: &mut Definitions<'_>,
    body: &'b PlannedBody<'_>,
    properties: &mut Members<'_>,
    required: &mut Vec<&'b str>,
) {
    if let Some(fields) = &body.fields {
        for field in fields {
            write_field(definitions, body, field, properties.key(&field.key));
            if field.required {
                required.push(&field.key);
            }
        }
    } else {
        write_whole(definitions, body, properties.key(&body.key));
        if body.required {
            required.push(&body.key);
        }
    }
    if let Some(choice) = &body.choice {
        let names: Vec<&str> = body.media.iter().map(|media| media.sent.as_str()).collect();
        let mut members = Members::open(properties.key(choice));
        members.key("type").raw("\"string\"");
        members.key("enum").value(&Value::from(names.as_slice()));
        members
            .key("description")
            .string(&choice::description(body, definitions));
        if let Some(first) = names.first()
            && choice::with_files(body, definitions).is_none()
            && choice::by_type(body, definitions).is_empty()
        {
            members.key("default").string(first);
        }
        members.close();
    }
}

fn write_field(
    definitions: &mut Definitions<'_>,
    body: &PlannedBody<'_>,
    field: &Field<'_>,
    out: &mut Fragment,
) {
    let Some(best) = choice::speaker(body, 0, definitions) else {
        return out.raw("{}");
    };
    if best.form == Form::Multipart {
        let encoding = best
            .media
            .encoding
            .iter()
            .find(|(name, _)| name == field.property);
        let content_type = encoding.and_then(|(_, one)| one.content_type.as_deref());
        if let Some(part) = multipart::part(field.schema, content_type, definitions) {
            return definitions.write_argument(&part, Extra::default(), out);
        }
    }
    definitions.write_argument(field.schema, Extra::default(), out);
}

fn write_whole(definitions: &mut Definitions<'_>, body: &PlannedBody<'_>, out: &mut Fragment) {
    let Some(best) = body.media.first() else {
        return out.raw("{}");
    };
    let said = body.source.description.as_deref().map(str::trim);
    let extra = Extra {
        description: said.filter(|text| !text.is_empty()),
        example: best.media.example.as_ref(),
        ..Extra::default()
    };
    let groups = choice::groups(body);
    if groups == 1 {
        let speaker = choice::speaker(body, 0, definitions).unwrap_or(best);
        return write_kind(definitions, speaker, (true, extra), out);
    }
    let mut members = Members::open(out);
    let list = members.key("anyOf");
    list.open("[");
    for group in 0..groups {
        if group > 0 {
            list.raw(",");
        }
        match choice::speaker(body, group, definitions) {
            Some(speaker) => write_kind(definitions, speaker, (false, Extra::default()), list),
            None => list.raw("{}"),
        }
    }
    list.close("]");
    let too_deep = extra.write(&mut members);
    members.close();
    definitions.note_too_deep(&too_deep, None);
}

/// What a body is as this media type, which may be the only kind of body there is.
fn write_kind(
    definitions: &mut Definitions<'_>,
    one: &Usable<'_>,
    (only, extra): (bool, Extra<'_>),
    out: &mut Fragment,
) {
    let schema = &one.media.schema;
    let description = extra.description;
    match one.form {
        Form::Json | Form::Urlencoded | Form::Xml if only => {
            definitions.write_argument(schema, extra, out);
        }
        // A definition is referred to: the other kinds may use it as well.
        Form::Json | Form::Urlencoded | Form::Xml => {
            definitions.write(schema, extra, At::default(), out);
        }
        Form::JsonLines => {
            let mut members = Members::open(out);
            members.key("type").raw("\"array\"");
            members
                .key("description")
                .string(&clean(description.unwrap_or("One JSON value a line.")));
            let items = one.media.item_schema.as_ref().or_else(|| {
                definitions
                    .resolve(schema)
                    .and_then(|list| list.get("items"))
            });
            match items {
                Some(items) => {
                    definitions.write_argument(items, Extra::default(), members.key("items"))
                }
                None => members.key("items").raw("{}"),
            }
            members.close();
        }
        Form::Multipart => match multipart::schema(one.media, definitions) {
            Some(schema) => definitions.write_argument(&schema, extra, out),
            None => definitions.write_argument(schema, extra, out),
        },
        Form::Text => write_text(definitions, one, extra, out),
        Form::Binary => {
            let mut members = Members::open(out);
            members.key("type").raw("\"string\"");
            members.key("contentEncoding").raw("\"base64\"");
            let said = description.map_or_else(
                || "The bytes to send, as base64.".to_owned(),
                |text| format!("{text} (The bytes to send, as base64.)"),
            );
            members.key("description").string(&clean(&said));
            members.close();
        }
    }
}

/// A body that is a text and is sent as it is.
fn write_text(
    definitions: &mut Definitions<'_>,
    one: &Usable<'_>,
    extra: Extra<'_>,
    out: &mut Fragment,
) {
    let schema = &one.media.schema;
    let text = definitions.resolve(schema);
    let plain = text.is_some_and(|text| {
        text.get("type").is_some_and(|name| name == "string")
            && text.get("format").is_none_or(|format| format != "binary")
    });
    let fallback = serde_json::json!({ "type": "string" });
    let fields = "The form's fields as text, percent-encoded: `name=value&other=value`.";
    let said = match extra.description {
        _ if essence(&one.sent) != FORM => None,
        None => Some(fields.to_owned()),
        Some(text) => Some(format!("{text} ({fields})")),
    };
    let extra = Extra {
        description: said.as_deref().or(extra.description),
        ..extra
    };
    definitions.write_argument(if plain { schema } else { &fallback }, extra, out);
}
