//! A .NET build with a compile error, and what a client sees of it.
//!
//! `cargo run --example dotnet_build`: with a `dotnet` on PATH it builds for real, otherwise a program that stands in
//! for it plays a recorded build.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use mcpinvoke::handler::command::ProgramSettings;
use serde_json::{Value, json};
use tokio::net::TcpListener;

const PROJECT: &str = r#"<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
</Project>
"#;
/// There is no such type.
const SOURCE: &str = "public class Other\n{\n    public NoSuchType Value;\n}\n";
/// Recorded runs of a real SDK; the folder of the project is written as `{ROOT}/g21`.
const RECORDED: &str = include_str!("../tests/fixtures/dotnet/recordings/21.json");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let seen = run().await?;
    let mut out = std::io::stdout();
    match &seen.program {
        Some(program) => writeln!(out, "built with {}\n", program.display())?,
        None => writeln!(out, "no dotnet on PATH: this is a recorded build\n")?,
    }
    writeln!(out, "{}\n", seen.text)?;
    writeln!(out, "{}", serde_json::to_string_pretty(&seen.structured)?)?;
    Ok(())
}

/// What the client sees.
#[derive(Debug)]
pub struct Seen {
    /// The SDK's program; none where a recorded build was played.
    pub program: Option<PathBuf>,
    /// For people.
    pub text: String,
    /// For programs.
    pub structured: Value,
    /// `isError`.
    pub is_error: bool,
}

/// Builds a project that does not compile.
pub async fn run() -> Result<Seen, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let root = fs::canonicalize(folder.path())?.join("work");
    fs::create_dir_all(root.join("bad"))?;
    fs::write(root.join("bad/bad.csproj"), PROJECT)?;
    fs::write(root.join("bad/Other.cs"), SOURCE)?;

    // The bridge with the .NET toolset: what it may touch is named.
    let flags = DocumentFlags {
        dotnet: true,
        roots: vec![root.clone()],
        ..DocumentFlags::default()
    };
    let mut config = Config::resolve_any(&flags, &ServeFlags::default())?;
    let program = on_path();
    if program.is_none() {
        config.commands.handler.programs = vec![ProgramSettings {
            name: "dotnet".to_owned(),
            path: Some(stand_in(&root)?),
            environment: Vec::new(),
        }];
    }
    let app = App::load(&config).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let router = app.router(&config);
    tokio::spawn(async move { axum::serve(listener, router).await });

    // A client, as any MCP client.
    let arguments = json!({"action": "Build", "project": "bad/bad.csproj"});
    let params = json!({"name": "dotnet_project", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let client = reqwest::Client::builder().no_proxy().build()?;
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-11-25");
    let answer = request.body(call.to_string()).send().await?.text().await?;
    app.finish().await;
    let result = &serde_json::from_str::<Value>(&answer)?["result"];
    Ok(Seen {
        program,
        text: result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        structured: result["structuredContent"].clone(),
        is_error: result["isError"] == true,
    })
}

fn on_path() -> Option<PathBuf> {
    let name = if cfg!(windows) {
        "dotnet.exe"
    } else {
        "dotnet"
    };
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// A program beside the root that writes what was recorded and ends as the real one did.
fn stand_in(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let recorded: Value = serde_json::from_str(RECORDED)?;
    let cases = recorded["cases"].as_array().ok_or("no recordings")?;
    let case = cases
        .iter()
        .find(|case| case["name"] == "build bad, ErrorsOnly")
        .ok_or("the build is not among the recordings")?;
    let output = case["stdout"].as_str().unwrap_or_default();
    let output = output.replace("{ROOT}/g21", &root.display().to_string());
    let beside = root.parent().ok_or("the root has no parent")?;
    fs::write(beside.join("output"), output)?;
    let program = beside.join("dotnet");
    let exit = &case["exit"];
    let script = format!("#!/bin/sh\ncat \"${{0%/*}}/output\"\nexit {exit}\n");
    fs::write(&program, script)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    }
    Ok(program)
}
