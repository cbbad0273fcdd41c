//! Settings as a user writes them: flags, environment and file.

use serde_json::Value;

use crate::support::{Bridge, DocumentFile, run, run_in, run_with_open_input, spec};

fn told(output: &std::process::Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text)
}

fn printed(output: &std::process::Output) -> String {
    let (code, text) = told(output);
    assert_eq!(code, Some(0), "{text}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_level_that_is_none_is_a_usage_error_wherever_it_stands() {
    let file = DocumentFile::new("log: {filter: verbose}\n", ".yaml");
    let path = file.path().display().to_string();
    let pets = spec("petstore.yaml").display().to_string();
    for output in [
        run(&["tools", &pets, "--log", "verbose"]),
        run_in(&[("MCPINVOKE_LOG", "verbose")], &["tools", &pets]),
        run(&["config", "--config", &path]),
        run(&["config", "--log", "verbose"]),
    ] {
        let (code, text) = told(&output);
        assert_eq!(code, Some(2), "{text}");
        let expected =
            "expected error, warn, info, debug or trace (or target=level), found `verbose`";
        assert!(text.contains(expected), "{text}");
    }
    let text = printed(&run(&["config", "--log", "warning"]));
    assert!(text.contains("filter: warn\n"), "{text}");
}

#[test]
fn variables_are_lists_and_switches_and_empty_ones_say_nothing() {
    let text = printed(&run_in(
        &[
            ("MCPINVOKE_DOCUMENTS", "a.yaml, shop=b.yaml c.yaml"),
            ("MCPINVOKE_ALLOWED_HOSTS", "one.test two.test,three.test"),
            (
                "MCPINVOKE_ALLOWED_ORIGINS",
                "https://one.test, https://two.test",
            ),
            ("MCPINVOKE_STDIO", "yes"),
            ("MCPINVOKE_DOTNET", "1"),
            ("MCPINVOKE_ROOTS", "src,tests"),
        ],
        &["config"],
    ));
    for expected in [
        "source: c.yaml",
        "prefix: shop",
        "- two.test",
        "- three.test",
        "- https://two.test",
        "stdio: true",
        "- src",
        "- tests",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    let empty = [
        "BASE_URL",
        "DOCUMENTS",
        "OVERLAYS",
        "CONFIG",
        "DOTNET",
        "ROOTS",
        "TOOLS_MODE",
        "TOOLS_BUDGET",
        "SCHEMA_PROFILE",
        "LOG",
        "LOG_FORMAT",
        "STDIO",
        "LISTEN",
        "PATH",
        "ALLOWED_HOSTS",
        "ALLOWED_ORIGINS",
        "TIMEOUT",
        "DRAIN",
        "KEY",
        "CONFIRM_KEY",
    ]
    .map(|name| format!("MCPINVOKE_{name}"));
    let empty: Vec<(&str, &str)> = empty.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(
        printed(&run_in(&empty, &["config"])),
        printed(&run(&["config"]))
    );
    let off = run_in(&[("MCPINVOKE_STDIO", "off")], &["config"]);
    assert!(printed(&off).contains("stdio: false"));
    let help = printed(&run(&["serve", "--help"]));
    for name in ["MCPINVOKE_KEY", "MCPINVOKE_CONFIRM_KEY", "MCPINVOKE_ROOTS"] {
        assert!(help.contains(name), "no {name} in {help}");
    }
}

/// A file with every section that stands only where it is written.
const SECTIONS: &str = "
documents: [{source: a.yaml, credentials: {k: {client_id: me, client_secret: {env: SECRET}}}}]
credentials: {k: {client_id: me, client_secret: {env: SECRET}, grant: token_exchange}}
access:
  keys: [{name: ci, hash: ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2}]
  oauth: {resource: 'https://t.test/mcp', issuers: [{issuer: 'https://id.test/'}]}
  stdio: {}
audit: {file: a.jsonl}
commands: {dotnet: {}}
confirm: {approvals: {token: {env: SECRET}}}
timeouts: {call: 7s}
";

#[test]
fn the_printed_configuration_has_every_value_and_means_the_same() {
    let secret = [("SECRET", "0123456789abcdefgh")];
    let printed = |text: &str| {
        let file = DocumentFile::new(text, ".yaml");
        let path = file.path().display().to_string();
        printed(&run_in(&secret, &["config", "--config", &path]))
    };
    let text = printed(SECTIONS);
    assert_eq!(printed(&text), text);
    assert!(!text.contains("0123456789"), "{text}");
    let schema = printed_schema();
    let file: Value = serde_yaml::from_str(&text).unwrap();
    let mut left_out = Vec::new();
    unfilled(&schema, &schema, &file, "", &mut left_out);
    // What there is no default for.
    let none = [
        "access.keys[0].rate",
        "access.oauth.issuers[0].jwks_url",
        "access.stdio.rate",
        "base_url",
        "commands.dotnet.program",
        "confirm.approvals.listen",
        "confirm.approvals.token.file",
        "confirm.approvals.url",
        "confirm.key_file",
        "documents[0].base_url",
        "documents[0].prefix",
        "rate.all",
        "rate.caller",
        "rate.concurrency",
        "rate.requests",
        "rate.tool",
        "server.instructions",
        "tls.ca",
        "tls.certificate",
        "tls.key",
    ];
    left_out.retain(|place| !place.contains("credentials."));
    left_out.sort();
    assert_eq!(left_out, none);
    for expected in [
        "grant: client_credentials",
        "secret_in_body: false",
        "subject_token_type: urn:",
        "stream: 7s",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
}

fn printed_schema() -> Value {
    serde_json::from_str(&printed(&run(&["config", "--schema"]))).unwrap()
}

/// The members of a configuration that are no lists or maps, and are not there.
fn unfilled(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let alternatives = schema["anyOf"].as_array().into_iter().flatten();
    for alternative in alternatives {
        unfilled(root, alternative, value, place, found);
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        unfilled(root, target, value, place, found);
    }
    if let Some(items) = value.as_array() {
        for (index, item) in items.iter().enumerate() {
            unfilled(
                root,
                &schema["items"],
                item,
                &format!("{place}[{index}]"),
                found,
            );
        }
    }
    let (Some(members), Some(object)) = (schema["properties"].as_object(), value.as_object())
    else {
        return;
    };
    for (name, member) in members {
        let dot = if place.is_empty() { "" } else { "." };
        let place = format!("{place}{dot}{name}");
        let several = member["type"] == "array" || member["type"] == "object";
        match object.get(name) {
            Some(value) => unfilled(root, member, value, &place, found),
            None if several => {}
            None => found.push(place),
        }
    }
}

#[test]
fn settings_that_serve_nobody_are_refused() {
    let file = DocumentFile::new(
        "
path: /:x
limits: {document: 1, request: 0, reply: 0, text: 5, connections: 0}
timeouts: {document: 0s, connect: 0s, call: 0s, stream: 0s, kept: 0s}
commands: {dotnet: {output: 0}}
confirm: {approvals: {token: 0123456789abcdefgh, max_pending: 0}}
",
        ".yaml",
    );
    let path = file.path().display().to_string();
    let (code, text) = told(&run(&["serve", "a.yaml", "--config", &path]));
    assert_eq!(code, Some(2), "{text}");
    for setting in [
        "path",
        "limits.document",
        "limits.request",
        "limits.reply",
        "limits.text",
        "limits.connections",
        "timeouts.document",
        "timeouts.connect",
        "timeouts.call",
        "timeouts.stream",
        "timeouts.kept",
        "commands.dotnet.output",
        "confirm.approvals.max_pending",
    ] {
        let expected = format!(" {setting}: expected ");
        assert!(text.contains(&expected), "no {setting} in {text}");
    }
    for (path, settings) in [
        ("/healthz", ""),
        (
            "/approvals/x",
            "confirm: {approvals: {token: 0123456789abcdefgh}}",
        ),
    ] {
        let file = DocumentFile::new(settings, ".yaml");
        let config = file.path().display().to_string();
        let output = run(&["serve", "a.yaml", "--config", &config, "--path", path]);
        let (code, text) = told(&output);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("error: path: "), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_an_exit_code() {
    let bridge = Bridge::start([spec("petstore.yaml")]);
    bridge.tools().await;
    let origin = bridge.origin().to_owned();
    let address = origin.strip_prefix("http://").unwrap();
    for output in [
        run(&["health", &origin]),
        run(&["health", &format!("{origin}/mcp"), "--live"]),
        run(&["health", "--listen", address]),
        run_in(&[("MCPINVOKE_LISTEN", address)], &["health"]),
    ] {
        assert_eq!(told(&output), (Some(0), String::new()));
    }
    drop(bridge);
    let (code, text) = told(&run(&["health", &origin]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("/readyz: cannot connect"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(run(&["health", "ftp://x"]).status.code(), Some(2));
}

#[test]
fn a_call_says_which_of_its_words_is_missing() {
    let pets = spec("petstore.yaml").display().to_string();
    for (words, code, expected) in [
        (&["call", &pets][..], 2, "a tool's name is missing"),
        (
            &["call", "getPet", "--arg", "petId=1"],
            2,
            "a document is missing",
        ),
        (&["call", &pets, "getpet"], 1, "did you mean `getPet`?"),
        (
            &["call", &pets, "createPet", "--arg", "body.name=Rex"],
            2,
            r#"--arg body='{"name":"Rex"}'"#,
        ),
        (
            &[
                "call", &pets, "getPet", "--arg", "petId=1", "--arg", "petId=2",
            ],
            2,
            "`petId` is given more than once",
        ),
    ] {
        let (found, text) = told(&run(words));
        assert_eq!(found, Some(code), "{words:?}: {text}");
        assert!(text.contains(expected), "{words:?}: {text}");
    }
    assert!(printed(&run(&["call", "--help"])).contains("--arg body="));
}

#[test]
fn over_stdio_no_document_comes_from_stdin() {
    let file = DocumentFile::new("documents: ['-']\nstdio: true\n", ".yaml");
    let path = file.path().display().to_string();
    for arguments in [
        &["serve", "-", "--stdio"][..],
        &["serve", "a=-", "--stdio"],
        &["serve", "--config", &path],
    ] {
        let (code, text) = told(&run(arguments));
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("belongs to the stdio transport"), "{text}");
    }
}

#[test]
fn a_document_on_stdin_has_its_time_to_end() {
    let settings = "timeouts: {document: 300ms}\nlisten: 127.0.0.1:0\n";
    let file = DocumentFile::new(settings, ".yaml");
    let path = file.path().display().to_string();
    let output = run_with_open_input(&["serve", "-", "--config", &path], "openapi: 3.0.3\n");
    let (code, text) = told(&output);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("did not end within 300ms"), "{text}");
}
