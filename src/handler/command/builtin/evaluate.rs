//! What a project comes to, as `MSBuild` evaluates it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{CommandError, Context, Ran};

/// A project, evaluated.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Project {
    /// As the solution writes it.
    pub(super) path: String,
    pub(super) frameworks: Vec<String>,
    pub(super) output_type: String,
    pub(super) nullable: String,
    pub(super) sdk: bool,
    pub(super) packages: Vec<Package>,
    /// As the project writes them.
    pub(super) references: Vec<String>,
    /// Why it could not be evaluated; then nothing else is known.
    pub(super) error: Option<String>,
}

/// A package that a project refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: Option<String>,
}

impl Project {
    /// The last part of its path, without extension.
    pub(super) fn name(&self) -> &str {
        let file = self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path);
        file.rsplit_once('.').map_or(file, |(name, _)| name)
    }

    /// As data.
    pub(super) fn json(&self) -> Value {
        let mut made = Map::new();
        made.insert("path".to_owned(), self.path.clone().into());
        made.insert("name".to_owned(), self.name().into());
        if let Some(error) = &self.error {
            made.insert("error".to_owned(), error.clone().into());
            return Value::Object(made);
        }
        let packages: Vec<Value> = self.packages.iter().map(Package::json).collect();
        made.insert(
            "targetFrameworks".to_owned(),
            self.frameworks.clone().into(),
        );
        made.insert("outputType".to_owned(), self.output_type.clone().into());
        made.insert("packageReferences".to_owned(), packages.into());
        made.insert(
            "projectReferences".to_owned(),
            self.references.clone().into(),
        );
        Value::Object(made)
    }
}

impl Package {
    fn json(&self) -> Value {
        match &self.version {
            Some(version) => json!({"name": self.name, "version": version}),
            None => json!({"name": self.name}),
        }
    }
}

/// Evaluates one project; what goes wrong with it is part of the answer.
///
/// # Errors
/// The program cannot be started.
pub(super) async fn project(
    path: String,
    file: &Path,
    context: &dyn Context,
) -> Result<Project, CommandError> {
    let words = [
        "msbuild",
        &file.to_string_lossy(),
        "-getProperty:TargetFramework,TargetFrameworks,OutputType,Nullable,UsingMicrosoftNETSdk",
        "-getItem:PackageReference,ProjectReference,PackageVersion",
        "-tl:off",
    ];
    let ran = context.run(words.map(str::to_owned).to_vec()).await?;
    let evaluated = crate::tree::read(&ran.stdout.text).ok();
    if evaluated.is_none() && ran.stdout.dropped > 0 {
        return Ok(Project {
            error: Some(too_long(ran.stdout.dropped)),
            path,
            ..Project::default()
        });
    }
    Ok(match evaluated.filter(|_| ran.exit == Some(0)) {
        Some(evaluated) => understood(path, &evaluated),
        None => Project {
            error: Some(reason(&ran)),
            path,
            ..Project::default()
        },
    })
}

fn understood(path: String, evaluated: &Value) -> Project {
    let property = |name: &str| {
        evaluated["Properties"][name]
            .as_str()
            .unwrap_or_default()
            .trim()
    };
    let items = |name: &str| {
        evaluated["Items"][name]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().trim().to_owned();
    let several = property("TargetFrameworks");
    let frameworks = if several.is_empty() {
        property("TargetFramework")
    } else {
        several
    };
    let central = items("PackageVersion");
    let central = |name: &str| {
        let found = central
            .iter()
            .find(|item| text(item, "Identity").eq_ignore_ascii_case(name));
        found.map(|item| text(item, "Version"))
    };
    let packages = items("PackageReference");
    let packages = packages
        .iter()
        .filter(|item| text(item, "IsImplicitlyDefined") != "true");
    Project {
        path,
        frameworks: list(frameworks),
        output_type: property("OutputType").to_owned(),
        nullable: property("Nullable").to_owned(),
        sdk: property("UsingMicrosoftNETSdk").eq_ignore_ascii_case("true"),
        packages: packages
            .map(|item| {
                let name = text(item, "Identity");
                let own = [text(item, "VersionOverride"), text(item, "Version")];
                let own = own.into_iter().find(|version| !version.is_empty());
                let version = own
                    .or_else(|| central(&name))
                    .filter(|version| !version.is_empty());
                Package { name, version }
            })
            .collect(),
        references: items("ProjectReference")
            .iter()
            .map(|item| text(item, "Identity").replace('\\', "/"))
            .collect(),
        error: None,
    }
}

fn list(text: &str) -> Vec<String> {
    let parts = text
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// What is said of an output whose middle was left out.
pub(super) fn too_long(left_out: u64) -> String {
    format!(
        "the output is too long to be read ({left_out} bytes were left out): have the operator raise \
         `commands.dotnet.output`"
    )
}

/// The first error that was told; diagnostics of an evaluation stand on standard error, a missing file's on
/// standard output.
fn reason(ran: &Ran) -> String {
    let lines = || {
        ran.stderr
            .text
            .lines()
            .chain(ran.stdout.text.lines())
            .map(str::trim)
    };
    let error = lines().find(|line| line.contains("error "));
    let line = error.or_else(|| lines().find(|line| !line.is_empty()));
    line.unwrap_or("the project cannot be evaluated").to_owned()
}
