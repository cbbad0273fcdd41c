//! Every test that docs/threat-model.md names is there, and is a test.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/threat-model.md")).expect("the page is there");
    let mut named = 0;
    let mut faults = Vec::new();
    for line in page.lines() {
        for (file, test) in line.split('`').filter_map(|word| word.split_once("::")) {
            named += 1;
            match fs::read_to_string(root.join(file)) {
                Ok(text) if is_test(&text, test) => {}
                Ok(_) => faults.push(format!("{file} has no test `{test}`")),
                Err(error) => faults.push(format!("{file}: {error}")),
            }
        }
        // A row without a test promises what nothing shows.
        let cells = line.split('|').count();
        if cells == 5 && !line.contains("::") && !line.contains("---") && !line.contains("shown by")
        {
            faults.push(format!("no test is named: {line}"));
        }
    }
    assert!(named > 50, "only {named} tests are named");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whether a function of this name follows a test attribute.
fn is_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let Some(at) = text.find(&head) else {
        return false;
    };
    let before: Vec<&str> = text[..at].lines().rev().take(4).collect();
    before
        .iter()
        .any(|line| line.trim() == "#[test]" || line.trim().starts_with("#[tokio::test"))
}
