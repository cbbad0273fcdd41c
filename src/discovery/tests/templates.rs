//! Tools of documents with templates (`$dynamicRef`).

use super::*;

use crate::openapi;

fn tools(paths: &Value, schemas: &Value) -> Vec<Tool> {
    let tree = json!({
        "openapi": "3.1.1", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "paths": paths, "components": {"schemas": schemas},
    });
    let text = tree.to_string();
    let settings = openapi::Settings::default();
    let document = openapi::parse(text.as_bytes(), "test", None, &settings).unwrap();
    assert!(document.findings.is_empty(), "{:?}", document.findings);
    run(&document, &Settings::default()).tools
}

fn content(schema: &Value) -> Value {
    json!({"content": {"application/json": {"schema": schema}}})
}

#[test]
fn each_operation_has_the_template_as_it_binds_it() {
    let list = |of: &str, id: &str| json!({"$id": id, "$ref": "page", "$defs": {"T": {"$dynamicAnchor": "T", "$ref": of}}});
    let schemas = json!({
        "User": {"$id": "user", "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "Pet": {"$id": "pet", "type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
        "Page": {
            "$id": "page", "type": "object", "required": ["items"],
            "properties": {"items": {"type": "array", "items": {"$dynamicRef": "#T"}}},
            "$defs": {"T": {"$dynamicAnchor": "T", "not": {}}},
        },
        "Users": list("user", "users"),
        "Pets": list("pet", "pets"),
    });
    let operation = |of: &str, query: &str| {
        let of = json!({"$ref": format!("#/components/schemas/{of}")});
        let query = json!({"$ref": format!("#/components/schemas/{query}")});
        let mut parameter = content(&query);
        parameter["in"] = json!("query");
        parameter["name"] = json!("like");
        json!({"parameters": [parameter], "requestBody": content(&of), "responses": {"200": content(&of)}})
    };
    let paths = json!({
        "/users": {"put": operation("Users", "Pets")},
        "/pets": {"put": operation("Pets", "Users")},
    });
    let tools = tools(&paths, &schemas);
    let user = json!({"items": [{"name": "a"}]});
    let pet = json!({"items": [{"kind": "a"}]});
    assert_eq!(tools.len(), 2);
    for tool in &tools {
        let input = tool.input_schema.parse();
        let output = tool.output_schema.as_ref().unwrap().parse();
        let of_users = tool.name.as_str().contains("users");
        let (right, wrong) = if of_users {
            (&user, &pet)
        } else {
            (&pet, &user)
        };
        assert!(input["properties"].get("body").is_some(), "{input}");
        let call = |body: &Value, like: &Value| json!({"body": body, "like": like});
        assert!(accepts(&input, &call(right, wrong)), "{input}");
        assert!(!accepts(&input, &call(wrong, wrong)), "{input}");
        assert!(!accepts(&input, &call(right, right)), "{input}");
        let (said, other) = if of_users {
            ("name", "kind")
        } else {
            ("kind", "name")
        };
        let (said, other) = (format!("\"{said}\":"), format!("\"{other}\":"));
        let text = output.to_string();
        assert!(text.contains(&said) && !text.contains(&other), "{text}");
        for schema in [input.to_string(), text] {
            for gone in ["$dynamic", "$anchor", "$id", "x-specialised"] {
                assert!(!schema.contains(gone), "{gone}: {schema}");
            }
        }
    }
}
