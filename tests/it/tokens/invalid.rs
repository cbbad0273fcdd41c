//! Tokens that are not taken: each with one thing wrong, and all with the same answer.

use serde_json::{Value, json};

use super::{METADATA, RESOURCE, Site};
use crate::support::Signer;
use crate::support::issuer::now;

#[tokio::test]
async fn every_invalid_token_gets_the_same_answer() {
    let (key, rsa, strange) = (Signer::curve("a"), Signer::rsa("r"), Signer::curve("a"));
    let site = Site::new(&[&key, &rsa], "").await;
    let good = site.claims(&json!({}));
    let token = key.token(&good);
    let signature = token.rfind('.').unwrap() + 1;
    let tampered = |at: usize| {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let shared =
        |secret: &str| Signer::Shared("r".to_owned(), secret.as_bytes().to_vec()).token(&good);
    let modulus = rsa.jwk()["n"].as_str().unwrap().to_owned();
    let none = Signer::Nothing.token(&good);
    let with = |more: Value| key.token(&site.claims(&more));
    let header = |header: Value| key.token_with(&header, &good);
    let cases = [
        (
            "another audience",
            with(json!({"aud": "https://tools.example.com"})),
        ),
        ("no audience", with(json!({"aud": null}))),
        ("a number for an audience", with(json!({"aud": 7}))),
        (
            "an audience that begins alike",
            with(json!({"aud": format!("{RESOURCE}2")})),
        ),
        (
            "another issuer",
            with(json!({"iss": "https://id.example.com"})),
        ),
        ("two issuers", with(json!({"iss": [site.issuer.url()]}))),
        ("no issuer", with(json!({"iss": null}))),
        ("expired", with(json!({"exp": now() - 60}))),
        ("without end", with(json!({"exp": null}))),
        ("an end that is a text", with(json!({"exp": "never"}))),
        ("not yet valid", with(json!({"nbf": now() + 600}))),
        ("nobody's", with(json!({"sub": null, "client_id": null}))),
        ("a subject that is a number", with(json!({"sub": 1001}))),
        (
            "a subject with a line break",
            with(json!({"sub": "ann\nbob"})),
        ),
        ("alg none", none.clone()),
        (
            "alg none, spelled otherwise",
            Signer::Nothing.token_with(&json!({"alg": "NONE"}), &good),
        ),
        (
            "alg none with a signature",
            format!("{none}{}", &token[signature..]),
        ),
        ("HS256 with the public modulus", shared(&modulus)),
        (
            "HS256 with the public key set",
            shared(&rsa.jwk().to_string()),
        ),
        ("HS256 with nothing", shared("")),
        (
            "the other key's algorithm",
            header(json!({"alg": "RS256", "kid": "a"})),
        ),
        (
            "the other key's name",
            header(json!({"alg": "ES256", "kid": "r"})),
        ),
        ("a key that nobody published", strange.token(&good)),
        (
            "critical parameters",
            header(json!({"alg": "ES256", "kid": "a", "crit": ["b64"], "b64": true})),
        ),
        (
            "a key of its own",
            header(json!({"alg": "ES256", "jwk": strange.jwk(), "kid": "x"})),
        ),
        ("a tampered signature", tampered(signature + 5)),
        (
            "a tampered payload",
            tampered(token.find('.').unwrap() + 10),
        ),
        ("a tampered header", tampered(3)),
        ("no signature", token[..signature].to_owned()),
        ("two parts", token[..signature - 1].to_owned()),
        ("four parts", format!("{token}.x")),
        ("no token", "abc".to_owned()),
        ("dots", "..".to_owned()),
        (
            "a long one",
            format!("{}.{}.x", "a".repeat(9000), "b".repeat(9000)),
        ),
    ];
    let mut first: Option<String> = None;
    for (what, token) in cases {
        let reply = site.list(&token).await;
        assert_eq!(reply.status, 401, "{what}: {}", reply.text);
        let expected = format!(
            "Bearer realm=\"mcpinvoke\", error=\"invalid_token\", resource_metadata=\"{METADATA}\""
        );
        assert_eq!(
            reply.challenge.as_deref(),
            Some(expected.as_str()),
            "{what}"
        );
        assert_eq!(
            first.get_or_insert(reply.text.clone()),
            &reply.text,
            "{what}"
        );
    }
    assert!(site.upstream.seen().is_empty());
    // The log says why, and never what.
    let mut log = String::new();
    for part in [
        "made for another audience",
        "expired",
        "algorithm not allowed",
        "the signature does not fit",
    ] {
        log = site.bridge.logged(part).await;
    }
    assert!(
        !log.contains(&token[..60]) && !log.contains(&token[signature..]),
        "{log}"
    );
}
