//! What the README shows is true.

use crate::support::{DocumentFile, run};

fn readme() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn its_configuration_is_one() {
    let text = readme();
    let block = text
        .split("```yaml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let file = DocumentFile::new(block, ".yaml");
    let output = run(&["config", "--config", &file.path().display().to_string()]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("prefix: shop")
    );
}

#[test]
fn the_security_pages_settings_exist() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/security.md");
    let text = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> = text
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() > 5, "{blocks:?}");
    for block in blocks {
        let parsed = mcpinvoke::config::File::parse(block);
        assert!(parsed.is_ok(), "{block}: {parsed:?}");
    }
}

#[test]
fn its_flags_exist() {
    let text = readme();
    let flags: Vec<&str> = text
        .split(['`', ' ', '\n', '(', ')', ','])
        .filter(|word| word.len() > 3 && word.starts_with("--") && !word.contains('='))
        .filter(|word| !["--release", "--transport", "--locked", "--trust"].contains(word))
        .collect();
    let commands = ["serve", "demo", "tools", "check", "call", "config"];
    let help: String = commands
        .iter()
        .map(|command| String::from_utf8(run(&[command, "--help"]).stdout).unwrap())
        .collect();
    assert!(flags.len() > 8, "{flags:?}");
    for flag in flags {
        assert!(
            help.contains(flag),
            "{flag} is in the README and nowhere else"
        );
    }
}
