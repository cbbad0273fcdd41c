//! `global.json`: which SDK and which test runner a folder uses.

use serde_json::{Map, Value, json};

use super::super::comments::without_comments;
use super::file::{self, refused};
use super::{CommandError, Context, Made, optional_text};
use crate::binding::command::rules;

/// Creates or changes the file; what it does not know of stays, comments do not.
pub(super) async fn configure(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let given = optional_text(arguments, "globalJsonPath").unwrap_or("global.json");
    let mut path = context.path("globalJsonPath", given)?;
    if path.is_dir() {
        path.push("global.json");
    }
    if path.file_name().is_none_or(|name| name != "global.json") {
        let message = "Parameter 'globalJsonPath' must name a file global.json".to_owned();
        return Err(refused("globalJsonPath", "invalid value", message));
    }
    let old = if path.exists() {
        Some(file::read("globalJsonPath", &path).await?)
    } else {
        None
    };
    let (mut content, commented) = match &old {
        Some(bytes) => parse(bytes)?,
        None => (Map::new(), false),
    };
    apply(&mut content, arguments)?;
    let new = write(&content, old.as_deref());
    let changed = old.as_deref() != Some(new.as_bytes());
    if changed {
        file::write("globalJsonPath", &path, new.as_bytes()).await?;
    }
    let verb = match (&old, changed) {
        (None, _) => "Created",
        (Some(_), true) => "Updated",
        (Some(_), false) => "Nothing to change in",
    };
    let lost = if commented && changed {
        " Its comments are gone."
    } else {
        ""
    };
    let summary = format!("{verb} {}.{lost}", path.display());
    Ok(Made::of(json!({
        "success": true,
        "text": format!("{summary}\n{}", new.trim_end()),
        "summary": summary,
        "path": path,
        "created": old.is_none(),
        "changed": changed,
        "content": content,
    })))
}

fn apply(
    content: &mut Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), CommandError> {
    let spelled = |rule, text| rules::spelled(rule, text).unwrap_or(text);
    if let Some(version) = optional_text(arguments, "sdkVersion") {
        section(content, "sdk")?.insert("version".to_owned(), version.trim().into());
    }
    if let Some(policy) = optional_text(arguments, "rollForward") {
        let policy = spelled("roll-forward", policy.trim());
        section(content, "sdk")?.insert("rollForward".to_owned(), policy.into());
    }
    if let Some(runner) = optional_text(arguments, "testRunner") {
        let runner = spelled("test-runner", runner.trim());
        section(content, "test")?.insert("runner".to_owned(), runner.into());
    }
    Ok(())
}

fn section<'c>(
    content: &'c mut Map<String, Value>,
    name: &str,
) -> Result<&'c mut Map<String, Value>, CommandError> {
    let section = content
        .entry(name.to_owned())
        .or_insert_with(|| Value::Object(Map::new()));
    section.as_object_mut().ok_or_else(|| {
        let message = format!("The member '{name}' of global.json is no object");
        refused("globalJsonPath", "invalid value", message)
    })
}

/// The object, and whether there were comments, which the SDK allows as well.
fn parse(bytes: &[u8]) -> Result<(Map<String, Value>, bool), CommandError> {
    let wrong = |what: String| {
        refused(
            "globalJsonPath",
            "invalid value",
            format!("The existing global.json {what}"),
        )
    };
    let bytes = bytes.strip_prefix(file::MARK).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8".to_owned()))?;
    let plain = without_comments(text);
    if plain.trim().is_empty() {
        return Ok((Map::new(), plain.len() < text.len()));
    }
    match crate::tree::read(&plain) {
        Ok(Value::Object(content)) => Ok((content, plain != text)),
        Ok(_) => Err(wrong("must hold a JSON object".to_owned())),
        Err(error) => Err(wrong(format!("cannot be parsed: {error}"))),
    }
}

/// Two blanks of indentation, as the SDK writes it; the line ends of the old file.
fn write(content: &Map<String, Value>, old: Option<&[u8]>) -> String {
    let mut text = serde_json::to_string_pretty(content).unwrap_or_default();
    text.push('\n');
    let windows = old.is_some_and(|old| old.windows(2).any(|pair| pair == b"\r\n"));
    if windows {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Fake, call};

    #[tokio::test]
    async fn a_new_file_holds_what_was_given() {
        let fake = Fake::new();
        let made = call(
            "configure-global-json",
            json!({"sdkVersion": " 10.0.100 ", "rollForward": "LATESTFEATURE"}),
            &fake,
        )
        .await
        .expect("written");
        let text = fake.text("global.json");
        assert_eq!(
            text,
            "{\n  \"sdk\": {\n    \"version\": \"10.0.100\",\n    \"rollForward\": \"latestFeature\"\n  }\n}\n"
        );
        assert_eq!(made["created"], true);
        assert_eq!(made["content"]["sdk"]["version"], "10.0.100");
    }

    #[tokio::test]
    async fn other_members_stay_and_comments_go() {
        let fake = Fake::new();
        let old = "{\r\n  // pinned\r\n  \"sdk\": {\"version\": \"9.0.100\", \"paths\": [\"a//b\"]}, /* x */\r\n  \"msbuild-sdks\": {\"A\": \"1.0\"}\r\n}";
        fake.write("global.json", old.as_bytes());
        let made = call(
            "configure-global-json",
            json!({"testRunner": "microsoft.testing.platform"}),
            &fake,
        )
        .await
        .expect("written");
        let text = fake.text("global.json");
        let content: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            content,
            json!({
                "sdk": {"version": "9.0.100", "paths": ["a//b"]},
                "msbuild-sdks": {"A": "1.0"},
                "test": {"runner": "Microsoft.Testing.Platform"}
            })
        );
        assert!(
            text.contains("\r\n")
                && made["summary"]
                    .as_str()
                    .is_some_and(|it| it.contains("comments"))
        );
        let again = call(
            "configure-global-json",
            json!({"testRunner": "Microsoft.Testing.Platform"}),
            &fake,
        )
        .await
        .expect("same");
        assert_eq!(again["changed"], false);
    }

    #[tokio::test]
    async fn what_is_no_global_json_is_refused_and_stays() {
        let fake = Fake::new();
        for old in ["[1]", "{\"sdk\": 5}", "{\"a\": 1,}", "{\"sdk\": \"x"] {
            fake.write("global.json", old.as_bytes());
            let made = call(
                "configure-global-json",
                json!({"sdkVersion": "10.0.100"}),
                &fake,
            )
            .await;
            assert!(made.is_err(), "{old}");
            assert_eq!(fake.text("global.json"), old);
        }
        let other = call(
            "configure-global-json",
            json!({"sdkVersion": "10.0.100", "globalJsonPath": "package.json"}),
            &fake,
        )
        .await;
        assert!(other.is_err());
    }
}
