//! What is known of target frameworks without asking anybody.

use serde_json::{Map, Value, json};

use super::file::refused;
use super::{CommandError, Context, Made, optional_text};

/// The framework to take for something new; it has long-term support.
pub(super) const RECOMMENDED: &str = "net10.0";

/// One framework, or all of them.
pub(super) async fn info(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let preview = next_is_installed(context).await;
    let known = || FRAMEWORKS.iter().filter(|one| preview || one.name != NEXT);
    let Some(asked) = optional_text(arguments, "framework") else {
        let all: Vec<Value> = known().map(Framework::json).collect();
        let lines: Vec<String> = known().map(Framework::line).collect();
        return Ok(Made::of(json!({
            "success": true,
            "summary": format!("Recommended for new projects: {RECOMMENDED} (long-term support)."),
            "text": format!("{}\nRecommended: {RECOMMENDED}", lines.join("\n")),
            "frameworks": all,
            "recommended": RECOMMENDED,
            "lts": RECOMMENDED,
        })));
    };
    let lower = asked.trim().to_ascii_lowercase();
    let (base, platform) = lower
        .split_once('-')
        .map_or((lower.as_str(), None), |(base, platform)| {
            (base, Some(platform))
        });
    let found = known().find(|one| one.name == base).ok_or_else(|| {
        let message = format!(
            "Parameter 'framework' must be a known target framework, for instance {RECOMMENDED}"
        );
        refused("framework", "invalid value", message)
    })?;
    let mut made = found.json();
    let mut line = found.line();
    if let Some(platform) = platform {
        line = format!("{line}, for {platform}");
    }
    if let Some(made) = made.as_object_mut() {
        made.insert("framework".to_owned(), lower.clone().into());
        made.insert("success".to_owned(), true.into());
        made.insert("summary".to_owned(), line.into());
        made.insert("recommended".to_owned(), RECOMMENDED.into());
        made.insert("lts".to_owned(), RECOMMENDED.into());
    }
    Ok(Made::of(made))
}

/// In preview: shown where an SDK for it is installed.
const NEXT: &str = "net11.0";

async fn next_is_installed(context: &dyn Context) -> bool {
    let Ok(ran) = context.run(vec!["--list-sdks".to_owned()]).await else {
        return false;
    };
    ran.stdout.text.lines().any(|line| line.starts_with("11."))
}

struct Framework {
    name: &'static str,
    family: &'static str,
    version: &'static str,
    lts: bool,
}

impl Framework {
    fn description(&self) -> String {
        format!("{} {}", self.family, self.version)
    }

    fn line(&self) -> String {
        let lts = if self.lts { " (long-term support)" } else { "" };
        format!("{}: {}{lts}", self.name, self.description())
    }

    fn json(&self) -> Value {
        json!({
            "framework": self.name,
            "description": self.description(),
            "family": self.family,
            "isLts": self.lts,
        })
    }
}

const fn framework(
    name: &'static str,
    family: &'static str,
    version: &'static str,
    lts: bool,
) -> Framework {
    Framework {
        name,
        family,
        version,
        lts,
    }
}

const FRAMEWORKS: &[Framework] = &[
    framework(NEXT, ".NET", "11", false),
    framework("net10.0", ".NET", "10", true),
    framework("net9.0", ".NET", "9", false),
    framework("net8.0", ".NET", "8", true),
    framework("net7.0", ".NET", "7", false),
    framework("net6.0", ".NET", "6", true),
    framework("net5.0", ".NET", "5", false),
    framework("netcoreapp3.1", ".NET Core", "3.1", true),
    framework("netcoreapp3.0", ".NET Core", "3.0", false),
    framework("netcoreapp2.2", ".NET Core", "2.2", false),
    framework("netcoreapp2.1", ".NET Core", "2.1", true),
    framework("netcoreapp2.0", ".NET Core", "2.0", false),
    framework("netcoreapp1.1", ".NET Core", "1.1", false),
    framework("netcoreapp1.0", ".NET Core", "1.0", false),
    framework("netstandard2.1", ".NET Standard", "2.1", false),
    framework("netstandard2.0", ".NET Standard", "2.0", false),
    framework("netstandard1.6", ".NET Standard", "1.6", false),
    framework("netstandard1.3", ".NET Standard", "1.3", false),
    framework("netstandard1.0", ".NET Standard", "1.0", false),
    framework("net481", ".NET Framework", "4.8.1", false),
    framework("net48", ".NET Framework", "4.8", false),
    framework("net472", ".NET Framework", "4.7.2", false),
    framework("net471", ".NET Framework", "4.7.1", false),
    framework("net47", ".NET Framework", "4.7", false),
    framework("net462", ".NET Framework", "4.6.2", false),
    framework("net461", ".NET Framework", "4.6.1", false),
    framework("net46", ".NET Framework", "4.6", false),
    framework("net452", ".NET Framework", "4.5.2", false),
    framework("net451", ".NET Framework", "4.5.1", false),
    framework("net45", ".NET Framework", "4.5", false),
    framework("net40", ".NET Framework", "4.0", false),
    framework("net35", ".NET Framework", "3.5", false),
    framework("net20", ".NET Framework", "2.0", false),
];

/// Whether a target framework is one with long-term support; `None` where it has no such promise at all.
pub(super) fn long_term(framework: &str) -> Option<bool> {
    let base = framework.split('-').next().unwrap_or(framework);
    let found = FRAMEWORKS
        .iter()
        .find(|one| one.name.eq_ignore_ascii_case(base))?;
    matches!(found.family, ".NET" | ".NET Core").then_some(found.lts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Fake, call};
    use super::long_term;

    #[tokio::test]
    async fn one_framework_and_all_of_them() {
        let fake = Fake::new();
        let one = call(
            "framework-info",
            json!({"framework": "NET8.0-windows"}),
            &fake,
        )
        .await
        .expect("known");
        assert_eq!(
            (&one["framework"], &one["isLts"]),
            (&json!("net8.0-windows"), &json!(true))
        );
        let all = call("framework-info", json!({}), &fake).await.expect("all");
        assert!(!all["frameworks"].to_string().contains("net11.0"));
        assert_eq!(all["recommended"], "net10.0");
        assert!(
            call("framework-info", json!({"framework": "net99.0"}), &fake)
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn a_framework_in_preview_needs_its_sdk() {
        let fake =
            Fake::new().answering(&["--list-sdks"], "10.0.401 [/x]\n11.0.100-preview.1 [/x]\n");
        let all = call("framework-info", json!({}), &fake).await.expect("all");
        assert!(all["frameworks"].to_string().contains("net11.0"));
    }

    #[test]
    fn long_term_support_is_known_of_net_alone() {
        assert_eq!(long_term("net10.0-android"), Some(true));
        assert_eq!(long_term("net9.0"), Some(false));
        assert_eq!(long_term("netstandard2.0"), None);
        assert_eq!(long_term("net472"), None);
    }
}
