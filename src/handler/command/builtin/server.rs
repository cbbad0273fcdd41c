//! What the bridge tells of itself: abilities, tools, counts, caches.

use serde_json::{Map, Value, json};

use super::frameworks::RECOMMENDED;
use super::{CommandError, Context, Made};

/// Versions, features and installed SDKs. Without the program there are none of the latter.
pub(super) async fn capabilities(context: &dyn Context) -> Result<Made, CommandError> {
    let sdks = match context.run(vec!["--list-sdks".to_owned()]).await {
        Ok(ran) => installed(&ran.stdout.text),
        Err(CommandError::NotStarted { .. }) => Vec::new(),
        Err(other) => return Err(other),
    };
    let facts = context.facts();
    let mut supports = Map::new();
    for (feature, has) in FEATURES {
        let told = facts["supports"][feature].as_bool();
        supports.insert((*feature).to_owned(), told.unwrap_or(*has).into());
    }
    let protocol = facts["protocolVersion"].as_str().unwrap_or("2025-11-25");
    Ok(Made::of(json!({
        "serverVersion": env!("CARGO_PKG_VERSION"),
        "protocolVersion": protocol,
        "supportedCategories": CATEGORIES,
        "supports": supports,
        "sdkVersions": {"installed": sdks, "recommended": RECOMMENDED, "lts": RECOMMENDED},
    })))
}

fn installed(list: &str) -> Vec<String> {
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let sdks = list.lines().filter_map(first);
    sdks.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}

const CATEGORIES: &[&str] = &[
    "template",
    "project",
    "package",
    "solution",
    "reference",
    "tool",
    "workload",
    "watch",
    "sdk",
    "security",
    "framework",
    "format",
    "nuget",
    "help",
    "efcore",
    "telemetry",
];

/// Features and whether the bridge has them, unless whoever runs it knows better.
const FEATURES: &[(&str, bool)] = &[
    ("structuredErrors", true),
    ("machineReadable", true),
    ("cancellation", true),
    ("telemetry", false),
    ("metrics", true),
    ("asyncTasks", false),
    ("prompts", false),
    ("elicitation", true),
    ("mcpLogging", false),
    ("completions", false),
    ("sampling", false),
    ("progressNotifications", true),
    ("tokenSavings", false),
];

/// Which tools and actions there are.
pub(super) fn info(context: &dyn Context) -> Made {
    let tools = context.tools();
    let count: usize = tools.iter().map(|(_, actions)| actions.len().max(1)).sum();
    let version = env!("CARGO_PKG_VERSION");
    let summary = format!(
        "mcpinvoke {version}: {} tools with {count} actions for the .NET command line.",
        tools.len()
    );
    let lines: String = tools
        .iter()
        .map(|(name, actions)| format!("\n{name}: {}", actions.join(", ")))
        .collect();
    let listed: Vec<Value> = tools
        .iter()
        .map(|(name, actions)| json!({"name": name, "actions": actions}))
        .collect();
    let more = "\n\nEvery answer is data as well as text: `success`, and on failure `errors` with code, message, hint and suggested fixes. \
        Actions that change something lock what they change; a call that finds it locked ends at once. \
        Programs that go on (Run in the background, Watch) have a sessionId for Logs and Stop.";
    Made::of(json!({
        "success": true,
        "text": format!("{summary}\n{lines}{more}"),
        "summary": summary,
        "name": "mcpinvoke",
        "version": version,
        "actionCount": count,
        "tools": listed,
    }))
}

/// Counts of calls.
pub(super) fn metrics(context: &dyn Context) -> Made {
    let counts = context.calls();
    let mut tools = Map::new();
    let (mut calls, mut failures) = (0, 0);
    for one in &counts {
        calls += one.calls;
        failures += one.failures;
        #[expect(clippy::cast_precision_loss, reason = "an average of two digits")]
        let average = if one.calls == 0 {
            0.0
        } else {
            one.milliseconds / one.calls as f64
        };
        let entry = json!({
            "invocationCount": one.calls,
            "avgDurationMs": (average * 100.0).round() / 100.0,
            "successCount": one.calls.saturating_sub(one.failures),
            "failureCount": one.failures,
        });
        tools.insert(one.tool.clone(), entry);
    }
    Made::of(json!({
        "success": true,
        "toolMetrics": tools,
        "totalInvocations": calls,
        "totalSuccesses": calls.saturating_sub(failures),
        "totalFailures": failures,
        "tokenSavingsEnabled": false,
    }))
}

