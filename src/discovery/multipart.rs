//! Multipart bodies as arguments: each property that is a file is base64 text or an object that also
//! says name and type; everything else of the schema stays as it is.

use serde_json::{Map, Value, json};

use super::body::{Shape, is_encoded, is_literal, shape};
use super::defs::{Definitions, reference_of};
use crate::openapi::{Encoding, MediaType};
use crate::tool::PartKind;

/// Parts of parts are looked into so deep.
const MAX_DEPTH: usize = 8;
/// The most schemas looked at for one body: parts of parts multiply.
const MAX_LOOKS: usize = 1000;
/// Keywords whose schemas describe the same value.
const SAME: [&str; 3] = ["allOf", "oneOf", "anyOf"];

/// The schema of a multipart body's argument; nothing where values need not be objects.
pub(super) fn schema(media: &MediaType, definitions: &Definitions<'_>) -> Option<Value> {
    definitions.object(&media.schema)?;
    let mut left = MAX_LOOKS;
    let whole = definitions.resolve(&media.schema)?;
    let files = Files {
        encodings: &media.encoding,
        definitions,
    };
    let mut whole = files
        .written(whole, 0, &mut left)
        .unwrap_or_else(|| whole.clone());
    // Nothing else is a form, null neither.
    whole
        .as_object_mut()?
        .insert("type".to_owned(), "object".into());
    Some(whole)
}

/// A file's or a list of files' schema; nothing where the property is neither.
pub(super) fn part(
    schema: &Value,
    content_type: Option<&str>,
    definitions: &Definitions<'_>,
) -> Option<Value> {
    let known = definitions.resolve(schema);
    let of = |keyword: &str| known.and_then(|known| known.get(keyword));
    let said = of("description").and_then(Value::as_str);
    match part_kind(schema, content_type, definitions) {
        PartKind::Value => None,
        PartKind::File => Some(File::of(schema, definitions).written(said)),
        PartKind::Files => {
            let mut list = Map::new();
            let kind = if takes_null(schema, definitions, &mut 200) {
                json!(["array", "null"])
            } else {
                json!("array")
            };
            list.insert("type".to_owned(), kind);
            if let Some(said) = said {
                list.insert("description".to_owned(), said.into());
            }
            let items = items_of(schema, definitions).unwrap_or(schema);
            list.insert(
                "items".to_owned(),
                File::of(items, definitions).written(None),
            );
            for keyword in ["minItems", "maxItems"] {
                if let Some(count) = of(keyword).and_then(Value::as_u64) {
                    list.insert(keyword.to_owned(), count.into());
                }
            }
            Some(Value::Object(list))
        }
    }
}

/// A part that is a file.
pub(super) struct Upload<'s> {
    pub(super) name: &'s str,
    /// It is a list of files.
    pub(super) several: bool,
    /// A text is its content.
    pub(super) literal: bool,
}

/// The parts that are files.
pub(super) fn files<'d: 's, 's>(
    media: &'s MediaType,
    definitions: &Definitions<'d>,
) -> Vec<Upload<'s>> {
    let parts = properties(&media.schema, definitions).into_iter();
    let files = parts.filter_map(|(name, schema)| {
        let encoding = media.encoding.iter().find(|(known, _)| known == name);
        let content_type = encoding.and_then(|(_, one)| one.content_type.as_deref());
        let several = match part_kind(schema, content_type, definitions) {
            PartKind::Value => return None,
            PartKind::File => false,
            PartKind::Files => true,
        };
        Some(Upload {
            name,
            several,
            literal: is_literal_part(schema, definitions),
        })
    });
    files.collect()
}

/// The properties of an object, those of its parts and alternatives included, each once.
pub(super) fn properties<'d: 's, 's>(
    schema: &'s Value,
    definitions: &Definitions<'d>,
) -> Vec<(&'s str, &'s Value)> {
    let mut found: Vec<(&str, &Value)> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut open = vec![(schema, 0)];
    let mut left = MAX_LOOKS;
    while let Some((schema, depth)) = open.pop() {
        let Some(less) = left.checked_sub(1) else {
            break;
        };
        left = less;
        let Some(map) = definitions.resolve(schema).and_then(Value::as_object) else {
            continue;
        };
        let own = map.get("properties").and_then(Value::as_object);
        for (name, schema) in own.into_iter().flatten() {
            if known.insert(name) {
                found.push((name, schema));
            }
        }
        if depth < MAX_DEPTH {
            let parts = SAME
                .iter()
                .filter_map(|keyword| map.get(*keyword)?.as_array());
            let parts: Vec<&Value> = parts.flatten().collect();
            open.extend(parts.into_iter().rev().map(|part| (part, depth + 1)));
        }
    }
    found.retain(|(_, schema)| !definitions.hides(schema));
    found
}

/// What files are told by.
struct Files<'f, 'd> {
    encodings: &'f [(String, Encoding)],
    definitions: &'f Definitions<'d>,
}

