//! Path parameters: templates as frameworks write them, and values that must stay one segment.

use serde_json::json;

use crate::support::{serve, text, tool};

fn path_parameter(name: &str, kind: &str) -> String {
    format!(
        "        - {{name: {name}, in: path, required: true, schema: {{type: {kind}, nullable: true}}}}\n"
    )
}

fn get(path: &str, id: &str, parameters: &[(&str, &str)]) -> String {
    let parameters: String = parameters
        .iter()
        .map(|(name, kind)| path_parameter(name, kind))
        .collect();
    format!(
        "  '{path}':\n    get:\n      operationId: {id}\n      parameters:\n{parameters}      responses: {{'200': {{description: ok}}}}\n"
    )
}

#[tokio::test]
async fn optional_segments_leave_with_their_slash() {
    let paths = get(
        "/api/customer/{customerId?}",
        "customer",
        &[("customerId", "integer")],
    ) + &get(
        "/api/tenant/{tenantId?}/customer/{customerId?}",
        "tenant",
        &[("tenantId", "integer"), ("customerId", "integer")],
    );
    let (upstream, bridge) = serve(&paths, "").await;
    let tools = bridge.tools().await;
    let schema = &tool(&tools, "customer")["inputSchema"];
    assert!(schema["properties"].get("customerId").is_some(), "{schema}");
    assert!(schema["properties"].get("customerId?").is_none());
    assert!(
        schema
            .get("required")
            .is_none_or(|names| names == &json!([]))
    );

    bridge.call("customer", json!({})).await;
    bridge.call("customer", json!({"customerId": 7})).await;
    bridge.call("tenant", json!({"tenantId": 1})).await;
    bridge
        .call("tenant", json!({"tenantId": 1, "customerId": 2}))
        .await;
    let targets = upstream.targets();
    assert_eq!(
        targets,
        [
            "/api/customer",
            "/api/customer/7",
            "/api/tenant/1/customer",
            "/api/tenant/1/customer/2"
        ]
    );

    upstream.forget();
    let refused = bridge.call("tenant", json!({"customerId": 2})).await;
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("tenantId"), "{refused}");
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn constraints_do_not_reach_the_url() {
    let cases = [
        (
            "/a/{id:int?}",
            "a",
            vec![("id", "integer")],
            json!({"id": 3}),
            "/a/3",
        ),
        (
            "/b/{id:int:min(1)}",
            "b",
            vec![("id", "integer")],
            json!({"id": 3}),
            "/b/3",
        ),
        (
            "/c/{orgId:int}/users/{userGuid:guid}/version/{version:alpha?}",
            "c",
            vec![
                ("orgId", "integer"),
                ("userGuid", "string"),
                ("version", "string"),
            ],
            json!({"orgId": 1, "userGuid": "g-1", "version": "v"}),
            "/c/1/users/g-1/version/v",
        ),
        (
            "/d/{year:int:range(2020,2030)}/{month:int:range(1,12)}",
            "d",
            vec![("year", "integer"), ("month", "integer")],
            json!({"year": 2026, "month": 11}),
            "/d/2026/11",
        ),
        (
            "/e/{*slug}",
            "e",
            vec![("slug", "string")],
            json!({"slug": "a/b c"}),
            "/e/a/b%20c",
        ),
        (
            "/f/{**slug}",
            "f",
            vec![("slug", "string")],
            json!({"slug": "a/b"}),
            "/f/a/b",
        ),
        (
            "/g/{page=1}",
            "g",
            vec![("page", "integer")],
            json!({}),
            "/g/1",
        ),
    ];
    let paths: String = cases
        .iter()
        .map(|(path, id, parameters, _, _)| get(path, id, parameters))
        .collect();
    let (upstream, bridge) = serve(&paths, "").await;
    for (_, id, _, arguments, target) in cases {
        upstream.forget();
        let result = bridge.call(id, arguments).await;
        assert_eq!(result["isError"], false, "{id}: {result}");
        assert_eq!(upstream.only().target, target, "{id}");
    }
}

