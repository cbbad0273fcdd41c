//! `x-mcp-command` against its own JSON Schema, the one that ships for authors of documents.

use std::sync::LazyLock;

use serde_json::Value;

use super::Fault;

/// What authors have their editors check.
const SCHEMA: &str = include_str!("../../../specs/x-mcp-command.schema.json");

static VALIDATOR: LazyLock<Result<jsonschema::Validator, String>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())
});

/// Whether data that could be read fits the schema too. The reader comes first: its messages say more, and it
/// bounds how deep the data may be.
///
/// # Errors
/// The first fault with its place.
pub(super) fn check(command: &Value) -> Result<(), Fault> {
    let validator = VALIDATOR.as_ref();
    let validator = validator.map_err(|error| Fault::new("", error.clone()))?;
    match validator.iter_errors(command).next() {
        None => Ok(()),
        Some(error) => {
            let pointer = error.instance_path().to_string();
            Err(Fault::new(&pointer, error.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_the_schema_refuses_is_refused_with_its_place() {
        let data = |name: &str, action: Value| json!({"program": "dotnet", "selector": "action", "actions": {name: action}});
        let run = json!([{"words": ["build"]}]);
        assert_eq!(check(&data("Build", json!({"run": run}))), Ok(()));
        for (data, pointer) in [
            (data("build", json!({"run": run})), "/actions"),
            (
                data("Build", json!({"run": run, "result": "A shape"})),
                "/actions/Build/result",
            ),
            (
                data("Build", json!({"run": [{"words": [""]}]})),
                "/actions/Build/run/0/words/0",
            ),
            (
                data("Build", json!({"run": run, "secret": ["no name"]})),
                "/actions/Build/secret/0",
            ),
        ] {
            super::super::parse("POST /x", &data).expect("the reader takes it");
            let fault = check(&data).expect_err("the schema refuses it");
            assert!(fault.pointer.starts_with(pointer), "{fault:?}");
        }
    }
}
