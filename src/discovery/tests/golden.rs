//! One whole pet-store document, as it is published; refresh with `INSTA_UPDATE=always`.

use super::*;

fn petstore() -> Document {
    let pet = || json!({ "$ref": "#/components/schemas/Pet" });
    let mut list = operation("GET", "/pets");
    list.operation_id = Some("listPets".to_owned());
    list.summary = Some("List pets".to_owned());
    list.tags = vec!["pets".to_owned()];
    let mut limit = parameter("limit", Query, json!({ "type": "integer", "maximum": 100 }));
    limit.description = Some("How many at most".to_owned());
    limit.example = Some(json!(20));
    let tags = json!({ "type": "array", "items": { "type": "string" } });
    list.parameters = vec![limit, parameter("filter[tag]", Query, tags)];
    let pets = media(
        "application/json",
        json!({ "type": "array", "items": pet() }),
    );
    list.responses = vec![response("200", vec![pets])];

    let mut create = json_operation("POST", "/pets", pet());
    create.operation_id = Some("createPet".to_owned());
    create.security = Some(vec![vec![SecurityRequirement {
        scheme: "oauth".to_owned(),
        scopes: vec!["pets:write".to_owned()],
    }]]);
    create.responses = vec![response("201", vec![media("application/json", pet())])];

    let mut replace = json_operation("PUT", "/pets/{petId}", pet());
    replace.parameters = vec![parameter(
        "petId",
        Path,
        json!({ "type": "integer", "format": "int64" }),
    )];
    let mut remove = operation("DELETE", "/pets/{petId}");
    remove.parameters.clone_from(&replace.parameters);
    remove.deprecated = true;
    remove
        .extensions
        .insert("x-mcp".to_owned(), json!({ "confirm": true }));
    remove.responses = vec![response("204", Vec::new())];

    document(
        vec![list, create, replace, remove],
        &json!({
            "Pet": { "type": "object", "required": ["id", "name"], "properties": {
                "id": { "type": "integer", "format": "int64", "readOnly": true },
                "name": { "type": "string", "minLength": 1 },
                "born": { "type": ["string", "null"], "format": "date" },
                "owner": { "$ref": "#/components/schemas/Person" },
                "friends": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } },
            } },
            "Person": { "type": "object", "properties": {
                "email": { "type": "string", "format": "email" },
                "password": { "type": "string", "writeOnly": true },
            } },
        }),
    )
}

fn json_operation(method: &str, path: &str, schema: Value) -> Operation {
    let mut operation = operation(method, path);
    operation.request_body = Some(body(vec![media("application/json", schema)]));
    operation
}

fn published(found: &Discovery) -> Value {
    let tools = found.tools.iter().map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
            "_meta": tool.meta,
            "confirm": tool.confirm,
        })
    });
    tools.collect()
}

#[test]
fn petstore_as_published() {
    let found = run(&petstore(), &Settings::default());
    assert!(
        found.skipped.is_empty() && found.notes.is_empty(),
        "{:?}",
        found.notes
    );
    // As text: arbitrary precision gives numbers a form of their own elsewhere.
    insta::assert_snapshot!(serde_json::to_string_pretty(&published(&found)).unwrap());
}

#[test]
fn two_runs_are_identical() {
    let published = || published(&run(&petstore(), &Settings::default())).to_string();
    assert_eq!(published(), published());
}
