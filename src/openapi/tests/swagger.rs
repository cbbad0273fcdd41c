//! Swagger 2.0.

use serde_json::{Value, json};

use super::super::{ParameterLocation, ParameterStyle, SecurityKind, Severity};
use super::{keys, load, load_at, rules};

fn swagger(mut members: Value, paths: Value) -> Value {
    members["swagger"] = json!("2.0");
    members["paths"] = paths;
    members
}

fn servers(members: Value, base: Option<&str>) -> Vec<String> {
    let document = load_at(&swagger(members, json!({"/a": {"get": {}}})), base);
    document.operations[0]
        .servers
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn host_base_path_and_schemes_are_servers() {
    let base = Some("http://docs.test:81/v2/swagger.json");
    let table = [
        (
            json!({"host": "a.test", "basePath": "/v1", "schemes": ["http", "https"]}),
            None,
            vec!["https://a.test/v1", "http://a.test/v1"],
        ),
        (
            json!({"host": "localhost:8080", "schemes": ["http", "https"]}),
            None,
            vec!["http://localhost:8080/", "https://localhost:8080/"],
        ),
        (
            json!({"host": "a.test", "basePath": "/v1"}),
            base,
            vec!["http://a.test/v1"],
        ),
        (json!({"host": "a.test"}), None, vec!["https://a.test/"]),
        (
            json!({"basePath": "v1"}),
            base,
            vec!["http://docs.test:81/v1"],
        ),
        (json!({"basePath": "/v1"}), None, vec![]),
        (json!({}), base, vec!["http://docs.test:81/"]),
        (
            json!({"host": "a.test", "schemes": ["wss"]}),
            base,
            vec!["http://a.test/"],
        ),
    ];
    for (members, base, expected) in table {
        assert_eq!(servers(members.clone(), base), expected, "{members}");
    }
}

#[test]
fn the_body_parameter_is_the_request_body() {
    let document = load(&swagger(
        json!({"consumes": ["application/json", "application/xml"],
            "definitions": {"Pet": {"type": "object", "x-nullable": true}},
            "parameters": {"Shared": {"in": "body", "name": "pet", "required": true, "description": "the pet",
                "schema": {"$ref": "#/definitions/Pet"}}}}),
        json!({"/pets": {
            "parameters": [{"$ref": "#/parameters/Shared"}, {"in": "query", "name": "q", "type": "string"}],
            "post": {}, "put": {"consumes": ["text/plain"], "parameters": [{"in": "body", "name": "other", "schema": {"type": "string"}}]},
        }}),
    ));
    assert_eq!(keys(&document), ["POST /pets", "PUT /pets"]);
    let body = document.operations[0].request_body.as_ref().unwrap();
    assert!(body.required);
    assert_eq!(body.description.as_deref(), Some("the pet"));
    let names: Vec<_> = body
        .content
        .iter()
        .map(|media| media.name.as_str())
        .collect();
    assert_eq!(names, ["application/json", "application/xml"]);
    assert_eq!(
        body.content[0].schema,
        json!({"$ref": "#/components/schemas/Pet"})
    );
    assert_eq!(
        document.schemas.get("#/components/schemas/Pet").unwrap(),
        &json!({"type": ["object", "null"]})
    );
    assert_eq!(document.operations[0].parameters.len(), 1);
    let body = document.operations[1].request_body.as_ref().unwrap();
    assert!(!body.required);
    assert_eq!(body.content[0].name, "text/plain");
    assert!(document.findings.is_empty(), "{:?}", document.findings);
}

fn forms() -> super::Document {
    let fields = json!([
        {"in": "formData", "name": "name", "type": "string", "required": true, "description": "d", "x-more": 1},
        {"in": "formData", "name": "tags", "type": "array", "items": {"type": "string"}, "collectionFormat": "pipes"},
        {"in": "formData", "name": "ids", "type": "array", "items": {"type": "integer"}, "collectionFormat": "multi"},
    ]);
    let mut with_file = fields.clone();
    with_file
        .as_array_mut()
        .unwrap()
        .push(json!({"in": "formData", "name": "file", "type": "file"}));
    load(&swagger(
        json!({}),
        json!({
            "/a": {"post": {"parameters": fields}},
            "/b": {"post": {"parameters": with_file, "consumes": ["application/x-www-form-urlencoded", "multipart/form-data"]}},
            "/c": {"post": {"parameters": with_file}},
            "/d": {"post": {"parameters": fields, "consumes": ["multipart/form-data", "application/x-www-form-urlencoded"]}},
        }),
    ))
}

#[test]
fn forms_travel_as_what_is_consumed() {
    let document = forms();
    let types: Vec<Vec<_>> = document
        .operations
        .iter()
        .map(|operation| {
            operation
                .request_body
                .iter()
                .flat_map(|body| &body.content)
                .map(|media| media.name.as_str())
                .collect()
        })
        .collect();
    let (form, multipart) = ("application/x-www-form-urlencoded", "multipart/form-data");
    assert_eq!(
        types,
        [
            vec![form],
            vec![multipart],
            vec![multipart],
            vec![multipart, form]
        ]
    );
}

#[test]
fn form_parameters_are_a_form_body() {
    let document = forms();
    let body = document.operations[1].request_body.as_ref().unwrap();
    assert!(body.required);
    assert_eq!(
        body.content[0].schema,
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "d", "x-more": 1},
                "tags": {"type": "array", "items": {"type": "string"}},
                "ids": {"type": "array", "items": {"type": "integer"}},
                "file": {"type": "string", "format": "binary"},
            },
            "required": ["name"],
        })
    );
    let encoding: Vec<_> = body.content[0]
        .encoding
        .iter()
        .map(|(name, e)| (name.as_str(), e.style, e.explode))
        .collect();
    assert_eq!(
        encoding,
        [
            ("tags", Some(ParameterStyle::PipeDelimited), false),
            ("ids", Some(ParameterStyle::Form), true),
        ]
    );
}

