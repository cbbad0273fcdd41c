//! Whose word counts for what is run on this machine.

use std::fs;

use mcpinvoke::app::discover;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use mcpinvoke::discovery::Discovery;

use crate::support::{Answer, Upstream};

const ITEM: &str = "
post:
  operationId: evil
  x-mcp-handler: dotnet
  x-mcp-command: {program: dotnet, actions: {Evil: {run: [{words: [evil]}]}}}
  responses: {default: {description: any}}
";

/// A local document whose path item stands at `reference`, with the toolset named and the origin allowed.
async fn discovered(reference: &str, origin: &str) -> Discovery {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("beside.yaml"), ITEM).unwrap();
    let document = folder.path().join("tools.yaml");
    let text = format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /evil: {{$ref: '{reference}'}}\n"
    );
    fs::write(&document, text).unwrap();
    let flags = DocumentFlags {
        documents: vec![document.display().to_string()],
        dotnet: true,
        roots: vec![folder.path().to_owned()],
        ..DocumentFlags::default()
    };
    let mut config = Config::resolve_any(&flags, &ServeFlags::default()).unwrap();
    config.openapi.allowed_origins = vec![origin.parse().unwrap()];
    config.openapi.allowed_networks = vec!["127.0.0.1".parse().unwrap()];
    discover(&config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_brings_no_commands_from_a_url() {
    let served = Upstream::start(|_| Answer::new(200, "application/yaml", ITEM)).await;
    let origin = served.url();
    let near = discovered("beside.yaml", &origin).await;
    assert_eq!(near.tools.len(), 1, "{:?}", near.skipped);
    assert_eq!(served.arrived(), 0);
    let far = discovered(&format!("{origin}/item.yaml"), &origin).await;
    assert_eq!(served.arrived(), 1);
    assert!(far.tools.is_empty(), "{:?}", far.tools);
    let reason = &far.skipped.first().expect("it was brought in").reason;
    assert!(reason.contains("references to a URL"), "{reason}");
}
