//! Parameters: defaults, inheritance, path templates.

use serde_json::{Value, json};

use super::super::{Parameter, ParameterLocation, ParameterStyle, Severity};
use super::{load, operation, rules, with_paths};

fn one(parameter: &Value) -> Parameter {
    let path = if parameter["in"] == "path" {
        "/{p}"
    } else {
        "/"
    };
    let (found, _) = operation(path, &json!({ "parameters": [parameter] }));
    found.parameters[0].clone()
}

#[test]
fn styles_have_their_defaults() {
    use ParameterStyle::{DeepObject, Form, Label, Matrix, PipeDelimited, Simple, SpaceDelimited};
    let table = [
        (json!({"in": "path"}), Simple, false),
        (json!({"in": "query"}), Form, true),
        (json!({"in": "header"}), Simple, false),
        (json!({"in": "cookie"}), Form, true),
        (json!({"in": "query", "explode": false}), Form, false),
        (json!({"in": "path", "style": "label"}), Label, false),
        (
            json!({"in": "path", "style": "matrix", "explode": true}),
            Matrix,
            true,
        ),
        (
            json!({"in": "query", "style": "spaceDelimited"}),
            SpaceDelimited,
            false,
        ),
        (
            json!({"in": "query", "style": "pipeDelimited"}),
            PipeDelimited,
            false,
        ),
        (
            json!({"in": "query", "style": "deepObject"}),
            DeepObject,
            true,
        ),
        (json!({"in": "query", "style": "matrix"}), Form, true),
        (json!({"in": "query", "style": 5}), Form, true),
        (json!({"in": "path", "style": "form"}), Simple, false),
    ];
    for (mut written, style, explode) in table {
        written["name"] = json!("p");
        let found = one(&written);
        assert_eq!((found.style, found.explode), (style, explode), "{written}");
    }
}

#[test]
fn members_are_kept() {
    let found = one(
        &json!({"in": "query", "name": "p", "required": true, "deprecated": true, "description": "d",
        "allowReserved": true, "allowEmptyValue": true, "schema": {"type": "string"}, "examples": {"a": {"value": "v"}}, "x-k": 1}),
    );
    assert!(found.required && found.deprecated && found.allow_reserved && found.allow_empty_value);
    assert_eq!(found.example, Some(json!("v")));
    assert_eq!(found.extensions["x-k"], 1);
    let found = one(
        &json!({"in": "query", "name": "p", "content": {"application/json": {"schema": {"type": "object"}, "example": {}}}}),
    );
    assert_eq!(found.content.as_deref(), Some("application/json"));
    assert_eq!(
        (found.schema, found.example),
        (json!({"type": "object"}), Some(json!({})))
    );
    let found = one(
        &json!({"in": "querystring", "name": "p", "content": {"application/x-www-form-urlencoded": {}}}),
    );
    assert_eq!(found.location, ParameterLocation::QueryString);
    assert_eq!(
        one(&json!({"in": "query", "name": "p"})).schema,
        json!(true)
    );
    // Keywords of the schema in the parameter itself, as Swagger 2.0 has them.
    let found = one(
        &json!({"in": "query", "name": "p", "type": "integer", "format": "int64", "minimum": 1}),
    );
    assert_eq!(
        found.schema,
        json!({"type": "integer", "format": "int64", "minimum": 1})
    );
}

#[test]
fn an_operation_overrides_what_its_path_says() {
    let document = load(&with_paths(
        "3.1.0",
        &json!({"/a/{id}": {
            "parameters": [
                {"in": "path", "name": "id", "schema": {"type": "integer"}},
                {"in": "query", "name": "id", "description": "item"},
                {"in": "header", "name": "X-Trace", "description": "item"},
            ],
            "get": {"parameters": [
                {"in": "query", "name": "id", "description": "own"},
                {"in": "header", "name": "x-trace", "description": "own"},
                {"in": "query", "name": "twice", "description": "first"},
                {"in": "query", "name": "twice", "description": "second"},
            ]},
            "put": {},
        }}),
    ));
    let told = |at: usize| -> Vec<(&str, Option<&str>)> {
        document.operations[at]
            .parameters
            .iter()
            .map(|p| (p.name.as_str(), p.description.as_deref()))
            .collect()
    };
    assert_eq!(
        told(0),
        [
            ("id", None),
            ("id", Some("own")),
            ("x-trace", Some("own")),
            ("twice", Some("second"))
        ]
    );
    assert_eq!(
        told(1),
        [
            ("id", None),
            ("id", Some("item")),
            ("X-Trace", Some("item"))
        ]
    );
    assert!(document.operations[0].parameters[0].required);
    assert_eq!(
        rules(&document.findings),
        [(
            Severity::Warning,
            "duplicate-parameter",
            "/paths/~1a~1{id}/get/parameters/3"
        )]
    );
}

