//! Calls of the dotnet tools whose command lines were recorded.

use serde_json::{Value, json};

/// A tool and its arguments.
pub type Call = (&'static str, Value);

/// Calls of the tools, by the group whose recordings answer them; the paths that have to be there.
pub fn calls() -> Vec<(u32, Vec<&'static str>, Vec<Call>)> {
    let project = |action: &str, rest: Value| with("dotnet_project", action, rest);
    let package = |action: &str, rest: Value| with("dotnet_package", action, rest);
    let solution = |action: &str, rest: Value| with("dotnet_solution", action, rest);
    let sdk = |action: &str, rest: Value| with("dotnet_sdk", action, rest);
    let certs = |action: &str, rest: Value| with("dotnet_dev_certs", action, rest);
    let tools = |action: &str, rest: Value| with("dotnet_tool", action, rest);
    let ef = |action: &str, rest: Value| with("dotnet_ef", action, rest);
    vec![
        (
            1,
            vec!["con"],
            vec![
                sdk("Version", json!({"workingDirectory": "con"})),
                sdk("ListSdks", json!({"workingDirectory": "con"})),
                sdk("ListRuntimes", json!({"workingDirectory": "con"})),
            ],
        ),
        (
            2,
            vec!["pin"],
            vec![
                sdk("Version", json!({"workingDirectory": "pin"})),
                project("Build", json!({"workingDirectory": "pin"})),
            ],
        ),
        (3, vec![], vec![sdk("Info", json!({}))]),
        (
            9,
            vec![],
            vec![sdk("SearchTemplates", json!({"searchTerm": "console"}))],
        ),
        (
            10,
            vec![],
            vec![
                sdk("TemplateInfo", json!({"templateShortName": "console"})),
                ("dotnet_help", json!({"command": "build"})),
            ],
        ),
        (
            11,
            vec![],
            vec![sdk(
                "InstallTemplatePack",
                json!({"templatePackage": "No.Such.Package"}),
            )],
        ),
        (12, vec![], vec![sdk("ListTemplatePacks", json!({}))]),
        (
            13,
            vec![],
            vec![solution(
                "Create",
                json!({"name": "S", "format": "slnx", "output": "b"}),
            )],
        ),
        (
            14,
            vec!["con"],
            vec![project("Restore", json!({"project": "con"}))],
        ),
        (
            15,
            vec!["nu1101"],
            vec![project("Restore", json!({"project": "nu1101"}))],
        ),
        (
            16,
            vec!["nu1603", "nu1102", "con"],
            vec![
                project("Build", json!({"project": "nu1603"})),
                project("Build", json!({"project": "nu1102"})),
                project("Restore", json!({"project": "nu1102"})),
                project("Build", json!({"project": "con"})),
            ],
        ),
        (
            21,
            vec!["bad"],
            vec![project("Build", json!({"project": "bad"}))],
        ),
        (
            22,
            vec!["multi20"],
            vec![project(
                "Build",
                json!({"project": "multi20", "noRestore": true}),
            )],
        ),
        (
            23,
            vec!["par/App (1)/App.csproj"],
            vec![project(
                "Build",
                json!({"project": "par/App (1)/App.csproj"}),
            )],
        ),
        (
            29,
            vec!["con", "lib"],
            vec![
                project("Run", json!({"project": "con"})),
                project("Run", json!({"project": "con", "appArgs": "exit 3"})),
                project("Run", json!({"project": "lib"})),
            ],
        ),
        (
            30,
            vec!["bad"],
            vec![project("Run", json!({"project": "bad"}))],
        ),
        (
            31,
            vec!["vst", "vstok", "con"],
            vec![
                project("Test", json!({"project": "vst"})),
                project(
                    "Test",
                    json!({"project": "vst", "noBuild": true, "filter": "Name=none"}),
                ),
                project(
                    "Test",
                    json!({"project": "vst", "noBuild": true, "listTests": true}),
                ),
                project("Test", json!({"project": "vstok"})),
                project("Test", json!({"project": "con"})),
            ],
        ),
        (
            32,
            vec!["S.slnx"],
            vec![project("Test", json!({"project": "S.slnx"}))],
        ),
        (
            35,
            vec!["con"],
            vec![project(
                "Publish",
                json!({"project": "con", "configuration": "Release", "output": "out", "runtime": "linux-x64", "selfContained": false}),
            )],
        ),
        (
            36,
            vec!["lib"],
            vec![project("Pack", json!({"project": "lib", "output": "pkgs"}))],
        ),
        (
            38,
            vec!["style/style.csproj"],
            vec![project(
                "Format",
                json!({"project": "style/style.csproj", "verify": true}),
            )],
        ),
        (
            39,
            vec!["S.sln", "Empty.slnx", "Nosuch.sln", "lib/lib.csproj"],
            vec![
                solution("List", json!({"solution": "S.sln"})),
                solution("List", json!({"solution": "Empty.slnx"})),
                solution(
                    "Add",
                    json!({"solution": "Empty.slnx", "projects": ["lib/lib.csproj"]}),
                ),
                solution("List", json!({"solution": "Nosuch.sln"})),
            ],
        ),
        (
            40,
            vec!["con"],
            vec![
                package(
                    "Add",
                    json!({"project": "con", "packageId": "Newtonsoft.Json", "version": "13.0.3"}),
                ),
                package(
                    "Add",
                    json!({"project": "con", "packageId": "No.Such.Package.Rec"}),
                ),
            ],
        ),
        (
            41,
            vec!["packages", "nu1101"],
            vec![
                package("List", json!({"project": "packages"})),
                package("List", json!({"project": "packages", "outdated": true})),
                package("List", json!({"project": "nu1101"})),
            ],
        ),
        (
            42,
            vec!["con", "lib"],
            vec![
                package(
                    "AddReference",
                    json!({"project": "con", "referencePath": "lib"}),
                ),
                package("ListReferences", json!({"project": "con"})),
            ],
        ),
        (
            43,
            vec![],
            vec![package(
                "Search",
                json!({"searchTerm": "newtonsoft", "take": 3}),
            )],
        ),
        (
            45,
            vec!["man", "empty"],
            vec![
                tools("List", json!({"workingDirectory": "man"})),
                tools("Restore", json!({"workingDirectory": "empty"})),
            ],
        ),
        (
            46,
            vec![],
            vec![
                with("dotnet_workload", "List", json!({})),
                with("dotnet_workload", "Search", json!({"searchTerm": "wasm"})),
            ],
        ),
        (
            47,
            vec!["shop"],
            vec![
                ef("MigrationsList", json!({"workingDirectory": "shop"})),
                ef(
                    "MigrationsScript",
                    json!({"workingDirectory": "shop", "noBuild": true}),
                ),
                ef(
                    "MigrationsScript",
                    json!({"workingDirectory": "shop", "noBuild": true, "from": "Init", "to": "Second"}),
                ),
                ef(
                    "DatabaseDrop",
                    json!({"workingDirectory": "shop", "noBuild": true, "dryRun": true}),
                ),
            ],
        ),
        (
            48,
            vec!["con/con.csproj"],
            vec![
                certs("SecretsInit", json!({"project": "con/con.csproj"})),
                certs("SecretsList", json!({"project": "con/con.csproj"})),
            ],
        ),
        (49, vec![], vec![certs("CertificateCheck", json!({}))]),
        (
            50,
            vec!["con/con.csproj", "xml/xml.csproj"],
            vec![
                project(
                    "GetProperty",
                    json!({"project": "con/con.csproj", "propertyName": "TargetFramework"}),
                ),
                project(
                    "GetProperty",
                    json!({"project": "xml/xml.csproj", "propertyName": "TargetFramework"}),
                ),
            ],
        ),
    ]
}

fn with(tool: &'static str, action: &str, mut arguments: Value) -> (&'static str, Value) {
    arguments["action"] = action.into();
    (tool, arguments)
}
