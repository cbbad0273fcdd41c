//! The choice among a body's media types: which are offered, which of them take the same value, and
//! what the choice means for the body.

use serde_json::{Map, Value, json};

use super::body::{Form, PlannedBody, Shape, Usable, essence, shape};
use super::defs::Definitions;
use super::multipart;
use super::takes::takes;
use crate::tool::{JsonType, upload_schema};

/// A body has at most so many values of different kinds to choose from.
const MAX_GROUPS: usize = 8;

/// Those to offer of the usable media types, which come best first; those with the same group take the
/// same value. Other spellings of what is there are left out, and so is what nobody could write
/// otherwise: a structured value as text.
pub(super) fn offered<'a>(
    usable: Vec<Usable<'a>>,
    definitions: &Definitions<'a>,
) -> Vec<Usable<'a>> {
    let mut chosen: Vec<Usable<'a>> = Vec::new();
    let mut groups = 0;
    for mut one in usable {
        let spelling = essence(&one.sent) == "text/json" || one.media.name.contains('*');
        let known = chosen.iter().any(|known| known.sent == one.sent);
        if !chosen.is_empty() && (spelling || known) {
            continue;
        }
        let same = chosen.iter().find(|known| take_the_same(known, &one));
        match same.map(|known| known.group) {
            Some(group) => one.group = group,
            None => {
                let told = chosen.iter().any(|known| have_one_schema(known, &one));
                if told && !takes_bytes(&one, definitions) || groups == MAX_GROUPS {
                    continue;
                }
                one.group = groups;
                groups += 1;
            }
        }
        chosen.push(one);
    }
    chosen
}

fn take_the_same(one: &Usable<'_>, other: &Usable<'_>) -> bool {
    let bytes = one.form == Form::Binary && other.form == Form::Binary;
    one.form.class() == other.form.class() && (bytes || have_one_schema(one, other))
}

fn have_one_schema(one: &Usable<'_>, other: &Usable<'_>) -> bool {
    one.media.schema == other.media.schema && one.media.item_schema == other.media.item_schema
}

fn takes_bytes<'a>(one: &Usable<'a>, definitions: &Definitions<'a>) -> bool {
    let shape = shape(&one.media.schema, definitions);
    one.form == Form::Binary && matches!(shape, Shape::Bytes | Shape::Unknown)
}

/// The media type by which one argument for a whole group is described: one that knows files, if any.
pub(super) fn speaker<'b, 'a>(
    body: &'b PlannedBody<'a>,
    group: usize,
    definitions: &Definitions<'a>,
) -> Option<&'b Usable<'a>> {
    let mut members = body.media.iter().filter(|one| one.group == group);
    let files = members.clone().find(|one| has_files(one, definitions));
    files.or_else(|| members.next())
}

/// How many kinds of values there are to choose from.
pub(super) fn groups(body: &PlannedBody<'_>) -> usize {
    let groups = body.media.iter().map(|one| one.group + 1);
    groups.max().unwrap_or(0)
}

/// Whether a media type is multipart and some part is a file.
pub(super) fn has_files<'a>(one: &Usable<'a>, definitions: &Definitions<'a>) -> bool {
    one.form == Form::Multipart && !multipart::files(one.media, definitions).is_empty()
}

/// The multipart type that a body with a file is sent as when the caller names none; nothing where
/// that is the default anyway. The binder looks in the same order.
pub(super) fn with_files<'b, 'a>(
    body: &'b PlannedBody<'a>,
    definitions: &Definitions<'a>,
) -> Option<&'b Usable<'a>> {
    let found = body
        .media
        .iter()
        .position(|one| has_files(one, definitions));
    body.media.get(found.filter(|at| *at > 0)?)
}

/// The places of the media types that bodies of these types are sent as when the caller names none, since the best one
/// does not take them.
pub(super) fn by_type<'a>(
    body: &PlannedBody<'a>,
    definitions: &Definitions<'a>,
) -> Vec<(JsonType, usize)> {
    if body.fields.is_some() {
        return Vec::new();
    }
    let place = |kind: JsonType| {
        let takes_it = |one: &Usable<'a>| takes_type(one, kind, definitions);
        let place = body.media.iter().position(takes_it)?;
        (place > 0).then_some((kind, place))
    };
    JsonType::ALL.into_iter().filter_map(place).collect()
}

fn takes_type<'a>(one: &Usable<'a>, kind: JsonType, definitions: &Definitions<'a>) -> bool {
    match one.form {
        Form::Json => takes(&one.media.schema, kind.name(), definitions),
        Form::Urlencoded | Form::Multipart => kind == JsonType::Object,
        Form::Xml => kind != JsonType::String && takes(&one.media.schema, kind.name(), definitions),
        Form::JsonLines => kind == JsonType::Array,
        Form::Text | Form::Binary => kind == JsonType::String,
    }
}

