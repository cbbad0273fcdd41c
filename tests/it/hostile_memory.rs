//! Documents made to hurt cost memory in proportion to their size, not to what they stand for.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Map, Value, json};

use crate::hostile_documents::{document, post, reference, schemas};
use crate::support::{DocumentFile, run_measured};

const MIB: u64 = 1 << 20;
/// The process with nothing loaded, generously.
const EMPTY: u64 = 96 * MIB;

/// Lists the tools; whether that succeeds is not the question.
fn assert_at_most(what: &str, file: &std::path::Path, bound: u64) {
    let (output, peak) = run_measured(&["tools", &file.display().to_string()]);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{what}: {code:?}");
    // Nothing to compare where the system does not tell.
    let Some(peak) = peak else { return };
    assert!(peak > MIB, "{what}: {peak}");
    assert!(peak < bound, "{what}: {} MiB", peak / MIB);
}

#[test]
fn references_that_multiply() {
    let wide = |n: usize| {
        let next = (0..10).map(|one| (format!("p{one}"), reference(n + 1)));
        json!({"type": "object", "properties": next.collect::<Map<_, _>>()})
    };
    let bombs = [
        ("properties", schemas(60, wide)),
        (
            "allOf",
            schemas(60, |n| json!({"allOf": vec![reference(n + 1); 10]})),
        ),
        (
            "oneOf",
            schemas(60, |n| json!({"oneOf": vec![reference(n + 1); 10]})),
        ),
        (
            "a long chain",
            schemas(
                1_000,
                |n| json!({"allOf": [reference(n + 1), {"type": "object"}]}),
            ),
        ),
        (
            "all of all",
            schemas(
                150,
                |_| json!({"anyOf": (0..150).map(reference).collect::<Vec<_>>()}),
            ),
        ),
    ];
    for (what, schemas) in bombs {
        let paths: Map<String, Value> = (0..20)
            .map(|n| (format!("/x{n}"), post(&reference(n))))
            .collect();
        let file = document(&json!(paths), &schemas);
        assert_at_most(what, &file.path(), EMPTY + 160 * MIB);
    }
}

#[test]
fn aliases_that_multiply() {
    let mut text = "openapi: 3.0.3\npaths: {}\nx0: &x0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
    for n in 1..10 {
        let aliases = vec![format!("*x{}", n - 1); 10].join(",");
        writeln!(text, "x{n}: &x{n} [{aliases}]").unwrap();
    }
    let file = DocumentFile::new(&text, ".yaml");
    assert_at_most("aliases", &file.path(), EMPTY + 160 * MIB);
}

#[test]
fn long_names_and_deep_blocks() {
    let long = "n".repeat(10_000);
    let names: Map<String, Value> = (0..100)
        .map(|n| {
            (
                format!("/{long}{n}/{{{long}}}"),
                json!({"get": {"operationId": format!("{n}{long}"),
            "parameters": [{"in": "path", "name": long, "required": true}]}}),
            )
        })
        .collect();
    let file = document(&json!(names), &json!({}));
    assert_at_most("names", &file.path(), EMPTY + 96 * MIB);
    for unit in ["- ", "? "] {
        let file = DocumentFile::new(&format!("x:\n {}a\n", unit.repeat(2_000_000)), ".yaml");
        assert_at_most(unit, &file.path(), EMPTY + 32 * MIB);
    }
}

#[test]
fn a_large_document() {
    let file = DocumentFile::too_large();
    // 200 MB, refused by their size.
    assert_at_most("too large", &file.path(), EMPTY + 32 * MIB);

    // Half as many values as are taken at all: what they take as a tree.
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(b"{\"openapi\":\"3.0.3\",\"paths\":{},\"x\":[0")
        .unwrap();
    file.write_all(&b",0".repeat(3_000_000)).unwrap();
    file.write_all(b"]}").unwrap();
    assert_at_most("many values", file.path(), EMPTY + 600 * MIB);
}
