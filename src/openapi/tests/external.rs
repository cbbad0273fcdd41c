//! References into other files.

use std::path::Path;

use serde_json::{Value, json};

use super::super::{Document, Settings, Source, load};
use super::{check_schemas, keys, rules};

async fn loaded(main: &Path, settings: &Settings) -> Document {
    let document = load(&Source::File(main.to_path_buf()), settings)
        .await
        .unwrap();
    check_schemas(&document);
    document
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Follows `$ref`s of a schema until something else comes.
fn resolved<'a>(document: &'a Document, mut schema: &'a Value) -> &'a Value {
    while let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        schema = document
            .schemas
            .get(reference)
            .unwrap_or_else(|| panic!("{reference}"));
    }
    schema
}

#[tokio::test]
async fn files_are_brought_in_and_upgraded_by_their_own_version() {
    let main = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/openapi/split/api.yaml"
    );
    let document = loaded(Path::new(main), &Settings::default()).await;
    assert_eq!(
        keys(&document),
        ["GET /pets/{id}"],
        "{:?}",
        document.findings
    );
    let found = &document.operations[0];
    // The file says 3.0: what stands beside $ref counts for nothing.
    assert_eq!(found.parameters[0].schema.as_object().unwrap().len(), 1);
    assert_eq!(
        resolved(&document, &found.parameters[0].schema),
        &json!({"type": ["integer", "null"]})
    );
    let pet = resolved(&document, &found.responses[0].content[0].schema);
    assert_eq!(pet["examples"], json!([{"$ref": "nowhere.yaml"}]));
    for member in ["parent", "self"] {
        assert_eq!(
            resolved(&document, &pet["properties"][member]),
            pet,
            "{member}"
        );
    }
    assert_eq!(
        resolved(&document, &pet["properties"]["own"]),
        &json!({"type": "boolean"})
    );
    assert_eq!(
        resolved(&document, &pet["properties"]["example"]),
        &json!({"type": ["integer", "null"]})
    );
    let told: Vec<_> = document
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(told, ["reference-sibling"]);
    assert!(
        document.findings[0]
            .pointer
            .ends_with("common.json#/parameters/a~1b c/schema")
    );
}

#[tokio::test]
async fn nothing_outside_of_the_folder_is_read_unless_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let main = "openapi: 3.1.0\npaths: {/a: {get: {}}}\ncomponents:\n  schemas:\n    A: {$ref: '../secret.yaml#/x'}\n    B: {$ref: 'link.yaml#/x'}\n    C: {$ref: 'http://127.0.0.1:1/x.yaml'}\n    D: {$ref: '/etc/hostname'}\n    E: {$ref: 'gone.yaml'}\n    F: {$ref: 'ftp://a.test/x'}\n";
    write(
        folder.path(),
        &[
            ("in/api.yaml", main),
            ("secret.yaml", "x: {type: string}\n"),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        folder.path().join("secret.yaml"),
        folder.path().join("in/link.yaml"),
    )
    .unwrap();
    let path = folder.path().join("in/api.yaml");
    let document = loaded(&path, &Settings::default()).await;
    let get = |name: &str| {
        document
            .schemas
            .get(&format!("#/components/schemas/{name}"))
            .unwrap()
    };
    for name in ["A", "B", "C", "D", "E", "F"] {
        assert_eq!(get(name), &json!({}), "{name}");
    }
    let failed = document
        .findings
        .iter()
        .filter(|finding| finding.rule == "external-reference")
        .count();
    assert_eq!(failed, 6, "{:?}", rules(&document.findings));
    assert_eq!(document.operations.len(), 1);
    let settings = Settings {
        allowed_folders: vec![folder.path().to_path_buf()],
        ..Settings::default()
    };
    let document = loaded(&path, &settings).await;
    let schema = document.schemas.get("#/components/schemas/A").unwrap();
    assert_eq!(resolved(&document, schema), &json!({"type": "string"}));
}

#[tokio::test]
async fn number_depth_and_size_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[(
            "api.yaml",
            "openapi: 3.1.0\ncomponents: {schemas: {A: {$ref: '0.yaml'}}}\n",
        )],
    );
    for n in 0..10 {
        write(
            folder.path(),
            &[(
                &format!("{n}.yaml"),
                &format!("properties: {{next: {{$ref: '{}.yaml'}}}}\n", n + 1),
            )],
        );
    }
    let main = folder.path().join("api.yaml");
    for settings in [
        Settings {
            max_external_documents: 3,
            ..Settings::default()
        },
        Settings {
            max_external_depth: 3,
            ..Settings::default()
        },
        Settings {
            max_external_bytes: 100,
            ..Settings::default()
        },
    ] {
        let document = loaded(&main, &settings).await;
        let rules: Vec<_> = document
            .findings
            .iter()
            .map(|finding| finding.rule)
            .collect();
        assert!(
            rules.contains(&"external-reference"),
            "{settings:?}: {rules:?}"
        );
        let brought = document
            .schemas
            .get("#/components/x-external")
            .and_then(Value::as_object)
            .unwrap();
        assert!(brought.len() <= 3, "{}", brought.len());
    }
}

#[tokio::test]
async fn a_missing_file_and_a_large_one_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("api.yaml", "openapi: 3.1.0\n")]);
    let missing = load(
        &Source::File(folder.path().join("no.yaml")),
        &Settings::default(),
    )
    .await;
    assert!(missing.unwrap_err().to_string().contains("no.yaml"));
    let settings = Settings {
        max_bytes: 5,
        ..Settings::default()
    };
    let large = load(&Source::File(folder.path().join("api.yaml")), &settings).await;
    assert!(
        large
            .unwrap_err()
            .to_string()
            .contains("larger than 5 bytes")
    );
}

#[test]
fn most_documents_refer_to_nothing_else() {
    let table = [
        (r##"{"$ref": "#/a"}"##, false),
        (r##"{"$ref" : "a.json#/a"}"##, true),
        ("$ref: '#/a'\n", false),
        ("$ref: a.yaml\n", true),
        ("$ref: *alias\n", true),
        ("a: b\n", false),
        ("ends in $ref", true),
    ];
    for (text, expected) in table {
        assert_eq!(
            super::super::external::may_be_in(text.as_bytes()),
            expected,
            "{text}"
        );
    }
}
