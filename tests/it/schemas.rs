//! What becomes of a document's schemas: what a client is told of them, and what arrives of a call.

use serde_json::json;

use crate::support::{Answer, Bridge, DocumentFile, serve, serve_answering, text, tool};

/// `GET /x` with one query parameter for each schema, in YAML's flow form.
fn query(version: &str, parameters: &[(&str, &str)]) -> DocumentFile {
    let parameters: String = parameters
        .iter()
        .map(|(name, schema)| format!("        - {{name: {name}, in: query, schema: {schema}}}\n"))
        .collect();
    DocumentFile::new(
        &format!(
            "openapi: {version}\ninfo: {{title: T, version: '1'}}\nservers: [{{url: 'http://127.0.0.1:9'}}]\npaths:\n  /x:\n    get:\n      operationId: x\n      parameters:\n{parameters}      responses: {{'200': {{description: ok}}}}\n"
        ),
        ".yaml",
    )
}

fn post(schema: &str) -> String {
    format!(
        "  /x:\n    post:\n      operationId: x\n      requestBody:\n        required: true\n        content:\n          application/json:\n            schema: {schema}\n      responses: {{'200': {{description: ok}}}}\n"
    )
}

#[tokio::test]
async fn what_may_be_null_keeps_its_type() {
    let kinds = [
        ("a", "integer", "int32"),
        ("b", "boolean", ""),
        ("c", "number", ""),
        ("d", "string", "date-time"),
    ];
    let old = kinds.map(|(name, kind, format)| {
        let schema = format!("{{type: {kind}, nullable: true, format: '{format}'}}");
        (name, schema)
    });
    let new = kinds.map(|(name, kind, format)| {
        let schema = format!("{{type: [{kind}, 'null'], format: '{format}'}}");
        (name, schema)
    });
    for (version, parameters) in [("3.0.3", &old), ("3.1.0", &new)] {
        let parameters = parameters
            .each_ref()
            .map(|(name, schema)| (*name, &**schema));
        let file = query(version, &parameters);
        let tools = Bridge::start([file.path()]).tools().await;
        let properties = &tool(&tools, "x")["inputSchema"]["properties"];
        for (name, kind, _) in kinds {
            assert_eq!(properties[name]["type"], json!([kind, "null"]), "{version}");
        }
        assert_eq!(properties["d"]["format"], "date-time");
    }
}

#[tokio::test]
async fn an_object_in_the_query_is_never_a_body() {
    let object =
        "schema: {type: object, properties: {Provider: {type: string}, TenantId: {type: integer}}}";
    let paths = format!(
        "  /flat:
    get:
      operationId: flat
      parameters:
        - {{name: Provider, in: query, schema: {{type: string}}}}
        - {{name: TenantId, in: query, schema: {{type: integer}}}}
      responses: {{'200': {{description: ok}}}}
  /form:
    get:
      operationId: form
      parameters: [{{name: request, in: query, style: form, explode: true, {object}}}]
      responses: {{'200': {{description: ok}}}}
  /deep:
    get:
      operationId: deep
      parameters: [{{name: request, in: query, style: deepObject, {object}}}]
      responses: {{'200': {{description: ok}}}}
  /search:
    post:
      operationId: search
      parameters: [{{name: text, in: query, schema: {{type: string}}}}]
      responses: {{'200': {{description: ok}}}}
"
    );
    let (upstream, bridge) = serve(&paths, "").await;
    let value = json!({"Provider": "x", "TenantId": 1});
    bridge.call("flat", value.clone()).await;
    bridge.call("form", json!({"request": value})).await;
    bridge.call("deep", json!({"request": value})).await;
    bridge.call("search", json!({"text": "a b"})).await;
    let (seen, targets) = (upstream.seen(), upstream.targets());
    assert_eq!(
        targets,
        [
            "/flat?Provider=x&TenantId=1",
            "/form?Provider=x&TenantId=1",
            "/deep?request%5BProvider%5D=x&request%5BTenantId%5D=1",
            "/search?text=a%20b",
        ]
    );
    assert!(seen.iter().all(|seen| seen.body.is_empty()));
    assert_eq!(seen[3].method, "POST");
}

