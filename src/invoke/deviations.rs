//! Whether answers are as the document describes them: looked at now and then, for the operator alone. Whatever is
//! found, the caller's answer stays as it is.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ::http::Method;
use serde_json::{Map, Value, json};

use super::Invoker;
use crate::binding::{Fault, Validator};
use crate::interpret::Interpreted;
use crate::tool::{HttpTarget, Json, Promise, Tool};

/// After an answer of a tool was looked at, the next ones of this time are not.
const PAUSE: Duration = Duration::from_secs(10);
/// More tools are told of by the counter alone.
const MOST_TOLD: usize = 10_000;
/// The member that an answer stands in while it is checked: faults of members are worded as such.
const PLACE: &str = "/answer";

/// Since when, and of which tools the log tells already.
#[derive(Debug)]
pub(super) struct Deviations {
    began: Instant,
    told: Mutex<HashSet<String>>,
}

impl Deviations {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            told: Mutex::default(),
        }
    }

    /// Whether the log is to tell of the tool, which it does once.
    fn tells(&self, tool: &str) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < MOST_TOLD && told.insert(tool.to_owned())
    }
}

/// What is kept of one tool.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Milliseconds before which no answer is looked at.
    next: AtomicU64,
    /// What the document promises; nothing where that cannot be used.
    promised: OnceLock<Option<Validator>>,
}

impl Watch {
    /// Whether an answer is to be looked at: the first one, and one in each pause.
    fn is_due(&self, since: Duration) -> bool {
        let now = millis(since);
        let next = self.next.load(Ordering::Relaxed);
        let after = now + millis(PAUSE);
        let (set, read) = (Ordering::Relaxed, Ordering::Relaxed);
        now >= next && self.next.compare_exchange(next, after, set, read).is_ok()
    }

    /// How an answer's JSON deviates, at its own place.
    fn deviation(&self, tool: &Tool, promise: &Promise, answer: &str) -> Option<Fault> {
        let promised = self.promised.get_or_init(|| {
            let published = tool.output_schema.as_ref()?;
            Validator::compile(&promised(published, promise)).ok()
        });
        let mut fault = promised
            .as_ref()?
            .deviation(&format!("{{\"answer\":{answer}}}"))?;
        fault.path = fault
            .path
            .strip_prefix(PLACE)
            .unwrap_or_default()
            .to_owned();
        Some(fault)
    }
}

