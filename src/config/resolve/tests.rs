//! Precedence, prefixes, and faults all at once.

use super::*;

fn flags(documents: &[&str]) -> DocumentFlags {
    DocumentFlags {
        documents: documents.iter().map(|&text| text.to_owned()).collect(),
        ..DocumentFlags::default()
    }
}

fn nothing(_: &str) -> Option<String> {
    None
}

#[test]
fn prefixes_are_split_off_and_urls_are_not() {
    assert_eq!(split_prefix("shop=a.yaml"), (Some("shop"), "a.yaml"));
    assert_eq!(
        split_prefix("https://x.test/doc?v=1"),
        (None, "https://x.test/doc?v=1")
    );
    assert_eq!(split_prefix("./odd=name.yaml"), (None, "./odd=name.yaml"));
    let config = resolve(
        &flags(&["shop=a.yaml", "b.yaml"]),
        &ServeFlags::default(),
        &nothing,
    )
    .unwrap();
    assert_eq!(config.documents[0].prefix.as_deref(), Some("shop"));
    assert_eq!(config.documents[1].prefix, None);
}

#[test]
fn documents_come_from_the_environment_where_no_flag_names_them() {
    let environment =
        |name: &str| (name == "MCPINVOKE_DOCUMENTS").then(|| "x=a.yaml b.yaml".to_owned());
    let config = resolve(&flags(&[]), &ServeFlags::default(), &environment).unwrap();
    assert_eq!(config.documents.len(), 2);
    let config = resolve(&flags(&["c.yaml"]), &ServeFlags::default(), &environment).unwrap();
    assert_eq!(config.documents.len(), 1);
}

#[test]
fn all_faults_are_told_and_none_tells_a_password() {
    let documents = DocumentFlags {
        base_url: Some("ftp://ann:hunter2@x.test".to_owned()),
        ..flags(&["-", "-"])
    };
    let serve = ServeFlags {
        listen: Some("nowhere".to_owned()),
        path: Some("mcp".to_owned()),
        timeout: Some("soon".to_owned()),
        ..ServeFlags::default()
    };
    let faults = resolve(&documents, &serve, &nothing)
        .unwrap_err()
        .to_string();
    for expected in ["ftp://", "only one", "nowhere", "`mcp`", "soon"] {
        assert!(faults.contains(expected), "no {expected} in {faults}");
    }
    assert!(!faults.contains("hunter2"), "{faults}");
}

#[test]
fn flags_say_how_tools_are_listed_before_the_file_does() {
    let text = "tools: {schema_profile: simple, mode: list, budget: 9}";
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let from_file = DocumentFlags {
        config: Some(file.path().to_owned()),
        ..flags(&["a.yaml"])
    };
    let config = resolve(&from_file, &ServeFlags::default(), &nothing).unwrap();
    assert_eq!(config.mcp.tools_mode, mcp::ToolsMode::List);
    assert_eq!(config.mcp.budget, 9);
    let simple = discovery::SchemaProfile::Simple;
    assert_eq!(config.discovery.schema_profile, simple);
    let over = DocumentFlags {
        tools_mode: Some(crate::config::ToolsMode::Search),
        tools_budget: Some(7),
        schema_profile: Some(crate::config::Profile::Gemini),
        ..from_file
    };
    let config = resolve(&over, &ServeFlags::default(), &nothing).unwrap();
    assert_eq!(config.mcp.tools_mode, mcp::ToolsMode::Search);
    let yaml = config.to_yaml();
    for expected in ["schema_profile: gemini", "mode: search", "budget: 7"] {
        assert!(yaml.contains(expected), "no {expected} in {yaml}");
    }
}

