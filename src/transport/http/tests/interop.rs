//! The official SDK's client against a real connection.

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;

use super::super::Settings;
use super::connections::run;

#[tokio::test]
async fn the_official_client_lists_and_calls_in_both_eras() {
    // The client can do TLS, and insists on a provider for it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let running = run(Settings::default()).await;
    let modern = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    for lifecycle in [ClientLifecycleMode::Initialize, modern] {
        let uri = format!("http://{}/mcp", running.address);
        let transport = StreamableHttpClientTransport::from_uri(uri);
        let client = ().serve_with_lifecycle(transport, lifecycle).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["first", "second", "third", "sampler", "regional"]);
        let first = CallToolRequestParams::new("first");
        let result = client.call_tool(first).await.unwrap();
        assert_eq!(result.is_error, Some(true));
        let unknown = client.call_tool(CallToolRequestParams::new("nobody")).await;
        let error = unknown.unwrap_err().to_string();
        assert!(error.contains("Unknown tool"), "{error}");
        client.cancel().await.unwrap();
    }
}
