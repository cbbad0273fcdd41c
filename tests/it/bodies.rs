//! Bodies and answers: what is forwarded is what was given, and what comes back is what was said.

use serde_json::json;

use crate::support::{Answer, serve, serve_answering, text, tool};

const POST: &str = "  /things:
    post:
      operationId: postThing
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Thing'}
      responses:
        '200':
          description: ok
          content:
            application/json: {schema: {$ref: '#/components/schemas/Thing'}}
";

#[tokio::test]
async fn a_body_is_forwarded_as_it_was_given() {
    let components = "  schemas: {Thing: {}}\n";
    let (upstream, bridge) = serve(POST, components).await;
    for body in [
        r#"{"price":99.99,"id":12345678901234567890,"long":0.1234567890123456789}"#,
        r#"{"StepCode":"A","stepName":null,"nested":{"list":[1,[2],{"x":null}]}}"#,
        r#"[1,2]"#,
        r#""text""#,
        r#"{}"#,
        r#"{"includeTransactionHistory":true,"analysisDepth":"full"}"#,
    ] {
        upstream.forget();
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"postThing","arguments":{{"body":{body}}}}}}}"#
        );
        let (status, answer) = bridge.post(message, &[]).await;
        assert_eq!(status, 200);
        assert!(!answer.contains(r#""isError":true"#), "{answer}");
        let seen = upstream.only();
        assert_eq!(seen.text(), body);
        assert_eq!(seen.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn base_classes_dictionaries_and_circles_are_one_schema() {
    let components = "  schemas:
    Base:
      type: object
      required: [Provider, ModelName]
      properties: {Provider: {type: string}, ModelName: {type: string}}
    Thing:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [TenantId]
          properties:
            TenantId: {type: integer, minimum: 1}
            Parameters: {type: object, additionalProperties: {type: string}}
            child: {$ref: '#/components/schemas/Thing'}
            id: {type: integer, readOnly: true}
";
    let (upstream, bridge) = serve(POST, components).await;
    let whole = json!({"Provider": "p", "ModelName": "m", "TenantId": 2});
    let mut nested = whole.clone();
    nested["child"] = whole.clone();
    nested["child"]["child"] = whole.clone();
    nested["Parameters"] = json!({"a": "b"});
    let result = bridge.call("postThing", json!({"body": nested})).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(upstream.only().text(), nested.to_string());

    upstream.forget();
    for (change, word) in [
        (json!({"Provider": null}), "Provider"),
        (json!({"TenantId": 0}), "TenantId"),
        (json!({"Parameters": ["a"]}), "Parameters"),
        (json!({"child": {"Provider": "p"}}), "child"),
    ] {
        let mut body = whole.clone();
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        let result = bridge.call("postThing", json!({"body": body})).await;
        assert_eq!(result["isError"], true, "{change}");
        assert!(text(&result).contains(word), "{result}");
    }
    assert!(upstream.seen().is_empty());
    let schema = tool(&bridge.tools().await, "postThing")["inputSchema"].to_string();
    assert!(
        schema.contains("$defs") && !schema.contains("readOnly") && !schema.contains("null"),
        "{schema}"
    );
}

#[tokio::test]
async fn answers_come_back_as_they_were_said() {
    let cases: [(Answer, bool, &str); 10] = [
        (Answer::json("[1, 2]"), false, "[1, 2]"),
        (Answer::json("\"x\""), false, "\"x\""),
        (Answer::json("5"), false, "5"),
        (Answer::json("null"), false, "null"),
        (Answer::json("{ }"), false, "{ }"),
        (
            Answer::json(r#"{"value":1,"statusCode":200}"#),
            false,
            r#"{"value":1,"statusCode":200}"#,
        ),
        (
            Answer::new(200, "text/plain; charset=utf-8", "hello"),
            false,
            "hello",
        ),
        (
            Answer::new(404, "application/json", r#"{"error":"no"}"#),
            true,
            "404",
        ),
        (Answer::new(500, "text/html", "<h1>oops</h1>"), true, "500"),
        (
            Answer::new(
                422,
                "application/problem+json",
                r#"{"title":"Unfit","detail":"age is too small","status":422}"#,
            ),
            true,
            "age is too small",
        ),
    ];
    for (answer, is_error, expected) in cases {
        let body = String::from_utf8(answer.body.clone()).unwrap();
        let (_upstream, bridge) = serve_answering(
            "  /x:\n    get: {operationId: x, responses: {'200': {description: ok}}}\n",
            "",
            move |_| answer.clone(),
        )
        .await;
        let result = bridge.call("x", json!({})).await;
        assert_eq!(result["isError"], is_error, "{body}");
        assert!(text(&result).contains(expected), "{body}: {result}");
        assert_eq!(result["content"][0]["type"], "text");
        if is_error {
            assert!(
                result["content"]
                    .to_string()
                    .contains(body.trim_matches('"').split('"').next().unwrap())
            );
        } else {
            assert_eq!(text(&result), body);
        }
    }
}

#[tokio::test]
async fn nothing_is_a_success_and_pictures_are_pictures() {
    let paths = "  /gone:
    delete: {operationId: gone, responses: {'204': {description: gone}}}
  /empty:
    get: {operationId: empty, responses: {'200': {description: ok}}}
  /picture:
    get: {operationId: picture, responses: {'200': {description: ok}}}
  /sound:
    get: {operationId: sound, responses: {'200': {description: ok}}}
  /bytes:
    get: {operationId: bytes, responses: {'200': {description: ok}}}
";
    let (_upstream, bridge) = serve_answering(paths, "", |seen| match seen.target.as_str() {
        "/gone" => Answer {
            status: 204,
            headers: vec![],
            body: vec![],
        },
        "/empty" => Answer {
            status: 200,
            headers: vec![],
            body: vec![],
        },
        "/picture" => Answer::new(200, "image/png", [1, 2, 3]),
        "/sound" => Answer::new(200, "audio/wav; codecs=1", [4, 5]),
        _ => Answer::new(200, "application/octet-stream", [0xff, 0, 1]),
    })
    .await;
    for name in ["gone", "empty"] {
        let result = bridge.call(name, json!({})).await;
        assert_eq!(result["isError"], false, "{result}");
        assert!(result["content"].is_array());
    }
    let picture = bridge.call("picture", json!({})).await;
    assert_eq!(
        picture["content"][0],
        json!({"type": "image", "data": "AQID", "mimeType": "image/png"})
    );
    let sound = bridge.call("sound", json!({})).await;
    assert_eq!(
        sound["content"][0],
        json!({"type": "audio", "data": "BAU=", "mimeType": "audio/wav"})
    );
    let bytes = bridge.call("bytes", json!({})).await;
    assert_eq!(bytes["content"][0]["type"], "resource", "{bytes}");
    assert_eq!(bytes["content"][0]["resource"]["blob"], "/wAB");
}

#[tokio::test]
async fn a_reply_that_breaks_its_promise_still_reaches_the_model() {
    let components =
        "  schemas: {Thing: {type: object, required: [id], properties: {id: {type: integer}}}}\n";
    for body in [
        "{\"id\":\"not a number\"}",
        "[1]",
        "{}",
        "7",
        "not json at all",
    ] {
        let (_upstream, bridge) =
            serve_answering(POST, components, move |_| Answer::json(body)).await;
        let listed = tool(&bridge.tools().await, "postThing").clone();
        assert_eq!(listed["outputSchema"]["type"], "object");
        let result = bridge.call("postThing", json!({"body": {"id": 1}})).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(text(&result), body);
        let structured = &result["structuredContent"];
        assert!(structured.is_object(), "{body}: {result}");
        let validator = jsonschema::validator_for(&listed["outputSchema"]).unwrap();
        assert!(validator.is_valid(structured), "{body}: {structured}");
    }
}

#[tokio::test]
async fn a_missing_body_is_announced_where_one_is_expected() {
    let paths = "  /things:
    get: {operationId: list, responses: {'200': {description: ok}}}
    post: {operationId: begin, responses: {'200': {description: ok}}}
    put: {operationId: touch, responses: {'200': {description: ok}}}
    delete: {operationId: end, responses: {'200': {description: ok}}}
";
    let (upstream, bridge) = serve(paths, "").await;
    for (tool, length) in [
        ("list", None),
        ("begin", Some("0")),
        ("touch", Some("0")),
        ("end", None),
    ] {
        upstream.forget();
        bridge.call(tool, json!({})).await;
        assert_eq!(upstream.only().header("content-length"), length, "{tool}");
    }
}
