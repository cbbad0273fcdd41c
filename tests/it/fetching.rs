//! How documents are fetched: past proxies, with the operator's certificates, and with the headers he gives.

use crate::support::{Answer, Authority, DocumentFile, Seen, TlsUpstream, Upstream, run_in};

/// A document with one operation, `x`.
const DOCUMENT: &str = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"servers":[{"url":"http://127.0.0.1:9"}],"paths":{"/x":{"get":{"operationId":"x","summary":"X","responses":{"204":{"description":"done"}}}}}}"#;

/// A command run to its end: whether it succeeded, its stdout and its stderr.
async fn ran(environment: &[(&str, &str)], arguments: &[&str]) -> (bool, String, String) {
    let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let (names, values) = environment.iter().copied().unzip();
    let (names, values): (Vec<&str>, Vec<&str>) = (names, values);
    let (names, values): (Vec<String>, Vec<String>) = (own(&names), own(&values));
    let arguments: Vec<String> = own(arguments);
    let output = tokio::task::spawn_blocking(move || {
        let environment: Vec<(&str, &str)> = names
            .iter()
            .zip(&values)
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_in(&environment, &arguments)
    });
    let output = output.await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    (output.status.success(), out, err)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_variable_reroutes_no_document() {
    let host = Upstream::start(|_| Answer::json(DOCUMENT)).await;
    let proxy = Upstream::start(|_| Answer::json("{}").status(502)).await;
    let proxy_url = proxy.url();
    let environment = [
        ("HTTP_PROXY", proxy_url.as_str()),
        ("http_proxy", &proxy_url),
        ("ALL_PROXY", &proxy_url),
        ("NO_PROXY", ""),
        ("no_proxy", ""),
    ];
    let url = format!("{}/api.json", host.url());
    let (success, out, err) = ran(&environment, &["tools", &url]).await;
    assert!(success && out.starts_with("x "), "{out} {err}");
    assert_eq!((host.arrived(), proxy.arrived()), (1, 0));
}

/// A configuration in a file, and its path.
fn configuration(text: &str) -> (DocumentFile, String) {
    let file = DocumentFile::new(text, ".yaml");
    let path = file.path().display().to_string();
    (file, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_authority_is_trusted_for_documents_and_its_lack_is_told() {
    let authority = Authority::new();
    let host = TlsUpstream::answering(&authority.issue("127.0.0.1"), None, DOCUMENT).await;
    let url = format!("{}/api.json", host.url());
    let (success, _, err) = ran(&[], &["tools", &url]).await;
    assert!(!success);
    for expected in [
        "certificate is not trusted: it is signed by an authority",
        "`tls.ca`",
        "`dotnet dev-certs https --trust`",
    ] {
        assert!(err.contains(expected), "{err}");
    }
    assert!(!err.contains("verif") && !err.contains(".rs"), "{err}");
    assert_eq!(host.served(), 0);
    let ca = DocumentFile::new(&authority.pem(), ".pem");
    let (_file, config) = configuration(&format!("tls: {{ca: {}}}", ca.path().display()));
    let (success, out, err) = ran(&[], &["tools", &url, "--config", &config]).await;
    assert!(success && out.starts_with("x "), "{out} {err}");
    // Waiting heals no certificate: the bridge gives up at once.
    let waiting = ["serve", &url, "--listen", "127.0.0.1:0"];
    let (success, _, err) = ran(&[], &waiting).await;
    assert!(!success && err.contains("`tls.ca`"), "{err}");
    let (_file, config) = configuration("tls: {ca: /nowhere/ca.pem}");
    let (success, _, err) = ran(&[], &["tools", &url, "--config", &config]).await;
    assert!(!success && err.contains("/nowhere/ca.pem"), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_certificate_is_shown_to_the_documents_own_place_alone() {
    let authority = Authority::new();
    let identity = authority.issue("127.0.0.1");
    let host = TlsUpstream::answering(&identity, Some(&authority), DOCUMENT).await;
    let own = authority.issue("bridge.test");
    let files = [authority.pem(), own.pem(), own.key_pem()];
    let files = files.map(|pem| DocumentFile::new(&pem, ".pem"));
    let [ca, certificate, key] = files
        .each_ref()
        .map(|file| file.path().display().to_string());
    let tls = format!(
        "tls: {{ca: {ca}, certificate: {certificate}, key: {key}}}\noutbound: {{allow: [127.0.0.1]}}\n"
    );
    let (_file, config) = configuration(&tls);
    let url = format!("{}/api.json", host.url());
    let (success, out, err) = ran(&[], &["tools", &url, "--config", &config]).await;
    assert!(success && out.starts_with("x "), "{out} {err}");
    // A place that the document's own one names asks for it in vain.
    let target = url.clone();
    let moved = Upstream::start(move |_| Answer::json("").status(307).with("location", &target));
    let moved = format!("{}/api.json", moved.await.url());
    let (success, _, err) = ran(&[], &["tools", &moved, "--config", &config]).await;
    assert!(!success && err.contains("`tls.certificate`"), "{err}");
    assert_eq!(host.served(), 1);
}

fn keys(seen: &[Seen]) -> Vec<Option<&str>> {
    seen.iter().map(|seen| seen.header("x-key")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_documents_headers_go_to_its_own_place_alone() {
    let refers = DOCUMENT.replace(
        r#""summary":"X""#,
        r#""parameters":[{"name":"p","in":"query","schema":{"$ref":"/p.json"}},{"name":"q","in":"query","schema":{"$ref":"ELSEWHERE/q.json"}}]"#,
    );
    let elsewhere = Upstream::start(move |_| Answer::json(DOCUMENT)).await;
    let refers = refers.replace("ELSEWHERE", &elsewhere.url());
    let place = elsewhere.url();
    let host = Upstream::start(move |seen| {
        if seen.header("x-key") != Some("hunter2")
            || seen.header("authorization") != Some("Bearer t0p")
        {
            return Answer::json("{}").status(401);
        }
        let moved = |to: &str| Answer::json("").status(302).with("location", to);
        match seen.target.as_str() {
            "/moved" => moved("/api.json"),
            "/left" => moved(&format!("{place}/api.json")),
            "/p.json" => Answer::json(r#"{"type":"string"}"#),
            _ => Answer::json(&refers),
        }
    })
    .await;
    let command = async |path: &str, command: &'static str, headers: &str| {
        let (_file, config) = configuration(&format!(
            "documents: [{{source: '{}{path}', headers: {headers}}}]\noutbound: {{allow: [127.0.0.1]}}\nlog: {{filter: trace}}",
            host.url()
        ));
        let environment = [("DOCUMENT_KEY", "hunter2")];
        let (success, out, err) = ran(&environment, &[command, "--config", &config]).await;
        for secret in ["hunter2", "t0p"] {
            assert!(
                !out.contains(secret) && !err.contains(secret),
                "{out} {err}"
            );
        }
        (success, out, err)
    };
    let right = "{X-Key: {env: DOCUMENT_KEY}, authorization: Bearer t0p}";
    for path in ["/api.json", "/moved"] {
        let (success, out, err) = command(path, "tools", right).await;
        assert!(success && out.starts_with("x "), "{out} {err}");
    }
    assert_eq!(
        keys(&host.seen()),
        [Some("hunter2"); 5],
        "the document and its own references"
    );
    assert_eq!(
        elsewhere.arrived(),
        0,
        "a reference to another place is not followed at all"
    );
    let (success, _, err) = command("/left", "tools", right).await;
    assert!(success, "{err}");
    assert_eq!(keys(&elsewhere.seen()), [None]);
    assert_eq!(elsewhere.only().header("authorization"), None);
    // Printed as a file, they are masked.
    let (success, out, err) = command("/api.json", "config", right).await;
    assert!(
        success && out.contains("X-Key") && out.contains("'***'"),
        "{out} {err}"
    );
    let (success, _, err) = command("/api.json", "tools", "{X-Key: wrong}").await;
    assert!(
        !success && err.contains("the credentials it was shown do not do"),
        "{err}"
    );
    let (success, _, err) = command("/api.json", "tools", "{}").await;
    let hint = "`documents[].headers` in the configuration, or write user and password before the host in its URL";
    assert!(!success && err.contains(hint), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_in_the_url_is_shown() {
    let host = Upstream::start(|seen| match seen.header("authorization") {
        Some("Basic YW5uOmh1bnRlcjI=") => Answer::json(DOCUMENT),
        _ => Answer::json("{}").status(401),
    })
    .await;
    let url = host.url().replace("//", "//ann:hunter2@");
    let (success, out, err) = ran(&[], &["tools", &format!("{url}/api.json")]).await;
    assert!(
        success && out.starts_with("x ") && !err.contains("hunter2"),
        "{err}"
    );
}
