//! What is told of files that cannot be meant.

use crate::config::File;

/// A file with a fault of each kind.
const FAULTY: &str = "listen: [1]
listen_on: x
documents:
  - {source: a.yaml, prefx: shop, base_ur: y}
  - 17
  - source: b.yaml
    credentials: {key: {envv: A}, other: hunter2, third: {password: [hunter2]}}
  - {prefix: c}
tools:
  mode: lists
  page_size: many
  operations: {getPet: {ask: 5}, addPet: {ask: [{arguments: x}]}}
commands: {dotnet: hunter2}
metrics: 'yes'";

/// What is told of it: the line, and a part of the words.
const TOLD: &[(usize, &str)] = &[
    (1, "`listen` expected text, found a list"),
    (2, "`listen_on` is not a setting; "),
    (
        4,
        "`documents[0].prefx` is not a setting; did you mean `prefix`?",
    ),
    (
        4,
        "`documents[0].base_ur` is not a setting; did you mean `base_url`?",
    ),
    (
        5,
        "`documents[1]` expected a mapping with `source`, `prefix`",
    ),
    (5, "or text, found a number (write it in quotes)"),
    (
        7,
        "`documents[2].credentials.key.envv` is not a setting; did you mean `env`?",
    ),
    (
        7,
        "`documents[2].credentials.other` expected a mapping with `env`, ",
    ),
    (
        7,
        "`documents[2].credentials.third.password` expected a mapping with `env` or `file` or text, found a list",
    ),
    (8, "`documents[3]` lacks `source`"),
    (
        10,
        "`tools.mode` expected `auto`, `list` or `search`, found `lists`; did you mean `list`?",
    ),
    (
        11,
        "`tools.page_size` expected a whole number of at least 0, found text",
    ),
    (
        12,
        "`tools.operations.getPet.ask` expected a list, found a number",
    ),
    (
        12,
        "`tools.operations.addPet.ask[0].arguments` expected a list, found text",
    ),
    (13, "`commands.dotnet` expected a mapping with `roots`, "),
    (14, "`metrics` expected true or false, found text"),
];

fn faults(text: &str) -> Vec<String> {
    File::parse(text).map_or_else(|faults| faults.0, |_| Vec::new())
}

#[test]
fn every_fault_of_a_file_is_told_with_its_line() {
    let found = faults(FAULTY);
    for &(line, expected) in TOLD {
        let start = format!("line {line}: ");
        assert!(
            found
                .iter()
                .any(|one| one.starts_with(&start) && one.contains(expected)),
            "no {line} {expected} in {found:#?}"
        );
    }
    assert_eq!(found.len(), 15, "{found:#?}");
    let all = found.join("\n");
    for internal in ["hunter2", "untagged", "struct", "enum"] {
        assert!(!all.contains(internal), "{all}");
    }
}

#[test]
fn what_reads_well_has_no_faults() {
    for text in [
        "listen: 8080\nlimits: {request: 2048, kept_reply: 0}\ndocuments: []\n",
        "documents: [a.yaml, {source: b.yaml, credentials: {k: {username: a, password: {env: X}}}}]",
        "tools: {operations: {a: {exclude: true}, b: {exclude: why}, c: {ask: [x, y]}, d: {ask: [{arguments: [x]}]}}}",
        "tools: {operations: {a: {parameters: {p: {fixed: {any: [1]}}, q: {value: 1}, r: {default: null}}}}}",
        "base: &a {source: x}\n",
    ] {
        let found = faults(text);
        assert!(
            found.is_empty() || text.starts_with("base"),
            "{text}: {found:?}"
        );
    }
    assert_eq!(faults("- a\n").len(), 1);
    assert_eq!(faults("listen: a\nlisten: b\n").len(), 1);
}

/// Whoever writes a name and nothing after it would get the default, which lets everybody in.
#[test]
fn a_setting_without_a_value_is_none() {
    for setting in [
        "access:",
        "access: {oauth: }",
        "access: {keys: }",
        "access: {keys: [{name: ci, hash: x, tools: }]}",
        "access: {keys: [{name: ci, hash: x, rate: }]}",
        "access: {oauth: {resource: x, issuers: [], tools: }}",
        "access: {oauth: {resource: x, issuers: [], scopes: }}",
        "access: {stdio: {tools: }}",
        "confirm:",
        "confirm: {approvals: }",
        "confirm: {destructive: }",
        "confirm: {rules: }",
        "confirm: {fallback: }",
        "rate: {caller: }",
        "rate: {concurrency: }",
        "redact: {names: }",
        "audit: {file: }",
        "outbound: {hosts: }",
        "tools: {include: }",
        "tools: {operations: {getPet: {confirm: }}}",
        "tools: {operations: {getPet: }}",
        "commands: {dotnet: {roots: }}",
        "listen:",
        "documents:",
        "documents: [{source: a.yaml, credentials: }]",
    ] {
        let found = faults(setting);
        let [fault] = &found[..] else {
            panic!("{setting}: {found:?}");
        };
        let hint = "found nothing; leave it out where its default is meant";
        assert!(
            fault.starts_with("line 1: ") && fault.ends_with(hint),
            "{fault}"
        );
    }
}

/// Editors refuse what the program refuses.
#[test]
fn the_schema_of_the_file_takes_no_null() {
    let schema = File::schema().to_value().to_string();
    assert!(!schema.contains("\"null\""), "{schema}");
    let schema = jsonschema::validator_for(&File::schema().to_value()).unwrap();
    assert!(schema.is_valid(&serde_json::json!({"access": {}, "log": {"filter": "info"}})));
    for empty in ["access", "metrics", "base_url", "limits"] {
        assert!(
            !schema.is_valid(&serde_json::json!({empty: null})),
            "{empty}"
        );
    }
}

/// An empty list of the only tools there are to be is the same as none.
#[test]
fn nothing_to_include_is_a_fault() {
    let found = faults("tools: {include: []}");
    assert!(
        found[0].starts_with("line 1: `tools.include` expected at least one entry"),
        "{found:?}"
    );
}

#[test]
fn quotes_help_only_where_a_text_is_taken() {
    for (text, expected) in [
        (
            "tools: {page_size: -1}",
            "line 1: `tools.page_size` expected a whole number of at least 0, found a negative number",
        ),
        (
            "tools: {budget: true}",
            "line 1: `tools.budget` expected a whole number of at least 0, found true or false",
        ),
        (
            "stdio: 1",
            "line 1: `stdio` expected true or false, found a number",
        ),
    ] {
        assert_eq!(faults(text), [expected]);
    }
    let [fault] = &faults("documents: [a.yaml, 17]")[..] else {
        panic!("expected one fault");
    };
    assert!(fault.ends_with(" or text, found a number (write it in quotes)"));
}