impl Invoker {
    /// Looks at a successful answer now and then, and counts and tells what is not as described.
    pub(super) fn look_at(
        &self,
        (tool, watch): (&Tool, &Watch),
        target: &HttpTarget,
        read: &Interpreted,
    ) {
        let Some(promise) = &target.promise else {
            return;
        };
        let outcome = &read.outcome;
        // What was shortened, or came from another response of the document, shows nothing.
        let is_whole = read.whole.is_none() && !outcome.is_error && target.method != Method::HEAD;
        if !is_whole
            || promise
                .status
                .is_some_and(|status| outcome.status != Some(status.into()))
        {
            return;
        }
        let Some(structured) = &outcome.structured else {
            return;
        };
        if !watch.is_due(self.deviations.began.elapsed()) {
            return;
        }
        let Some(fault) = watch.deviation(tool, promise, structured.json().as_str()) else {
            return;
        };
        self.policy.counters.deviated();
        if self.deviations.tells(tool.name.as_str()) {
            // Names in an answer are the service's words.
            let text = format!("{:?}: {}", fault.path, fault.message);
            let text = self.policy.redactor.text(&text);
            tracing::warn!(
                "an answer of `{}` is not as its document describes it, at {text}; it is delivered all the same, and the next ones are only counted",
                tool.name
            );
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2)
}

/// What the published schema was made of: without the alternatives that take anything, and with what is required.
fn promised(published: &Json, promise: &Promise) -> Json {
    let mut schema = published.parse();
    let mut definitions = Value::Object(Map::new());
    if let Value::Object(members) = &mut schema {
        if let Some(own) = members.shift_remove("$defs") {
            definitions = own;
        }
        for group in ["properties", "patternProperties"] {
            let group = members.get_mut(group).and_then(Value::as_object_mut);
            group.into_iter().flat_map(Map::values_mut).for_each(firm);
        }
        if !promise.required.is_empty() {
            members.insert("required".to_owned(), promise.required.as_slice().into());
        }
    }
    if promise.is_wrapped {
        schema = schema["properties"]["result"].take();
    } else {
        firm(&mut schema);
    }
    Json::from_value(&json!({ "properties": { "answer": schema }, "$defs": definitions }))
}

/// `anyOf: [schema, {}]` is the schema.
fn firm(schema: &mut Value) {
    let Some([described, anything]) = schema
        .get_mut("anyOf")
        .and_then(Value::as_array_mut)
        .map(Vec::as_mut_slice)
    else {
        return;
    };
    if anything.as_object().is_some_and(Map::is_empty) {
        let described = described.take();
        *schema = described;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::HttpTarget;

    fn deviation(published: &Value, promise: &Promise, answer: &str) -> Option<(String, String)> {
        let mut tool = Tool::bare("x", HttpTarget::bare(Method::GET, "/"));
        tool.output_schema = Some(Json::from_value(published));
        let found = Watch::default().deviation(&tool, promise, answer);
        found.map(|fault| (fault.path, fault.message))
    }

    #[test]
    fn what_the_document_says_is_looked_for() {
        let object = json!({ "type": "object", "$defs": { "Age": { "type": "integer" } }, "properties": {
            "age": { "anyOf": [{ "$ref": "#/$defs/Age" }, {}] },
            "free": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
        } });
        let named = Promise {
            status: None,
            required: vec!["age".to_owned()],
            is_wrapped: false,
        };
        let found = |answer| deviation(&object, &named, answer);
        assert_eq!(found(r#"{"age": 7, "further": null, "free": 1}"#), None);
        let told = |place: &str, message: &str| Some((place.to_owned(), message.to_owned()));
        assert_eq!(
            found(r#"{"age": "secret"}"#),
            told("/age", "expected integer, found a string (masked)")
        );
        let (place, message) = found("{}").unwrap();
        assert_eq!(place, "/age");
        assert!(
            message.contains("missing required property `age`"),
            "{message}"
        );
        let (place, message) = found("[1]").unwrap();
        assert_eq!(place, "");
        assert!(message.starts_with("expected object"), "{message}");
        let list = json!({ "type": "object", "properties": {
            "result": { "anyOf": [{ "type": "array", "items": { "type": "integer" } }, {}] } } });
        let wrapped = Promise {
            status: None,
            required: Vec::new(),
            is_wrapped: true,
        };
        assert_eq!(deviation(&list, &wrapped, "[1, 2]"), None);
        let (place, _) = deviation(&list, &wrapped, "[1, null]").unwrap();
        assert_eq!(place, "/1");
        let (place, _) = deviation(&list, &wrapped, r#"{"result": [1]}"#).unwrap();
        assert_eq!(place, "");
        let either = json!({ "type": "object", "anyOf": [
            { "type": "object", "required": ["a"] }, {} ] });
        let plain = Promise {
            is_wrapped: false,
            ..wrapped
        };
        assert_eq!(deviation(&either, &plain, r#"{"a": 1}"#), None);
        assert_eq!(deviation(&either, &plain, "{}").unwrap().0, "/a");
    }

    #[test]
    fn one_answer_in_a_pause_is_looked_at() {
        let watch = Watch::default();
        let due = [0, 1, 9_999, 10_000, 10_001, 25_000, 34_999, 35_000];
        let due = due.map(|at| watch.is_due(Duration::from_millis(at)));
        assert_eq!(due, [true, false, false, true, false, true, false, true]);
        let all = Deviations::new();
        assert_eq!(
            ["a", "b", "a"].map(|name| all.tells(name)),
            [true, true, false]
        );
    }
}
