//! Which version a document is written in.

use serde_json::{Map, Value};

use super::super::error::LoadError;
use super::super::finding::Findings;
use super::super::reference::kind;

/// The versions that differ in how a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::openapi) enum Version {
    /// Swagger 2.0.
    V2,
    /// OpenAPI 3.0.
    V30,
    /// OpenAPI 3.1 and 3.2.
    V31,
}

impl Version {
    /// Schemas in which keywords beside `$ref` count for nothing (2.0 and 3.0, Reference Object).
    pub(in crate::openapi) fn ignores_siblings(self) -> bool {
        self != Self::V31
    }

    /// Reads `openapi` or `swagger` of a tree's root.
    pub(in crate::openapi) fn detect(
        root: &Value,
        name: &str,
        findings: &mut Findings,
    ) -> Result<Self, LoadError> {
        let Some(map) = root.as_object() else {
            return Err(not_openapi(name, kind(root).to_owned()));
        };
        let unknown = |found: String| LoadError::Version {
            name: name.to_owned(),
            found,
        };
        if let Some(written) = map.get("openapi").and_then(version_text) {
            return match written.split('.').collect::<Vec<_>>().as_slice() {
                ["3", "0", ..] | ["3"] => Ok(Self::V30),
                ["3", "1" | "2", ..] => Ok(Self::V31),
                ["3", ..] => {
                    findings.warn(
                        "unknown-version",
                        "/openapi",
                        format!("expected 3.0, 3.1 or 3.2, found {written:?}; read as 3.2"),
                        "check what is new in this version",
                    );
                    Ok(Self::V31)
                }
                // `openapi: 2.0` occurs; the members tell.
                ["2", ..] if map.contains_key("definitions") || map.contains_key("host") => {
                    Ok(Self::V2)
                }
                _ => Err(unknown(format!("OpenAPI {written}"))),
            };
        }
        match map.get("swagger").and_then(version_text) {
            Some(written) if written == "2" || written.starts_with("2.") => Ok(Self::V2),
            // `swagger: "3.0.0"` occurs too.
            Some(written) if written.starts_with("3.0") => Ok(Self::V30),
            Some(written) if written.starts_with("3.") => Ok(Self::V31),
            Some(written) => Err(unknown(format!("Swagger {written}"))),
            None => Err(not_openapi(name, described(map))),
        }
    }
}

/// YAML reads an unquoted `3.0` as a number.
fn version_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn not_openapi(name: &str, found: String) -> LoadError {
    LoadError::NotOpenApi {
        name: name.to_owned(),
        found,
    }
}

fn described(map: &Map<String, Value>) -> String {
    if map.is_empty() {
        return "an empty object".to_owned();
    }
    if map.contains_key("asyncapi") {
        return "an AsyncAPI document".to_owned();
    }
    if map.contains_key("swaggerVersion") {
        return "a Swagger 1.x document; convert it to OpenAPI 3 first".to_owned();
    }
    let names: Vec<String> = map
        .keys()
        .take(5)
        .map(|key| format!("{:?}", key.chars().take(40).collect::<String>()))
        .collect();
    let more = if map.len() > 5 { ", ..." } else { "" };
    format!("an object with {}{more}", names.join(", "))
}