#[tokio::test]
async fn a_value_stays_one_segment() {
    let paths = get("/files/{name}/meta", "meta", &[("name", "string")]);
    let (upstream, bridge) = serve(&paths, "").await;
    for (value, segment) in [
        ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("%2e%2e", "%252e%252e"),
        ("a b", "a%20b"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        ("..x", "..x"),
        ("x;y=1", "x%3By%3D1"),
        ("@evil.test:80", "%40evil.test%3A80"),
        ("\r\nX-Evil: 1", "%0D%0AX-Evil%3A%201"),
    ] {
        upstream.forget();
        let result = bridge.call("meta", json!({"name": value})).await;
        assert_eq!(result["isError"], false, "{value}: {result}");
        let target = upstream.only().target;
        let found = target
            .strip_prefix("/files/")
            .and_then(|rest| rest.strip_suffix("/meta"));
        let found = found.unwrap_or_else(|| panic!("{value}: the path's shape changed: {target}"));
        let decoded = percent_encoding::percent_decode_str(found)
            .decode_utf8()
            .unwrap()
            .into_owned();
        assert_eq!(decoded, value);
        assert!(
            !found.contains(['/', '?', '#']),
            "{value}: {found} for {segment}"
        );
    }
    for value in ["", ".", "..", "../.."] {
        upstream.forget();
        let result = bridge.call("meta", json!({"name": value})).await;
        if value == "../.." {
            assert_eq!(upstream.only().target, "/files/..%2F../meta");
        } else {
            assert_eq!(result["isError"], true, "{value:?}: {result}");
            assert!(text(&result).contains("name"), "{result}");
            assert!(upstream.seen().is_empty(), "{value:?}");
        }
    }
}

#[tokio::test]
async fn path_item_parameters_are_inherited_and_overridden() {
    let paths = "  /users/{userId}/todos:
    parameters:
      - {name: userId, in: path, required: true, schema: {type: integer}}
      - {name: limit, in: query, schema: {type: string}}
    get:
      parameters:
        - {name: limit, in: query, schema: {type: integer, default: 10}}
      responses: {'200': {description: ok}}
";
    let (upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    let listed = tool(&tools, "get_users_by_userId_todos");
    assert_eq!(listed["inputSchema"]["required"], json!(["userId"]));
    assert_eq!(
        listed["inputSchema"]["properties"]["limit"]["type"],
        "integer"
    );
    bridge
        .call(
            "get_users_by_userId_todos",
            json!({"userId": 123, "limit": 5}),
        )
        .await;
    bridge
        .call("get_users_by_userId_todos", json!({"userId": 123}))
        .await;
    let targets = upstream.targets();
    assert_eq!(targets, ["/users/123/todos?limit=5", "/users/123/todos"]);
}

#[tokio::test]
async fn a_query_in_the_path_takes_its_values_from_the_parameters() {
    let operation = |path: &str, id: &str, parameters: &str| {
        format!(
            "  '{path}':\n    get:\n      operationId: {id}\n      parameters: [{parameters}]\n      responses: {{'200': {{description: ok}}}}\n"
        )
    };
    let query = |name: &str| format!("{{name: {name}, in: query, schema: {{type: string}}}}");
    let path = |name: &str| {
        format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}")
    };
    let table = [
        ("/q?y={y}", query("y"), json!({"y": "a&b"}), "/q?y=a%26b"),
        ("/p?x=1&y={y}", path("y"), json!({"y": "2"}), "/p?y=2&x=1"),
        (
            "/key?part={n}",
            query("n"),
            json!({"n": "1"}),
            "/key?part=1",
        ),
        (
            "/s3?uploads&part={n}",
            format!("{}, {}", query("n"), query("part")),
            json!({"n": "1", "part": "2"}),
            "/s3?n=1&part=2&uploads",
        ),
        (
            "/hint?part={n}",
            query("part"),
            json!({"part": "2"}),
            "/hint?part=2",
        ),
        (
            "/none?part={n}",
            String::new(),
            json!({"n": "2"}),
            "/none?part=2",
        ),
        (
            "/bare?flag&empty=",
            String::new(),
            json!({}),
            "/bare?flag&empty=",
        ),
        (
            "/rfc{?q,lang*}",
            format!("{}, {}", query("q"), query("lang")),
            json!({"q": "a"}),
            "/rfc?q=a",
        ),
    ];
    let paths: String = table
        .iter()
        .enumerate()
        .map(|(number, (at, parameters, ..))| operation(at, &format!("case{number}"), parameters))
        .collect();
    let (upstream, bridge) = serve(&paths, "").await;
    for (number, (at, _, arguments, expected)) in table.into_iter().enumerate() {
        upstream.forget();
        let answer = bridge.call(&format!("case{number}"), arguments).await;
        let seen = upstream.seen();
        assert_eq!(seen.len(), 1, "{at}: {answer}");
        assert_eq!(seen[0].target, expected, "{at}");
    }
}
