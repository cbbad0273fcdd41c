//! One line of a diagnostic: `ORIGIN[(l[,c[,l2,c2]])] : [subcategory ]error|warning[ CODE]: TEXT[ [PROJECT[::TargetFramework=TFM]]]`,
//! or `error: [CODE: ]TEXT` as `NuGet` prints it.

use super::super::envelope::Place;
use super::Severity;

/// A subcategory is not longer than this.
const MAX_SUBCATEGORY: usize = 40;
/// Longer origins are none: no file system has such paths.
const MAX_ORIGIN: usize = 8 * 1024;
const PROJECTS: [&str; 8] = [
    ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".slnf", "proj", ".cs",
];

/// The parts of a line, as printed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    origin: &'a str,
    span: Vec<u32>,
    pub(super) severity: Severity,
    pub(super) code: Option<&'a str>,
    /// A blank at its beginning is kept: it goes on with the line before.
    pub(super) text: &'a str,
    project: Option<&'a str>,
    framework: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// Nothing where the line is no diagnostic. Linear in its length.
    pub(super) fn parse(raw: &'a str) -> Option<Self> {
        let line = without_node(raw.trim_start());
        let (origin, rest) = split(line)?;
        let (severity, rest) = severity(rest)?;
        let (code, text) = code(rest, origin.is_empty())?;
        if origin.is_empty()
            && code.is_some_and(|code| !code.bytes().any(|byte| byte.is_ascii_digit()))
        {
            return None;
        }
        let (text, project, framework) = tail(text);
        let (origin, span) = span(origin);
        Some(Self {
            origin,
            span,
            severity,
            code,
            text,
            project,
            framework,
        })
    }

    /// Where it is. What a project says of itself is of that project.
    pub(super) fn place(&self) -> Place {
        let at = |index: usize| self.span.get(index).copied();
        let tool = matches!(self.origin, "" | "MSBUILD" | "CSC" | "FSC" | "VBC" | "EXEC");
        let file = (!tool).then(|| self.origin.to_owned());
        let own = file
            .as_deref()
            .filter(|file| PROJECTS[..6].iter().any(|end| file.ends_with(end)));
        Place {
            line: at(0),
            column: at(1),
            end_line: at(2),
            end_column: at(3),
            project: self.project.or(own).map(str::to_owned),
            target_framework: self.framework.map(str::to_owned),
            file,
        }
    }
}

/// Without the number of the node that wrote it (`     5>`).
fn without_node(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix('>') {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

/// The origin, and what begins with the severity: behind the first colon that one follows.
fn split(line: &str) -> Option<(&str, &str)> {
    if severity(line).is_some() {
        return Some(("", line));
    }
    let mut from = 0;
    while let Some(found) = line[from..].find(": ") {
        let colon = from + found;
        if colon > MAX_ORIGIN {
            return None;
        }
        let rest = skip_subcategory(&line[colon + 2..]);
        if severity(rest).is_some() && !line[..colon].trim().is_empty() {
            return Some((line[..colon].trim_end(), rest));
        }
        from = colon + 2;
    }
    None
}

/// `Solution file error MSB5010` begins with a subcategory: a few words without a colon, and a code has to follow.
fn skip_subcategory(rest: &str) -> &str {
    let end = rest.find(':').unwrap_or(rest.len());
    for word in ["error", "warning"] {
        let Some(at) = rest[..end].find(word) else {
            continue;
        };
        let with_code = rest[at..end]
            .split_once(' ')
            .is_some_and(|(first, code)| first == word && is_code(code));
        if at > 0 && at <= MAX_SUBCATEGORY && rest[..at].ends_with(' ') && with_code {
            return &rest[at..];
        }
    }
    rest
}

/// The severity and what stands behind it, where a code or a colon follows.
fn severity(text: &str) -> Option<(Severity, &str)> {
    let (severity, rest) = [
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("warn", Severity::Warning),
    ]
    .iter()
    .find_map(|&(word, severity)| Some((severity, text.strip_prefix(word)?)))?;
    let fits = rest.starts_with(':') || (rest.starts_with(' ') && code(rest, false).is_some());
    fits.then_some((severity, rest))
}

/// The code, which may be missing, and the text behind the colon without its one blank.
fn code(rest: &str, bare: bool) -> Option<(Option<&str>, &str)> {
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    // A test program that MSBuild ran; the words are no code.
    let rest = rest.strip_prefix("run failed").unwrap_or(rest);
    let (code, text) = rest.split_once(':')?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    if code.is_empty() {
        // NuGet puts the code behind the colon.
        return Some(match text.split_once(": ") {
            Some((code, text)) if bare && is_nuget(code) => (Some(code), text),
            _ => (None, text),
        });
    }
    is_code(code).then_some((Some(code), text))
}

fn is_code(code: &str) -> bool {
    code.len() <= 64
        && code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn is_nuget(code: &str) -> bool {
    code.strip_prefix("NU").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Takes the project off the end of the text.
fn tail(text: &str) -> (&str, Option<&str>, Option<&str>) {
    let whole = text.trim_end();
    let Some(inside) = whole.strip_suffix(']') else {
        return (text, None, None);
    };
    let mut end = inside.len();
    // A few steps to the left: folders may have brackets in their names.
    for _ in 0..4 {
        let Some(open) = inside[..end].rfind('[') else {
            break;
        };
        let (project, framework) = match inside[open + 1..].split_once("::TargetFramework=") {
            Some((project, framework)) => (project, Some(framework)),
            None => (&inside[open + 1..], None),
        };
        let before = inside[..open].strip_suffix(' ');
        let named = PROJECTS.iter().any(|end| project.ends_with(end));
        if named && balanced(project) && (before.is_some() || open == 0) {
            return (before.unwrap_or_default(), Some(project), framework);
        }
        end = open;
    }
    (text, None, None)
}

/// As many brackets are opened as closed.
fn balanced(project: &str) -> bool {
    project.matches('[').count() == project.matches(']').count()
}

/// Takes the last `(line,column)` off the origin.
fn span(origin: &str) -> (&str, Vec<u32>) {
    let parsed = || {
        let inside = origin.strip_suffix(')')?;
        let open = inside.rfind('(')?;
        let numbers: Vec<u32> = inside[open + 1..]
            .split(',')
            .map(|number| number.trim().parse().ok())
            .collect::<Option<_>>()?;
        (numbers.len() <= 4 && open > 0).then(|| (&origin[..open], numbers))
    };
    parsed().unwrap_or((origin, Vec::new()))
}
