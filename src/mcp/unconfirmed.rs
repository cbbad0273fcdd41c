//! What the caller of a tool that runs programs is told when nobody has agreed: in the envelope that every other
//! failure of such a tool comes in.

use serde_json::{Map, Value, json};

use crate::tool::{Content, Outcome, Text};

/// The form in which a tool's failures are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failures {
    /// A text.
    Text,
    /// The error envelope beside the text.
    Envelope,
    /// The error envelope, also as the text: the caller asked with `machineReadable`.
    Machine,
}

/// One failure before anything ran.
#[derive(Debug)]
pub(crate) struct Unconfirmed<'a> {
    pub(crate) code: &'a str,
    pub(crate) category: &'a str,
    /// JSON-RPC's.
    pub(crate) number: i32,
    pub(crate) message: String,
    pub(crate) hint: &'a str,
    pub(crate) additional: Value,
}

impl Failures {
    /// The answer: `text` for people, `data` beside the envelope's members.
    pub(crate) fn outcome(
        self,
        why: Unconfirmed<'_>,
        text: String,
        data: Option<Map<String, Value>>,
    ) -> Outcome {
        let Some(envelope) = self.envelope(&why) else {
            return Outcome {
                structured: data.map(|data| Value::Object(data).to_string().into()),
                ..Outcome::failure(text)
            };
        };
        let text = match self {
            Self::Machine => envelope.to_string(),
            _ => text,
        };
        let mut structured = data.unwrap_or_default();
        if let Value::Object(members) = envelope {
            structured.extend(members);
        }
        structured.insert("summary".to_owned(), why.message.into());
        Outcome {
            content: vec![Content::Text(Text::from(text))],
            structured: Some(Value::Object(structured).to_string().into()),
            is_error: true,
            status: None,
        }
    }

    fn envelope(self, why: &Unconfirmed<'_>) -> Option<Value> {
        (self != Self::Text).then(|| {
            json!({
                "success": false,
                "errors": [{
                    "code": why.code,
                    "message": why.message,
                    "category": why.category,
                    "hint": why.hint,
                    "rawOutput": "",
                    "mcpErrorCode": why.number,
                    "data": {"exitCode": -1, "additionalData": why.additional},
                }],
                "exitCode": -1,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_run_programs_tell_in_an_envelope() {
        for form in [Failures::Text, Failures::Envelope, Failures::Machine] {
            let why = Unconfirmed {
                code: "OPERATION_CANCELLED",
                category: "Cancellation",
                number: -32603,
                message: "no".to_owned(),
                hint: "ask",
                additional: json!({"reason": "declined"}),
            };
            let outcome = form.outcome(why, "No.".to_owned(), None);
            assert!(outcome.is_error);
            let [Content::Text(text)] = outcome.content.as_slice() else {
                panic!("{outcome:?}");
            };
            let text = format!("{text:?}");
            assert_eq!(
                text.contains("OPERATION_CANCELLED"),
                form == Failures::Machine
            );
            assert_eq!(outcome.structured.is_some(), form != Failures::Text);
        }
    }
}
