//! Templates in other files than their users.

use std::path::Path;

use serde_json::{Value, json};

use super::super::super::{Document, Settings, Source, load};
use super::{assert_plain, takes_at};

const MAIN: &str = "
openapi: 3.1.1
paths:
  /users:
    $ref: 'paths.yaml#/users'
components:
  schemas:
    User: {type: object}
    Users:
      $ref: page.json
      $defs: {T: {$dynamicAnchor: T, $ref: '#/components/schemas/User'}}
    Texts:
      $ref: 'lists.yaml#/List'
      $defs: {T: {$dynamicAnchor: T, type: string}}
    Numbers:
      $ref: 'other.yaml#/components/schemas/List'
      $defs: {T: {$dynamicAnchor: T, type: number}}
";

const PATHS: &str = "
users:
  put:
    requestBody:
      content:
        application/json:
          schema:
            $ref: 'main.yaml#/components/schemas/Users'
    responses:
      200:
        description: d
        content:
          application/json:
            schema:
              $ref: page.json
              $defs: {T: {$dynamicAnchor: T, type: boolean}}
";

async fn document() -> (tempfile::TempDir, Document) {
    let folder = tempfile::tempdir().unwrap();
    let list = "{type: array, items: {$dynamicRef: '#T'}}";
    for (name, text) in [
        ("main.yaml", MAIN.to_owned()),
        ("paths.yaml", PATHS.to_owned()),
        (
            "page.json",
            json!({"type": "array", "items": {"$dynamicRef": "#T"}}).to_string(),
        ),
        ("lists.yaml", format!("List: {list}\nT: {{}}\n")),
        (
            "other.yaml",
            format!("openapi: 3.1.0\npaths: {{}}\ncomponents: {{schemas: {{List: {list}}}}}\n"),
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let main = Source::File(Path::new(folder.path()).join("main.yaml"));
    let document = load(&main, &Settings::default()).await.unwrap();
    (folder, document)
}

#[tokio::test]
async fn templates_are_bound_across_files() {
    let (_folder, document) = document().await;
    assert!(document.findings.is_empty(), "{:?}", document.findings);
    assert_plain(&document);
    let components = document.schemas.get("#/components").unwrap();
    let operation = &document.operations[0];
    let reference = |schema: &Value| schema["$ref"].as_str().unwrap().to_owned();
    let body = &operation.request_body.as_ref().unwrap().content[0].schema;
    let answer = &operation.responses[0].content[0].schema;
    let named = |name: &str| format!("#/components/schemas/{name}");
    let all = [json!([{}]), json!(["a"]), json!([1]), json!([true])];
    for (reference, taken) in [
        (reference(body), 0),
        (named("Users"), 0),
        (named("Texts"), 1),
        (named("Numbers"), 2),
        (reference(answer), 3),
    ] {
        for (index, value) in all.iter().enumerate() {
            let found = takes_at(components, &reference, value);
            assert_eq!(found, index == taken, "{reference}: {value}: {components}");
        }
    }
}
