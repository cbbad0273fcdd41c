//! Arguments that are wrong in form but unmistakable in meaning.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ErrorIterator, JsonType, ValidationError};
use serde_json::Value;

use crate::pointer::unescape;

/// Errors that are looked at; what is wrong in more places is not repaired.
const MAX_ERRORS: usize = 256;

/// What would put one place right.
pub(super) enum Edit {
    /// Read the text there as JSON.
    Parse { pointer: String, wanted: Wanted },
    /// Leave the top-level argument out.
    Drop { pointer: String },
}

/// What the schema accepts in a text's place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    object: bool,
    array: bool,
    string: bool,
}

/// Finds what can be put right.
pub(super) fn find(errors: ErrorIterator<'_>) -> Vec<Edit> {
    errors
        .take(MAX_ERRORS)
        .filter_map(|error| edit(&error))
        .collect()
}

fn edit(error: &ValidationError<'_>) -> Option<Edit> {
    let pointer = error.instance_path().as_str();
    match error.instance().as_ref() {
        Value::String(_) => {
            let wanted = wanted(error, pointer, 0)?;
            (!wanted.string && (wanted.object || wanted.array)).then(|| Edit::Parse {
                pointer: pointer.to_owned(),
                wanted,
            })
        }
        Value::Null if pointer.matches('/').count() == 1 => Some(Edit::Drop {
            pointer: pointer.to_owned(),
        }),
        _ => None,
    }
}

/// The types an error says would be accepted at `pointer`; `None` where the type is not what is wrong.
fn wanted(error: &ValidationError<'_>, pointer: &str, depth: usize) -> Option<Wanted> {
    if error.instance_path().as_str() != pointer || depth > 8 {
        return None;
    }
    match error.kind() {
        ValidationErrorKind::Type { kind } => Some(match kind {
            TypeKind::Single(one) => Wanted::of(std::iter::once(*one)),
            TypeKind::Multiple(set) => Wanted::of(set.iter()),
        }),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let mut all = Wanted::default();
            for branch in context {
                let one = branch
                    .iter()
                    .find_map(|error| wanted(error, pointer, depth + 1))?;
                all = Wanted {
                    object: all.object || one.object,
                    array: all.array || one.array,
                    string: all.string || one.string,
                };
            }
            Some(all)
        }
        _ => None,
    }
}

/// Applies edits; says whether anything changed. A required argument that goes is then reported as missing.
pub(super) fn apply(arguments: &mut Value, edits: Vec<Edit>) -> bool {
    let mut changed = false;
    for edit in edits {
        changed |= match edit {
            Edit::Parse { pointer, wanted } => parse(arguments, &pointer, wanted),
            Edit::Drop { pointer } => drop_null(arguments, &pointer),
        };
    }
    changed
}

fn parse(arguments: &mut Value, pointer: &str, wanted: Wanted) -> bool {
    let Some(place) = arguments.pointer_mut(pointer) else {
        return false;
    };
    let parsed = place
        .as_str()
        .filter(|text| text.trim_start().starts_with(['{', '[']))
        .and_then(|text| crate::tree::read::<Value>(text).ok());
    match parsed {
        Some(value) if value.is_object() && wanted.object || value.is_array() && wanted.array => {
            *place = value;
            true
        }
        _ => false,
    }
}

fn drop_null(arguments: &mut Value, pointer: &str) -> bool {
    let name = unescape(pointer.trim_start_matches('/'));
    let members = arguments.as_object_mut();
    members.is_some_and(|members| {
        members.get(&*name).is_some_and(Value::is_null) && members.shift_remove(&*name).is_some()
    })
}

impl Wanted {
    fn of(types: impl Iterator<Item = JsonType>) -> Self {
        let mut wanted = Self::default();
        for one in types {
            match one {
                JsonType::Object => wanted.object = true,
                JsonType::Array => wanted.array = true,
                JsonType::String => wanted.string = true,
                JsonType::Boolean | JsonType::Integer | JsonType::Null | JsonType::Number => {}
            }
        }
        wanted
    }
}
