//! Properties and items as `MSBuild` evaluates them.

use serde_json::{Map, Value};

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// Metadata that every file has; of no interest beside the item.
const WELL_KNOWN: [&str; 15] = [
    "Identity",
    "FullPath",
    "RootDir",
    "Filename",
    "Extension",
    "RelativeDir",
    "Directory",
    "RecursiveDir",
    "ModifiedTime",
    "CreatedTime",
    "AccessedTime",
    "DefiningProjectFullPath",
    "DefiningProjectDirectory",
    "DefiningProjectName",
    "DefiningProjectExtension",
];

/// `{Properties, Items}`; nothing where the output is no object.
pub(super) fn evaluated(stdout: &str) -> Option<Value> {
    let value: Value = crate::tree::read(stdout.trim()).ok()?;
    value.is_object().then_some(value)
}

/// One property alone is printed bare, an unset one as an empty line.
pub(super) fn property(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let name = view.call.text("propertyName").unwrap_or_default();
        let value = match evaluated(view.stdout()) {
            Some(found) if found.get("Properties").is_some() => {
                let found = found["Properties"].get(name).and_then(Value::as_str);
                found.unwrap_or_default().to_owned()
            }
            _ => {
                let text = view.stdout();
                text.strip_suffix('\n')
                    .unwrap_or(text)
                    .trim_end_matches('\r')
                    .to_owned()
            }
        };
        let shown = (view.call.mask_named)(name, &value);
        let mut reading = Reading::of([
            ("project", view.project()),
            ("propertyName", Some(name.into())),
            ("isDefined", Some((!value.is_empty()).into())),
            ("propertyValue", Some(shown.clone().into())),
        ]);
        if shown != value {
            reading.text = Some(shown.clone());
            reading.output = Some(shown);
        }
        reading
    })
}

/// The items of one kind, or of all that were asked for, without the metadata that every file has.
pub(super) fn items(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let Some(found) = evaluated(view.stdout()) else {
            return view
                .failing_with("OPERATION_FAILED", "MSBuild printed no items")
                .into();
        };
        let mut listed = Vec::new();
        for (kind, of_kind) in found["Items"].as_object().into_iter().flatten() {
            for item in of_kind.as_array().into_iter().flatten() {
                listed.push(Value::from(words::members([
                    ("itemType", Some(kind.as_str().into())),
                    ("include", item.get("Identity").cloned()),
                    ("metadata", Some(metadata(item).into())),
                ])));
            }
        }
        Reading::of([
            ("project", view.project()),
            ("itemType", view.given("itemType")),
            ("count", Some(listed.len().into())),
            ("items", Some(listed.into())),
        ])
    })
}

/// What is said of an item beyond its file.
pub(super) fn metadata(item: &Value) -> Map<String, Value> {
    item.as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !WELL_KNOWN.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
