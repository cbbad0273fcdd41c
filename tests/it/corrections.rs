//! What is put right in arguments: members that the service sets itself are left out, integers are spelled as integers.

use serde_json::{Value, json};

use crate::support::{Upstream, serve, text, tool};

fn sent(upstream: &Upstream) -> Value {
    serde_json::from_str(&upstream.only().text()).unwrap()
}

const PATHS: &str = "  /pets/{id}:
    put:
      operationId: putPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'200': {description: ok}}
    patch:
      operationId: patchPet
      x-mcp: {body: flat}
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Open'}}}}
      responses: {'200': {description: ok}}
  /any:
    post:
      operationId: postAny
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Any'}}}}
      responses: {'200': {description: ok}}
  /map:
    post:
      operationId: postMap
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Mapped'}}}}
      responses: {'200': {description: ok}}
";
const COMPONENTS: &str = "  schemas:
    Id: {type: integer, readOnly: true}
    Base: {type: object, required: [id], properties: {id: {$ref: '#/components/schemas/Id'}, kind: {type: string, readOnly: true}}}
    Owner: {type: object, additionalProperties: false, properties: {name: {type: string}, made: {type: string, readOnly: true}}}
    Open:
      type: object
      additionalProperties: true
      properties: {id: {type: integer, readOnly: true}, made: {type: string, readOnly: true}, name: {type: string}}
    Pet:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          properties:
            name: {type: string}
            owner: {nullable: true, allOf: [{$ref: '#/components/schemas/Owner'}]}
            friends: {type: array, items: {$ref: '#/components/schemas/Pet'}}
            byName: {type: object, additionalProperties: {$ref: '#/components/schemas/Owner'}}
    Cat: {type: object, properties: {id: {type: integer, readOnly: true}, lives: {type: integer, readOnly: true}, shared: {type: integer, readOnly: true}, kind: {type: string, readOnly: true}}}
    Dog: {type: object, properties: {id: {type: integer, readOnly: true}, shared: {type: integer}, kind: {type: string, readOnly: true}}}
    Any:
      anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind}
    Mapped:
      anyOf: [{$ref: '#/components/schemas/Cat'}, {type: object, additionalProperties: {type: integer}}]
";

#[tokio::test]
async fn what_was_read_can_be_put_back() {
    let (upstream, bridge) = serve(PATHS, COMPONENTS).await;
    let pet = json!({"id": 1, "kind": "cat", "name": "Tom", "extra": {"id": 5},
        "owner": {"name": "Ann", "made": "today"},
        "friends": [{"id": 2, "name": "Jim", "friends": [{"id": 3}]}],
        "byName": {"made": {"name": "Bob", "made": "then"}}});
    let expected = json!({"name": "Tom", "extra": {"id": 5}, "owner": {"name": "Ann"},
        "friends": [{"name": "Jim", "friends": [{}]}], "byName": {"made": {"name": "Bob"}}});
    // As an object, and as a text that is one.
    for body in [pet.clone(), json!(pet.to_string())] {
        upstream.forget();
        let result = bridge.call("putPet", json!({"id": 1, "body": body})).await;
        assert_eq!(result["isError"], false, "{}", text(&result));
        assert_eq!(sent(&upstream), expected);
        assert_eq!(upstream.only().target, "/pets/1");
    }
    let tools = bridge.tools().await;
    let schema = tool(&tools, "putPet")["inputSchema"].to_string();
    assert!(
        !schema.contains("readOnly") && !schema.contains("made"),
        "{schema}"
    );
}

#[tokio::test]
async fn only_members_that_nobody_takes_are_left_out() {
    let (upstream, bridge) = serve(PATHS, COMPONENTS).await;
    for (tool, arguments, expected) in [
        // A flat body: `id` is the path's.
        (
            "patchPet",
            json!({"id": 4, "name": "Tom", "made": "today", "more": true}),
            json!({"name": "Tom", "more": true}),
        ),
        // `shared` may be meant for a dog, and alternatives are told apart by `kind`.
        (
            "postAny",
            json!({"body": {"id": 1, "lives": 7, "shared": 2, "kind": "Dog"}}),
            json!({"shared": 2, "kind": "Dog"}),
        ),
        // The other alternative takes any name.
        ("postMap", json!({"body": {"id": 1}}), json!({"id": 1})),
    ] {
        upstream.forget();
        let result = bridge.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{}", text(&result));
        assert_eq!(sent(&upstream), expected, "{tool}");
    }
}

#[tokio::test]
async fn integers_are_spelled_as_integers() {
    let paths = "  /n/{n}:
    post:
      operationId: post
      parameters:
        - {name: n, in: path, required: true, schema: {type: integer}}
        - {name: list, in: query, schema: {type: array, items: {type: integer}}}
        - {name: some, in: query, style: deepObject, schema: {type: object, properties: {a: {type: integer}, b: {type: number}}, additionalProperties: {type: integer}}}
        - {name: either, in: query, schema: {anyOf: [{type: integer}, {type: string}]}}
        - {name: number, in: query, schema: {type: number}}
        - {name: X-Nullable, in: header, schema: {type: integer, nullable: true}}
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {i: {$ref: '#/components/schemas/Whole'}, f: {type: number}}}
      responses: {'200': {description: ok}}
";
    let components = "  schemas: {Whole: {type: integer}}\n";
    let (upstream, bridge) = serve(paths, components).await;
    let arguments = r#"{"n":1e3,"list":[7.0,12345678901234567890.0,1e400],"some":{"a":2.0,"b":2.0,"c":3.0},"either":1.50e1,
        "number":1.0,"X-Nullable":-0.0,"body":{"i":5.00,"f":5.00}}"#;
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"post","arguments":{arguments}}}}}"#
    );
    let (_, answer) = bridge.post(message, &[]).await;
    assert!(!answer.contains(r#""isError":true"#), "{answer}");
    let seen = upstream.only();
    assert_eq!(
        seen.target,
        "/n/1000?list=7&list=12345678901234567890&list=1e%2B400\
         &some%5Ba%5D=2&some%5Bb%5D=2.0&some%5Bc%5D=3&either=15&number=1.0"
    );
    assert_eq!(seen.header("x-nullable"), Some("0"));
    assert_eq!(seen.text(), "i=5&f=5.00");
}
