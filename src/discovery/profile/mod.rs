//! Input schemas as a model's provider accepts them.
//!
//! What comes out takes every argument that went through the whole schema, and maybe more: the
//! whole one checks calls. One exception: where only one type can be named, a null that may stand
//! beside another type is not told. What a constraint says and the profile cannot is put into the
//! description.

mod combine;
mod inline;
mod root;
#[cfg(test)]
mod tests;
mod words;

use serde_json::{Map, Value};

use super::settings::SchemaProfile;
use crate::tool::Json;

/// A schema's keywords.
type Schema = Map<String, Value>;

/// What a profile knows.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// `$ref` and `$defs`.
    references: bool,
    /// `anyOf`.
    any_of: bool,
    /// `additionalProperties: false`.
    closed: bool,
    /// A list under `type`.
    types: bool,
    /// `enum` with other values than strings.
    any_enum: bool,
    /// `format`, for dates and times.
    dates: bool,
}

/// The input schema to publish; nothing where that is the whole one.
pub(super) fn listed(whole: &Json, profile: SchemaProfile) -> Option<Json> {
    let rules = match profile {
        SchemaProfile::Default => return root::plain(whole),
        SchemaProfile::Openai => Rules {
            references: true,
            any_of: true,
            closed: true,
            types: true,
            any_enum: true,
            dates: false,
        },
        SchemaProfile::Gemini => Rules {
            references: false,
            any_of: true,
            closed: false,
            types: false,
            any_enum: false,
            dates: true,
        },
        SchemaProfile::Simple => Rules {
            references: false,
            any_of: false,
            closed: false,
            types: false,
            any_enum: false,
            dates: false,
        },
    };
    let listed = Json::from_value(&Value::Object(profiled(&whole.parse(), rules)));
    (listed != *whole).then_some(listed)
}

fn profiled(whole: &Value, rules: Rules) -> Schema {
    let none = Schema::new();
    let opened = root::open(whole);
    let whole = opened.as_ref().unwrap_or(whole);
    let definitions = whole.get("$defs").and_then(Value::as_object);
    let definitions = definitions.unwrap_or(&none);
    let mut written = inline::write(rules, definitions, whole);
    written.shift_remove("$schema");
    written.insert("type".to_owned(), "object".into());
    written
}