/// Counts from zero.
pub(super) fn reset_metrics(context: &dyn Context) -> Made {
    context.reset_calls();
    Made::of(json!({"success": true, "message": "All counts are zero now."}))
}

/// Nobody estimates savings; the shape is kept for clients that ask.
pub(super) fn token_savings(message: &str) -> Made {
    Made::of(json!({
        "success": true,
        "message": message,
        "workflowTokenSavings": [],
        "totalWorkflowSavingsTokens": 0,
        "totalWorkflowMcpTokens": 0,
        "totalWorkflowBaselineTokens": 0,
        "assumptionsVersion": "v1",
    }))
}

/// Each call asks the program: there is no cache to measure.
pub(super) fn cache_metrics() -> Made {
    let none = json!({"hits": 0, "misses": 0, "hitRatio": 0});
    Made::of(json!({
        "success": true,
        "summary": "Nothing is kept between calls: each asks the SDK anew.",
        "caches": {"templates": none, "sdkInfo": none, "runtimeInfo": none, "workspace": none},
    }))
}

/// As above: nothing to clear.
pub(super) fn clear_cache() -> Made {
    Made::of(json!({
        "success": true,
        "summary": "Nothing is kept between calls: there was nothing to clear.",
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Fake, call};

    #[tokio::test]
    async fn capabilities_name_the_installed_sdks() {
        let fake = Fake::new().answering(
            &["--list-sdks"],
            "9.0.100 [/opt/a b]\n10.0.401 [/opt/a b]\nnoise\n",
        );
        let made = call("capabilities", json!({}), &fake).await.expect("made");
        assert_eq!(
            made["sdkVersions"],
            json!({"installed": ["9.0.100", "10.0.401"], "recommended": "net10.0", "lts": "net10.0"})
        );
        assert_eq!(made["supports"]["structuredErrors"], true);
        assert_eq!(made["supports"]["sampling"], true, "facts win");
        assert_eq!(made["protocolVersion"], "2026-07-28");
    }

    #[tokio::test]
    async fn capabilities_without_the_program_list_no_sdk() {
        let made = call("capabilities", json!({}), &Fake::new().absent())
            .await
            .expect("made");
        assert_eq!(made["sdkVersions"]["installed"], json!([]));
    }

    #[tokio::test]
    async fn counts_are_told_and_reset() {
        let fake = Fake::new();
        let made = call("metrics", json!({}), &fake).await.expect("made");
        assert_eq!(
            made["toolMetrics"]["dotnet_project"],
            json!({"invocationCount": 3, "avgDurationMs": 3.33, "successCount": 2, "failureCount": 1})
        );
        assert_eq!(
            (&made["totalInvocations"], &made["totalFailures"]),
            (&json!(3), &json!(1))
        );
        call("reset-metrics", json!({}), &fake).await.expect("made");
        let made = call("metrics", json!({}), &fake).await.expect("made");
        assert_eq!(made["totalInvocations"], 0);
    }

    #[tokio::test]
    async fn the_server_tells_its_tools() {
        let made = call("server-info", json!({}), &Fake::new())
            .await
            .expect("made");
        assert_eq!(made["actionCount"], 3);
        assert!(
            made["text"]
                .as_str()
                .is_some_and(|text| text.contains("dotnet_project: Build, Test"))
        );
        for part in [
            "token-savings",
            "reset-token-savings",
            "cache-metrics",
            "clear-template-cache",
        ] {
            let made = call(part, json!({}), &Fake::new()).await.expect("made");
            assert_eq!(made["success"], true, "{part}");
        }
    }
}
