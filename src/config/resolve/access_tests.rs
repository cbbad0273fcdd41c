//! Keys, callers and issuers as they are read, and what is wrong with them.

use data_encoding::HEXLOWER;

use super::*;

const GOOD: &str = "ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2";

fn file(text: &str) -> File {
    File::parse(text).unwrap()
}

#[test]
fn keys_are_read_and_never_repeated() {
    let read = |text: &str| {
        let mut faults = Faults::default();
        let keys = keys(&file(text), &mut faults);
        (keys.len(), faults.0.join(" "))
    };
    let one = format!("{{name: ann, hash: {GOOD}}}");
    assert_eq!(read(&format!("access: {{keys: [{one}]}}")).0, 1);
    let (count, faults) = read(&format!("access: {{keys: [{one}, {one}]}}"));
    assert!(count == 1 && faults.contains("keys[1]"), "{faults}");
    let (count, faults) = read("access: {keys: [{name: bob, hash: topsecret}]}");
    assert!(count == 0 && faults.contains("64 hex"), "{faults}");
    assert!(!faults.contains("topsecret"));
}

#[test]
fn a_key_stands_for_one_caller() {
    let faults = |text: &str| {
        let mut faults = Faults::default();
        keys(&file(text), &mut faults);
        faults.0.join(" ")
    };
    let two =
        format!("access: {{keys: [{{name: ann, hash: {GOOD}}}, {{name: bob, hash: {GOOD}}}]}}");
    let told = faults(&two);
    assert!(
        told.contains("keys[1]") && told.contains("that of `ann`"),
        "{told}"
    );
    let empty = format!("access: {{keys: [{{name: ann, hash: {}}}]}}", hex(""));
    assert!(faults(&empty).contains("an empty text"));
    for text in ["access: {keys: []}", "outbound: {hosts: []}"] {
        let told = File::parse(text).unwrap_err().0.join(" ");
        assert!(told.contains("expected at least one entry"), "{told}");
    }
}

#[test]
fn addresses_that_others_are_told_hold_no_password() {
    for text in [
        "https://ann:only-in-this-url@t.test",
        "https://only-in-that-url@t.test",
    ] {
        let fault = public_url(text).unwrap_err();
        assert!(fault.contains("holds a user"), "{fault}");
        assert!(!fault.contains("only-in"), "{fault}");
    }
    assert!(public_url("https://t.test/mcp").is_ok());
    for text in [
        "https://t.test/:x",
        "https://t.test/a/*x",
        "https://t.test/:",
    ] {
        let fault = resource(text).unwrap_err();
        assert!(fault.contains("`:` or `*`"), "{fault}");
    }
    assert!(resource("https://t.test/a:b/{c}").is_ok());
}

#[test]
fn the_caller_over_stdio_is_a_key_s_or_named() {
    let keys = format!(
        "stdio: true\naccess: {{keys: [{{name: ann, hash: {}, tools: [a]}}], stdio: {{name: desk, tools: [b]}}}}",
        hex("right")
    );
    let read = |text: &str, key: Option<&str>| {
        let mut faults = Faults::default();
        let environment = |name: &str| key.filter(|_| name == "MCPINVOKE_KEY").map(str::to_owned);
        let caller = stdio(&file(text), &environment, &mut faults);
        (
            caller.principal.to_string(),
            caller.grant.is_some(),
            faults.0.len(),
        )
    };
    assert_eq!(read(&keys, Some("right")), ("ann".to_owned(), true, 0));
    assert_eq!(read(&keys, None), ("desk".to_owned(), true, 0));
    assert_eq!(read(&keys, Some("right\r\n")), ("ann".to_owned(), true, 0));
    assert_eq!(read(&keys, Some("")), ("desk".to_owned(), true, 0));
    assert_eq!(read(&keys, Some("wrong")).2, 1);
    assert_eq!(read("stdio: true", Some("right")).2, 1);
    // Over HTTP the variable is a client's.
    assert_eq!(
        read("stdio: false", Some("right")),
        ("anonymous".to_owned(), false, 0)
    );
    assert_eq!(read(&keys.replace("desk", "ann"), None).2, 1);
}

fn hex(key: &str) -> String {
    HEXLOWER.encode(Fingerprint::of(key).as_bytes())
}

#[test]
fn every_fault_is_named() {
    let file = file(&format!("
access:
  keys: [{{name: 'id:ann', hash: {GOOD}, tools: [], rate: often}}, {{name: bob, hash: {GOOD}, tools: ['a b']}}]
  stdio: {{rate: 0/s}}
  oauth:
    resource: tools.example.com
    leeway: 1h
    issuers:
      - {{issuer: 'http://id.example.com', name: id, algorithms: [RS256, HS256]}}
      - {{issuer: 'https://id.example.com', name: id, jwks_url: nowhere}}
    scopes: {{tools: {{'x y': [a]}}}}
"));
    let mut faults = Faults::default();
    keys(&file, &mut faults);
    rates(&file, &mut faults);
    scopes(&file, &mut faults);
    tokens(&file, &mut faults);
    let all = faults.0.join("\n");
    for part in [
        "access.keys[0].tools",
        "access.keys[0].rate",
        "access.keys[1].tools",
        "access.stdio.rate",
        "access.oauth.resource",
        "access.oauth.leeway",
        "access.oauth.issuers[0].issuer: expected https",
        "access.oauth.issuers[0].algorithms: `HS256`",
        "access.oauth.issuers[1].jwks_url",
        "access.oauth.scopes.tools",
        "access.keys[0].name",
    ] {
        assert!(all.contains(part), "{part} in {all}");
    }
}

#[test]
fn no_subject_of_one_issuer_is_another_s() {
    let told = |issuers: &str| {
        let mut faults = Faults::default();
        let text =
            format!("access: {{oauth: {{resource: 'https://t.test/mcp', issuers: [{issuers}]}}}}");
        tokens(&file(&text), &mut faults);
        faults.0.join(" ")
    };
    for name in ["", "' '", "corp:eu", "':'", r#""a\u0007""#] {
        let name = if name.is_empty() { "''" } else { name };
        let told = told(&format!("{{issuer: 'https://a.test', name: {name}}}"));
        assert!(
            told.contains("issuers[0].name: expected a name without a colon"),
            "{name}: {told}"
        );
    }
    let meets = told("{issuer: 'https://[::1]:8443'}, {issuer: 'https://b.test', name: '['}");
    assert!(meets.contains("issuers[1]: expected"), "{meets}");
    let spaces =
        told("{issuer: 'https://a.test', name: id}, {issuer: 'https://b.test', name: ' id'}");
    assert!(spaces.contains("issuers[1]: expected"), "{spaces}");
    assert_eq!(
        told(
            "{issuer: 'https://[::1]:8443'}, {issuer: 'https://b.test', name: corp}, {issuer: 'https://c.test', name: corp-eu}"
        ),
        ""
    );
}

#[test]
fn tokens_have_careful_defaults() {
    let oauth = "access: {oauth: {resource: 'https://t.test/mcp', issuers: [{issuer: 'https://id.test/realms/x'}]}}";
    let mut faults = Faults::default();
    let tokens = tokens(&file(oauth), &mut faults).unwrap();
    assert!(faults.0.is_empty(), "{:?}", faults.0);
    assert_eq!(&*tokens.issuers[0].name, "id.test");
    assert_eq!(tokens.issuers[0].issuer, "https://id.test/realms/x");
    assert_eq!(tokens.leeway, LEEWAY);
    assert!(tokens.scoped && tokens.tools.is_none());
    assert_eq!(tokens.issuers[0].algorithms, Algorithm::all());
}
