//! Reading `x-mcp`, member by member: a fault costs its member alone, and never a restriction.
//!
//! Whoever writes `hidden`, `confirm` or `exclude` wants less to be possible. One that cannot be read counts as
//! said, and the operator hears of it.

use std::collections::{BTreeMap, HashSet};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::nearest;
use super::settings::{Exclude, Hints, Override, ParameterOverride};

/// The members for an operation.
const OPERATION: [&str; 10] = [
    "name",
    "title",
    "description",
    "exclude",
    "annotations",
    "confirm",
    "ask",
    "body",
    "requires",
    "parameters",
];
/// The members for a parameter; `fixed` is another word for `value`.
const PARAMETER: [&str; 8] = [
    "name",
    "description",
    "required",
    "hidden",
    "value",
    "fixed",
    "default",
    "header",
];
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// What is said of extensions while they are read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What loses nothing that anybody would miss.
    pub(super) notes: Vec<String>,
    /// What an operator should hear of.
    pub(super) warnings: Vec<String>,
}

impl Notes {
    /// Each thing once, as said of a document.
    pub(super) fn of_document(mut self, document: &str) -> Self {
        for said in [&mut self.notes, &mut self.warnings] {
            let mut seen = HashSet::new();
            said.retain(|one| seen.insert(one.clone()));
            for one in said {
                *one = format!("{document}: {one}");
            }
        }
        self
    }
}

/// `x-mcp` of an operation at `place`.
pub(super) fn of_operation(map: &Map<String, Value>, place: &str, notes: &mut Notes) -> Override {
    let mut members = Members::new(map, &OPERATION, place, notes);
    Override {
        name: members.read("name"),
        title: members.read("title"),
        description: members.read("description"),
        exclude: members.restriction("exclude", Exclude::Plain(true), "the operation is left out"),
        annotations: members.object("annotations").map(|(map, place, notes)| {
            let mut members = Members::new(map, &HINTS, &place, notes);
            Hints {
                read_only_hint: members.read("readOnlyHint"),
                destructive_hint: members.read("destructiveHint"),
                idempotent_hint: members.read("idempotentHint"),
                open_world_hint: members.read("openWorldHint"),
            }
        }),
        confirm: members.restriction("confirm", true, "a human has to confirm each call"),
        ask: members.read("ask"),
        body: members.read("body"),
        requires: members.read("requires"),
        parameters: members
            .object("parameters")
            .map(|(map, place, notes)| of_parameters(map, &place, notes))
            .unwrap_or_default(),
    }
}

fn of_parameters(
    map: &Map<String, Value>,
    place: &str,
    notes: &mut Notes,
) -> BTreeMap<String, ParameterOverride> {
    let mut found = BTreeMap::new();
    for (name, value) in map {
        let place = format!("{place}.{name}");
        if let Value::Object(map) = value {
            found.insert(name.clone(), of_parameter(map, &place, notes));
        } else {
            notes.warnings.push(format!(
                "{place} is ignored: expected an object, found {}",
                found_kind(value)
            ));
        }
    }
    found
}

/// `x-mcp` of a parameter at `place`.
pub(super) fn of_parameter(
    map: &Map<String, Value>,
    place: &str,
    notes: &mut Notes,
) -> ParameterOverride {
    let mut members = Members::new(map, &PARAMETER, place, notes);
    let (value, fixed) = (members.read("value"), members.read("fixed"));
    if value.is_some() && fixed.is_some() && value != fixed {
        members.warn("`fixed` is ignored: `value`, which means the same, is another one");
    }
    ParameterOverride {
        name: members.read("name"),
        description: members.read("description"),
        required: members.read("required"),
        hidden: members.restriction("hidden", true, "the parameter is no argument"),
        value: value.or(fixed),
        default: members.read("default"),
        header: members.read("header"),
    }
}

/// The members of one object.
struct Members<'a> {
    map: &'a Map<String, Value>,
    place: &'a str,
    notes: &'a mut Notes,
}

impl<'a> Members<'a> {
    /// Tells of those that are not `known`.
    fn new(
        map: &'a Map<String, Value>,
        known: &[&str],
        place: &'a str,
        notes: &'a mut Notes,
    ) -> Self {
        for name in map.keys().filter(|name| !known.contains(&name.as_str())) {
            match nearest::of(name, known.iter().copied()) {
                Some(meant) => notes.warnings.push(format!(
                    "{place}: `{name}` is not known and does nothing; did you mean `{meant}`?"
                )),
                None => notes
                    .notes
                    .push(format!("{place}: `{name}` is not known and does nothing")),
            }
        }
        Self { map, place, notes }
    }

    fn warn(&mut self, text: &str) {
        self.notes.warnings.push(format!("{}: {text}", self.place));
    }

