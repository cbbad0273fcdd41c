//! `input_required`: what 2026-07-28 returns where a server of old would have asked.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// A call that needs answers first. The client repeats it with them and with the state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputRequired {
    /// The questions: a key of the server's choice, the method (`elicitation/create`, ...) and
    /// its parameters.
    pub requests: Vec<(String, &'static str, Value)>,
    /// Comes back unchanged with the answers; protect its integrity.
    pub state: Option<String>,
}

impl InputRequired {
    /// Appends the members of the result, `resultType` included.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'a> {
            result_type: &'static str,
            #[serde(skip_serializing_if = "Map::is_empty")]
            input_requests: Map<String, Value>,
            #[serde(skip_serializing_if = "Option::is_none")]
            request_state: Option<&'a str>,
        }
        let question = |(key, method, params): &(String, &'static str, Value)| {
            (key.clone(), json!({"method": method, "params": params}))
        };
        let wire = Wire {
            result_type: "input_required",
            input_requests: self.requests.iter().map(question).collect(),
            request_state: self.state.as_deref(),
        };
        if let Ok(text) = serde_json::to_vec(&wire) {
            let inner = text
                .strip_prefix(b"{")
                .and_then(|rest| rest.strip_suffix(b"}"));
            out.extend_from_slice(inner.unwrap_or_default());
        }
    }
}
