//! Golden reports of the awkward document; refresh with `INSTA_UPDATE=always`.

use super::*;
use crate::openapi::Source;

async fn awkward() -> Report {
    let flags = DocumentFlags::default();
    let mut config = Config::resolve_any(&flags, &ServeFlags::default()).unwrap();
    config.documents = vec![crate::config::DocumentSource {
        source: Source::File("specs/awkward.yaml".into()),
        prefix: None,
        base_url: None,
        overlays: Vec::new(),
        headers: Vec::new(),
    }];
    report(&config).await
}

#[tokio::test]
async fn awkward_as_text() {
    insta::assert_snapshot!(render::text(&awkward().await, false));
}

#[tokio::test]
async fn awkward_as_json() {
    insta::assert_snapshot!(render::json(&awkward().await));
}

#[tokio::test]
async fn awkward_as_sarif() {
    let log = sarif::log(&awkward().await);
    insta::assert_snapshot!(log.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[tokio::test]
async fn colours_change_nothing_but_colours() {
    let report = awkward().await;
    let (plain, mut painted) = (render::text(&report, false), render::text(&report, true));
    assert_ne!(plain, painted);
    for code in ["1", "2", "36", "1;31", "1;33", "0"] {
        painted = painted.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(plain, painted);
}

#[test]
fn every_rule_is_in_the_documentation_as_it_is() {
    let page = include_str!("../../../docs/check.md");
    for rule in report::rules() {
        let row = format!(
            "| `{}` | {} | {} | {} |",
            rule.name,
            render::word(rule.severity),
            rule.meaning,
            rule.remedy
        );
        assert!(page.contains(&row), "docs/check.md lacks the row\n{row}");
    }
}

#[test]
fn every_rule_has_one_name() {
    let rules = report::rules();
    assert!(rules.windows(2).all(|pair| pair[0].name < pair[1].name));
}
