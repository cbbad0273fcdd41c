//! The shapes that values of commands have, one function each.

use super::{ARCHITECTURES, Problem, SYSTEMS, help};

/// `text` consists of letters, digits (of any script) and `others`.
pub(super) fn only(text: &str, others: &str) -> Result<(), Problem> {
    let fits = |c: char| c.is_alphanumeric() || others.contains(c);
    ensure(text.chars().all(fits), Problem::Characters)
}

pub(super) fn ensure(holds: bool, problem: Problem) -> Result<(), Problem> {
    if holds { Ok(()) } else { Err(problem) }
}

pub(super) fn no_control(text: &str) -> Result<(), Problem> {
    ensure(!text.chars().any(char::is_control), Problem::Characters)
}

pub(super) fn no_quotes(text: &str) -> Result<(), Problem> {
    no_control(text)?;
    ensure(!text.contains('"'), Problem::Characters)
}

pub(super) fn additional_options(text: &str) -> Result<(), Problem> {
    only(text, "-_. =")
}

/// Options of a template. What `new` itself takes has arguments of its own, with checks of their own.
pub(super) fn template_options(text: &str) -> Result<(), Problem> {
    const OWN: [&str; 6] = [
        "-o",
        "--output",
        "-n",
        "--name",
        "--allow-scripts",
        "--project",
    ];
    additional_options(text)?;
    let names = || {
        text.split_whitespace()
            .map(|word| word.split(['=', ':']).next())
    };
    let own = names()
        .flatten()
        .any(|name| OWN.iter().any(|one| one.eq_ignore_ascii_case(name)));
    ensure(
        !own,
        Problem::Hint(
            "must hold options of the template alone",
            "The folder and the name have arguments of their own: output and name.",
        ),
    )?;
    ensure(!text.contains(".."), Problem::Characters)
}

/// The name of a logger or a data collector with its settings: `trx;LogFileName=a.trx`. None of these leads to another
/// folder; where results go is said with an argument of its own.
pub(super) fn test_extension(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let settings = text.split_once(';').map_or("", |(_, settings)| settings);
    let leads = settings.contains(['/', '\\', '~', '%', '$']) || settings.contains("..");
    let drive = settings.split([';', '=']).any(|value| {
        let mut chars = value.trim().chars();
        chars.next().is_some_and(char::is_alphabetic) && chars.next() == Some(':')
    });
    ensure(
        !leads && !drive,
        Problem::Hint(
            "must not hold a path in its settings",
            "Name the file alone; the folder is resultsDirectory.",
        ),
    )
}

pub(super) fn diagnostic_ids(text: &str) -> Result<(), Problem> {
    only(text, "-_.,; ")
}

/// A name that becomes files: no path.
pub(super) fn file_name(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let path =
        text.contains(['/', '\\', ':', '*', '?', '<', '>', '|']) || text == "." || text == "..";
    ensure(!path, Problem::Characters)
}

/// A target framework: `net10.0`, `net8.0-windows10.0.19041.0`, `netstandard2.0`, `net472`.
pub(super) fn framework(text: &str) -> Result<(), Problem> {
    let net = text
        .get(..3)
        .is_some_and(|head| head.eq_ignore_ascii_case("net"));
    let wrong = "must be a target framework that begins with 'net', 'netcoreapp' or 'netstandard'";
    ensure(
        net,
        Problem::Hint(
            wrong,
            "For instance net10.0, net8.0, netstandard2.0 or net472; dotnet_sdk FrameworkInfo lists them.",
        ),
    )?;
    ascii_only(text, "-.")
}

pub(super) fn ascii_only(text: &str, others: &str) -> Result<(), Problem> {
    let fits = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
    ensure(text.chars().all(fits), Problem::Characters)
}

pub(super) fn identifier(text: &str) -> Result<(), Problem> {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    ensure(
        first,
        Problem::Value("must be an MSBuild name: letters, digits, '_' and '-', not a digit first"),
    )?;
    ascii_only(text, "_-")
}

pub(super) fn migration(text: &str) -> Result<(), Problem> {
    file_name(text)?;
    ensure(
        !text.contains([';', ',', '\'', '$', '@']),
        Problem::Characters,
    )
}

pub(super) fn type_name(text: &str) -> Result<(), Problem> {
    only(text, "_.+`")
}

const NO_PROJECT: Problem = Problem::Hint(
    "must be a project or solution file",
    "Accepted are .csproj, .fsproj, .vbproj, .sln and .slnx, or a folder without a dot in its name.",
);

pub(super) fn project_file(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let fits = |extension: &str| ["csproj", "fsproj", "vbproj", "sln", "slnx"].contains(&extension);
    ensure(extension(text).is_none_or(|it| fits(&it)), NO_PROJECT)
}

pub(super) fn msbuild_file(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let fits = |it: &str| it.ends_with("proj") || it == "props" || it == "targets";
    ensure(
        extension(text).is_none_or(|it| fits(&it)),
        Problem::Hint(
            "must be a project file",
            "Accepted are .csproj, .fsproj, .vbproj, other *proj, .props and .targets.",
        ),
    )
}

pub(super) fn solution_file(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let fits = |it: &str| ["sln", "slnx", "slnf"].contains(&it);
    ensure(
        extension(text).is_none_or(|it| fits(&it)),
        Problem::Hint("must be a solution file", "Accepted are .sln and .slnx."),
    )
}

/// The extension of the last part of a path, in lower case; none for `..`, `name` and `folder.x/`.
pub(super) fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.')?;
    (!extension.is_empty()).then(|| extension.to_ascii_lowercase())
}

