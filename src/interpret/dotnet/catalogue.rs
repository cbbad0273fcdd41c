//! What is known of codes: the catalogue (`catalogue.json`), and the rules for codes outside it.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::envelope::Category;

/// One code's explanation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Known {
    pub(super) code: String,
    /// A few words; for the reader of the data file.
    #[allow(dead_code, reason = "names the entry for those who edit the data")]
    pub(super) title: String,
    #[serde(deserialize_with = "read_category")]
    pub(super) category: Category,
    pub(super) hint: String,
    pub(super) explanation: String,
    pub(super) documentation_url: String,
    pub(super) suggested_fixes: Vec<String>,
    #[serde(default)]
    pub(super) mcp_error_code: Option<i32>,
}

static CATALOGUE: LazyLock<HashMap<String, Known>> = LazyLock::new(|| {
    let entries: Vec<Known> = serde_json::from_str(include_str!("catalogue.json"))
        .expect("the catalogue ships with the program and a test reads it");
    entries
        .into_iter()
        .map(|known| (known.code.clone(), known))
        .collect()
});

/// The entry of a code, whatever its letter case and the blanks around it.
pub(super) fn find(code: &str) -> Option<&'static Known> {
    CATALOGUE.get(code.trim().to_ascii_uppercase().as_str())
}

/// The category of a code by its prefix: the compilers', `MSBuild`'s, `NuGet`'s, the SDK's. The prefix has to be
/// followed by digits, so that `NUnit2005` is no package error.
pub(super) fn category(code: &str) -> Category {
    let code = code.trim();
    let digits = code
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(code.len());
    let (prefix, number) = code.split_at(digits);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Category::Unknown;
    }
    match prefix.to_ascii_uppercase().as_str() {
        "CS" | "FS" | "BC" => Category::Compilation,
        "MSB" => Category::Build,
        "NU" => Category::Package,
        "NETSDK" => Category::Runtime,
        _ => Category::Unknown,
    }
}

/// What to do about a code that is not in the catalogue.
pub(super) fn hint(category: Category) -> &'static str {
    match category {
        Category::Compilation => "Mend the source at the place that is named, then build again.",
        Category::Build => "Mend the project file or the command's arguments as the message says.",
        Category::Package => "Check the package references, their versions and the sources.",
        Category::Runtime => "Check the target framework against the installed SDKs and runtimes.",
        _ => "Read the message: the code belongs to an analyzer or to a tool of the build.",
    }
}

fn read_category<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Category, D::Error> {
    let name = String::deserialize(source)?;
    Ok(match name.as_str() {
        "Compilation" => Category::Compilation,
        "Build" => Category::Build,
        "Package" => Category::Package,
        "Runtime" => Category::Runtime,
        _ => return Err(serde::de::Error::custom(format!("no category `{name}`"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_and_classified() {
        assert!(CATALOGUE.len() >= 52);
        for (code, known) in CATALOGUE.iter() {
            assert_eq!(known.category, category(code), "{code}");
            assert!(find(&format!(" {} ", code.to_lowercase())).is_some());
            for text in [&known.title, &known.hint, &known.explanation] {
                assert!(text.len() > 5, "{code}");
            }
            assert!(!known.suggested_fixes.is_empty(), "{code}");
            assert!(
                known
                    .documentation_url
                    .starts_with("https://learn.microsoft.com/"),
                "{code}"
            );
        }
    }

    #[test]
    fn codes_that_name_a_missing_thing_say_so() {
        let with = |rpc: i32| {
            let mut codes: Vec<&str> = CATALOGUE
                .values()
                .filter(|known| known.mcp_error_code == Some(rpc))
                .map(|known| known.code.as_str())
                .collect();
            codes.sort_unstable();
            codes
        };
        let missing = ["MSB1003", "MSB4236", "NETSDK1004", "NU1101", "NU1102"];
        assert_eq!(with(-32002), missing);
        assert_eq!(with(-32602), ["CS1001", "CS1513", "NETSDK1045"]);
    }

    #[test]
    fn a_prefix_needs_its_digits() {
        for (code, expected) in [
            ("CS0103", Category::Compilation),
            ("FS0039", Category::Compilation),
            ("MSB9999", Category::Build),
            ("NU1999", Category::Package),
            ("NETSDK9999", Category::Runtime),
            ("NUnit2005", Category::Unknown),
            ("CA1822", Category::Unknown),
            ("xUnit1013", Category::Unknown),
            ("WHITESPACE", Category::Unknown),
            ("NU", Category::Unknown),
            ("", Category::Unknown),
        ] {
            assert_eq!(category(code), expected, "{code}");
        }
    }
}
