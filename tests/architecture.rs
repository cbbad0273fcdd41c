//! Holds the house together: the import table of ARCHITECTURE.md, the homes of outside crates,
//! the length of files and what each file opens with. Reads text, needs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 400;

/// Crate, and the files it may appear in (by the start of their path below `src/`).
const HOMES: &[(&str, &[&str])] = &[
    ("axum", &["transport/http", "cli/demo"]),
    (
        "hyper",
        &["transport/http", "handler/http/plain", "outbound/cause"],
    ),
    ("hyper_util", &["transport/http", "handler/http/plain"]),
    ("rustix", &["handler/command", "app/signals"]),
    ("reqwest", &["outbound", "handler/http", "openapi/source"]),
    ("clap", &["main.rs", "cli/", "config/"]),
    ("jsonwebtoken", &["transport/access"]),
    (
        "jsonschema",
        &["binding/", "discovery/convert", "discovery/command/schema"],
    ),
    ("saphyr_parser", &["openapi/places"]),
    ("serde_json_path", &["openapi/overlay"]),
    ("serde_yaml", &["openapi/text", "config/"]),
];

struct SourceFile {
    path: String,
    module: String,
    text: String,
}

#[test]
fn imports_follow_the_table() {
    let allowed = table();
    let mut faults = Vec::new();
    for file in shipped() {
        if file.path == "lib.rs" {
            continue;
        }
        let Some(may) = allowed.get(&file.module) else {
            faults.push(format!(
                "{}: module `{}` is not in the table",
                file.path, file.module
            ));
            continue;
        };
        for import in imports(&file) {
            if import != file.module && !may.contains(&import) {
                faults.push(format!(
                    "{}: `{}` may not import `{import}`",
                    file.path, file.module
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_table_has_no_cycle() {
    let mut left = table();
    loop {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, may)| may.iter().all(|module| !left.contains_key(module)))
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        left.retain(|module, _| !free.contains(module));
    }
    assert!(left.is_empty(), "modules in a cycle: {:?}", left.keys());
}

#[test]
fn outside_crates_stay_at_home() {
    let mut faults = Vec::new();
    for file in shipped() {
        for (name, homes) in HOMES {
            let at_home = homes.iter().any(|home| file.path.starts_with(home));
            if !at_home && mentions(&file.text, name) {
                faults.push(format!("{}: `{name}` belongs in {homes:?}", file.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut faults = Vec::new();
    for folder in ["src", "tests", "examples", "benches"] {
        for file in sources(folder) {
            let lines = file.text.lines().count();
            if lines > LONGEST_FILE {
                faults.push(format!(
                    "{folder}/{}: {lines} lines, at most {LONGEST_FILE}",
                    file.path
                ));
            }
            if !file.text.starts_with("//!") {
                faults.push(format!("{folder}/{}: does not open with `//!`", file.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Module to what it may import, from ARCHITECTURE.md.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let text =
        fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line
            .strip_prefix('|')?
            .strip_suffix('|')?
            .split('|')
            .collect();
        let [rank, module, may] = cells[..] else {
            return None;
        };
        rank.trim().parse::<u8>().ok()?;
        let may = may
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Some((module.trim().to_owned(), may.map(str::to_owned).collect()))
    });
    let table: BTreeMap<_, _> = rows.collect();
    assert!(
        table.len() > 10,
        "the import table of ARCHITECTURE.md was not understood"
    );
    table
}

/// The top-level modules of this crate that a file names.
fn imports(file: &SourceFile) -> BTreeSet<String> {
    let code = code_of(&file.text);
    let prefix = if file.path == "main.rs" {
        "mcpinvoke::"
    } else {
        "crate::"
    };
    let mut found = BTreeSet::new();
    for rest in after_each(&code, prefix) {
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_members(group)),
            None => {
                found.insert(word(rest));
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The first words of the members of a `{a::b, c}` group, nested groups skipped.
fn group_members(group: &str) -> Vec<String> {
    let (mut depth, mut members, mut start) = (0, Vec::new(), 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                members.push(word(group[start..at].trim()));
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    members
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn mentions(text: &str, name: &str) -> bool {
    !after_each(&code_of(text), &format!("{name}::")).is_empty()
}

/// What follows each `prefix` that is a path's beginning, not the end of a longer word or path.
fn after_each<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    code.match_indices(prefix)
        .filter(|(at, _)| {
            let before = code[..*at].chars().next_back().unwrap_or(' ');
            let absolute = code[..*at].ends_with("::") && {
                let head = code[..*at - 2].chars().next_back().unwrap_or(' ');
                !head.is_alphanumeric() && head != '_' && head != '>'
            };
            absolute || !(before.is_alphanumeric() || matches!(before, '_' | ':' | '"'))
        })
        .map(|(at, _)| &code[at + prefix.len()..])
        .collect()
}

/// The text without whole-line comments and without its tests.
fn code_of(text: &str) -> String {
    let shipped = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    shipped
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn sources(folder: &str) -> Vec<SourceFile> {
    let base = root().join(folder);
    let mut files = Vec::new();
    collect(&base, &base, &mut files);
    files
}

/// The files under `src` that are compiled outside tests: what only tests need may be built from
/// anything.
fn shipped() -> Vec<SourceFile> {
    let files = sources("src");
    let for_tests: Vec<String> = files.iter().flat_map(test_modules).collect();
    let is_test = |path: &str| {
        let inside = |module: &String| path.strip_prefix(module.as_str());
        for_tests
            .iter()
            .filter_map(inside)
            .any(|rest| rest.starts_with('/') || rest == ".rs")
    };
    files
        .into_iter()
        .filter(|file| !is_test(&file.path))
        .collect()
}

/// The modules a file declares for tests only, as paths without ending.
fn test_modules(file: &SourceFile) -> Vec<String> {
    let folder = match file.path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None => String::new(),
    };
    let after = file.text.split("#[cfg(test)]\n").skip(1);
    let declared = after.filter_map(|text| {
        let line = text.lines().next()?.strip_suffix(';')?;
        Some(line.rsplit_once("mod ")?.1.to_owned())
    });
    declared.map(|name| format!("{folder}{name}")).collect()
}

fn collect(base: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(base, &path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let below = path.strip_prefix(base).expect("walked from the base");
            let below = below.to_string_lossy().replace('\\', "/");
            let module = below.split('/').next().unwrap_or_default();
            files.push(SourceFile {
                module: module.trim_end_matches(".rs").to_owned(),
                text: fs::read_to_string(&path).expect("source files are UTF-8"),
                path: below,
            });
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
