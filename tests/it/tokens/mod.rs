//! Access tokens: what is taken and what is not, what a client is told, and what scopes have to do with tools.

mod invalid;
mod issuer;
mod scopes;

use serde_json::{Value, json};

use crate::support::issuer::now;
use crate::support::{Bridge, Issuer, Signer, Upstream, configured, document, hash};

/// The endpoint as clients know it: behind a proxy, under another address.
const RESOURCE: &str = "https://tools.example.com/mcp";
const METADATA: &str = "https://tools.example.com/.well-known/oauth-protected-resource/mcp";

const PATHS: &str = "
  /pets: {get: {operationId: list_pets, security: [{oauth: [read]}], responses: {default: {description: any}}}, post: {operationId: create_pet, security: [{oauth: [read, write]}, {oauth: [root]}], responses: {default: {description: any}}}}
  /status: {get: {operationId: status, responses: {default: {description: any}}}}
  /secret: {get: {operationId: secret, security: [{oauth: [read]}], responses: {default: {description: any}}}}
";
const SCHEMES: &str = "  securitySchemes:
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://id.example.com/token', scopes: {}}}}";

struct Site {
    upstream: Upstream,
    issuer: Issuer,
    bridge: Bridge,
}

struct Reply {
    status: u16,
    challenge: Option<String>,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not json: {}", self.text))
    }

    fn tools(&self) -> Vec<String> {
        let answer = self.json();
        let tools = answer["result"]["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Site {
    async fn new(signers: &[&Signer], more: &str) -> Self {
        let issuer = Issuer::start(signers).await;
        let upstream = Upstream::ok().await;
        let document = document(PATHS, SCHEMES);
        let configuration = format!(
            "access:
  oauth:
    resource: {RESOURCE}
    tools: [list_pets, create_pet, status]
    issuers: [{{issuer: '{}', name: id}}]
{more}",
            issuer.url()
        );
        let bridge = configured(&document, &upstream.url(), &configuration);
        Self {
            upstream,
            issuer,
            bridge,
        }
    }

    /// A message with this token.
    async fn ask(&self, token: Option<&str>, method: &str, params: Value) -> Reply {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = self.bridge.request(message.to_string());
        request = request.header("mcp-protocol-version", "2025-11-25");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.unwrap();
        let challenge = response.headers().get("www-authenticate");
        Reply {
            challenge: challenge.map(|value| value.to_str().unwrap().to_owned()),
            status: response.status().as_u16(),
            text: response.text().await.unwrap(),
        }
    }

    async fn list(&self, token: &str) -> Reply {
        self.ask(Some(token), "tools/list", json!({})).await
    }

    async fn call(&self, token: &str, tool: &str) -> Reply {
        self.ask(
            Some(token),
            "tools/call",
            json!({"name": tool, "arguments": {}}),
        )
        .await
    }

    fn claims(&self, more: &Value) -> Value {
        self.issuer.claims(RESOURCE, more)
    }
}

#[tokio::test]
async fn good_tokens_of_either_kind_of_key_are_taken() {
    let (curve, rsa) = (Signer::curve("a"), Signer::rsa("b"));
    let site = Site::new(&[&curve, &rsa], "").await;
    for signer in [&curve, &rsa] {
        for more in [
            json!({}),
            json!({"aud": ["https://other.example.com", RESOURCE]}),
            json!({"aud": format!("{RESOURCE}/")}),
            json!({"exp": now() - 10}),
            json!({"nbf": now() + 10}),
            json!({"exp": (now() + 60) as f64 + 0.5}),
            json!({"sub": null}),
        ] {
            let reply = site.list(&signer.token(&site.claims(&more))).await;
            assert_eq!(reply.status, 200, "{more} {}", reply.text);
        }
    }
    // The header need not name the key.
    let token = curve.token_with(&json!({"alg": "ES256"}), &site.claims(&json!({})));
    assert_eq!(site.list(&token).await.status, 200);
    assert_eq!(site.issuer.fetches(), 1);
    site.bridge.logged("tools are ready").await;
}

#[tokio::test]
async fn a_client_without_token_is_told_where_to_get_one() {
    let key = Signer::curve("a");
    let site = Site::new(&[&key], "    scopes: {initial: [read, 'pets:list']}\n").await;
    let reply = site.ask(None, "tools/list", json!({})).await;
    let expected = format!(
        "Bearer realm=\"mcpinvoke\", resource_metadata=\"{METADATA}\", scope=\"read pets:list\""
    );
    assert_eq!((reply.status, reply.challenge), (401, Some(expected)));
    for path in ["", "/mcp"] {
        let url = format!(
            "{}/.well-known/oauth-protected-resource{path}",
            site.bridge.origin()
        );
        let response = site.bridge.http().get(url).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/json");
        let document: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        let expected = json!({
            "resource": RESOURCE,
            "authorization_servers": [site.issuer.url()],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "pets:list"],
        });
        assert_eq!(document, expected);
    }
    // In the address no token is looked for, and two are none.
    let token = key.token(&site.claims(&json!({})));
    let request = site
        .bridge
        .http()
        .post(format!("{}?access_token={token}", site.bridge.url));
    assert_eq!(request.body("{}").send().await.unwrap().status(), 401);
    let twice = site
        .bridge
        .http()
        .post(&site.bridge.url)
        .bearer_auth(&token);
    let twice = twice.header("authorization", "Bearer other").body("{}");
    let twice = twice.send().await.unwrap();
    assert_eq!(twice.status(), 400);
    let challenge = twice.headers()["www-authenticate"].to_str().unwrap();
    assert!(
        challenge.contains("error=\"invalid_request\""),
        "{challenge}"
    );
    // Pages beside the endpoint are as closed as it is; probes are open.
    let status = async |path: &str| {
        let url = format!("{}{path}", site.bridge.origin());
        site.bridge
            .http()
            .get(url)
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    assert_eq!(status("/.well-known/mcp-context").await, 401);
    assert_eq!(status("/api/discovery/tools").await, 401);
    assert_eq!(
        (status("/healthz").await, status("/readyz").await),
        (200, 200)
    );
}

#[tokio::test]
async fn a_token_stays_here_and_its_subject_is_the_principal() {
    let key = Signer::curve("a");
    let site = Site::new(&[&key], "rate: {caller: 2/h}\n").await;
    let ann = key.token(&site.claims(&json!({"scope": "read"})));
    let again = key.token(&site.claims(&json!({"scope": "read write", "jti": "2"})));
    let bob = key.token(&site.claims(&json!({"scope": "read", "sub": "bob"})));
    assert_eq!(site.call(&ann, "list_pets").await.status, 200);
    let seen = site.upstream.only();
    assert_eq!(seen.header("authorization"), None);
    assert!(!format!("{seen:?}").contains(&ann));
    // Another token of the same subject is the same caller; a refusal is not counted.
    assert_eq!(site.call(&ann, "create_pet").await.status, 403);
    site.call(&again, "list_pets").await;
    let third = site.call(&again, "list_pets").await;
    assert!(
        third.text.contains("too many calls by this caller"),
        "{}",
        third.text
    );
    let other = site.call(&bob, "list_pets").await;
    assert_eq!(other.json()["result"]["isError"], false);
    let log = site.bridge.logged("id:bob").await;
    assert!(log.contains("id:ann") && !log.contains(&ann), "{log}");
}

#[tokio::test]
async fn keys_and_tokens_are_taken_side_by_side() {
    let key = Signer::curve("a");
    // SHA-256 of `static-key`.
    let hash = hash("static-key");
    let site = Site::new(
        &[&key],
        &format!("  keys: [{{name: ci, hash: {hash}, tools: [secret]}}]\n"),
    )
    .await;
    assert_eq!(site.list("static-key").await.tools(), ["secret"]);
    let token = key.token(&site.claims(&json!({"scope": "read"})));
    assert_eq!(site.list(&token).await.tools(), ["list_pets", "status"]);
    let unknown = site.list("another-key").await;
    let invalid = site
        .list(&Signer::Nothing.token(&site.claims(&json!({}))))
        .await;
    assert_eq!(
        (unknown.status, unknown.challenge, unknown.text),
        (401, invalid.challenge, invalid.text)
    );
}
