//! Everything that is wrong with a call that its schema refuses, so that all of it can be mended at once.

use serde_json::{Map, Value};

use super::{Fault, bind};
use crate::pointer;
use crate::tool::{HttpTarget, TraceContext};

/// `faults` are the schema's; what the binder has against the same arguments is added to them, each place told of
/// once. What the schema does not know is no argument of the binder's either. An absent argument is no fault where
/// `is_asked` says that a human gives it.
#[must_use]
pub fn refused(
    target: &HttpTarget,
    arguments: Value,
    mut faults: Vec<Fault>,
    is_asked: impl Fn(&str) -> bool,
) -> Vec<Fault> {
    let Value::Object(mut arguments) = arguments else {
        return faults;
    };
    if faults.iter().any(Fault::is_count) {
        return faults;
    }
    faults
        .iter()
        .for_each(|fault| remove_unknown(fault, &mut arguments));
    let Err(mut bound) = bind(target, &arguments, &TraceContext::default()) else {
        return faults;
    };
    bound.retain(|one| {
        let asked = one.keyword == "required"
            && pointer::names(&one.path)
                .next()
                .is_some_and(|name| is_asked(&name));
        !asked && !faults.iter().any(|known| is_same_place(known, one))
    });
    faults.append(&mut bound);
    faults
}

/// A misspelt name would count as a further property of a flat body.
fn remove_unknown(fault: &Fault, arguments: &mut Map<String, Value>) {
    let is_unknown = ["additionalProperties", "unevaluatedProperties"];
    if !is_unknown.contains(&fault.keyword.as_str()) {
        return;
    }
    let mut names = pointer::names(&fault.path);
    if let (Some(name), None) = (names.next(), names.next()) {
        arguments.shift_remove(name.as_ref());
    }
}

/// Whether one fault is about a part of what the other is about. One of the arguments as a whole says nothing of
/// any of them.
fn is_same_place(one: &Fault, other: &Fault) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let (one, other) = (one.path.as_str(), other.path.as_str());
    !one.is_empty() && !other.is_empty() && (holds(one, other) || holds(other, one))
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::*;
    use crate::tool::{
        Body, BodyArgument, BodyCodec, BodyMedia, FlatField, Location, Parameter, PathPart,
    };

    /// `POST /{id}/{part}` with a header and a flat body that need not be there.
    fn target() -> HttpTarget {
        let mut target = HttpTarget::bare(Method::POST, "/{id}/{part}");
        for name in ["id", "part"] {
            target.path.parts.push(PathPart::Literal("/".to_owned()));
            target.path.parts.push(PathPart::Parameter {
                name: name.to_owned(),
                catch_all: false,
            });
            target
                .parameters
                .push(Parameter::bare(name, Location::Path));
        }
        target
            .parameters
            .push(Parameter::bare("tag", Location::Header));
        let fields = ["kind", "name"].map(|name| FlatField {
            argument: name.to_owned(),
            property: name.to_owned(),
            needed: true,
        });
        target.body = Some(Body {
            argument: BodyArgument::Flat(fields.to_vec()),
            required: false,
            media: vec![BodyMedia {
                media_type: "application/json".to_owned(),
                codec: BodyCodec::Json,
            }],
            choice: None,
            files_apart: false,
            by_type: Vec::new(),
        });
        target
    }

    fn places(arguments: Value, known: &[(&str, &str)]) -> Vec<String> {
        let known = known.iter().map(|(path, keyword)| Fault {
            path: (*path).to_owned(),
            keyword: (*keyword).to_owned(),
            message: "the schema's".to_owned(),
        });
        let found = refused(&target(), arguments, known.collect(), |name| name == "tag");
        found.into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn every_place_is_told_of_once() {
        for (arguments, known, expected) in [
            // Another argument's fault hides none of the binder's.
            (
                json!({ "id": "..", "part": "", "tag": 1, "name": "n" }),
                &[("/tag", "type")][..],
                &["/tag", "/part", "/id", "/kind"][..],
            ),
            (
                json!({ "id": "..", "part": ["", ""], "tag": "t" }),
                &[("/id", "pattern"), ("/part/1", "minLength")],
                &["/id", "/part/1"],
            ),
            (json!({ "id": 1 }), &[("/part", "required")], &["/part"]),
            // Misspelt, and no member of the body.
            (
                json!({ "id": 1, "part": 2, "tagg": "t" }),
                &[("/tagg", "additionalProperties")],
                &["/tagg"],
            ),
            // Of the arguments as a whole.
            (
                json!({ "id": ".", "part": 2 }),
                &[("", "minProperties")],
                &["", "/id"],
            ),
            // There are more than are listed already.
            (json!({ "id": ".", "part": 2 }), &[("", "more")], &[""]),
        ] {
            assert_eq!(places(arguments.clone(), known), expected, "{arguments}");
        }
    }
}
