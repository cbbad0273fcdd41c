//! Which program runs tests, as the `dotnet` command decides it: by the first `global.json` from the working
//! folder upwards, and by nothing beside the project.

use std::path::Path;

use serde_json::Value;

use super::RunnerChoice;
use super::comments::without_comments;
use crate::tool::TestRunner;

/// A longer file is none that `dotnet` reads.
const LONGEST: u64 = 1024 * 1024;

/// The runner of a call: what its arguments ask for, else the file's, else `VSTest`.
pub(super) fn choose(asked: Option<(TestRunner, &'static str)>, directory: &Path) -> RunnerChoice {
    if let Some((runner, source)) = asked {
        return RunnerChoice { runner, source };
    }
    match of_file(directory) {
        Some(runner) => RunnerChoice {
            runner,
            source: "global.json",
        },
        None => RunnerChoice {
            runner: TestRunner::VsTest,
            source: "default",
        },
    }
}

/// What the nearest file says; the search ends at it, whatever it says.
fn of_file(directory: &Path) -> Option<TestRunner> {
    let files = directory
        .ancestors()
        .map(|folder| folder.join("global.json"));
    let file = files.into_iter().find(|file| file.is_file())?;
    if file.metadata().ok()?.len() > LONGEST {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let settings: Value = crate::tree::read(&without_comments(text)).ok()?;
    let runner = settings.get("test")?.get("runner")?.as_str()?;
    match runner.to_ascii_lowercase().as_str() {
        "microsoft.testing.platform" => Some(TestRunner::Platform),
        "vstest" => Some(TestRunner::VsTest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_file_decides() {
        let all = tempfile::tempdir().unwrap();
        let inner = all.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let found = |text: Option<&str>| {
            let file = all.path().join("a/global.json");
            match text {
                Some(text) => fs::write(&file, text).unwrap(),
                None => drop(fs::remove_file(&file)),
            }
            let choice = choose(None, &inner);
            (choice.runner, choice.source)
        };
        fs::write(
            all.path().join("global.json"),
            r#"{"test":{"runner":"VSTest"}}"#,
        )
        .unwrap();
        let platform = (TestRunner::Platform, "global.json");
        let default = (TestRunner::VsTest, "default");
        for (text, expected) in [
            (
                Some(r#"{"test":{"runner":"Microsoft.Testing.Platform"}}"#),
                platform,
            ),
            (
                Some(
                    "\u{feff}{ // why \"\n \"test\": /* * / */ {\"runner\": \"microsoft.testing.PLATFORM\"}}",
                ),
                platform,
            ),
            (Some(r#"{"sdk":{"version":"10.0.100"}}"#), default),
            (Some(r#"{"x": "//", "test":{"runner":"other"}}"#), default),
            (
                Some(r#"{"test":{"runner":"Microsoft.Testing.Platform"},}"#),
                default,
            ),
            (None, (TestRunner::VsTest, "global.json")),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
        let asked = Some((TestRunner::Platform, "testRunner-parameter"));
        assert_eq!(choose(asked, &inner).source, "testRunner-parameter");
    }
}