#[test]
fn some_headers_and_broken_parameters_count_for_nothing() {
    let (found, findings) = operation(
        "/",
        &json!({"parameters": [
            {"in": "header", "name": "Accept"}, {"in": "header", "name": "content-TYPE"}, {"in": "header", "name": "Authorization"},
            {"in": "header"}, {"name": "x"}, {"in": "body", "name": "x"}, "text", {"in": "query", "name": "Accept"},
        ]}),
    );
    assert_eq!(found.parameters.len(), 1);
    let told: Vec<_> = findings
        .iter()
        .map(|finding| (finding.severity, finding.rule))
        .collect();
    let ignored = (Severity::Note, "ignored-header");
    let invalid = (Severity::Warning, "invalid-parameter");
    assert_eq!(
        told,
        [
            ignored, ignored, ignored, invalid, invalid, invalid, invalid
        ]
    );
}

#[test]
fn path_templates_and_parameters_are_matched() {
    // Path, defined names, expected (name, required), rules of the findings.
    type Row = (
        &'static str,
        &'static [&'static str],
        &'static [(&'static str, bool)],
        &'static [&'static str],
    );
    let table: [Row; 12] = [
        ("/a/{id}", &["id"], &[("id", true)], &[]),
        ("/a/{id?}", &["id"], &[("id", false)], &[]),
        ("/a/{id:int}", &["id"], &[("id", true)], &[]),
        ("/a/{id:int:min(1)}", &["id"], &[("id", true)], &[]),
        ("/a/{id:int?}", &["id"], &[("id", false)], &[]),
        (
            "/a/{t?}/b/{c?}",
            &["t", "c"],
            &[("t", true), ("c", false)],
            &[],
        ),
        ("/a/{*slug}", &["slug"], &[("slug", false)], &[]),
        ("/a/{**slug}", &["**slug"], &[("**slug", false)], &[]),
        ("/a/{page=1}", &["page"], &[("page", false)], &[]),
        ("/a/{userId}", &["userid"], &[("userId", true)], &[]),
        (
            "/a/{id}",
            &[],
            &[("id", true)],
            &["undefined-path-parameter"],
        ),
        (
            "/a/{id}/{id}",
            &["id", "no", "other"],
            &[("id", true)],
            &["parameter-not-in-path", "parameter-not-in-path"],
        ),
    ];
    for (path, defined, expected, told) in table {
        let defined: Vec<_> = defined
            .iter()
            .map(|name| json!({"in": "path", "name": name, "schema": {"type": "string"}}))
            .collect();
        let (found, findings) = operation(path, &json!({ "parameters": defined }));
        let parameters: Vec<_> = found
            .parameters
            .iter()
            .map(|p| (p.name.as_str(), p.required))
            .collect();
        assert_eq!(parameters, expected, "{path}");
        let rules: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, told, "{path}");
        assert_eq!(found.path, path);
    }
    let query = json!({"in": "query", "name": "y", "schema": {"type": "string"}});
    for path in ["/a?y={y}", "/a?x={y}", "/a?y={x}"] {
        let (found, findings) = operation(path, &json!({ "parameters": [query] }));
        assert_eq!(found.parameters.len(), 1, "{path}: {:?}", found.parameters);
        assert!(findings.is_empty(), "{path}: {findings:?}");
    }
    let (found, _) = operation("/a/{id}", &json!({}));
    assert_eq!(found.parameters[0].schema, json!({"type": "string"}));
}

#[test]
fn a_part_s_required_headers_have_the_value_they_can_have() {
    let headers = json!({
        "X-Const": {"required": true, "schema": {"const": 5}},
        "X-Enum": {"required": true, "schema": {"type": "string", "enum": ["one"]}},
        "X-Default": {"required": true, "schema": {"type": "string", "default": "d"}},
        "X-Optional": {"schema": {"const": "o"}},
        "X-Open": {"required": true, "schema": {"type": "string", "enum": ["a", "b"]}},
        "X-Split": {"required": true, "schema": {"const": "a\r\nb"}},
        "Content-Type": {"required": true, "schema": {"const": "a/b"}},
        "content-transfer-encoding": {"required": true, "schema": {"const": "base64"}},
    });
    let content = |name: &str| {
        let media = json!({"schema": {}, "encoding": {"a": {"headers": headers}}});
        json!({"requestBody": {"content": {name: media}}, "responses": {}})
    };
    let of = |name: &str| {
        let (operation, findings) = operation("/x", &content(name));
        let body = operation.request_body.unwrap();
        let found = body.content[0].encoding[0].1.headers.clone();
        let told: Vec<_> = findings
            .into_iter()
            .filter(|one| one.rule == "part-header")
            .collect();
        (found, told)
    };
    let (found, told) = of("multipart/form-data");
    let pairs = [("X-Const", "5"), ("X-Enum", "one"), ("X-Default", "d")];
    assert_eq!(
        found,
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].message.contains("X-Open") && told[1].message.contains("X-Split"),
        "{told:?}"
    );
    // Forms have no parts.
    assert_eq!(
        of("application/x-www-form-urlencoded"),
        (Vec::new(), Vec::new())
    );
}