#[tokio::test]
async fn operations_of_one_name_are_all_callable_and_warned_of() {
    let paths = "  /users/{id}:
    get:
      operationId: GetUser
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
  /users/by-name/{name}:
    get:
      operationId: GetUser
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: ok}}
  /users:
    get: {operationId: getuser, responses: {'200': {description: ok}}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    let names: Vec<&str> = tools
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let lower: std::collections::BTreeSet<_> = names.iter().map(|n| n.to_lowercase()).collect();
    assert_eq!(lower.len(), 3, "{names:?}");
    let arguments = [json!({"id": 1}), json!({"name": "a"}), json!({})];
    for (name, arguments) in names.iter().zip(arguments) {
        assert_eq!(bridge.call(name, arguments).await["isError"], false);
    }
    let targets = upstream.targets();
    assert_eq!(targets, ["/users/1", "/users/by-name/a", "/users"]);
    bridge.logged("GetUser").await;
}

#[tokio::test]
async fn choices_are_checked_and_sent_as_they_were_given() {
    let paths = post(
        "{type: object, properties: {status: {type: string, enum: [Active, Inactive, Pending]}, level: {type: integer, enum: [0, 1, 2], x-enum-varnames: [Low, Mid, High]}}}",
    );
    let (upstream, bridge) = serve(&paths, "").await;
    let tools = bridge.tools().await;
    let body = &tool(&tools, "x")["inputSchema"]["properties"]["body"]["properties"];
    assert_eq!(
        body["status"]["enum"],
        json!(["Active", "Inactive", "Pending"])
    );
    assert_eq!(
        (&body["level"]["type"], &body["level"]["enum"]),
        (&json!("integer"), &json!([0, 1, 2]))
    );
    bridge
        .call("x", json!({"body": {"status": "Active", "level": 1}}))
        .await;
    assert_eq!(upstream.only().text(), r#"{"status":"Active","level":1}"#);
    upstream.forget();
    for (value, words) in [
        (json!({"status": "Nope"}), ["/body/status", "Pending"]),
        (json!({"level": 99}), ["/body/level", "2"]),
        (json!({"level": "1x"}), ["/body/level", "1x"]),
    ] {
        let refused = bridge.call("x", json!({"body": value})).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(
            words.iter().all(|word| text(&refused).contains(word)),
            "{refused}"
        );
    }
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn types_that_contain_each_other_are_described_and_called() {
    let components = "  schemas:
    Node: {type: object, required: [n], properties: {n: {type: integer}, child: {$ref: '#/components/schemas/Node'}, children: {type: array, items: {$ref: '#/components/schemas/Node'}}}}
    A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}
    B: {type: object, required: [n], properties: {n: {type: integer}, a: {$ref: '#/components/schemas/A'}, c: {$ref: '#/components/schemas/C'}}}
    C: {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}
";
    let paths = post(
        "{type: object, properties: {node: {$ref: '#/components/schemas/Node'}, a: {$ref: '#/components/schemas/A'}}}",
    );
    let (upstream, bridge) = serve(&paths, components).await;
    let schema = tool(&bridge.tools().await, "x")["inputSchema"].clone();
    jsonschema::draft202012::new(&schema).unwrap();
    assert!(schema["$defs"].is_object(), "{schema}");
    let deep = json!({
        "node": {"n": 1, "child": {"n": 2, "child": {"n": 3}}, "children": [{"n": 4, "children": [{"n": 5}]}]},
        "a": {"b": {"n": 1, "c": {"a": {"b": {"n": 2, "a": {}}}}}},
    });
    let result = bridge.call("x", json!({"body": deep})).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(upstream.only().text(), deep.to_string());
    for (wrong, place) in [
        (
            json!({"node": {"n": 1, "children": [{"n": 4, "child": {"n": "x"}}]}}),
            "/body/node/children/0/child/n",
        ),
        (
            json!({"a": {"b": {"n": 1, "c": {"a": {"b": {"n": "x"}}}}}}),
            "/body/a/b/c/a/b/n",
        ),
    ] {
        let refused = bridge.call("x", json!({"body": wrong})).await;
        assert!(text(&refused).contains(place), "{refused}");
    }
}

#[tokio::test]
async fn nested_members_keep_everything_said_of_them() {
    let paths = "  /api/v3/workflow/step-definition/{stepDefinitionId}:
    put:
      operationId: updateStep
      parameters: [{name: stepDefinitionId, in: path, required: true, schema: {type: integer}}]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                StepCode: {type: string, description: The code}
                stepName: {type: string, description: The name}
                silent: {type: string}
                definition:
                  type: object
                  properties:
                    processor:
                      type: object
                      required: [kind]
                      properties:
                        kind: {type: string, enum: [llm, code], default: llm}
                        promptTemplateId: {type: integer, nullable: true}
                lists:
                  type: object
                  properties:
                    texts: {type: array, items: {type: string}}
                    choices: {type: array, items: {type: string, enum: [a, b]}}
                    objects: {type: array, items: {type: object, required: [id], properties: {id: {type: integer, format: int64}}}}
                    lists: {type: array, items: {type: array, items: {type: integer}}}
      responses: {'200': {description: ok}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    let schema = &tool(&tools, "updateStep")["inputSchema"];
    assert_eq!(schema["required"], json!(["stepDefinitionId", "body"]));
    let body = &schema["properties"]["body"]["properties"];
    assert_eq!(
        *body,
        json!({
            "StepCode": {"type": "string", "description": "The code"},
            "stepName": {"type": "string", "description": "The name"},
            "silent": {"type": "string"},
            "definition": {"type": "object", "properties": {"processor": {"type": "object", "required": ["kind"], "properties": {
                "kind": {"type": "string", "enum": ["llm", "code"], "default": "llm"},
                "promptTemplateId": {"type": ["integer", "null"]},
            }}}},
            "lists": {"type": "object", "properties": {
                "texts": {"type": "array", "items": {"type": "string"}},
                "choices": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
                "objects": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "format": "int64"}}}},
                "lists": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            }},
        })
    );
    let value = json!({"StepCode": "A", "definition": {"processor": {"kind": "llm", "promptTemplateId": null}}, "lists": {"lists": [[1], []]}});
    bridge
        .call("updateStep", json!({"stepDefinitionId": 7, "body": value}))
        .await;
    let seen = upstream.only();
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str(), seen.text()),
        (
            "PUT",
            "/api/v3/workflow/step-definition/7",
            value.to_string()
        )
    );
}