#[test]
fn collection_formats_are_styles() {
    let table = [
        ("query", json!("csv"), ParameterStyle::Form, false),
        ("query", json!("ssv"), ParameterStyle::SpaceDelimited, false),
        ("query", json!("tsv"), ParameterStyle::TabDelimited, false),
        (
            "query",
            json!("pipes"),
            ParameterStyle::PipeDelimited,
            false,
        ),
        ("query", json!("multi"), ParameterStyle::Form, true),
        ("query", Value::Null, ParameterStyle::Form, false),
        ("header", Value::Null, ParameterStyle::Simple, false),
        ("path", json!("csv"), ParameterStyle::Simple, false),
        ("path", json!("pipes"), ParameterStyle::PipeDelimited, false),
    ];
    for (location, format, style, explode) in table {
        let mut parameter = json!({"in": location, "name": "a", "type": "array", "items": {"type": "string"},
            "maxItems": 3, "default": ["x"], "x-example": ["y"], "x-keep": true, "description": "d"});
        if !format.is_null() {
            parameter["collectionFormat"] = format.clone();
        }
        let document = load(&swagger(
            json!({}),
            json!({"/p/{a}": {"get": {"parameters": [parameter]}}}),
        ));
        let found = &document.operations[0].parameters[0];
        assert_eq!(
            (found.style, found.explode),
            (style, explode),
            "{location} {format}"
        );
        assert_eq!(
            found.schema,
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": ["x"]})
        );
        assert_eq!(found.example, Some(json!(["y"])));
        assert_eq!(found.extensions["x-keep"], true);
    }
}

#[test]
fn responses_take_what_is_produced() {
    let document = load(&swagger(
        json!({"produces": ["application/json"], "responses": {"Gone": {"description": "gone", "schema": {"type": "string"}}}}),
        json!({"/a": {"get": {"responses": {
            "200": {"description": "ok", "schema": {"type": "object"}, "headers": {"X-A": {"type": "integer", "collectionFormat": "csv"}},
                "examples": {"application/json": {"a": 1}}},
            "204": {"description": "nothing"}, "410": {"$ref": "#/responses/Gone"}, "x-not": {}}}},
          "/file": {"get": {"produces": [], "responses": {"200": {"description": "f", "schema": {"type": "file"}}}}}}),
    ));
    let found: Vec<_> = document.operations[0]
        .responses
        .iter()
        .map(|response| {
            (
                response.status.as_str(),
                response.description.as_deref(),
                response.content.len(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("200", Some("ok"), 1),
            ("204", Some("nothing"), 0),
            ("410", Some("gone"), 1)
        ]
    );
    assert_eq!(
        document.operations[0].responses[0].content[0].example,
        Some(json!({"a": 1}))
    );
    let file = &document.operations[1].responses[0].content[0];
    assert_eq!(file.name, "application/octet-stream");
    assert_eq!(file.schema, json!({"type": "string", "format": "binary"}));
}

#[test]
fn security_definitions_are_schemes() {
    let document = load(&swagger(
        json!({"security": [{"key": []}], "securityDefinitions": {
            "plain": {"type": "basic"}, "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "flow": {"type": "oauth2", "flow": "accessCode", "authorizationUrl": "https://a.test", "tokenUrl": "https://b.test", "scopes": {"r": "read"}},
            "bad": {"type": "apiKey", "in": "body", "name": "x"}}}),
        json!({"/a": {"get": {"security": [{"flow": ["r"]}, {}]}, "post": {"security": []}, "put": {}}}),
    ));
    let kinds: Vec<_> = document
        .security_schemes
        .iter()
        .map(|scheme| scheme.kind.clone())
        .collect();
    assert_eq!(
        kinds,
        [
            SecurityKind::Http {
                scheme: "basic".into()
            },
            SecurityKind::ApiKey {
                location: ParameterLocation::Header,
                parameter: "X-Key".into()
            },
            SecurityKind::OAuth2 {
                flows: json!({"authorizationCode": {"authorizationUrl": "https://a.test", "tokenUrl": "https://b.test", "scopes": {"r": "read"}}})
            },
        ]
    );
    assert_eq!(
        rules(&document.findings),
        [(
            Severity::Warning,
            "invalid-security-scheme",
            "/securityDefinitions/bad"
        )]
    );
    let counts: Vec<_> = document
        .operations
        .iter()
        .map(|operation| operation.security.as_ref().map(Vec::len))
        .collect();
    assert_eq!(counts, [Some(2), Some(0), Some(1)]);
}

#[test]
fn findings_point_into_the_document_as_written() {
    let document = load(&swagger(
        json!({"definitions": {"A/B": {"type": "Wrong"}}}),
        json!({"/a": {"get": {"parameters": [
            {"in": "body", "name": "b", "schema": {"$ref": "#/definitions/A~1B"}}, {"in": "query"}, {"$ref": "#/parameters/None"}]},
            "put": {"parameters": [{"in": "body", "name": "b", "schema": {}}, {"in": "query"}]}}}),
    ));
    assert_eq!(keys(&document), ["PUT /a"]);
    assert_eq!(
        rules(&document.findings),
        [
            (Severity::Warning, "invalid-type", "/definitions/A~1B/type"),
            (
                Severity::Warning,
                "invalid-parameter",
                "/paths/~1a/get/parameters/1"
            ),
            (
                Severity::Error,
                "operation-left-out",
                "/paths/~1a/get/parameters/2"
            ),
            (
                Severity::Warning,
                "invalid-parameter",
                "/paths/~1a/put/parameters/1"
            ),
        ]
    );
}
