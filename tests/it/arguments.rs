//! Arguments: their keys, where they go, and what is refused before anything is sent.

use serde_json::{Value, json};

use crate::support::{Bridge, Upstream, serve, spec, text, tool};

#[tokio::test]
async fn keys_that_clients_refuse_are_renamed_and_sent_by_their_own_names() {
    let upstream = Upstream::ok().await;
    let bridge = Bridge::start([
        spec("awkward.yaml").into_os_string(),
        "--base-url".into(),
        upstream.url().into(),
    ]);
    let tools = bridge.tools().await;
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
            "{name}"
        );
        let schema = &tool["inputSchema"];
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        for key in properties.keys() {
            let fits = key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
            assert!(fits && (1..=64).contains(&key.len()), "{name}: {key}");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(
                properties.contains_key(required.as_str().unwrap()),
                "{name}: {required}"
            );
        }
    }

    let products = tool(&tools, "queryProducts");
    let properties = products["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(properties.len(), 7);
    let key_of = |kind: &str, minimum: bool| {
        let found = properties.iter().find(|(key, schema)| {
            schema["type"] == kind && schema.get("minimum").is_some() == minimum && *key != "top"
        });
        found.unwrap().0.clone()
    };
    let filter = products["inputSchema"]["required"][0].as_str().unwrap();
    let exact: Value = serde_json::from_str("1.50").unwrap();
    let arguments = json!({
        filter: "a eq 1",
        key_of("integer", true): 5,
        key_of("number", false): exact,
        "top": "x",
    });
    bridge.call("queryProducts", arguments).await;
    let target = upstream.only().target;
    let (_, query) = target.split_once('?').unwrap();
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let pair = |name: &str| {
        pairs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    };
    assert_eq!(pair("$filter"), Some("a eq 1"), "{target}");
    assert_eq!(pair("$top"), Some("5"), "{target}");
    assert_eq!(pair("größe"), Some("1.50"), "the digits are kept: {target}");
    assert_eq!(pair("top"), Some("x"), "{target}");
}

#[tokio::test]
async fn one_name_in_several_places_is_several_arguments() {
    let upstream = Upstream::ok().await;
    let bridge = Bridge::start([
        spec("awkward.yaml").into_os_string(),
        "--base-url".into(),
        upstream.url().into(),
    ]);
    let arguments = json!({"id": "p/1", "id_query": 2, "id_header": true, "id_cookie": "c=3"});
    let result = bridge.call("getThing", arguments).await;
    assert_eq!(result["isError"], false, "{result}");
    let seen = upstream.only();
    assert_eq!(seen.target, "/things/p%2F1?id=2");
    assert_eq!(seen.header("id"), Some("true"));
    assert_eq!(seen.header("cookie"), Some("id=c=3"));
}