#[tokio::test]
async fn required_as_a_boolean_breaks_nothing() {
    let paths = post(
        "{type: object, required: [b], properties: {a: {type: string, required: true}, b: {type: string, required: false}}}",
    );
    let (_upstream, bridge) = serve(&paths, "").await;
    let tools = bridge.tools().await;
    let schema = &tool(&tools, "x")["inputSchema"];
    jsonschema::meta::validate(schema).unwrap();
    assert_eq!(schema["properties"]["body"]["required"], json!(["b"]));
}

#[tokio::test]
async fn a_list_as_an_answer_fits_what_was_promised() {
    let paths = "  /x:
    get:
      operationId: x
      responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {type: integer}}}}}}
";
    let (_upstream, bridge) = serve_answering(paths, "", |_| Answer::json("[1,2]")).await;
    let listed = tool(&bridge.tools().await, "x")["outputSchema"].clone();
    assert!(listed["properties"]["result"].is_object(), "{listed}");
    let (_, modern) = bridge
        .modern("tools/call", json!({"name": "x", "arguments": {}}))
        .await;
    for result in [bridge.call("x", json!({})).await, modern["result"].clone()] {
        assert_eq!(text(&result), "[1,2]");
        assert_eq!(result["structuredContent"], json!({"result": [1, 2]}));
        assert!(jsonschema::is_valid(&listed, &result["structuredContent"]));
    }
}

#[tokio::test]
async fn a_path_parameter_may_be_left_out_where_the_operator_says_so() {
    let paths = "  /api/customer/{customerId}:
    get:
      operationId: customer
      x-mcp: {parameters: {customerId: {required: false}}}
      parameters: [{name: customerId, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
  /api/order/{orderId}:
    get:
      operationId: order
      parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    assert!(
        tool(&tools, "customer")["inputSchema"]
            .get("required")
            .is_none()
    );
    assert_eq!(
        tool(&tools, "order")["inputSchema"]["required"],
        json!(["orderId"])
    );
    bridge.call("customer", json!({})).await;
    bridge.call("customer", json!({"customerId": 7})).await;
    assert_eq!(bridge.call("order", json!({})).await["isError"], true);
    let targets = upstream.targets();
    assert_eq!(targets, ["/api/customer", "/api/customer/7"]);
}

#[tokio::test]
async fn what_a_security_scheme_owns_is_no_argument() {
    let components = "  securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}\n";
    let paths = "  /x:
    get:
      operationId: x
      security: [{key: []}]
      parameters:
        - {name: x-api-key, in: header, schema: {type: string}}
        - {name: clientId, in: header, schema: {type: string}}
      responses: {'200': {description: ok}}
";
    let (upstream, bridge) = serve(paths, components).await;
    let tools = bridge.tools().await;
    let properties = &tool(&tools, "x")["inputSchema"]["properties"];
    assert_eq!(*properties, json!({"clientId": {"type": "string"}}));
    bridge.call("x", json!({"clientId": "c-1"})).await;
    assert_eq!(upstream.only().header("clientid"), Some("c-1"));
}