    /// The member; one that cannot be read is left out.
    fn read<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let value = self.map.get(name).filter(|value| !value.is_null())?;
        match serde_json::from_value(value.clone()) {
            Ok(value) => Some(value),
            Err(error) => {
                self.warn(&format!("`{name}` is ignored: {error}"));
                None
            }
        }
    }

    /// A member that restricts; one that cannot be read, or has no value, restricts.
    fn restriction<T: DeserializeOwned>(
        &mut self,
        name: &str,
        safe: T,
        meaning: &str,
    ) -> Option<T> {
        let value = self.map.get(name)?;
        if let Ok(Some(value)) = serde_json::from_value(value.clone()) {
            return Some(value);
        }
        let found = found_kind(value);
        self.warn(&format!(
            "`{name}` cannot be read and counts as true: expected true or false, found {found}; {meaning}"
        ));
        Some(safe)
    }

    /// A member that has members of its own, and where it stands.
    fn object(&mut self, name: &str) -> Option<(&'a Map<String, Value>, String, &mut Notes)> {
        match self.map.get(name)? {
            Value::Object(map) => Some((map, format!("{}.{name}", self.place), self.notes)),
            Value::Null => None,
            other => {
                let found = found_kind(other);
                self.warn(&format!(
                    "`{name}` is ignored: expected an object, found {found}"
                ));
                None
            }
        }
    }
}

/// What was found, short enough to be shown.
fn found_kind(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
        Value::String(_) => "a long text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn operation(value: &Value) -> (Override, Notes) {
        let mut notes = Notes::default();
        let read = of_operation(value.as_object().unwrap(), "GET /x: x-mcp", &mut notes);
        (read, notes)
    }

    #[test]
    fn a_faulty_member_is_lost_alone() {
        let (read, notes) = operation(&json!({
            "name": "good", "title": 5, "body": "sideways", "requires": ["sampling"],
            "annotations": { "readOnlyHint": true, "destructiveHint": "no", "nonsense": 1 },
            "parameters": {
                "limit": { "hidden": true, "value": 1, "fixed": 2, "header": "Limit", "required": [] },
                "page": 7,
                "size": { "value": 3, "fixed": 3 },
            },
        }));
        assert_eq!(read.name.as_deref(), Some("good"));
        assert_eq!((read.title, read.body), (None, None));
        assert_eq!(read.requires.unwrap(), ["sampling"]);
        let hints = read.annotations.unwrap();
        assert_eq!(
            (hints.read_only_hint, hints.destructive_hint),
            (Some(true), None)
        );
        let limit = &read.parameters["limit"];
        assert_eq!((limit.hidden, limit.required), (Some(true), None));
        assert_eq!(
            (&limit.value, limit.header.as_deref()),
            (&Some(json!(1)), Some("Limit"))
        );
        assert_eq!(read.parameters["size"].value, Some(json!(3)));
        let places = [
            "x-mcp: `title`",
            "x-mcp: `body`",
            "x-mcp.annotations: `destructiveHint`",
            "x-mcp.parameters.limit: `fixed`",
            "x-mcp.parameters.limit: `required`",
            "x-mcp.parameters.page",
        ];
        for place in places {
            let told = notes.warnings.iter().filter(|one| one.contains(place));
            assert_eq!(told.count(), 1, "{place}: {:?}", notes.warnings);
        }
        assert_eq!(notes.warnings.len(), places.len(), "{:?}", notes.warnings);
        assert_eq!(notes.notes.len(), 1, "{:?}", notes.notes);
    }

    #[test]
    fn restrictions_that_cannot_be_read_restrict() {
        for value in [
            json!("maybe"),
            json!(1),
            json!(null),
            json!([]),
            json!("no"),
        ] {
            let (read, notes) = operation(&json!({ "confirm": value }));
            assert_eq!(read.confirm, Some(true), "{value}");
            assert!(
                notes.warnings[0].contains("`confirm` cannot be read"),
                "{notes:?}"
            );
            let (read, notes) = operation(&json!({ "parameters": { "p": { "hidden": value } } }));
            assert_eq!(read.parameters["p"].hidden, Some(true), "{value}");
            assert_eq!(notes.warnings.len(), 1, "{notes:?}");
        }
        for value in [json!(1), json!(null), json!({})] {
            let (read, notes) = operation(&json!({ "exclude": value }));
            assert_eq!(read.exclude, Some(Exclude::Plain(true)), "{value}");
            assert_eq!(notes.warnings.len(), 1, "{notes:?}");
        }
        let (read, notes) = operation(&json!({ "confirm": false, "exclude": "a reason" }));
        assert_eq!(read.confirm, Some(false));
        assert_eq!(read.exclude, Some(Exclude::Reason("a reason".to_owned())));
        assert!(notes.warnings.is_empty(), "{notes:?}");
    }

    #[test]
    fn a_misspelt_member_is_a_warning_and_a_foreign_one_a_note() {
        let (_, notes) = operation(&json!({ "confrm": true, "vendor": true }));
        let [warning] = notes.warnings.as_slice() else {
            panic!("{notes:?}");
        };
        assert!(
            warning.contains("`confrm`") && warning.contains("`confirm`?"),
            "{warning}"
        );
        assert!(notes.notes[0].contains("`vendor`"), "{notes:?}");
    }
}
