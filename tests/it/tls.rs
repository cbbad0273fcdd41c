//! Certificates towards upstreams, over real TLS: private authorities, client certificates, and what is said
//! where one is not trusted.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{Authority, DocumentFile, Identity, TlsUpstream, configured, document, text};

const PATHS: &str = "
  /x: {get: {operationId: x, security: [{mutual: []}], responses: {default: {description: any}}}}
";
const SCHEMES: &str = "  securitySchemes: {mutual: {type: mutualTLS}}";

/// One call through a bridge that trusts `authority` and shows `identity`; the result and the log.
async fn called(
    upstream: &TlsUpstream,
    authority: Option<&Authority>,
    identity: Option<&Identity>,
) -> (Value, String) {
    let mut settings = "log: {filter: debug}\ntls:\n".to_owned();
    let mut files = Vec::new();
    let mut written = |name: &str, pem: String| {
        let file = DocumentFile::new(&pem, ".pem");
        settings.push_str(&format!("  {name}: {}\n", file.path().display()));
        files.push(file);
    };
    // A second authority besides, so that one file can hold several.
    let other = Authority::new().pem();
    written(
        "ca",
        other + &authority.map_or_else(String::new, Authority::pem),
    );
    if let Some(identity) = identity {
        written("certificate", identity.pem());
        written("key", identity.key_pem());
    }
    let bridge = configured(&document(PATHS, SCHEMES), &upstream.url(), &settings);
    let result = bridge.call("x", json!({})).await;
    let log = bridge.logged("tool=\"x\"").await;
    if let Some(identity) = identity {
        assert!(!log.contains(identity.key_pem().lines().nth(1).unwrap()));
    }
    (result, log)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_authority_is_trusted_and_no_other() {
    let authority = Authority::new();
    let upstream = TlsUpstream::start(&authority.issue("127.0.0.1"), None).await;
    let (result, _) = called(&upstream, Some(&authority), None).await;
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    let (result, log) = called(&upstream, None, None).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("signed by an authority that this server does not know"),
        "{result}"
    );
    assert!(text(&result).contains("operator"), "{result}");
    assert!(log.contains("UnknownIssuer"), "{log}");
    assert_eq!(upstream.served(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_of_other_times_and_names_are_refused() {
    let authority = Authority::new();
    for (identity, expected) in [
        (authority.issue_expired("127.0.0.1"), "it has expired"),
        (authority.issue("elsewhere.test"), "it is for another name"),
    ] {
        let upstream = TlsUpstream::start(&identity, None).await;
        let (result, _) = called(&upstream, Some(&authority), None).await;
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(expected), "{result}");
        assert_eq!(upstream.served(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_certificate_is_shown_where_it_is_demanded() {
    let authority = Authority::new();
    let server = authority.issue("127.0.0.1");
    let upstream = TlsUpstream::start(&server, Some(&authority)).await;
    let own = authority.issue("bridge.test");
    let (result, log) = called(&upstream, Some(&authority), Some(&own)).await;
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    assert!(!log.contains("ask for credentials"), "{log}");
    assert_eq!(upstream.served(), 1);
    let stranger = Authority::new().issue("bridge.test");
    let expired = authority.issue_expired("bridge.test");
    for identity in [None, Some(&stranger), Some(&expired)] {
        let (result, _) = called(&upstream, Some(&authority), identity).await;
        assert_eq!(result["isError"], true);
        assert!(
            text(&result).contains("does not take the certificate"),
            "{result}"
        );
    }
    assert_eq!(upstream.served(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_exchanged_while_the_bridge_runs() {
    let authority = Authority::new();
    let upstream = TlsUpstream::start(&authority.issue("127.0.0.1"), Some(&authority)).await;
    let (old, new) = (
        authority.issue_expired("bridge.test"),
        authority.issue("bridge.test"),
    );
    let files =
        [authority.pem(), old.pem(), old.key_pem()].map(|pem| DocumentFile::new(&pem, ".pem"));
    let [ca, certificate, key] = files.each_ref().map(DocumentFile::path);
    let settings = format!(
        "tls: {{ca: {}, certificate: {}, key: {}}}",
        ca.display(),
        certificate.display(),
        key.display()
    );
    let bridge = configured(&document(PATHS, SCHEMES), &upstream.url(), &settings);
    assert_eq!(bridge.call("x", json!({})).await["isError"], true);
    std::fs::write(&certificate, new.pem()).unwrap();
    std::fs::write(&key, new.key_pem()).unwrap();
    let mut result = bridge.call("x", json!({})).await;
    for _ in 0..100 {
        if result["isError"] == false {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        result = bridge.call("x", json!({})).await;
    }
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    bridge.logged("certificates have changed").await;
    // What cannot be used changes nothing.
    std::fs::write(&key, "no key").unwrap();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let result = bridge.call("x", json!({})).await;
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    let log = bridge.logged("going on with the last certificates").await;
    assert!(!log.contains("no key"), "{log}");
}

#[test]
fn files_that_hold_no_certificate_are_named_without_their_content() {
    let document = document(PATHS, SCHEMES);
    let nothing = DocumentFile::new(
        "-----BEGIN CERTIFICATE-----\nplanted-in-a-key\n-----END CERTIFICATE-----\n",
        ".pem",
    );
    let place = nothing.path().display().to_string();
    for settings in [
        format!("tls: {{ca: {place}}}"),
        format!("tls: {{certificate: {place}, key: {place}}}"),
        format!("tls: {{key: {place}}}"),
    ] {
        let file = DocumentFile::new(&settings, ".yaml");
        let output = crate::support::run(&[
            "serve",
            document.path().to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--config",
            file.path().to_str().unwrap(),
        ]);
        assert!(!output.status.success());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains(&place) || errors.contains("together"),
            "{errors}"
        );
        assert!(!errors.contains("planted"), "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn content_codings_are_undone_as_they_are_without_tls() {
    const TWICE: &str = "H4sIAAAAAAACA5Pv5mAAASbm1WFe+l6+uifPeIdvYjLif29pYx/q6a7pf/LUhRM3jlw5c+fQJYaDl4xNV7AyFNmIfzACagIAghcg2j0AAAA=";
    // `{"a":` and `1}`, each a gzip member of its own.
    const MEMBERS: &str = "H4sIAAAAAAAC/6tWSlSyAgDzf7BqBQAAAB+LCAAAAAAAAv8zrAUAzBgwqQIAAAA=";
    let authority = Authority::new();
    for (head, packed, expected) in [
        (
            "200 OK",
            ("gzip, gzip", TWICE),
            "{\"greeting\":\"grüße\",\"n\":12345678901234567890.50}",
        ),
        ("200 OK", ("gzip", MEMBERS), "{\"a\":1}"),
        (
            "503 Service Unavailable",
            ("gzip", "bm90IGd6aXA="),
            "503 Service Unavailable\nthis is usually temporary: try again later\nthe body broke off after 0 bytes",
        ),
        ("200 OK", ("gzip", ""), "200 OK"),
    ] {
        let (coding, packed) = (packed.0, STANDARD.decode(packed.1).unwrap());
        let mut answer = format!(
            "HTTP/1.1 {head}\r\ncontent-type: application/json\r\ncontent-encoding: {coding}\r\ncontent-length: {}\r\n\r\n",
            packed.len()
        )
        .into_bytes();
        answer.extend(packed);
        let identity = authority.issue("127.0.0.1");
        let upstream = TlsUpstream::sending(&identity, None, answer).await;
        let (result, _) = called(&upstream, Some(&authority), None).await;
        assert!(
            text(&result).contains(expected),
            "{head}, {coding}: {result}"
        );
    }
}
