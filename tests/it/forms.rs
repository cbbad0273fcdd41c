//! The forms that a human fills in: what they show of a document's choices.

use serde_json::{Value, json};

use crate::support::{serve, tool};

const PATHS: &str = r##"
  /orders:
    post:
      operationId: order
      x-mcp: {body: flat, ask: [speed, state, extras, kind, plain, wrap]}
      parameters:
        - name: speed
          in: query
          required: true
          description: How fast
          schema:
            oneOf: [{const: s, title: Slow}, {const: f, title: Fast}]
            default: s
        - {name: state, in: query, schema: {$ref: '#/components/schemas/State'}}
        - name: extras
          in: query
          schema: {type: array, maxItems: 2, items: {$ref: '#/components/schemas/Extra'}}
        - {name: kind, in: query, schema: {type: string, enum: [a, b], x-enumNames: [Alpha, Beta]}}
        - {name: plain, in: query, schema: {type: string, enum: [a, b]}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                wrap:
                  description: How to wrap it
                  anyOf: [{const: p, description: ' Paper '}, {const: n}]
                note: {type: string}
      responses: {'200': {description: ok}}"##;
const COMPONENTS: &str = r"  schemas:
    State:
      type: string
      description: The state
      oneOf: [{const: o, title: Open}, {const: c, title: Closed}]
    Extra:
      anyOf: [{const: x, title: Ribbon}, {const: y, title: Card}]";

#[tokio::test]
async fn choices_keep_their_titles_for_humans_and_are_plain_for_models() {
    let (_upstream, bridge) = serve(PATHS, COMPONENTS).await;
    let tools = bridge.tools().await;
    let model = &tool(&tools, "order")["inputSchema"]["properties"];
    assert_eq!(model["speed"]["enum"], json!(["s", "f"]), "{model}");
    assert_eq!(model["state"]["enum"], json!(["o", "c"]), "{model}");

    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "order", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}});
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "order"),
    ];
    let (_, text) = bridge.post(message.to_string(), &headers).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    let form = &answer["result"]["inputRequests"]["arguments"]["params"]["requestedSchema"];
    let choice = |value: &str, title: &str| json!({"const": value, "title": title});
    assert_eq!(
        *form,
        json!({"type": "object", "required": ["speed"], "properties": {
            "speed": {"type": "string", "oneOf": [choice("s", "Slow"), choice("f", "Fast")],
                "description": "How fast", "default": "s"},
            "state": {"type": "string", "oneOf": [choice("o", "Open"), choice("c", "Closed")],
                "description": "The state"},
            "extras": {"type": "array", "maxItems": 2,
                "items": {"anyOf": [choice("x", "Ribbon"), choice("y", "Card")]}},
            "kind": {"type": "string", "oneOf": [choice("a", "Alpha"), choice("b", "Beta")]},
            "plain": {"type": "string", "enum": ["a", "b"]},
            "wrap": {"type": "string", "oneOf": [choice("p", "Paper"), choice("n", "n")],
                "description": "How to wrap it"},
        }}),
        "{answer}"
    );
}