#[tokio::test]
async fn every_fault_is_named_and_nothing_is_sent() {
    let paths = "  /people:
    post:
      operationId: addPerson
      parameters:
        - {name: team, in: query, required: true, schema: {type: string, enum: [red, blue]}}
        - {name: X-Note, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Person'}
      responses: {'200': {description: ok}}
";
    let components = "  schemas:
    Person:
      type: object
      required: [name, age]
      properties:
        name: {type: string}
        age: {type: integer, minimum: 1, maximum: 90}
        level: {type: integer, enum: [0, 1, 2]}
        pin: {type: string, format: password, minLength: 30}
        address:
          type: object
          required: [city]
          properties: {city: {type: string}}
";
    let (upstream, bridge) = serve(paths, components).await;
    let cases: [(Value, &[&str]); 7] = [
        (
            json!({"team": "green", "body": {"name": "A", "age": 3}}),
            &["/team", "red", "blue"],
        ),
        // What no schema says is told together with what it says.
        (
            json!({"team": "green", "X-Note": "a\nb", "body": {"name": "A", "age": 3}}),
            &["/team", "red", "/X-Note"],
        ),
        (
            json!({"body": {"age": "3"}}),
            &["team", "/body", "name", "/body/age"],
        ),
        (
            json!({"team": "red", "body": {"name": "A", "age": 99}}),
            &["/body/age", "90"],
        ),
        (
            json!({"team": "red", "body": {"name": "A", "age": 9, "level": 99}}),
            &["/body/level"],
        ),
        (
            json!({"team": "red", "body": {"name": "A", "age": 9, "address": {}}}),
            &["/body/address", "city"],
        ),
        (
            json!({"teem": "red", "body": {"name": "A", "age": 9}}),
            &["teem", "team"],
        ),
    ];
    for (arguments, words) in cases {
        let result = bridge.call("addPerson", arguments.clone()).await;
        assert_eq!(result["isError"], true, "{arguments}");
        for word in words {
            assert!(
                text(&result).contains(word),
                "{arguments}: no {word} in {}",
                text(&result)
            );
        }
    }
    let secret = json!({"team": "red", "body": {"name": "A", "age": 9, "pin": "s3cret-pin"}});
    let result = bridge.call("addPerson", secret).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("pin") && !result.to_string().contains("s3cret-pin"),
        "{result}"
    );
    assert!(!bridge.log().contains("s3cret-pin"));
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn older_revisions_get_invalid_arguments_as_an_error_with_data() {
    let paths = "  /calc:
    post:
      operationId: calculate
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [a, b], properties: {a: {type: number}, b: {type: number}}}
      responses: {'200': {description: ok}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let message = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call",
        "params": {"name": "calculate", "arguments": {"body": {"a": 10}}}});
    let (_, answer) = bridge
        .post(
            message.to_string(),
            &[("mcp-protocol-version", "2025-06-18")],
        )
        .await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(
        answer["error"]["data"].to_string().contains("/body"),
        "{answer}"
    );
    assert!(answer["error"].to_string().contains('b'));
    assert_eq!(answer["id"], "x");

    let direct = json!({"jsonrpc": "2.0", "id": 4, "method": "calculate", "params": {"body": {"a": 1, "b": 2}}});
    let (_, answer) = bridge.post(direct.to_string(), &[]).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(upstream.only().text(), r#"{"a":1,"b":2}"#);

    let faulty = json!({"jsonrpc": "2.0", "id": 5, "method": "calculate", "params": [1, 2]});
    let (_, answer) = bridge.post(faulty.to_string(), &[]).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn places_of_the_origins_fixtures() {
    let paths = "  /organizations/{orgId}/users/{userId}/orders:
    get:
      operationId: orders
      parameters:
        - {name: orgId, in: path, required: true, schema: {type: integer}}
        - {name: userId, in: path, required: true, schema: {type: integer}}
        - {name: pageSize, in: query, schema: {type: integer, default: 10}}
        - {name: status, in: query, schema: {type: string}}
        - {name: includeMetadata, in: query, schema: {type: boolean}}
        - {name: apiVersion, in: header, schema: {type: string}}
        - {name: authorization, in: header, schema: {type: string}}
      responses: {'200': {description: ok}}
    delete:
      operationId: dropOrders
      parameters:
        - {name: orgId, in: path, required: true, schema: {type: integer}}
        - {name: userId, in: path, required: true, schema: {type: integer}}
        - {name: reason, in: query, schema: {type: string}}
        - {name: force, in: query, schema: {type: boolean}}
        - {name: since, in: query, schema: {type: string, nullable: true}}
      responses: {'204': {description: gone}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    let properties = &tool(&tools, "orders")["inputSchema"]["properties"];
    assert!(properties.get("authorization").is_none(), "{properties}");
    let both = json!({"orgId": 123, "userId": 456});
    bridge.call("orders", both.clone()).await;
    let mut more = both.clone();
    more["pageSize"] = 50.into();
    more["status"] = "Completed".into();
    more["includeMetadata"] = true.into();
    more["apiVersion"] = "v1.0".into();
    bridge.call("orders", more).await;
    let drop = json!({"orgId": 1, "userId": 2, "reason": "a&b=c", "force": false, "since": null});
    bridge.call("dropOrders", drop).await;
    let seen = upstream.seen();
    assert_eq!(seen[0].target, "/organizations/123/users/456/orders");
    assert_eq!(
        seen[1].target,
        "/organizations/123/users/456/orders?pageSize=50&status=Completed&includeMetadata=true"
    );
    assert_eq!(seen[1].header("apiversion"), Some("v1.0"));
    assert_eq!(seen[2].method, "DELETE");
    assert_eq!(
        seen[2].target,
        "/organizations/1/users/2/orders?reason=a%26b%3Dc&force=false"
    );
    assert!(seen[2].body.is_empty() && seen[2].header("content-type").is_none());
}
