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
        "listen: 8080\nlimits: {request: 2048, kept_reply: 0}\ndocuments:\n",
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
