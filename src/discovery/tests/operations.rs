//! Selection, overrides, hints, metadata and names, as far as they need whole documents.

use super::*;
use crate::tool::Annotations;

fn overridden(operation: Operation, key: &str, over: Value) -> Discovery {
    let settings = Settings {
        overrides: [(key.to_owned(), serde_json::from_value(over).unwrap())].into(),
        ..Settings::default()
    };
    run(&document(vec![operation], &json!({})), &settings)
}

#[test]
fn hints_follow_the_method() {
    for (method, expected) in [
        ("GET", (Some(true), Some(false), Some(true))),
        ("QUERY", (Some(true), Some(false), Some(true))),
        ("PUT", (Some(false), Some(true), Some(true))),
        ("DELETE", (Some(false), Some(true), Some(true))),
        ("PATCH", (Some(false), Some(true), Some(false))),
        ("POST", (Some(false), None, None)),
        ("PURGE", (None, None, None)),
    ] {
        let Annotations {
            read_only_hint,
            destructive_hint,
            idempotent_hint,
            ..
        } = only(operation(method, "/x"), &json!({})).annotations;
        let told = (read_only_hint, destructive_hint, idempotent_hint);
        assert_eq!(told, expected, "{method}");
    }
}

#[test]
fn descriptions_are_never_empty() {
    for (summary, description, deprecated, expected) in [
        (None, None, false, "GET /x"),
        (Some(" "), Some(""), false, "GET /x"),
        (Some("List"), None, false, "List"),
        (
            None,
            Some("All of them."),
            true,
            "All of them.\n\nDeprecated.",
        ),
        (
            Some("List"),
            Some("All of them."),
            false,
            "List\n\nAll of them.",
        ),
        (Some("List."), Some("List of all."), false, "List of all."),
    ] {
        let mut list = operation("GET", "/x");
        list.summary = summary.map(str::to_owned);
        list.description = description.map(str::to_owned);
        list.deprecated = deprecated;
        assert_eq!(only(list, &json!({})).description, expected);
    }
}

#[test]
fn metadata_has_only_what_exists() {
    let tool = only(operation("GET", "/x"), &json!({}));
    assert_eq!(
        tool.meta.parse(),
        json!({ "mcpinvoke/openapi": { "document": "test.yaml", "method": "GET", "path": "/x" } })
    );
}

#[test]
fn extensions_exclude() {
    for (name, value, reason) in [
        ("x-mcp", json!(false), Some("it is marked as excluded")),
        (
            "x-mcp",
            json!({ "exclude": true }),
            Some("it is marked as excluded"),
        ),
        ("x-mcp", json!({ "exclude": "slow" }), Some("slow")),
        ("x-mcp-exclude", json!("internal"), Some("internal")),
        ("x-mcp-exclude", json!(false), None),
        ("x-mcp", json!(true), None),
    ] {
        let mut get = operation("GET", "/x");
        get.extensions.insert(name.to_owned(), value.clone());
        let found = run(
            &document(vec![get.clone()], &json!({})),
            &Settings::default(),
        );
        let told = found.skipped.first().map(|skipped| skipped.reason.as_str());
        assert_eq!(told, reason, "{value}");
        // The operator has the last word.
        let found = overridden(get, "GET /x", json!({ "exclude": false }));
        assert_eq!(found.tools.len(), 1);
    }
}

#[test]
fn configuration_beats_extension_beats_document() {
    let mut get = operation("DELETE", "/x");
    get.operation_id = Some("removeX".to_owned());
    get.summary = Some("Document".to_owned());
    get.extensions.insert(
        "x-mcp".to_owned(),
        json!({
            "title": "Extension", "description": "Extension", "confirm": true, "nonsense": 1,
            "requires": ["sampling"], "annotations": { "destructiveHint": false, "idempotentHint": false },
        }),
    );
    let over = json!({ "name": "drop x", "title": "Configuration", "annotations": { "idempotentHint": true } });
    let found = overridden(get, "removeX", over);
    let tool = &found.tools[0];
    assert_eq!(tool.name.as_str(), "drop_x");
    assert_eq!(tool.title.as_deref(), Some("Configuration"));
    assert_eq!(tool.annotations.title.as_deref(), Some("Configuration"));
    assert_eq!(tool.description, "Extension");
    assert!(tool.confirm);
    assert_eq!(tool.requires, ["sampling"]);
    assert_eq!(tool.annotations.destructive_hint, Some(false));
    assert_eq!(tool.annotations.idempotent_hint, Some(true));
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(found.notes[0].contains("nonsense"));
}

