//! Which commands may be asked for their help. `dotnet X --help` runs whatever is called `dotnet-X`, and behind
//! some verbs `--help` belongs to another program: an allow list, then.

use super::Problem;
use super::shapes::ensure;

/// A verb, or a verb and one that belongs to it.
pub(super) fn command(text: &str) -> Result<(), Problem> {
    let mut words = text.split_ascii_whitespace();
    let verb = words.next().unwrap_or_default();
    let (second, third) = (words.next(), words.next());
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
    };
    let dash = text
        .split_ascii_whitespace()
        .any(|word| word.starts_with('-'));
    ensure(
        !dash && text.split_ascii_whitespace().all(plain),
        Problem::Characters,
    )?;
    let known = VERBS.iter().find(|(name, _)| *name == verb);
    let fits = known.is_some_and(|(name, subcommands)| match (second, third) {
        (None, _) => true,
        // The short name of a template.
        (Some(_), None) if *name == "new" => true,
        (Some(second), None) => subcommands.contains(&second),
        (Some(second), Some(third)) => {
            words.next().is_none() && DEEP.contains(&(*name, second, third))
        }
    });
    ensure(
        fits,
        Problem::Hint(
            "must be a command of the dotnet command line",
            "For instance build, test, package add or ef migrations; without a command its help lists them.",
        ),
    )
}

/// The verbs of the SDK and what belongs to each.
const VERBS: &[(&str, &[&str])] = &[
    ("add", &["package", "reference"]),
    ("build", &[]),
    ("build-server", &["shutdown"]),
    ("clean", &[]),
    ("dev-certs", &["https"]),
    ("ef", &["migrations", "database", "dbcontext"]),
    ("format", &["whitespace", "style", "analyzers"]),
    ("fsi", &[]),
    ("list", &["package", "reference"]),
    ("msbuild", &[]),
    ("new", NEW),
    (
        "nuget",
        &[
            "add", "config", "delete", "disable", "enable", "list", "locals", "push", "remove",
            "sign", "trust", "update", "verify", "why",
        ],
    ),
    ("pack", &[]),
    (
        "package",
        &["add", "download", "list", "remove", "search", "update"],
    ),
    ("project", &["convert"]),
    ("publish", &[]),
    ("reference", &["add", "list", "remove"]),
    ("remove", &["package", "reference"]),
    ("restore", &[]),
    ("run", &[]),
    ("sdk", &["check"]),
    ("sln", &["add", "list", "migrate", "remove"]),
    ("solution", &["add", "list", "migrate", "remove"]),
    ("store", &[]),
    ("test", &[]),
    (
        "tool",
        &[
            "install",
            "uninstall",
            "update",
            "list",
            "run",
            "search",
            "restore",
            "exec",
            "execute",
        ],
    ),
    ("user-jwts", &[]),
    ("user-secrets", &["init", "set", "remove", "list", "clear"]),
    ("vstest", &[]),
    ("watch", &[]),
    (
        "workload",
        &[
            "install",
            "update",
            "list",
            "search",
            "uninstall",
            "repair",
            "restore",
            "clean",
            "config",
            "history",
        ],
    ),
];

/// The verbs behind `new`; any other word is a template's short name.
pub(super) const NEW: &[&str] = &[
    "create",
    "install",
    "uninstall",
    "update",
    "search",
    "list",
    "details",
];

/// Three words that belong together.
const DEEP: &[(&str, &str, &str)] = &[
    ("ef", "database", "drop"),
    ("ef", "database", "update"),
    ("ef", "dbcontext", "info"),
    ("ef", "dbcontext", "list"),
    ("ef", "dbcontext", "optimize"),
    ("ef", "dbcontext", "scaffold"),
    ("ef", "dbcontext", "script"),
    ("ef", "migrations", "add"),
    ("ef", "migrations", "bundle"),
    ("ef", "migrations", "has-pending-model-changes"),
    ("ef", "migrations", "list"),
    ("ef", "migrations", "remove"),
    ("ef", "migrations", "script"),
    ("nuget", "add", "source"),
    ("nuget", "config", "get"),
    ("nuget", "config", "paths"),
    ("nuget", "config", "set"),
    ("nuget", "list", "source"),
    ("nuget", "remove", "source"),
    ("nuget", "update", "source"),
    ("workload", "search", "version"),
];
