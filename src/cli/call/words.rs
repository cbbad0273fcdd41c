//! The words of a call: which of them are missing, and what `--arg` comes to.

use serde_json::{Map, Value, json};

use super::Failure;
use crate::tool::closest;

/// More definitions that lead to each other than a schema has.
const MOST_STEPS: usize = 16;

/// What is missing where no document is named.
pub(super) fn incomplete(word: &str) -> String {
    if is_document(word) {
        format!(
            "a tool's name is missing after the documents: `mcpinvoke tools {word}` lists them, then `mcpinvoke call {word} TOOL`"
        )
    } else {
        format!(
            "a document is missing before the tool's name: expected for instance `mcpinvoke call shop.yaml {word}`, or `documents` in the configuration file"
        )
    }
}

/// What is said of a tool that is not there.
pub(super) fn unknown(name: &str, documents: &[String], known: &[String]) -> Failure {
    if is_document(name) {
        let documents = format!("{} {name}", documents.join(" "));
        return Failure::Usage(incomplete(&documents));
    }
    let meant = closest(name, known.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    Failure::Work(format!(
        "unknown tool `{name}`{meant} (`mcpinvoke tools {}` lists all)",
        documents.join(" ")
    ))
}

/// Whether a word can only be a document: a tool's name has none of these characters.
fn is_document(word: &str) -> bool {
    word == "-" || word.contains(['.', '/', '\\', ':', '='])
}

/// What `KEY=VALUE` pairs come to. A list takes an item from each.
///
/// # Errors
/// A sentence on a pair that is none, that comes twice, or that names a part of an argument.
pub(super) fn arguments(pairs: &[String], schema: &Value) -> Result<Map<String, Value>, Failure> {
    let mut found: Map<String, Value> = Map::new();
    for pair in pairs {
        let Some((key, text)) = pair.split_once('=') else {
            return Err(Failure::Usage(format!(
                "--arg: expected KEY=VALUE, found `{pair}`"
            )));
        };
        if let Some(fault) = part(key, text, schema) {
            return Err(Failure::Usage(fault));
        }
        let wanted = followed(schema, &schema["properties"][key]);
        if !takes(wanted, "array") {
            if found.insert(key.to_owned(), value(text, wanted)).is_some() {
                return Err(Failure::Usage(format!(
                    "--arg: `{key}` is given more than once, and it is no list"
                )));
            }
            continue;
        }
        let items = followed(schema, &wanted["items"]);
        let more = match serde_json::from_str(text) {
            Ok(Value::Array(more)) => more,
            _ => vec![value(text, items)],
        };
        let list = found.entry(key).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.extend(more);
        }
    }
    Ok(found)
}

/// What is said where `body.name` is meant to be a part of the argument `body`.
fn part(key: &str, text: &str, schema: &Value) -> Option<String> {
    let properties = &schema["properties"];
    let (whole, rest) = key.split_once('.')?;
    if properties[key] != Value::Null || properties[whole] == Value::Null {
        return None;
    }
    let names = rest.rsplit('.');
    let example = names.fold(value(text, None), |inner, name| json!({ name: inner }));
    Some(format!(
        "--arg: `{key}` is a part of the argument `{whole}`: write --arg {whole}='{example}'"
    ))
}

/// The schema behind references to `$defs`.
fn followed<'a>(schema: &'a Value, mut wanted: &'a Value) -> &'a Value {
    for _ in 0..MOST_STEPS {
        let pointer = wanted["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
        match pointer.and_then(|pointer| schema.pointer(pointer)) {
            Some(next) => wanted = next,
            None => break,
        }
    }
    wanted
}

fn takes(wanted: &Value, kind: &str) -> bool {
    match &wanted["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => {
            let others = |one: &&Value| *one != "null";
            several.iter().filter(others).all(|one| one == kind) && !several.is_empty()
        }
        _ => false,
    }
}

/// JSON where it is JSON, text otherwise, and text where the schema wants nothing else: the
/// identifier `007` must stay what it is.
fn value<'a>(text: &str, wanted: impl Into<Option<&'a Value>>) -> Value {
    if wanted
        .into()
        .is_some_and(|wanted| wanted["type"] == "string")
    {
        return text.into();
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({
            "properties": {
                "id": {"type": "string"},
                "count": {"type": "integer"},
                "tags": {"$ref": "#/$defs/Tags"},
                "sizes": {"type": ["array", "null"], "items": {"type": "integer"}},
                "body": {"type": "object"},
                "filter.id": {"type": "integer"},
                "any": {},
            },
            "$defs": {"Tags": {"type": "array", "items": {"type": "string"}}},
        })
    }

    fn read(pairs: &[&str]) -> Result<Value, String> {
        let pairs: Vec<String> = pairs.iter().map(|&pair| pair.to_owned()).collect();
        arguments(&pairs, &schema())
            .map(Value::Object)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn pairs_become_what_the_schema_wants() {
        for (pairs, expected) in [
            (&["id=007", "count=7"][..], json!({"id": "007", "count": 7})),
            (&["any=[1,2]"], json!({"any": [1, 2]})),
            (&["any=two words"], json!({"any": "two words"})),
            (&["tags=a", "tags=7"], json!({"tags": ["a", "7"]})),
            (&["tags=a"], json!({"tags": ["a"]})),
            (
                &[r#"tags=["a","b"]"#, "tags=c"],
                json!({"tags": ["a", "b", "c"]}),
            ),
            (&["sizes=1", "sizes=2"], json!({"sizes": [1, 2]})),
            (&["filter.id=1"], json!({"filter.id": 1})),
        ] {
            assert_eq!(read(pairs), Ok(expected), "{pairs:?}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_way_out() {
        for (pairs, expected) in [
            (&["count"][..], "expected KEY=VALUE, found `count`"),
            (&["count=1", "count=2"], "`count` is given more than once"),
            (&["body.name=x"], r#"write --arg body='{"name":"x"}'"#),
            (&["body.a.b=1"], r#"write --arg body='{"a":{"b":1}}'"#),
        ] {
            let fault = read(pairs).unwrap_err();
            assert!(fault.contains(expected), "{pairs:?}: {fault}");
        }
    }

    #[test]
    fn the_missing_word_is_named() {
        assert!(incomplete("shop.yaml").contains("tool's name is missing"));
        assert!(incomplete("https://x/api").contains("tool's name is missing"));
        assert!(incomplete("getPet").contains("document is missing"));
        let known = ["getPet".to_owned(), "addPet".to_owned()];
        let documents = ["shop.yaml".to_owned()];
        let text = unknown("getpet", &documents, &known).to_string();
        assert!(text.contains("did you mean `getPet`?"), "{text}");
        assert!(text.contains("`mcpinvoke tools shop.yaml`"), "{text}");
        let text = unknown("b.yaml", &documents, &known).to_string();
        assert!(
            text.contains("mcpinvoke call shop.yaml b.yaml TOOL"),
            "{text}"
        );
    }
}
