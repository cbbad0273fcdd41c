//! Paths, path items, operations, bodies, references between them.

use http::Method;
use serde_json::json;

use super::super::{ParameterStyle, Severity};
use super::{keys, load, load_at, operation, rules, with_paths};

#[test]
fn methods_are_operations_and_nothing_else_is() {
    let document = load(&with_paths(
        "3.2.0",
        &json!({
            "/a": {
                "summary": "s", "description": "d", "parameters": [], "servers": [], "x-thing": {"get": {}}, "unknown": {},
                "get": {}, "put": {}, "post": {}, "delete": {}, "options": {}, "head": {}, "patch": {}, "trace": {}, "query": {},
                "additionalOperations": {"COPY": {"summary": "own"}, "not a token": {}}
            },
            "x-paths": {"get": {}},
            "/null": null,
        }),
    ));
    assert_eq!(
        keys(&document),
        [
            "GET /a",
            "PUT /a",
            "POST /a",
            "DELETE /a",
            "OPTIONS /a",
            "HEAD /a",
            "PATCH /a",
            "TRACE /a",
            "QUERY /a",
            "COPY /a",
        ]
    );
    assert_eq!(
        document.operations[9].method,
        Method::from_bytes(b"COPY").unwrap()
    );
    assert_eq!(
        document.operations[9].pointer,
        "/paths/~1a/additionalOperations/COPY"
    );
    assert_eq!(document.operations[9].summary.as_deref(), Some("own"));
    assert_eq!(document.operations[0].summary.as_deref(), Some("s"));
    assert_eq!(document.operations[0].description.as_deref(), Some("d"));
    assert_eq!(
        rules(&document.findings),
        [(
            Severity::Error,
            "operation-left-out",
            "/paths/~1a/additionalOperations/not a token"
        ),]
    );
}

#[test]
fn documents_without_paths_have_no_operations() {
    for paths in [json!(null), json!({})] {
        let document =
            load(&json!({"openapi": "3.1.0", "paths": paths, "webhooks": {"new": {"post": {}}}}));
        assert!(document.operations.is_empty() && document.findings.is_empty());
    }
    assert!(load(&json!({"openapi": "3.1.0"})).operations.is_empty());
    assert_eq!(
        rules(&load(&json!({"openapi": "3.1.0", "paths": [1]})).findings).len(),
        1
    );
}

#[test]
fn everything_an_operation_says_is_kept() {
    let document = load(&json!({
        "openapi": "3.1.0",
        "security": [{"key": []}],
        "paths": {"/a": {"x-level": "item", "x-item": 1, "get": {
            "operationId": "getA", "tags": ["one", 2, "two"], "deprecated": true, "x-level": "operation",
            "externalDocs": {"url": "https://docs.test"}, "security": [{"oauth": ["r", "w"], "key": []}, {}],
        }}},
        "components": {"securitySchemes": {
            "bearer": {"type": "http", "scheme": "Bearer"}, "alias": {"$ref": "#/components/securitySchemes/bearer"},
            "open": {"type": "openIdConnect", "openIdConnectUrl": "https://id.test"}, "tls": {"type": "mutualTLS"}, "new": {"type": "later"},
        }},
    }));
    let found = &document.operations[0];
    assert_eq!(found.operation_id.as_deref(), Some("getA"));
    assert_eq!(found.tags, ["one", "two"]);
    assert!(found.deprecated);
    assert_eq!(found.extensions["x-level"], "operation");
    assert_eq!(found.extensions["x-item"], 1);
    assert_eq!(
        found.external_docs,
        Some(json!({"url": "https://docs.test"}))
    );
    let security = found.security.as_ref().unwrap();
    assert_eq!(security[0][0].scopes, ["r", "w"]);
    assert!(security[1].is_empty());
    let names: Vec<_> = document
        .security_schemes
        .iter()
        .map(|scheme| scheme.name.as_str())
        .collect();
    assert_eq!(names, ["bearer", "alias", "open", "tls", "new"]);
    assert_eq!(
        document.security_schemes[0].kind,
        document.security_schemes[1].kind
    );
}

