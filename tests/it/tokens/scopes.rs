//! What the scopes of a token have to do with tools.

use serde_json::json;

use super::{METADATA, Site};
use crate::support::Signer;

#[tokio::test]
async fn scopes_decide_over_calls_and_lists() {
    let key = Signer::curve("a");
    let site = Site::new(&[&key], "").await;
    let with = |scope: &str| key.token(&site.claims(&json!({"scope": scope})));
    for (scope, listed) in [
        ("", &["status"][..]),
        ("read", &["list_pets", "status"]),
        ("read write", &["list_pets", "create_pet", "status"]),
        ("root", &["create_pet", "status"]),
        ("reading", &["status"]),
    ] {
        let token = with(scope);
        assert_eq!(site.list(&token).await.tools(), listed, "{scope}");
        for tool in ["list_pets", "create_pet", "status"] {
            let reply = site.call(&token, tool).await;
            let direct = site.ask(Some(&token), tool, json!({})).await;
            assert_eq!(reply.status, direct.status);
            if listed.contains(&tool) {
                assert_eq!(reply.status, 200, "{scope} {tool} {}", reply.text);
                assert_eq!(reply.json()["result"]["isError"], false, "{}", reply.text);
                continue;
            }
            let needed = match (tool, scope) {
                ("list_pets", _) => "read",
                (_, "read") => "read write",
                // Root is one scope away, read and write are two.
                _ => "root",
            };
            let expected = format!(
                "Bearer error=\"insufficient_scope\", scope=\"{needed}\", resource_metadata=\"{METADATA}\""
            );
            assert_eq!(
                (reply.status, reply.challenge.clone()),
                (403, Some(expected.clone())),
                "{scope} {tool}"
            );
            assert_eq!(direct.challenge, Some(expected));
            assert_eq!(reply.json()["error"]["code"], -32600);
        }
        // Out of the patterns of tools it is not there, whatever the scopes.
        let hidden = site.call(&token, "secret").await;
        let none = site.call(&token, "nothing").await;
        assert_eq!(hidden.status, 200);
        assert_eq!(hidden.text.replace("secret", "nothing"), none.text);
    }
}

#[tokio::test]
async fn scopes_are_mapped_as_configured() {
    let key = Signer::curve("a");
    let scopes = "    scopes:
      prefix: 'shop:'
      tools: {'*': [mcp], 'create_*': ['shop:write']}
      implied: {'shop:admin': ['shop:read', 'shop:write']}
      claims: [permissions]
      list: all
";
    let site = Site::new(&[&key], scopes).await;
    let token = key.token(&site.claims(&json!({"permissions": ["shop:admin", "mcp"]})));
    assert_eq!(site.call(&token, "create_pet").await.status, 200);
    let token = key.token(&site.claims(&json!({"permissions": ["shop:read"], "scope": "mcp"})));
    // Listed all the same, so that a client can ask for what it lacks.
    assert_eq!(
        site.list(&token).await.tools(),
        ["list_pets", "create_pet", "status"]
    );
    for (tool, needed) in [
        ("list_pets", "shop:read mcp"),
        ("create_pet", "shop:read shop:write mcp"),
        ("status", "mcp"),
    ] {
        let reply = site.call(&token, tool).await;
        let challenge = reply.challenge.unwrap_or_default();
        assert!(
            challenge.contains(&format!("scope=\"{needed}\"")),
            "{tool}: {challenge}"
        );
    }
}
