//! Solutions of a folder, with a program that answers for their projects.

use serde_json::{Value, json};

use super::super::testing::{Fake, call, made};

fn fake() -> Fake {
    let fake = Fake::new();
    for file in ["S.sln", "a/a.csproj", "b/b.csproj"] {
        fake.write(file, b"");
    }
    let project = |framework: &str, version: &str, references: Value| {
        json!({
            "Properties": {"TargetFramework": framework, "TargetFrameworks": "", "OutputType": "Library", "Nullable": "enable", "UsingMicrosoftNETSdk": "true"},
            "Items": {
                "PackageReference": [{"Identity": "Serilog", "Version": version}, {"Identity": "FSharp.Core", "IsImplicitlyDefined": "true"}],
                "ProjectReference": references,
                "PackageVersion": [{"Identity": "serilog", "Version": "9.9.9"}]
            }
        })
        .to_string()
    };
    let list =
        "Project(s)\n----------\na/a.csproj\nb/b.csproj\ngone/gone.csproj\n../../out.csproj\n";
    fake.answering(&["solution", "*", "list"], list)
        .answering(
            &["msbuild", "*/a/a.csproj"],
            &project("net10.0", "4.0.0", json!([{"Identity": "..\\b\\b.csproj"}])),
        )
        .answering(
            &["msbuild", "*/b/b.csproj"],
            &project("net9.0", "", json!([])),
        )
}

#[tokio::test]
async fn a_solution_is_described_with_what_cannot_be_read() {
    let made = call("analyze-solution", json!({"solution": "S.sln"}), &fake())
        .await
        .expect("listed");
    assert_eq!(made["projectCount"], 4);
    assert_eq!(
        made["projects"][0]["packageReferences"],
        json!([{"name": "Serilog", "version": "4.0.0"}])
    );
    assert_eq!(
        made["projects"][0]["projectReferences"],
        json!(["../b/b.csproj"])
    );
    assert_eq!(made["projects"][2]["error"], "the file does not exist");
    assert_eq!(made["projects"][3]["error"], "outside the allowed roots");
    assert_eq!(made["targetFrameworks"], json!(["net10.0", "net9.0"]));
    assert!(
        made["summary"]
            .as_str()
            .is_some_and(|it| it.contains("2 could not be evaluated"))
    );
}

#[tokio::test]
async fn shared_packages_have_all_their_versions_central_ones_too() {
    let made = call(
        "solution-dependencies",
        json!({"solution": "S.sln"}),
        &fake(),
    )
    .await
    .expect("listed");
    assert_eq!(
        made["sharedPackages"],
        json!([{"name": "Serilog", "versions": ["4.0.0", "9.9.9"], "projects": ["a/a.csproj", "b/b.csproj"]}])
    );
}

#[tokio::test]
async fn problems_of_projects_and_between_them_are_told() {
    let made = call("validate-solution", json!({"solution": "S.sln"}), &fake())
        .await
        .expect("listed");
    let rules: Vec<&str> = made["issues"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    assert_eq!(
        rules,
        [
            "no-long-term-support",
            "unreadable",
            "unreadable",
            "mixed-frameworks",
            "mixed-versions"
        ]
    );
    assert_eq!(
        (&made["isValid"], &made["errorCount"], &made["warningCount"]),
        (&json!(false), &json!(2), &json!(2))
    );
}

#[tokio::test]
async fn a_list_that_fails_is_the_answer() {
    let fake = Fake::new().failing(&["solution", "*", "list"], 1, "Invalid solution");
    fake.write("S.sln", b"");
    let made = made("validate-solution", json!({"solution": "S.sln"}), &fake)
        .await
        .expect("ran");
    assert_eq!((made.value, made.runs.len()), (Value::Null, 1));
    assert_eq!(made.runs.first().and_then(|ran| ran.exit), Some(1));
}

#[tokio::test]
async fn an_empty_solution_is_no_failure() {
    let fake = Fake::new().answering(
        &["solution", "*", "list"],
        "No projects found in the solution.\n",
    );
    fake.write("S.sln", b"");
    let made = call("analyze-solution", json!({"solution": "S.sln"}), &fake)
        .await
        .expect("listed");
    assert_eq!(
        (&made["projectCount"], &made["success"]),
        (&json!(0), &json!(true))
    );
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_no_empty_solution() {
    for stdout in ["hello\n", ""] {
        let fake = Fake::new().answering(&["solution", "*", "list"], stdout);
        fake.write("S.sln", b"");
        for action in ["analyze-solution", "validate-solution"] {
            let failed = made(action, json!({"solution": "S.sln"}), &fake).await;
            let error = failed.expect_err("not listed").to_string();
            assert!(error.contains("could not be read"), "{error}");
        }
    }
}
