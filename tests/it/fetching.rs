//! How documents are fetched: past proxies, with the operator's certificates, and with the headers he gives.

use crate::support::{Answer, Upstream, run_in};

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
