//! Which arguments a tool has.

use super::*;

#[test]
fn parameters_and_body_become_arguments() {
    let mut update = operation("PUT", "/pets/{id}");
    update.parameters = vec![
        parameter("id", Path, json!({ "type": "integer" })),
        parameter("id", Query, json!({ "type": "string" })),
        parameter("Authorization", Header, json!({ "type": "string" })),
        parameter("X-Trace", Header, json!({ "type": "string" })),
    ];
    let pet = json!({ "$ref": "#/components/schemas/Pet" });
    update.request_body = Some(body(vec![media("application/json", pet)]));
    let components = json!({ "Pet": {
        "type": "object",
        "required": ["id", "name"],
        "properties": {
            "id": { "type": "integer", "readOnly": true },
            "name": { "type": "string", "example": "Rex", "xml": { "attribute": true } },
        },
        "x-internal": 1,
    } });
    assert_eq!(
        input(update, &components),
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "integer" },
                "id_query": { "type": "string" },
                "X-Trace": { "type": "string" },
                "body": {
                    "type": "object",
                    "required": ["name"],
                    "properties": { "name": { "type": "string" } },
                },
            },
            "required": ["id", "body"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn an_operation_without_arguments_takes_none() {
    assert_eq!(
        input(operation("GET", "/"), &json!({})),
        json!({ "type": "object", "additionalProperties": false })
    );
}

#[test]
fn what_a_security_scheme_owns_is_no_argument() {
    let mut list = operation("GET", "/pets");
    list.parameters = vec![
        parameter("x-api-key", Header, json!({ "type": "string" })),
        parameter("token", Query, json!({ "type": "string" })),
        parameter("Token", Query, json!({ "type": "string" })),
        parameter("sid", Cookie, json!({ "type": "string" })),
    ];
    let mut document = document(vec![list], &json!({}));
    for (location, name) in [(Header, "X-API-Key"), (Query, "token"), (Cookie, "sid")] {
        document.security_schemes.push(SecurityScheme {
            name: name.to_owned(),
            kind: SecurityKind::ApiKey {
                location,
                parameter: name.to_owned(),
            },
        });
    }
    let names = |tool: &Tool| {
        let names = target(tool).parameters.iter().map(|one| one.name.clone());
        names.collect::<Vec<String>>()
    };
    let keyed = |document: &Document, credentials: &[&str]| {
        let mut source = Source::plain(document);
        let credentials = credentials.iter().map(|&name| name.to_owned());
        source.credentials = credentials.collect();
        discover(&[source], &Settings::default()).tools.remove(0)
    };
    let all = ["X-API-Key", "token", "sid"];
    let tool = keyed(&document, &all);
    assert_eq!(names(&tool), ["Token"]);
    let keys = target(&tool).keys.iter().map(|key| &*key.scheme.name);
    assert_eq!(keys.collect::<Vec<_>>(), all);

    // What the operator does not give, only the caller can: as a secret. A header stays the client's own.
    let tool = keyed(&document, &["token"]);
    assert_eq!(names(&tool), ["Token", "sid"]);
    let properties = &tool.input_schema.parse()["properties"];
    assert_eq!(
        properties["sid"],
        json!({"type": "string", "writeOnly": true})
    );
    assert_eq!(properties["Token"], json!({"type": "string"}));

    // Who wants the header as well says so, and is heard where nobody gives it.
    let mut shown = document.clone();
    let shows = ("x-mcp".to_owned(), json!({ "hidden": false }));
    shown.operations[0].parameters[0].extensions.extend([shows]);
    assert_eq!(names(&keyed(&shown, &all)), ["Token"]);
    let tool = keyed(&shown, &["token", "sid"]);
    assert_eq!(names(&tool), ["x-api-key", "Token"]);
    let properties = &tool.input_schema.parse()["properties"];
    assert_eq!(properties["x-api-key"]["writeOnly"], true);

    // A scheme that the operation does not use owns nothing there.
    document.operations[0].security = Some(vec![vec![SecurityRequirement {
        scheme: "sid".to_owned(),
        scopes: Vec::new(),
    }]]);
    let tool = run(&document, &Settings::default()).tools.remove(0);
    assert_eq!(names(&tool), ["x-api-key", "token", "Token", "sid"]);
    let tool = keyed(&document, &all);
    assert_eq!(names(&tool), ["x-api-key", "token", "Token"]);
    assert_eq!(target(&tool).keys.len(), 1);
}

#[test]
fn optional_path_parameters_only_at_the_end() {
    let mut find = operation("GET", "/tenant/{tenantId?}/customer/{customerId:int?}");
    for name in ["tenantId", "customerId"] {
        let mut id = parameter(name, Path, json!({ "type": "integer" }));
        id.required = false;
        find.parameters.push(id);
    }
    let tool = only(find, &json!({}));
    assert_eq!(tool.input_schema.parse()["required"], json!(["tenantId"]));
    let required: Vec<bool> = target(&tool)
        .parameters
        .iter()
        .map(|one| one.required)
        .collect();
    assert_eq!(required, [true, false]);
}

#[test]
fn undeclared_path_parameters_are_made_up() {
    let document = document(vec![operation("GET", "/a/{id}/{page=1}")], &json!({}));
    let found = run(&document, &Settings::default());
    assert_eq!(
        found.tools[0].input_schema.parse(),
        json!({
            "type": "object",
            "properties": { "id": { "type": "string" }, "page": { "type": "string", "default": "1" } },
            "required": ["id"],
            "additionalProperties": false,
        })
    );
    assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
}

#[test]
fn a_flat_body_alone_is_the_root() {
    let person = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object" } },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
        "allOf": [{ "anyOf": [{ "required": ["name"] }, { "required": ["address"] }] }],
        "if": { "required": ["name"] }, "then": {}, "else": {},
        "additionalProperties": false,
    });
    let mut create = json_body(person.clone());
    create
        .extensions
        .insert("x-mcp".to_owned(), json!({ "body": "flat" }));
    let tool = only(create, &json!({}));
    assert_eq!(tool.input_schema.parse(), person);
    let Some(BodyArgument::Flat(fields)) = target(&tool).body.as_ref().map(|body| &body.argument)
    else {
        panic!("the body is flat");
    };
    assert_eq!(fields.len(), 2);
}