#[test]
fn every_level_of_x_mcp_is_kept() {
    let document = load(&with_paths(
        "3.1.0",
        &json!({
            "/a": {"x-mcp": {"confirm": true}, "get": {"x-mcp": {"name": "own"}}, "put": {}},
        }),
    ));
    let [own, without] = &document.operations[..] else {
        panic!("{:?}", document.operations);
    };
    assert_eq!(own.extensions["x-mcp"], json!({"name": "own"}));
    assert_eq!(own.farther_mcp, [json!({"confirm": true})]);
    assert_eq!(without.extensions["x-mcp"], json!({"confirm": true}));
    assert!(without.farther_mcp.is_empty());
}

#[test]
fn servers_of_the_nearest_level_come_first() {
    let document = load_at(
        &json!({
            "openapi": "3.1.0",
            "servers": [{"url": "https://doc.test"}],
            "paths": {"/a": {
                "servers": [{"url": "https://item.test"}],
                "get": {"servers": [{"url": "/own"}]}, "put": {},
            }, "/b": {"get": {"servers": []}}},
        }),
        Some("https://home.test/openapi.json"),
    );
    let servers = |at: usize| -> Vec<String> {
        document.operations[at]
            .servers
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(
        servers(0),
        [
            "https://home.test/own",
            "https://item.test/",
            "https://doc.test/"
        ]
    );
    assert_eq!(servers(1), ["https://item.test/", "https://doc.test/"]);
    assert_eq!(servers(2), ["https://doc.test/"]);
    assert_eq!(
        document.operations[0].own_servers,
        Some(json!([{"url": "/own"}]))
    );
    let moved = load_at(
        &json!({"openapi": "3.2.0", "$self": "https://self.test/api/doc", "servers": [{"url": "v1"}], "paths": {"/a": {"get": {}}}}),
        None,
    );
    assert_eq!(
        moved.operations[0].servers[0].as_str(),
        "https://self.test/api/v1"
    );
}

#[test]
fn bodies_and_responses_are_modelled() {
    let (found, findings) = operation(
        "/a",
        &json!({
            "requestBody": {"required": true, "description": "b", "x-bodyName": "pet", "content": {
                "application/json": {"schema": {"type": "string", "format": "byte"}, "examples": {"e": {"value": 5}}},
                "application/x-www-form-urlencoded": {"encoding": {
                    "a": {"style": "deepObject"}, "b": {"explode": false, "allowReserved": true}, "c": {"contentType": "text/plain"}}},
                "multipart/form-data": {"encoding": {"b": {"explode": false}}},
                "application/jsonl": {"itemSchema": {"type": "integer"}},
                "text/plain": null,
            }},
            "responses": {"200": {"description": "d", "content": {"application/json": {}}}, "2XX": {"description": "e"}, "default": {"description": "f"}, "x-r": 1},
        }),
    );
    let body = found.request_body.unwrap();
    assert_eq!(body.name.as_deref(), Some("pet"));
    assert_eq!(body.content.len(), 5);
    assert_eq!(body.content[0].example, Some(json!(5)));
    assert_eq!(
        body.content[3].item_schema,
        Some(json!({"type": "integer"}))
    );
    assert_eq!(body.content[4].schema, json!(true));
    let written = |at: usize| {
        let encoding = body.content[at].encoding.iter();
        let written = encoding.map(|(_, one)| (one.style, one.explode));
        written.collect::<Vec<_>>()
    };
    let form = [
        (Some(ParameterStyle::DeepObject), false),
        (Some(ParameterStyle::Form), false),
        (None, true),
    ];
    assert_eq!(written(1), form);
    assert_eq!(written(2), [(None, false)]);
    assert!(body.content[1].encoding[1].1.allow_reserved);
    let statuses: Vec<_> = found
        .responses
        .iter()
        .map(|response| response.status.as_str())
        .collect();
    assert_eq!(statuses, ["200", "2XX", "default"]);
    assert!(findings.is_empty(), "{findings:?}");
    let (found, findings) = operation("/a", &json!({"requestBody": {"content": {}}}));
    assert!(found.request_body.is_none());
    assert_eq!(findings[0].rule, "body-without-content");
}

#[test]
fn references_are_followed_and_their_siblings_win() {
    let document = load(&json!({
        "openapi": "3.1.0",
        "paths": {"/a/{id}": {"$ref": "#/components/pathItems/A"}, "/b/{id}": {"$ref": "#/paths/~1a~1%7Bid%7D", "summary": "near"}},
        "components": {
            "pathItems": {"A": {"summary": "far", "parameters": [{"$ref": "#/components/parameters/Id"}], "post": {
                "requestBody": {"$ref": "#/components/requestBodies/Alias", "description": "near"},
                "responses": {"200": {"$ref": "#/components/responses/R", "description": "near"}}}}},
            "parameters": {"Id": {"in": "path", "name": "id", "schema": {"type": "integer"}}},
            "requestBodies": {"Alias": {"$ref": "#/components/requestBodies/B"},
                "B": {"description": "far", "content": {"application/json": {"$ref": "#/components/mediaTypes/M"}}}},
            "mediaTypes": {"M": {"schema": {"type": "string"}, "examples": {"e": {"$ref": "#/components/examples/E"}}}},
            "examples": {"E": {"value": "v"}},
            "responses": {"R": {"description": "far"}},
        },
    }));
    assert_eq!(keys(&document), ["POST /a/{id}", "POST /b/{id}"]);
    let [a, b] = document.operations.as_slice() else {
        panic!()
    };
    assert_eq!(
        (a.summary.as_deref(), b.summary.as_deref()),
        (Some("far"), Some("near"))
    );
    assert_eq!(b.pointer, "/paths/~1b~1{id}/post");
    assert_eq!(b.parameters[0].schema, json!({"type": "integer"}));
    let body = b.request_body.as_ref().unwrap();
    assert_eq!(body.description.as_deref(), Some("near"));
    assert_eq!(body.content[0].schema, json!({"type": "string"}));
    assert_eq!(body.content[0].example, Some(json!("v")));
    assert_eq!(b.responses[0].description.as_deref(), Some("near"));
}

#[test]
fn an_example_that_refers_is_what_it_refers_to() {
    let media = |target: &str| json!({"examples": {"e": {"value": {"$ref": target}}}});
    let document = load(&json!({
        "openapi": "3.0.3",
        "paths": {"/a": {"post": {"requestBody": {"content": {
            "application/json": media("#/components/examples/E/value"),
            "text/plain": media("#/components/examples/None/value"),
        }}}}},
        "components": {"examples": {"E": {"value": {"a": 1}}}},
    }));
    let body = document.operations[0].request_body.as_ref().unwrap();
    let examples = body.content.iter().map(|one| one.example.clone());
    let examples: Vec<_> = examples.collect();
    assert_eq!(examples, [Some(json!({"a": 1})), None]);
}

#[test]
fn only_the_operation_that_needs_a_broken_reference_is_left_out() {
    let document = load(&with_paths(
        "3.1.0",
        &json!({
            "/a": {
                "get": {"parameters": [{"$ref": "#/components/parameters/None"}]},
                "post": {"requestBody": {"$ref": "#/x"}},
                "put": {"responses": {"200": {"$ref": "#/y"}, "204": {"description": "d"}}},
                "delete": "text",
            },
            "/b": {"$ref": "#/paths/~1c"}, "/c": {"$ref": "#/paths/~1b"}, "/d": {"$ref": "#/paths/~1d"}, "/e": {"$ref": "#/none"},
        }),
    ));
    assert_eq!(keys(&document), ["PUT /a"]);
    assert_eq!(document.operations[0].responses.len(), 1);
    assert_eq!(
        rules(&document.findings),
        [
            (
                Severity::Error,
                "operation-left-out",
                "/paths/~1a/get/parameters/0"
            ),
            (
                Severity::Error,
                "operation-left-out",
                "/paths/~1a/post/requestBody"
            ),
            (
                Severity::Warning,
                "unresolved-reference",
                "/paths/~1a/put/responses/200"
            ),
            (Severity::Error, "operation-left-out", "/paths/~1a/delete"),
            (Severity::Error, "unresolved-reference", "/paths/~1b"),
            (Severity::Error, "unresolved-reference", "/paths/~1c"),
            (Severity::Error, "unresolved-reference", "/paths/~1d"),
            (Severity::Error, "unresolved-reference", "/paths/~1e"),
        ]
    );
    assert!(document.findings[0].message.contains("GET /a is left out"));
}