#[test]
fn an_override_for_nothing_is_told() {
    let found = overridden(operation("GET", "/x"), "GET /elsewhere", json!({}));
    assert!(
        found.idle[0].contains("`GET /elsewhere` fits no operation"),
        "{:?}",
        found.idle
    );
    let over = json!({ "parameters": { "nobody": { "hidden": true } } });
    let found = overridden(operation("GET", "/x"), "GET /x", over);
    assert!(
        found.warnings[0].contains("`nobody` fits none"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn what_cannot_be_read_restricts_and_is_told() {
    for (name, value, told) in [
        (
            "x-mcp",
            json!({ "confirm": "maybe" }),
            "`confirm` cannot be read",
        ),
        ("x-mcp", json!("confirm"), "a human has to confirm"),
    ] {
        let mut get = operation("GET", "/x");
        get.extensions.insert(name.to_owned(), value);
        let found = run(&document(vec![get], &json!({})), &Settings::default());
        assert!(found.tools[0].confirm, "{name}");
        assert!(
            found.warnings.len() == 1
                && found.warnings[0].starts_with("test.yaml: GET /x")
                && found.warnings[0].contains(told),
            "{:?}",
            found.warnings
        );
    }
    let mut get = operation("GET", "/x");
    get.extensions.insert("x-mcp-exclude".to_owned(), json!(1));
    let found = run(&document(vec![get], &json!({})), &Settings::default());
    assert!(found.tools.is_empty() && found.warnings.len() == 1);
}

#[test]
fn one_fault_leaves_a_parameter_hidden() {
    let mut list = operation("GET", "/x");
    let mut one = parameter("tenant", Query, json!({ "type": "string" }));
    let said = json!({ "hidden": true, "value": "a", "fixed": "b", "header": "Tenant" });
    one.extensions.insert("x-mcp".to_owned(), said);
    let mut needed = parameter("needed", Query, json!({ "type": "string" }));
    needed.required = true;
    needed
        .extensions
        .insert("x-mcp".to_owned(), json!({ "hidden": true }));
    list.parameters = vec![one, needed];
    let found = run(&document(vec![list], &json!({})), &Settings::default());
    let arguments = &found.tools[0].input_schema.parse()["properties"];
    assert_eq!(arguments, &json!({ "needed": { "type": "string" } }));
    let tenant = &target(&found.tools[0]).parameters[0];
    assert_eq!(tenant.fixed, Some(json!("a")));
    assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
    assert!(found.warnings[1].contains("`hidden` does nothing"));
}

#[test]
fn confirmation_by_rule() {
    let mut settings = Settings::default();
    settings.confirm.destructive = true;
    settings.confirm.rules = vec![Rule {
        paths: vec!["/pay/**".to_owned()],
        ..Rule::default()
    }];
    let operations = [("GET", "/x"), ("DELETE", "/x"), ("POST", "/pay/now")];
    let operations = operations.map(|(method, path)| operation(method, path));
    let found = run(&document(operations.to_vec(), &json!({})), &settings);
    let told: Vec<bool> = found.tools.iter().map(|tool| tool.confirm).collect();
    assert_eq!(told, [false, true, true]);
}

/// Whether a yes is asked for: of `method`, with the document's `x-mcp` and the configuration's override.
fn asks(method: &str, path: &str, extension: Value, over: Value) -> bool {
    let mut one = operation(method, path);
    one.extensions.insert("x-mcp".to_owned(), extension);
    let mut settings = Settings::default();
    settings.confirm.destructive = true;
    settings.confirm.rules = vec![Rule {
        paths: vec!["/pay/**".to_owned()],
        ..Rule::default()
    }];
    let over = serde_json::from_value(over).unwrap();
    let key = format!("{method} {path}");
    settings.overrides.insert(key, over);
    run(&document(vec![one], &json!({})), &settings).tools[0].confirm
}

#[test]
fn a_document_takes_no_rule_of_the_operators_back() {
    let harmless = json!({ "annotations": { "destructiveHint": false } });
    let grave = json!({ "annotations": { "destructiveHint": true } });
    let (no, yes, none) = (
        json!({"confirm": false}),
        json!({"confirm": true}),
        json!({}),
    );
    for (method, path, extension, over, expected) in [
        ("DELETE", "/x", &no, &none, true),
        ("GET", "/pay/now", &no, &none, true),
        ("DELETE", "/x", &harmless, &none, true),
        ("GET", "/x", &no, &none, false),
        ("GET", "/x", &yes, &none, true),
        ("POST", "/x", &none, &none, false),
        ("POST", "/x", &grave, &none, true),
        ("DELETE", "/x", &none, &no, false),
        ("GET", "/pay/now", &yes, &no, false),
        ("DELETE", "/x", &none, &harmless, false),
        ("POST", "/x", &grave, &harmless, false),
        ("DELETE", "/x", &no, &yes, true),
    ] {
        let found = asks(method, path, extension.clone(), over.clone());
        assert_eq!(found, expected, "{method} {path} {extension} {over}");
    }
}

#[test]
fn parameters_are_hidden_fixed_and_preset() {
    let mut list = operation("GET", "/x");
    for (name, extension) in [
        ("version", json!({ "value": "2" })),
        ("debug", json!({ "hidden": true })),
        (
            "limit",
            json!({ "default": 10, "name": "count", "description": "How many" }),
        ),
        ("page", json!({ "hidden": true, "default": 1 })),
    ] {
        let mut one = parameter(name, Query, json!({ "type": "integer" }));
        one.required = name == "limit";
        one.extensions.insert("x-mcp".to_owned(), extension);
        list.parameters.push(one);
    }
    let tool = only(list, &json!({}));
    assert_eq!(
        tool.input_schema.parse(),
        json!({
            "type": "object",
            "properties": { "count": {
                "type": "integer", "description": "How many (Sent as `limit`.)", "default": 10,
            } },
            "additionalProperties": false,
        })
    );
    let told: Vec<(&str, Option<&Value>)> = target(&tool)
        .parameters
        .iter()
        .map(|one| (one.name.as_str(), one.fixed.as_ref()))
        .collect();
    let (version, page) = (json!("2"), json!(1));
    assert_eq!(
        told,
        [
            ("version", Some(&version)),
            ("limit", None),
            ("page", Some(&page))
        ]
    );
}

#[test]
fn header_annotations_are_checked() {
    let mut list = operation("GET", "/x");
    for (name, schema, header) in [
        ("region", json!({ "type": "string" }), "Region"),
        ("zone", json!({ "type": "string" }), "REGION"),
        ("ratio", json!({ "type": "number" }), "Ratio"),
        ("space", json!({ "type": "string" }), "a b"),
        (
            "shard",
            json!({ "$ref": "#/components/schemas/Shard" }),
            "Shard",
        ),
    ] {
        let mut one = parameter(name, Query, schema);
        one.extensions
            .insert("x-mcp-header".to_owned(), json!(header));
        list.parameters.push(one);
    }
    let document = document(vec![list], &json!({ "Shard": { "type": "integer" } }));
    let found = run(&document, &Settings::default());
    let schema = found.tools[0].input_schema.parse();
    let header = |name: &str| schema["properties"][name].get("x-mcp-header").cloned();
    assert_eq!(header("region"), Some(json!("Region")));
    assert_eq!(header("shard"), Some(json!("Shard")));
    for name in ["zone", "ratio", "space"] {
        assert_eq!(header(name), None, "{name}");
    }
    assert_eq!(found.notes.len(), 3, "{:?}", found.notes);
}

#[test]
fn without_a_server_an_operation_is_skipped() {
    let mut get = operation("GET", "/x");
    get.servers.clear();
    let document = document(vec![get], &json!({}));
    let found = run(&document, &Settings::default());
    assert!(found.skipped[0].reason.contains("--base-url"));
    let source = Source {
        prefix: Some("shop".to_owned()),
        base_url: Some("http://localhost:1/api?x#y".parse().unwrap()),
        ..Source::plain(&document)
    };
    let found = discover(&[source], &Settings::default());
    assert_eq!(
        target(&found.tools[0]).base.as_str(),
        "http://localhost:1/api"
    );
    assert_eq!(found.tools[0].name.as_str(), "shop_get_x");
}

#[test]
fn the_operators_base_url_replaces_every_server() {
    let document = document(vec![operation("GET", "/x")], &json!({}));
    let source = Source {
        base_url: Some("http://localhost:1/".parse().unwrap()),
        ..Source::plain(&document)
    };
    let found = discover(&[source], &Settings::default());
    assert_eq!(target(&found.tools[0]).base.as_str(), "http://localhost:1/");
    let own = run(&document, &Settings::default());
    assert_eq!(
        target(&own.tools[0]).base.as_str(),
        "https://api.example.com/v1"
    );
}

#[test]
fn several_documents_share_one_set_of_names() {
    let one = document(vec![operation("GET", "/x")], &json!({}));
    let other = document(
        vec![operation("GET", "/x"), operation("GET", "/y")],
        &json!({}),
    );
    let sources = [&one, &other].map(Source::plain);
    let found = discover(&sources, &Settings::default());
    let names: Vec<&str> = found.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names[0], names[2]), ("get_x", "get_y"));
    assert!(names[1].starts_with("get_x_"), "{names:?}");
}

#[test]
fn accept_asks_for_json_first() {
    let mut get = operation("GET", "/x");
    assert_eq!(target(&only(get.clone(), &json!({}))).accept, "*/*");
    let names = [
        "application/xml",
        "application/problem+json",
        "application/json",
        "a\r\nb/c",
    ];
    let content = names.map(|name| media(name, json!({})));
    get.responses = vec![response("200", content.to_vec())];
    assert_eq!(
        target(&only(get, &json!({}))).accept,
        "application/json, application/problem+json, application/xml, */*;q=0.1"
    );
}