#[test]
fn headers_that_are_not_the_callers_own_are_not_handed_on() {
    let faults = |names: &str, more: &str| {
        let file = File::parse(&format!("forward_headers: [{names}]\n{more}")).unwrap();
        let mut faults = Faults::default();
        let kept = upstream::forwarded(&file, &mut faults).len();
        (kept, faults.0.join("\n"))
    };
    for name in [
        "Cookie",
        "Host",
        "Connection",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Proxy-Authorization",
        "Content-Length",
        "Content-Type",
        "Accept",
        "Mcp-Session-Id",
        "'a b'",
        "\"x\\r\\ny\"",
    ] {
        let (kept, all) = faults(name, "");
        assert!(
            kept == 0 && all.starts_with("forward_headers: `"),
            "{name}: {all}"
        );
    }
    assert_eq!(faults("X-Tenant, Authorization", ""), (2, String::new()));
    for asked in [
        "keys: [{name: ci, hash: 00}]",
        "oauth: {resource: 'https://a.test/mcp', issuers: [{issuer: 'https://b.test'}]}",
    ] {
        let access = format!("access: {{{asked}}}");
        let (kept, all) = faults("X-Tenant, Authorization", &access);
        assert!(
            kept == 1 && all.contains("which no upstream may see"),
            "{all}"
        );
    }
}

#[test]
fn an_address_can_be_a_port() {
    assert_eq!(address("8080").unwrap().to_string(), "127.0.0.1:8080");
    assert_eq!(address("localhost:1").unwrap().to_string(), "127.0.0.1:1");
    assert_eq!(address("[::1]:2").unwrap().to_string(), "[::1]:2");
    assert!(address("example.com:80").is_err());
}

/// Everything that is told of a file with this text.
fn all_faults(text: &str, serve: &ServeFlags) -> Vec<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let flags = DocumentFlags {
        config: Some(file.path().to_owned()),
        ..DocumentFlags::default()
    };
    let faults = resolve(&flags, serve, &nothing).unwrap_err().0;
    let prefix = format!("{}: ", file.path().display());
    let short = |fault: String| fault.replace(&prefix, "");
    faults.into_iter().map(short).collect()
}

#[test]
fn faults_of_shape_and_of_value_are_told_together() {
    let text = "
listen: nowhere
path: mcp
listen_on: x
documents:
  - 17
  - {source: b.yaml, base_url: nowhere, prefx: x}
  - {source: 'ftp://a.test/x', overlays: [{}, 5, '-']}
limits: {request: 10, reply: much}
tools: {page_size: 0, budget: many, include: [[], {methods: [FETCH]}]}
timeouts: {call: 0s, connect: [1]}
credentials: {a: {env: UNSET}, b: {usernam: x, password: y}}
";
    let serve = ServeFlags {
        drain: Some("soon".to_owned()),
        ..ServeFlags::default()
    };
    let found = all_faults(text, &serve);
    let told = [
        "line 4: `listen_on` is not",
        "line 6: `documents[0]` expected",
        "line 7: `documents[1].prefx` is not",
        "line 8: `documents[2].overlays[0]` expected",
        "line 8: `documents[2].overlays[1]` expected",
        "documents[2].overlays: an overlay cannot be `-`",
        "line 10: `tools.budget` expected",
        "line 10: `tools.include[0]` expected",
        "line 11: `timeouts.connect` expected",
        "line 12: `credentials.b.usernam` is not",
        "documents[1].base_url: `nowhere` is not",
        "documents[2]: ",
        "limits.reply: ",
        "tools.include[1].methods: `FETCH` is not",
        "tools.page_size: expected at least 1",
        "timeouts.call: expected more than 0",
        "credentials.a: the environment variable UNSET",
        "listen: `nowhere` is not",
        "path: expected",
        "limits.request: expected at least",
        "timeouts.drain: ",
    ];
    for expected in told {
        let times = found.iter().filter(|one| one.starts_with(expected)).count();
        assert_eq!(times, 1, "{expected} in {found:#?}");
    }
    assert_eq!(found.len(), told.len(), "{found:#?}");
}

#[test]
fn what_follows_from_a_fault_is_no_fault_of_its_own() {
    for (text, expected) in [
        ("tls: {certificate: a.pem, kei: b.pem}", 1),
        ("confirm: {approvals: 5, fallback: approvals}", 1),
        ("confirm: {approvals: {tokn: {env: X}}}", 1),
        ("confirm: {approvals: {operators: [5]}}", 1),
        (
            "access: {oauth: {resource: 'https://a.test', issuers: [5]}}",
            1,
        ),
        ("access: {keys: [{name: a}]}", 1),
        ("tools: {include: [5]}", 1),
        ("- a", 1),
        ("listen: [1]\nlimits: {request: 2048}", 1),
    ] {
        let found = all_faults(text, &ServeFlags::default());
        assert_eq!(found.len(), expected, "{text}: {found:#?}");
    }
}
