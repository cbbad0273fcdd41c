//! Alternatives that differ only in what is not checked. `oneOf` wants exactly one of them to fit, so it
//! would refuse every value; the schema that checks calls has `anyOf` there.

use serde_json::Value;

use super::schema::resolved;
use crate::pointer;

/// Parts of alternatives are looked into so deep.
const MAX_DEPTH: usize = 3;
/// The most schemas looked at for one alternative.
const MAX_LOOKS: usize = 200;
/// Keywords that say of a value what nobody checks.
const UNCHECKED: [&str; 3] = ["format", "contentEncoding", "contentMediaType"];

/// Turns `oneOf` into `anyOf` where two alternatives differ in what is not checked, and takes out a
/// `not` that rests on it. Whether something was changed.
pub(super) fn loosen(root: &mut Value) -> bool {
    let mut found = Vec::new();
    find(root, root, String::new(), &mut found);
    for (pointer, keyword) in &found {
        let Some(Value::Object(map)) = root.pointer_mut(pointer) else {
            continue;
        };
        let Some(value) = map.shift_remove(*keyword) else {
            continue;
        };
        if *keyword == "oneOf" {
            if map.contains_key("anyOf") {
                let both = map
                    .entry("allOf")
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(parts) = both {
                    parts.push(serde_json::json!({ "anyOf": value }));
                }
            } else {
                map.insert("anyOf".to_owned(), value);
            }
        }
    }
    !found.is_empty()
}

/// Inner schemas come first: what is changed outside does not move them.
fn find(root: &Value, schema: &Value, at: String, found: &mut Vec<(String, &'static str)>) {
    // A parsed tree is at most as deep as the parser allows, so this recursion is bounded.
    let Value::Object(map) = schema else {
        return;
    };
    for (keyword, value) in map {
        let below = |name: &str| pointer::member(&format!("{at}/{keyword}"), name);
        match (keyword.as_str(), value) {
            ("enum" | "const" | "default" | "examples" | "required", _) => {}
            (
                "properties" | "patternProperties" | "$defs" | "dependentSchemas",
                Value::Object(named),
            ) => {
                for (name, schema) in named {
                    find(root, schema, below(name), found);
                }
            }
            (_, Value::Array(list)) => {
                for (index, schema) in list.iter().enumerate() {
                    find(root, schema, below(&index.to_string()), found);
                }
            }
            (_, schema) => find(root, schema, format!("{at}/{keyword}"), found),
        }
    }
    if let Some(Value::Array(list)) = map.get("oneOf")
        && differ_unseen(root, list)
    {
        found.push((at.clone(), "oneOf"));
    }
    if let Some(refused) = map.get("not") {
        let own = marks(root, refused);
        if own
            .iter()
            .any(|mark| mark.path.is_empty() && !mark.said.is_empty())
        {
            found.push((at, "not"));
        }
    }
}

/// What one place of a value is said to be, and nobody checks.
struct Mark<'a> {
    path: String,
    said: Vec<&'a str>,
    /// Its `type`.
    kinds: Vec<&'a str>,
}

fn differ_unseen(root: &Value, alternatives: &[Value]) -> bool {
    let marks: Vec<Vec<Mark<'_>>> = alternatives.iter().map(|one| marks(root, one)).collect();
    if marks.iter().flatten().all(|mark| mark.said.is_empty()) {
        return false;
    }
    marks.iter().enumerate().any(|(index, one)| {
        let others = &marks[index + 1..];
        others.iter().any(|other| hide_difference(one, other))
    })
}

fn hide_difference(one: &[Mark<'_>], other: &[Mark<'_>]) -> bool {
    let pairs = one.iter().flat_map(|mark| {
        let same = other.iter().filter(move |theirs| theirs.path == mark.path);
        same.map(move |theirs| (mark, theirs))
    });
    let mut differ = false;
    for (mine, theirs) in pairs {
        if mine.path.is_empty() && disjoint(&mine.kinds, &theirs.kinds) {
            return false;
        }
        differ |= mine.said != theirs.said;
    }
    differ
}

fn disjoint(one: &[&str], other: &[&str]) -> bool {
    let meets = |a: &str, b: &str| a == b || a == "number" && b == "integer";
    !one.is_empty()
        && !other.is_empty()
        && !one
            .iter()
            .any(|a| other.iter().any(|b| meets(a, b) || meets(b, a)))
}

fn marks<'a>(root: &'a Value, schema: &'a Value) -> Vec<Mark<'a>> {
    let mut found = Vec::new();
    let mut left = MAX_LOOKS;
    collect(root, schema, "", 0, &mut left, &mut found);
    found
}

fn collect<'a>(
    root: &'a Value,
    schema: &'a Value,
    path: &str,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<Mark<'a>>,
) {
    let Value::Object(map) = schema else {
        return;
    };
    if depth > MAX_DEPTH || *left == 0 {
        return;
    }
    *left -= 1;
    let kinds = match map.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let said = UNCHECKED
        .iter()
        .filter_map(|keyword| map.get(*keyword)?.as_str());
    let said: Vec<&str> = said.collect();
    match found.iter_mut().find(|mark| mark.path == path) {
        Some(mark) => {
            mark.said.extend(said);
            if mark.kinds.is_empty() {
                mark.kinds = kinds;
            }
        }
        None => found.push(Mark {
            path: path.to_owned(),
            said,
            kinds,
        }),
    }
    if map.contains_key("$ref") {
        let target = resolved(root, schema);
        if !std::ptr::eq(target, schema) {
            collect(root, target, path, depth, left, found);
        }
    }
    for part in map
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        collect(root, part, path, depth + 1, left, found);
    }
    let properties = map.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        collect(
            root,
            schema,
            &format!("{path}/{name}"),
            depth + 1,
            left,
            found,
        );
    }
    if let Some(items) = map.get("items") {
        collect(root, items, &format!("{path}/*"), depth + 1, left, found);
    }
}