pub(super) fn package_id(text: &str) -> Result<(), Problem> {
    only(text, "._-")?;
    let ends = text.starts_with(['.', '-']) || text.ends_with('.') || text.chars().count() > 100;
    ensure(
        !ends,
        Problem::Value("must be a package id of at most 100 characters"),
    )
}

/// A version, a floating one (`1.*`) or a range (`[1.0, 2.0)`).
pub(super) fn package_version(text: &str) -> Result<(), Problem> {
    ascii_only(text, ".-+*[](), ")?;
    let range = text.starts_with(['[', '(']);
    let plain = !text.contains(['[', ']', '(', ')', ',', ' ']);
    let closed = range && text.ends_with([']', ')']);
    ensure(
        plain || closed,
        Problem::Value("must be a version such as 1.2.3, 1.* or [1.0,2.0)"),
    )
}

/// A name, a folder or an address; never several, never a share.
pub(super) fn package_source(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    ensure(!text.contains([';', '$']), Problem::Characters)?;
    let wrong = Problem::Value("must be a name, a folder or an https address");
    let text = text.trim();
    let share = text.starts_with("\\\\") || text.starts_with("//") || text.starts_with('~');
    let of_scheme = text.split_once(':').is_none_or(|(scheme, rest)| {
        // A drive's letter is no scheme.
        let drive = cfg!(windows) && scheme.len() == 1;
        drive || scheme.eq_ignore_ascii_case("https") && rest.len() > 2 && rest.starts_with("//")
    });
    ensure(!share && of_scheme, wrong)
}

/// `os[version][-musl|-bionic]-architecture`, or `any`.
pub(super) fn runtime_identifier(text: &str) -> Result<(), Problem> {
    let wrong = || {
        Problem::Hint(
            "must be a runtime identifier: operating system, dash, architecture",
            "For instance win-x64, linux-x64, linux-musl-arm64 or osx-arm64; see https://learn.microsoft.com/dotnet/core/rid-catalog.",
        )
    };
    ascii_only(text, "-.").map_err(|_| wrong())?;
    let lower = text.to_ascii_lowercase();
    if lower == "any" {
        return Ok(());
    }
    let (system, architecture) = lower.rsplit_once('-').ok_or_else(wrong)?;
    let (name, libc) = system
        .split_once('-')
        .map_or((system, None), |(name, libc)| (name, Some(libc)));
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let fits = SYSTEMS.contains(&name)
        && ARCHITECTURES.contains(&architecture)
        && libc.is_none_or(|libc| name == "linux" && (libc == "musl" || libc == "bionic"));
    ensure(fits, wrong())
}

pub(super) fn sdk_version(text: &str) -> Result<(), Problem> {
    let text = text.trim();
    ascii_only(text, ".-")?;
    let numbers = text.split(['.', '-']).take(3);
    let three = numbers.filter(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    ensure(
        three.count() == 3,
        Problem::Value("must be an SDK version such as 10.0.100"),
    )
}

/// A template's short name; the other verbs of `new` are none.
pub(super) fn template(text: &str) -> Result<(), Problem> {
    only(text, "._-#+")?;
    let verb = help::NEW.iter().any(|verb| verb.eq_ignore_ascii_case(text));
    ensure(
        !verb,
        Problem::Hint(
            "must be the short name of a template",
            "dotnet_sdk ListTemplates lists them.",
        ),
    )
}

/// An id, an id with a version, or a path to a folder or a `.nupkg`.
pub(super) fn template_package(text: &str) -> Result<(), Problem> {
    no_quotes(text)?;
    let path = text.contains(['/', '\\']) || text.starts_with('.');
    if path || text.to_ascii_lowercase().ends_with(".nupkg") {
        return Ok(());
    }
    let ats = text.matches('@').count();
    let colons = text.matches("::").count();
    ensure(
        ats + colons <= 1,
        Problem::Value("must hold at most one version, behind '@'"),
    )?;
    let (id, version) = text
        .split_once('@')
        .or_else(|| text.split_once("::"))
        .unwrap_or((text, "0"));
    ensure(
        !version.is_empty(),
        Problem::Value("has no version behind '@'"),
    )?;
    package_id(id)?;
    template_version(version)
}

pub(super) fn template_version(text: &str) -> Result<(), Problem> {
    ascii_only(text, ".-+*")
}

/// `VSTest` filters cannot hold quotes: `MSBuild` refuses the whole command line (MSB4177).
pub(super) fn test_filter(text: &str) -> Result<(), Problem> {
    no_control(text)?;
    ensure(
        !text.contains('"'),
        Problem::Hint(
            "must not contain double quotes",
            "Write the value as it is, or match a part of it with '~'.",
        ),
    )
}

/// A date, or a date with a time, as ISO 8601 and RFC 3339 write them. What it means is seen where it is used.
pub(super) fn timestamp(text: &str) -> Result<(), Problem> {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.as_bytes().get(range);
        part.is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let dashes = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let time =
        text.len() == 10 || matches!(text.get(10..11), Some("T" | "t" | " ")) && digits(11..13);
    ensure(
        digits(0..4) && digits(5..7) && digits(8..10) && dashes && time,
        Problem::Value("must be a time as ISO 8601 writes it, for instance 2026-04-11T05:30:00Z"),
    )
}

pub(super) fn workload_id(text: &str) -> Result<(), Problem> {
    ascii_only(text, "-_")?;
    ensure(!text.starts_with('-'), Problem::Characters)
}