impl Files<'_, '_> {
    /// A schema with the files among its properties as arguments; nothing where none are.
    fn written(&self, schema: &Value, depth: usize, left: &mut usize) -> Option<Value> {
        if depth > MAX_DEPTH || *left == 0 {
            return None;
        }
        *left -= 1;
        let mut map = schema.as_object()?.clone();
        let mut changed = false;
        if let Some(Value::Object(properties)) = map.get_mut("properties") {
            for (name, property) in properties {
                let encoding = self.encodings.iter().find(|(known, _)| known == name);
                let content_type = encoding.and_then(|(_, one)| one.content_type.as_deref());
                if !self.definitions.hides(property)
                    && let Some(part) = part(property, content_type, self.definitions)
                {
                    *property = part;
                    changed = true;
                }
            }
        }
        for keyword in SAME {
            let Some(Value::Array(parts)) = map.get_mut(keyword) else {
                continue;
            };
            for part in parts {
                if let Some(written) = self.written(part, depth + 1, left) {
                    *part = written;
                    changed = true;
                }
            }
        }
        let target = reference_of(schema).and_then(|_| self.definitions.resolve(schema));
        if let Some(target) = target.and_then(|target| self.written(target, depth + 1, left)) {
            map.shift_remove("$ref");
            if map.is_empty() {
                return Some(target);
            }
            match map.get_mut("allOf") {
                Some(Value::Array(parts)) => parts.push(target),
                _ => drop(map.insert("allOf".to_owned(), json!([target]))),
            }
            changed = true;
        }
        changed.then_some(Value::Object(map))
    }
}

/// What a file's argument may be.
struct File {
    /// A text is the content, not base64 of it.
    literal: bool,
    /// Null, which is no part at all, stands for none.
    optional: bool,
}

impl File {
    fn of(schema: &Value, definitions: &Definitions<'_>) -> Self {
        Self {
            literal: is_literal(schema, definitions),
            optional: takes_null(schema, definitions, &mut 200),
        }
    }

    /// A text, or an object that also says name and type.
    fn written(&self, said: Option<&str>) -> Value {
        let how = if self.literal {
            "A file: its content where that is text, or an object with `data` (base64) or `text`."
        } else {
            "A file: its bytes as base64 text, or an object with `data` (base64) or `text`."
        };
        let description = said.map_or_else(|| how.to_owned(), |said| format!("{said} ({how})"));
        let text = if self.literal {
            json!({ "type": "string" })
        } else {
            json!({ "type": "string", "contentEncoding": "base64" })
        };
        let mut forms = vec![text, described()];
        if self.optional {
            forms.push(json!({ "type": "null" }));
        }
        json!({ "description": description, "anyOf": forms })
    }
}

/// Whether a schema says by its types, or by those of an alternative, that null may stand there; `left`
/// is how many more schemas may be looked at.
fn takes_null<'d: 's, 's>(
    schema: &'s Value,
    definitions: &Definitions<'d>,
    left: &mut usize,
) -> bool {
    let Some(known) = definitions.resolve(schema).filter(|_| *left > 0) else {
        return false;
    };
    *left -= 1;
    match known.get("type") {
        Some(Value::String(name)) => return name == "null",
        Some(Value::Array(names)) => return names.iter().any(|name| name == "null"),
        _ => {}
    }
    let alternatives = ["anyOf", "oneOf"].into_iter();
    let mut members = alternatives
        .filter_map(|keyword| known.get(keyword)?.as_array())
        .flatten();
    members.any(|one| takes_null(one, definitions, left))
}

fn described() -> Value {
    json!({
        "type": "object",
        "properties": {
            "data": { "type": "string", "contentEncoding": "base64",
                "description": "The bytes as base64." },
            "text": { "type": "string", "description": "The content, where it is text." },
            "filename": { "type": "string" },
            "contentType": { "type": "string" },
        },
        "additionalProperties": false,
    })
}

/// Whether a text for this file, or for one in this list, is its content.
pub(super) fn is_literal_part(schema: &Value, definitions: &Definitions<'_>) -> bool {
    let items = items_of(schema, definitions);
    is_literal(items.unwrap_or(schema), definitions)
}

/// The items of a list, which may be one of several alternatives.
fn items_of<'d: 's, 's>(schema: &'s Value, definitions: &Definitions<'d>) -> Option<&'s Value> {
    let known = definitions.resolve(schema)?;
    let own = known.get("items");
    own.or_else(|| {
        let members = known.get("anyOf").or_else(|| known.get("oneOf"))?;
        let mut members = members.as_array()?.iter();
        members.find_map(|one| definitions.resolve(one)?.get("items"))
    })
}

/// What a multipart property is: a file, several, or a plain value. `content_type` is its
/// encoding's.
pub(super) fn part_kind<'d: 's, 's>(
    schema: &'s Value,
    content_type: Option<&str>,
    definitions: &Definitions<'d>,
) -> PartKind {
    let of_bytes = content_type.is_some_and(|types| {
        let kinds = [
            "image/",
            "audio/",
            "video/",
            "font/",
            "application/octet-stream",
        ];
        types.split(',').any(|one| {
            let one = one.trim();
            kinds.iter().any(|kind| one.starts_with(kind)) || one == "application/pdf"
        })
    });
    let is_file = |schema: &'s Value| match shape(schema, definitions) {
        Shape::Bytes => true,
        // Base64 text (`format: byte`, `contentEncoding`) is text on the wire as well.
        Shape::Text => {
            let known = definitions.resolve(schema).and_then(Value::as_object);
            of_bytes
                && known.is_some_and(|known| {
                    !is_encoded(known) && known.get("format").is_none_or(|format| format != "byte")
                })
        }
        Shape::Unknown => of_bytes,
        Shape::Structured | Shape::Scalar => false,
    };
    if is_file(schema) {
        return PartKind::File;
    }
    if items_of(schema, definitions).is_some_and(is_file) {
        PartKind::Files
    } else {
        PartKind::Value
    }
}
