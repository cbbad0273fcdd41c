//! A program that stands in for `dotnet`, a folder it may work in, and a document whose operations run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::{Bridge, Stdio};

/// What the stand-in does, by its first word. It writes its words to `argv`, its process id, which is its
/// group's too, to `group`, and a line to `starts`.
const SCRIPT: &str = r#"#!/bin/sh
here=$(dirname "$0")
: > "$here/argv.new"
for word in "$@"; do printf '%s\0' "$word" >> "$here/argv.new"; done
mv "$here/argv.new" "$here/argv"
echo $$ > "$here/group"
echo "$1" >> "$here/starts"
case "$1" in
  env) env ;;
  stdin) cat; echo "end of input" ;;
  where) pwd ;;
  fail) echo "it broke" >&2; exit 3 ;;
  leak) echo 'Server=db;Password=SuperSecret123!;' ;;
  lines) echo one; echo two; echo three ;;
  secret) shift; echo "you said $*" ;;
  wait) echo started; sleep 60 & sleep 60; echo over ;;
  stubborn) trap '' INT TERM; echo started; (trap '' INT TERM; while :; do sleep 1; done) & while :; do sleep 1; done ;;
  flood) trap '' INT TERM; echo first; head -c 500000000 /dev/zero | tr '\0' 'x'; echo; echo last; while :; do sleep 1; done ;;
  hidden) printf 'a\033[31mred tag\363\240\201\241 pass\363\240\201\241word=made-up-1\n' ;;
  secrets) printf '//BEGIN\n{"Stripe:Live": "rk_made_up"}\n//END\n' ;;
  key) printf -- '-----BEGIN PRIVATE KEY-----\nMIIEmadeup1\nMIIEmadeup2\n-----END PRIVATE KEY-----\nafter the key\n'; sleep 60 ;;
  orphan) sleep 60 & echo left ;;
  serve) while :; do echo tick; sleep 1; done ;;
  *) echo "ran $1" ;;
esac
"#;

/// The stand-in and its surroundings, gone with the value.
pub struct Toolset {
    folder: tempfile::TempDir,
    configuration: PathBuf,
}

/// The operation `work`, whose actions run the stand-in (YAML).
pub struct Work {
    /// Arguments besides `action` and `workingDirectory`, separated by commas.
    pub properties: &'static str,
    /// The actions, a line each, indented by ten.
    pub actions: &'static str,
}

impl Work {
    fn document(&self) -> String {
        let Self {
            properties,
            actions,
        } = self;
        format!(
            "openapi: 3.1.0
info: {{title: Test, version: '1'}}
paths:
  /work:
    post:
      operationId: work
      x-mcp-handler: dotnet
      x-mcp: {{body: flat}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [action]
              properties: {{action: {{type: string}}, workingDirectory: {{type: string}}, {properties}}}
      x-mcp-command:
        program: dotnet
        selector: action
        directory: workingDirectory
        actions:
{actions}
"
        )
    }
}

impl Toolset {
    /// With a document of this operation.
    pub fn new(work: &Work) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(base.join("root/app")).unwrap();
        fs::write(base.join("root/app/app.csproj"), "").unwrap();
        let program = base.join("dotnet");
        fs::write(&program, SCRIPT).unwrap();
        executable(&program);
        fs::write(base.join("tools.yaml"), work.document()).unwrap();
        let configuration = base.join("mcpinvoke.yaml");
        let text = format!(
            "documents: [{0}/tools.yaml]\ncommands: {{dotnet: {{roots: [{0}/root], program: {0}/dotnet}}}}\n",
            base.display()
        );
        fs::write(&configuration, text).unwrap();
        Self {
            folder,
            configuration,
        }
    }

    /// The folder it may work in.
    pub fn root(&self) -> PathBuf {
        self.base().join("root")
    }

    /// Adds a member to the toolset's configuration.
    pub fn configure(&self, member: &str) {
        let text = fs::read_to_string(&self.configuration).unwrap();
        let text = text.replace(
            "commands: {dotnet: {",
            &format!("commands: {{dotnet: {{{member}, "),
        );
        fs::write(&self.configuration, text).unwrap();
    }

    /// Adds a section to the configuration.
    pub fn append(&self, section: &str) {
        let text = fs::read_to_string(&self.configuration).unwrap();
        fs::write(&self.configuration, format!("{text}{section}\n")).unwrap();
    }

    /// Where everything is.
    pub fn base(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    /// Flags that make a bridge serve it.
    pub fn flags(&self) -> [String; 2] {
        [
            "--config".to_owned(),
            self.configuration.display().to_string(),
        ]
    }

    /// A bridge over HTTP.
    pub fn bridge(&self) -> Bridge {
        Bridge::start(self.flags())
    }

    /// A bridge over stdin and stdout.
    pub fn stdio(&self) -> Stdio {
        Stdio::start(self.flags())
    }

    /// The same, ready for calls.
    pub fn session(&self) -> Stdio {
        let mut stdio = self.stdio();
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        stdio.send(&hello.to_string());
        stdio.receive();
        stdio.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        stdio
    }

    /// The words of the last run; none where there was none.
    pub fn argv(&self) -> Option<Vec<String>> {
        let bytes = fs::read(self.base().join("argv")).ok()?;
        let text = String::from_utf8(bytes).unwrap();
        Some(text.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Forgets the last run.
    pub fn forget(&self) {
        for name in ["argv", "group", "starts"] {
            let _ = fs::remove_file(self.base().join(name));
        }
    }

    /// How often it was started.
    pub fn starts(&self) -> usize {
        let text = fs::read_to_string(self.base().join("starts")).unwrap_or_default();
        text.lines().count()
    }

    /// The process group of the last run, once it has started.
    pub async fn group(&self) -> u32 {
        for _ in 0..400 {
            let text = fs::read_to_string(self.base().join("group")).unwrap_or_default();
            if text.ends_with('\n') {
                return text.trim().parse().unwrap();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the program was not started");
    }
}

/// The running members of a process group, by their names.
pub fn members(group: u32) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((head, rest)) = stat.rsplit_once(") ") else {
            continue;
        };
        let fields: Vec<&str> = rest.split(' ').collect();
        if fields[2] == group.to_string() && fields[0] != "Z" {
            found.push(head.to_owned());
        }
    }
    found
}

/// Waits until a process group has no running member.
pub async fn gone(group: u32) {
    for _ in 0..800 {
        if members(group).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("still there: {:?}", members(group));
}

#[cfg(unix)]
pub fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
pub fn executable(_path: &Path) {}