#[test]
fn an_optional_flat_body_knows_what_it_needs() {
    let mut update = json_body(json!({
        "type": "object", "required": ["name"],
        "properties": { "name": { "type": "string" }, "note": { "type": "string" } },
    }));
    update
        .extensions
        .insert("x-mcp".to_owned(), json!({ "body": "flat" }));
    for (is_required, told) in [(false, None), (true, Some(json!(["name"])))] {
        update.request_body.as_mut().unwrap().required = is_required;
        let tool = only(update.clone(), &json!({}));
        assert_eq!(tool.input_schema.parse().get("required"), told.as_ref());
        let argument = &target(&tool).body.as_ref().unwrap().argument;
        let BodyArgument::Flat(fields) = argument else {
            panic!("{argument:?}");
        };
        let needed: Vec<bool> = fields.iter().map(|field| field.needed).collect();
        assert_eq!(needed, [true, false]);
    }
}

#[test]
fn a_flat_body_gives_way_to_parameters() {
    let mut create = json_body(json!({
        "type": "object",
        "required": ["id", "big name"],
        "properties": { "id": { "type": "integer" }, "big name": { "type": "string" } },
    }));
    create.parameters = vec![parameter("id", Query, json!({ "type": "string" }))];
    let settings = Settings {
        body: BodyShape::Flat,
        ..Settings::default()
    };
    let found = run(
        &document(
            vec![create, json_body(json!({ "type": "array" }))],
            &json!({}),
        ),
        &settings,
    );
    assert_eq!(
        found.tools[0].input_schema.parse(),
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "id_body": { "type": "integer" },
                "big_name": { "type": "string" },
            },
            "required": ["id_body", "big_name"],
            "additionalProperties": false,
        })
    );
    // A list has no properties to spread.
    assert!(found.tools[1].input_schema.parse()["properties"]["body"].is_object());
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("stays one argument"))
    );
}

#[test]
fn a_body_under_conditions_is_not_spread_beside_parameters() {
    let mut create = json_body(json!({
        "type": "object",
        "properties": { "a": {} },
        "oneOf": [{ "required": ["a"] }, { "properties": { "b": {} }, "required": ["b"] }],
    }));
    create.parameters = vec![parameter("id", Query, json!({ "type": "string" }))];
    create
        .extensions
        .insert("x-mcp".to_owned(), json!({ "body": "flat" }));
    let schema = input(create, &json!({}));
    assert!(schema["properties"]["body"]["oneOf"].is_array(), "{schema}");
}

#[test]
fn what_cannot_be_a_header_is_no_argument() {
    let mut list = operation("GET", "/pets");
    list.parameters = ["X-Trace Id", "X-Größe", "", "X-Fine"]
        .map(|name| parameter(name, Header, json!({ "type": "string" })))
        .to_vec();
    let found = run(&document(vec![list], &json!({})), &Settings::default());
    let names: Vec<&str> = target(&found.tools[0])
        .parameters
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["X-Fine"]);
    assert!(
        found.notes.iter().any(|note| note.contains("`X-Trace Id`")),
        "{:?}",
        found.notes
    );
}

#[test]
fn what_the_bridge_writes_itself_is_no_argument() {
    let mut list = operation("GET", "/pets");
    list.parameters = FRAMING_HEADERS
        .iter()
        .chain(&["Content-Encoding", "HOST", "X-Fine"])
        .map(|name| parameter(name, Header, json!({ "type": "string" })))
        .collect();
    let found = run(&document(vec![list], &json!({})), &Settings::default());
    let arguments = &found.tools[0].input_schema.parse()["properties"];
    assert_eq!(arguments, &json!({ "X-Fine": { "type": "string" } }));
}

#[test]
fn bodies_that_mean_nothing_can_be_left_out() {
    for (method, required) in [
        ("GET", false),
        ("HEAD", false),
        ("OPTIONS", false),
        ("DELETE", true),
        ("POST", true),
    ] {
        let mut operation = with_body(vec![media("application/json", json!({ "type": "object" }))]);
        operation.method = method.parse().unwrap();
        operation.request_body.as_mut().unwrap().required = true;
        let tool = only(operation, &json!({}));
        assert_eq!(target(&tool).body.as_ref().unwrap().required, required);
        let needed = tool.input_schema.parse().get("required").is_some();
        assert_eq!(needed, required, "{method}");
    }
}
