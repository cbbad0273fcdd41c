//! Recorded runs of the `dotnet` CLI (`tests/fixtures/dotnet/recordings`), and which action each belongs to.

use std::path::PathBuf;

use mcpinvoke::handler::command::{Captured, Ran};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// One file of recordings.
#[derive(Debug, Deserialize)]
pub struct Group {
    /// Its number.
    pub group: u32,
    /// In the order they were recorded.
    pub cases: Vec<Case>,
}

/// One command line and what it did.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub name: String,
    pub argv: Vec<String>,
    #[serde(default)]
    pub cwd: String,
    /// What differed from the usual environment.
    #[serde(default)]
    pub env: Map<String, Value>,
    pub exit: Option<i32>,
    pub signal: Option<String>,
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
    #[serde(default)]
    pub files: Map<String, Value>,
}

/// A place below the fixtures.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/dotnet")
        .join(path)
}

/// All groups, by number.
pub fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = std::fs::read_dir(fixture("recordings"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .map(|text| serde_json::from_str(&text).unwrap())
        .collect();
    groups.sort_by_key(|group| group.group);
    groups
}

impl Case {
    /// As the handler would hand it on.
    pub fn ran(&self) -> Ran {
        let captured = |text: &str| Captured {
            text: text.to_owned(),
            dropped: 0,
        };
        let files = self
            .files
            .iter()
            .filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())));
        Ran {
            command: self.argv.join(" "),
            exit: self.exit,
            signal: self.signal.as_deref().map(number),
            stdout: captured(&self.stdout),
            stderr: captured(&self.stderr),
            files: files.collect(),
            ..Ran::default()
        }
    }

    fn words(&self) -> Vec<&str> {
        self.argv.iter().skip(1).map(String::as_str).collect()
    }

    fn has(&self, word: &str) -> bool {
        self.argv.iter().any(|found| found == word)
    }

    fn behind(&self, options: &[&str]) -> Option<&str> {
        let at = self
            .argv
            .iter()
            .position(|word| options.contains(&word.as_str()))?;
        self.argv.get(at + 1).map(String::as_str)
    }

    /// The tool, the name of the result's shape and the arguments that would have led to this command line; nothing
    /// where it belongs to no action.
    pub fn action(&self) -> Option<(&'static str, &'static str, Value)> {
        if self.argv.first().map(String::as_str) != Some("dotnet") || self.name.starts_with("prep:")
        {
            return None;
        }
        let words = self.words();
        if self.has("--help") && words.first() != Some(&"new") {
            return Some(("dotnet_help", "help", json!({})));
        }
        let project = words.get(1).filter(|word| !word.starts_with('-')).copied();
        let msbuild = json!({
            "project": self.behind(&["--project"]).or(project),
            "configuration": self.behind(&["-c", "--configuration"]),
        });
        let with = |tool, shape| Some((tool, shape, msbuild.clone()));
        match *words.first()? {
            "--version" => Some(("dotnet_sdk", "version", json!({}))),
            "--list-sdks" => Some(("dotnet_sdk", "sdks", json!({}))),
            "--list-runtimes" => Some(("dotnet_sdk", "runtimes", json!({}))),
            "--info" => Some(("dotnet_sdk", "info", json!({}))),
            "build" if !self.argv.iter().any(|word| word.starts_with("-get")) => {
                with("dotnet_project", "build")
            }
            "restore" => with("dotnet_project", "restore"),
            "publish" => with("dotnet_project", "publish"),
            "pack" => with("dotnet_project", "pack"),
            "clean" => with("dotnet_project", "clean"),
            "run" => with("dotnet_project", "run"),
            "test" => self.test(msbuild),
            "format" => Some((
                "dotnet_project",
                "format",
                json!({"verify": self.has("--verify-no-changes")}),
            )),
            "msbuild" => self.msbuild(),
            "new" => self.new_command(&words),
            "sln" | "solution" => self.solution(),
            "add" | "remove" | "list" | "package" | "nuget" | "reference" => self.package(&words),
            "tool" => self.tool(&words),
            "workload" => Some(("dotnet_workload", workload(&words)?, json!({}))),
            "ef" => self.ef(&words),
            "user-secrets" => self.secrets(&words),
            "dev-certs" => self.certificates(),
            _ => None,
        }
    }

    fn test(&self, mut arguments: Value) -> Option<(&'static str, &'static str, Value)> {
        if self.argv.iter().any(|word| word.starts_with("-get")) {
            return None;
        }
        arguments["listTests"] = self.has("--list-tests").into();
        Some(("dotnet_project", "test", arguments))
    }

    fn msbuild(&self) -> Option<(&'static str, &'static str, Value)> {
        let asked = |option: &str| {
            let word = self.argv.iter().find(|word| word.starts_with(option))?;
            word.split_once(':').map(|(_, names)| names)
        };
        let project = self.argv.get(2);
        Some(match (asked("-getProperty"), asked("-getItem")) {
            (Some(name), None) if !name.contains(',') => (
                "dotnet_project",
                "property",
                json!({"project": project, "propertyName": name}),
            ),
            (None, Some(kind)) => (
                "dotnet_project",
                "items",
                json!({"project": project, "itemType": kind}),
            ),
            (Some(_), _) => ("dotnet_project", "analysis", json!({"project": project})),
            _ => return None,
        })
    }

    fn new_command(&self, words: &[&str]) -> Option<(&'static str, &'static str, Value)> {
        let template = words.get(1).copied()?;
        if self.has("--help") {
            return Some((
                "dotnet_sdk",
                "template-options",
                json!({"templateShortName": template}),
            ));
        }
        Some(match template {
            "list" => ("dotnet_sdk", "templates", json!({})),
            "install" => ("dotnet_sdk", "template-install", json!({})),
            "uninstall" if words.len() == 2 => ("dotnet_sdk", "template-packs", json!({})),
            "uninstall" => ("dotnet_sdk", "template-uninstall", json!({})),
            "search" | "update" | "details" => return None,
            "sln" => (
                "dotnet_solution",
                "solution-create",
                json!({"name": self.behind(&["-n"]), "output": self.behind(&["-o"]), "format": self.behind(&["--format"])}),
            ),
            // The bridge names the folder always: `.config` below the one that is given.
            "tool-manifest" => {
                self.behind(&["-o"])?;
                ("dotnet_tool", "tool-manifest", json!({}))
            }
            template => (
                "dotnet_project",
                "new",
                json!({"template": template, "name": self.behind(&["-n"]), "output": self.behind(&["-o"])}),
            ),
        })
    }

    fn solution(&self) -> Option<(&'static str, &'static str, Value)> {
        let shape = if self.has("list") {
            "projects"
        } else if self.has("add") {
            "solution-add"
        } else if self.has("remove") {
            "solution-remove"
        } else {
            return None;
        };
        Some(("dotnet_solution", shape, json!({})))
    }

    fn package(&self, words: &[&str]) -> Option<(&'static str, &'static str, Value)> {
        let verb = words
            .iter()
            .find(|word| ["add", "remove", "list", "search", "locals", "update"].contains(word))?;
        let reference = self.has("reference");
        let shape = match (*verb, reference) {
            ("add", true) => "reference-add",
            ("remove", true) => "reference-remove",
            ("list", true) => "references",
            ("add", false) => "package-add",
            ("remove", false) => "package-remove",
            ("list", false) if words.first() != Some(&"nuget") => "packages",
            ("search", _) => "package-search",
            ("update", _) => "package-update",
            ("locals", _) if self.has("--clear") => "cache-clear",
            _ => return None,
        };
        let package = self
            .behind(&["package", "add", "remove"])
            .filter(|_| !reference);
        Some((
            "dotnet_package",
            shape,
            json!({"packageId": package, "version": self.behind(&["--version"])}),
        ))
    }

    fn tool(&self, words: &[&str]) -> Option<(&'static str, &'static str, Value)> {
        let shape = match *words.get(1)? {
            "list" => "tools",
            "search" => "tool-search",
            "run" => "tool-run",
            "install" | "update" | "uninstall" | "restore" => "tool-change",
            _ => return None,
        };
        Some(("dotnet_tool", shape, json!({})))
    }

    fn ef(&self, words: &[&str]) -> Option<(&'static str, &'static str, Value)> {
        let (shape, arguments) = match (*words.get(1)?, words.get(2).copied().unwrap_or_default()) {
            ("migrations", "add") => ("ef-migration-add", json!({"name": words.get(3)})),
            ("migrations", "remove") => ("ef-migration-remove", json!({})),
            ("migrations", "list") => ("ef-migrations", json!({})),
            ("migrations", "script") => (
                "ef-script",
                json!({"output": self.behind(&["-o", "--output"])}),
            ),
            ("database", "update") => ("ef-database-update", json!({})),
            ("database", "drop") => ("ef-database-drop", json!({"dryRun": self.has("--dry-run")})),
            ("dbcontext", "list") => ("ef-contexts", json!({})),
            ("dbcontext", "info") => ("ef-context", json!({})),
            ("dbcontext", "scaffold") => ("ef-scaffold", json!({})),
            _ => return None,
        };
        Some(("dotnet_ef", shape, arguments))
    }

    fn secrets(&self, words: &[&str]) -> Option<(&'static str, &'static str, Value)> {
        let arguments = json!({"key": words.get(2).filter(|word| !word.starts_with('-'))});
        Some(match *words.get(1)? {
            "list" => ("dotnet_dev_certs", "secrets", json!({})),
            "set" => {
                let mut arguments = arguments;
                arguments["value"] = words.get(3).copied().into();
                ("dotnet_dev_certs", "secrets-change", arguments)
            }
            "init" | "clear" => ("dotnet_dev_certs", "secrets-change", json!({})),
            "remove" => ("dotnet_dev_certs", "secrets-change", arguments),
            _ => return None,
        })
    }

    fn certificates(&self) -> Option<(&'static str, &'static str, Value)> {
        let checks = self.has("--check") || self.has("--check-trust-machine-readable");
        let shape = if checks {
            "certificates"
        } else {
            "certificate-change"
        };
        let arguments = json!({
            "trust": self.has("--trust"),
            "path": self.behind(&["--export-path"]),
            "format": self.behind(&["--format"]),
        });
        Some(("dotnet_dev_certs", shape, arguments))
    }
}

fn workload(words: &[&str]) -> Option<&'static str> {
    Some(match *words.get(1)? {
        "list" => "workloads",
        "--info" => "workload-info",
        "search" => "workload-search",
        "install" | "update" | "uninstall" => "workload-change",
        _ => return None,
    })
}

fn number(signal: &str) -> i32 {
    match signal {
        "SIGINT" => 2,
        "SIGTERM" => 15,
        "SIGABRT" => 6,
        _ => 9,
    }
}
