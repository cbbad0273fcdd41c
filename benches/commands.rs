//! A call that runs a program, beside the bare start of the same program; and one that is refused before.
//! `cargo bench --bench commands`

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot be set up has nothing to say"
)]

use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use mcpinvoke::policy::confirm::{Confirm, Query, Reply, Way};
use mcpinvoke::tool::{CallId, Caller, NoProgress, Outcome, ToolCall, TraceContext};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const PROGRAM: &str = "/bin/true";

/// Nobody is asked.
#[derive(Debug)]
struct Nobody;

impl Confirm for Nobody {
    fn way(&self) -> Way<'_> {
        Way::Token(None)
    }

    fn can_ask(&self, _schema: &Value) -> bool {
        false
    }

    fn reply<'a>(
        &'a self,
        _query: &'a Query,
    ) -> std::pin::Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        Box::pin(std::future::ready(Reply::Gone))
    }
}

/// The shipped tools, with a program that does nothing.
fn app(runtime: &Runtime) -> App {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcpinvoke.yaml");
    std::fs::write(
        &file,
        format!("commands: {{dotnet: {{program: {PROGRAM}}}}}"),
    )
    .unwrap();
    let flags = DocumentFlags {
        config: Some(file),
        ..DocumentFlags::default()
    };
    let config = Config::resolve(&flags, &ServeFlags::default()).unwrap();
    runtime.block_on(App::load(&config)).unwrap()
}

async fn call(app: &App, tool: &str, arguments: Value) -> Outcome {
    let call = ToolCall {
        id: CallId(1),
        caller: Caller::anonymous("bench"),
        name: tool.to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
        progress: Arc::new(NoProgress),
        trace: TraceContext::default(),
        forwarded: Vec::new(),
    };
    app.call(call, &Nobody).await.unwrap()
}

/// The memory of this process, in kilobytes (proc(5): `VmRSS`); none where the system does not tell.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What calls add to the memory of a process that has the tools.
fn memory(runtime: &Runtime, app: &App, arguments: &Value) {
    const CALLS: usize = 300;
    let Some(before) = resident() else { return };
    for _ in 0..CALLS {
        runtime.block_on(call(app, "dotnet_project", arguments.clone()));
    }
    let after = resident().unwrap_or(before);
    let added = after.saturating_sub(before) as f64 / 1024.0;
    let line = format!("memory added by {CALLS} calls: {added:.1} MB\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

fn calls(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let app = app(&runtime);
    let mut group = criterion.benchmark_group("a program that does nothing");
    group.bench_function("started bare", |bencher| {
        bencher.to_async(&runtime).iter(async || {
            #[expect(
                clippy::disallowed_methods,
                reason = "what the bridge is compared with"
            )]
            let mut command = std::process::Command::new(PROGRAM);
            command.stdin(Stdio::null());
            tokio::process::Command::from(command)
                .output()
                .await
                .unwrap()
        });
    });
    let build = json!({"action": "Build", "project": "a.csproj", "configuration": "Release"});
    memory(&runtime, &app, &build);
    group.bench_function("by a call", |bencher| {
        bencher
            .to_async(&runtime)
            .iter(async || call(&app, "dotnet_project", build.clone()).await);
    });
    group.finish();
    let refused = json!({"action": "Build", "project": "a.csproj", "configuration": "-x"});
    criterion.bench_function("a call that starts nothing", |bencher| {
        bencher.to_async(&runtime).iter(async || {
            let outcome = call(&app, "dotnet_project", refused.clone()).await;
            assert!(outcome.is_error);
            outcome
        });
    });
}

criterion_group!(benches, calls);
criterion_main!(benches);