/// What the argument that chooses says of itself.
pub(super) fn description<'a>(body: &PlannedBody<'a>, definitions: &Definitions<'a>) -> String {
    let mut text = "The media type the body is sent as.".to_owned();
    let files = with_files(body, definitions);
    let files = files.map(|files| format!("`{}` where the body holds a file", files.sent));
    let by_type = by_type(body, definitions).into_iter();
    let by_type = by_type.filter_map(|(kind, place)| {
        let sent = &body.media.get(place)?.sent;
        Some(format!("`{sent}` where it is of type {}", kind.name()))
    });
    let cases: Vec<String> = files.into_iter().chain(by_type).collect();
    if let Some(first) = body.media.first().filter(|_| !cases.is_empty()) {
        let cases = cases.join(", ");
        text.push_str(&format!(" Without it: {cases}, else `{}`.", first.sent));
    }
    let groups = groups(body);
    if groups > 1 && body.fields.is_none() {
        let names = |group| {
            let mine = body.media.iter().filter(move |one| one.group == group);
            let names: Vec<String> = mine.map(|one| format!("`{}`", one.sent)).collect();
            names.join(", ")
        };
        let all: Vec<String> = (0..groups).map(names).collect();
        text.push_str(&format!(
            " The body's alternatives belong to, in order: {}.",
            all.join("; ")
        ));
    }
    text
}

/// Conditions on all arguments: the body fits what the chosen media type takes. The alternatives
/// stand under the body's `anyOf` in the order of their groups.
pub(super) fn conditions<'a>(body: &PlannedBody<'a>, definitions: &Definitions<'a>) -> Vec<Value> {
    let Some(choice) = body.choice.as_deref().filter(|_| body.fields.is_none()) else {
        return Vec::new();
    };
    let groups = groups(body);
    let whole = |schema: Value| json!({ "properties": { &body.key: schema } });
    let alternative =
        |group: usize| whole(json!({ "$ref": format!("#/properties/{}/anyOf/{group}", body.key) }));
    let chosen = |names: Vec<&str>| json!({ "required": [choice], "properties": { choice: { "enum": names } } });
    let mut all = Vec::new();
    for group in 0..groups {
        let members = body.media.iter().filter(|one| one.group == group);
        if groups > 1 {
            let names = members.clone().map(|one| one.sent.as_str()).collect();
            all.push(json!({ "if": chosen(names), "then": alternative(group) }));
        }
        let files = members.clone().find(|one| has_files(one, definitions));
        let others = members.filter(|one| one.form != Form::Multipart);
        let others: Vec<&str> = others.map(|one| one.sent.as_str()).collect();
        if let Some(files) = files.filter(|_| !others.is_empty()) {
            let texts = whole(json!({ "properties": texts(files, definitions) }));
            all.push(json!({ "if": chosen(others), "then": texts }));
        }
    }
    if groups > 1 {
        let unchosen = json!({ "not": { "required": [choice] } });
        let mut default = alternative(0);
        for (kind, place) in by_type(body, definitions) {
            if let Some(group) = body.media.get(place).map(|one| one.group) {
                let typed = whole(kind.schema());
                default = json!({ "if": typed, "then": alternative(group), "else": default });
            }
        }
        if let Some(files) = with_files(body, definitions).filter(|files| files.group > 0) {
            let held = whole(held(files, definitions));
            default = json!({ "if": held, "then": alternative(files.group), "else": default });
        }
        all.push(json!({ "if": unchosen, "then": default }));
    }
    all
}

/// An object that holds some file. Where the best type may mean something else by it, all that could be files are.
fn held<'a>(files: &Usable<'a>, definitions: &Definitions<'a>) -> Value {
    let parts = multipart::files(files.media, definitions);
    let some = parts.iter().map(|part| {
        let name = part.name;
        json!({ "required": [name], "properties": { name: { "not": { "type": "null" } } } })
    });
    let some: Vec<Value> = some.collect();
    let all = parts.iter().map(|part| {
        let file = json!({ "anyOf": [{ "type": "null" }, upload_schema(part.literal)] });
        (part.name.to_owned(), file)
    });
    let all: Map<String, Value> = all.collect();
    json!({ "type": "object", "anyOf": some, "properties": all })
}

/// Whether a file's place in the multipart body is another's in the best type's.
pub(super) fn files_apart<'a>(body: &PlannedBody<'a>, definitions: &Definitions<'a>) -> bool {
    with_files(body, definitions).is_some_and(|files| files.group > 0)
}

/// Where nothing but multipart has files, what would be one is a text.
fn texts<'a>(files: &Usable<'a>, definitions: &Definitions<'a>) -> Value {
    let names = multipart::files(files.media, definitions);
    let texts = names.iter().map(|part| {
        let text = json!({ "type": ["string", "null"] });
        let schema = if part.several {
            json!({ "items": text })
        } else {
            text
        };
        (part.name.to_owned(), schema)
    });
    Value::Object(texts.collect::<Map<_, _>>())
}
